// SPDX-License-Identifier: MIT
// caps.h: what GetCaps answers: formats, D3DCAPS9 and the rest. Nothing is announced that does not work.
#pragma once

#include <bit>

#include "guest-drivers/umd-d3d9/adapter.h"

namespace aero {

/** What is asked for, as a number: a runtime newer than the driver may ask for what its enumeration does not hold. */
inline UINT capsType(const D3DDDIARG_GETCAPS &args) {
  return std::bit_cast<UINT>(args.Type);
}

/** D3DDDIARG_GETCAPS: fills at most DataSize bytes. */
HRESULT getCaps(const Adapter &adapter, const D3DDDIARG_GETCAPS &args);

}  // namespace aero
