// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/adapter/adapter.h"

#include "aerogpu/aerogpu_cmd_extension.h"
#include "guest-drivers/umd-common/log/log_file.h"

namespace aero {
namespace {

constexpr uint32_t kNeeded =
    AEROGPU_EXT_FEATURE_HI_CAPS | AEROGPU_EXT_FEATURE_HI_FORMATS | AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE |
    AEROGPU_EXT_FEATURE_HI_UPDATES | AEROGPU_EXT_FEATURE_HI_BLIT | AEROGPU_EXT_FEATURE_HI_QUERIES |
    AEROGPU_EXT_FEATURE_HI_STATES | AEROGPU_EXT_FEATURE_HI_D3D10_SHADERS | AEROGPU_EXT_FEATURE_HI_D3D10;

}  // namespace

HRESULT Adapter::open(const char *export_) {
  const HRESULT result = AdapterInfo::open(m_runtime, m_callbacks, export_);
  if (failed(result)) return result;
  if ((featuresHigh() & kNeeded) != kNeeded || !block()) {
    CallText line;
    line.text("aerogpu: ").text(export_).text(": the device lacks extensions ");
    line.hex(kNeeded & ~featuresHigh()).text(", or its capability block");
    debugOutput(line.ended());
    return kNotAvailable;
  }
  if (!(block().limits().flags & AEROGPU_CAPS_D3D10_STATES)) {
    CallText line;
    line.text("aerogpu: ").text(export_).text(": the host's GPU lacks states of Direct3D 10");
    debugOutput(line.ended());
    return kNotAvailable;
  }
  m_formats = FormatTable(block());
  m_log.open(logLevel(), {"Direct3D 10", "d3d10"});
  return kOk;
}

}  // namespace aero
