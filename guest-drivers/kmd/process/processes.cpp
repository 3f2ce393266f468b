// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/process/processes.h"

#include "guest-drivers/kmd/os/kernel_memory.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

uint64_t Processes::current() {
  // Page "PsGetProcessCreateTimeQuadPart": the time is in units of 100 ns, and a change of the clock does not change
  // it. The part kept here counts units of 0.8 ms, within which no id is reused, for seven years.
  const auto id = static_cast<uint64_t>(reinterpret_cast<ULONG_PTR>(PsGetCurrentProcessId()));
  const auto created = static_cast<uint64_t>(PsGetProcessCreateTimeQuadPart(PsGetCurrentProcess()));
  return created >> 13 << kIdBits | idOf(id);
}

AeroProcess *Processes::enter(uint64_t number) {
  AeroProcess *process = m_first;
  while (process && process->number != number) process = process->next;
  if (!process) {
    void *memory = poolAllocate(sizeof(AeroProcess));
    if (!memory) return nullptr;
    process = new (memory) AeroProcess;
    process->number = number;
    process->next = m_first;
    m_first = process;
  }
  if (number && process->devices >= kMaxDevices) return nullptr;
  process->devices++;
  return process;
}

void Processes::dropUnused(AeroProcess &process) {
  if (process.devices || process.allocations) return;
  AeroProcess **link = &m_first;
  while (*link != &process) link = &(*link)->next;
  *link = process.next;
  poolFree(&process);
}

}  // namespace aero
