// SPDX-License-Identifier: MIT
// caps.h: answers GetCaps: formats, D3DCAPS9 and the rest.
#pragma once

#include <bit>

#include "guest-drivers/umd-d3d9/adapter/adapter.h"

namespace aero {

/** Returns the requested type as a number: a runtime newer than the driver may ask for values outside its
 * enumeration. */
inline UINT capsType(const D3DDDIARG_GETCAPS &args) {
  return std::bit_cast<UINT>(args.Type);
}

/** Answers GetCaps; fills at most DataSize bytes. `isKnown`: false if the type is none of those that have an answer of
 * their own; the answer is then zeros. */
HRESULT getCaps(const Adapter &adapter, const D3DDDIARG_GETCAPS &args, bool &isKnown);

}  // namespace aero
