// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/qmp.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace aerogpu::host {

namespace {
constexpr int kAnswerMs = 60000;
}

Qmp::~Qmp() {
  if (m_socket >= 0) close(m_socket);
}

guest::Status Qmp::connect(const std::string& path) {
  std::lock_guard lock(m_mutex);
  if (m_socket >= 0) close(m_socket);
  m_buffer.clear();
  m_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (m_socket < 0 || ::connect(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return guest::Status::systemFailure("cannot connect to %s", path.c_str());
  std::string line;
  const guest::Status status = readLine(line);  // the greeting
  return status.ok() ? execute("qmp_capabilities", "{}", line) : status;
}

guest::Status Qmp::readLine(std::string& line) {
  for (;;) {
    if (const size_t end = m_buffer.find('\n'); end != std::string::npos) {
      line.assign(m_buffer, 0, end);
      m_buffer.erase(0, end + 1);
      static const std::string kEvent = R"("event": ")";
      if (const size_t at = line.find(kEvent); at != std::string::npos) {
        const size_t name = at + kEvent.size();
        ++m_events[line.substr(name, line.find('"', name) - name)];
      }
      return {};
    }
    pollfd ready{m_socket, POLLIN, 0};
    if (poll(&ready, 1, kAnswerMs) != 1)
      return guest::Status::failure("QMP: no answer within %d s", kAnswerMs / 1000);
    char chunk[4096];
    const ssize_t got = recv(m_socket, chunk, sizeof chunk, 0);
    if (got <= 0) return guest::Status::failure("QMP: QEMU is gone");
    m_buffer.append(chunk, static_cast<size_t>(got));
  }
}

guest::Status Qmp::execute(const std::string& command, const std::string& arguments, std::string& result) {
  const std::string text = R"({"execute": ")" + command + R"(", "arguments": )" + arguments + "}\n";
  std::lock_guard lock(m_mutex);
  if (send(m_socket, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    return guest::Status::failure("QMP: QEMU is gone");
  static const std::string kReturn = R"({"return": )";
  for (std::string line;;) {
    if (guest::Status status = readLine(line); !status.ok()) return status;
    if (line.compare(0, kReturn.size(), kReturn) == 0) {
      result = line.substr(kReturn.size());
      return {};
    }
    if (line.compare(0, 9, R"({"error":)") == 0)
      return guest::Status::failure("QMP: %s: %s", command.c_str(), line.c_str());
    // Otherwise an event.
  }
}

guest::Status Qmp::property(const std::string& name, std::string& json) {
  return execute("qom-get", R"({"path": "/machine/peripheral/gpu0", "property": ")" + name + "\"}", json);
}

guest::Status Qmp::property(const std::string& name, uint64_t& value) {
  std::string text;
  guest::Status status = property(name, text);
  if (!status.ok()) return status;
  char* end;
  value = std::strtoull(text.c_str(), &end, 10);
  if (end == text.c_str())
    return guest::Status::failure("QMP: '%s' is no number: %s", name.c_str(), text.c_str());
  return {};
}

uint64_t Qmp::events(const std::string& name) {
  std::lock_guard lock(m_mutex);
  return m_events[name];
}

guest::Status Qmp::waitForEvent(const std::string& name, uint64_t before) {
  std::lock_guard lock(m_mutex);
  guest::Status status;
  for (std::string line; status.ok() && m_events[name] <= before;) status = readLine(line);
  return status;
}

guest::Status Qmp::screendump(const std::string& path) {
  std::string ignored;
  return execute("screendump", R"({"filename": ")" + path + "\"}", ignored);
}

}  // namespace aerogpu::host
