// SPDX-License-Identifier: MIT
// caps.h: what GetCaps answers: formats, D3DCAPS9 and the rest. Nothing is announced that does not work.
#pragma once

#include "adapter.h"

namespace aero {

/** What the device is, as D3DCAPS9 has it. */
D3DCAPS9 deviceCaps(const Adapter &adapter);

/** D3DDDIARG_GETCAPS: fills at most DataSize bytes. */
HRESULT getCaps(const Adapter &adapter, const D3DDDIARG_GETCAPS &args);

}  // namespace aero
