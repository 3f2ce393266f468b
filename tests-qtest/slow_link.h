// SPDX-License-Identifier: MIT
// A link between two sockets that takes so many bytes a second, and counts them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <thread>

namespace aerogpu::qtest {

class SlowLink {
public:
  /// Listens at `from`, for one connection, and sends what comes to who listens at `to`. Each 256 KiB take
  /// their time. Throws if it cannot listen.
  SlowLink(const std::filesystem::path& from, const std::filesystem::path& to, uint64_t bytesASecond);
  ~SlowLink();
  SlowLink(const SlowLink&) = delete;
  SlowLink& operator=(const SlowLink&) = delete;

  uint64_t bytes() const { return m_bytes; }

private:
  void run();

  const std::filesystem::path m_to;
  const uint64_t m_bytesASecond;
  int m_listener;
  std::atomic<uint64_t> m_bytes{0};
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

}  // namespace aerogpu::qtest
