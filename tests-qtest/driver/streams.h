// SPDX-License-Identifier: MIT
// Command streams and private data as a user-mode driver makes them (docs/abi/), for the tests.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/cmd_writer.hpp"
#include "testbed/kernel/dxgk/client.h"

namespace aerogpu::host {

/// Returns private data of a texture or buffer allocation, version 2, as the user-mode driver gives it at
/// creation.
std::vector<uint8_t> texturePrivate(uint32_t allocId, uint32_t width, uint32_t height, uint32_t d3dFormat,
                                    bool shared = false, bool cpuVisible = false);
std::vector<uint8_t> bufferPrivate(uint32_t allocId, uint64_t bytes, bool cpuVisible = false);
/// Returns version 1, which does not say what it is: the driver keeps such an allocation in VRAM.
std::vector<uint8_t> undescribedPrivate(uint32_t allocId, uint64_t bytes);
/// Return alloc_id and share token that the driver left in private data.
uint32_t allocIdOf(std::span<const uint8_t> privateData);
uint64_t shareTokenOf(std::span<const uint8_t> privateData);

/// Return a handle or an allocation id that was never used before.
uint32_t newHandle();
uint32_t newAllocId();

/// Packets of a stream.
class Stream {
public:
  /// Creates a texture; `allocId` 0: the host's own memory.
  Stream& createTexture(uint32_t handle, uint32_t width, uint32_t height, uint32_t format, uint32_t allocId);
  Stream& createBuffer(uint32_t handle, uint64_t bytes, uint32_t allocId);
  Stream& destroy(uint32_t handle);
  Stream& target(uint32_t handle);
  /// Clears the target to `argb`, 0xAARRGGBB.
  Stream& clear(uint32_t argb);
  Stream& copyTexture(uint32_t to, uint32_t from, uint32_t width, uint32_t height, bool writeback);
  Stream& copyBuffer(uint32_t to, uint32_t from, uint64_t bytes, bool writeback);
  Stream& dirty(uint32_t handle, uint64_t offset, uint64_t bytes);
  Stream& upload(uint32_t handle, uint64_t offset, const void* data, size_t bytes);
  Stream& exportSurface(uint32_t handle, uint64_t token);
  Stream& importSurface(uint32_t handle, uint64_t token);
  Stream& present(bool vsync);
  Stream& flush();
  Stream& nop();

  std::span<const uint8_t> bytes() const { return {m_writer.data(), m_writer.size()}; }
  CommandWriter& writer() { return m_writer; }

private:
  CommandWriter m_writer;
};

/// One texture with its own allocation, opened by a client, whose content can be read.
struct Surface {
  uint32_t width = 0, height = 0, allocId = 0;
  uint32_t backed = 0, target = 0;  // handles: over the allocation; render target in the host's memory
  std::shared_ptr<Allocation> allocation;
  OpenAllocation* opened = nullptr;
  uint64_t bytes() const { return uint64_t{width} * height * 4; }
};
/// Creates allocation and textures; returns false after a broken rule.
bool makeSurface(Adapter& adapter, Client& client, Context& context, uint32_t width, uint32_t height,
                 Surface& out);
/// Destroys what makeSurface() made.
void dropSurface(Adapter& adapter, Client& client, Context& context, Surface& surface);
/// Clears the target and writes it back to the allocation.
NTSTATUS fillSurface(Context& context, const Surface& surface, uint32_t argb, uint64_t* number = nullptr);
/// Ends a test that tried to break something: makes a surface, fills it with a colour, compares, and drops
/// it.
void expectRendering(Adapter& adapter, Client& client, Context& context, uint32_t argb);
/// True if every `step`-th pixel of the allocation has this colour.
bool surfaceIs(Adapter& adapter, const Surface& surface, uint32_t argb, uint32_t step = 17);

}  // namespace aerogpu::host
