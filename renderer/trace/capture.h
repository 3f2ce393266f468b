// SPDX-License-Identifier: MIT
// Captures everything submitted to a trace file: stream, allocation table, and the guest bytes that the
// commands read, at the moment they read them. Render thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/core/executor.h"
#include "renderer/trace/writer.h"

namespace aerogpu::trace {

class Capture : public core::GuestReadObserver {
public:
  static std::unique_ptr<Capture> start(const std::string& path, const core::GuestMemory& guest,
                                        std::string& error);

  /// Around the execution of one submission.
  void begin(const aerogpu_submission& submission);
  void end();
  void onGuestRead(uint32_t allocId, uint64_t gpa, uint64_t size) override;
  bool finish(std::string& error) { return m_writer->finish(error); }

private:
  Capture(std::unique_ptr<Writer> writer, const core::GuestMemory& guest)
      : m_writer(std::move(writer)), m_guest(guest) {}

  std::unique_ptr<Writer> m_writer;
  const core::GuestMemory& m_guest;
  SubmissionRecord m_record{};
  bool m_present = false;
  std::vector<MemoryRange> m_ranges;
  std::vector<uint8_t> m_bytes;
};

}  // namespace aerogpu::trace
