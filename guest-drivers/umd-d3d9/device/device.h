// SPDX-License-Identifier: MIT
// device.h: the object that CreateDevice makes: one context and everything in it. The runtime calls one function of a
// device at a time, from any thread; other devices run in parallel.
#pragma once

#include "guest-drivers/umd-common/base/list.h"
#include "guest-drivers/umd-common/submit/device_handles.h"
#include "guest-drivers/umd-d3d9/adapter/adapter.h"
#include "guest-drivers/umd-d3d9/submit/queries.h"
#include "guest-drivers/umd-d3d9/transfers/blt.h"
#include "guest-drivers/umd-d3d9/transfers/clear.h"

namespace aero {

class Device {
public:
  Device(Adapter &adapter, HANDLE runtimeDevice, const D3DDDI_DEVICECALLBACKS &callbacks)
      : m_adapter(adapter),
        m_callbacks(callbacks),
        number(adapter.log().nextDevice()),
        runtime(adapter.runtime(), runtimeDevice, m_callbacks, adapter.spaces(), adapter.hasAperture(),
                adapter.featuresHigh(), adapter.log(), number) {}
  static Device *from(HANDLE handle) { return static_cast<Device *>(handle); }

  HRESULT open();
  /** Destroys everything that is left. */
  void close();

  /** Unbinds a resource, shader or declaration, destroys it and frees it. */
  HRESULT end(Resource *resource);
  HRESULT end(Shader *shader) { return endObject(shaders, shader); }
  HRESULT end(Declaration *declaration) { return endObject(declarations, declaration); }
  void end(Query *query) {
    query->drop(progress);
    queries.remove(query);
    heapDestroy(query);
  }
  Adapter &adapter() const { return m_adapter; }
  /** Submits the pending packets and returns the first error since the last such call. */
  HRESULT flush();

private:
  template <class T> HRESULT endObject(List<T> &list, T *object) {
    pipeline.unbind(object);
    pipeline.forgetObjects();
    list.remove(object);
    object->destroy(objects);
    heapDestroy(object);
    return context.takeError();
  }

  Adapter &m_adapter;
  const D3DDDI_DEVICECALLBACKS m_callbacks;  // a copy: the runtime's table may end with CreateDevice

public:
  const uint32_t number;  // its number in the adapter's log
  Runtime runtime;
  Context context{runtime};
  DeviceHandles ranges{context};
  HandleAllocator handles{ranges};
  DeviceObjects objects{{context, handles}, m_adapter.formats()};
  Pipeline pipeline{objects};
  Draws draws{objects, pipeline};
  Clears clears{objects, pipeline};
  Blits blits{objects, pipeline, draws};
  Progress progress{objects};
  // The objects of which the runtime has handles.
  List<Resource> resources;
  List<Shader> shaders;
  List<Declaration> declarations;
  List<Query> queries;
  Palettes palettes;
};

}  // namespace aero
