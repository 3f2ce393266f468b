// SPDX-License-Identifier: MIT
// Draws, clears, and queries.
#include <cstring>

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

void Context::Begin(ID3D11Asynchronous *asynchronous) {
  const Lock lock(core().lock);
  auto *query = static_cast<Query *>(static_cast<ID3D11Query *>(asynchronous));
  if (!query || !query->hasBegin() || isLost()) return;
  // A query that has begun already ends first.
  if (query->stage == Query::Stage::Begun) driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryEnd>(query->driver().handle());
  query->stage = Query::Stage::Begun;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryBegin>(query->driver().handle());
}

void Context::End(ID3D11Asynchronous *asynchronous) {
  const Lock lock(core().lock);
  auto *query = static_cast<Query *>(static_cast<ID3D11Query *>(asynchronous));
  if (!query || isLost()) return;
  // What never began begins now, so that a driver sees pairs.
  if (query->hasBegin() && query->stage != Query::Stage::Begun)
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryBegin>(query->driver().handle());
  query->stage = Query::Stage::Ended;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryEnd>(query->driver().handle());
}

HRESULT Context::GetData(ID3D11Asynchronous *asynchronous, void *data, UINT size, UINT flags) {
  const Lock lock(core().lock);
  auto *query = static_cast<Query *>(static_cast<ID3D11Query *>(asynchronous));
  if (!query || (flags & ~UINT{D3D11_ASYNC_GETDATA_DONOTFLUSH})) return E_INVALIDARG;
  if ((data || size) && (!data || size != query->GetDataSize())) return E_INVALIDARG;
  if (query->stage != Query::Stage::Ended) return DXGI_ERROR_INVALID_CALL;
  if (isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  // The driver writes into marked memory: nothing while the result is not there, and not too much.
  constexpr BYTE kMark = 0xA5;
  BYTE room[32];
  std::memset(room, kMark, sizeof room);
  const UINT ddi = flags & D3D11_ASYNC_GETDATA_DONOTFLUSH ? UINT{D3D10_DDI_GET_DATA_DO_NOT_FLUSH} : 0;
  const HRESULT result = driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryGetData, Errors::GetData>(
      query->driver().handle(), data ? static_cast<void *>(room) : nullptr, size, ddi);
  const UINT written = FAILED(result) ? 0 : size;
  for (UINT i = written; i < sizeof room; ++i)
    if (room[i] != kMark) {
      runtime::brokenRule("QueryGetData wrote byte %u, and its result has %u", i, written);
      break;
    }
  if (result == DXGI_DDI_ERR_WASSTILLDRAWING) return S_FALSE;
  if (FAILED(result)) return isLost() ? DXGI_ERROR_DEVICE_REMOVED : result;
  if (data) std::memcpy(data, room, size);
  if (data && !query->hasBegin()) {
    BOOL value = FALSE;
    std::memcpy(&value, data, sizeof value);
    if (value != TRUE) runtime::brokenRule("QueryGetData of an event that is done gave %d", value);
  }
  return S_OK;
}

void Context::Flush() {
  const Lock lock(core().lock);
  if (!isLost()) driver().call<&D3D11DDI_DEVICEFUNCS::pfnFlush>();
}

}  // namespace aerogpu::runtime11
