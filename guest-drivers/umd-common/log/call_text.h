// SPDX-License-Identifier: MIT
// call_text.h: the text of one line of the log of calls. It is cut at the end of the line; it uses no allocation and no
// C run-time library. One thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

class CallText {
public:
  /** Length of every line, including its end. */
  static constexpr size_t kBytes = 192;

  const char *data() const { return m_text; }
  /** Returns the text with a terminating zero. */
  const char *ended() {
    m_text[m_size] = 0;
    return m_text;
  }
  size_t size() const { return m_size; }
  void truncate(size_t size) {
    if (size < m_size) m_size = size;
  }

  CallText &text(const char *words) {
    while (*words) put(*words++);
    return *this;
  }
  CallText &add(const CallText &other) {
    for (size_t i = 0; i < other.m_size; i++) put(other.m_text[i]);
    return *this;
  }
  CallText &number(uint64_t value, uint32_t digits = 1) { return digitsOf(value, 10, digits); }
  CallText &signedNumber(int64_t value) {
    if (value < 0) put('-');
    return number(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
  }
  /** Appends a number with 0x in front. */
  CallText &hex(uint64_t value, uint32_t digits = 1) { return text("0x").bareHex(value, digits); }
  CallText &bareHex(uint64_t value, uint32_t digits) { return digitsOf(value, 16, digits); }

private:
  void put(char character) {
    if (m_size < kBytes - 1) m_text[m_size++] = character;
  }
  CallText &digitsOf(uint64_t value, uint32_t base, uint32_t digits) {
    char reversed[20];
    uint32_t count = 0;
    do {
      reversed[count++] = "0123456789ABCDEF"[value % base];
      value /= base;
    } while (value || (count < digits && count < sizeof reversed));
    while (count) put(reversed[--count]);
    return *this;
  }

  char m_text[kBytes];
  size_t m_size = 0;
};

}  // namespace aero
