// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/log/call_log.h"

#include "guest-drivers/umd-common/base/heap.h"
#include "guest-drivers/umd-common/log/describe.h"
#include "guest-drivers/umd-common/log/log_file.h"

namespace aero {
namespace {

constexpr size_t kLine = CallText::kBytes;

/** Fills a line: the text, blanks, and a line feed at the end. */
void fill(uint8_t *line, const char *text, size_t size) {
  if (size) memcpy(line, text, size);
  memset(line + size, ' ', kLine - 1 - size);
  line[kLine - 1] = '\n';
}

bool isRefusal(HRESULT result) {
  return result == kNotImplemented || result == kNotAvailable || result == kUnsupportedOverlay ||
         result == kUnsupportedCrypto;
}

}  // namespace

void CallLog::open(LogLevel level, const ApiName &api) {
  if (level == LogLevel::Off || isOn()) return;
  const uint32_t count = level == LogLevel::Calls ? kAllLines : kFewLines;
  constexpr size_t kPage = 4096;
  const size_t bytes = ((size_t{count} + 1 + kFirstLines) * kLine + kPage - 1) / kPage * kPage;
  uint32_t error = 0;
  m_file = mapLogFile(api.file, bytes, error);
  if (!m_file) {
    CallText why;
    why.text("aerogpu: no file for the log of ").text(api.text).text(" calls, error ").number(error);
    why.text("; it is in memory");
    debugOutput(why.ended());
    m_heap = static_cast<uint8_t *>(heapAllocate(bytes));
  }
  uint8_t *memory = m_file ? m_file : m_heap;
  if (!memory) return;
  CallText title;
  title.text("aerogpu ").text(api.text).text(" calls: ").number(count).text(" lines of ").number(kLine);
  title.text(" bytes in a ring, after ").number(kFirstLines);
  title.text(" that stay; sorted they are in order: number, seconds, thread, device, call = result");
  fill(memory, title.data(), title.size());
  for (size_t at = kLine; at + kLine <= bytes; at += kLine) fill(memory + at, "", 0);
  memset(memory + bytes - bytes % kLine, '\n', bytes % kLine);
  m_count = count;
  m_level = level;
  m_lines = memory + kLine * (1 + size_t{kFirstLines});
}

void CallLog::close() {
  unmapLogFile(m_file);
  heapFree(m_heap);
  m_lines = m_file = m_heap = nullptr;
  m_level = LogLevel::Off;
}

bool CallLog::wants(HRESULT result) const {
  switch (m_level) {
  case LogLevel::Off:
    return false;
  case LogLevel::Errors:
    return failed(result) && !isRefusal(result) && result != kWasStillDrawing;
  case LogLevel::Refusals:
    return failed(result) && result != kWasStillDrawing;
  case LogLevel::Calls:
    break;
  }
  return true;
}

void CallLog::put(uint8_t *to, uint32_t number, uint32_t device, const CallText &text) {
  const uint64_t now = logMicroseconds();
  CallText line;
  line.number(number, 10).text(" ").number(now / 1000000, 5).text(".").number(now % 1000000, 6).text(" ");
  line.bareHex(logThread(), 4).text(" ").number(device).text(" ");
  line.add(text);
  fill(to, line.data(), line.size());
}

void CallLog::put(uint32_t number, uint32_t device, const CallText &text) {
  put(m_lines + size_t{number % m_count} * kLine, number, device, text);
}

void CallLog::writeFirst(uint32_t device, uint64_t key, const CallText &text) {
  if (!isOn()) return;
  for (uint32_t i = 0; i < kFirstLines; i++) {
    uint64_t seen = 0;
    if (__atomic_compare_exchange_n(&m_firsts[i], &seen, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      // It has the number of the line that follows it, so that it is in its place when the lines are sorted.
      put(m_lines - (kFirstLines - i) * kLine, __atomic_load_n(&m_next, __ATOMIC_RELAXED), device, text);
      return;
    }
    if (seen == key) return;
  }
}

uint32_t CallLog::write(uint32_t device, const CallText &text) {
  if (!isOn()) return 0;
  const uint32_t number = __atomic_fetch_add(&m_next, 1, __ATOMIC_RELAXED);
  put(number, device, text);
  return number;
}

void CallLog::rewrite(uint32_t number, uint32_t device, const CallText &text) {
  if (!isOn()) return;
  const uint32_t since = __atomic_load_n(&m_next, __ATOMIC_RELAXED) - number;
  if (since <= m_count)
    put(number, device, text);
  else
    write(device, text);
}

void CallLog::writeCallback(uint32_t device, const char *callback, uint32_t what, HRESULT result) {
  CallText text;
  describeEnd(text.text("  ").text(callback).text("(").hex(what).text(")"), result);
  write(device, text);
}

void CallLog::dump(uint32_t device, const void *memory, size_t bytes) {
  constexpr size_t kWords = 12, kMost = 4096;
  if (bytes > kMost) bytes = kMost;
  for (size_t at = 0; at + 4 <= bytes;) {
    CallText line;
    line.text("  +").bareHex(at, 3).text(":");
    for (size_t i = 0; i < kWords && at + 4 <= bytes; i++, at += 4) {
      uint32_t word;
      memcpy(&word, static_cast<const uint8_t *>(memory) + at, sizeof word);
      line.text(" ").bareHex(word, 8);
    }
    write(device, line);
  }
}

}  // namespace aero
