// SPDX-License-Identifier: MIT
// device.h: what CreateDevice makes: one context and everything in it. The runtime calls one function of a device at a
// time, from whatever thread; other devices run beside it.
#pragma once

#include "adapter.h"
#include "blt.h"
#include "queries.h"

namespace aero {

/** Handles for one device: ranges that the kernel driver reserves for it (docs/abi/driver-data.md PRIV-13). */
class DeviceHandles : public HandleSource {
public:
  explicit DeviceHandles(Context &context) : m_context(context) {}
  HandleRange next() override;

private:
  Context &m_context;
};

class Device {
public:
  Device(Adapter &adapter, HANDLE runtimeDevice, const D3DDDI_DEVICECALLBACKS &callbacks)
      : m_adapter(adapter), runtime(adapter.runtime(), runtimeDevice, callbacks) {}
  static Device *from(HANDLE handle) { return static_cast<Device *>(handle); }

  HRESULT open();
  /** Ends everything that is still there. */
  void close();

  void add(Resource *resource);
  void remove(Resource *resource);
  const Adapter &adapter() const { return m_adapter; }
  /** Submits what is pending and gives the first error since the last such call. */
  HRESULT flush();

private:
  Adapter &m_adapter;
  Resource *m_resources = nullptr;

public:
  Runtime runtime;
  Context context{runtime};
  DeviceHandles ranges{context};
  HandleAllocator handles{ranges};
  Wire wire{context, handles};
  Pipeline pipeline{wire};
  Draws draws{wire, pipeline};
  Blits blits{wire, pipeline, draws};
  Progress progress{wire};
};

}  // namespace aero
