// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_call.h"

#include <initializer_list>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

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
