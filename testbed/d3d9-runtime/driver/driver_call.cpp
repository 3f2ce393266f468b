// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_call.h"

#include <initializer_list>

#include "testbed/d3d9-runtime/base/log.h"

namespace aerogpu::runtime {
namespace {

constexpr unsigned kSseFlags = 0x3F;

bool isAllowed(HRESULT result, Results allowed, HRESULT fromCallback) {
  if (result == S_OK || (FAILED(fromCallback) && result == fromCallback)) return true;
  for (HRESULT always :
       {static_cast<HRESULT>(E_OUTOFMEMORY), static_cast<HRESULT>(E_NOTIMPL),
        static_cast<HRESULT>(D3DERR_OUTOFVIDEOMEMORY), static_cast<HRESULT>(D3DDDIERR_NOTAVAILABLE),
        static_cast<HRESULT>(D3DDDIERR_UNSUPPORTEDOVERLAY), static_cast<HRESULT>(D3DDDIERR_UNSUPPORTEDCRYPTO)})
    if (result == always) return true;
  switch (allowed) {
  case Results::QueryData:
    return result == S_FALSE;
  case Results::Lock:
    return result == static_cast<HRESULT>(D3DDDIERR_WASSTILLDRAWING) || result == E_INVALIDARG;
  case Results::Residency:
    return result == S_NOT_RESIDENT || result == S_RESIDENT_IN_SHARED_MEMORY;
  case Results::Ordinary:
    break;
  }
  return false;
}

}  // namespace

FloatControl FloatControl::read() {
  FloatControl now{};
  asm volatile("fnstcw %0" : "=m"(now.x87));
  asm volatile("stmxcsr %0" : "=m"(now.sse));
  now.sse &= ~kSseFlags;
  return now;
}

void FloatControl::write() const {
  asm volatile("fldcw %0" : : "m"(x87));
  asm volatile("ldmxcsr %0" : : "m"(sse));
}

void FloatControl::setSinglePrecision() {
  constexpr unsigned kPrecisionRoundingMasks = 0xF3F, kAllMasked = 0x3F;
  FloatControl control = read();
  control.x87 = static_cast<unsigned short>((control.x87 & ~kPrecisionRoundingMasks) | kAllMasked);
  control.write();
}

void checkAfterCall(const char *function, const FloatControl &before, HRESULT result, Results allowed,
                    HRESULT fromCallback) {
  const FloatControl after = FloatControl::read();
  if (after != before) {
    before.write();
    brokenRule("%s changed the floating-point control words from %04x, %08x to %04x, %08x", function, before.x87,
               before.sse, after.x87, after.sse);
  }
  if (!isAllowed(result, allowed, fromCallback))
    brokenRule("%s gave 0x%08lx, which it may not give", function, static_cast<unsigned long>(result));
}

}  // namespace aerogpu::runtime
