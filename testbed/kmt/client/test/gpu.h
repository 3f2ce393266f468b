// SPDX-License-Identifier: MIT
// gpu.h: a device and a context over D3DKMT, and allocations with textures in them, for the test program. Streams are
// those of a user-mode driver (docs/abi/).
#pragma once

#include <stdint.h>

#include <initializer_list>
#include <vector>

#include "aerogpu/cmd_writer.hpp"
#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt::test {

/// Prints one line of TAP; counts failures. Returns `condition`.
__attribute__((format(printf, 2, 3))) bool check(bool condition, const char *format, ...);
/// Returns this program's failures; 0 if there were none.
int failures();
/// Returns a number that no other program of this machine has as a handle or an allocation's id.
uint32_t newNumber();

struct Listed {
  D3DKMT_HANDLE allocation;
  bool written;
};

/// An adapter, a device and a context. close() is for programs that shut down properly.
class Gpu {
public:
  bool open();
  void close();
  D3DKMT_HANDLE adapter() const { return m_adapter; }
  D3DKMT_HANDLE device() const { return m_device; }
  D3DKMT_HANDLE context() const { return m_context; }
  const D3DKMT_CREATECONTEXT &created() const { return m_created; }
  /// Return the current command buffer, its bytes, and the entries of its allocation list.
  void *commands() const { return m_commands; }
  UINT commandBytes() const { return m_commandBytes; }
  UINT allocationEntries() const { return m_allocationEntries; }

  /// True if the device keeps processes apart.
  bool spaces() const { return m_spaces; }

  /// Copies the stream into the command buffer and renders it.
  NTSTATUS render(const CommandWriter &stream, std::initializer_list<Listed> list = {});
  /// Renders the content of the command buffer; `args` is complete except for the context, and receives the answer.
  NTSTATUS renderAs(D3DKMT_RENDER &args);
  /// Waits until all submissions are done.
  bool waitIdle();
  /// Returns the driver's completed fence.
  uint64_t completedFence();

private:
  D3DKMT_HANDLE m_adapter = 0, m_device = 0, m_context = 0;
  D3DKMT_CREATECONTEXT m_created{};
  bool m_spaces = false;
  void *m_commands = nullptr;
  D3DDDI_ALLOCATIONLIST *m_allocations = nullptr;
  UINT m_commandBytes = 0, m_allocationEntries = 0;
};

/// One allocation, and its resource if it has one.
struct Memory {
  D3DKMT_HANDLE allocation = 0, resource = 0, globalShare = 0;
  uint32_t allocId = 0;
  uint64_t shareToken = 0;
};
NTSTATUS createBuffer(Gpu &gpu, uint64_t bytes, bool cpuVisible, Memory &out);
/// Make a buffer that the CPU sees, in a new resource, or added to one.
NTSTATUS createInResource(Gpu &gpu, D3DKMT_HANDLE resource, Memory &out);
/// Makes an X8R8G8B8 surface. `primary`: to be scanned out; `runtimeData`: of a shared resource, which the CPU may see;
/// null for one that is not shared.
NTSTATUS createSurface(Gpu &gpu, uint32_t width, uint32_t height, bool primary, const char *runtimeData, Memory &out);
void destroy(Gpu &gpu, const Memory &memory);
/// Maps an allocation; returns null after a failure, and sets `status`.
void *lock(Gpu &gpu, D3DKMT_HANDLE allocation, NTSTATUS *status = nullptr);
NTSTATUS unlock(Gpu &gpu, D3DKMT_HANDLE allocation);

/// Makes a texture over the allocation, filled with 0xRRGGBB, the right half with another colour. It is submitted, not
/// waited for, and exported if the allocation is shared. Returns the texture's handle, 0 after a failure.
uint32_t paint(Gpu &gpu, const Memory &memory, uint32_t width, uint32_t height, uint32_t left, uint32_t right);

}  // namespace aerogpu::kmt::test
