// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/os/process_name.h"

#include "guest-drivers/kmd/os/nt.h"

// From ntifs.h (page "SeLocateProcessImageName"), which cannot be included with ntddk.h. Exported since Windows XP.
extern "C" NTKERNELAPI NTSTATUS NTAPI SeLocateProcessImageName(PEPROCESS process, PUNICODE_STRING *imageName);

namespace aero {

void copyProcessName(char *out, size_t bytes) {
  out[0] = 0;
  UNICODE_STRING *path = nullptr;
  if (!NT_SUCCESS(SeLocateProcessImageName(PsGetCurrentProcess(), &path)) || !path) return;
  const size_t length = path->Length / sizeof(WCHAR);
  size_t begin = length;
  while (begin && path->Buffer[begin - 1] != L'\\') begin--;
  size_t used = 0;
  for (size_t i = begin; i < length && used + 1 < bytes; i++) {
    const WCHAR c = path->Buffer[i];
    out[used++] = c >= 0x20 && c < 0x7F ? static_cast<char>(c) : '?';
  }
  out[used] = 0;
  ExFreePool(path);
}

}  // namespace aero
