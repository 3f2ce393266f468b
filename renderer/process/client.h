// SPDX-License-Identifier: MIT
// Calls of a helper process that always return.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/process/protocol.h"
#include "renderer/process/start.h"

namespace aerogpu::process {

/// The reason why a call returned no product.
struct CallError {
  enum class Reason {
    TooBig,     ///< the input has more than kMaxBytes
    Refused,    ///< the job refuses the input; `text` says why
    Died,       ///< the child met one of its limits, or died of the input
    NoSocket,   ///< this process has no descriptors left
    NoChild,    ///< the helper process cannot make a child, or knows no such job
    NoAnswer,   ///< the helper does not take the call in time
    Ended,      ///< the helper process is gone
    Cancelled,  ///< by the caller
  };
  Reason reason = Reason::Ended;
  std::string text = {};
};

class Client {
public:
  /// Starts the program (start.h). Null and a message if it cannot run here. `graceMs`: how long a call may
  /// wait beyond its limit, for its turn and its process.
  static std::unique_ptr<Client> start(const Program& program, std::string& error,
                                       uint32_t graceMs = kGraceMs);
  /// Calls over the control socket of a program that another process has started.
  static std::unique_ptr<Client> over(int control) {
    return std::unique_ptr<Client>(new Client(control, kGraceMs));
  }
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Runs job number `job` on the concatenated `input` and returns its product. Blocks for at most
  /// limits.wallMs and the grace, or until `*cancelled`. Any thread, many at a time.
  Result<std::vector<uint8_t>, CallError> call(uint32_t job,
                                               std::initializer_list<std::span<const uint8_t>> input,
                                               const std::atomic<bool>* cancelled = nullptr,
                                               Limits limits = {});

  /// The control socket, for a program that may call too.
  int control() const { return m_control; }

  /// True once the process was found to be gone; later calls fail at once.
  bool gone() const { return m_gone.load(std::memory_order_relaxed); }
  /// True for the first caller after gone() became true, who writes the log line.
  bool isFirstToReportGone() { return gone() && !m_goneReported.exchange(true, std::memory_order_relaxed); }

  static constexpr uint32_t kGraceMs = 5'000;

private:
  Client(int control, uint32_t graceMs) : m_control(control), m_graceMs(graceMs) {}
  CallError ended();

  const int m_control;
  const uint32_t m_graceMs;
  std::atomic<bool> m_gone{false};
  std::atomic<bool> m_goneReported{false};
};

}  // namespace aerogpu::process
