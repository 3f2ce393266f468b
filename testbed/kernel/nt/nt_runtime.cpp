// SPDX-License-Identifier: MIT
// Strings, memory, printing: the Rtl exports and ntoskrnl's C functions. Source: the wdm page of each
// export's name. Functions that copy memory may fault on a user address, which becomes the driver's
// exception.
#include <atomic>
#include <cstring>

#include "testbed/kernel/core/device_pages.h"
#include "testbed/kernel/core/fault.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/core/width.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

std::atomic<uint64_t> s_debugLines{0};
std::atomic<bool> s_printDebugLines{false};

bool touchesDevice(const uint8_t* a, const uint8_t* b) {
  return isDeviceAddress(reinterpret_cast<uintptr_t>(a)) || isDeviceAddress(reinterpret_cast<uintptr_t>(b));
}

// The copies go byte by byte or by words in order, so that the part copied before a fault is known.
HOST_CDECL void* ntMemcpy(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (touchesDevice(to, from)) return copyDevicePages(to, from, bytes), to;
  return std::memcpy(to, from, bytes);
}
HOST_CDECL void* ntMemmove(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (touchesDevice(to, from)) return copyDevicePages(to, from, bytes), to;
  return std::memmove(to, from, bytes);
}
HOST_CDECL void* ntMemset(uint8_t* to, int value, size_t bytes) {
  if (touchesDevice(to, to)) return fillDevicePages(to, static_cast<uint8_t>(value), bytes), to;
  return std::memset(to, value, bytes);
}
#if defined(__x86_64__)
HOST_CDECL int ntMemcmp(const void* a, const void* b, size_t bytes) {
  return std::memcmp(a, b, bytes);
}
#endif
HOST_API void rtlMoveMemory(uint8_t* to, const uint8_t* from, size_t bytes) {
  ntMemmove(to, from, bytes);
}
HOST_API size_t rtlCompareMemory(const uint8_t* a, const uint8_t* b, size_t bytes) {
  size_t i = 0;
  while (i < bytes && a[i] == b[i]) ++i;
  return i;
}
HOST_CDECL size_t ntStrlen(const char* text) {
  return std::strlen(text);
}
HOST_CDECL int ntStrcmp(const char* a, const char* b) {
  return std::strcmp(a, b);
}
HOST_CDECL int ntStrncmp(const char* a, const char* b, size_t n) {
  return std::strncmp(a, b, n);
}
HOST_CDECL size_t ntWcslen(const char16_t* text) {
  size_t n = 0;
  while (text[n]) ++n;
  return n;
}

HOST_API void rtlInitUnicodeString(UNICODE_STRING* out, const char16_t* text) {
  const uint64_t bytes = text ? ntWcslen(text) * 2 : 0;
  *out = {static_cast<USHORT>(bytes), static_cast<USHORT>(text ? bytes + 2 : 0), const_cast<char16_t*>(text)};
}
HOST_API void rtlCopyUnicodeString(UNICODE_STRING* to, const UNICODE_STRING* from) {
  const USHORT bytes = from ? std::min(from->Length, to->MaximumLength) : USHORT{0};
  if (bytes) std::memcpy(to->Buffer, from->Buffer, bytes);
  to->Length = bytes;
  if (bytes + 2 <= to->MaximumLength) to->Buffer[bytes / 2] = 0;
}
HOST_API NTSTATUS rtlAppendUnicodeToString(UNICODE_STRING* to, const char16_t* text) {
  const uint64_t bytes = text ? ntWcslen(text) * 2 : 0;
  if (to->Length + bytes > to->MaximumLength) return kBufferTooSmall;
  std::memcpy(to->Buffer + to->Length / 2, text, bytes);
  to->Length = static_cast<USHORT>(to->Length + bytes);
  if (to->Length + 2 <= to->MaximumLength) to->Buffer[to->Length / 2] = 0;
  return kSuccess;
}
HOST_API NTSTATUS rtlAppendUnicodeStringToString(UNICODE_STRING* to, const UNICODE_STRING* from) {
  if (to->Length + from->Length > to->MaximumLength) return kBufferTooSmall;
  std::memcpy(to->Buffer + to->Length / 2, from->Buffer, from->Length);
  to->Length = static_cast<USHORT>(to->Length + from->Length);
  if (to->Length + 2 <= to->MaximumLength) to->Buffer[to->Length / 2] = 0;
  return kSuccess;
}
HOST_API uint8_t rtlEqualUnicodeString(const UNICODE_STRING* a, const UNICODE_STRING* b, uint8_t ignoreCase) {
  if (a->Length != b->Length) return 0;
  for (unsigned i = 0; i < a->Length / 2u; ++i) {
    char16_t x = a->Buffer[i], y = b->Buffer[i];
    if (ignoreCase && x < 128 && y < 128)
      x = static_cast<char16_t>(std::toupper(x)), y = static_cast<char16_t>(std::toupper(y));
    if (x != y) return 0;
  }
  return 1;
}
HOST_API NTSTATUS rtlGetVersion(uint32_t* info) {
  // RTL_OSVERSIONINFOW: size, 6.1, build 7601, VER_PLATFORM_WIN32_NT.
  const uint32_t values[4] = {6, 1, 7601, 2};
  std::memcpy(info + 1, values, sizeof values);
  return kSuccess;
}

#if defined(__x86_64__)
using Arguments = __builtin_ms_va_list;
#define ARGUMENTS_START __builtin_ms_va_start
#define ARGUMENTS_END __builtin_ms_va_end
#else
using Arguments = __builtin_va_list;
#define ARGUMENTS_START __builtin_va_start
#define ARGUMENTS_END __builtin_va_end
#endif

/// The slots of variable arguments: one each, but on x86 two for 64 bits.
class Slots {
public:
  explicit Slots(const void* first) : m_at(static_cast<const uintptr_t*>(first)) {}
  uintptr_t take() { return *m_at++; }
  uint64_t take64() {
    uint64_t value;
    std::memcpy(&value, m_at, sizeof value);
    m_at += kIs64 ? 1 : 2;
    return value;
  }

private:
  const uintptr_t* m_at;
};

/// Formats as _vsnprintf does, as far as ASCII output needs it: flags, width, precision, h/l/ll/I64/w, d i u
/// x X c s S p Z.
int formatMs(char* out, size_t size, const char* text, Slots slots) {
  size_t n = 0;
  const auto put = [&](const char* data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i, ++n)
      if (n < size) out[n] = data[i];
  };
  for (; *text; ++text) {
    if (*text != '%') {
      put(text, 1);
      continue;
    }
    std::string spec = "%";
    ++text;
    while (std::strchr("-+ #0", *text) && *text) spec += *text++;
    while ((*text >= '0' && *text <= '9') || *text == '.' || *text == '*')
      if (*text == '*') {
        spec += std::to_string(static_cast<int32_t>(slots.take()));
        ++text;
      } else {
        spec += *text++;
      }
    bool wide = false, wideText = false;
    for (;; ++text) {
      if (std::strncmp(text, "I64", 3) == 0) {
        wide = true;
        text += 2;
      } else if (std::strncmp(text, "ll", 2) == 0) {
        wide = true;
        ++text;
      } else if (*text == 'I') {
        wide = true;
      } else if (*text == 'w' || *text == 'l') {
        wideText = true;
      } else if (*text != 'h') {
        break;
      }
    }
    char piece[256];
    switch (*text) {
      case 'd':
      case 'i':
        put(piece, static_cast<size_t>(
                       std::snprintf(piece, sizeof piece, (spec + "lld").c_str(),
                                     wide ? static_cast<long long>(slots.take64())
                                          : static_cast<long long>(static_cast<int32_t>(slots.take())))));
        break;
      case 'u':
      case 'x':
      case 'X':
        put(piece, static_cast<size_t>(std::snprintf(
                       piece, sizeof piece, (spec + "ll" + *text).c_str(),
                       static_cast<unsigned long long>(wide ? slots.take64()
                                                            : static_cast<uint32_t>(slots.take())))));
        break;
      case 'p':
        put(piece, static_cast<size_t>(std::snprintf(piece, sizeof piece, "%0*llX",
                                                     static_cast<int>(2 * sizeof(void*)),
                                                     static_cast<unsigned long long>(slots.take()))));
        break;
      case 'c':
        piece[0] = static_cast<char>(slots.take());
        put(piece, 1);
        break;
      case 's':
      case 'S': {
        const bool utf16 = (*text == 'S') != wideText;
        const uintptr_t from = slots.take();
        std::string argument;
        if (utf16 && from)
          for (const auto* c = reinterpret_cast<const char16_t*>(from); *c; ++c)
            argument += *c < 128 ? static_cast<char>(*c) : '?';
        else if (from)
          argument = reinterpret_cast<const char*>(from);
        else
          argument = "(null)";
        const int length = std::snprintf(piece, sizeof piece, (spec + "s").c_str(), argument.c_str());
        put(piece, std::min<size_t>(static_cast<size_t>(std::max(length, 0)), sizeof piece - 1));
        break;
      }
      case 'Z': {
        const auto* counted = reinterpret_cast<const UNICODE_STRING*>(slots.take());
        const std::string argument = counted ? narrow(*counted) : "(null)";
        put(argument.data(), argument.size());
        break;
      }
      case '%':
        put("%", 1);
        break;
      default:
        brokenRule("a format with '%%%c': %s", *text, currentCall().c_str());
        if (!*text) --text;
    }
  }
  if (size) out[std::min(n, size - 1)] = 0;
  return static_cast<int>(n);
}

uint32_t print(const char* text, Slots slots) {
  char line[512];
  formatMs(line, sizeof line, text, slots);
  ++s_debugLines;
  const size_t length = std::strlen(line);
  if (length && line[length - 1] == '\n') line[length - 1] = 0;
  if (s_printDebugLines) note("driver: %s", line);
  return 0;
}

/// Called by the assertions of a checked driver (ntddk.h); Windows would stop.
HOST_API void rtlAssert(const char* condition, const char* file, ULONG line, const char*) {
  brokenRule("the driver asserts '%s' at %s:%u", condition, file, static_cast<unsigned>(line));
}

HOST_CDECL uint32_t dbgPrint(const char* text, ...) {
  Arguments arguments;
  ARGUMENTS_START(arguments, text);
  const uint32_t result = print(text, Slots(arguments));
  ARGUMENTS_END(arguments);
  return result;
}
HOST_CDECL uint32_t dbgPrintEx(uint32_t, uint32_t, const char* text, ...) {
  Arguments arguments;
  ARGUMENTS_START(arguments, text);
  const uint32_t result = print(text, Slots(arguments));
  ARGUMENTS_END(arguments);
  return result;
}
/// Returns -1 if the text does not fit, as Microsoft's _vsnprintf does; the text then has no terminator.
HOST_CDECL int ntVsnprintf(char* out, size_t size, const char* text, const void* arguments) {
  char terminated[1024];
  const int n = formatMs(terminated, sizeof terminated, text, Slots(arguments));
  const auto length = static_cast<uint64_t>(n);
  std::memcpy(out, terminated, std::min<uint64_t>({length + 1, size, sizeof terminated}));
  return length > size ? -1 : n;
}
HOST_CDECL int ntSnprintf(char* out, size_t size, const char* text, ...) {
  Arguments arguments;
  ARGUMENTS_START(arguments, text);
  const int n = ntVsnprintf(out, size, text, arguments);
  ARGUMENTS_END(arguments);
  return n;
}

HOST_API void exRaiseStatus(NTSTATUS status) {
  raiseFromExport(static_cast<uint32_t>(status));
}
HOST_API void keBugCheckEx(uint32_t code, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d) {
  bugCheck(code, {a, b, c, d}, "#   by " + currentCall() + "\n");
}
HOST_API void keBugCheck(uint32_t code) {
  bugCheck(code, {0, 0, 0, 0}, "#   by " + currentCall() + "\n");
}
HOST_API void dbgBreakPoint() {
  bugCheck(0x8E, {kStatusBreakpoint, 0, 0, 0}, "#   by " + currentCall() + "\n");
}

const Export kRuntimeExports[] = {
    exportRow("memcpy", ntMemcpy, kHighLevel, kExportMayRaise),
    exportRow("memmove", ntMemmove, kHighLevel, kExportMayRaise),
#if defined(__x86_64__)
    exportRow("RtlCopyMemory", ntMemmove, kHighLevel, kExportMayRaise),
    exportRow("memcmp", ntMemcmp, kHighLevel, kExportMayRaise),
    exportRow("__C_specific_handler", cSpecificHandler, kHighLevel, kExportAnyTime),
#endif
    exportRow("RtlMoveMemory", rtlMoveMemory, kHighLevel, kExportMayRaise),
    exportRow("memset", ntMemset, kHighLevel, kExportMayRaise),
    exportRow("RtlCompareMemory", rtlCompareMemory, kHighLevel, kExportMayRaise),
    exportRow("strlen", ntStrlen, kHighLevel, kExportAnyTime),
    exportRow("strcmp", ntStrcmp, kHighLevel, kExportAnyTime),
    exportRow("strncmp", ntStrncmp, kHighLevel, kExportAnyTime),
    exportRow("wcslen", ntWcslen, kHighLevel, kExportAnyTime),
    exportRow("RtlInitUnicodeString", rtlInitUnicodeString, kDispatchLevel, kExportAnyTime),
    exportRow("RtlCopyUnicodeString", rtlCopyUnicodeString, kHighLevel, kExportAnyTime),
    exportRow("RtlAppendUnicodeToString", rtlAppendUnicodeToString, kHighLevel, kExportAnyTime),
    exportRow("RtlAppendUnicodeStringToString", rtlAppendUnicodeStringToString, kHighLevel, kExportAnyTime),
    exportRow("RtlEqualUnicodeString", rtlEqualUnicodeString, kPassiveLevel, kExportAnyTime),
    exportRow("RtlGetVersion", rtlGetVersion, kPassiveLevel, kExportAnyTime),
    exportRow("RtlAssert", rtlAssert, kHighLevel, kExportAnyTime),
    exportRow("DbgPrint", dbgPrint, kHighLevel, kExportAnyTime),
    exportRow("DbgPrintEx", dbgPrintEx, kHighLevel, kExportAnyTime),
    exportRow("_vsnprintf", ntVsnprintf, kHighLevel, kExportAnyTime),
    exportRow("_snprintf", ntSnprintf, kHighLevel, kExportAnyTime),
    exportRow("ExRaiseStatus", exRaiseStatus, kApcLevel, kExportMayRaise),
    exportRow("KeBugCheckEx", keBugCheckEx, kHighLevel, kExportAnyTime),
    exportRow("KeBugCheck", keBugCheck, kHighLevel, kExportAnyTime),
    exportRow("DbgBreakPoint", dbgBreakPoint, kHighLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> runtimeExports() {
  return kRuntimeExports;
}

uint64_t debugLines() {
  return s_debugLines;
}

void setPrintDebugLines(bool print) {
  s_printDebugLines = print;
}

std::string narrow(const UNICODE_STRING& text) {
  std::string result;
  for (unsigned i = 0; i < text.Length / 2u; ++i)
    result += text.Buffer[i] < 128 ? static_cast<char>(text.Buffer[i]) : '?';
  return result;
}

}  // namespace aerogpu::host
