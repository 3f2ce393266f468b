// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/caps.h"

#include <stddef.h>
#include <string.h>

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/adapter/device_caps.h"
#include "guest-drivers/umd-d3d9/adapter/legacy_caps.h"
#include "guest-drivers/umd-d3d9/submit/queries.h"

namespace aero {
namespace {

/** Copies as much of the answer as fits, and zeroes the rest of the buffer. */
HRESULT answer(const D3DDDIARG_GETCAPS &args, const void *data, size_t bytes) {
  if (!args.pData) return kOk;
  memset(args.pData, 0, args.DataSize);
  memcpy(args.pData, data, bytes < args.DataSize ? bytes : args.DataSize);
  return kOk;
}

template <class T> HRESULT answer(const D3DDDIARG_GETCAPS &args, const T &value) {
  return answer(args, &value, sizeof value);
}

/** True if surfaces of a format can be presented by a flip, whose samples a present resolves. */
bool isFlipped(const FormatRow &row) {
  constexpr uint32_t kFlipped = FORMATOP_DISPLAYMODE | FORMATOP_SAME_FORMAT_UP_TO_ALPHA_RENDERTARGET;
  return row.operations & kFlipped || row.depth;
}

/** Returns the number of quality levels of a multisample type: 1 for NONE and for each sample count that the format
 * has; for NONMASKABLE, the number of these sample counts. */
uint32_t qualityLevels(const FormatRow &row, D3DDDIMULTISAMPLE_TYPE type, bool flip) {
  if (flip && !isFlipped(row)) return type == D3DDDIMULTISAMPLE_NONE;
  uint32_t counts = 0;
  for (uint32_t log2 = 1; log2 <= kMaxSamplesLog2; log2++) {
    if (!(row.samples >> log2 & 1)) continue;
    counts++;
    if (static_cast<uint32_t>(type) == 1u << log2) return 1;
  }
  if (type == D3DDDIMULTISAMPLE_NONE) return 1;
  return type == D3DDDIMULTISAMPLE_NONMASKABLE ? counts : 0;
}

HRESULT answerQualityLevels(const FormatTable &formats, const D3DDDIARG_GETCAPS &args) {
  DDIMULTISAMPLEQUALITYLEVELSDATA data = {};
  if (!args.pData || args.DataSize < sizeof data) return kOk;
  memcpy(&data, args.pData, sizeof data);
  const FormatRow *row = formats.find(static_cast<uint32_t>(data.Format));
  data.QualityLevels = row ? qualityLevels(*row, data.MsType, data.Flip) : 0;
  memcpy(args.pData, &data, sizeof data);
  return kOk;
}

HRESULT answerFormats(const FormatTable &formats, const D3DDDIARG_GETCAPS &args) {
  FORMATOP list[FormatTable::kMaxRows] = {};
  for (uint32_t i = 0; i < formats.count(); i++) {
    const FormatRow &row = formats.row(i);
    list[i].Format = row.d3d;
    list[i].Operations = row.operations;
    list[i].PrivateFormatBitCount = row.pixelBits;
    // Bit n - 1 stands for n samples, bit 0 for NONMASKABLE (page "DDPIXELFORMAT"; D3D9On12, src/9on12Adapter.cpp,
    // __DDI_MULTISAMPLE).
    constexpr UINT kNonMaskable = 1;
    for (uint32_t log2 = 1; log2 <= kMaxSamplesLog2; log2++)
      if (row.samples >> log2 & 1) list[i].BltMsTypes |= kNonMaskable | 1u << ((1u << log2) - 1);
    if (isFlipped(row)) list[i].FlipMsTypes = list[i].BltMsTypes;
  }
  return answer(args, list, formats.count() * sizeof list[0]);
}

/** Answers with D3DCAPS8, which is the beginning of D3DCAPS9. */
HRESULT answerCaps8(const Adapter &adapter, const D3DDDIARG_GETCAPS &args) {
  const D3DCAPS9 caps = capsOfDirect3d8(adapter);
  return answer(args, &caps, offsetof(D3DCAPS9, DevCaps2));
}

/** Answers with the caps of a head of the adapter: it reports its scan line and has no overlays. The buffer begins with
 * the number of the head, an input; the caps follow. */
HRESULT answerModeSpecific(const D3DDDIARG_GETCAPS &args) {
  DDRAW_MODE_SPECIFIC_CAPS caps = {};
  constexpr UINT kHead = sizeof caps.Head;
  constexpr UINT kReadScanline = 0x20;  // MODE_CAPS_READSCANLINE
  caps.Caps = kReadScanline;
  if (!args.pData || args.DataSize <= kHead) return kOk;
  const UINT bytes = args.DataSize < sizeof caps ? args.DataSize : static_cast<UINT>(sizeof caps);
  memcpy(static_cast<uint8_t *>(args.pData) + kHead, reinterpret_cast<const uint8_t *>(&caps) + kHead, bytes - kHead);
  return kOk;
}

}  // namespace

HRESULT getCaps(const Adapter &adapter, const D3DDDIARG_GETCAPS &args, bool &isKnown) {
  isKnown = true;
  switch (capsType(args)) {
  case D3DDDICAPS_DDRAW:
    return answer(args, directDrawCaps(adapter));
  case D3DDDICAPS_DDRAW_MODE_SPECIFIC:
    return answerModeSpecific(args);
  case D3DDDICAPS_GETD3D3CAPS:
    return answer(args, globalDriverData(adapter));
  case D3DDDICAPS_GETD3D7CAPS:
    return answer(args, extendedCaps(adapter));
  case D3DDDICAPS_GETFORMATCOUNT:
    return answer(args, UINT{adapter.formats().count()});
  case D3DDDICAPS_GETFORMATDATA:
    return answerFormats(adapter.formats(), args);
  case D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS:
    return answerQualityLevels(adapter.formats(), args);
  case D3DDDICAPS_GETD3DQUERYCOUNT:
    return answer(args, UINT{queryTypes(adapter.featuresHigh()).count});
  case D3DDDICAPS_GETD3DQUERYDATA: {
    const QueryTypes queries = queryTypes(adapter.featuresHigh());
    return answer(args, queries.types, queries.count * sizeof queries.types[0]);
  }
  case D3DDDICAPS_GETGAMMARAMPCAPS: {
    // The runtime gives ramps to the kernel driver. D3D9On12 says the same (src/9on12Adapter.cpp).
    const bool hasRamps = adapter.featuresHigh() & AEROGPU_EXT_FEATURE_HI_GAMMA;
    return answer(args, DDIGAMMACAPS{hasRamps ? UINT{GAMMA_CAP_RGB256x3x16} : 0});
  }
  case D3DDDICAPS_GETD3D8CAPS:
    return answerCaps8(adapter, args);
  case D3DDDICAPS_GETD3D9CAPS:
    return answer(args, deviceCaps(adapter));
  // An error is the documented refusal here (docs/abi/d3d9ex.md EX-10).
  case D3DDDICAPS_CHECKOVERLAYSUPPORT:
    return kUnsupportedOverlay;
  case D3DDDICAPS_GETCERTIFICATESIZE:
  case D3DDDICAPS_GETCERTIFICATE:
    return kUnsupportedCrypto;
  default: {
    // Zero counts, zero lists: decoders, video processors, extensions, protected content, and everything newer than
    // this driver.
    const UINT nothing = 0;
    isKnown = false;
    return answer(args, nothing);
  }
  }
}

}  // namespace aero
