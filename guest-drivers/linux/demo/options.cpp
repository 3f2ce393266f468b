// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/options.h"

#include <cstdio>
#include <cstdlib>

namespace aerogpu::guest {

namespace {

bool parseNumber(const std::string& text, uint32_t maximum, uint32_t& out) {
  if (text.empty() || text.size() > 9) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  if (value > maximum) return false;
  out = static_cast<uint32_t>(value);
  return true;
}

Status parseWord(const std::string& word, Options& options) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  bool ok = true;
  if (word == "desktop") {
    options.task = Task::Desktop;
  } else if (word == "latency" || word == "bench-latency") {
    options.task = Task::Latency;
  } else if (word == "selftest") {
    options.task = Task::SelfTest;
  } else if (word == "probe") {
    options.task = Task::Probe;
  } else if (word == "fixed") {
    options.fixedStep = true;
  } else if (name == "mode") {
    const size_t x = value.find('x');
    ok = x != std::string::npos && parseNumber(value.substr(0, x), 4096, options.mode.width) &&
         parseNumber(value.substr(x + 1), 4096, options.mode.height) && options.mode.width >= 640 &&
         options.mode.height >= 480;
    if (!ok) return Status::failure("'%s': modes are 640x480 to 4096x4096", word.c_str());
  } else if (name == "frames") {
    ok = parseNumber(value, 1000000000, options.frames);
  } else if (name == "iterations") {
    ok = parseNumber(value, 10000000, options.iterations) && options.iterations != 0;
  } else {
    return Status::failure("unknown option '%s'", word.c_str());
  }
  if (!ok) return Status::failure("bad number in '%s'", word.c_str());
  return {};
}

}  // namespace

Status Options::parseWords(const std::string& words) {
  size_t begin = 0;
  while (begin < words.size()) {
    size_t end = words.find(',', begin);
    if (end == std::string::npos) end = words.size();
    if (end > begin) {
      Status status = parseWord(words.substr(begin, end - begin), *this);
      if (!status.ok()) return status;
    }
    begin = end + 1;
  }
  return {};
}

Status Options::parseArguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) return Status::failure("unknown argument '%s'", argument.c_str());
    Status status = parseWord(argument.substr(2), *this);
    if (!status.ok()) return status;
  }
  return {};
}

Status Options::parseKernelCommandLine(const std::string& line) {
  const std::string key = "aerogpu.demo=";
  size_t begin = 0;
  while (begin < line.size()) {
    size_t end = line.find_first_of(" \t\n", begin);
    if (end == std::string::npos) end = line.size();
    const std::string word = line.substr(begin, end - begin);
    if (word.rfind(key, 0) == 0) {
      Status status = parseWords(word.substr(key.size()));
      if (!status.ok()) return status;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace aerogpu::guest
