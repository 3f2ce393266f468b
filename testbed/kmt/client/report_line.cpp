// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/report_line.h"

#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt {

void reportLine(const char *what, const char *detail) {
  char line[512];
  size_t at = 0;
  const char *const parts[] = {"aerogpu-kmt: ", what, detail, "\n"};
  for (const char *part : parts)
    for (; *part && at + 1 < sizeof line; ++part) line[at++] = *part;
  line[at] = 0;
  OutputDebugStringA(line);
  DWORD written;
  const HANDLE file = GetStdHandle(STD_ERROR_HANDLE);
  if (file && file != INVALID_HANDLE_VALUE) WriteFile(file, line, static_cast<DWORD>(at), &written, nullptr);
}

}  // namespace aerogpu::kmt
