// SPDX-License-Identifier: MIT
// Captures see through this what commands read of guest memory.
#pragma once

#include <span>

#include "renderer/core/alloc_table.h"
#include "renderer/core/guest_memory.h"

namespace aerogpu::core {

/// Told of every guest range that a submission's commands read, at the moment they do. Render thread.
class GuestReadObserver {
public:
  virtual ~GuestReadObserver() = default;
  /// `rows` lie in `runs` (GuestSource); no runs: they cannot be found. Returns a source of the rows, so that
  /// the command works on what was observed; null when they cannot be read. Valid until the next call.
  virtual ByteSource* onGuestRead(const AllocTable::Entry& entry, const ByteRows& rows,
                                  std::span<const GuestRun> runs) = 0;
};

}  // namespace aerogpu::core
