// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/outside.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

constexpr int kAnswerMs = 60000, kScreenMs = 10000;

int line() {
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

bool somebodyThere() {
  static bool said = false;
  if (!options().outside && !said) {
    note("nobody is outside: screen and device counters are not looked at");
    said = true;
  }
  return options().outside;
}

/// Returns the next line of the answers, without its end; nothing if none comes before `end`.
std::optional<std::string> nextLine(int fd, int64_t end) {
  std::string text;
  while (nowNs() < end) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, 200) <= 0) continue;
    char c;
    if (read(fd, &c, 1) != 1) continue;
    if (c == '\n') return text;
    text += c;
  }
  return {};
}

/// Returns the answer to a question; nothing after a broken rule. Questions are numbered, so that an answer
/// to a dead test is not taken for ours.
std::optional<std::string> ask(const std::string& what) {
  static unsigned asked = 0;
  const std::string number = std::to_string(getpid()) + "." + std::to_string(++asked) + " ";
  const std::string question = number + what + "\n";
  const int fd = line();
  if (fd < 0 || write(fd, question.data(), question.size()) != static_cast<ssize_t>(question.size())) {
    brokenRule("the second serial line cannot be used (without it: --without-outside)");
    return {};
  }
  const int64_t end = nowNs() + kAnswerMs * 1'000'000ll;
  while (const auto answer = nextLine(fd, end)) {
    if (!answer->starts_with(number)) continue;
    const std::string text = answer->substr(number.size());
    if (!text.starts_with("error")) return text;
    brokenRule("the outside answers '%s' to '%s'", text.c_str(), what.c_str());
    return {};
  }
  brokenRule("the outside does not answer '%s' within %d s", what.c_str(), kAnswerMs / 1000);
  return {};
}

/// Returns the machine if the host itself can look at it from outside, else null.
Machine* seenMachine() {
  Adapter* adapter = theAdapter();
  return adapter && adapter->machine().isSeen() ? &adapter->machine() : nullptr;
}

/// Returns the screen's picture; nothing after a broken rule.
std::optional<Machine::Picture> pictureOf(Machine& machine) {
  Machine::Picture picture;
  const guest::Status status = machine.screen(picture);
  if (status.ok()) return picture;
  brokenRule("%s", status.text().c_str());
  return {};
}

std::vector<uint32_t> pixels(const ScreenPoints& points) {
  if (Machine* machine = seenMachine()) {
    std::vector<uint32_t> seen;
    const auto picture = pictureOf(*machine);
    if (!picture) return seen;
    for (const auto& [x, y] : points) {
      const auto column = static_cast<uint32_t>(x), row = static_cast<uint32_t>(y);
      const bool inside = column < picture->width && row < picture->height;
      seen.push_back(inside ? picture->at(column, row) : UINT32_MAX);
    }
    return seen;
  }
  std::string question = "pixels";
  for (const auto& [x, y] : points) question += " " + std::to_string(x) + "," + std::to_string(y);
  std::vector<uint32_t> result;
  const std::string answer = ask(question).value_or("");
  for (const char* p = answer.c_str(); *p;) {
    char* end;
    result.push_back(static_cast<uint32_t>(std::strtoul(p, &end, 16)));
    if (end == p) break;
    p = end;
  }
  return result;
}

}  // namespace

void expectScreen(const ScreenPoints& points, const std::vector<uint32_t>& colors, const char* what) {
  if (!somebodyThere()) return;
  const int64_t end = nowNs() + kScreenMs * 1'000'000ll;
  std::vector<uint32_t> seen;
  do {
    seen = pixels(points);
    if (seen == colors) return;
    if (seen.size() != points.size()) break;  // no answer
    sleepMs(100);
  } while (nowNs() < end);
  for (size_t i = 0; i < seen.size() && i < points.size(); ++i)
    if (seen[i] != colors[i])
      note("the screen shows %06x at (%d, %d), expected %06x", seen[i], points[i].first, points[i].second,
           colors[i]);
  expect(false, "%s on the screen", what);
}

std::pair<int, int> screenSize() {
  int width = 0, height = 0;
  if (!somebodyThere()) return {0, 0};
  if (Machine* machine = seenMachine()) {
    const auto picture = pictureOf(*machine);
    return picture ? std::pair(static_cast<int>(picture->width), static_cast<int>(picture->height))
                   : std::pair(0, 0);
  }
  const std::string answer = ask("size").value_or("");
  expect(std::sscanf(answer.c_str(), "%dx%d", &width, &height) == 2, "the outside says the screen's size");
  return {width, height};
}

void expectScreenSize(int width, int height) {
  if (!somebodyThere()) return;
  const auto [w, h] = screenSize();
  expect(w == width && h == height, "a screen of %dx%d (%dx%d)", width, height, w, h);
}

std::optional<uint64_t> deviceCounter(const char* name) {
  if (!somebodyThere()) return {};
  if (Machine* machine = seenMachine()) {
    uint64_t value = 0;
    const guest::Status status = machine->deviceProperty(name, value);
    if (status.ok()) return value;
    brokenRule("%s", status.text().c_str());
    return {};
  }
  const auto answer = ask(std::string("counter ") + name);
  if (!answer) return {};
  return std::strtoull(answer->c_str(), nullptr, 10);
}

std::optional<uint64_t> errorsOf(uint64_t process) {
  Machine* machine = seenMachine();
  if (!machine) return {};
  std::string json;
  if (const guest::Status status = machine->deviceProperty("spaces", json); !status.ok()) {
    brokenRule("%s", status.text().c_str());
    return {};
  }
  uint64_t errors = 0;
  // Flat objects of numbers, except for the name of the program.
  for (size_t at = json.find('{'); at != std::string::npos; at = json.find('{', at + 1)) {
    const std::string space = json.substr(at, json.find('}', at) - at);
    const auto member = [&](const std::string& name) {
      const size_t found = space.find('"' + name + "\": ");
      return found == std::string::npos ? UINT64_MAX
                                        : std::strtoull(space.c_str() + found + name.size() + 4, nullptr, 10);
    };
    if (member("process-id") == process) errors += member("errors");
  }
  return errors;
}

void expectDeviceCounter(const char* name, std::optional<uint64_t> expected, const char* what) {
  if (!expected) return;
  const auto seen = deviceCounter(name);
  expect(seen == expected, "%s: the device's counter '%s' is %llu (%llu)", what, name,
         static_cast<unsigned long long>(*expected), static_cast<unsigned long long>(seen.value_or(0)));
}

}  // namespace aerogpu::host
