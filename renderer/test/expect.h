// SPDX-License-Identifier: MIT
// Expectations that tests over the harness repeat, and bytes that differ from place to place.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "renderer/test/harness.h"
#include "renderer/test/refusals.h"  // IWYU pragma: keep

namespace aerogpu::test {

/// `code`: enum aerogpu_error_code of the last error.
inline void expectError(const FinishedSubmission& finished, uint32_t code, uint32_t count = 1) {
  EXPECT_EQ(finished.result.error_count, count);
  EXPECT_EQ(finished.result.last_error_code, code);
}
inline void expectGood(const FinishedSubmission& finished) {
  EXPECT_EQ(finished.result.error_count, 0u);
}

/// Returns bytes that differ from their neighbours and from those a page further.
inline std::vector<uint8_t> pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 4096 + 3);
  return bytes;
}

}  // namespace aerogpu::test
