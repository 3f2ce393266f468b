// SPDX-License-Identifier: MIT
// Uses more allocations than the segments hold; tests eviction and paging in, and compares contents.
#include <cstring>

#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

uint32_t patternWord(uint32_t allocation, uint64_t word) {
  return static_cast<uint32_t>(uint32_t{allocation * 0x9E3779B9u} ^ (word * 0x85EBCA6Bu + word / 1024));
}

bool writePattern(Adapter& adapter, Allocation& allocation, uint32_t id) {
  std::vector<uint32_t> words(allocation.size() / 4);
  for (size_t i = 0; i < words.size(); ++i) words[i] = patternWord(id, i);
  return adapter.vidmm().write(allocation, 0, words.data(), words.size() * 4);
}

bool hasPattern(Adapter& adapter, Allocation& allocation, uint32_t id) {
  std::vector<uint32_t> words(allocation.size() / 4);
  if (!adapter.vidmm().read(allocation, 0, words.data(), words.size() * 4)) return false;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] != patternWord(id, i)) {
      note("allocation %u of %llu bytes, word %zu: %08x, expected %08x (segment %u)", id,
           static_cast<unsigned long long>(allocation.size()), i, words[i], patternWord(id, i),
           allocation.segment);
      return false;
    }
  return true;
}

/// Cycles allocations of up to `maxPages` through segments that hold a part of them.
void cycle(UINT pagingBufferBytes, uint64_t segmentBytes, unsigned count, unsigned rounds,
           uint32_t maxPages) {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!expect(ntSuccess(adapter.addDevice()), "AddDevice")) return;
  NTSTATUS status = adapter.startDevice();  // makes the memory manager; limits apply from the second start on
  if (!expect(ntSuccess(status), "StartDevice (0x%08x)", status)) return;
  adapter.vidmm().stop();
  adapter.vidmm().limitSegments(segmentBytes);
  adapter.vidmm().limitPagingBuffer(pagingBufferBytes);
  if (!expect(ntSuccess(adapter.vidmm().start()), "the memory manager starts again")) return;
  {
    Random random(options().seed);
    std::vector<std::shared_ptr<Allocation>> all;
    std::vector<uint32_t> ids;
    for (unsigned i = 0; i < count; ++i) {
      const uint32_t wish = newAllocId();
      const uint64_t bytes = (1 + random.below(maxPages)) * 4096ull;
      // One in the aperture, two in VRAM.
      auto created = adapter.vidmm().create(
          {}, {i % 3 ? undescribedPrivate(wish, bytes) : bufferPrivate(wish, bytes, true)}, false);
      if (!expect(ntSuccess(created.status), "allocation %u of %llu bytes (0x%08x)", i,
                  static_cast<unsigned long long>(bytes), created.status))
        break;
      all.push_back(created.allocations[0]);
      ids.push_back(allocIdOf(all.back()->privateData));
      expect(writePattern(adapter, *all.back(), ids.back()), "the CPU writes allocation %u", i);
    }
    for (unsigned round = 0; round < rounds; ++round)
      for (size_t i = 0; i < all.size(); ++i) {
        const size_t k = random.below(static_cast<uint32_t>(all.size()));
        expect(adapter.vidmm().makeResident({{all[k].get(), true}}), "allocation %zu becomes resident", k);
        if (round % 2 && i % 4 == 0) expect(adapter.vidmm().evict(*all[k]), "allocation %zu is evicted", k);
      }
    for (size_t i = 0; i < all.size(); ++i)
      expect(hasPattern(adapter, *all[i], ids[i]), "allocation %zu keeps its content", i);
    note("%llu evictions, %llu paging buffers, %llu of them one of several",
         static_cast<unsigned long long>(adapter.vidmm().evictions()),
         static_cast<unsigned long long>(adapter.vidmm().paging().buffers()),
         static_cast<unsigned long long>(adapter.vidmm().paging().multipass()));
    expect(adapter.vidmm().evictions() > count, "there was real paging");
    if (!pagingBufferBytes)
      expect(adapter.vidmm().paging().mostInOne() > 1, "operations share paging buffers");
    if (pagingBufferBytes)
      expect(adapter.vidmm().paging().multipass() > 0, "operations needed several passes");
    for (auto& allocation : all) adapter.vidmm().destroy({allocation});
  }
  expectNoDeviceErrors(adapter);
  adapter.stopDevice();
  adapter.removeDevice();
  adapter.unload();
}

void paging() {
  cycle(0, 1 << 20, 60, 4, 60);
}
/// Buffers for the pages of some 800 KiB: one operation needs several passes.
void pagingMultipass() {
  cycle(2048, 6 << 20, 14, 4, 600);
}

/// Pages many small allocations at once: as many operations as fit share a paging buffer, and each is carried
/// out, submitted together or in two parts.
void pagingShared() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  constexpr unsigned kCount = 240, kRounds = 3;
  std::vector<std::shared_ptr<Allocation>> all;
  std::vector<std::pair<Allocation*, bool>> wanted;
  std::vector<uint32_t> ids;
  for (unsigned i = 0; i < kCount; ++i) {
    const uint32_t wish = newAllocId();
    const uint64_t bytes = (1 + i % 5) * 4096ull;
    auto created = adapter.vidmm().create(
        {}, {i % 2 ? undescribedPrivate(wish, bytes) : bufferPrivate(wish, bytes, true)}, false);
    if (!expect(ntSuccess(created.status), "allocation %u (0x%08x)", i, created.status)) return;
    all.push_back(created.allocations[0]);
    ids.push_back(allocIdOf(all.back()->privateData));
    wanted.emplace_back(all.back().get(), false);
    writePattern(adapter, *all.back(), ids.back());
  }
  const PagingQueue& paging = adapter.vidmm().paging();
  const uint64_t before = paging.buffers();
  for (unsigned round = 0; round < kRounds; ++round) {
    expect(adapter.vidmm().makeResident(wanted), "all become resident");
    expect(adapter.vidmm().evictAll(), "all are evicted");
    for (unsigned i = 0; i < kCount; ++i)
      expect(hasPattern(adapter, *all[i], ids[i]), "allocation %u keeps its content", i);
  }
  const uint64_t operations = 2ull * kRounds * kCount, buffers = paging.buffers() - before;
  note("%llu operations in %llu paging buffers, at most %llu in one, %llu submitted in parts",
       static_cast<unsigned long long>(operations), static_cast<unsigned long long>(buffers),
       static_cast<unsigned long long>(paging.mostInOne()), static_cast<unsigned long long>(paging.parts()));
  // The smallest operation takes some 300 bytes of a paging buffer.
  expect(buffers * adapter.vidmm().pagingBufferBytes() < operations * 600, "operations share paging buffers");
  expect(paging.parts() > 0, "a paging buffer is submitted in parts");
  for (auto& allocation : all) adapter.vidmm().destroy({allocation});
  expectNoDeviceErrors(adapter);
}

/// Operations that a video memory manager has no reason to request: the call must not fail.
void pagingSenseless() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Vidmm& vidmm = adapter.vidmm();
  const auto built = [&](const char* what, const DXGKARG_BUILDPAGINGBUFFER& operation) {
    expect(vidmm.buildPaging(operation) == 0, "%s builds nothing", what);
  };
  DXGKARG_BUILDPAGINGBUFFER op{};
  op.Operation = static_cast<DXGK_BUILDPAGINGBUFFER_OPERATION>(99);
  built("an unknown operation", op);
  for (const UINT segment : {0u, 1u, 2u, 3u, 31u}) {
    op = {};
    op.Operation = DXGK_OPERATION_FILL;
    op.Fill.FillSize = 4096;
    op.Fill.Destination.SegmentId = segment;
    op.Fill.Destination.SegmentAddress.QuadPart = 16;  // no segment has it
    built("a fill of nowhere", op);
    op = {};
    op.Operation = DXGK_OPERATION_TRANSFER;
    op.Transfer.TransferSize = SIZE_MAX / 2;
    op.Transfer.Source.SegmentId = op.Transfer.Destination.SegmentId = segment ? segment : 1;
    op.Transfer.Flags.TransferStart = op.Transfer.Flags.TransferEnd = 1;
    built("a transfer of everything", op);
    op = {};
    op.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    op.UnmapApertureSegment.SegmentId = segment;
    op.UnmapApertureSegment.OffsetInPages = SIZE_MAX;
    op.UnmapApertureSegment.NumberOfPages = 2;
    built("unmapping nowhere", op);
  }
  op = {};
  op.Operation = DXGK_OPERATION_DISCARD_CONTENT;
  op.DiscardContent.SegmentId = 1;
  built("discarding", op);
  op = {};
  op.Operation = DXGK_OPERATION_READ_PHYSICAL;
  built("reading a physical address", op);
  op.Operation = DXGK_OPERATION_WRITE_PHYSICAL;
  built("writing a physical address", op);
  expectNoDeviceErrors(adapter);
}

/// A new allocation reads as zeros, whatever its memory held before.
void freshIsZero() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  for (unsigned i = 0; i < 12; ++i) {
    const uint32_t id = newAllocId();
    // In the aperture and in VRAM alternately.
    auto created = adapter.vidmm().create(
        {}, {i % 2 ? undescribedPrivate(id, 512 << 10) : bufferPrivate(id, 512 << 10)}, false);
    if (!expect(ntSuccess(created.status), "an allocation")) return;
    Allocation& a = *created.allocations[0];
    expect(adapter.vidmm().makeResident({{&a, true}}), "resident");
    std::vector<uint32_t> words(a.size() / 4);
    adapter.vidmm().read(a, 0, words.data(), words.size() * 4);
    size_t wrong = 0;
    for (const uint32_t word : words) wrong += word != 0;
    expect(wrong == 0, "a fresh allocation is zero (%zu words are not)", wrong);
    writePattern(adapter, a, id);
    adapter.vidmm().destroy(created.allocations);
  }
}

/// Rendered content survives eviction, in each segment.
void renderedContent(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 160, 100, surface)) return;
  uint32_t color = 0xFF010203;
  for (const Segment& segment : adapter.vidmm().segments()) {
    if (!(surface.allocation->info.SupportedReadSegmentSet >> (segment.id - 1) & 1)) continue;
    adapter.vidmm().preferSegment(segment.id);
    for (int i = 0; i < 4; ++i) {
      color += 0x101;
      expect(adapter.vidmm().evict(*surface.allocation), "evicted");
      expect(ntSuccess(fillSurface(context, surface, color)), "rendered in segment %u", segment.id);
      adapter.scheduler().waitIdle();
      expect(surface.allocation->segment == segment.id, "it lies in segment %u", segment.id);
      expect(surfaceIs(adapter, surface, color), "the pixels in segment %u", segment.id);
      expect(adapter.vidmm().evict(*surface.allocation), "evicted again");
      expect(surfaceIs(adapter, surface, color), "the pixels after eviction from segment %u", segment.id);
    }
  }
  adapter.vidmm().preferSegment(0);
  // CPU writes reach the GPU copy: RESOURCE_DIRTY_RANGE, then a copy within the GPU and back.
  std::vector<uint32_t> pixels(size_t{surface.width} * surface.height);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint32_t>(i) | 0xFF000000;
  expect(adapter.vidmm().write(*surface.allocation, 0, pixels.data(), pixels.size() * 4), "the CPU writes");
  Stream stream;
  stream.dirty(surface.backed, 0, surface.bytes())
      .copyTexture(surface.target, surface.backed, surface.width, surface.height, false);
  expect(ntSuccess(context.render(stream.bytes(), {{surface.opened, false}})), "the copy");
  fillSurface(context, surface, 0xFF000000);  // target and allocation are black now
  expect(surfaceIs(adapter, surface, 0xFF000000), "black");
  dropSurface(adapter, client, context, surface);
}

/// Page "DXGKARG_SUBMITCOMMAND": paging has the system context, or none for a change of power. In either case
/// it is the kernel's, and belongs to no device (SPACE-3).
void pagingKernels() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const RingView ring(adapter);
  auto created = adapter.vidmm().create({}, {undescribedPrivate(newAllocId(), 64 << 10)}, false);
  if (!ring || !expect(ntSuccess(created.status), "an allocation")) return;
  Allocation& allocation = *created.allocations[0];
  writePattern(adapter, allocation, 5);
  const auto paged = [&](const char* what, bool done) {
    expect(done, "it is paged %s", what);
    const uint32_t index = ring.header().tail - 1;
    const aerogpu_submit_space space = ring.space(index);
    expect(ring.slot(index).context_id == 0, "paging %s is in no program's context (%u)", what,
           ring.slot(index).context_id);
    expect(!hasSpaces(adapter) || (space.space == 0 && space.flags == AEROGPU_EXT_SPACE_FLAG_KERNEL),
           "paging %s is the kernel's (space 0x%x, flags %u)", what, space.space, space.flags);
  };
  paged("in, in the system context", adapter.vidmm().makeResident({{&allocation, true}}));
  paged("out, in the system context", adapter.vidmm().evict(allocation));
  expect(adapter.vidmm().makeResident({{&allocation, true}}), "it comes back");
  paged("out, in no context", adapter.vidmm().evictAll());
  expect(hasPattern(adapter, allocation, 5), "its content");
  adapter.vidmm().destroy(created.allocations);
  expectNoDeviceErrors(adapter);
}

const TestCase kPagingTests[] = {
    {"paging", 240, paging},
    {"paging-kernels", 60, pagingKernels},
    {"paging-multipass", 240, pagingMultipass},
    {"paging-shared", 120, pagingShared},
    {"paging-senseless", 60, pagingSenseless, Runs::kBesideQemu},
    {"fresh-is-zero", 90, freshIsZero},
    {"rendered-content", 120, inProcess<renderedContent>},
};

}  // namespace

std::span<const TestCase> pagingTests() {
  return kPagingTests;
}

}  // namespace aerogpu::host
