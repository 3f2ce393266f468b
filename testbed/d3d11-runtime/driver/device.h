// SPDX-License-Identifier: MIT
// A device of the user-mode driver: its tables, called with checks. One call at a time, under the caller's lock.
//
// It is harder on the driver than Windows is: the callback tables change between calls, as they may; the function table
// moves (pfnRelocateDeviceFuncs), ends at a page without access, and is unreadable where it was; each code that goes to
// pfnSetErrorCb is checked. Pages pfnd3d10ddi_createdevice, d3d10ddiarg_createdevice, "Handling Errors".
#pragma once

#include "testbed/d3d11-runtime/driver/adapter.h"
#include "testbed/d3d11-runtime/driver/errors.h"
#include "testbed/d3d11-runtime/driver/private_memory.h"
#include "testbed/runtime-kernel/function_name.h"
#include "testbed/runtime-kernel/kernel_device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {

/// The callbacks of a device. There are two sets, which alternate: a driver that copied an entry calls the wrong one.
struct CallbackSet {
  D3DDDI_DEVICECALLBACKS kernel;
  D3D11DDI_CORELAYER_DEVICECALLBACKS core;  ///< that of 10 is its beginning
  DXGI_DDI_BASE_CALLBACKS dxgi;
};

/// What hRTCoreLayer points to: not the device, so that a driver that mixes the two handles up is noticed.
struct CoreLayer {
  class DriverDevice *device;
};

class KeyedMutex;

class DriverDevice final : public runtime::KernelDevice {
public:
  explicit DriverDevice(const DriverAdapter &adapter);
  ~DriverDevice();

  /// Creates the device. `sets`: the runtime's callbacks (callbacks.h), which outlive it.
  HRESULT create(const Choice &choice, UINT flags, const CallbackSet (&sets)[2]);

  /// Calls a function of the device's table that reports errors by pfnSetErrorCb. Returns the code that it reported,
  /// else S_OK.
  template <auto kMember, Errors kAllowed = Errors::DeviceRemoved, class... Arguments>
  HRESULT call(Arguments... arguments) {
    relocateSometimes();
    constexpr runtime::FunctionName spelled = runtime::functionName<kMember>();
    const char *name = spelled.text;  // valid during the call
    const auto function = tableOf(kMember)->*kMember;
    if (!function) return missing(name);
    const runtime::FloatControl before = beginCall(name, kAllowed);
    function(m_driver, arguments...);
    return endCall(name, before);
  }

  /// Calls a function that returns a value and may report nothing.
  template <auto kMember, class... Arguments> auto ask(Arguments... arguments) {
    constexpr runtime::FunctionName spelled = runtime::functionName<kMember>();
    const char *name = spelled.text;
    const auto function = tableOf(kMember)->*kMember;
    decltype(function(m_driver, arguments...)) value{};
    if (!function) {
      missing(name);
      return value;
    }
    const runtime::FloatControl before = beginCall(name, Errors::None);
    value = function(m_driver, arguments...);
    endCall(name, before);
    return value;
  }

  /// Asks for the size of an object. Any thread may ask, so now and then another one does.
  template <auto kMember, class... Arguments> SIZE_T sizeOf(Arguments... arguments) {
    constexpr unsigned kEvery = 4;
    SIZE_T size = 0;
    const auto work = [&] { size = ask<kMember>(arguments...); };
    if (++m_sizes % kEvery) {
      work();
      return size;
    }
    using Work = decltype(work);
    const auto run = [](void *parameter) -> DWORD WINAPI {
      (*static_cast<Work *>(parameter))();
      return 0;
    };
    const HANDLE thread =
        CreateThread(nullptr, 0, +run, const_cast<void *>(static_cast<const void *>(&work)), 0, nullptr);
    if (!thread) {
      work();
      return size;
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return size;
  }

  /// Calls a function of the DXGI table, whose result is an HRESULT.
  template <auto kMember, class Argument> HRESULT dxgi(Argument &argument) {
    constexpr runtime::FunctionName spelled = runtime::functionName<kMember>();
    const char *name = spelled.text;
    const auto function = static_cast<const DXGI_DDI_BASE_FUNCTIONS *>(m_dxgiGuard.table())->*kMember;
    if (!function) return missing(name);
    argument.hDevice = reinterpret_cast<DXGI_DDI_HDEVICE>(m_driver.pDrvPrivate);
    const runtime::FloatControl before = beginCall(name, Errors::None);
    const HRESULT result = function(&argument);
    endCall(name, before);
    return result;
  }

  /// Runs pfnPresent of DXGI, for which it sets pDXGIContext, and keeps `request` for the callback.
  HRESULT present(DXGI_DDI_ARG_PRESENT &argument, const runtime::PresentRequest &request);

  /// Runs pfnSetDisplayMode of DXGI, which scans a primary out.
  HRESULT setDisplayMode(DXGI_DDI_HRESOURCE primary);

  /// Adds a resource for callbacks. A retired one stays as long as the driver has allocations for it.
  runtime::KernelResource *addKernelResource();
  /// The driver has destroyed the object of a resource. `identity`: the resource whose allocations the object had, if
  /// it has changed places with others. A primary's must be gone, others by the next flush.
  void retireKernelResource(runtime::KernelResource *resource, runtime::KernelResource *identity);
  /// Calls pfnFlush. Returns the code that it reported, else S_OK.
  HRESULT flush();

  const DriverAdapter &adapter() const { return m_adapter; }
  /// The device's keyed mutexes. Under its lock.
  std::vector<KeyedMutex *> &keyedMutexes() { return m_keyedMutexes; }
  const Choice &choice() const { return m_choice; }
  Shape shape() const { return m_choice.shape; }
  /// True if the device is gone: removed, or lost by a broken rule.
  bool isLost() const { return m_lost || isRemoved(); }
  bool keepsBusyStaging() const { return m_deferStaging; }

  // For callbacks.cpp: `set` is the set of the entry that was called.
  static DriverDevice *fromCore(D3D10DDI_HRTCORELAYER handle, const char *callback, int set);
  static void checkSet(HANDLE device, const char *callback, int set);
  static void checkContext(HANDLE device, const void *context);
  void setError(HRESULT code);
  void performAmortized() { m_amortized = true; }
  void disableDeferredStaging() { m_deferStaging = false; }

private:
  template <class Function, class Table> const Table *tableOf(Function Table::*) const {
    return static_cast<const Table *>(m_guard.table());
  }
  runtime::FloatControl beginCall(const char *name, Errors allowed);
  HRESULT endCall(const char *name, const runtime::FloatControl &before);
  HRESULT missing(const char *name);
  void exchangeCallbacks();
  void relocateSometimes();

  const DriverAdapter &m_adapter;
  Choice m_choice;
  TableGuard m_guard{"the device's table"}, m_dxgiGuard{"the table of DXGI"};
  runtime::GuardedPages m_corePages;
  const CallbackSet *m_sets = nullptr;
  int m_set = 0;
  D3DDDI_DEVICECALLBACKS m_kernelCallbacks{};
  DXGI_DDI_BASE_CALLBACKS m_dxgiCallbacks{};
  void *m_coreCallbacks = nullptr;
  CoreLayer m_coreLayer{this};
  PrivateMemory m_memory;
  struct Resource {
    std::unique_ptr<runtime::KernelResource> kernel;
    bool retired;  ///< its object is gone
    bool freed;    ///< the object that had its allocations is
  };
  std::vector<Resource> m_kernelResources;
  std::vector<KeyedMutex *> m_keyedMutexes;
  D3D10DDI_HDEVICE m_driver{};
  bool m_created = false, m_lost = false, m_deferStaging = true;
  // Of the running call.
  Errors m_allowed = Errors::None;
  HRESULT m_error = S_OK;
  bool m_amortized = false;
  const void *m_dxgiContext = nullptr;  ///< what pfnPresentCb must pass on
  UINT m_submissionsBefore = 0;
  UINT m_calls = 0, m_sizes = 0;
};

}  // namespace aerogpu::runtime11
