// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/test/fake_runtime.h"

#include "guest-drivers/umd-d3d9/ddi/entry_points.h"

namespace aero::test {

FakeRuntime::~FakeRuntime() {
  if (device) close();
}

D3DDDIARG_OPENADAPTER FakeRuntime::adapterArgs() {
  D3DDDIARG_OPENADAPTER args = {};
  args.hAdapter = handle();
  args.Interface = interfaceNumber;
  args.Version = D3D_UMD_INTERFACE_VERSION_WIN7;
  args.pAdapterCallbacks = &m_adapterCallbacks;
  args.pAdapterFuncs = &adapterFunctions;
  return args;
}

void FakeRuntime::open() {
  D3DDDIARG_OPENADAPTER args = adapterArgs();
  ASSERT_EQ(OpenAdapter(&args), 0);
  adapter = args.hAdapter;
  D3DDDIARG_CREATEDEVICE create = {};
  const D3DDDI_DEVICECALLBACKS table = callbacks();
  create.hDevice = handle();
  create.Interface = interfaceNumber;
  create.Version = D3D_UMD_INTERFACE_VERSION_WIN7;
  create.pCallbacks = &table;
  create.pDeviceFuncs = &driver;
  ASSERT_EQ(adapterFunctions.pfnCreateDevice(adapter, &create), 0);
  device = create.hDevice;
}

void FakeRuntime::close() {
  EXPECT_EQ(driver.pfnDestroyDevice(device), 0);
  EXPECT_EQ(adapterFunctions.pfnCloseAdapter(adapter), 0);
  device = adapter = nullptr;
  EXPECT_EQ(m_context, 0u) << "DestroyContextCb was not called";
}

}  // namespace aero::test
