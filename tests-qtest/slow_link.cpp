// SPDX-License-Identifier: MIT
#include "tests-qtest/slow_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "tests-qtest/qemu_process.h"

namespace aerogpu::qtest {

namespace {

constexpr int kPollMs = 50;

sockaddr_un addressOf(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool sendAll(int to, const uint8_t* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = send(to, bytes + done, size - done, MSG_NOSIGNAL);
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

SlowLink::SlowLink(const std::filesystem::path& from, const std::filesystem::path& to, uint64_t bytesASecond)
    : m_to(to), m_bytesASecond(bytesASecond), m_listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_un address = addressOf(from);
  if (m_listener < 0 || bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(m_listener, 1) != 0)
    throw QemuError("cannot listen at " + from.string());
  m_thread = std::thread([this] { run(); });
}

SlowLink::~SlowLink() {
  m_ends = true;
  m_thread.join();
  close(m_listener);
}

void SlowLink::run() {
  using Clock = std::chrono::steady_clock;
  const auto comes = [&](int fd) {
    pollfd p{fd, POLLIN, 0};
    while (!m_ends)
      if (poll(&p, 1, kPollMs) == 1) return true;
    return false;
  };
  if (!comes(m_listener)) return;
  const int in = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
  const int out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = addressOf(m_to);
  bool goes = connect(out, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  std::vector<uint8_t> bytes(256 << 10);
  auto next = Clock::now();
  while (goes && comes(in)) {
    const ssize_t count = recv(in, bytes.data(), bytes.size(), 0);
    if (count <= 0) break;
    m_bytes += static_cast<uint64_t>(count);
    goes = sendAll(out, bytes.data(), static_cast<size_t>(count));
    // What nobody sent while there was time for it is not caught up with.
    next = std::max(next, Clock::now()) +
           std::chrono::nanoseconds(static_cast<uint64_t>(count) * 1'000'000'000 / m_bytesASecond);
    std::this_thread::sleep_until(next);
  }
  close(in);
  close(out);
}

}  // namespace aerogpu::qtest
