// SPDX-License-Identifier: MIT
// Test support: a Direct3D 9 runtime for the driver, on the tests' kernel.
#pragma once

#include "guest-drivers/umd-common/test/fake_kernel.h"

namespace aero::test {

class FakeRuntime : public FakeCallbacks {
public:
  using FakeCallbacks::FakeCallbacks;
  ~FakeRuntime();

  /** Opens the adapter and makes a device. */
  void open();
  void close();
  D3DDDIARG_OPENADAPTER adapterArgs();

  D3DDDI_DEVICEFUNCS driver = {};
  D3DDDI_ADAPTERFUNCS adapterFunctions = {};
  HANDLE adapter = nullptr, device = nullptr;
  UINT interfaceNumber = 9;  // 8 for Direct3D 8, 7 for older ones and DirectDraw

private:
  D3DDDI_ADAPTERCALLBACKS m_adapterCallbacks = adapterCallbacks();
};

}  // namespace aero::test
