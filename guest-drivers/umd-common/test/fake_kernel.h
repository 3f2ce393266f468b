// SPDX-License-Identifier: MIT
// Test support: the kernel's side of a runtime, for user-mode drivers of any interface. It is hostile where the pages
// allow it: command buffers and lists change place and size after each RenderCb, and the old ones are poisoned; a
// broken rule fails the test. With a renderer it runs the submissions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "aerogpu/aerogpu.h"
#include "guest-drivers/umd-common/base/ddi.h"
#include "renderer/test/harness.h"

namespace aero::test {

/** One packet of a stream. */
struct Packet {
  uint32_t opcode = 0;
  std::vector<uint8_t> bytes;  // header included

  template <class DeviceObjects> DeviceObjects as() const {
    DeviceObjects objects = {};
    memcpy(&objects, bytes.data(), std::min(sizeof objects, bytes.size()));
    return objects;
  }
};

struct Submission {
  std::vector<Packet> packets;
  std::vector<D3DDDI_ALLOCATIONLIST> allocations;
  size_t bytes = 0;
};

struct FakeAllocation {
  uint32_t id = 0, flags = 0;
  uint64_t token = 0;
  uint64_t gpa = 0;
  std::vector<uint8_t> priv;
  std::shared_ptr<std::vector<uint8_t>> own;  // memory without a renderer
  size_t bytes = 0;
  HANDLE resource = nullptr;
  bool primary = false;
  int locks = 0;
};

/** The kernel driver's state for all devices. */
struct FakeKernel {
  explicit FakeKernel(aerogpu::test::Harness *harness = nullptr) : gpu(harness) {}
  aerogpu::test::Harness *gpu;
  std::map<D3DKMT_HANDLE, FakeAllocation> allocations;
  uint32_t nextRange = 0xE0000000u;
  uint32_t nextId = 0x80000000u, nextContext = 1;
  uint64_t nextToken = 0x1234;
  bool spaces = false;                              // the device keeps programs apart
  uint32_t featuresHigh = AEROGPU_CMD_FEATURES_HI;  // the device's extensions
  std::vector<uint8_t> block;  // the device's capability block; empty: an older kernel driver, or none
  uint32_t log = 0;            // UserModeLog, which newer kernel drivers pass on
  bool noBuffers = false;      // DisableHardwareBuffers
  bool aperture = false;       // allocations may be in an aperture, where they can be locked while the GPU uses them
  D3DKMT_HANDLE nextHandle = 0x40000040;
  std::multimap<uint64_t, uint64_t> freeMemory;  // bytes, address

  uint8_t *memory(FakeAllocation &allocation);
  /** Takes guest memory of the renderer, zeroed: memory that was given back, or new memory. */
  uint64_t takeMemory(uint64_t bytes);
  void giveMemory(const FakeAllocation &allocation);
  /** Takes the capabilities of a renderer, and its formats. */
  void giveBlock(aerogpu::test::Harness &renderer);
};

/** The callbacks of one device, and what the driver did with them. */
class FakeCallbacks {
public:
  explicit FakeCallbacks(FakeKernel &kernel) : kernel(kernel) {}
  FakeCallbacks(const FakeCallbacks &) = delete;
  FakeCallbacks &operator=(const FakeCallbacks &) = delete;

  D3DDDI_ADAPTERCALLBACKS adapterCallbacks();
  D3DDDI_DEVICECALLBACKS callbacks();
  /** The runtime's handle of the adapter and of the device. */
  HANDLE handle() { return this; }

  FakeKernel &kernel;

  // The driver's actions.
  std::vector<Submission> submissions;
  std::vector<D3DDDICB_PRESENT> presents;
  std::vector<D3DKMT_HANDLE> displayModes;
  std::map<std::string, int> calls;
  uint32_t gpuErrors = 0;  // packets that the renderer refused

  // The runtime's settings.
  size_t commandBytes = 0;  // size of each command buffer; 0: changing
  uint32_t listEntries = 0;
  bool allBusy = false;  // all allocations count as busy; `waits` counts locks that would wait
  int waits = 0;
  std::function<void()> onRender;          // called by RenderCb
  std::set<D3DKMT_HANDLE> busy;            // LockCb with DonotWait answers still drawing
  std::map<std::string, HRESULT> errors;   // result by callback, until the test removes it
  aerogpu_umd_private_v1 *info = nullptr;  // replaces the kernel driver's answer

  /** Returns all packets since the last call, of all batches. */
  std::vector<Packet> takePackets();
  std::vector<Packet> takePackets(uint32_t opcode);
  /** Returns the opcodes since the last call. */
  std::vector<uint32_t> takeOpcodes();

  // Callbacks.
  HRESULT queryAdapterInfo(D3DDDICB_QUERYADAPTERINFO &data);
  HRESULT allocate(D3DDDICB_ALLOCATE &data);
  HRESULT deallocate(const D3DDDICB_DEALLOCATE &data);
  HRESULT lock(D3DDDICB_LOCK &data);
  HRESULT unlock(const D3DDDICB_UNLOCK &data);
  HRESULT render(D3DDDICB_RENDER &data);
  HRESULT present(const D3DDDICB_PRESENT &data);
  HRESULT createContext(D3DDDICB_CREATECONTEXT &data);
  HRESULT destroyContext(const D3DDDICB_DESTROYCONTEXT &data);
  HRESULT escape(D3DDDICB_ESCAPE &data);
  HRESULT setDisplayMode(D3DDDICB_SETDISPLAYMODE &data);

protected:
  ~FakeCallbacks() = default;
  uint32_t m_context = 0;  // 0: there is none

private:
  HRESULT called(const char *name);
  void newBuffers();
  void runOnGpu(const Submission &submission, const std::vector<uint8_t> &stream);

  std::vector<uint8_t> m_commands;
  std::vector<D3DDDI_ALLOCATIONLIST> m_list;
  uint32_t m_round = 0;
  size_t m_submissionsTaken = 0;
};

}  // namespace aero::test
