// SPDX-License-Identifier: MIT
// Tables of functions that the driver fills in place: each ends at a page without access, so that a longer table does
// not fit, and an entry that the driver leaves is noticed. A driver that writes into such a page, or into a table that
// has moved, ends the process with exit code 3 and a line in the log.
#pragma once

#include "testbed/d3d11-runtime/base/headers.h"
#include "testbed/runtime-kernel/guarded_pages.h"

namespace aerogpu::runtime11 {

class TableGuard {
public:
  /// `name`: for the log, of static storage.
  explicit TableGuard(const char *name);
  ~TableGuard();
  TableGuard(const TableGuard &) = delete;
  TableGuard &operator=(const TableGuard &) = delete;

  /// Makes a table of `entries` pointers that hold a mark; null without memory.
  void *make(unsigned entries);
  /// Makes a copy at another place; the old place loses its access.
  void *move();
  void *table() const { return m_table; }
  /// Reports each entry that still holds the mark, which becomes null, and each null one that is not `optional`; false
  /// if there is one.
  bool check(bool (*optional)(unsigned entry));

private:
  static LONG CALLBACK onException(EXCEPTION_POINTERS *exception);

  const char *const m_name;
  runtime::GuardedPages m_pages;
  void *m_table = nullptr;
  unsigned m_entries = 0;
  TableGuard *m_next = nullptr;  ///< of all guards
};

}  // namespace aerogpu::runtime11
