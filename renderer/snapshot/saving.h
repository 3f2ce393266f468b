// SPDX-License-Identifier: MIT
// A save while the guest goes on: contents go ahead, the snapshot follows once nothing runs. Render thread
// only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "renderer/snapshot/ahead.h"
#include "renderer/trace/writer.h"

namespace aerogpu::snapshot {

class Saving {
public:
  Saving(core::Submission& parts, std::unique_ptr<trace::Writer> file)
      : m_file(std::move(file)), m_ahead(parts, *m_file) {}

  /// Sends contents ahead, as Ahead::send() does. What was not written for half a second counts as rested.
  Result<Ahead::Left> send(uint64_t budget) {
    constexpr std::chrono::milliseconds kSpan{500};
    if (const auto now = std::chrono::steady_clock::now(); now - m_spanBegan >= kSpan) {
      m_spanBegan = now;
      m_ahead.nextSpan();
    }
    return m_ahead.send(budget);
  }
  trace::Writer& file() { return *m_file; }
  const Ahead& ahead() const { return m_ahead; }

private:
  const std::unique_ptr<trace::Writer> m_file;
  Ahead m_ahead;
  std::chrono::steady_clock::time_point m_spanBegan = std::chrono::steady_clock::now();
};

}  // namespace aerogpu::snapshot
