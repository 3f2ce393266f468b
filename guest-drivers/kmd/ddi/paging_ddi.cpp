// SPDX-License-Identifier: MIT
// paging_ddi.cpp: DxgkDdiBuildPagingBuffer. The aperture is mapped and unmapped during the call, without the paging
// buffer. Transfers and fills become device work (kmd/logic/paging); if the buffer is too small for all of it, the OS
// is asked for another call. PASSIVE_LEVEL.
#include "guest-drivers/kmd/adapter.h"
#include "guest-drivers/kmd/ddi/entry_points.h"
#include "guest-drivers/kmd/os/event_log.h"
#include "guest-drivers/package/resources/aerogpu_events.h"

namespace aero {
namespace {

/** Finds the memory of one end of a transfer, an address in a segment or an MDL; returns false if there is none. */
template <class End>
bool memoryOf(const AeroAdapter &adapter, const End &end, uint64_t offset, UINT mdlOffset, uint64_t bytes,
              MemoryRef &out) {
  if (end.SegmentId == kSegmentSystem) {
    out = MemoryRef::ofFrames(reinterpret_cast<const uintptr_t *>(MmGetMdlPfnArray(end.pMdl)) + mdlOffset);
    return true;
  }
  return adapter.segments.locate(end.SegmentId, static_cast<uint64_t>(end.SegmentAddress.QuadPart) + offset, bytes,
                                 out);
}

class PagingBuffer {
public:
  PagingBuffer(AeroAdapter &adapter, DXGKARG_BUILDPAGINGBUFFER &args) : m_args(args) {
    m_target.scatter = adapter.features.high & AEROGPU_EXT_FEATURE_HI_SCATTER;
    m_target.memory = adapter.features.memory();
    if (!m_target.memory) {
      TableLock lock(adapter.allocations);
      m_target.handle = adapter.allocations.newShortHandles(kPagingHandles);
    }
    m_target.buffer = args.pDmaBuffer;
    m_target.bytes = args.DmaSize & ~(kPagingUnit - 1);
    m_target.gpa = static_cast<uint64_t>(MmGetPhysicalAddress(args.pDmaBuffer).QuadPart);
  }

  const PagingTarget &target() const { return m_target; }

  /** Completes a submission that did part of the operation's `total` bytes, and asks for another call if some are
   *  left. MultipassOffset counts pages, because it has only 32 bits. */
  NTSTATUS finish(const PagingResult &result, uint64_t total) {
    if (!result.usedBytes || m_args.DmaBufferPrivateDataSize < sizeof(AEROGPU_DMA_PRIV))
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const AEROGPU_DMA_PRIV priv = result.layout.toPagingPrivate(result.usedBytes);
    RtlCopyMemory(m_args.pDmaBufferPrivateData, &priv, sizeof priv);
    m_args.pDmaBufferPrivateData = static_cast<uint8_t *>(m_args.pDmaBufferPrivateData) + sizeof priv;
    m_args.pDmaBuffer = static_cast<uint8_t *>(m_args.pDmaBuffer) + result.usedBytes;
    const uint64_t done = uint64_t{m_args.MultipassOffset} * kPageBytes + result.doneBytes;
    if (done >= total) return STATUS_SUCCESS;
    m_args.MultipassOffset = static_cast<UINT>(done / kPageBytes);
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }

private:
  DXGKARG_BUILDPAGINGBUFFER &m_args;
  PagingTarget m_target = {};
};

/** Skips an operation that makes no sense, and logs it. The call may only fail because the buffer is too small (page
 *  "DxgkDdiBuildPagingBuffer"; any other error is bug-check 0x10E), so this succeeds. */
NTSTATUS skipped(AeroAdapter &adapter, const DXGKARG_BUILDPAGINGBUFFER &args, UINT segment) {
  constexpr uint64_t kMostEntries = 8;  // in the event log, for each start
  if (++adapter.counters.skippedPaging <= kMostEntries)
    logEvent(AEROGPU_EVENT_PAGING_SKIPPED, STATUS_INVALID_PARAMETER, static_cast<ULONG>(args.Operation), segment);
  return STATUS_SUCCESS;
}

template <class Transfer>
NTSTATUS transfer(AeroAdapter &adapter, DXGKARG_BUILDPAGINGBUFFER &args, const Transfer &op, UINT mdlOffset) {
  const uint64_t bytes = (uint64_t{op.TransferSize} + 3) & ~uint64_t{3};
  if (!bytes) return STATUS_SUCCESS;
  MemoryRef source, destination;
  // TransferOffset counts from the start of the allocation in a segment; in an MDL the transfer begins at MdlOffset.
  if (!memoryOf(adapter, op.Source, op.TransferOffset, mdlOffset, bytes, source) ||
      !memoryOf(adapter, op.Destination, op.TransferOffset, mdlOffset, bytes, destination))
    return skipped(adapter, args, op.Source.SegmentId ? op.Source.SegmentId : op.Destination.SegmentId);
  PagingBuffer buffer(adapter, args);
  return buffer.finish(
      buildTransfer(buffer.target(), destination, source, bytes, uint64_t{args.MultipassOffset} * kPageBytes), bytes);
}

NTSTATUS fill(AeroAdapter &adapter, DXGKARG_BUILDPAGINGBUFFER &args) {
  const auto &op = args.Fill;
  const uint64_t bytes = (uint64_t{op.FillSize} + 3) & ~uint64_t{3};
  if (!bytes) return STATUS_SUCCESS;
  MemoryRef destination;
  if (!adapter.segments.locate(op.Destination.SegmentId, static_cast<uint64_t>(op.Destination.SegmentAddress.QuadPart),
                               bytes, destination))
    return skipped(adapter, args, op.Destination.SegmentId);
  PagingBuffer buffer(adapter, args);
  return buffer.finish(
      buildFill(buffer.target(), destination, op.FillPattern, bytes, uint64_t{args.MultipassOffset} * kPageBytes),
      bytes);
}

}  // namespace

NTSTATUS APIENTRY AeroDdiBuildPagingBuffer(const HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  switch (args->Operation) {
  case DXGK_OPERATION_TRANSFER:
    return transfer(*adapter, *args, args->Transfer, args->Transfer.MdlOffset);
  case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
    // This operation is for allocations in swizzling ranges. There are none here, so it is a plain transfer.
    return transfer(*adapter, *args, args->SpecialLockTransfer, 0);
  case DXGK_OPERATION_FILL:
    return fill(*adapter, *args);
  case DXGK_OPERATION_MAP_APERTURE_SEGMENT: {
    const auto &op = args->MapApertureSegment;
    const auto *frames = reinterpret_cast<const uintptr_t *>(MmGetMdlPfnArray(op.pMdl)) + op.MdlOffset;
    const bool mapped =
        op.SegmentId == kSegmentAperture && adapter->segments.map(op.OffsetInPages, op.NumberOfPages, frames);
    return mapped ? STATUS_SUCCESS : skipped(*adapter, *args, op.SegmentId);
  }
  case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: {
    const auto &op = args->UnmapApertureSegment;
    const bool unmapped =
        op.SegmentId == kSegmentAperture &&
        adapter->segments.unmap(op.OffsetInPages, op.NumberOfPages, static_cast<uint64_t>(op.DummyPage.QuadPart));
    return unmapped ? STATUS_SUCCESS : skipped(*adapter, *args, op.SegmentId);
  }
  case DXGK_OPERATION_DISCARD_CONTENT:
    // Nothing to do: the pixels of textures are on the host, and do not depend on the allocation's memory.
  case DXGK_OPERATION_READ_PHYSICAL:
  case DXGK_OPERATION_WRITE_PHYSICAL:
    // These guard against AGP chipsets that read beyond the end of a page, which this device does not do.
    return STATUS_SUCCESS;
  default:
    return skipped(*adapter, *args, 0);
  }
}

}  // namespace aero
