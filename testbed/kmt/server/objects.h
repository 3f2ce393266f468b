// SPDX-License-Identifier: MIT
// What programs have handles for.
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

/// Calls of one device come one after the other, under `calls`; what waits for the GPU on a program's wish
/// does so without it.
struct KmtDevice final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Device;
  KmtDevice() : KmtObject(kKind) {}

  std::mutex calls;  // guards what follows
  bool gone = false;
  std::unique_ptr<Client> client;
  std::set<uint32_t> contexts, allocations, resources;  // handles
  OpenAllocation* desktop = nullptr;                    // the shared primary, once it was presented to
  unsigned resetsBefore = 0;                            // of the scheduler when the device was made
  uint64_t lastNumber = 0;                              // of the scheduler, of the last submission
  std::deque<uint64_t> presents;                        // numbers, of those that may not be done
  uint32_t queuedLimit = 3;                             // page "D3DKMTSetQueuedLimit"
  uint32_t presentCount = 0;
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

/// What is created or opened together, and ends together: the allocations of one resource, or one allocation
/// of none.
struct AllocationGroup {
  std::vector<std::shared_ptr<Allocation>> allocations;
  std::vector<uint8_t> runtimeData, resourceData;
  uint32_t globalShare = 0;  // 0: nobody else can open it
  bool kernels = false;      // the shared primary and windows' surfaces, which are no process'
  bool ended = false;        // under Kernel's m_sharing
};

struct KmtAllocation final : KmtObject {
  static constexpr ObjectKind kKind = ObjectKind::Allocation;
  KmtAllocation() : KmtObject(kKind) {}
  KmtDevice* device = nullptr;  // whose table of allocations has this one
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

/// A program: what its connections have in common.
struct Process {
  static constexpr unsigned kMaxDevices = 64, kMaxContexts = 64;

  uint32_t id = 0;
  uint32_t pointerBits = 64;
  uint64_t cookie = 0;
  unsigned connections = 0;  // under Kernel's m_mutex
  std::atomic<unsigned> devices{0}, contexts{0};
  CommandMemory memory;  // its contexts' buffers end before it
  HandleTable handles;
};

}  // namespace aerogpu::host
