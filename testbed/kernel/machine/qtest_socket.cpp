// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/qtest_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aerogpu::host {

namespace {

// Long commands are split, because QEMU collects each as a line.
constexpr uint64_t kBlockBytes = 48 << 10;
// Less than the time of a line of the raster.
constexpr int64_t kLagNs = 10'000;
constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] void end(const char* what, const char* text) {
  std::printf("# aerogpu-driver-host: error: qtest: %s%s%s\n", what, *text ? ": " : "", text);
  std::fflush(stdout);
  _exit(3);
}

char suffix(unsigned bytes) {
  return bytes == 1 ? 'b' : bytes == 2 ? 'w' : bytes == 4 ? 'l' : 'q';
}

void appendBase64(std::string& text, const uint8_t* bytes, uint64_t length) {
  const size_t begin = text.size();
  text.resize(begin + (length + 2) / 3 * 4);
  char* to = text.data() + begin;
  for (uint64_t i = 0; i < length; i += 3, to += 4) {
    const uint64_t left = length - i;
    const uint32_t group = static_cast<uint32_t>(bytes[i]) << 16 |
                           (left > 1 ? static_cast<uint32_t>(bytes[i + 1]) << 8 : 0) |
                           (left > 2 ? bytes[i + 2] : 0);
    to[0] = kBase64[group >> 18];
    to[1] = kBase64[group >> 12 & 63];
    to[2] = left > 1 ? kBase64[group >> 6 & 63] : '=';
    to[3] = left > 2 ? kBase64[group & 63] : '=';
  }
}

/// Returns false if the text is not the Base64 of `length` bytes.
bool fromBase64(const std::string& text, uint8_t* bytes, uint64_t length) {
  static const auto values = [] {
    struct {
      uint8_t of[256];
    } table;
    std::memset(table.of, 0xFF, sizeof table.of);
    for (uint8_t i = 0; i < 64; ++i) table.of[static_cast<uint8_t>(kBase64[i])] = i;
    return table;
  }();
  if (text.size() != (length + 2) / 3 * 4) return false;
  for (uint64_t i = 0, at = 0; at < length; i += 4) {
    uint32_t group = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const uint8_t value = values.of[static_cast<uint8_t>(text[i + k])];
      if (value == 0xFF && text[i + k] != '=') return false;
      group = group << 6 | (value & 63);
    }
    for (int shift = 16; shift >= 0 && at < length; shift -= 8)
      bytes[at++] = static_cast<uint8_t>(group >> shift);
  }
  return true;
}

}  // namespace

QtestSocket::~QtestSocket() {
  if (m_watcher.joinable()) {
    eventfd_write(m_stop, 1);
    m_watcher.join();
  }
  if (m_stop >= 0) close(m_stop);
  if (m_socket >= 0) close(m_socket);
}

int QtestSocket::open(const std::string& path, guest::Status& status) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    status = guest::Status::failure("the path %s is too long for a socket", path.c_str());
    return -1;
  }
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (opened >= 0 && ::connect(opened, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return opened;
  status = guest::Status::systemFailure("cannot connect to %s", path.c_str());
  if (opened >= 0) close(opened);
  return -1;
}

// QEMU may still have the beginning of a long line from a process that died. This completes the line, and the
// answer to it is ignored.
void QtestSocket::greet() {
  send("?\n");
  std::string line;
  while (!takeLine(line)) fill(true);
}

guest::Status QtestSocket::connect(const std::string& path) {
  guest::Status status;
  m_socket = open(path, status);
  if (m_socket >= 0) greet();
  return status;
}

guest::Status QtestSocket::reconnect(const std::string& path) {
  std::lock_guard lock(m_mutex);
  guest::Status status;
  const int opened = open(path, status);
  if (opened < 0) return status;
  // The descriptor stays: the watching thread waits for it without the lock.
  const bool replaced = dup3(opened, m_socket, O_CLOEXEC) >= 0;
  if (!replaced) status = guest::Status::systemFailure("cannot replace the socket");
  close(opened);
  if (!replaced) return status;
  m_buffer.clear();
  m_clock = 0;
  greet();
  return status;
}

void QtestSocket::startWatching() {
  m_stop = eventfd(0, EFD_CLOEXEC);
  m_watcher = std::thread([this] { watch(); });
}

bool QtestSocket::takeLine(std::string& line) {
  const size_t newline = m_buffer.find('\n');
  if (newline == std::string::npos) return false;
  line.assign(m_buffer, 0, newline);
  m_buffer.erase(0, newline + 1);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

void QtestSocket::fill(bool wait) {
  char chunk[65536];
  const ssize_t got = recv(m_socket, chunk, sizeof chunk, wait ? 0 : MSG_DONTWAIT);
  if (got > 0)
    m_buffer.append(chunk, static_cast<size_t>(got));
  else if (got == 0 || (errno != EAGAIN && errno != EINTR))
    end("QEMU is gone", "");
}

bool QtestSocket::takeReport(const std::string& line) {
  if (line.compare(0, 4, "IRQ ") != 0) return false;
  char action[16];
  unsigned number = 0;
  if (std::sscanf(line.c_str(), "IRQ %15s %u", action, &number) == 2 && number < 32)
    setLevel(number, std::strcmp(action, "raise") == 0);
  return true;
}

std::string QtestSocket::readAnswer() {
  std::string line;
  for (;;) {
    while (!takeLine(line)) fill(true);
    if (!takeReport(line)) return line;
  }
}

void QtestSocket::send(const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::send(m_socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) end("QEMU is gone", "");
    sent += static_cast<size_t>(n);
  }
}

std::string QtestSocket::stepCommand(int64_t lag) {
  const int64_t behind = clockNow() - m_clock;
  if (!m_follows || behind <= lag) return {};
  ++m_commands;
  return "clock_step " + std::to_string(behind) + "\n";
}

void QtestSocket::takeStepAnswer() {
  const std::string answer = readAnswer();
  if (answer.compare(0, 3, "OK ") != 0) end("QEMU does not step its clock", answer.c_str());
  m_clock = std::strtoll(answer.c_str() + 3, nullptr, 0);
}

// The step goes with the command: QEMU does the lines of one message in turn, and a message costs more than
// both.
std::string QtestSocket::command(const std::string& text, int64_t* clock) {
  std::lock_guard lock(m_mutex);
  const std::string step = stepCommand(kLagNs);
  ++m_commands;
  send(step + text);
  if (!step.empty()) takeStepAnswer();
  std::string answer = readAnswer();
  if (clock) *clock = m_clock;
  if (answer.compare(0, 2, "OK") != 0)
    end(("QEMU does not do '" + text.substr(0, std::min<size_t>(60, text.size() - 1)) + "'").c_str(),
        answer.c_str());
  answer.erase(0, answer.size() > 2 ? 3 : 2);
  return answer;
}

std::string QtestSocket::commandf(const char* format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return command(std::string(text, static_cast<size_t>(length)));
}

uint64_t QtestSocket::read(uint64_t address, unsigned bytes) {
  return std::strtoull(
      commandf("read%c 0x%llx\n", suffix(bytes), static_cast<unsigned long long>(address)).c_str(), nullptr,
      0);
}

void QtestSocket::write(uint64_t address, uint64_t value, unsigned bytes) {
  commandf("write%c 0x%llx 0x%llx\n", suffix(bytes), static_cast<unsigned long long>(address),
           static_cast<unsigned long long>(value));
}

int64_t QtestSocket::writeAtClock(uint64_t address, uint64_t value, unsigned bytes) {
  char text[80];
  std::snprintf(text, sizeof text, "write%c 0x%llx 0x%llx\n", suffix(bytes),
                static_cast<unsigned long long>(address), static_cast<unsigned long long>(value));
  int64_t clock = 0;
  command(text, &clock);
  return clock;
}

void QtestSocket::readBlock(uint64_t address, void* to, uint64_t bytes) {
  auto* at = static_cast<uint8_t*>(to);
  for (uint64_t n; bytes; address += n, at += n, bytes -= n) {
    n = std::min(bytes, kBlockBytes);
    const std::string answer = commandf("b64read 0x%llx 0x%llx\n", static_cast<unsigned long long>(address),
                                        static_cast<unsigned long long>(n));
    if (!fromBase64(answer, at, n)) end("a block in Base64 is wrong", answer.substr(0, 60).c_str());
  }
}

void QtestSocket::writeBlock(uint64_t address, const void* from, uint64_t bytes) {
  const auto* at = static_cast<const uint8_t*>(from);
  for (uint64_t n; bytes; address += n, at += n, bytes -= n) {
    n = std::min(bytes, kBlockBytes);
    char head[80];
    const int length =
        std::snprintf(head, sizeof head, "b64write 0x%llx 0x%llx ", static_cast<unsigned long long>(address),
                      static_cast<unsigned long long>(n));
    std::string text(head, static_cast<size_t>(length));
    text.reserve(text.size() + n * 4 / 3 + 8);
    appendBase64(text, at, n);
    text += '\n';
    command(text);
  }
}

uint32_t QtestSocket::in(uint16_t port) {
  return static_cast<uint32_t>(std::strtoul(commandf("inl 0x%x\n", port).c_str(), nullptr, 0));
}

void QtestSocket::out(uint16_t port, uint32_t value) {
  commandf("outl 0x%x 0x%x\n", port, value);
}

void QtestSocket::out16(uint16_t port, uint32_t value) {
  commandf("outw 0x%x 0x%x\n", port, value);
}

int64_t QtestSocket::clock() {
  return std::strtoll(command("clock_step 0\n").c_str(), nullptr, 0);
}

void QtestSocket::followClock() {
  std::lock_guard lock(m_mutex);
  m_follows = true;
  m_clock = clockNow();
}

void QtestSocket::catchUp() {
  std::lock_guard lock(m_mutex);
  const std::string step = stepCommand(0);
  if (step.empty()) return;
  send(step);
  takeStepAnswer();
}

void QtestSocket::interceptInterrupts(const std::string& path) {
  command("irq_intercept_in " + path + "\n");
}

void QtestSocket::setLevel(unsigned number, bool level) {
  std::lock_guard lock(m_levelMutex);
  if (level)
    m_levels |= 1u << number;
  else
    m_levels &= ~(1u << number);
  if (level) m_raised.notifyAll();
}

bool QtestSocket::waitLevel(unsigned number, int64_t deadline) {
  std::unique_lock lock(m_levelMutex);
  return m_raised.waitUntil(lock, deadline, [&] { return level(number); });
}

// A thread that sends a command reads up to its answer, and with it all reports before. This thread reads
// reports while no command is under way. It waits for the socket without the lock, so that it never delays a
// command.
void QtestSocket::watch() {
  for (;;) {
    pollfd ready[2] = {{m_socket, POLLIN, 0}, {m_stop, POLLIN, 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return;
    if (ready[1].revents) return;
    std::lock_guard lock(m_mutex);
    fill(false);
    std::string line;
    while (takeLine(line))
      if (!takeReport(line)) end("an answer that nobody asked for", line.c_str());
  }
}

}  // namespace aerogpu::host
