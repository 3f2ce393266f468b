// SPDX-License-Identifier: MIT
// handle_ranges.h: assigns ranges of handles to devices (PRIV-13, PRIV-15, PRIV-27). The device has one namespace of
// handles for all processes; with a range of its own, a process can choose handles that no other process chooses. Not
// locked: the owner serialises. Any IRQL.
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_escape_extension.h"

namespace aero {

class HandleRanges {
public:
  static constexpr uint32_t kUnit = AEROGPU_EXT_HANDLE_RANGE_UNIT;
  static constexpr uint32_t kUnits =
      (AEROGPU_EXT_RANGED_HANDLES_LAST - AEROGPU_EXT_RANGED_HANDLES_FIRST) / kUnit + 1;  // 4096
  static constexpr uint32_t kMaxUnits = AEROGPU_EXT_HANDLES_MAX / kUnit;                 // most units of an owner

  /** True if only the owner of a range may use the handle. */
  static constexpr bool covers(uint32_t handle) {
    return handle >= AEROGPU_EXT_RANGED_HANDLES_FIRST && handle <= AEROGPU_EXT_RANGED_HANDLES_LAST;
  }

  /** Returns the owner of a handle for which covers() is true; null if it has none. */
  const void *ownerOf(uint32_t handle) const { return m_units[unitOf(handle)].owner; }

  /**
   * Takes a range of at least `count` handles, 1 to AEROGPU_EXT_HANDLES_MAX, for `owner`; sets `count` to its size. A
   * range that was given back is reused as late as possible, and not before the ring, whose head is at `ringHead`, has
   * passed the place where it was given back. Returns false if the owner would exceed its limit, or no range is free.
   */
  bool take(const void *owner, uint32_t ringHead, uint32_t &count, uint32_t &first) {
    const uint32_t wanted = (count + kUnit - 1) / kUnit;
    uint32_t owned = 0;
    for (const Unit &unit : m_units) owned += unit.owner == owner;
    if (wanted > kMaxUnits - owned) return false;
    // Ranges do not wrap, so each is looked at once from the cursor on and once from the start.
    uint32_t begin;
    if (!find(wanted, ringHead, m_next, begin) && !find(wanted, ringHead, 0, begin)) return false;
    for (uint32_t i = begin; i < begin + wanted; i++) m_units[i] = {owner, 0, State::Owned};
    m_next = (begin + wanted) % kUnits;
    count = wanted * kUnit;
    first = AEROGPU_EXT_RANGED_HANDLES_FIRST + begin * kUnit;
    return true;
  }

  /**
   * The owner ends and its ranges become free. `allDestroyed`: submissions before `ringTail` have destroyed everything
   * in them; otherwise a handle may stay on the device for ever, and its range is not given out again.
   */
  void give(const void *owner, bool allDestroyed, uint32_t ringTail) {
    for (Unit &unit : m_units)
      if (unit.owner == owner) {
        const bool lost = unit.state == State::OwnedAtLoss || !allDestroyed;
        unit = {nullptr, ringTail, lost ? State::Lost : State::Leaving};
      }
  }

  /** The ring was emptied and restarts at 0; the submissions between `head` and `tail` did not run. */
  void ringEmptied(uint32_t head, uint32_t tail) {
    for (Unit &unit : m_units)
      if (unit.state == State::Leaving)
        unit.state = passed(head, unit.leaves) ? State::Free : State::Lost;
      else if (unit.state == State::Owned && head != tail)
        unit.state = State::OwnedAtLoss;  // its owner's submissions may be among those that were lost
  }

  /** The device was reset: no handle is left on it. */
  void deviceForgot() {
    for (Unit &unit : m_units)
      if (unit.owner)
        unit.state = State::Owned;
      else
        unit.state = State::Free;
  }

private:
  enum class State : uint8_t {
    Free,
    Owned,
    OwnedAtLoss,  // some work of its owner may be lost
    Leaving,      // no owner; free when the ring has passed `leaves`
    Lost,         // some handle of it may be on the device until the device is reset
  };
  struct Unit {
    const void *owner;
    uint32_t leaves;
    State state;
  };

  static constexpr uint32_t unitOf(uint32_t handle) { return (handle - AEROGPU_EXT_RANGED_HANDLES_FIRST) / kUnit; }
  static constexpr bool passed(uint32_t head, uint32_t index) { return static_cast<int32_t>(head - index) >= 0; }

  bool find(uint32_t wanted, uint32_t ringHead, uint32_t from, uint32_t &begin) const {
    uint32_t run = 0;
    for (uint32_t i = from; i < kUnits; i++) {
      const Unit &unit = m_units[i];
      const bool free = unit.state == State::Free || (unit.state == State::Leaving && passed(ringHead, unit.leaves));
      run = free ? run + 1 : 0;
      if (run == wanted) {
        begin = i + 1 - wanted;
        return true;
      }
    }
    return false;
  }

  Unit m_units[kUnits] = {};
  uint32_t m_next = 0;
};

}  // namespace aero
