// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/log/describe.h"

#include <string.h>

namespace aero {

void describeHandle(CallText &out, const void *handle) {
  out.hex(reinterpret_cast<uintptr_t>(handle));
}

void describeWords(CallText &out, const void *words, size_t bytes) {
  constexpr size_t kMost = 12;
  const size_t count = bytes / 4 < kMost ? bytes / 4 : kMost;
  for (size_t i = 0; i < count; i++) {
    uint32_t word;
    memcpy(&word, static_cast<const uint8_t *>(words) + i * 4, sizeof word);
    out.text(i ? " " : "").hex(word);
  }
}

void describeEnd(CallText &out, HRESULT result) {
  out.text(" = ").hex(static_cast<uint32_t>(result), 8);
  const char *name = nullptr;
  switch (result) {
  case kFalse:
    name = " S_FALSE";
    break;
  case kNotImplemented:
    name = " E_NOTIMPL";
    break;
  case kFailed:
    name = " E_FAIL";
    break;
  case kOutOfMemory:
    name = " E_OUTOFMEMORY";
    break;
  case kInvalidArgument:
    name = " E_INVALIDARG";
    break;
  case kOutOfVideoMemory:
    name = " D3DERR_OUTOFVIDEOMEMORY";
    break;
  case kNotAvailable:
    name = " D3DDDIERR_NOTAVAILABLE";
    break;
  case kDeviceRemoved:
    name = " D3DDDIERR_DEVICEREMOVED";
    break;
  case kWasStillDrawing:
    name = " D3DDDIERR_WASSTILLDRAWING";
    break;
  case kUnsupportedOverlay:
    name = " D3DDDIERR_UNSUPPORTEDOVERLAY";
    break;
  case kUnsupportedCrypto:
    name = " D3DDDIERR_UNSUPPORTEDCRYPTO";
    break;
  default:
    break;
  }
  if (name) out.text(name);
}

}  // namespace aero
