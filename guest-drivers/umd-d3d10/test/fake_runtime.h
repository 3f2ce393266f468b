// SPDX-License-Identifier: MIT
// Test support: a runtime of Direct3D 10, 10.1 or 11 for the driver, on the tests' kernel. It is hostile where the
// pages allow it: memory for the driver's objects is poisoned before they are made and after they are destroyed; tables
// end at memory that faults; callback tables have other entries in each call; the table of functions moves; an error
// that the function may not report fails the test.
#pragma once

#include <string_view>

#include "guest-drivers/umd-common/test/fake_kernel.h"
#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero::test {

/** Memory that ends where a page begins that nobody may touch. */
class Guarded {
public:
  explicit Guarded(size_t bytes, uint8_t fill = 0xA5);
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  ~Guarded();
  template <class T> T *as() const { return reinterpret_cast<T *>(m_end - m_bytes); }
  size_t bytes() const { return m_bytes; }

private:
  size_t m_bytes, m_mapped;
  uint8_t *m_map, *m_end;
};

class FakeRuntime : public FakeCallbacks {
public:
  FakeRuntime(FakeKernel &kernel, UINT interfaceNumber);
  ~FakeRuntime();

  /** Opens the adapter and makes a device. */
  void open();
  void close();
  HRESULT openAdapter();
  HRESULT createDevice();
  D3D10DDIARG_OPENADAPTER adapterArgs();

  bool is10() const { return interfaceNumber == D3D10_0_DDI_INTERFACE_VERSION || interfaceNumber == 0xA0006; }
  bool is11() const { return interfaceNumber == D3D11_0_DDI_INTERFACE_VERSION; }

  /** Calls a function of the device's table: `name` without pfn says which errors it may report. */
  template <class Function, class... Arguments> auto call(const char *name, Function function, Arguments... arguments) {
    begin(name);
    if constexpr (std::is_void_v<decltype(function(device, arguments...))>) {
      function(device, arguments...);
      end();
      return error;
    } else {
      const auto result = function(device, arguments...);
      end();
      return result;
    }
  }
  /** Calls a function that any thread may call, in another one. */
  template <class Function, class... Arguments> SIZE_T size(Function function, Arguments... arguments) {
    SIZE_T bytes = 0;
    inThread([&] { bytes = function(device, arguments...); });
    EXPECT_GT(bytes, 0u);
    return bytes;
  }
  template <class Argument> HRESULT dxgi(HRESULT(APIENTRY *function)(Argument *), Argument &args) {
    begin("DXGI");
    args.hDevice = reinterpret_cast<UINT_PTR>(device.pDrvPrivate);
    const HRESULT result = function(&args);
    end();
    return result;
  }

  // Tables that the driver has filled. The first 101 functions are of one name in all versions.
  D3D10DDI_DEVICEFUNCS &functions10() { return *m_table->as<D3D10DDI_DEVICEFUNCS>(); }
  D3D10_1DDI_DEVICEFUNCS &functions101() { return *m_table->as<D3D10_1DDI_DEVICEFUNCS>(); }
  D3D11DDI_DEVICEFUNCS &functions11() { return *m_table->as<D3D11DDI_DEVICEFUNCS>(); }
  DXGI1_1_DDI_BASE_FUNCTIONS &dxgiFunctions() { return *m_dxgi->as<DXGI1_1_DDI_BASE_FUNCTIONS>(); }
  D3D10_2DDI_ADAPTERFUNCS &adapterFunctions() { return *m_adapterTable->as<D3D10_2DDI_ADAPTERFUNCS>(); }

  const UINT interfaceNumber;
  bool byOldExport = false;  // OpenAdapter10
  UINT version = 7601;       // of the runtime; its low half
  D3D10DDI_HADAPTER adapter = {};
  D3D10DDI_HDEVICE device = {};
  HRESULT error = 0;  // what the last call reported; 0: nothing
  int amortized = 0;  // calls of pfnPerformAmortizedProcessingCb
  std::vector<DXGIDDICB_PRESENT> dxgiPresents;
  bool mayMove = true;  // the table of functions moves now and then

  /** Moves the table of functions. */
  void relocate();

  // For the callbacks.
  void setError(HRESULT code);
  const D3DDDI_DEVICECALLBACKS &real() const { return m_real; }
  int set() const { return m_set; }

private:
  void begin(const char *name);
  void end();
  void swapCallbacks();
  void inThread(const std::function<void()> &work);
  size_t tableBytes() const;

  std::string m_called;  // the function that runs; empty: none
  int m_set = 0;         // of callbacks
  unsigned m_calls = 0;
  D3DDDI_DEVICECALLBACKS m_real = callbacks();
  D3DDDI_ADAPTERCALLBACKS m_adapterCallbacks = adapterCallbacks();
  std::unique_ptr<Guarded> m_table, m_dxgi, m_adapterTable, m_memory, m_kernelTable, m_coreTable;
  DXGI_DDI_BASE_CALLBACKS m_dxgiCallbacks = {};
};

}  // namespace aero::test
