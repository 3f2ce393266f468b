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

/** The surface of an allocation, with a texture of the driver's own over its memory where there is none. */
bool surfaceOf(AeroAdapter &adapter, const DXGK_ALLOCATIONLIST &listed, GdiSurface &out) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  if (!open) return false;
  AeroAllocation &allocation = *open->allocation;
  uint32_t userTexture;
  {
    TableLock lock(adapter.allocations);
    userTexture = allocation.userTexture;
  }
  if (!userTexture && !NT_SUCCESS(adapter.textures.ensure(allocation))) return false;
  out = {allocation.surface};
  // A program's memory without a texture is all that there is of it.
  const bool memoryCounts =
      cpuWrites(allocation.use) || (allocation.use == AllocationUse::UserMode && !userTexture && !allocation.gpuOnly);
  out.cpuWritten = memoryCounts;
  out.cpuRead = memoryCounts;
  out.bytes = allocation.bytes;
  out.allocId = allocation.id;
  out.pitchOfCommand =
      allocation.use == AllocationUse::GdiStagingCpuVisible || allocation.use == AllocationUse::GdiExisting;
  out.bytePixels = allocation.bytePixels;
  out.texture = userTexture ? userTexture : allocation.kernelTexture;
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
    const DXGK_ALLOCATIONLIST &to = args->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX];
    if (!surfaceOf(adapter, to, destination) ||
        (blt && !surfaceOf(adapter, args->pAllocationList[DXGK_PRESENT_SOURCE_INDEX], source)))
      return STATUS_INVALID_PARAMETER;
    if (!adapter.gdi.begin(packets)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
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
    if (drawn == GdiStatus::Unsupported) return STATUS_ILLEGAL_INSTRUCTION;
    if (drawn == GdiStatus::Full) {
      if (progress.steps == stepsBefore || !progress.to(args->MultipassOffset))
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
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
  const SIZE_T count = args->AllocationListSize ? args->AllocationListSize : 1;
  void *memory = poolAllocate(count * sizeof(GdiSurface));
  if (!memory) return STATUS_NO_MEMORY;
  auto *surfaces = static_cast<GdiSurface *>(memory);
  for (UINT i = 0; i < args->AllocationListSize; i++) surfaceOf(adapter, args->pAllocationList[i], surfaces[i]);
  const bool begun = adapter.gdi.begin(packets);

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
  const SIZE_T enough = DmaLayout::forEntries(static_cast<uint32_t>(count)).packetOffset() + GdiEngine::kMinPacketBytes;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && !got && args->DmaSize >= enough)
    status = STATUS_INVALID_PARAMETER;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && got && !progress.to(args->MultipassOffset))
    status = STATUS_INVALID_PARAMETER;
  if (!NT_SUCCESS(status) && (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || !got)) {
    poolFree(memory);
    return status;
  }
  poolFree(memory);
  adapter.gdi.end(packets);
  dma.finish(static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_RENDER, kDmaAlternate);
  return status;
}

}  // namespace aero
