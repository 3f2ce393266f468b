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

/** Formats that the driver's shaders read and write. */
bool isColor(uint32_t format) {
  return format >= AEROGPU_FORMAT_B8G8R8A8_UNORM && format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

/** The surface of an allocation, with a texture of the driver's own over its memory where there is none. Codes of the
 * page "DxgkDdiPresent". */
NTSTATUS surfaceOf(AeroAdapter &adapter, const DXGK_ALLOCATIONLIST &listed, GdiSurface &out) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  if (!open) return STATUS_INVALID_HANDLE;
  AeroAllocation &allocation = *open->allocation;
  uint32_t userTexture, width, format;
  {
    TableLock lock(adapter.allocations);
    userTexture = allocation.userTexture;
    width = allocation.surface.width;
    format = allocation.surface.format;
  }
  if (!width) return STATUS_ILLEGAL_INSTRUCTION;  // not a picture
  if (!isColor(format)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (!userTexture) {
    const NTSTATUS status = adapter.textures.ensure(allocation);
    if (!NT_SUCCESS(status)) return status == STATUS_INVALID_PARAMETER ? STATUS_ILLEGAL_INSTRUCTION : STATUS_NO_MEMORY;
  }
  out = {allocation.surface};
  // A program's memory without a texture is all that there is of it.
  const bool memoryCounts =
      cpuWrites(allocation.use) || (allocation.use == AllocationUse::UserMode && !userTexture && !allocation.lasts());
  out.cpuWritten = memoryCounts;
  out.cpuRead = memoryCounts;
  out.bytes = allocation.bytes;
  out.allocId = allocation.id;
  out.pitchOfCommand =
      allocation.use == AllocationUse::GdiStagingCpuVisible || allocation.use == AllocationUse::GdiExisting;
  out.bytePixels = allocation.bytePixels;
  out.texture = userTexture ? userTexture : allocation.kernelTexture;
  return STATUS_SUCCESS;
}

/** Copies an array of rectangles that may be user memory. */
NTSTATUS captureRects(const RECT *rects, UINT count, RECT *out) {
  const SIZE_T bytes = SIZE_T{count} * sizeof(RECT);
  if (reinterpret_cast<ULONG_PTR>(rects) <= reinterpret_cast<ULONG_PTR>(MmHighestUserAddress))
    return copyFromUser(out, rects, bytes);
  RtlCopyMemory(out, rects, bytes);
  return STATUS_SUCCESS;
}

/** A stretch of a present's rectangles, captured. */
class Rects {
public:
  NTSTATUS capture(const RECT *rects, UINT count) {
    if (!count) return STATUS_SUCCESS;
    if (count > SIZE_T{MAXLONG} / sizeof(RECT)) return STATUS_NO_MEMORY;
    m_rects = static_cast<RECT *>(poolAllocate(SIZE_T{count} * sizeof(RECT)));
    if (!m_rects) return STATUS_NO_MEMORY;
    m_count = count;
    // A list that is not all the process's: the page has one code for such accesses.
    return NT_SUCCESS(captureRects(rects, count, m_rects)) ? STATUS_SUCCESS : STATUS_PRIVILEGED_INSTRUCTION;
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

/** What the driver draws with is there, or made: after a sleep it may be missing. */
NTSTATUS prepareToDraw(AeroAdapter &adapter) {
  if (adapter.scheduler.owes()) adapter.scheduler.sendOwed();
  return NT_SUCCESS(adapter.gdi.restore()) ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

void appendPresent(PacketWriter &packets) {
  packets.append<aerogpu_cmd_present>();
}

bool isPrimary(const DXGK_ALLOCATIONLIST &listed) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  return open && open->allocation->use == AllocationUse::Primary;
}

}  // namespace

// Codes are those of the page "DxgkDdiPresent": others make checked builds of the OS stop.
NTSTATUS APIENTRY AeroDdiPresent(const HANDLE hContext, DXGKARG_PRESENT *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_HANDLE;
  AeroAdapter &adapter = *context->adapter;
  if (adapter.isLost(*context)) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;

  const bool blt = args->Flags.Blt, fill = args->Flags.ColorFill, flip = args->Flags.Flip;
  if (blt + fill + flip != 1) return STATUS_ILLEGAL_INSTRUCTION;
  // With FlipOnVSyncMmIo the OS passes no DMA buffer for a flip: DxgkDdiSetVidPnSourceAddress makes it once the drawing
  // is done, and shows the texture that is there (page "DXGK_FLIPCAPS").
  if (flip && !args->pDmaBuffer) return STATUS_SUCCESS;
  if (args->Flags.LinearToSrgb) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (args->Flags.DstColorKey || args->Flags.Rotate) return STATUS_ILLEGAL_INSTRUCTION;
  NTSTATUS status = flip ? STATUS_SUCCESS : prepareToDraw(adapter);
  if (!NT_SUCCESS(status)) return status;

  PresentProgress progress = PresentProgress::from(args->MultipassOffset);
  const uint32_t offsetBefore = args->MultipassOffset;
  const DXGK_ALLOCATIONLIST &to = args->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX];
  const DXGK_ALLOCATIONLIST &from = args->pAllocationList[DXGK_PRESENT_SOURCE_INDEX];
  Rects rects;
  UINT after = 0;  // rectangles behind this stretch
  if (!flip && !progress.drawn && args->SubRectCnt) {
    // Within one surface the order of all rectangles matters, so they are looked at together.
    const bool within = blt && to.hDeviceSpecificAllocation == from.hDeviceSpecificAllocation;
    const uint64_t first = uint64_t{progress.stretch} * PresentProgress::kStretch;
    if (first >= args->SubRectCnt) return STATUS_ILLEGAL_INSTRUCTION;
    UINT count = args->SubRectCnt - static_cast<UINT>(first);
    if (!within && count > PresentProgress::kStretch) count = PresentProgress::kStretch;
    after = args->SubRectCnt - static_cast<UINT>(first) - count;
    status = rects.capture(args->pDstSubRects + first, count);
    if (!NT_SUCCESS(status)) return status;
  }

  DmaBuilder dma(adapter.allocations, adapter.segments, adapter.counters, *args);
  status = dma.beginWritten(DXGK_PRESENT_SOURCE_INDEX, flip ? 1 : 2);
  if (!NT_SUCCESS(status)) return status;
  PacketWriter &packets = dma.packets();

  uint32_t flags = kDmaAlternate;
  if (flip) {
    appendPresent(packets);
    flags |= kDmaPresent;
  } else {
    GdiSurface source, destination;
    status = surfaceOf(adapter, to, destination);
    if (NT_SUCCESS(status) && blt) status = surfaceOf(adapter, from, source);
    if (!NT_SUCCESS(status)) return status;
    if (!adapter.gdi.begin(packets)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
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
    if (drawn == GdiStatus::Done && after) progress = {progress.stretch + 1, 0, false};
    if (drawn == GdiStatus::Full || (drawn == GdiStatus::Done && after)) {
      if (!progress.to(args->MultipassOffset)) return STATUS_ILLEGAL_INSTRUCTION;
      if (args->MultipassOffset == offsetBefore) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    } else if (isPrimary(to)) {
      appendPresent(packets);
      if (packets.full()) {
        packets.rewind(packets.used());
        (void)PresentProgress{0, 0, true}.to(args->MultipassOffset);
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      } else {
        flags |= kDmaPresent;
      }
    }
  }
  dma.finish(*args, static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_PRESENT, flags);
  return status;
}

NTSTATUS APIENTRY AeroDdiRenderKm(const HANDLE hContext, DXGKARG_RENDER *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *context->adapter;
  if (!adapter.acceleratesGdi()) return STATUS_ILLEGAL_INSTRUCTION;
  if (adapter.isLost(*context)) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;

  DmaBuilder dma(adapter.allocations, adapter.segments, adapter.counters, *args);
  NTSTATUS status = prepareToDraw(adapter);
  if (NT_SUCCESS(status)) status = dma.beginWritten(0, args->AllocationListSize);
  if (!NT_SUCCESS(status)) return status;
  PacketWriter &packets = dma.packets();
  const SIZE_T count = args->AllocationListSize ? args->AllocationListSize : 1;
  void *memory = poolAllocate(count * sizeof(GdiSurface));
  if (!memory) return STATUS_NO_MEMORY;
  auto *surfaces = static_cast<GdiSurface *>(memory);
  for (UINT i = 0; i < args->AllocationListSize; i++)
    (void)surfaceOf(adapter, args->pAllocationList[i], surfaces[i]);  // a command that names it fails
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
  dma.finish(*args, static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_RENDER, kDmaAlternate);
  return status;
}

}  // namespace aero
