// SPDX-License-Identifier: MIT
// IDXGIFactory2, IDXGIAdapter1 and IDXGIOutput: one adapter with one output, as the kernel side has them.
#pragma once

#include <memory>

#include "testbed/d3d11-runtime/dxgi/object.h"

namespace aerogpu::runtime11 {

/// The adapter; its driver is opened at the first use.
class Adapter final : public DxgiObject<IDXGIAdapter1, IDXGIAdapter> {
public:
  explicit Adapter(IUnknown *factory);
  /// Returns the driver; null if there is none.
  DriverAdapter *driver();

  HRESULT STDMETHODCALLTYPE EnumOutputs(UINT index, IDXGIOutput **out) override;
  HRESULT STDMETHODCALLTYPE GetDesc(DXGI_ADAPTER_DESC *out) override;
  HRESULT STDMETHODCALLTYPE GetDesc1(DXGI_ADAPTER_DESC1 *out) override;
  HRESULT STDMETHODCALLTYPE CheckInterfaceSupport(REFGUID id, LARGE_INTEGER *version) override;

private:
  std::unique_ptr<DriverAdapter> m_driver;
  bool m_tried = false;
};

/// `isOld`: as CreateDXGIFactory makes it, without IDXGIFactory1.
HRESULT createFactory(REFIID id, bool isOld, void **out);
/// Returns the runtime's adapter behind the API's, or the first one for null, with a reference; null if there is none.
/// Programs may wrap an adapter in an object of their own, as overlays do, which hands private data on.
Adapter *adapterOf(IDXGIAdapter *given);

}  // namespace aerogpu::runtime11
