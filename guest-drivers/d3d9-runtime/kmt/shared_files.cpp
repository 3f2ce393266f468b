// SPDX-License-Identifier: MIT
#include "shared_files.h"

#include "connection.h"

namespace aerogpu::kmt {

namespace {

constexpr uint64_t kSmallFile = 64 << 20;
constexpr uint64_t kViewAlignment = 64 << 10;  // of offsets (page "MapViewOfFile")
constexpr uint64_t kHugePage = 2 << 20;  // in a VM the file of its memory has such pages, which want to lie aligned

struct File {
  uint64_t bytes;
  char path[sizeof SharedFile::path];
  HANDLE mapping;
  uint8_t *whole;  // all of it, where it is mapped whole
};
File s_files[kMaxFiles];
uint32_t s_fileCount;
SRWLOCK s_lock = SRWLOCK_INIT;

bool isMappedWhole(const File &file) {
  return sizeof(void *) == 8 || file.bytes <= kSmallFile;
}

/// Wine's name of a Unix path: \\?\unix\..., with backslashes. `out` has MAX_PATH characters.
bool wideUnixPath(const char *path, wchar_t *out) {
  static const wchar_t prefix[] = L"\\\\?\\unix";
  size_t at = 0;
  for (; prefix[at]; ++at) out[at] = prefix[at];
  const int room = static_cast<int>(MAX_PATH - at);
  if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, out + at, room)) return false;
  for (wchar_t *c = out + at; *c; ++c)
    if (*c == L'/') *c = L'\\';
  return true;
}

/// With s_lock held.
bool open(File &file) {
  if (file.mapping) return true;
  wchar_t path[MAX_PATH];
  if (!wideUnixPath(file.path, path)) return false;
  const HANDLE handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return false;
  file.mapping = CreateFileMappingW(handle, nullptr, PAGE_READWRITE, static_cast<DWORD>(file.bytes >> 32),
                                    static_cast<DWORD>(file.bytes), nullptr);
  CloseHandle(handle);
  return file.mapping != nullptr;
}

/// A view of all of a file at a multiple of kHugePage.
uint8_t *mapWhole(const File &file) {
  constexpr int kTries = 8;  // another thread may take the place that was found
  for (int i = 0; i < kTries; ++i) {
    void *room = VirtualAlloc(nullptr, static_cast<SIZE_T>(file.bytes + kHugePage), MEM_RESERVE, PAGE_NOACCESS);
    if (!room) return nullptr;
    const uintptr_t aligned = (reinterpret_cast<uintptr_t>(room) + kHugePage - 1) & ~uintptr_t{kHugePage - 1};
    VirtualFree(room, 0, MEM_RELEASE);
    void *view = MapViewOfFileEx(file.mapping, FILE_MAP_ALL_ACCESS, 0, 0, 0, reinterpret_cast<void *>(aligned));
    if (view) return static_cast<uint8_t *>(view);
  }
  return nullptr;
}

}  // namespace

void setSharedFiles(const SharedFile *files, uint32_t count) {
  AcquireSRWLockExclusive(&s_lock);
  if (!s_fileCount) {
    s_fileCount = count < kMaxFiles ? count : kMaxFiles;
    for (uint32_t i = 0; i < s_fileCount; ++i) {
      s_files[i].bytes = files[i].bytes;
      for (size_t k = 0; k + 1 < sizeof files[i].path; ++k) s_files[i].path[k] = files[i].path[k];
    }
  }
  ReleaseSRWLockExclusive(&s_lock);
}

void *mapShared(uint32_t number, uint64_t offset, uint64_t bytes) {
  if (number >= s_fileCount || !bytes || offset > s_files[number].bytes || bytes > s_files[number].bytes - offset) {
    reportLine("the kernel side names memory outside of its files", "");
    return nullptr;
  }
  File &file = s_files[number];
  uint8_t *result = nullptr;
  AcquireSRWLockExclusive(&s_lock);
  if (open(file)) {
    if (isMappedWhole(file)) {
      if (!file.whole) file.whole = mapWhole(file);
      if (file.whole) result = file.whole + offset;
    } else {
      const uint64_t start = offset & ~(kViewAlignment - 1);
      auto *view =
          static_cast<uint8_t *>(MapViewOfFile(file.mapping, FILE_MAP_ALL_ACCESS, static_cast<DWORD>(start >> 32),
                                               static_cast<DWORD>(start), static_cast<SIZE_T>(offset - start + bytes)));
      if (view) result = view + (offset - start);
    }
  }
  ReleaseSRWLockExclusive(&s_lock);
  if (!result) reportLine("cannot map shared memory: ", file.path);
  return result;
}

void unmapShared(uint32_t number, void *address) {
  if (!address || number >= s_fileCount || isMappedWhole(s_files[number])) return;
  // Views begin at multiples of the alignment.
  UnmapViewOfFile(reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(address) & ~uintptr_t{kViewAlignment - 1}));
}

}  // namespace aerogpu::kmt
