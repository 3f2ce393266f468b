// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/linux/linux_log.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "guest-drivers/umd-common/base/module.h"
#include "guest-drivers/umd-common/log/log_file.h"

namespace {

std::mutex s_mutex;
bool s_refuse = false;
std::map<uint8_t *, size_t> s_files;  // mapped files
std::vector<char> s_last;
uint8_t *s_newest = nullptr;
std::vector<std::string> s_output;
std::atomic<uint64_t> s_time{3723000001};
std::atomic<uint32_t> s_threads{0xA0};
std::atomic<unsigned> s_pins{0};

}  // namespace

namespace aero {

uint8_t *mapLogFile(const char *, size_t bytes, uint32_t &error) {
  const std::lock_guard lock(s_mutex);
  error = s_refuse ? 5 : 0;
  if (s_refuse) return nullptr;
  s_newest = static_cast<uint8_t *>(std::calloc(1, bytes));
  s_files[s_newest] = bytes;
  return s_newest;
}

void unmapLogFile(uint8_t *memory) {
  const std::lock_guard lock(s_mutex);
  if (!memory) return;
  s_last.assign(memory, memory + s_files.at(memory));
  s_files.erase(memory);
  if (s_newest == memory) s_newest = nullptr;
  std::free(memory);
}

void debugOutput(const char *line) {
  const std::lock_guard lock(s_mutex);
  s_output.emplace_back(line);
}

void stayLoaded() {
  s_pins++;
}

uint64_t logMicroseconds() {
  return s_time += 10;
}

uint32_t logThread() {
  thread_local const uint32_t number = s_threads++;
  return number;
}

}  // namespace aero

namespace aero::test {

unsigned timesPinned() {
  return s_pins;
}

void refuseLogFiles(bool refuse) {
  s_refuse = refuse;
}

std::vector<char> takeLogFile() {
  const std::lock_guard lock(s_mutex);
  if (s_newest) return {s_newest, s_newest + s_files.at(s_newest)};
  return std::exchange(s_last, {});
}

std::vector<std::string> takeDebugOutput() {
  const std::lock_guard lock(s_mutex);
  return std::exchange(s_output, {});
}

}  // namespace aero::test
