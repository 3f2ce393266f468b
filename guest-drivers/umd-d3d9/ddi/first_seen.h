// SPDX-License-Identifier: MIT
// first_seen.h: notes in the log of calls what the driver does not know, once each, with its value: states, flags,
// formats, types, interface versions that only a newer, older or different runtime uses. It is for first boots, and
// runs only while the log is on, at any level.
#pragma once

#include <type_traits>

#include "guest-drivers/umd-d3d9/device/device.h"

namespace aero {

// Arguments of calls of the adapter.
void noteFirst(CallLog &log, const D3DDDIARG_OPENADAPTER &args);
void noteFirst(CallLog &log, const D3DDDIARG_CREATEDEVICE &args);
/** The type is one that the driver answers with zeros. */
void noteFirst(CallLog &log, const D3DDDIARG_GETCAPS &args);

// Arguments of calls of a device.
void noteFirst(Device &device, const D3DDDIARG_RENDERSTATE &args);
void noteFirst(Device &device, const D3DDDIARG_TEXTURESTAGESTATE &args);
void noteFirst(Device &device, const D3DDDIARG_CREATERESOURCE &args);
void noteFirst(Device &device, const D3DDDIARG_OPENRESOURCE &args);
void noteFirst(Device &device, const D3DDDIARG_LOCK &args);
void noteFirst(Device &device, const D3DDDIARG_UNLOCK &args);
void noteFirst(Device &device, const D3DDDIARG_BLT &args);
void noteFirst(Device &device, const D3DDDIARG_COLORFILL &args);
void noteFirst(Device &device, const D3DDDIARG_PRESENT &args);
void noteFirst(Device &device, const D3DDDIARG_CLEAR &args);
void noteFirst(Device &device, const D3DDDIARG_ISSUEQUERY &args);
void noteFirst(Device &device, const D3DDDIARG_CREATEQUERY &args);

/** Notes what is unknown in one argument of a call, if it is a structure of those above. */
template <class T> void noteArgument(Device &device, const T &argument) {
  if constexpr (requires { noteFirst(device, *argument); })
    if (argument) noteFirst(device, *argument);
}

}  // namespace aero
