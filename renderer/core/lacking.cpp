// SPDX-License-Identifier: MIT
#include "renderer/core/lacking.h"

#include "aerogpu/aerogpu_caps.h"
#include "renderer/base/error_text.h"
#include "renderer/base/log.h"
#include "renderer/core/announced.h"

namespace aerogpu::core {

Error lacking(Submission& s, const char* what, uint32_t number, std::initializer_list<ErrorValue> values) {
  Error error{ErrorCode::Backend, what, {}, values};
  if (s.announced.isNewLack(what, number))
    s.log.line(AEROGPU_LOG_ERROR, "this host lacks what the guest was told of, and uses: " + textOf(error));
  return error;
}

Result<void> needTold(const Submission& s, uint32_t flag, const char* what) {
  if (s.announced.told().capsFlags & flag) return {};
  return Error{ErrorCode::Backend, what, {}};
}

Result<void> needOffered(Submission& s, uint32_t flag, const char* what) {
  if (s.announced.has(flag)) return {};
  if (auto told = needTold(s, flag, what); !told) return told;
  return lacking(s, what, 0, {{"flag", flag}});
}

Result<void> needD3d10States(const Submission& s) {
  return needTold(s, AEROGPU_CAPS_D3D10_STATES, "Direct3D 10's fixed state is not announced");
}

}  // namespace aerogpu::core
