// SPDX-License-Identifier: MIT
#include "kernel_textures.h"

#include "aerogpu/packet_writer.hpp"
#include "scheduler.h"

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
