// SPDX-License-Identifier: MIT
// Commands work with a submission and the parts of the renderer that it refers to. Render thread only.
#pragma once

#include <atomic>
#include <cstdint>

#include "renderer/core/execution_report.h"

namespace aerogpu {
class HostMemory;
class Log;
}  // namespace aerogpu

namespace aerogpu::core {

class Announced;
class Backend;
class ContextTable;
class GuestAccess;
class GuestClock;
class HandleTable;
class Presents;
class SelectedSpace;
class Spaces;
class WorkMeter;
class WriteClock;
struct PacketScratch;
struct ResourceIndex;
struct Stats;

/// The parts of the renderer that commands use, none of which it owns, and the counts of the submission that
/// is executed. A command's file includes the headers of those parts that it uses.
struct Submission {
  Backend& backend;
  const Announced& announced;  ///< what the guest may use of it
  HostMemory& hostMemory;
  Stats& stats;
  Log& log;
  const std::atomic<bool>& interrupted;  ///< aerogpu_renderer_interrupt() was called
  Spaces& spaces;
  SelectedSpace& space;
  HandleTable& handles;  ///< of `space`
  ContextTable& contexts;
  ResourceIndex& resources;
  GuestAccess& guest;
  Presents& presents;
  WorkMeter& work;
  PacketScratch& scratch;
  WriteClock& writes;
  GuestClock& clock;

  /// Starts at 0 with each submission.
  struct Counts {
    uint64_t packets = 0;         ///< that were decoded
    uint64_t neutralPackets = 0;  ///< of these, how many leave the context like a new one
    uint64_t hostPackets = 0;     ///< of these, how many need no GPU
    uint64_t memoryPackets = 0;   ///< of these, how many copy or fill guest memory
    uint32_t values = 0;          ///< that were written
    uint32_t queries = 0;         ///< that were begun and ended
  };
  Counts counts{};
  ExecutionReport report{};
  uint32_t minor = 0;  ///< of the stream
};

}  // namespace aerogpu::core
