// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/presents.h"

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/common/device_format.h"
#include "guest-drivers/kmd/gdi/gdi_multipass.h"
#include "guest-drivers/kmd/gdi/present_parts.h"
#include "guest-drivers/kmd/os/event_log.h"
#include "guest-drivers/kmd/os/kernel_memory.h"
#include "guest-drivers/kmd/os/user_copy.h"
#include "guest-drivers/kmd/submit/dma_builder.h"
#include "guest-drivers/kmd/submit/internal_queue.h"
#include "guest-drivers/package/resources/aerogpu_events.h"

namespace aero {
namespace {

bool cpuWrites(AllocationUse use) {
  return use == AllocationUse::Shadow || use == AllocationUse::Staging || use == AllocationUse::GdiStagingCpuVisible ||
         use == AllocationUse::GdiExisting;
}

/** True for formats that the driver's shaders read and write. */
bool isColor(uint32_t format) {
  return format >= AEROGPU_FORMAT_B8G8R8A8_UNORM && format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

bool isIndexed(uint32_t format) {
  return format == kIndexTexture;
}

/** Copies the rectangles of a present from the program, one piece of the list at a time. */
class Rects {
public:
  explicit Rects(const DXGKARG_PRESENT &args)
      : m_list(reinterpret_cast<ULONG_PTR>(args.pDstSubRects)),
        m_user(m_list <= reinterpret_cast<ULONG_PTR>(MmHighestUserAddress)) {}
  /** Copies `count` rectangles, at most PresentParts::kStretch, from number `first` on. */
  NTSTATUS capture(uint32_t first, uint32_t count) {
    m_count = count;
    if (!count) return STATUS_SUCCESS;
    if (!m_rects) m_rects = static_cast<RECT *>(poolAllocate(PresentParts::kStretch * sizeof(RECT)));
    if (!m_rects) return STATUS_NO_MEMORY;
    // STATUS_PRIVILEGED_INSTRUCTION is the page's only code for a list that is not in the process's memory.
    const uint64_t at = uint64_t{m_list} + uint64_t{first} * sizeof(RECT);
    if (at > ~ULONG_PTR{0}) return STATUS_PRIVILEGED_INSTRUCTION;
    const auto *from = reinterpret_cast<const void *>(static_cast<ULONG_PTR>(at));
    const SIZE_T bytes = SIZE_T{count} * sizeof(RECT);
    if (m_user) return NT_SUCCESS(copyFromUser(m_rects, from, bytes)) ? STATUS_SUCCESS : STATUS_PRIVILEGED_INSTRUCTION;
    RtlCopyMemory(m_rects, from, bytes);
    return STATUS_SUCCESS;
  }
  Rects(const Rects &) = delete;
  Rects &operator=(const Rects &) = delete;
  ~Rects() { poolFree(m_rects); }
  const RECT *data() const { return m_count ? m_rects : nullptr; }
  UINT count() const { return m_count; }

private:
  ULONG_PTR m_list;
  bool m_user;  // the list begins in user memory; capture() refuses one that ends elsewhere
  RECT *m_rects = nullptr;
  UINT m_count = 0;
};

/** A blt or a fill, with its surfaces. */
struct Drawing {
  const DXGKARG_PRESENT &args;
  GdiSurface destination, source;

  bool withinOne() const {
    return args.Flags.Blt && args.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX].hDeviceSpecificAllocation ==
                                 args.pAllocationList[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation;
  }
  PresentParts parts() const {
    if (!withinOne()) return PresentParts(args.SubRectCnt);
    const int shift = destination.bytePixels ? 2 : 0;  // a pixel of the texture has four of the surface
    const auto texels = [shift](const RECT &rect) {
      return GdiRect{static_cast<int32_t>(rect.left) >> shift, static_cast<int32_t>(rect.top),
                     static_cast<int32_t>(rect.right) >> shift, static_cast<int32_t>(rect.bottom)};
    };
    return PresentParts(args.SubRectCnt, texels(args.DstRect), texels(args.SrcRect), destination.width,
                        destination.height, args.Flags.SrcColorKey || destination.cpuRead);
  }
};

GdiStatus drawPart(GdiEngine &gdi, PacketWriter &packets, const Drawing &drawing, const Rects &rects,
                   const GdiRect &clip, uint32_t &steps) {
  const DXGKARG_PRESENT &args = drawing.args;
  // The texture of indices has the lowest byte in all of its colour channels.
  const UINT color = isIndexed(drawing.destination.format) ? (args.Color & 0xFF) * 0x010101u : args.Color;
  if (args.Flags.ColorFill)
    return gdi.fill(packets, drawing.destination, rects.count() ? rects.data() : &args.DstRect,
                    rects.count() ? rects.count() : 1, color, DXGK_GDIROPCF_PATCOPY, 0, steps);
  const GdiEngine::Copy copy = {drawing.destination, drawing.source, args.DstRect, args.SrcRect,
                                rects.data(),        rects.count(),  clip};
  return args.Flags.SrcColorKey ? gdi.copyKeyed(packets, copy, color, steps) : gdi.copy(packets, copy, steps);
}

/** Continues the drawing at `progress`. Full: the rest must go into another buffer. */
GdiStatus drawParts(GdiEngine &gdi, PacketWriter &packets, const Drawing &drawing, const PresentParts &parts,
                    PresentProgress &progress, NTSTATUS &status) {
  // Bounds the time of a call, however long the list is: other calls wait for it, a reset among them.
  constexpr uint32_t kLookedAt = 16 * PresentParts::kStretch;
  Rects rects(drawing.args);
  uint32_t looked = 0;
  while (progress.part < parts.count()) {
    if (looked >= kLookedAt) return GdiStatus::Full;
    const PresentPart part = parts.at(progress.part);
    status = rects.capture(part.first, part.count);
    if (!NT_SUCCESS(status)) return GdiStatus::Unsupported;
    const GdiStatus drawn = drawPart(gdi, packets, drawing, rects, part.clip, progress.steps);
    if (drawn != GdiStatus::Done) return drawn;
    progress = {progress.part + 1, 0, false};
    looked += part.count;
  }
  return GdiStatus::Done;
}

void appendPresent(PacketWriter &packets) {
  packets.append<aerogpu_cmd_present>();
}

bool isPrimary(const DXGK_ALLOCATIONLIST &listed) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  return open && open->allocation->use == AllocationUse::Primary;
}

}  // namespace

NTSTATUS Presents::surfaceOf(const DXGK_ALLOCATIONLIST &listed, GdiSurface &out) {
  const auto *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  if (!open) return STATUS_INVALID_HANDLE;
  AeroAllocation &allocation = *open->allocation;
  uint32_t userTexture, width, format;
  {
    TableLock lock(m_allocations);
    userTexture = allocation.userTexture;
    width = allocation.surface.width;
    format = allocation.surface.format;
  }
  if (!width) return STATUS_ILLEGAL_INSTRUCTION;  // not a picture
  if (!isColor(format) && !isIndexed(format)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (!userTexture) {
    const NTSTATUS status = m_textures.ensure(allocation);
    if (!NT_SUCCESS(status)) return status == STATUS_INVALID_PARAMETER ? STATUS_ILLEGAL_INSTRUCTION : STATUS_NO_MEMORY;
  }
  out = {allocation.surface};
  // If a program's allocation has no texture, its pixels are in its memory alone.
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

NTSTATUS Presents::prepareToDraw() {
  if (m_internal.owes()) m_internal.sendOwed();
  return NT_SUCCESS(m_gdi.restore()) ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

void Presents::leaveOut(const DXGK_RENDERKM_COMMAND &command, uint32_t offset) {
  constexpr uint64_t kMostEntries = 8;  // in the event log, for each start
  if (++m_counters.skippedGdi <= kMostEntries)
    logEvent(AEROGPU_EVENT_GDI_SKIPPED, STATUS_NOT_SUPPORTED, static_cast<ULONG>(command.OpCode), command.CommandSize,
             offset);
}

NTSTATUS Presents::present(DXGKARG_PRESENT &args) {
  const bool blt = args.Flags.Blt, fill = args.Flags.ColorFill, flip = args.Flags.Flip;
  if (blt + fill + flip != 1) return STATUS_ILLEGAL_INSTRUCTION;
  // With FlipOnVSyncMmIo the OS passes no DMA buffer for a flip: once the drawing is done it calls
  // DxgkDdiSetVidPnSourceAddress, which flips (page "DXGK_FLIPCAPS").
  if (flip && !args.pDmaBuffer) return STATUS_SUCCESS;
  if (args.Flags.LinearToSrgb) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (args.Flags.DstColorKey || args.Flags.Rotate) return STATUS_ILLEGAL_INSTRUCTION;
  NTSTATUS status = flip ? STATUS_SUCCESS : prepareToDraw();
  if (!NT_SUCCESS(status)) return status;

  const DXGK_ALLOCATIONLIST &to = args.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX];
  const DXGK_ALLOCATIONLIST &from = args.pAllocationList[DXGK_PRESENT_SOURCE_INDEX];

  DmaBuilder dma(m_allocations, m_segments, m_counters, args);
  status = dma.beginWritten(DXGK_PRESENT_SOURCE_INDEX, flip ? 1 : 2);
  if (!NT_SUCCESS(status)) return status;
  PacketWriter &packets = dma.packets();

  uint32_t flags = kDmaAlternate;
  if (flip) {
    appendPresent(packets);
    flags |= kDmaPresent;
  } else {
    Drawing drawing = {args, {}, {}};
    status = surfaceOf(to, drawing.destination);
    if (NT_SUCCESS(status) && blt) status = surfaceOf(from, drawing.source);
    if (!NT_SUCCESS(status)) return status;
    if (blt && isIndexed(drawing.destination.format) != isIndexed(drawing.source.format))
      return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
    const PresentParts parts = drawing.parts();
    PresentProgress progress = PresentProgress::from(args.MultipassOffset, parts.steps());
    const uint32_t offsetBefore = args.MultipassOffset;
    if (!m_gdi.begin(packets)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const GdiStatus drawn = progress.drawn ? GdiStatus::Done  // in earlier buffers
                                           : drawParts(m_gdi, packets, drawing, parts, progress, status);
    m_gdi.end(packets);
    if (!NT_SUCCESS(status)) return status;
    if (drawn == GdiStatus::Unsupported) return STATUS_ILLEGAL_INSTRUCTION;
    if (drawn == GdiStatus::Full) {
      if (!progress.to(args.MultipassOffset, parts.steps())) return STATUS_ILLEGAL_INSTRUCTION;
      if (args.MultipassOffset == offsetBefore) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    } else if (isPrimary(to)) {
      appendPresent(packets);
      if (packets.full()) {
        packets.rewind(packets.used());
        (void)PresentProgress{0, 0, true}.to(args.MultipassOffset, parts.steps());
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      } else {
        flags |= kDmaPresent;
      }
    }
  }
  dma.finish(args, static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_PRESENT, flags);
  return status;
}

NTSTATUS Presents::renderKm(DXGKARG_RENDER &args) {
  DmaBuilder dma(m_allocations, m_segments, m_counters, args);
  NTSTATUS status = prepareToDraw();
  if (NT_SUCCESS(status)) status = dma.beginWritten(0, args.AllocationListSize);
  if (!NT_SUCCESS(status)) return status;
  PacketWriter &packets = dma.packets();
  const SIZE_T count = args.AllocationListSize ? args.AllocationListSize : 1;
  void *memory = poolAllocate(count * sizeof(GdiSurface));
  if (!memory) return STATUS_NO_MEMORY;
  auto *surfaces = static_cast<GdiSurface *>(memory);
  // Where this fails, so do commands with the surface. GDI draws with the CPU where a mode has a palette.
  for (UINT i = 0; i < args.AllocationListSize; i++)
    if (!NT_SUCCESS(surfaceOf(args.pAllocationList[i], surfaces[i])) || isIndexed(surfaces[i].format)) surfaces[i] = {};
  const bool begun = m_gdi.begin(packets);

  const auto *commands = static_cast<const uint8_t *>(args.pCommand);
  RenderKmProgress progress = RenderKmProgress::from(args.MultipassOffset);
  const UINT offsetBefore = progress.offset;
  const uint32_t stepsBefore = progress.steps;
  if (!begun) status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  while (begun && progress.offset + FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command) <= args.CommandLength) {
    const UINT left = args.CommandLength - progress.offset;
    DXGK_RENDERKM_COMMAND command = {};
    RtlCopyMemory(&command, commands + progress.offset, FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command));
    if (command.CommandSize < FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command) || command.CommandSize > left) {
      status = STATUS_INVALID_USER_BUFFER;
      break;
    }
    RtlCopyMemory(&command, commands + progress.offset,
                  command.CommandSize < sizeof command ? command.CommandSize : sizeof command);
    const GdiStatus drawn = m_gdi.render(packets, command, surfaces, args.AllocationListSize, progress.steps);
    if (drawn == GdiStatus::Unsupported) leaveOut(command, progress.offset);
    if (drawn == GdiStatus::Full) {
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      break;
    }
    progress.offset += command.CommandSize;
  }
  const bool got = progress.offset != offsetBefore || progress.steps != stepsBefore;
  // What was drawn before a refused command is submitted; the next call begins with that command, and fails.
  if (!NT_SUCCESS(status) && got) status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  // Without progress nothing is submitted. A buffer of this size holds a step of any operation, so that another one
  // would not help.
  const SIZE_T enough = DmaLayout::forEntries(static_cast<uint32_t>(count)).packetOffset() + GdiEngine::kMinPacketBytes;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && !got && args.DmaSize >= enough)
    status = STATUS_INVALID_PARAMETER;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && got && !progress.to(args.MultipassOffset))
    status = STATUS_INVALID_PARAMETER;
  if (!NT_SUCCESS(status) && (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || !got)) {
    poolFree(memory);
    return status;
  }
  poolFree(memory);
  m_gdi.end(packets);
  dma.finish(args, static_cast<uint32_t>(packets.used()), AEROGPU_SUBMIT_RENDER, kDmaAlternate);
  return status;
}

}  // namespace aero
