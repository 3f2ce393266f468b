// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/child.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace programs {

namespace {
constexpr DWORD kEndLimitMs = 60000;

/** Makes a pipe of which the child has `childEnd` (0 reads, 1 writes). */
bool makePipe(HANDLE ends[2], int childEnd) {
  SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
  if (!CreatePipe(&ends[0], &ends[1], &inherit, 0)) return fail("CreatePipe failed: error %lu", GetLastError());
  return SetHandleInformation(ends[!childEnd], HANDLE_FLAG_INHERIT, 0) ||
         fail("SetHandleInformation failed: error %lu", GetLastError());
}

void closeHandle(HANDLE *handle) {
  if (*handle) CloseHandle(*handle);
  *handle = nullptr;
}
}  // namespace

bool Child::start(const char *program, const char *arguments) {
  HANDLE in[2] = {}, out[2] = {};
  char commandLine[2 * MAX_PATH];
  std::snprintf(commandLine, sizeof commandLine, "\"%s\" %s", program, arguments);
  STARTUPINFOA startup{};
  PROCESS_INFORMATION process{};
  bool started = makePipe(in, 0) && makePipe(out, 1);
  if (started) {
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = in[0];
    startup.hStdOutput = startup.hStdError = out[1];
    started = CreateProcessA(program, commandLine, nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process) ||
              fail("CreateProcess(%s) failed: error %lu", program, GetLastError());
  }
  closeHandle(&in[0]);
  closeHandle(&out[1]);
  if (!started) {
    closeHandle(&in[1]);
    closeHandle(&out[0]);
    return false;
  }
  CloseHandle(process.hThread);
  process_ = process.hProcess;
  id_ = process.dwProcessId;
  input_ = in[1];
  output_ = out[0];
  return true;
}

Child::~Child() {
  closeHandle(&input_);
  if (process_ && WaitForSingleObject(process_, kEndLimitMs) != WAIT_OBJECT_0) TerminateProcess(process_, 3);
  closeHandle(&process_);
  closeHandle(&output_);
}

bool Child::tell(const char *format, ...) {
  char line[128];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  line[length] = '\n';
  DWORD written = 0;
  return WriteFile(input_, line, static_cast<DWORD>(length) + 1, &written, nullptr) ||
         fail("program %lu does not take '%.*s': error %lu", id_, length, line, GetLastError());
}

bool Child::readLine(char *line, size_t size) {
  for (;;) {
    if (const void *end = std::memchr(buffer_, '\n', used_)) {
      size_t length = static_cast<size_t>(static_cast<const char *>(end) - buffer_);
      const size_t rest = length + 1;
      if (length && buffer_[length - 1] == '\r') --length;
      std::snprintf(line, size, "%.*s", static_cast<int>(length), buffer_);
      std::memmove(buffer_, buffer_ + rest, used_ - rest);
      used_ -= rest;
      return true;
    }
    DWORD got = 0;
    if (used_ == sizeof buffer_ ||
        !ReadFile(output_, buffer_ + used_, static_cast<DWORD>(sizeof buffer_ - used_), &got, nullptr) || !got)
      return false;
    used_ += got;
  }
}

bool Child::hear(const char *word, char *rest, size_t size) {
  char line[sizeof buffer_];
  const size_t length = std::strlen(word);
  while (readLine(line, sizeof line)) {
    if (std::strncmp(line, word, length) == 0 && (line[length] == ' ' || !line[length])) {
      if (rest) std::snprintf(rest, size, "%s", line + length + (line[length] == ' '));
      return true;
    }
    // The child's window is of no interest here.
    if (std::strncmp(line, "window ", 7) != 0) std::printf("%s\n", line);
  }
  return fail("program %lu ended before it said '%s'", id_, word);
}

void Child::kill() {
  TerminateProcess(process_, 1);
  WaitForSingleObject(process_, kEndLimitMs);
}

bool Child::finish() {
  closeHandle(&input_);
  DWORD code = STILL_ACTIVE;
  if (WaitForSingleObject(process_, kEndLimitMs) != WAIT_OBJECT_0)
    return fail("program %lu did not end in %lu s", id_, kEndLimitMs / 1000);
  GetExitCodeProcess(process_, &code);
  return code == 0 || fail("program %lu ended with %lu", id_, code);
}

bool neighbour(const char *name, char *path, size_t size) {
  const DWORD length = GetModuleFileNameA(nullptr, path, static_cast<DWORD>(size));
  char *end = std::strrchr(path, '\\');
  constexpr char kOther[] = "-x86.exe";
  constexpr size_t kOtherLength = sizeof kOther - 1;
  if (!length || length >= size || !end || end + 1 + std::strlen(name) + kOtherLength >= path + size)
    return fail("this program's folder has too long a name");
  const bool other = length > kOtherLength && _stricmp(path + length - kOtherLength, kOther) == 0;
  std::strcpy(end + 1, name);
  std::strcat(end + 1, other ? kOther : ".exe");
  return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES || fail("there is no %s", path);
}

int programBits(const char *path) {
  DWORD kind = 0;
  if (GetBinaryTypeA(path, &kind)) {
    if (kind == SCS_64BIT_BINARY) return 64;
    if (kind == SCS_32BIT_BINARY) return 32;
  }
  fail("%s is no program", path);
  return 0;
}

}  // namespace programs
