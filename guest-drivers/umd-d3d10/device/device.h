// SPDX-License-Identifier: MIT
// device.h: the object that CreateDevice makes, in the runtime's memory: one context and everything in it. The runtime
// calls one function of a device at a time, from any thread; other devices run in parallel.
#pragma once

#include "guest-drivers/umd-common/submit/device_handles.h"
#include "guest-drivers/umd-d3d10/adapter/adapter.h"
#include "guest-drivers/umd-d3d10/adapter/caps.h"
#include "guest-drivers/umd-d3d10/state/pipeline.h"
#include "guest-drivers/umd-d3d10/submit/device_objects.h"
#include "guest-drivers/umd-d3d10/submit/query.h"

namespace aero {

class Device {
public:
  Device(Adapter &adapter, const D3D10DDIARG_CREATEDEVICE &args)
      : m_adapter(adapter),
        m_core(args.hRTCoreLayer),
        m_coreCallbacks(*args.p11UMCallbacks),
        m_dxgiCallbacks(*args.DXGIBaseDDI.pDXGIBaseCallbacks),
        m_runtimeDevice(args.hRTDevice.handle),
        table(tableKind(args.Interface)),
        number(adapter.log().nextDevice()),
        runtime(adapter.runtime(), args.hRTDevice.handle, *args.pKTCallbacks, adapter.spaces(), adapter.hasAperture(),
                adapter.featuresHigh(), adapter.log(), number) {}
  static Device *from(D3D10DDI_HDEVICE handle) { return static_cast<Device *>(handle.pDrvPrivate); }

  HRESULT open();
  /** Destroys what the driver made for itself; the runtime has destroyed its objects. */
  void close();

  Adapter &adapter() const { return m_adapter; }
  /** Submits the pending packets. What was destroyed is freed even if there are none. */
  HRESULT flush() { return context.submitAtFlush(); }

  /** True if something is to be told after a call: a submission was made, or failed. */
  bool hasNews() const { return context.batch() != m_toldBatch || failed(context.error()); }
  /** Tells the runtime about submissions. Sets `result` to a submission's failure, unless it is one already; returns
   * whether it is. */
  bool takeNews(HRESULT &result);
  HRESULT present(const DXGIDDICB_PRESENT &data);
  /** Reports an error of the current call, which the caller has made one that the function may have. */
  void report(HRESULT code);

private:
  Adapter &m_adapter;
  const D3D10DDI_HRTCORELAYER m_core;
  // Not a copy: the runtime may change entries. Those of versions 10 and 10.1 are the first of these.
  const D3D11DDI_CORELAYER_DEVICECALLBACKS &m_coreCallbacks;
  const DXGI_DDI_BASE_CALLBACKS &m_dxgiCallbacks;
  const HANDLE m_runtimeDevice;
  uint64_t m_toldBatch = 1;

public:
  const TableKind table;
  const uint32_t number;  // its number in the adapter's log
  Runtime runtime;
  Context context{runtime};
  DeviceHandles ranges{context};
  HandleAllocator handles{ranges};
  ObjectTools tools{context, handles};
  UploadMemory uploads{tools};
  Progress progress{tools};
  DeviceObjects objects{{context, handles}, m_adapter.formats(), uploads};
  Pipeline pipeline{objects};
};

}  // namespace aero
