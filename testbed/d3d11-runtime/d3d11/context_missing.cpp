// SPDX-License-Identifier: MIT
// What the context does not offer yet: each call is logged once by its name. Unbinding what cannot be bound is no such
// call.
#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {
namespace {

using runtime::notImplemented;

template <class T> bool anyOf(UINT count, T *const *objects) {
  for (UINT i = 0; objects && i < count; ++i)
    if (objects[i]) return true;
  return false;
}

template <class T> void clearAll(UINT count, T **out) {
  for (UINT i = 0; out && i < count; ++i) out[i] = nullptr;
}

}  // namespace

void Context::OMSetRenderTargetsAndUnorderedAccessViews(UINT numRTVs, ID3D11RenderTargetView *const *renderTargetViews,
                                                        ID3D11DepthStencilView *depthStencilView, UINT, UINT numUAVs,
                                                        ID3D11UnorderedAccessView *const *unorderedAccessViews,
                                                        const UINT *) {
  if (numUAVs != D3D11_KEEP_UNORDERED_ACCESS_VIEWS && anyOf(numUAVs, unorderedAccessViews))
    notImplemented("ID3D11DeviceContext::OMSetRenderTargetsAndUnorderedAccessViews");
  if (numRTVs != D3D11_KEEP_RENDER_TARGETS_AND_DEPTH_STENCIL)
    OMSetRenderTargets(numRTVs, renderTargetViews, depthStencilView);
}

void Context::DrawIndexedInstancedIndirect(ID3D11Buffer *, UINT) {
  notImplemented("ID3D11DeviceContext::DrawIndexedInstancedIndirect");
}

void Context::DrawInstancedIndirect(ID3D11Buffer *, UINT) {
  notImplemented("ID3D11DeviceContext::DrawInstancedIndirect");
}

void Context::Dispatch(UINT, UINT, UINT) {
  notImplemented("ID3D11DeviceContext::Dispatch");
}

void Context::DispatchIndirect(ID3D11Buffer *, UINT) {
  notImplemented("ID3D11DeviceContext::DispatchIndirect");
}

void Context::CopyStructureCount(ID3D11Buffer *, UINT, ID3D11UnorderedAccessView *) {
  notImplemented("ID3D11DeviceContext::CopyStructureCount");
}

void Context::ClearUnorderedAccessViewUint(ID3D11UnorderedAccessView *, const UINT[4]) {
  notImplemented("ID3D11DeviceContext::ClearUnorderedAccessViewUint");
}

void Context::ClearUnorderedAccessViewFloat(ID3D11UnorderedAccessView *, const FLOAT[4]) {
  notImplemented("ID3D11DeviceContext::ClearUnorderedAccessViewFloat");
}

void Context::SetResourceMinLOD(ID3D11Resource *, FLOAT) {
  notImplemented("ID3D11DeviceContext::SetResourceMinLOD");
}

FLOAT Context::GetResourceMinLOD(ID3D11Resource *) {
  notImplemented("ID3D11DeviceContext::GetResourceMinLOD");
  return 0;
}

void Context::HSSetShaderResources(UINT, UINT numViews, ID3D11ShaderResourceView *const *shaderResourceViews) {
  if (anyOf(numViews, shaderResourceViews)) notImplemented("ID3D11DeviceContext::HSSetShaderResources");
}

void Context::HSSetShader(ID3D11HullShader *hullShader, ID3D11ClassInstance *const *, UINT) {
  if (hullShader) notImplemented("ID3D11DeviceContext::HSSetShader");
}

void Context::HSSetSamplers(UINT, UINT numSamplers, ID3D11SamplerState *const *samplers) {
  if (anyOf(numSamplers, samplers)) notImplemented("ID3D11DeviceContext::HSSetSamplers");
}

void Context::HSSetConstantBuffers(UINT, UINT numBuffers, ID3D11Buffer *const *constantBuffers) {
  if (anyOf(numBuffers, constantBuffers)) notImplemented("ID3D11DeviceContext::HSSetConstantBuffers");
}

void Context::DSSetShaderResources(UINT, UINT numViews, ID3D11ShaderResourceView *const *shaderResourceViews) {
  if (anyOf(numViews, shaderResourceViews)) notImplemented("ID3D11DeviceContext::DSSetShaderResources");
}

void Context::DSSetShader(ID3D11DomainShader *domainShader, ID3D11ClassInstance *const *, UINT) {
  if (domainShader) notImplemented("ID3D11DeviceContext::DSSetShader");
}

void Context::DSSetSamplers(UINT, UINT numSamplers, ID3D11SamplerState *const *samplers) {
  if (anyOf(numSamplers, samplers)) notImplemented("ID3D11DeviceContext::DSSetSamplers");
}

void Context::DSSetConstantBuffers(UINT, UINT numBuffers, ID3D11Buffer *const *constantBuffers) {
  if (anyOf(numBuffers, constantBuffers)) notImplemented("ID3D11DeviceContext::DSSetConstantBuffers");
}

void Context::CSSetShaderResources(UINT, UINT numViews, ID3D11ShaderResourceView *const *shaderResourceViews) {
  if (anyOf(numViews, shaderResourceViews)) notImplemented("ID3D11DeviceContext::CSSetShaderResources");
}

void Context::CSSetUnorderedAccessViews(UINT, UINT numUAVs, ID3D11UnorderedAccessView *const *unorderedAccessViews,
                                        const UINT *) {
  if (anyOf(numUAVs, unorderedAccessViews)) notImplemented("ID3D11DeviceContext::CSSetUnorderedAccessViews");
}

void Context::CSSetShader(ID3D11ComputeShader *computeShader, ID3D11ClassInstance *const *, UINT) {
  if (computeShader) notImplemented("ID3D11DeviceContext::CSSetShader");
}

void Context::CSSetSamplers(UINT, UINT numSamplers, ID3D11SamplerState *const *samplers) {
  if (anyOf(numSamplers, samplers)) notImplemented("ID3D11DeviceContext::CSSetSamplers");
}

void Context::CSSetConstantBuffers(UINT, UINT numBuffers, ID3D11Buffer *const *constantBuffers) {
  if (anyOf(numBuffers, constantBuffers)) notImplemented("ID3D11DeviceContext::CSSetConstantBuffers");
}

void Context::OMGetRenderTargetsAndUnorderedAccessViews(UINT numRTVs, ID3D11RenderTargetView **renderTargetViews,
                                                        ID3D11DepthStencilView **depthStencilView, UINT, UINT numUAVs,
                                                        ID3D11UnorderedAccessView **unorderedAccessViews) {
  OMGetRenderTargets(numRTVs, renderTargetViews, depthStencilView);
  clearAll(numUAVs, unorderedAccessViews);
}

void Context::HSGetShaderResources(UINT, UINT numViews, ID3D11ShaderResourceView **shaderResourceViews) {
  clearAll(numViews, shaderResourceViews);
}

void Context::HSGetShader(ID3D11HullShader **hullShader, ID3D11ClassInstance **, UINT *numClassInstances) {
  if (hullShader) *hullShader = nullptr;
  if (numClassInstances) *numClassInstances = 0;
}

void Context::HSGetSamplers(UINT, UINT numSamplers, ID3D11SamplerState **samplers) {
  clearAll(numSamplers, samplers);
}

void Context::HSGetConstantBuffers(UINT, UINT numBuffers, ID3D11Buffer **constantBuffers) {
  clearAll(numBuffers, constantBuffers);
}

void Context::DSGetShaderResources(UINT, UINT numViews, ID3D11ShaderResourceView **shaderResourceViews) {
  clearAll(numViews, shaderResourceViews);
}

void Context::DSGetShader(ID3D11DomainShader **domainShader, ID3D11ClassInstance **, UINT *numClassInstances) {
  if (domainShader) *domainShader = nullptr;
  if (numClassInstances) *numClassInstances = 0;
}

void Context::DSGetSamplers(UINT, UINT numSamplers, ID3D11SamplerState **samplers) {
  clearAll(numSamplers, samplers);
}

void Context::DSGetConstantBuffers(UINT, UINT numBuffers, ID3D11Buffer **constantBuffers) {
  clearAll(numBuffers, constantBuffers);
}

void Context::CSGetShaderResources(UINT, UINT numViews, ID3D11ShaderResourceView **shaderResourceViews) {
  clearAll(numViews, shaderResourceViews);
}

void Context::CSGetUnorderedAccessViews(UINT, UINT numUAVs, ID3D11UnorderedAccessView **unorderedAccessViews) {
  clearAll(numUAVs, unorderedAccessViews);
}

void Context::CSGetShader(ID3D11ComputeShader **computeShader, ID3D11ClassInstance **, UINT *numClassInstances) {
  if (computeShader) *computeShader = nullptr;
  if (numClassInstances) *numClassInstances = 0;
}

void Context::CSGetSamplers(UINT, UINT numSamplers, ID3D11SamplerState **samplers) {
  clearAll(numSamplers, samplers);
}

void Context::CSGetConstantBuffers(UINT, UINT numBuffers, ID3D11Buffer **constantBuffers) {
  clearAll(numBuffers, constantBuffers);
}

}  // namespace aerogpu::runtime11
