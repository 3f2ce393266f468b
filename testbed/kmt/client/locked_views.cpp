// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/locked_views.h"

#include "testbed/kmt/client/shared_files.h"
#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt {

namespace {

struct View {
  View *next;
  void *address;
  uint32_t allocation, file, locks;
};
View *s_views;
SRWLOCK s_viewsLock = SRWLOCK_INIT;

/// Returns the link that points to the allocation's view, or to the list's end.
View **find(uint32_t allocation) {
  View **link = &s_views;
  while (*link && (*link)->allocation != allocation) link = &(*link)->next;
  return link;
}

/// 64-bit programs map every file whole: there is nothing to remember.
constexpr bool kRemembers = sizeof(void *) == 4;

}  // namespace

void *mapLocked(uint32_t allocation, uint32_t file, uint64_t offset, uint64_t bytes) {
  if (!kRemembers) return mapShared(file, offset, bytes);
  void *address = nullptr;
  AcquireSRWLockExclusive(&s_viewsLock);
  if (View *known = *find(allocation)) {
    ++known->locks;
    address = known->address;
  } else if (auto *view = static_cast<View *>(HeapAlloc(GetProcessHeap(), 0, sizeof(View)))) {
    address = mapShared(file, offset, bytes);
    *view = {s_views, address, allocation, file, 1};
    if (address)
      s_views = view;
    else
      HeapFree(GetProcessHeap(), 0, view);
  }
  ReleaseSRWLockExclusive(&s_viewsLock);
  return address;
}

void unmapLocked(uint32_t allocation) {
  if (!kRemembers) return;
  AcquireSRWLockExclusive(&s_viewsLock);
  View **link = find(allocation);
  View *view = *link;
  const bool last = view && --view->locks == 0;
  if (last) *link = view->next;
  ReleaseSRWLockExclusive(&s_viewsLock);
  if (!last) return;
  unmapShared(view->file, view->address);
  HeapFree(GetProcessHeap(), 0, view);
}

}  // namespace aerogpu::kmt
