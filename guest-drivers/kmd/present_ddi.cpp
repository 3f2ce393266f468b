// SPDX-License-Identifier: MIT
// present_ddi.cpp: DxgkDdiPresent and DxgkDdiRenderKm: blits, fills and GDI operations that the driver draws itself, in
// the alternate device context of the WDDM context. PASSIVE_LEVEL.
#include "adapter.h"
#include "aerogpu/aerogpu_format.h"
#include "dma_builder.h"
#include "entry_points.h"
#include "gdi_multipass.h"
#include "kernel_memory.h"
#include "user_copy.h"

namespace aero {
namespace {

bool cpuWrites(AllocationUse use) {
  return use == AllocationUse::Shadow || use == AllocationUse::Staging || use == AllocationUse::GdiStagingCpuVisible ||
         use == AllocationUse::GdiExisting;
}

/** What surfaceOf() may write for one surface. */
constexpr SIZE_T kTextureBytes = sizeof(aerogpu_cmd_destroy_resource) + sizeof(aerogpu_cmd_create_texture2d) +
                                 sizeof(aerogpu_cmd_resource_dirty_range) + sizeof(aerogpu_cmd_export_shared_surface);

/** Textures that the buffer under construction makes. One that is dropped has made nothing: undo() says so. */
class MadeTextures {
public:
  struct Entry {
    AeroAllocation *allocation;
    uint32_t textureBefore, epochBefore;
  };
  /** `entries` has room for one entry an allocation of the list. */
  explicit MadeTextures(Entry *entries) : m_entries(entries) {}

  /** The table is locked. */
  void make(AeroAllocation &allocation, uint32_t texture, uint32_t epoch) {
    m_entries[m_count++] = {&allocation, allocation.kernelTexture, allocation.kernelEpoch};
    allocation.kernelTexture = texture;
    allocation.kernelEpoch = epoch;
  }
  void undo(AllocationTable &table) {
    TableLock lock(table);
    while (m_count) {
      const Entry &entry = m_entries[--m_count];
      entry.allocation->kernelTexture = entry.textureBefore;
      entry.allocation->kernelEpoch = entry.epochBefore;
    }
  }

private:
  Entry *m_entries;
  UINT m_count = 0;
};

/** The surface of an allocation, with a texture of the driver's own over its memory where there is none. That texture
 *  is made in this very submission, so that the allocation is resident then. */
bool surfaceOf(AeroAdapter &adapter, PacketWriter &packets, const DXGK_ALLOCATIONLIST &listed, MadeTextures &made,
               GdiSurface &out) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  if (!open) return false;
  AeroAllocation &allocation = *open->allocation;
  TableLock lock(adapter.allocations);
  out = {allocation.surface};
  out.cpuWritten = cpuWrites(allocation.use);
  out.cpuRead = cpuWrites(allocation.use);
  out.bytes = allocation.bytes;
  out.allocId = allocation.id;
  out.pitchOfCommand =
      allocation.use == AllocationUse::GdiStagingCpuVisible || allocation.use == AllocationUse::GdiExisting;
  out.bytePixels = allocation.bytePixels;
  out.texture = allocation.userTexture ? allocation.userTexture : allocation.kernelTexture;
  if (allocation.userTexture ||
      (allocation.kernelTexture && adapter.epochs.stillThere(allocation.kernelEpoch, allocation.token.value != 0)))
    return true;
  // What has no memory cannot be made again of it.
  if (allocation.gpuOnly || allocation.surface.format == AEROGPU_FORMAT_INVALID || !allocation.surface.pitch)
    return false;

  if (allocation.kernelTexture)
    if (auto *destroy = packets.append<aerogpu_cmd_destroy_resource>())
      destroy->resource_handle = allocation.kernelTexture;
  const uint32_t texture = adapter.allocations.newKernelHandles(1);
  auto *create = packets.append<aerogpu_cmd_create_texture2d>();
  if (!create) return false;
  create->texture_handle = texture;
  create->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET |
                        (allocation.use == AllocationUse::Primary ? AEROGPU_RESOURCE_USAGE_SCANOUT : 0);
  create->format = allocation.surface.format;
  create->width = allocation.surface.width;
  create->height = allocation.surface.height;
  create->mip_levels = 1;
  create->array_layers = 1;
  create->row_pitch_bytes = allocation.surface.pitch;
  create->backing_alloc_id = allocation.id;
  if (auto *dirty = packets.append<aerogpu_cmd_resource_dirty_range>()) {
    dirty->resource_handle = texture;
    dirty->size_bytes = uint64_t{allocation.surface.pitch} * allocation.surface.height;
  }
  if (allocation.token.value)
    if (auto *share = packets.append<aerogpu_cmd_export_shared_surface>()) {
      share->resource_handle = texture;
      share->share_token = allocation.token.value;
    }
  if (packets.full()) return false;
  made.make(allocation, texture, adapter.epochs.now());
  out.texture = texture;
  return true;
}

/** Copies an array of rectangles that may be user memory. */
NTSTATUS captureRects(const RECT *rects, UINT count, RECT *out) {
  const SIZE_T bytes = SIZE_T{count} * sizeof(RECT);
  if (reinterpret_cast<ULONG_PTR>(rects) <= reinterpret_cast<ULONG_PTR>(MmHighestUserAddress))
    return copyFromUser(out, rects, bytes);
  RtlCopyMemory(out, rects, bytes);
  return STATUS_SUCCESS;
}

constexpr UINT kMaxSubRects = 4096;

/** Rectangles of one present, captured. */
class Rects {
public:
  NTSTATUS capture(const RECT *rects, UINT count) {
    if (!count) return STATUS_SUCCESS;
    if (count > kMaxSubRects) return STATUS_INVALID_PARAMETER;
    m_rects = static_cast<RECT *>(poolAllocate(SIZE_T{count} * sizeof(RECT)));
    if (!m_rects) return STATUS_NO_MEMORY;
    m_count = count;
    return captureRects(rects, count, m_rects);
  }
  Rects() = default;
  Rects(const Rects &) = delete;
  Rects &operator=(const Rects &) = delete;
  ~Rects() { poolFree(m_rects); }
  const RECT *data() const { return m_rects; }
  UINT count() const { return m_count; }

private:
  RECT *m_rects = nullptr;
  UINT m_count = 0;
};

void appendPresent(PacketWriter &packets) {
  packets.append<aerogpu_cmd_present>();
}

bool isPrimary(const DXGK_ALLOCATIONLIST &listed) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  return open && open->allocation->use == AllocationUse::Primary;
}

}  // namespace

NTSTATUS APIENTRY AeroDdiPresent(const HANDLE hContext, DXGKARG_PRESENT *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *context->adapter;

  const bool blt = args->Flags.Blt, fill = args->Flags.ColorFill, flip = args->Flags.Flip;
  if (blt + fill + flip != 1) return STATUS_INVALID_PARAMETER;
  // With FlipOnVSyncMmIo the OS passes no DMA buffer for a flip: DxgkDdiSetVidPnSourceAddress makes it once the drawing
  // is done, and shows the texture that is there (page "DXGK_FLIPCAPS").
  if (flip && !args->pDmaBuffer) return STATUS_SUCCESS;
  if (args->Flags.DstColorKey || args->Flags.LinearToSrgb || args->Flags.Rotate) return STATUS_NOT_SUPPORTED;
  Rects rects;
  NTSTATUS status = flip ? STATUS_SUCCESS : rects.capture(args->pDstSubRects, args->SubRectCnt);
  if (!NT_SUCCESS(status)) return status == STATUS_ACCESS_VIOLATION ? STATUS_INVALID_USER_BUFFER : status;

  DmaBuilder dma(
      adapter.allocations, adapter.segments, adapter.counters,
      {args->pDmaBuffer, args->DmaSize, args->pDmaBufferPrivateData, args->DmaBufferPrivateDataSize,
       args->pAllocationList, DXGK_PRESENT_MAX_INDEX + 1, args->pPatchLocationListOut, args->PatchLocationListOutSize});
  status = dma.begin(DXGK_PRESENT_SOURCE_INDEX, flip ? 1 : 2, true);
  if (!NT_SUCCESS(status)) return status;
  PacketWriter &packets = dma.packets();

  uint32_t flags = kDmaAlternate;
  if (flip) {
    appendPresent(packets);
    flags |= kDmaPresent;
  } else {
    GdiSurface source, destination;
    MadeTextures::Entry entries[2];
    MadeTextures made(entries);
    const auto dropped = [&](NTSTATUS why) {
      made.undo(adapter.allocations);
      return why;
    };
    const DXGK_ALLOCATIONLIST &to = args->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX];
    if (!surfaceOf(adapter, packets, to, made, destination) ||
        (blt && !surfaceOf(adapter, packets, args->pAllocationList[DXGK_PRESENT_SOURCE_INDEX], made, source)))
      return dropped(packets.full() ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_INVALID_PARAMETER);
    if (!adapter.gdi.begin(packets)) return dropped(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    PresentProgress progress = PresentProgress::from(args->MultipassOffset);
    const uint32_t stepsBefore = progress.steps;
    GdiStatus drawn;
    if (progress.drawn)
      drawn = GdiStatus::Done;  // in earlier buffers
    else if (fill)
      drawn =
          adapter.gdi.fill(packets, destination, rects.count() ? rects.data() : &args->DstRect,
                           rects.count() ? rects.count() : 1, args->Color, DXGK_GDIROPCF_PATCOPY, 0, progress.steps);
    else if (args->Flags.SrcColorKey)
      drawn = adapter.gdi.copyKeyed(packets, destination, args->DstRect, source, args->SrcRect, rects.data(),
                                    rects.count(), args->Color, progress.steps);
    else
      drawn = adapter.gdi.copy(packets, destination, args->DstRect, source, args->SrcRect, rects.data(), rects.count(),
                               progress.steps);
    adapter.gdi.end(packets);
    if (drawn == GdiStatus::Unsupported) return dropped(STATUS_ILLEGAL_INSTRUCTION);
    if (drawn == GdiStatus::Full) {
      if (progress.steps == stepsBefore || !progress.to(args->MultipassOffset))
        return dropped(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    } else if (isPrimary(to)) {
      appendPresent(packets);
      if (packets.full()) {
        packets.rewind(packets.used());
        (void)PresentProgress{0, true}.to(args->MultipassOffset);
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      } else {
        flags |= kDmaPresent;
      }
    }
  }
  dma.finish(static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_PRESENT, flags);
  return status;
}

NTSTATUS APIENTRY AeroDdiRenderKm(const HANDLE hContext, DXGKARG_RENDER *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *context->adapter;
  if (!adapter.acceleratesGdi()) return STATUS_NOT_SUPPORTED;

  DmaBuilder dma(
      adapter.allocations, adapter.segments, adapter.counters,
      {args->pDmaBuffer, args->DmaSize, args->pDmaBufferPrivateData, args->DmaBufferPrivateDataSize,
       args->pAllocationList, args->AllocationListSize, args->pPatchLocationListOut, args->PatchLocationListOutSize});
  NTSTATUS status = dma.begin(0, args->AllocationListSize, true);
  if (!NT_SUCCESS(status)) return status;
  PacketWriter &packets = dma.packets();
  struct Listed {
    GdiSurface surface;
    MadeTextures::Entry made;
  };
  // One piece of memory for both arrays, surfaces first.
  const SIZE_T count = args->AllocationListSize ? args->AllocationListSize : 1;
  void *memory = poolAllocate(count * sizeof(Listed));
  if (!memory) return STATUS_NO_MEMORY;
  auto *surfaces = static_cast<GdiSurface *>(memory);
  MadeTextures made(reinterpret_cast<MadeTextures::Entry *>(surfaces + count));
  for (UINT i = 0; i < args->AllocationListSize; i++)
    surfaceOf(adapter, packets, args->pAllocationList[i], made, surfaces[i]);
  const bool begun = !packets.full() && adapter.gdi.begin(packets);

  const auto *commands = static_cast<const uint8_t *>(args->pCommand);
  RenderKmProgress progress = RenderKmProgress::from(args->MultipassOffset);
  const UINT offsetBefore = progress.offset;
  const uint32_t stepsBefore = progress.steps;
  if (!begun) status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  while (begun && progress.offset + FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command) <= args->CommandLength) {
    const UINT left = args->CommandLength - progress.offset;
    DXGK_RENDERKM_COMMAND command = {};
    RtlCopyMemory(&command, commands + progress.offset, FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command));
    if (command.CommandSize < FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command) || command.CommandSize > left) {
      status = STATUS_INVALID_USER_BUFFER;
      break;
    }
    RtlCopyMemory(&command, commands + progress.offset,
                  command.CommandSize < sizeof command ? command.CommandSize : sizeof command);
    const GdiStatus drawn = adapter.gdi.render(packets, command, surfaces, args->AllocationListSize, progress.steps);
    if (drawn == GdiStatus::Unsupported) {
      status = STATUS_INVALID_PARAMETER;
      break;
    }
    if (drawn == GdiStatus::Full) {
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      break;
    }
    progress.offset += command.CommandSize;
  }
  const bool got = progress.offset != offsetBefore || progress.steps != stepsBefore;
  // What was drawn before a command that is refused is kept: the next call begins with that command.
  if (!NT_SUCCESS(status) && got) status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  // Without progress nothing is submitted; a buffer of this size holds a step of any operation.
  const SIZE_T enough = DmaLayout::forEntries(static_cast<uint32_t>(count)).packetOffset() + count * kTextureBytes +
                        GdiEngine::kMinPacketBytes;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && !got && args->DmaSize >= enough)
    status = STATUS_INVALID_PARAMETER;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && got && !progress.to(args->MultipassOffset))
    status = STATUS_INVALID_PARAMETER;
  if (!NT_SUCCESS(status) && (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || !got)) {
    made.undo(adapter.allocations);
    poolFree(memory);
    return status;
  }
  poolFree(memory);
  adapter.gdi.end(packets);
  dma.finish(static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_RENDER, kDmaAlternate);
  return status;
}

}  // namespace aero
