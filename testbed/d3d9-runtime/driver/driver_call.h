// SPDX-License-Identifier: MIT
// Calls of the driver, with what is checked after each: the floating-point control words are as before, the result is
// one that the interface allows.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

/// x87 control word and MXCSR without its exception flags.
struct FloatControl {
  unsigned short x87;
  unsigned sse;

  static FloatControl read();
  void write() const;
  /// The x87 of this thread from now on: single precision, rounding to nearest, no exceptions.
  static void setSinglePrecision();
  bool operator==(const FloatControl &) const = default;
};

/// Which results a function may give beside S_OK and the errors that every one may give.
enum class Results {
  Ordinary,
  QueryData,  ///< S_FALSE: not yet
  Lock,       ///< D3DDDIERR_WASSTILLDRAWING, and E_INVALIDARG of an unlock too many
  Residency,  ///< S_NOT_RESIDENT, S_RESIDENT_IN_SHARED_MEMORY
};

/// Reports a driver's function that changed the control words (and puts them back) or gave a result that it may not
/// give. `fromCallback` is the last error that a callback gave it in this call, which it may pass on.
void checkAfterCall(const char *function, const FloatControl &before, HRESULT result, Results allowed,
                    HRESULT fromCallback);

}  // namespace aerogpu::runtime
