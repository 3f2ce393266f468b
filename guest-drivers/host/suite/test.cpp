// SPDX-License-Identifier: MIT
#include "suite/test.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace aerogpu::host {

namespace {
uint32_t s_errorsBefore;  // ERROR_COUNT is never reset
}

bool expect(bool condition, const char* format, ...) {
  if (condition) return true;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  brokenRule("expected: %s", text);
  return false;
}

Session::Session(bool start) {
  m_adapter = std::make_unique<Adapter>();
  setPrintDebugLines(options().debugLines);
  guest::Status status = m_adapter->openDevice(kHugePages);
  if (status.ok()) s_errorsBefore = m_adapter->registers().read(AEROGPU_MMIO_REG_ERROR_COUNT);
  if (status.ok()) status = m_adapter->loadDriver(options().driver);
  if (!status.ok()) {
    brokenRule("%s", status.text().c_str());
    return;
  }
  m_ok = true;
  if (start) m_ok = this->start();
}

bool Session::start() {
  m_up = m_ok = m_adapter->bringUp();
  return m_ok;
}

Session::~Session() {
  if (m_up) m_adapter->bringDown();
  const StackUse stack = deepestStack();
  // x64 gives a kernel thread 24 KiB; what win32k and dxgkrnl need above the driver is not known here.
  if (stack.bytes > 12 << 10)
    brokenRule("%llu bytes of stack in %s", static_cast<unsigned long long>(stack.bytes), stack.ddi.c_str());
  note("deepest driver stack at a call: %llu bytes in %s", static_cast<unsigned long long>(stack.bytes),
       stack.ddi.c_str());
  for (const auto& [name, count] : ddiCounts().all())
    std::printf("# ddi %s %llu\n", name.c_str(), static_cast<unsigned long long>(count));
  std::fflush(stdout);
  // The interrupt thread looks at the adapter until the process ends.
  (void)m_adapter.release();
}

bool Session::setMode(UINT width, UINT height) {
  Display& display = m_adapter->display();
  if (display.modes().empty() && !display.enumerate()) return false;
  DisplayMode mode = display.preferred();
  for (const DisplayMode& m : display.modes())
    if (m.width == width && m.height == height && m.format == D3DDDIFMT_X8R8G8B8) mode = m;
  return display.setMode(mode);
}

void runInProcess(ProcessBody* body, bool withMode, UINT width, UINT height) {
  Session session;
  if (!session.ok() || (withMode && !expect(session.setMode(width, height), "a mode"))) return;
  auto client = Client::create(session.adapter(), 100);
  auto context = client ? client->createContext() : nullptr;
  if (expect(context != nullptr, "a context")) body(session.adapter(), *client, *context);
}

namespace {

int outside() {
  static const int fd = [] {
    const int file = open("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    if (file < 0 || tcgetattr(file, &settings) < 0) return -1;
    cfmakeraw(&settings);
    tcsetattr(file, TCSANOW, &settings);
    return file;
  }();
  return fd;
}

}  // namespace

bool Console::available() {
  static const bool there = ask("hello", 5000) == "hello";
  return there;
}

std::string Console::ask(const std::string& what, int timeoutMs) {
  const int fd = outside();
  if (fd < 0) return {};
  tcflush(fd, TCIFLUSH);
  const std::string line = what + "\n";
  if (write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return {};
  std::string answer;
  const int64_t end = nowNs() + timeoutMs * 1'000'000ll;
  while (nowNs() < end) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, 200) <= 0) continue;
    char c;
    while (read(fd, &c, 1) == 1) {
      if (c == '\n') return answer;
      answer += c;
      if (poll(&ready, 1, 0) <= 0) break;
    }
  }
  return {};
}

std::vector<uint32_t> Console::pixels(const std::vector<std::pair<int, int>>& points) {
  std::string question = "pixels";
  for (const auto& [x, y] : points) question += " " + std::to_string(x) + "," + std::to_string(y);
  const std::string answer = ask(question, 60000);
  std::vector<uint32_t> result;
  for (const char* p = answer.c_str(); *p;) {
    char* end;
    result.push_back(static_cast<uint32_t>(std::strtoul(p, &end, 16)));
    if (end == p) break;
    p = end;
  }
  return result.size() == points.size() ? result : std::vector<uint32_t>{};
}

bool Console::waitPixels(const std::vector<std::pair<int, int>>& points,
                         const std::vector<uint32_t>& expected, int timeoutMs) {
  const int64_t end = nowNs() + timeoutMs * 1'000'000ll;
  std::vector<uint32_t> seen;
  do {
    seen = pixels(points);
    if (seen == expected) return true;
    sleepMs(100);
  } while (nowNs() < end);
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i] != expected[i])
      note("the screen shows %06x at (%d, %d), expected %06x", seen[i], points[i].first, points[i].second,
           expected[i]);
  return false;
}

std::pair<int, int> Console::size() {
  int width = 0, height = 0;
  if (std::sscanf(ask("size", 60000).c_str(), "%dx%d", &width, &height) != 2) return {0, 0};
  return {width, height};
}

bool expectNoDeviceErrors(Adapter& adapter) {
  auto& r = adapter.registers();
  const uint32_t count = r.read(AEROGPU_MMIO_REG_ERROR_COUNT) - s_errorsBefore;
  return expect(count == 0, "the device finds no errors (%u, the last is code %u at fence 0x%llx)", count,
                r.read(AEROGPU_MMIO_REG_ERROR_CODE),
                static_cast<unsigned long long>(r.read64(AEROGPU_MMIO_REG_ERROR_FENCE_LO)));
}

void sleepMs(int ms) {
  timespec time{ms / 1000, ms % 1000 * 1'000'000l};
  while (nanosleep(&time, &time) < 0) {
  }
}

int64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

}  // namespace aerogpu::host
