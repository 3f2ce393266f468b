// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/table_guard.h"

#include <cstring>
#include <vector>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {
namespace {

const UINT_PTR kUnfilled = static_cast<UINT_PTR>(0xD0D0D0D0D0D0D0D0ull);
constexpr UINT kBroken = 3;  // exit code

SRWLOCK g_guardLock = SRWLOCK_INIT;
TableGuard *g_first;
PVOID g_handler;

}  // namespace

TableGuard::TableGuard(const char *name) : m_name(name) {
  AcquireSRWLockExclusive(&g_guardLock);
  if (!g_handler) g_handler = AddVectoredExceptionHandler(1, onException);
  m_next = g_first;
  g_first = this;
  ReleaseSRWLockExclusive(&g_guardLock);
}

TableGuard::~TableGuard() {
  AcquireSRWLockExclusive(&g_guardLock);
  TableGuard **at = &g_first;
  while (*at != this) at = &(*at)->m_next;
  *at = m_next;
  ReleaseSRWLockExclusive(&g_guardLock);
}

LONG CALLBACK TableGuard::onException(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD &record = *exception->ExceptionRecord;
  if (record.ExceptionCode != static_cast<DWORD>(EXCEPTION_ACCESS_VIOLATION)) return EXCEPTION_CONTINUE_SEARCH;
  const void *address = reinterpret_cast<const void *>(record.ExceptionInformation[1]);
  for (const TableGuard *guard = g_first; guard; guard = guard->m_next) {
    if (!guard->m_pages.guards(address)) continue;
    runtime::brokenRule("access beyond %s, or where it was before it moved", guard->m_name);
    TerminateProcess(GetCurrentProcess(), kBroken);
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

void *TableGuard::make(unsigned entries) {
  m_table = m_pages.renew(entries * sizeof kUnfilled, alignof(void *));
  m_entries = entries;
  if (m_table)
    for (unsigned i = 0; i < entries; ++i) static_cast<UINT_PTR *>(m_table)[i] = kUnfilled;
  return m_table;
}

void *TableGuard::move() {
  const UINT_PTR *old = static_cast<const UINT_PTR *>(m_table);
  const std::vector<UINT_PTR> entries(old, old + m_entries);
  void *moved = m_pages.renew(m_entries * sizeof kUnfilled, alignof(void *));
  if (!moved) return nullptr;
  m_table = moved;
  std::memcpy(moved, entries.data(), m_entries * sizeof kUnfilled);
  return moved;
}

bool TableGuard::check(bool (*optional)(unsigned entry)) {
  bool right = true;
  for (unsigned i = 0; i < m_entries; ++i) {
    UINT_PTR &entry = static_cast<UINT_PTR *>(m_table)[i];
    if (entry == kUnfilled) {
      entry = 0;
      runtime::brokenRule("%s: the driver left entry %u as it was", m_name, i);
    } else if (!entry && !optional(i)) {
      runtime::brokenRule("%s: entry %u is null", m_name, i);
    } else {
      continue;
    }
    right = false;
  }
  return right;
}

}  // namespace aerogpu::runtime11
