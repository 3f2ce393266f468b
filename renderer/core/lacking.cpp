// SPDX-License-Identifier: MIT
#include "renderer/core/lacking.h"

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

}  // namespace aerogpu::core
