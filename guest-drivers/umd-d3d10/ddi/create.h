// SPDX-License-Identifier: MIT
// create.h: makes the driver's objects in the runtime's memory, which is not cleared.
#pragma once

#include "guest-drivers/umd-d3d10/device/device.h"

namespace aero::ddi {

/** Makes a T at the handle's address by its create(). After a failure no destruction follows, so this destroys it. */
template <class T, class Handle, class... Arguments>
HRESULT make(Device &device, Handle handle, const Arguments &...arguments) {
  T *object = new (handle.pDrvPrivate) T;
  const HRESULT result = object->create(device.objects, arguments...);
  if (!failed(result)) return result;
  object->destroy(device.objects);
  object->~T();
  return result;
}

}  // namespace aero::ddi
