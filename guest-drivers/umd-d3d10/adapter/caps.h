// SPDX-License-Identifier: MIT
// caps.h: the interface versions that the driver lists, the table that each has, and the answers of GetCaps.
#pragma once

#include <bit>

#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

/** The tables of functions, from which a device has one. */
enum class TableKind : uint8_t { None, D3D10, D3D10_1, D3D11 };

/** Returns the table of an Interface; None if the driver lacks it. */
TableKind tableKind(UINT interfaceNumber);

HRESULT getSupportedVersions(UINT32 &entries, UINT64 *versions);

/** Returns the requested type as a number: a newer runtime may ask for values outside the enumeration. */
inline UINT capsType(const D3D10_2DDIARG_GETCAPS &args) {
  return std::bit_cast<UINT>(args.Type);
}
HRESULT getCaps(const D3D10_2DDIARG_GETCAPS &args);

}  // namespace aero
