// SPDX-License-Identifier: MIT
// format_set.h: the set of Direct3D 9's formats beyond ABI 1.4 that the device has (feature bit 37;
// docs/abi/formats.md). Any IRQL.
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_extension.h"

namespace aero {

class FormatSet {
public:
  /** `number`: enum aerogpu_format. Formats of ABI 1.4, and numbers that no format can have, are not kept. */
  void add(uint32_t number) {
    if (number - AEROGPU_EXT_FORMAT_FIRST < kNumbers) word(number) |= bit(number);
  }
  bool has(uint32_t number) const {
    return number - AEROGPU_EXT_FORMAT_FIRST < kNumbers &&
           m_words[(number - AEROGPU_EXT_FORMAT_FIRST) / 32] & bit(number);
  }

private:
  /** FMT-1: 0x1000 + D3DFORMAT, and those with a FourCC from 0x1200 on. */
  static constexpr uint32_t kNumbers = 0x300;
  static constexpr uint32_t bit(uint32_t number) { return 1u << number % 32; }
  uint32_t &word(uint32_t number) { return m_words[(number - AEROGPU_EXT_FORMAT_FIRST) / 32]; }

  uint32_t m_words[kNumbers / 32] = {};
};

}  // namespace aero
