// SPDX-License-Identifier: MIT
// IDirect3DQuery9. Page pfnd3dddi_issuequery: the driver's Begin and End are other bits than the API's.
#pragma once

#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"

namespace aerogpu::runtime {

class Query final : public Child<IDirect3DQuery9> {
public:
  Query(Device &device, D3DQUERYTYPE type) : Child(device), m_type(type) {}
  ~Query() override;
  /// Returns D3DERR_NOTAVAILABLE for types that the driver does not list. Under the device's lock.
  static HRESULT check(const DriverAdapter &adapter, D3DQUERYTYPE type);
  HRESULT create();

  D3DQUERYTYPE STDMETHODCALLTYPE GetType() override { return m_type; }
  DWORD STDMETHODCALLTYPE GetDataSize() override;
  HRESULT STDMETHODCALLTYPE Issue(DWORD flags) override;
  HRESULT STDMETHODCALLTYPE GetData(void *out, DWORD size, DWORD flags) override;

private:
  enum class State { Signaled, Building, Issued };

  D3DQUERYTYPE m_type;
  HANDLE m_handle = nullptr;
  State m_state = State::Signaled;
  bool m_everIssued = false;
  BYTE m_data[16]{};  ///< the last result
};

}  // namespace aerogpu::runtime
