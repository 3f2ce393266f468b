// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/query.h"

#include <algorithm>
#include <cstring>

#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
namespace {

/// Returns the bytes of the result; 0: a type that is not for programs, or not offered.
DWORD dataSize(D3DQUERYTYPE type) {
  switch (type) {
  case D3DQUERYTYPE_VCACHE:
    return sizeof(D3DDEVINFO_VCACHE);
  case D3DQUERYTYPE_EVENT:
    return sizeof(BOOL);
  case D3DQUERYTYPE_OCCLUSION:
    return sizeof(DWORD);
  case D3DQUERYTYPE_TIMESTAMP:
    return sizeof(UINT64);
  case D3DQUERYTYPE_TIMESTAMPDISJOINT:
    return sizeof(BOOL);
  case D3DQUERYTYPE_TIMESTAMPFREQ:
    return sizeof(UINT64);
  default:
    return 0;
  }
}

bool hasBegin(D3DQUERYTYPE type) {
  return type == D3DQUERYTYPE_OCCLUSION || type == D3DQUERYTYPE_TIMESTAMPDISJOINT;
}

}  // namespace

HRESULT Query::check(const DriverAdapter &adapter, D3DQUERYTYPE type) {
  return dataSize(type) && adapter.hasQuery(static_cast<D3DDDIQUERYTYPE>(type)) ? D3D_OK : D3DERR_NOTAVAILABLE;
}

HRESULT Query::create() {
  D3DDDIARG_CREATEQUERY argument{};
  argument.QueryType = static_cast<D3DDDIQUERYTYPE>(m_type);
  const HRESULT result = device().driver().call<&D3DDDI_DEVICEFUNCS::pfnCreateQuery>(&argument);
  if (SUCCEEDED(result)) m_handle = argument.hQuery;
  return result;
}

Query::~Query() {
  if (m_handle) device().driver().call<&D3DDDI_DEVICEFUNCS::pfnDestroyQuery>(m_handle);
}

DWORD Query::GetDataSize() {
  return dataSize(m_type);
}

HRESULT Query::Issue(DWORD flags) {
  if (flags != D3DISSUE_BEGIN && flags != D3DISSUE_END) return D3DERR_INVALIDCALL;
  // For a timestamp it is accepted without effect.
  if (flags == D3DISSUE_BEGIN && m_type == D3DQUERYTYPE_TIMESTAMP) return D3D_OK;
  if (flags == D3DISSUE_BEGIN && !hasBegin(m_type)) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  const auto issue = [&](bool begin) {
    D3DDDIARG_ISSUEQUERY argument{};
    argument.hQuery = m_handle;
    argument.Flags.Begin = begin;
    argument.Flags.End = !begin;
    return device().driver().call<&D3DDDI_DEVICEFUNCS::pfnIssueQuery>(&argument);
  };
  HRESULT result = D3D_OK;
  if (flags == D3DISSUE_BEGIN) {
    result = issue(true);
    m_state = State::Building;
  } else {
    // An end without a begin counts from the begin that it implies.
    if (hasBegin(m_type) && m_state != State::Building) result = issue(true);
    if (SUCCEEDED(result)) result = issue(false);
    m_state = State::Issued;
  }
  m_everIssued = true;
  return result;
}

HRESULT Query::GetData(void *out, DWORD size, DWORD flags) {
  if ((!out && size) || (flags & ~D3DGETDATA_FLUSH)) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  if (m_state == State::Building) return S_FALSE;
  if (!m_everIssued && m_type != D3DQUERYTYPE_EVENT) {
    // The query was not issued: Windows' runtime returns a pattern instead of an answer.
    constexpr int kNothing = 0xDD;
    if (out) std::memset(out, kNothing, std::min(size, dataSize(m_type)));
    return S_OK;
  }
  if (m_state == State::Issued) {
    DriverDevice &driver = device().driver();
    if (driver.isRemoved()) return D3DERR_DEVICELOST;
    BYTE data[16]{};
    D3DDDIARG_GETQUERYDATA argument{};
    argument.hQuery = m_handle;
    argument.pData = data;
    HRESULT result = driver.call<&D3DDDI_DEVICEFUNCS::pfnGetQueryData, Results::QueryData>(&argument);
    if (result == S_FALSE && (flags & D3DGETDATA_FLUSH)) {
      driver.call<&D3DDDI_DEVICEFUNCS::pfnFlush>();
      result = driver.call<&D3DDDI_DEVICEFUNCS::pfnGetQueryData, Results::QueryData>(&argument);
    }
    if (result != S_OK) return result == S_FALSE ? S_FALSE : D3DERR_DEVICELOST;
    if (m_type == D3DQUERYTYPE_EVENT && !*reinterpret_cast<BOOL *>(data))
      brokenRule("GetQueryData of an event gave S_OK and FALSE");
    std::memcpy(m_data, data, sizeof m_data);
    m_state = State::Signaled;
  } else if (!m_everIssued) {
    const BOOL done = TRUE;
    std::memcpy(m_data, &done, sizeof done);
  }
  // A program with room for a 64-bit count gets it, with the upper half zero.
  const DWORD known = m_type == D3DQUERYTYPE_OCCLUSION ? sizeof(uint64_t) : dataSize(m_type);
  if (out) std::memcpy(out, m_data, std::min(size, known));
  return S_OK;
}

}  // namespace aerogpu::runtime
