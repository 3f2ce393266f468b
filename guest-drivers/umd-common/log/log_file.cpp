// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/log/log_file.h"

#include "guest-drivers/umd-common/base/windows_base.h"

namespace aero {
namespace {

/** A path made of parts; one that is too long is cut. */
class Path {
public:
  static constexpr DWORD kRoom = MAX_PATH;

  bool temporaryFolder() {
    m_size = GetTempPathW(kRoom, m_text);
    return m_size > 0 && m_size < kRoom;
  }
  /** Adds text of UTF-16 or ASCII. */
  template <class Character> void add(const Character *words) {
    while (*words && m_size < kRoom - 1) m_text[m_size++] = static_cast<WCHAR>(*words++);
    m_text[m_size] = 0;
  }
  void add(DWORD number) {
    WCHAR digits[11];
    DWORD at = 10;
    digits[at] = 0;
    do {
      digits[--at] = static_cast<WCHAR>(L'0' + number % 10);
      number /= 10;
    } while (number);
    add(digits + at);
  }
  const WCHAR *text() const { return m_text; }
  DWORD size() const { return m_size; }
  void truncate(DWORD size) { m_text[m_size = size] = 0; }

private:
  WCHAR m_text[kRoom];
  DWORD m_size = 0;
};

void addProgram(Path &path) {
  WCHAR program[MAX_PATH];
  const DWORD size = GetModuleFileNameW(nullptr, program, MAX_PATH);
  if (!size || size >= MAX_PATH) return;
  DWORD name = size;
  while (name && program[name - 1] != L'\\') name--;
  path.add(program + name);
}

HANDLE createFile(const char *api, DWORD &error) {
  Path path;
  if (!path.temporaryFolder()) {
    error = GetLastError();
    return INVALID_HANDLE_VALUE;
  }
  path.add(L"aerogpu-");
  path.add(api);
  path.add(L"-");
  addProgram(path);
  path.add(L"-");
  path.add(GetCurrentProcessId());
  path.add(L"-");
  const DWORD stem = path.size();
  constexpr DWORD kMost = 100;  // limit for adapters that a process opens, and older processes with the same number
  for (DWORD number = 1; number <= kMost; number++) {
    path.truncate(stem);
    path.add(number);
    path.add(L".log");
    HANDLE file =
        CreateFileW(path.text(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file != INVALID_HANDLE_VALUE) return file;
    error = GetLastError();
    if (error != ERROR_FILE_EXISTS) break;
  }
  return INVALID_HANDLE_VALUE;
}

}  // namespace

uint8_t *mapLogFile(const char *api, size_t bytes, uint32_t &error) {
  DWORD code = 0;
  HANDLE file = createFile(api, code);
  error = code;
  if (file == INVALID_HANDLE_VALUE) return nullptr;
  void *memory = nullptr;
  HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READWRITE, 0, static_cast<DWORD>(bytes), nullptr);
  if (mapping) {
    memory = MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, bytes);
    if (!memory) error = GetLastError();
    CloseHandle(mapping);
  } else {
    error = GetLastError();
  }
  CloseHandle(file);
  return static_cast<uint8_t *>(memory);
}

void unmapLogFile(uint8_t *memory) {
  if (memory) UnmapViewOfFile(memory);
}

void debugOutput(const char *line) {
  OutputDebugStringA(line);
  OutputDebugStringA("\n");
}

uint64_t logMicroseconds() {
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  const auto ticks = static_cast<uint64_t>(now.QuadPart), second = static_cast<uint64_t>(frequency.QuadPart);
  return ticks / second * 1000000 + ticks % second * 1000000 / second;
}

uint32_t logThread() {
  return GetCurrentThreadId();
}

}  // namespace aero
