// SPDX-License-Identifier: MIT
#include "kernel_textures.h"

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/packet_writer.hpp"
#include "scheduler.h"
#include "segments.h"

namespace aero {

using aerogpu::PacketWriter;

NTSTATUS KernelTextures::create(AeroAllocation &allocation) {
  uint8_t buffer[sizeof(aerogpu_cmd_create_texture2d) + sizeof(aerogpu_cmd_export_shared_surface)];
  PacketWriter packets(buffer, sizeof buffer);
  {
    TableLock lock(m_allocations);
    allocation.kernelTexture = m_allocations.newKernelHandles(1);
    allocation.kernelEpoch = m_epochs.now();
  }
  auto *create = packets.append<aerogpu_cmd_create_texture2d>();
  create->texture_handle = allocation.kernelTexture;
  create->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  create->format = allocation.surface.format;
  create->width = allocation.surface.width;
  create->height = allocation.surface.height;
  create->mip_levels = 1;
  create->array_layers = 1;
  auto *share = packets.append<aerogpu_cmd_export_shared_surface>();
  share->resource_handle = allocation.kernelTexture;
  share->share_token = allocation.token.value;
  return m_scheduler.submitInternal(buffer, static_cast<uint32_t>(packets.used()));
}

NTSTATUS KernelTextures::ensure(AeroAllocation &allocation) {
  constexpr uint32_t kTries = 20;
  for (uint32_t i = 0;; i++) {
    {
      TableLock lock(m_allocations);
      const NTSTATUS status = tryEnsure(allocation);
      if (status != STATUS_IO_TIMEOUT || i == kTries) return status;
    }
    LARGE_INTEGER millisecond;
    millisecond.QuadPart = -10000;
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  }
}

NTSTATUS KernelTextures::tryEnsure(AeroAllocation &allocation) {
  if (allocation.kernelTexture && m_epochs.stillThere(allocation.kernelEpoch, allocation.token.value != 0))
    return STATUS_SUCCESS;
  const Surface &surface = allocation.surface;
  // What has no memory cannot be made again of it.
  if (allocation.gpuOnly || surface.format == AEROGPU_FORMAT_INVALID || !surface.pitch) return STATUS_INVALID_PARAMETER;
  uint8_t buffer[sizeof(aerogpu_cmd_destroy_resource) + sizeof(aerogpu_cmd_create_texture2d) +
                 sizeof(aerogpu_cmd_export_shared_surface)];
  PacketWriter packets(buffer, sizeof buffer);
  if (allocation.kernelTexture)
    packets.append<aerogpu_cmd_destroy_resource>()->resource_handle = allocation.kernelTexture;
  const uint32_t texture = m_allocations.newKernelHandles(1);
  auto *create = packets.append<aerogpu_cmd_create_texture2d>();
  create->texture_handle = texture;
  create->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET |
                        (allocation.use == AllocationUse::Primary ? AEROGPU_RESOURCE_USAGE_SCANOUT : 0);
  create->format = surface.format;
  create->width = surface.width;
  create->height = surface.height;
  create->mip_levels = 1;
  create->array_layers = 1;
  create->row_pitch_bytes = surface.pitch;
  create->backing_alloc_id = allocation.id;
  if (allocation.token.value) {
    auto *share = packets.append<aerogpu_cmd_export_shared_surface>();
    share->resource_handle = texture;
    share->share_token = allocation.token.value;
  }
  const aerogpu_alloc_entry nowhere = {allocation.id, AEROGPU_ALLOC_FLAG_NONE, kNowhere, allocation.bytes, 0};
  const NTSTATUS status =
      m_scheduler.submitInternal(buffer, static_cast<uint32_t>(packets.used()), kInternalContext, 0, &nowhere);
  if (!NT_SUCCESS(status)) return status;
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
      allocation = m_allocations.nextGpuOnly(cursor, m_epochs);
    }
    if (!allocation) return status;
    const NTSTATUS one = create(*allocation);
    if (!NT_SUCCESS(one)) status = one;
  }
}

}  // namespace aero
