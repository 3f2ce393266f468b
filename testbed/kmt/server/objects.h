// SPDX-License-Identifier: MIT
// The objects for which programs have handles.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "testbed/kernel/dxgk/client.h"
#include "testbed/kmt/server/command_buffers.h"
#include "testbed/kmt/server/handles.h"

namespace aerogpu::host {

struct KmtAdapter final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Adapter;
  KmtAdapter() : KmtObject(kKind) {}
};

/// A device of a program. `calls` serialises its calls; a call that waits for the GPU on the program's
/// request releases the mutex.
struct KmtDevice final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Device;
  KmtDevice() : KmtObject(kKind) {}

  std::mutex calls;  // protects the following
  bool gone = false;
  std::unique_ptr<Client> client;
  std::set<uint32_t> contexts, allocations, resources;  // handles
  OpenAllocation* desktop = nullptr;  // the shared primary, once the device has presented to it
  unsigned resetsBefore = 0;          // the scheduler's count when the device was made
  uint64_t lastNumber = 0;            // the scheduler's number of the last submission
  struct Blit {
    uint64_t number;  // the scheduler's
    uint32_t count;   // the program's
  };
  std::deque<Blit> blits;         // presents that may not be done
  uint32_t queuedLimit = 3;       // page "D3DKMTSetQueuedLimit"
  uint32_t presentCount = 0;      // of the last present that was accepted
  bool countsRefreshes = false;   // it has asked for statistics: vertical syncs are counted until it ends
  std::atomic<uint32_t> done{0};  // count of the last present that is done: drawn, or on the screen
  std::atomic<uint32_t> doneRefresh{0};  // the refresh that shows it
};

struct Process;

struct KmtContext final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Context;
  KmtContext() : KmtObject(kKind) {}
  Process* process = nullptr;
  std::shared_ptr<KmtDevice> device;
  std::unique_ptr<Context> context;
  std::unique_ptr<CommandBufferSets> buffers;
};

/// Allocations that are created or opened together, and destroyed together: those of one resource, or a
/// single one without a resource.
struct AllocationGroup {
  std::vector<std::shared_ptr<Allocation>> allocations;
  std::vector<uint8_t> runtimeData, resourceData;
  uint32_t globalShare = 0;  // 0: no other device can open it
  bool kernels = false;      // the shared primary and windows' surfaces, which belong to no process
  bool ended = false;        // under Kernel's m_sharing
};

struct KmtAllocation final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Allocation;
  KmtAllocation() : KmtObject(kKind) {}
  KmtDevice* device = nullptr;  // the device that has this one in its table of allocations
  uint32_t resource = 0;        // handle
  std::shared_ptr<AllocationGroup> group;
  OpenAllocation* opened = nullptr;
  bool creator = false;
  uint32_t locks = 0;
};

struct KmtResource final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Resource;
  KmtResource() : KmtObject(kKind) {}
  KmtDevice* device = nullptr;
  std::shared_ptr<AllocationGroup> group;
  std::vector<uint32_t> allocations;  // handles
  bool creator = false;
};

/// A program: the state that its connections share.
struct Process {
  static constexpr unsigned kMaxDevices = 64, kMaxContexts = 64;

  uint32_t id = 0;
  uint32_t pointerBits = 64;
  uint64_t cookie = 0;
  unsigned connections = 0;  // under Kernel's m_mutex
  std::atomic<unsigned> devices{0}, contexts{0};
  CommandMemory memory;  // outlives its contexts' buffers
  HandleTable handles;
};

}  // namespace aerogpu::host
