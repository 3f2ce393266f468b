// SPDX-License-Identifier: MIT
// Draws and clears.
#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {

void Context::Draw(UINT count, UINT start) {
  const Lock lock(core().lock);
  if (!isLost()) driver().call<&D3D11DDI_DEVICEFUNCS::pfnDraw>(count, start);
}

void Context::DrawIndexed(UINT count, UINT start, INT base) {
  const Lock lock(core().lock);
  if (!isLost()) driver().call<&D3D11DDI_DEVICEFUNCS::pfnDrawIndexed>(count, start, base);
}

void Context::DrawInstanced(UINT vertices, UINT instances, UINT start, UINT firstInstance) {
  const Lock lock(core().lock);
  if (!isLost()) driver().call<&D3D11DDI_DEVICEFUNCS::pfnDrawInstanced>(vertices, instances, start, firstInstance);
}

void Context::DrawIndexedInstanced(UINT indices, UINT instances, UINT start, INT base, UINT firstInstance) {
  const Lock lock(core().lock);
  if (!isLost())
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnDrawIndexedInstanced>(indices, instances, start, base, firstInstance);
}

void Context::DrawAuto() {
  const Lock lock(core().lock);
  if (!isLost()) driver().call<&D3D11DDI_DEVICEFUNCS::pfnDrawAuto>();
}

void Context::ClearRenderTargetView(ID3D11RenderTargetView *given, const FLOAT color[4]) {
  const Lock lock(core().lock);
  auto *view = static_cast<RenderTargetView *>(given);
  if (!view || isLost()) return;
  Lent<FLOAT> lent(color, 4);
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnClearRenderTargetView>(view->driver().handle(), lent.data());
}

void Context::ClearDepthStencilView(ID3D11DepthStencilView *given, UINT flags, FLOAT depth, UINT8 stencil) {
  const Lock lock(core().lock);
  auto *view = static_cast<DepthStencilView *>(given);
  flags &= D3D11_CLEAR_DEPTH | D3D11_CLEAR_STENCIL;
  if (!view || !flags || isLost()) return;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnClearDepthStencilView>(view->driver().handle(), flags, depth, stencil);
}

void Context::GenerateMips(ID3D11ShaderResourceView *given) {
  const Lock lock(core().lock);
  auto *view = static_cast<ShaderResourceView *>(given);
  if (!view || !(view->resource().description().misc & D3D11_RESOURCE_MISC_GENERATE_MIPS) || isLost()) return;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnGenMips>(view->driver().handle());
}

void Context::Flush() {
  const Lock lock(core().lock);
  if (!isLost()) driver().flush();
}

}  // namespace aerogpu::runtime11
