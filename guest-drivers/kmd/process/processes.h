// SPDX-License-Identifier: MIT
// processes.h: counts the resources that each process has, so that a process leaves room for others however many
// devices it opens. Under AllocationTable's mutex, except for Processes::current(); at most APC_LEVEL.
#pragma once

#include <stdint.h>

namespace aero {

/** A process that has devices, or is charged for textures. */
class AeroProcess {
public:
  AeroProcess *next = nullptr;
  uint64_t number = 0;       // from Processes::current(); 0: the OS' own devices, in any process
  uint32_t devices = 0;      // alive
  uint32_t allocations = 0;  // allocations whose textures, which the driver made, are charged to it
  uint64_t charged = 0;      // bytes of those textures
  uint32_t contexts = 0;     // on the device
  // If the device has no handle spaces:
  uint32_t handles = 0;     // live handles of streams
  uint32_t rangeUnits = 0;  // units of HandleRanges
};

class Processes {
public:
  /** The most devices of a process. Page "DxgkDdiCreateDevice": only memory limits them. Each takes one of 4095
   * places on the device, and memory of the host; a program that keeps hundreds of them would leave none. */
  static constexpr uint32_t kMaxDevices = 256;

  /** Returns a number that no other process has had or will have while Windows runs, because Windows reuses ids of
   * processes. Never 0. Any IRQL, in the context of the process. */
  static uint64_t current();
  /** Returns the id of the process with that number, as PsGetCurrentProcessId gave it, for people to read. 0 for 0. */
  static uint32_t idOf(uint64_t number) { return static_cast<uint32_t>(number & ((uint64_t{1} << kIdBits) - 1)); }

  /** Counts one more device of the process (0: the OS). Returns null if the process has as many as it may, or memory is
   * short. */
  AeroProcess *enter(uint64_t number);
  /** Counts one device less. */
  void leave(AeroProcess &process) {
    process.devices--;
    dropUnused(process);
  }
  /** Charges an allocation of `bytes` bytes to it; discharge() undoes that. */
  void charge(AeroProcess &process, uint64_t bytes) {
    process.allocations++;
    process.charged += bytes;
  }
  void discharge(AeroProcess &process, uint64_t bytes) {
    process.allocations--;
    process.charged -= bytes;
    dropUnused(process);
  }

private:
  /** Ids are indices into a table that has room for 2^24 processes and threads, times 4. */
  static constexpr unsigned kIdBits = 26;

  void dropUnused(AeroProcess &process);

  AeroProcess *m_first = nullptr;
};

}  // namespace aero
