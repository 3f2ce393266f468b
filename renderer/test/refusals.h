// SPDX-License-Identifier: MIT
// A test that includes this checks every refusal: each must name its cause with a number, of a field or of an
// object. No line is left out, however many a second there are, unless the renderer is in another process.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/base/log.h"
#include "renderer/test/harness.h"

namespace aerogpu::test {

/// Returns the values of "fence 1, byte 24, SET_TEXTURE: no such texture slot: slot 128 of 128": the text
/// after "slot: ". Empty if there is none.
inline std::string_view valuesOf(std::string_view line) {
  for (int skipped = 0; skipped < 2; ++skipped) {
    const size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return {};
    line.remove_prefix(colon + 2);
  }
  return line;
}

inline void lookAtRefusal(const char* line) {
  if (std::string_view(line).substr(0, 6) != "fence ") return;
  const std::string_view values = valuesOf(line);
  if (values.find_first_of("0123456789") != std::string_view::npos || values.ends_with(" nan") ||
      values.ends_with(" inf"))
    return;
  ADD_FAILURE() << "refused without a number: " << line;
}

inline const bool kRefusalsAreLookedAt = [] {
  Harness::onGuestLine = lookAtRefusal;
  Log::guestBurst = UINT64_MAX;
  return true;
}();

}  // namespace aerogpu::test
