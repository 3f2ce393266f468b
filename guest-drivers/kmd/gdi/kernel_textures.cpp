// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/kernel_textures.h"

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/packet_writer.hpp"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/display/display.h"
#include "guest-drivers/kmd/memory/segments.h"
#include "guest-drivers/kmd/process/context.h"
#include "guest-drivers/kmd/submit/internal_queue.h"

namespace aero {

using aerogpu::PacketWriter;

namespace {

/** Returns the program that has had the allocation open for longest; null if only the OS has it open, or
 * if it is the OS' own surface. Under the table's mutex. */
AeroDevice *payerOf(const AeroAllocation &allocation) {
  AeroDevice *payer = nullptr;
  if (allocation.use != AllocationUse::UserMode) return payer;
  for (const AeroOpenAllocation *open = allocation.opens; open; open = open->next)  // the newest first
    if (!open->device->system) payer = open->device;
  return payer;
}

}  // namespace

NTSTATUS KernelTextures::create(AeroAllocation &allocation) {
  return create(allocation, m_features.spaceBytes);
}

bool KernelTextures::charge(AeroAllocation &allocation, uint64_t limit, Making &how) {
  const AeroDevice *payer = m_features.charges() ? payerOf(allocation) : nullptr;
  if (!m_allocations.charge(allocation, payer ? payer->account : nullptr, limit)) return false;
  how.payer = payer ? payer->space : 0;
  how.process = payer ? payer->account->number : 0;
  return true;
}

NTSTATUS KernelTextures::create(AeroAllocation &allocation, uint64_t limit) {
  uint32_t texture;
  Making how;
  how.roomMs = InternalQueue::kRoomTimeoutMs;
  {
    TableLock lock(m_allocations);
    if (!charge(allocation, limit, how)) return STATUS_NO_MEMORY;
    texture = m_allocations.newKernelHandles(1);
  }
  const NTSTATUS status = submit(allocation, texture, how);
  if (!NT_SUCCESS(status)) {
    TableLock lock(m_allocations);
    m_allocations.discharge(allocation);
    return status;
  }
  allocation.kernelTexture = texture;
  allocation.kernelEpoch = m_epochs.now();
  return status;
}

NTSTATUS KernelTextures::submit(const AeroAllocation &allocation, uint32_t texture, const Making &how) {
  uint8_t buffer[sizeof(aerogpu_cmd_destroy_resource) + sizeof(aerogpu_cmd_ext_space_process) +
                 sizeof(aerogpu_cmd_ext_charge_space) + sizeof(aerogpu_cmd_create_texture2d) +
                 sizeof(aerogpu_cmd_export_shared_surface) + sizeof(aerogpu_cmd_resource_dirty_range)];
  PacketWriter packets(buffer, sizeof buffer);
  // Replaces an older texture over the same memory, which has the content.
  if (allocation.kernelTexture && !allocation.lasts())
    packets.append<aerogpu_cmd_destroy_resource>()->resource_handle = allocation.kernelTexture;
  if (how.payer && m_features.processes()) {
    // The device may not know the space yet, or may have forgotten it.
    auto *process = packets.append<aerogpu_cmd_ext_space_process>();
    process->space = how.payer;
    process->process = how.process;
  }
  if (how.payer) packets.append<aerogpu_cmd_ext_charge_space>()->space = how.payer;
  const Surface &surface = allocation.surface;
  if (allocation.isBuffer) {
    auto *create = packets.append<aerogpu_cmd_create_buffer>();
    create->buffer_handle = texture;
    create->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER | AEROGPU_RESOURCE_USAGE_INDEX_BUFFER |
                          AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER | AEROGPU_RESOURCE_USAGE_STORAGE;
    create->size_bytes = allocation.bytes & ~uint64_t{3};
    create->backing_alloc_id = allocation.id;
  } else {
    auto *create = packets.append<aerogpu_cmd_create_texture2d>();
    create->texture_handle = texture;
    create->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET |
                          (allocation.isScannedOut() ? AEROGPU_RESOURCE_USAGE_SCANOUT : 0);
    create->format = surface.format;
    create->width = surface.width;
    create->height = surface.height;
    create->mip_levels = 1;
    create->array_layers = 1;
    if (!allocation.gpuOnly) {
      create->row_pitch_bytes = surface.pitch;
      create->backing_alloc_id = allocation.id;
    }
  }
  if (allocation.token.value) {
    auto *share = packets.append<aerogpu_cmd_export_shared_surface>();
    share->resource_handle = texture;
    share->share_token = allocation.token.value;
  }
  if (how.memory) {
    auto *dirty = packets.append<aerogpu_cmd_resource_dirty_range>();
    dirty->resource_handle = texture;
    dirty->size_bytes = uint64_t{surface.pitch} * surface.height;
  }
  // Creation checks only the size (ALLOC-9, OBJ-11); the table of each submission says where the memory lies.
  const aerogpu_alloc_entry entry = {allocation.id, AEROGPU_ALLOC_FLAG_READONLY, how.memory ? how.memory : kNowhere,
                                     allocation.bytes, 0};
  return m_internal.submit(buffer, static_cast<uint32_t>(packets.used()), {}, how.roomMs,
                           allocation.gpuOnly ? nullptr : &entry);
}

NTSTATUS KernelTextures::ensure(AeroAllocation &allocation) {
  constexpr uint32_t kTries = 20;
  // The texture takes over the memory's content only the first time; after the GPU has drawn, or the device was
  // reset, the content is old.
  const uint64_t memory =
      allocation.use == AllocationUse::Primary && !allocation.kernelTexture && !allocation.kernelEpoch
          ? m_display.shownAt(allocation.id)
          : 0;
  for (uint32_t i = 0;; i++) {
    {
      TableLock lock(m_allocations);
      const NTSTATUS status = tryEnsure(allocation, memory);
      if (status != STATUS_IO_TIMEOUT || i == kTries) return status;
    }
    LARGE_INTEGER millisecond;
    millisecond.QuadPart = -10000;
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  }
}

NTSTATUS KernelTextures::tryEnsure(AeroAllocation &allocation, uint64_t memory) {
  if (allocation.kernelTexture && m_epochs.stillThere(allocation.kernelEpoch, allocation.token.value != 0))
    return STATUS_SUCCESS;
  const Surface &surface = allocation.surface;
  // A texture without memory cannot be made again from memory, and other programs have handles of an imported
  // one: restore() makes those.
  if (allocation.lasts() || surface.format == AEROGPU_FORMAT_INVALID || !surface.pitch) return STATUS_INVALID_PARAMETER;
  Making how;
  how.memory = memory;
  if (!charge(allocation, m_features.spaceBytes, how)) return STATUS_NO_MEMORY;
  const uint32_t texture = m_allocations.newKernelHandles(1);
  const NTSTATUS status = submit(allocation, texture, how);
  if (!NT_SUCCESS(status)) {
    m_allocations.discharge(allocation);
    return status;
  }
  allocation.kernelTexture = texture;
  allocation.kernelEpoch = m_epochs.now();
  return STATUS_SUCCESS;
}

NTSTATUS KernelTextures::restore() {
  NTSTATUS status = STATUS_SUCCESS;
  uint32_t cursor = 0;
  for (;;) {
    AeroAllocation *allocation;
    {
      TableLock lock(m_allocations);
      allocation = m_allocations.nextLost(cursor, m_epochs);
    }
    if (!allocation) return status;
    // The texture already has an owner and is there to be imported: the device decides whether there is room.
    const NTSTATUS one = create(*allocation, ~uint64_t{0});
    if (!NT_SUCCESS(one)) status = one;
  }
}

}  // namespace aero
