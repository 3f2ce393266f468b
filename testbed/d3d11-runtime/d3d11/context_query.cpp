// SPDX-License-Identifier: MIT
// Queries and predication.
#include <cstring>

#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {
namespace {

Query *queryOf(ID3D11Asynchronous *asynchronous) {
  return static_cast<Query *>(static_cast<ID3D11Predicate *>(static_cast<ID3D11Query *>(asynchronous)));
}

}  // namespace

void Context::Begin(ID3D11Asynchronous *asynchronous) {
  const Lock lock(core().lock);
  auto *query = queryOf(asynchronous);
  if (!query || !query->hasBegin() || isLost()) return;
  // A query that has begun already ends first.
  if (query->stage == Query::Stage::Begun) driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryEnd>(query->driver().handle());
  query->stage = Query::Stage::Begun;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryBegin>(query->driver().handle());
}

void Context::End(ID3D11Asynchronous *asynchronous) {
  const Lock lock(core().lock);
  auto *query = queryOf(asynchronous);
  if (!query || isLost()) return;
  // What never began begins now, so that a driver sees pairs.
  if (query->hasBegin() && query->stage != Query::Stage::Begun)
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryBegin>(query->driver().handle());
  query->stage = Query::Stage::Ended;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnQueryEnd>(query->driver().handle());
}

HRESULT Context::GetData(ID3D11Asynchronous *asynchronous, void *data, UINT size, UINT flags) {
  const Lock lock(core().lock);
  auto *query = queryOf(asynchronous);
  if (!query || (flags & ~UINT{D3D11_ASYNC_GETDATA_DONOTFLUSH})) return E_INVALIDARG;
  if (size && (!data || size != query->GetDataSize())) return E_INVALIDARG;
  if (!size) data = nullptr;
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
  if (data && query->isEvent()) {
    BOOL value = FALSE;
    std::memcpy(&value, data, sizeof value);
    if (value != TRUE) runtime::brokenRule("QueryGetData of an event that is done gave %d", value);
  }
  return S_OK;
}

void Context::SetPredication(ID3D11Predicate *predicate, WINBOOL value) {
  const Lock lock(core().lock);
  const Ref<Query> old = m_predicate;
  m_predicate = static_cast<Query *>(predicate);
  m_predicateValue = predicate && value ? TRUE : FALSE;
  if (isLost()) return;
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetPredication>(
      m_predicate ? m_predicate->driver().handle() : D3D10DDI_HQUERY{}, m_predicateValue);
}

void Context::GetPredication(ID3D11Predicate **predicate, WINBOOL *value) {
  const Lock lock(core().lock);
  if (value) *value = m_predicateValue;
  if (!predicate) return;
  *predicate = m_predicate.get();
  if (*predicate) (*predicate)->AddRef();
}

}  // namespace aerogpu::runtime11
