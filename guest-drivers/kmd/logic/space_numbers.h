// SPDX-License-Identifier: MIT
// space_numbers.h: numbers the handle spaces (docs/abi/spaces.md), one for each WDDM device. Not locked: the owner
// serialises. Any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/**
 * A number consists of a place, one of few, which is exclusive while its owner lives, and a round. The end of a space
 * is a packet in the ring, which a time-out or a sleep may delay: until it has run, no other space may have the number.
 * A number is therefore reused only after a million rounds, and the driver need not track when it is free.
 */
class SpaceNumbers {
public:
  static constexpr uint32_t kPlaces = 4096;
  static constexpr uint32_t kRounds = (uint32_t{1} << 20) - 1;

  /** The kinds of owners: some places are reserved for those that come late. */
  enum class Taker {
    System,       // the OS: takes any free place
    NewProcess,   // a process without a place
    SameProcess,  // a process that has a place already
  };

  /** Returns the place of a number. */
  static constexpr uint32_t placeOf(uint32_t number) { return number % kPlaces; }

  /** `limit`: how many may exist at once (SPACE-9). `seed`: any number; it makes a clash with numbers that an
   * earlier driver left on the device unlikely. Places that are taken stay taken. */
  void start(uint32_t limit, uint32_t seed) {
    m_last = limit < kPlaces - 1 ? limit : kPlaces - 1;
    if (!m_round) m_round = seed % kRounds;
  }

  /** Returns a nonzero number; 0 if all places are taken, or the rest is reserved for others. */
  uint32_t take(Taker taker) {
    // With 4095 places: 63 are reserved for the OS, and 511 more for the first device of a process.
    const uint32_t system = m_last / 64, first = m_last / 8;
    const uint32_t kept = taker == Taker::System ? 0 : taker == Taker::NewProcess ? system : system + first;
    if (m_count + kept >= m_last) return 0;
    for (uint32_t tried = 0; tried < m_last; tried++) {
      if (++m_place > m_last) {
        m_place = 1;
        m_round = (m_round + 1) % kRounds;
      }
      uint32_t &word = m_taken[m_place / 32];
      const uint32_t bit = uint32_t{1} << m_place % 32;
      if (word & bit) continue;
      word |= bit;
      m_count++;
      return m_round * kPlaces | m_place;
    }
    return 0;
  }

  /** The owner ends: frees its place. 0 is allowed. */
  void give(uint32_t number) {
    uint32_t &word = m_taken[placeOf(number) / 32];
    const uint32_t bit = uint32_t{1} << placeOf(number) % 32;
    if (!(word & bit)) return;
    word &= ~bit;
    m_count--;
  }

private:
  uint32_t m_last = 0;
  uint32_t m_count = 0;  // places that are taken
  uint32_t m_place = 0;
  uint32_t m_round = 0;
  uint32_t m_taken[kPlaces / 32] = {};
};

}  // namespace aero
