// SPDX-License-Identifier: MIT
// The members of the three tables of functions, in groups.
#pragma once

// clang-format off
// In all tables.
#define AEROGPU_FUNCTIONS_OF_10(X) \
  X(pfnDefaultConstantBufferUpdateSubresourceUP) \
  X(pfnVsSetConstantBuffers) \
  X(pfnPsSetShaderResources) \
  X(pfnPsSetShader) \
  X(pfnPsSetSamplers) \
  X(pfnVsSetShader) \
  X(pfnDrawIndexed) \
  X(pfnDraw) \
  X(pfnDynamicIABufferMapNoOverwrite) \
  X(pfnDynamicIABufferUnmap) \
  X(pfnDynamicConstantBufferMapDiscard) \
  X(pfnDynamicIABufferMapDiscard) \
  X(pfnDynamicConstantBufferUnmap) \
  X(pfnPsSetConstantBuffers) \
  X(pfnIaSetInputLayout) \
  X(pfnIaSetVertexBuffers) \
  X(pfnIaSetIndexBuffer) \
  X(pfnDrawIndexedInstanced) \
  X(pfnDrawInstanced) \
  X(pfnDynamicResourceMapDiscard) \
  X(pfnDynamicResourceUnmap) \
  X(pfnGsSetConstantBuffers) \
  X(pfnGsSetShader) \
  X(pfnIaSetTopology) \
  X(pfnStagingResourceMap) \
  X(pfnStagingResourceUnmap) \
  X(pfnVsSetShaderResources) \
  X(pfnVsSetSamplers) \
  X(pfnGsSetShaderResources) \
  X(pfnGsSetSamplers) \
  X(pfnSetRenderTargets) \
  X(pfnShaderResourceViewReadAfterWriteHazard) \
  X(pfnResourceReadAfterWriteHazard) \
  X(pfnSetBlendState) \
  X(pfnSetDepthStencilState) \
  X(pfnSetRasterizerState) \
  X(pfnQueryEnd) \
  X(pfnQueryBegin) \
  X(pfnResourceCopyRegion) \
  X(pfnResourceUpdateSubresourceUP) \
  X(pfnSoSetTargets) \
  X(pfnDrawAuto) \
  X(pfnSetViewports) \
  X(pfnSetScissorRects) \
  X(pfnClearRenderTargetView) \
  X(pfnClearDepthStencilView) \
  X(pfnSetPredication) \
  X(pfnQueryGetData) \
  X(pfnFlush) \
  X(pfnGenMips) \
  X(pfnResourceCopy) \
  X(pfnResourceResolveSubresource) \
  X(pfnResourceMap) \
  X(pfnResourceUnmap) \
  X(pfnResourceIsStagingBusy) \
  X(pfnRelocateDeviceFuncs) \
  X(pfnCalcPrivateResourceSize) \
  X(pfnCalcPrivateOpenedResourceSize) \
  X(pfnCreateResource) \
  X(pfnOpenResource) \
  X(pfnDestroyResource) \
  X(pfnCalcPrivateShaderResourceViewSize) \
  X(pfnCreateShaderResourceView) \
  X(pfnDestroyShaderResourceView) \
  X(pfnCalcPrivateRenderTargetViewSize) \
  X(pfnCreateRenderTargetView) \
  X(pfnDestroyRenderTargetView) \
  X(pfnCalcPrivateDepthStencilViewSize) \
  X(pfnCreateDepthStencilView) \
  X(pfnDestroyDepthStencilView) \
  X(pfnCalcPrivateElementLayoutSize) \
  X(pfnCreateElementLayout) \
  X(pfnDestroyElementLayout) \
  X(pfnCalcPrivateBlendStateSize) \
  X(pfnCreateBlendState) \
  X(pfnDestroyBlendState) \
  X(pfnCalcPrivateDepthStencilStateSize) \
  X(pfnCreateDepthStencilState) \
  X(pfnDestroyDepthStencilState) \
  X(pfnCalcPrivateRasterizerStateSize) \
  X(pfnCreateRasterizerState) \
  X(pfnDestroyRasterizerState) \
  X(pfnCalcPrivateShaderSize) \
  X(pfnCreateVertexShader) \
  X(pfnCreateGeometryShader) \
  X(pfnCreatePixelShader) \
  X(pfnCalcPrivateGeometryShaderWithStreamOutput) \
  X(pfnCreateGeometryShaderWithStreamOutput) \
  X(pfnDestroyShader) \
  X(pfnCalcPrivateSamplerSize) \
  X(pfnCreateSampler) \
  X(pfnDestroySampler) \
  X(pfnCalcPrivateQuerySize) \
  X(pfnCreateQuery) \
  X(pfnDestroyQuery) \
  X(pfnCheckFormatSupport) \
  X(pfnCheckMultisampleQualityLevels) \
  X(pfnCheckCounterInfo) \
  X(pfnCheckCounter) \
  X(pfnDestroyDevice) \
  X(pfnSetTextFilterSize)

// Since 10.1.
#define AEROGPU_FUNCTIONS_OF_10_1(X) \
  X(pfnResourceConvert) \
  X(pfnResourceConvertRegion)

// Since 11, without those of command lists.
#define AEROGPU_FUNCTIONS_OF_11(X) \
  X(pfnDrawIndexedInstancedIndirect) \
  X(pfnDrawInstancedIndirect) \
  X(pfnHsSetShaderResources) \
  X(pfnHsSetShader) \
  X(pfnHsSetSamplers) \
  X(pfnHsSetConstantBuffers) \
  X(pfnDsSetShaderResources) \
  X(pfnDsSetShader) \
  X(pfnDsSetSamplers) \
  X(pfnDsSetConstantBuffers) \
  X(pfnCreateHullShader) \
  X(pfnCreateDomainShader) \
  X(pfnCalcPrivateTessellationShaderSize) \
  X(pfnPsSetShaderWithIfaces) \
  X(pfnVsSetShaderWithIfaces) \
  X(pfnGsSetShaderWithIfaces) \
  X(pfnHsSetShaderWithIfaces) \
  X(pfnDsSetShaderWithIfaces) \
  X(pfnCsSetShaderWithIfaces) \
  X(pfnCreateComputeShader) \
  X(pfnCsSetShader) \
  X(pfnCsSetShaderResources) \
  X(pfnCsSetSamplers) \
  X(pfnCsSetConstantBuffers) \
  X(pfnCalcPrivateUnorderedAccessViewSize) \
  X(pfnCreateUnorderedAccessView) \
  X(pfnDestroyUnorderedAccessView) \
  X(pfnClearUnorderedAccessViewUint) \
  X(pfnClearUnorderedAccessViewFloat) \
  X(pfnCsSetUnorderedAccessViews) \
  X(pfnDispatch) \
  X(pfnDispatchIndirect) \
  X(pfnSetResourceMinLOD) \
  X(pfnCopyStructureCount)

// Of 11; may be null.
#define AEROGPU_FUNCTIONS_OF_COMMAND_LISTS(X) \
  X(pfnCommandListExecute) \
  X(pfnCheckDeferredContextHandleSizes) \
  X(pfnCalcDeferredContextHandleSize) \
  X(pfnCalcPrivateDeferredContextSize) \
  X(pfnCreateDeferredContext) \
  X(pfnAbandonCommandList) \
  X(pfnCalcPrivateCommandListSize) \
  X(pfnCreateCommandList) \
  X(pfnDestroyCommandList) \
  X(pfnRecycleCommandList) \
  X(pfnRecycleCreateCommandList) \
  X(pfnRecycleCreateDeferredContext) \
  X(pfnRecycleDestroyCommandList)

// clang-format on
