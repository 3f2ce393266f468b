// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/shared_files.h"

#include "testbed/kmt/client/report_line.h"
#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt {

namespace {

constexpr uint64_t kSmallFile = 64 << 20;
constexpr uint64_t kHugePage = 2 << 20;  // in a VM the memory file has such pages: whole mappings are aligned to them

/// A view of huge pages of a file, shared by the ranges in them: a separate view for each would use up a 32-bit
/// program's addresses.
struct FileView {
  FileView *next;
  uint8_t *address;
  uint64_t start, bytes;
  uint32_t users;
};

struct SharedFileState {
  uint64_t bytes;
  char path[sizeof SharedFile::path];
  HANDLE mapping;
  uint8_t *whole;   // the whole file, if it is mapped whole
  FileView *views;  // otherwise
};
SharedFileState s_files[kMaxFiles];
uint32_t s_fileCount;
SRWLOCK s_filesLock = SRWLOCK_INIT;

bool isMappedWhole(const SharedFileState &file) {
  return sizeof(void *) == 8 || file.bytes <= kSmallFile;
}

/// Converts a Unix path to Wine's name: \\?\unix\..., with backslashes. `out` has MAX_PATH characters.
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

/// Opens the file; s_filesLock is held.
bool open(SharedFileState &file) {
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

/// Maps a part of a file at a multiple of kHugePage.
uint8_t *mapAligned(const SharedFileState &file, uint64_t start, uint64_t bytes) {
  constexpr int kTries = 8;  // another thread may take the free address first
  if (bytes > SIZE_MAX - kHugePage) return nullptr;
  for (int i = 0; i < kTries; ++i) {
    void *room = VirtualAlloc(nullptr, static_cast<SIZE_T>(bytes + kHugePage), MEM_RESERVE, PAGE_NOACCESS);
    if (!room) return nullptr;
    const uintptr_t aligned = (reinterpret_cast<uintptr_t>(room) + kHugePage - 1) & ~uintptr_t{kHugePage - 1};
    VirtualFree(room, 0, MEM_RELEASE);
    void *view =
        MapViewOfFileEx(file.mapping, FILE_MAP_ALL_ACCESS, static_cast<DWORD>(start >> 32), static_cast<DWORD>(start),
                        static_cast<SIZE_T>(bytes), reinterpret_cast<void *>(aligned));
    if (view) return static_cast<uint8_t *>(view);
  }
  return nullptr;
}

/// Returns a range, in an existing view or in a new one. s_filesLock is held; the range lies in the file.
uint8_t *mapPiece(SharedFileState &file, uint64_t offset, uint64_t bytes) {
  FileView *view = file.views;
  while (view && (offset < view->start || offset + bytes > view->start + view->bytes)) view = view->next;
  if (!view) {
    const uint64_t start = offset & ~(kHugePage - 1), rounded = (offset + bytes + kHugePage - 1) & ~(kHugePage - 1);
    const uint64_t viewed = (rounded < file.bytes ? rounded : file.bytes) - start;
    view = static_cast<FileView *>(HeapAlloc(GetProcessHeap(), 0, sizeof(FileView)));
    if (!view) return nullptr;
    *view = {file.views, mapAligned(file, start, viewed), start, viewed, 0};
    if (!view->address) {
      HeapFree(GetProcessHeap(), 0, view);
      return nullptr;
    }
    file.views = view;
  }
  ++view->users;
  return view->address + (offset - view->start);
}

/// Releases the result of mapPiece(). s_filesLock is held.
void unmapPiece(SharedFileState &file, const uint8_t *address) {
  FileView **link = &file.views;
  while (*link && (address < (*link)->address || address >= (*link)->address + (*link)->bytes)) link = &(*link)->next;
  FileView *view = *link;
  if (!view || --view->users) return;
  *link = view->next;
  UnmapViewOfFile(view->address);
  HeapFree(GetProcessHeap(), 0, view);
}

}  // namespace

void setSharedFiles(const SharedFile *files, uint32_t count) {
  AcquireSRWLockExclusive(&s_filesLock);
  if (!s_fileCount) {
    s_fileCount = count < kMaxFiles ? count : kMaxFiles;
    for (uint32_t i = 0; i < s_fileCount; ++i) {
      s_files[i].bytes = files[i].bytes;
      for (size_t k = 0; k + 1 < sizeof files[i].path; ++k) s_files[i].path[k] = files[i].path[k];
    }
  }
  ReleaseSRWLockExclusive(&s_filesLock);
}

void *mapShared(uint32_t number, uint64_t offset, uint64_t bytes) {
  if (number >= s_fileCount || !bytes || offset > s_files[number].bytes || bytes > s_files[number].bytes - offset) {
    reportLine("the kernel side names memory outside of its files", "");
    return nullptr;
  }
  SharedFileState &file = s_files[number];
  uint8_t *result = nullptr;
  AcquireSRWLockExclusive(&s_filesLock);
  if (open(file)) {
    if (isMappedWhole(file)) {
      if (!file.whole) file.whole = mapAligned(file, 0, file.bytes);
      if (file.whole) result = file.whole + offset;
    } else {
      result = mapPiece(file, offset, bytes);
    }
  }
  ReleaseSRWLockExclusive(&s_filesLock);
  if (!result) reportLine("cannot map shared memory: ", file.path);
  return result;
}

void unmapShared(uint32_t number, void *address) {
  if (!address || number >= s_fileCount || isMappedWhole(s_files[number])) return;
  AcquireSRWLockExclusive(&s_filesLock);
  unmapPiece(s_files[number], static_cast<uint8_t *>(address));
  ReleaseSRWLockExclusive(&s_filesLock);
}

}  // namespace aerogpu::kmt
