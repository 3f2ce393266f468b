// SPDX-License-Identifier: MIT
// dirty_bit.h: a bit that says whether some state differs from the device's, in a word that the sender owns. A draw
// that changes nothing reads only that word.
#pragma once

#include <stdint.h>

namespace aero {

class DirtyBit {
public:
  /** `bit`: a mask. */
  DirtyBit(uint32_t &word, uint32_t bit) : m_word(word), m_bit(bit) {}
  void set() { m_word |= m_bit; }
  void clear() { m_word &= ~m_bit; }
  bool isSet() const { return (m_word & m_bit) != 0; }

private:
  uint32_t &m_word;
  const uint32_t m_bit;
};

}  // namespace aero
