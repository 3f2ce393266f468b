// SPDX-License-Identifier: MIT
// What the guest is told of the GPU, and all of it that it may use: what this GPU has, or less, so that a
// machine can go on where less is there. A machine that was taken although this GPU lacks something of what
// it was told may use what is there. Render thread only, but for a constant object.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/backend.h"
#include "renderer/core/caps_block.h"

namespace aerogpu::core {

class Announced {
public:
  /// Announces all that the back end has.
  explicit Announced(const Backend& backend);

  /// Announces no more than the set of that name: "host", which is all, "base-1", or "base", the newest base
  /// set. False if there is none.
  bool restrictTo(std::string_view set);
  /// Announces what a block promises. If missingCaps() misses something of it here, that is lacking.
  void adopt(const CapsBlock& promised);

  /// Announces what a block promises on another GPU, which the back end has opened.
  void moveTo(const Backend& backend, const CapsBlock& promised);

  const BackendLimits& limits() const { return m_limits; }
  /// True if the guest may use what a flag of the block says: AEROGPU_CAPS_*.
  bool has(uint32_t flag) const { return m_limits.capsFlags & flag; }
  /// Returns the limits that the guest knows, with what is lacking.
  const BackendLimits& told() const { return m_told; }
  /// Returns what the guest was told of a format and this GPU lacks.
  FormatCaps lacking(aerogpu_format format) const {
    const auto found = m_lacking.find(format);
    return found == m_lacking.end() ? FormatCaps{} : found->second;
  }
  /// Notes that something is lacking that was needed; true if it was not noted before. `what` is one of few
  /// texts, `number` a format's or 0.
  bool isNewLack(std::string_view what, uint32_t number) const {
    return m_noted.emplace(what, number).second;
  }
  FormatCaps formatCaps(aerogpu_format format) const { return m_formats.at(format); }
  /// Returns the uses of a format that this GPU has and that are not announced: AEROGPU_FORMAT_CAP_*.
  uint32_t withheld(aerogpu_format format) const {
    return m_ownFormats.at(format).caps & ~m_formats.at(format).caps;
  }

private:
  /// Drops what the limits and formats of another GPU do not have.
  void intersect(const BackendLimits& limits, const std::map<uint32_t, FormatCaps>& formats);

  BackendLimits m_ownLimits;
  std::map<uint32_t, FormatCaps> m_ownFormats;
  BackendLimits m_limits;
  std::map<uint32_t, FormatCaps> m_formats;
  BackendLimits m_told;
  std::map<uint32_t, FormatCaps> m_lacking;
  mutable std::set<std::pair<std::string, uint32_t>> m_noted;
};

}  // namespace aerogpu::core
