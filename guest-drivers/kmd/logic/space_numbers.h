// SPDX-License-Identifier: MIT
// space_numbers.h: the numbers of handle spaces (docs/abi/spaces.md), one for each WDDM device. Not locked: the owner
// serialises. Any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/**
 * A number has a place, which is one of few and nobody else's while its owner lives, and a round. The end of a space is
 * a packet in the ring, which a time-out or a sleep may hold back: until it has run, its number must not be somebody
 * else's. A number therefore comes again after a million rounds only, and nobody has to watch when it is free.
 */
class SpaceNumbers {
public:
  static constexpr uint32_t kPlaces = 4096;
  static constexpr uint32_t kRounds = (uint32_t{1} << 20) - 1;

  /** Who takes a place: some are kept for who comes late. */
  enum class Taker {
    System,       // the OS: as long as there is one
    NewProcess,   // a process that has none yet
    SameProcess,  // another one of such
  };

  /** The place of a number. */
  static constexpr uint32_t placeOf(uint32_t number) { return number % kPlaces; }

  /** `limit`: how many may live at once (SPACE-9). `seed`: any number; those that an earlier driver left on the device
   *  are not met but by chance. What is taken stays taken. */
  void start(uint32_t limit, uint32_t seed) {
    m_last = limit < kPlaces - 1 ? limit : kPlaces - 1;
    if (!m_round) m_round = seed % kRounds;
  }

  /** A number that is not 0; 0 when all places are taken, or the rest is kept for others. */
  uint32_t take(Taker taker) {
    // Of 4095: 63 for the OS, 511 beside them for the first device of a process.
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

  /** The owner ends: its place is free. 0 is fine. */
  void give(uint32_t number) {
    uint32_t &word = m_taken[placeOf(number) / 32];
    const uint32_t bit = uint32_t{1} << placeOf(number) % 32;
    if (!(word & bit)) return;
    word &= ~bit;
    m_count--;
  }

private:
  uint32_t m_last = 0;
  uint32_t m_count = 0;  // taken
  uint32_t m_place = 0;
  uint32_t m_round = 0;
  uint32_t m_taken[kPlaces / 32] = {};
};

}  // namespace aero
