// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/logic/paging.h"

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_cmd_resource.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/packet_writer.hpp"

namespace aero {

using aerogpu::PacketWriter;

namespace {

// Allocation ids of a paging submission; they exist in its own table only.
constexpr uint32_t kFirstAllocId = 0xFFFF0000u;
constexpr size_t kFixedPackets = 2 * sizeof(aerogpu_cmd_create_buffer) + sizeof(aerogpu_cmd_resource_dirty_range) +
                                 sizeof(aerogpu_cmd_copy_buffer) + 2 * sizeof(aerogpu_cmd_destroy_resource);
// The host keeps a copy of both ends of a pass, in the same memory as everything else that it holds for the guest.
constexpr uint64_t kMaxPassBytes = uint64_t{8} << 20;
constexpr uint32_t kMaxRuns = 256;

size_t minimum(size_t a, size_t b) {
  return a < b ? a : b;
}
uint64_t minimum64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/** Returns `ref` moved on by `offset` bytes. */
MemoryRef advance(MemoryRef ref, uint64_t offset) {
  const uint64_t pages = offset >> kPageShift;
  switch (ref.kind) {
  case MemoryRef::Linear:
    ref.gpa += offset;
    break;
  case MemoryRef::Listed:
    ref.gpa += pages * sizeof(uint64_t);
    break;
  case MemoryRef::Frames:
    ref.frames += pages;
    break;
  case MemoryRef::Addresses:
    ref.pages += pages;
    break;
  }
  return ref;
}

/** Returns how many bytes, at most `bytes`, are contiguous from the first byte of `ref`. */
uint64_t runBytes(const MemoryRef &ref, uint64_t bytes) {
  if (!ref.isPages()) return bytes;
  uint64_t pages = 1;
  while (pages << kPageShift < bytes && ref.page(pages) == ref.page(0) + (pages << kPageShift)) pages++;
  return minimum64(pages << kPageShift, bytes);
}

/** Returns `ref` without its pages: a plain range if the pages are contiguous. */
MemoryRef resolved(const MemoryRef &ref, uint64_t bytes) {
  if (ref.isPages() && runBytes(ref, bytes) >= bytes) return MemoryRef::linear(ref.page(0));
  return ref;
}

/** Returns the target's room for `bytes`, in whole units. */
size_t whole(const PagingTarget &target, size_t bytes) {
  return minimum((bytes + kPagingUnit - 1) & ~size_t{kPagingUnit - 1}, target.bytes & ~size_t{7});
}

/** Builds table, page lists and packets into one target. Lists grow from the end of the buffer down. */
class Builder {
public:
  /** `bytes` of the target, page lists included. */
  Builder(const PagingTarget &target, uint32_t entries, size_t bytes)
      : m_target(target),
        m_layout(DmaLayout::forEntries(entries)),
        m_bytes(bytes),
        m_end(bytes),
        m_packets(packetsAt(), m_end > m_layout.packetOffset() ? m_end - m_layout.packetOffset() : 0) {}

  PacketWriter &packets() { return m_packets; }
  uint32_t handle(uint32_t i) const { return m_target.handle + i; }

  /** Entry `i` covers `bytes` of `ref`, which must not be unlisted pages that are not contiguous. Returns its id. */
  uint32_t entry(uint32_t i, const MemoryRef &ref, uint64_t bytes, uint32_t flags) {
    if (ref.kind == MemoryRef::Listed) flags |= AEROGPU_ALLOC_FLAG_EXT_SCATTER;
    const aerogpu_alloc_entry entry = {kFirstAllocId + i, flags, ref.gpa, bytes, 0};
    memcpy(static_cast<uint8_t *>(m_target.buffer) + DmaLayout::entryOffset(i), &entry, sizeof entry);
    return entry.alloc_id;
  }

  /** Puts a page list for `bytes` of `ref` into the buffer's end. */
  MemoryRef list(const MemoryRef &ref, uint64_t bytes) {
    const size_t pages = static_cast<size_t>((bytes + kPageBytes - 1) >> kPageShift);
    m_end -= pages * sizeof(uint64_t);
    auto *at = static_cast<uint8_t *>(m_target.buffer) + m_end;
    for (size_t i = 0; i < pages; i++) {
      const uint64_t gpa = ref.page(i);
      memcpy(at + i * sizeof gpa, &gpa, sizeof gpa);
    }
    m_hasLists = true;
    return MemoryRef::listed(m_target.gpa + m_end);
  }

  void createBuffer(uint32_t handle, uint32_t allocId, uint64_t bytes) {
    if (auto *p = m_packets.append<aerogpu_cmd_create_buffer>()) {
      p->buffer_handle = handle;
      p->size_bytes = (bytes + 3) & ~uint64_t{3};
      p->backing_alloc_id = allocId;
    }
  }
  void dirty(uint32_t handle, uint64_t bytes) {
    if (auto *p = m_packets.append<aerogpu_cmd_resource_dirty_range>()) {
      p->resource_handle = handle;
      p->size_bytes = bytes;
    }
  }
  void copy(uint32_t dst, uint64_t dstOffset, uint32_t src, uint64_t srcOffset, uint64_t bytes, bool writeBack) {
    if (auto *p = m_packets.append<aerogpu_cmd_copy_buffer>()) {
      p->dst_buffer = dst;
      p->src_buffer = src;
      p->dst_offset_bytes = dstOffset;
      p->src_offset_bytes = srcOffset;
      p->size_bytes = bytes;
      p->flags = writeBack ? AEROGPU_COPY_FLAG_WRITEBACK_DST : AEROGPU_COPY_FLAG_NONE;
    }
  }
  void destroy(uint32_t handle) {
    if (auto *p = m_packets.append<aerogpu_cmd_destroy_resource>()) p->resource_handle = handle;
  }
  void copyMemory(uint32_t dst, uint32_t src, uint64_t bytes) {
    if (auto *p = m_packets.append<aerogpu_cmd_ext_copy_memory>()) {
      p->dst_alloc_id = dst;
      p->src_alloc_id = src;
      p->size_bytes = bytes;
    }
  }
  void fillMemory(uint32_t dst, uint32_t pattern, uint64_t bytes) {
    if (auto *p = m_packets.append<aerogpu_cmd_ext_fill_memory>()) {
      p->alloc_id = dst;
      p->pattern = pattern;
      p->size_bytes = bytes;
    }
  }
  uint8_t *upload(uint32_t handle, size_t bytes) {
    auto *p = m_packets.append<aerogpu_cmd_upload_resource>(bytes);
    if (!p) return nullptr;
    p->resource_handle = handle;
    return PacketWriter::elementsOf(p);
  }

  PagingResult finish(uint64_t done) {
    if (m_packets.full() || !done) return {};
    finishDma(m_target.buffer, m_layout, static_cast<uint32_t>(m_packets.used()));
    const size_t stream = m_layout.packetOffset() + m_packets.used();
    return {m_layout, static_cast<uint32_t>(m_hasLists ? m_bytes : whole(m_target, stream)), done};
  }

private:
  void *packetsAt() const { return static_cast<uint8_t *>(m_target.buffer) + m_layout.packetOffset(); }

  const PagingTarget &m_target;
  DmaLayout m_layout;
  size_t m_bytes;
  size_t m_end;
  PacketWriter m_packets;
  bool m_hasLists = false;
};

/** Returns how many bytes of the operation, at most `bytes`, leave room for the page lists of `lists` sides. */
uint64_t listedPass(const PagingTarget &target, uint64_t bytes, uint32_t lists, uint32_t entries, size_t packets) {
  const size_t fixed = DmaLayout::forEntries(entries).packetOffset() + packets + kPagingUnit;
  if (target.bytes <= fixed) return 0;
  if (!lists) return bytes;
  return minimum64(bytes, uint64_t{(target.bytes - fixed) / (sizeof(uint64_t) * lists)} << kPageShift);
}

/** Returns the bytes of the target that a pass of `bytes` bytes takes, including its page lists. */
size_t listedBytes(uint64_t bytes, uint32_t lists, uint32_t entries, size_t packets) {
  const size_t pages = static_cast<size_t>((bytes + kPageBytes - 1) >> kPageShift);
  return DmaLayout::forEntries(entries).packetOffset() + packets + (lists * pages + 1) * sizeof(uint64_t);
}

/** Builds one packet between two ranges, each plain or listed, as large as the lists have room for. */
PagingResult copyMemory(const PagingTarget &target, MemoryRef dst, MemoryRef src, uint64_t bytes) {
  constexpr size_t kPackets = sizeof(aerogpu_cmd_ext_copy_memory);
  const uint32_t lists = dst.isPages() + src.isPages();
  const uint64_t pass = listedPass(target, bytes, lists, 2, kPackets);
  if (!pass) return {};
  Builder builder(target, 2, whole(target, listedBytes(pass, lists, 2, kPackets)));
  if (dst.isPages()) dst = builder.list(dst, pass);
  if (src.isPages()) src = builder.list(src, pass);
  const uint32_t to = builder.entry(0, dst, pass, AEROGPU_ALLOC_FLAG_NONE);
  builder.copyMemory(to, builder.entry(1, src, pass, AEROGPU_ALLOC_FLAG_READONLY), pass);
  return builder.finish(pass);
}

PagingResult fillMemory(const PagingTarget &target, MemoryRef dst, uint32_t pattern, uint64_t bytes) {
  constexpr size_t kPackets = sizeof(aerogpu_cmd_ext_fill_memory);
  const uint32_t lists = dst.isPages();
  const uint64_t pass = listedPass(target, bytes, lists, 1, kPackets);
  if (!pass) return {};
  Builder builder(target, 1, whole(target, listedBytes(pass, lists, 1, kPackets)));
  if (lists) dst = builder.list(dst, pass);
  builder.fillMemory(builder.entry(0, dst, pass, AEROGPU_ALLOC_FLAG_NONE), pattern, pass);
  return builder.finish(pass);
}

/** Builds one copy between two ranges, each plain or listed. */
PagingResult transferWhole(const PagingTarget &target, MemoryRef dst, MemoryRef src, uint64_t bytes) {
  const uint32_t lists = (dst.isPages()) + (src.isPages());
  const uint64_t pass = listedPass(target, minimum64(bytes, kMaxPassBytes), lists, 2, kFixedPackets);
  if (!pass) return {};
  Builder builder(target, 2, whole(target, listedBytes(pass, lists, 2, kFixedPackets)));
  if (dst.isPages()) dst = builder.list(dst, pass);
  if (src.isPages()) src = builder.list(src, pass);
  const uint32_t dstHandle = builder.handle(0), srcHandle = builder.handle(1);
  builder.createBuffer(dstHandle, builder.entry(0, dst, pass, AEROGPU_ALLOC_FLAG_NONE), pass);
  builder.createBuffer(srcHandle, builder.entry(1, src, pass, AEROGPU_ALLOC_FLAG_READONLY), pass);
  builder.dirty(srcHandle, pass);
  builder.copy(dstHandle, 0, srcHandle, 0, pass, true);
  builder.destroy(srcHandle);
  builder.destroy(dstHandle);
  return builder.finish(pass);
}

/** For a device that reads no page lists: one pair of buffers for each stretch that is contiguous on both sides. */
PagingResult transferRuns(const PagingTarget &target, const MemoryRef &dst, const MemoryRef &src, uint64_t bytes) {
  const size_t perRun = 2 * sizeof(aerogpu_alloc_entry) + kFixedPackets;
  const size_t header =
      DmaLayout::forEntries(0).packetOffset() + sizeof(aerogpu_alloc_table_header) + DmaLayout::kAlign;
  if (target.bytes < header + perRun) return {};
  const auto room = static_cast<uint32_t>(minimum((target.bytes - header) / perRun, kMaxRuns));

  uint32_t runs = 0;
  for (uint64_t at = 0; at < bytes && runs < room; runs++) {
    const uint64_t left = bytes - at;
    at += minimum64(runBytes(advance(dst, at), left), runBytes(advance(src, at), left));
  }
  Builder builder(target, 2 * runs, target.bytes);
  uint64_t at = 0;
  for (uint32_t i = 0; i < runs; i++) {
    const MemoryRef to = advance(dst, at), from = advance(src, at);
    const uint64_t run = minimum64(runBytes(to, bytes - at), runBytes(from, bytes - at));
    builder.createBuffer(builder.handle(0), builder.entry(2 * i, resolved(to, run), run, AEROGPU_ALLOC_FLAG_NONE), run);
    builder.createBuffer(builder.handle(1),
                         builder.entry(2 * i + 1, resolved(from, run), run, AEROGPU_ALLOC_FLAG_READONLY), run);
    builder.dirty(builder.handle(1), run);
    builder.copy(builder.handle(0), 0, builder.handle(1), 0, run, true);
    builder.destroy(builder.handle(1));
    builder.destroy(builder.handle(0));
    at += run;
  }
  return builder.finish(at);
}

constexpr uint32_t kPatternBytes = 1024;    // inline in the stream
constexpr uint32_t kFillBytes = 64 * 1024;  // doubled from that on the device
constexpr size_t kMaxFillCopies = kMaxPassBytes / kFillBytes;

}  // namespace

PagingResult buildTransfer(const PagingTarget &target, const MemoryRef &dst, const MemoryRef &src, uint64_t bytes,
                           uint64_t offset) {
  const uint64_t left = bytes - offset;
  const MemoryRef to = resolved(advance(dst, offset), left), from = resolved(advance(src, offset), left);
  if (target.memory && target.scatter) return copyMemory(target, to, from, left);
  const bool scattered = to.isPages() || from.isPages();
  if (scattered && !target.scatter) return transferRuns(target, to, from, left);
  return transferWhole(target, to, from, left);
}

PagingResult buildFill(const PagingTarget &target, const MemoryRef &dst, uint32_t pattern, uint64_t bytes,
                       uint64_t offset) {
  MemoryRef to = resolved(advance(dst, offset), bytes - offset);
  uint64_t left = bytes - offset;
  if (target.memory && target.scatter) return fillMemory(target, to, pattern, left);
  if (to.isPages() && !target.scatter) {  // one run at a time
    left = runBytes(to, left);
    to = resolved(to, left);
  }
  const size_t seeds = sizeof(aerogpu_cmd_create_buffer) * 2 + sizeof(aerogpu_cmd_upload_resource) + kPatternBytes +
                       sizeof(aerogpu_cmd_copy_buffer) * 6 + sizeof(aerogpu_cmd_destroy_resource) * 2;
  const size_t fixed = DmaLayout::forEntries(1).packetOffset() + seeds + kPagingUnit;
  if (target.bytes < fixed + sizeof(aerogpu_cmd_copy_buffer)) return {};
  // A listed side takes 8 bytes for each page, and every 64 KiB of it 48 bytes for the copy.
  const bool lists = to.isPages();
  const size_t perCopy = sizeof(aerogpu_cmd_copy_buffer) + (lists ? kFillBytes / kPageBytes * sizeof(uint64_t) : 0);
  const size_t copies = minimum((target.bytes - fixed) / perCopy, kMaxFillCopies);
  const uint64_t pass = minimum64(left, uint64_t{copies} * kFillBytes);

  const uint64_t used = (pass + kFillBytes - 1) / kFillBytes;
  Builder builder(target, 1, whole(target, fixed + static_cast<size_t>(used) * perCopy));
  if (lists) to = builder.list(to, pass);
  const uint32_t dstHandle = builder.handle(0), fill = builder.handle(1);
  builder.createBuffer(dstHandle, builder.entry(0, to, pass, AEROGPU_ALLOC_FLAG_NONE), pass);
  builder.createBuffer(fill, 0, kFillBytes);
  if (uint8_t *seed = builder.upload(fill, kPatternBytes))
    for (uint32_t i = 0; i < kPatternBytes; i += sizeof pattern) memcpy(seed + i, &pattern, sizeof pattern);
  for (uint32_t have = kPatternBytes; have < kFillBytes; have *= 2) builder.copy(fill, have, fill, 0, have, false);
  for (uint64_t at = 0; at < pass; at += kFillBytes)
    builder.copy(dstHandle, at, fill, 0, minimum64(kFillBytes, pass - at), true);
  builder.destroy(fill);
  builder.destroy(dstHandle);
  return builder.finish(pass);
}

}  // namespace aero
