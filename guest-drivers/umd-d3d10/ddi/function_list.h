// SPDX-License-Identifier: MIT
// function_list.h: the functions of D3D11DDI_DEVICEFUNCS in order, the first version whose table has each, how each is
// answered, and which errors it may report. docs/d3d11/driver.md has the same list; a test compares them.
#pragma once

#include <stdint.h>

namespace aero {

enum class Answer : uint8_t {
  Done,     // works, as far as that page says
  Size,     // the bytes of the driver's object
  Nothing,  // nothing is to be done
  Refused,  // the allowed error, and a line in the log: not written yet, or beyond what the caps offer
  Null,     // no function
};

/** Which errors a function may report (page "Handling Errors"). Any other makes the runtime give up the device. */
enum class Category : uint8_t {
  Free,          // none; called at any time by any thread
  Check,         // none
  Removed,       // D3DDDIERR_DEVICEREMOVED, as all that follow
  Memory,        // E_OUTOFMEMORY
  Primary,       // E_OUTOFMEMORY, and DXGI_DDI_ERR_UNSUPPORTED of a primary that cannot be scanned out
  Map,           // DXGI_DDI_ERR_WASSTILLDRAWING, if the caller does not want to wait
  Data,          // DXGI_DDI_ERR_WASSTILLDRAWING
  CheckCounter,  // DXGI_DDI_ERR_UNSUPPORTED, E_INVALIDARG
};

// clang-format off
// X(name without pfn, first version, answer, category)
#define AERO_DEVICE_FUNCTIONS(X)                                                                        \
  X(DefaultConstantBufferUpdateSubresourceUP, D3D10, Done, Removed)                                     \
  X(VsSetConstantBuffers, D3D10, Done, Removed)                                                         \
  X(PsSetShaderResources, D3D10, Done, Removed)                                                         \
  X(PsSetShader, D3D10, Done, Removed)                                                                  \
  X(PsSetSamplers, D3D10, Done, Removed)                                                                \
  X(VsSetShader, D3D10, Done, Removed)                                                                  \
  X(DrawIndexed, D3D10, Done, Removed)                                                                  \
  X(Draw, D3D10, Done, Removed)                                                                         \
  X(DynamicIABufferMapNoOverwrite, D3D10, Done, Map)                                                    \
  X(DynamicIABufferUnmap, D3D10, Done, Removed)                                                         \
  X(DynamicConstantBufferMapDiscard, D3D10, Done, Map)                                                  \
  X(DynamicIABufferMapDiscard, D3D10, Done, Map)                                                        \
  X(DynamicConstantBufferUnmap, D3D10, Done, Removed)                                                   \
  X(PsSetConstantBuffers, D3D10, Done, Removed)                                                         \
  X(IaSetInputLayout, D3D10, Done, Removed)                                                             \
  X(IaSetVertexBuffers, D3D10, Done, Removed)                                                           \
  X(IaSetIndexBuffer, D3D10, Done, Removed)                                                             \
  X(DrawIndexedInstanced, D3D10, Done, Removed)                                                         \
  X(DrawInstanced, D3D10, Done, Removed)                                                                \
  X(DynamicResourceMapDiscard, D3D10, Done, Map)                                                        \
  X(DynamicResourceUnmap, D3D10, Done, Removed)                                                         \
  X(GsSetConstantBuffers, D3D10, Done, Removed) \
  X(GsSetShader, D3D10, Done, Removed) \
  X(IaSetTopology, D3D10, Done, Removed)                                                                \
  X(StagingResourceMap, D3D10, Done, Map)                                                               \
  X(StagingResourceUnmap, D3D10, Done, Removed)                                                         \
  X(VsSetShaderResources, D3D10, Done, Removed)                                                         \
  X(VsSetSamplers, D3D10, Done, Removed)                                                                \
  X(GsSetShaderResources, D3D10, Done, Removed) \
  X(GsSetSamplers, D3D10, Done, Removed) \
  X(SetRenderTargets, D3D10, Done, Removed)                                                             \
  X(ShaderResourceViewReadAfterWriteHazard, D3D10, Nothing, Removed)  /* packets run in order */        \
  X(ResourceReadAfterWriteHazard, D3D10, Nothing, Removed)  /* packets run in order */                  \
  X(SetBlendState, D3D10, Done, Removed)                                                                \
  X(SetDepthStencilState, D3D10, Done, Removed)                                                         \
  X(SetRasterizerState, D3D10, Done, Removed)                                                           \
  X(QueryEnd, D3D10, Done, Removed)                                                                     \
  X(QueryBegin, D3D10, Done, Removed)                                                                   \
  X(ResourceCopyRegion, D3D10, Done, Removed)                                                           \
  X(ResourceUpdateSubresourceUP, D3D10, Done, Removed)                                                  \
  X(SoSetTargets, D3D10, Done, Removed)                                                                 \
  X(DrawAuto, D3D10, Done, Removed)                                                                     \
  X(SetViewports, D3D10, Done, Removed)                                                                 \
  X(SetScissorRects, D3D10, Done, Removed)                                                              \
  X(ClearRenderTargetView, D3D10, Done, Removed)                                                        \
  X(ClearDepthStencilView, D3D10, Done, Removed)                                                        \
  X(SetPredication, D3D10, Done, Removed)  /* refuses queries that are no hints */                      \
  X(QueryGetData, D3D10, Done, Data)                                                                    \
  X(Flush, D3D10, Done, Removed)                                                                        \
  X(GenMips, D3D10, Done, Removed)                                                                      \
  X(ResourceCopy, D3D10, Done, Removed)                                                                 \
  X(ResourceResolveSubresource, D3D10, Done, Removed)                                                   \
  X(ResourceMap, D3D10, Done, Map)                                                                      \
  X(ResourceUnmap, D3D10, Done, Removed)                                                                \
  X(ResourceIsStagingBusy, D3D10, Done, Check)                                                          \
  X(RelocateDeviceFuncs, D3D10, Done, Removed)                                                          \
  X(CalcPrivateResourceSize, D3D10, Size, Free)                                                         \
  X(CalcPrivateOpenedResourceSize, D3D10, Size, Free)                                                   \
  X(CreateResource, D3D10, Done, Primary)                                                               \
  X(OpenResource, D3D10, Done, Memory)                                                                  \
  X(DestroyResource, D3D10, Done, Removed)                                                              \
  X(CalcPrivateShaderResourceViewSize, D3D10, Size, Free)                                               \
  X(CreateShaderResourceView, D3D10, Done, Memory)                                                      \
  X(DestroyShaderResourceView, D3D10, Done, Removed)                                                    \
  X(CalcPrivateRenderTargetViewSize, D3D10, Size, Free)                                                 \
  X(CreateRenderTargetView, D3D10, Done, Memory)                                                        \
  X(DestroyRenderTargetView, D3D10, Done, Removed)                                                      \
  X(CalcPrivateDepthStencilViewSize, D3D10, Size, Free)                                                 \
  X(CreateDepthStencilView, D3D10, Done, Memory)                                                        \
  X(DestroyDepthStencilView, D3D10, Done, Removed)                                                      \
  X(CalcPrivateElementLayoutSize, D3D10, Size, Free)                                                    \
  X(CreateElementLayout, D3D10, Done, Memory)                                                           \
  X(DestroyElementLayout, D3D10, Done, Removed)                                                         \
  X(CalcPrivateBlendStateSize, D3D10, Size, Free)                                                       \
  X(CreateBlendState, D3D10, Done, Memory)                                                              \
  X(DestroyBlendState, D3D10, Nothing, Removed)  /* the device has no such object */                    \
  X(CalcPrivateDepthStencilStateSize, D3D10, Size, Free)                                                \
  X(CreateDepthStencilState, D3D10, Done, Memory)                                                       \
  X(DestroyDepthStencilState, D3D10, Nothing, Removed)  /* the device has no such object */             \
  X(CalcPrivateRasterizerStateSize, D3D10, Size, Free)                                                  \
  X(CreateRasterizerState, D3D10, Done, Memory)                                                         \
  X(DestroyRasterizerState, D3D10, Nothing, Removed)  /* the device has no such object */               \
  X(CalcPrivateShaderSize, D3D10, Size, Free)                                                           \
  X(CreateVertexShader, D3D10, Done, Memory)                                                            \
  X(CreateGeometryShader, D3D10, Done, Memory)                                                       \
  X(CreatePixelShader, D3D10, Done, Memory)                                                             \
  X(CalcPrivateGeometryShaderWithStreamOutput, D3D10, Size, Free)                                       \
  X(CreateGeometryShaderWithStreamOutput, D3D10, Done, Memory)                                          \
  X(DestroyShader, D3D10, Done, Removed)                                                                \
  X(CalcPrivateSamplerSize, D3D10, Size, Free)                                                          \
  X(CreateSampler, D3D10, Done, Memory)                                                                 \
  X(DestroySampler, D3D10, Nothing, Removed)  /* the device has no such object */                       \
  X(CalcPrivateQuerySize, D3D10, Size, Free)                                                            \
  X(CreateQuery, D3D10, Done, Memory)                                                                   \
  X(DestroyQuery, D3D10, Done, Removed)                                                                 \
  X(CheckFormatSupport, D3D10, Done, Check)                                                             \
  X(CheckMultisampleQualityLevels, D3D10, Done, Check)                                                  \
  X(CheckCounterInfo, D3D10, Done, Check)                                                               \
  X(CheckCounter, D3D10, Done, CheckCounter)                                                            \
  X(DestroyDevice, D3D10, Done, Removed)                                                                \
  X(SetTextFilterSize, D3D10, Nothing, Removed)  /* Windows 7's API cannot reach it */                  \
  X(ResourceConvert, D3D10_1, Done, Removed)  /* within a family of formats */                          \
  X(ResourceConvertRegion, D3D10_1, Done, Removed)  /* within a family of formats */                    \
  X(DrawIndexedInstancedIndirect, D3D11, Refused, Removed)                                              \
  X(DrawInstancedIndirect, D3D11, Refused, Removed)                                                     \
  X(CommandListExecute, D3D11, Null, Removed)  /* for command lists, which no caps claim */             \
  X(HsSetShaderResources, D3D11, Nothing, Removed)  /* no hull shader can be made */                    \
  X(HsSetShader, D3D11, Nothing, Removed)  /* no hull shader can be made */                             \
  X(HsSetSamplers, D3D11, Nothing, Removed)  /* no hull shader can be made */                           \
  X(HsSetConstantBuffers, D3D11, Nothing, Removed)  /* no hull shader can be made */                    \
  X(DsSetShaderResources, D3D11, Nothing, Removed)  /* no domain shader can be made */                  \
  X(DsSetShader, D3D11, Nothing, Removed)  /* no domain shader can be made */                           \
  X(DsSetSamplers, D3D11, Nothing, Removed)  /* no domain shader can be made */                         \
  X(DsSetConstantBuffers, D3D11, Nothing, Removed)  /* no domain shader can be made */                  \
  X(CreateHullShader, D3D11, Refused, Memory)                                                           \
  X(CreateDomainShader, D3D11, Refused, Memory)                                                         \
  X(CheckDeferredContextHandleSizes, D3D11, Null, Check)  /* for command lists, which no caps claim */  \
  X(CalcDeferredContextHandleSize, D3D11, Null, Free)  /* for command lists, which no caps claim */     \
  X(CalcPrivateDeferredContextSize, D3D11, Null, Free)  /* for command lists, which no caps claim */    \
  X(CreateDeferredContext, D3D11, Null, Memory)  /* for command lists, which no caps claim */           \
  X(AbandonCommandList, D3D11, Null, Removed)  /* for command lists, which no caps claim */             \
  X(CalcPrivateCommandListSize, D3D11, Null, Free)  /* for command lists, which no caps claim */        \
  X(CreateCommandList, D3D11, Null, Memory)  /* for command lists, which no caps claim */               \
  X(DestroyCommandList, D3D11, Null, Removed)  /* for command lists, which no caps claim */             \
  X(CalcPrivateTessellationShaderSize, D3D11, Size, Free)                                               \
  X(PsSetShaderWithIfaces, D3D11, Refused, Memory)                                                      \
  X(VsSetShaderWithIfaces, D3D11, Refused, Memory)                                                      \
  X(GsSetShaderWithIfaces, D3D11, Refused, Memory)                                                      \
  X(HsSetShaderWithIfaces, D3D11, Refused, Memory)                                                      \
  X(DsSetShaderWithIfaces, D3D11, Refused, Memory)                                                      \
  X(CsSetShaderWithIfaces, D3D11, Refused, Memory)                                                      \
  X(CreateComputeShader, D3D11, Refused, Memory)                                                        \
  X(CsSetShader, D3D11, Nothing, Removed)  /* no compute shader can be made */                          \
  X(CsSetShaderResources, D3D11, Nothing, Removed)  /* no compute shader can be made */                 \
  X(CsSetSamplers, D3D11, Nothing, Removed)  /* no compute shader can be made */                        \
  X(CsSetConstantBuffers, D3D11, Nothing, Removed)  /* no compute shader can be made */                 \
  X(CalcPrivateUnorderedAccessViewSize, D3D11, Size, Free)                                              \
  X(CreateUnorderedAccessView, D3D11, Refused, Memory)                                                  \
  X(DestroyUnorderedAccessView, D3D11, Refused, Removed)                                                \
  X(ClearUnorderedAccessViewUint, D3D11, Refused, Removed)                                              \
  X(ClearUnorderedAccessViewFloat, D3D11, Refused, Removed)                                             \
  X(CsSetUnorderedAccessViews, D3D11, Nothing, Removed)  /* no such view can be made */                 \
  X(Dispatch, D3D11, Refused, Removed)                                                                  \
  X(DispatchIndirect, D3D11, Refused, Removed)                                                          \
  X(SetResourceMinLOD, D3D11, Refused, Removed)                                                         \
  X(CopyStructureCount, D3D11, Refused, Removed)                                                        \
  X(RecycleCommandList, D3D11, Null, Removed)  /* for command lists, which no caps claim */             \
  X(RecycleCreateCommandList, D3D11, Null, Memory)  /* for command lists, which no caps claim */        \
  X(RecycleCreateDeferredContext, D3D11, Null, Memory)  /* for command lists, which no caps claim */    \
  X(RecycleDestroyCommandList, D3D11, Null, Removed)  /* for command lists, which no caps claim */
// clang-format on

}  // namespace aero
