// SPDX-License-Identifier: MIT
// The objects of a process: a device, contexts, opened allocations, and command buffers that it fills in its
// own memory and submits through DxgkDdiRender and DxgkDdiPresent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "testbed/kernel/dxgk/dma_memory.h"
#include "testbed/kernel/dxgk/vidmm.h"

namespace aerogpu::host {

class Adapter;

/// DXGK_CONTEXTINFO's memory for one context: DMA buffers that are reused once the GPU is done with them.
struct DmaBuffer {
  DmaMemory memory;
  std::vector<uint8_t> privateData;
  uint64_t busyUntil = 0;
  bool held = false;  // built, not submitted
};

class Context {
public:
  /// Returns null after a failure; `gdi` for kernel GDI acceleration.
  static std::unique_ptr<Context> create(Adapter& adapter, HANDLE device, uint64_t processId,
                                         bool gdi = false);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  using List = std::vector<std::pair<OpenAllocation*, bool>>;  // opened, written
  /// Copies `commands` into the process's memory and renders it, in as many passes as the driver needs.
  /// `number` receives the last submission's.
  NTSTATUS render(std::span<const uint8_t> commands, const List& list, uint64_t* number = nullptr);
  /// Calls DxgkDdiRender with exactly this pointer and length as the command buffer (for tests of bad
  /// pointers).
  NTSTATUS renderRaw(const void* commands, UINT length, const List& list,
                     std::span<const D3DDDI_PATCHLOCATIONLIST> patches, uint64_t* number = nullptr);
  /// Calls DxgkDdiRender with a command buffer and a patch list in the process's own memory, below
  /// kUserProbeAddress, where the process may change them meanwhile.
  NTSTATUS renderUser(const void* commands, UINT length, const List& list, D3DDDI_PATCHLOCATIONLIST* patches,
                      UINT patchCount, std::span<const uint8_t> privateData, bool nullRendering,
                      uint64_t* number = nullptr);
  /// Renders `shown`, then replaces its bytes by `sent`, of the same length, before the submission: the
  /// device gets a stream that the driver would have refused. For tests of the device itself.
  NTSTATUS renderPastDriver(std::span<const uint8_t> shown, std::span<const uint8_t> sent,
                            uint64_t* number = nullptr);
  /// Renders and submits with NullRendering: the driver sees the stream, the device does not.
  NTSTATUS renderUnseen(std::span<const uint8_t> commands, uint64_t* number = nullptr);
  /// Calls DxgkDdiRenderKm with kernel GDI commands.
  NTSTATUS renderKm(std::span<const uint8_t> commands, const List& list, uint64_t* number = nullptr);
  /// Calls DxgkDdiPresent for a copy or a fill between allocations.
  NTSTATUS present(OpenAllocation* source, OpenAllocation* destination, const RECT& from, const RECT& to,
                   std::span<const RECT> subRects, DXGK_PRESENTFLAGS flags, UINT color = 0,
                   uint64_t* number = nullptr);

  /// Calls DxgkDdiPresent for a flip as the OS does if flips are memory-mapped: there is no DMA buffer, and
  /// the driver has nothing to do (page "DXGK_FLIPCAPS").
  NTSTATUS presentFlip(OpenAllocation& source);

  /// Stops submitting built buffers from now on: the GPU runs other contexts first. At most eight buffers.
  void hold() { m_holds = true; }
  /// Submits the held buffers, in order; the driver has seen them long ago. Returns false if they do not fit
  /// into memory.
  bool releaseHeld();
  /// Drops the held buffers: the driver never sees them again.
  void dropHeld();

  HANDLE handle() const { return m_handle; }
  const DXGK_CONTEXTINFO& info() const { return m_info; }
  unsigned passes() const { return m_passes; }

private:
  explicit Context(Adapter& adapter) : m_adapter(adapter) {}
  /// How the passes of one call are submitted.
  struct Passes {
    bool present = false, nullRendering = false;
    UINT fixedEntries = 0;                 // the least entries of the allocation list
    std::span<const uint8_t> privateData;  // from user mode, at the beginning of the buffer's private data
    std::function<void(std::span<uint8_t>)> edit;  // called with each filled buffer before its submission
  };
  /// A filled DMA buffer on its way to the GPU. The objects it points to outlive it.
  struct Built {
    DmaBuffer* dma;
    UINT end, privateEnd;
    List list;
    std::vector<DXGK_ALLOCATIONLIST> allocations;
    std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
    bool present, nullRendering;
    std::function<void(std::span<uint8_t>)> edit;
    unsigned resets;  // number of timeout resets when it was built
  };
  bool submit(Built& built, uint64_t* number);
  bool submitSplit(Built& built, uint64_t* number);
  uint64_t submitPart(Built& built, UINT start, UINT end, size_t firstPatch, size_t endPatch);
  template <class Args>
  NTSTATUS passesOf(const char* ddi, NTSTATUS(HOST_API* function)(HANDLE, Args*), Args args, const List& list,
                    const Passes& passes, uint64_t* number);
  NTSTATUS renderFrom(const void* commands, UINT length, const List& list,
                      std::span<const D3DDDI_PATCHLOCATIONLIST> patches, const Passes& passes,
                      uint64_t* number);
  const void* copyToProcess(std::span<const uint8_t> commands);
  DmaBuffer* freeBuffer();

  Adapter& m_adapter;
  HANDLE m_handle = nullptr;
  uint64_t m_process = 0;
  DXGK_CONTEXTINFO m_info{};
  std::vector<std::unique_ptr<DmaBuffer>> m_buffers;
  uint8_t* m_user = nullptr;  // the process's command buffer
  uint64_t m_userBytes = 0;
  unsigned m_passes = 0;
  bool m_holds = false;
  std::vector<Built> m_held;
};

class Client {
public:
  static std::unique_ptr<Client> create(Adapter& adapter, uint64_t processId, bool gdi = false);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Kills the process, which releases nothing itself. The OS destroys its contexts, closes its open
  /// allocations, destroys allocations that no one has open any more, and finally the device.
  static void terminate(std::unique_ptr<Client> client, std::vector<std::unique_ptr<Context>> contexts);

  std::unique_ptr<Context> createContext(bool gdi = false);
  /// Opens allocations for this device; close() or the destructor closes them.
  std::vector<OpenAllocation*> open(const std::vector<std::shared_ptr<Allocation>>& allocations, bool create);
  void close(OpenAllocation* opened);
  void closeAll();
  HANDLE device() const { return m_device; }
  uint64_t processId() const { return m_process; }

private:
  explicit Client(Adapter& adapter) : m_adapter(adapter) {}
  Adapter& m_adapter;
  HANDLE m_device = nullptr;
  uint64_t m_process = 0;
  std::vector<std::unique_ptr<OpenAllocation>> m_open;
};

/// While it lives, calls of this thread are made by this process.
class ProcessScope {
public:
  explicit ProcessScope(uint64_t processId);
  ~ProcessScope();

private:
  uint64_t m_old;
};

}  // namespace aerogpu::host
