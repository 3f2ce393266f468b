// SPDX-License-Identifier: MIT
// processes.h: what processes have of the adapter, so that one of them leaves room for others, however many devices it
// opens. Under AllocationTable's mutex, but for Processes::current(); at most APC_LEVEL.
#pragma once

#include <stdint.h>

namespace aero {

/** A process from its first device on, until it has none and pays for nothing. */
class AeroProcess {
public:
  AeroProcess *next = nullptr;
  uint64_t number = 0;       // of Processes::current(); 0: the OS' own devices, whosesoever they are
  uint32_t devices = 0;      // alive
  uint32_t allocations = 0;  // whose textures, which the driver made, count for it
  uint64_t charged = 0;      // bytes of these
  uint32_t contexts = 0;     // on the device
  // Where the device has no handle spaces:
  uint32_t handles = 0;     // of streams, alive
  uint32_t rangeUnits = 0;  // of HandleRanges
};

class Processes {
public:
  /** Devices of a process. Page "DxgkDdiCreateDevice": memory alone limits them. Each takes one of 4095 places on the
   *  device, and memory of the host; a program that keeps hundreds of them would leave none. */
  static constexpr uint32_t kMaxDevices = 256;

  /** A number that no other process has had or will have while Windows runs: ids of processes come again. Not 0. Any
   *  IRQL, in the context of the process. */
  static uint64_t current();
  /** The id of the process of that number, as PsGetCurrentProcessId gave it: for people. 0 of 0. */
  static uint32_t idOf(uint64_t number) { return static_cast<uint32_t>(number & ((uint64_t{1} << kIdBits) - 1)); }

  /** The process gets one device more. Null: it has as many as it may, or there is no memory. 0: the OS. */
  AeroProcess *enter(uint64_t number);
  /** A device of it ends. */
  void leave(AeroProcess &process) {
    process.devices--;
    dropUnused(process);
  }
  /** An allocation of so many bytes counts for it, and does no more. */
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
  /** Ids are indices of a table that has room for 2^24 processes and threads, times 4. */
  static constexpr unsigned kIdBits = 26;

  void dropUnused(AeroProcess &process);

  AeroProcess *m_first = nullptr;
};

}  // namespace aero
