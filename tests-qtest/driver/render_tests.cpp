// SPDX-License-Identifier: MIT
// Tests command streams from several contexts, devices, processes and threads; fences; presents. Compares
// pixels.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "aerogpu/cmd_packets.hpp"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

void submit(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 200, 120, surface)) return;
  for (const uint32_t color : {0xFFFF0000u, 0xFF00FF00u, 0x800000FFu}) {
    expect(ntSuccess(fillSurface(context, surface, color)), "a fill");
    expect(surfaceIs(adapter, surface, color), "the pixels are %08x", color);
    expect(!surfaceIs(adapter, surface, color ^ 1), "and no other colour");
  }
  dropSurface(adapter, client, context, surface);
  expectNoDeviceErrors(adapter);
}

/// Renders a stream that is longer than a DMA buffer: the many passes have the result of one.
void multipass(Adapter& adapter, Client& client, Context& context) {
  const uint32_t handle = newHandle(), backed = newHandle();
  const uint32_t bytes = 64 * 1024;
  auto created = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), bytes)}, false);
  if (!expect(ntSuccess(created.status), "an allocation")) return;
  const uint32_t id = allocIdOf(created.allocations[0]->privateData);
  auto opened = client.open(created.allocations, true);
  std::vector<uint8_t> expected(bytes);
  Random random(7);
  for (auto& b : expected) b = static_cast<uint8_t>(random.next());
  Stream stream;
  stream.createBuffer(handle, bytes, 0).createBuffer(backed, bytes, id);
  // Uploads at odd places and with odd sizes, repeated until the stream is as long as three DMA buffers.
  std::vector<uint8_t> content(bytes);
  while (stream.bytes().size() < context.info().DmaBufferSize * 3ull) {
    const uint32_t size = (random.below(2000) + 4) & ~3u, at = random.below(bytes - size) & ~3u;
    stream.upload(handle, at, expected.data() + at, size);
    std::memcpy(content.data() + at, expected.data() + at, size);
  }
  stream.copyBuffer(backed, handle, bytes, true).destroy(handle).destroy(backed);
  const NTSTATUS status = context.render(stream.bytes(), {{opened[0], true}});
  expect(ntSuccess(status), "the long stream (0x%08x)", status);
  expect(context.passes() >= 3, "at least three passes (%u)", context.passes());
  std::vector<uint8_t> seen(bytes);
  adapter.vidmm().read(*created.allocations[0], 0, seen.data(), bytes);
  expect(seen == content, "all pieces arrived");
  client.closeAll();
  adapter.vidmm().destroy(created.allocations);
}

/// Lets several processes with separate contexts submit at once (EX-33).
void concurrent() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong{0};
  const unsigned rounds = options().iterations ? options().iterations : 25;
  for (unsigned p = 0; p < 4; ++p)
    threads.emplace_back([&, p] {
      attachThread("process");
      auto client = Client::create(adapter, 200 + p);
      auto first = client ? client->createContext() : nullptr;
      auto second = client ? client->createContext() : nullptr;
      if (!first || !second) {
        ++wrong;
        return;
      }
      Surface a, b;
      if (!makeSurface(adapter, *client, *first, 96, 64, a) ||
          !makeSurface(adapter, *client, *second, 64, 96, b)) {
        ++wrong;
        return;
      }
      for (unsigned i = 0; i < rounds; ++i) {
        const uint32_t color = 0xFF000000 | p << 20 | i << 8 | 0x33;
        if (!ntSuccess(fillSurface(*first, a, color)) ||
            !ntSuccess(fillSurface(*second, b, ~color | 0xFF000000)))
          ++wrong;
        if (!surfaceIs(adapter, a, color) || !surfaceIs(adapter, b, ~color | 0xFF000000)) ++wrong;
      }
      dropSurface(adapter, *client, *first, a);
      dropSurface(adapter, *client, *second, b);
    });
  const ClockPause pause;
  for (auto& thread : threads) thread.join();
  expect(wrong == 0, "every process sees its own pixels (%u mistakes)", wrong.load());
  expectNoDeviceErrors(adapter);
}

/// The 32-bit fences wrap.
void fenceWrap(Adapter& adapter, Client& client, Context& context) {
  adapter.scheduler().waitIdle();
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  adapter.scheduler().waitIdle();
  // Windows counts up; a driver can tell a jump ahead by less than half of the range from a step back.
  for (const uint32_t next : {0x70000000u, 0xD0000000u, 0xFFFFFFE0u}) {
    adapter.scheduler().setNextFence(next);
    for (uint32_t i = 0; i < 64; ++i) {
      uint64_t number = 0;
      fillSurface(context, surface, 0xFF000000 | i, &number);
      if (i % 8 == 7) expect(adapter.scheduler().waitIdle(number), "submission %u after %08x", i, next);
    }
    adapter.scheduler().waitIdle();
    expect(surfaceIs(adapter, surface, 0xFF00003F), "the last fill after %08x", next);
  }
  const UINT fence = adapter.scheduler().queryFence();
  expect(fence < 0x1000, "DxgkDdiQueryCurrentFence is past the wrap (0x%x)", fence);
  dropSurface(adapter, client, context, surface);
}

/// Presents to the primary by Blt, with sub-rectangles and fills: the screen shows what is presented, and the
/// device counts each submission as a present.
void present(Adapter& adapter, Client& client, Context& context) {
  Surface source;
  if (!makeSurface(adapter, client, context, 128, 128, source)) return;
  expect(ntSuccess(fillSurface(context, source, 0xFF44AA77)), "a fill");
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the shared primary opens")) return;
  adapter.scheduler().waitIdle();
  const auto presents = deviceCounter("presents");
  const RingView ring(adapter);
  if (!ring) return;
  uint64_t made = 0;
  const auto presented = [&](NTSTATUS status, const char* what) {
    expect(ntSuccess(status), "%s (0x%08x)", what, status);
    expect(adapter.scheduler().waitIdle(), "%s is done", what);
    ++made;
    expect(ring.newest().flags == AEROGPU_SUBMIT_FLAG_PRESENT, "%s is marked as a present (0x%x)", what,
           ring.newest().flags);
    if (presents) expectDeviceCounter("presents", *presents + made, what);
  };
  DXGK_PRESENTFLAGS flags{};
  flags.Blt = 1;
  // All of the destination first, so that the pixels outside the rectangles are known.
  const RECT all{0, 0, 1024, 768};
  DXGK_PRESENTFLAGS fill{};
  fill.ColorFill = 1;
  presented(context.present(nullptr, primary[0], all, all, {}, fill, 0xFF223344), "a fill of everything");
  const RECT from{0, 0, 128, 128}, to{100, 50, 228, 178};
  const RECT parts[2] = {{100, 50, 164, 178}, {164, 50, 228, 100}};
  presented(context.present(source.opened, primary[0], from, to, parts, flags), "a blt present");
  // In both rectangles, at their edges, outside them, and in the quarter without a rectangle.
  const ScreenPoints points = {{110, 60}, {200, 60}, {100, 50},  {163, 177}, {227, 99}, {99, 60},
                               {228, 60}, {110, 49}, {110, 178}, {200, 100}, {200, 170}};
  const uint32_t in = 0x44AA77, out = 0x223344, filled = 0x993311;
  expectScreen(points, {in, in, in, in, in, out, out, out, out, out, out}, "the presented pixels");
  presented(context.present(nullptr, primary[0], from, to, {parts, 1}, fill, 0xFF993311), "a colour fill");
  expectScreen(points, {filled, in, filled, filled, in, out, out, out, out, out, out}, "the filled pixels");
  const uint64_t submitted = adapter.scheduler().submitted();
  const NTSTATUS status = context.presentFlip(*primary[0]);
  expect(status == 0, "a flip (0x%08x)", status);
  expect(adapter.scheduler().submitted() == submitted, "which submits nothing");
  client.close(primary[0]);
  dropSurface(adapter, client, context, source);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

/// VALUE-1: a program that holds a lock on a small allocation sees in its own memory how far its work has
/// come, without a system call.
void completionValues(Adapter& adapter, Client& client, Context& context) {
  constexpr uint64_t kBatches = 50;
  adapter.vidmm().setContiguousCpuMemory();
  auto made = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), 4096, true)}, false);
  const auto opened =
      ntSuccess(made.status) ? client.open(made.allocations, true) : std::vector<OpenAllocation*>{};
  if (!expect(!opened.empty(), "an allocation (0x%08x)", made.status)) return;
  Vidmm::CpuRange range{};
  const NTSTATUS locked = adapter.vidmm().lock(*made.allocations[0], range);
  if (!expect(ntSuccess(locked), "a lock that stays (0x%08x)", locked)) return;
  auto* word = reinterpret_cast<uint64_t*>(adapter.memory().at(range.gpa));
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
  const uint32_t handle = newHandle();
  expect(ntSuccess(context.render(
             Stream().createTexture(handle, 256, 256, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).bytes(), {})),
         "a texture");
  for (uint64_t i = 1; i <= kBatches; ++i) {
    Stream batch;
    batch.target(handle).clear(0xFF000000 | static_cast<uint32_t>(i)).target(0);
    packets::writeValue(batch.writer(), allocIdOf(opened[0]->privateData), 0, i);
    const NTSTATUS status = context.render(batch.bytes(), {{opened[0], true}});
    if (!expect(ntSuccess(status), "batch %llu (0x%08x)", static_cast<unsigned long long>(i), status)) return;
  }
  uint64_t seen = 0;
  for (int i = 0; i < 10000 && seen != kBatches; ++i) {
    const uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (!expect(now >= seen && now <= kBatches, "values come in their order (%llu after %llu)",
                static_cast<unsigned long long>(now), static_cast<unsigned long long>(seen)))
      break;
    seen = now;
    if (seen != kBatches) sleepMs(1);
  }
  expect(seen == kBatches, "the last batch is over (%llu)", static_cast<unsigned long long>(seen));
  adapter.vidmm().unlock(*made.allocations[0]);
  expect(ntSuccess(context.render(Stream().destroy(handle).bytes(), {})), "its end");
  adapter.scheduler().waitIdle();
  client.closeAll();
  adapter.vidmm().destroy(made.allocations);
  expectNoDeviceErrors(adapter);
}

/// Lists as a program may make them: with empty places, and allocations listed repeatedly. Each allocation
/// has one entry in the order of its first place, which says where it lies and is read-only unless some place
/// names it as written; also if it lay elsewhere, or was used otherwise, in the previous submission.
void allocationLists(Adapter& adapter, Client& client, Context& context) {
  constexpr unsigned kAllocations = 6, kRounds = 120, kMostPlaces = 12;
  std::vector<std::shared_ptr<Allocation>> allocations;
  std::vector<OpenAllocation*> opened;
  for (unsigned i = 0; i < kAllocations; ++i) {
    auto created = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), 4096)}, false);
    if (!expect(ntSuccess(created.status), "an allocation")) return;
    allocations.push_back(created.allocations[0]);
    opened.push_back(client.open(created.allocations, true)[0]);
  }
  const RingView ring(adapter);
  if (!ring) return;
  uint32_t random = 1;
  const auto below = [&](uint32_t end) {
    random = random * 1664525 + 1013904223;
    return (random >> 16) % end;
  };
  Stream stream;
  stream.flush();
  unsigned wrong = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    struct Expected {
      unsigned allocation;
      bool written;
    };
    std::vector<Expected> expected;
    Context::List list;
    const unsigned places = 1 + below(kMostPlaces);
    // Every other list has each allocation once, and no gap.
    const bool plain = round % 2 && places <= kAllocations;
    const unsigned first = below(kAllocations);
    for (unsigned i = 0; i < places; ++i) {
      const bool written = below(2);
      const unsigned which = plain ? (first + i) % kAllocations : below(kAllocations);
      if (!plain && !below(6)) {
        list.emplace_back(nullptr, false);
        continue;
      }
      list.emplace_back(opened[which], written);
      const auto same = std::find_if(expected.begin(), expected.end(),
                                     [&](const Expected& e) { return e.allocation == which; });
      if (same == expected.end())
        expected.push_back({which, written});
      else
        same->written |= written;
    }
    if (!below(3)) adapter.vidmm().evict(*allocations[below(kAllocations)]);
    expect(ntSuccess(context.render(stream.bytes(), list)), "a submission with %u places", places);
    adapter.scheduler().waitIdle();
    const aerogpu_submit_desc desc = ring.newest();
    std::vector<aerogpu_alloc_entry> entries(desc.alloc_table_size_bytes / sizeof(aerogpu_alloc_entry));
    const uint8_t* at = entries.empty() ? nullptr : adapter.memory().at(desc.alloc_table_gpa);
    if (at)
      std::memcpy(entries.data(), at + sizeof(aerogpu_alloc_table_header),
                  entries.size() * sizeof entries[0]);
    bool right = entries.size() == expected.size();
    for (size_t i = 0; right && i < entries.size(); ++i) {
      const Allocation& allocation = *allocations[expected[i].allocation];
      const bool readonly = entries[i].flags & AEROGPU_ALLOC_FLAG_READONLY;
      right = entries[i].alloc_id == allocIdOf(allocation.privateData) && readonly != expected[i].written &&
              entries[i].size_bytes == allocation.size();
    }
    wrong += !right;
  }
  expect(!wrong, "%u of %u tables are not those of their lists", wrong, kRounds);
  for (auto* one : opened) client.close(one);
  for (const auto& allocation : allocations) adapter.vidmm().destroy({allocation});
  expectNoDeviceErrors(adapter);
}

const TestCase kRenderTests[] = {
    {"allocation-lists", 60, inProcess<allocationLists>, Runs::kBesideQemu},
    {"completion-values", 60, inProcess<completionValues>},
    {"submit", 60, inProcess<submit>},
    {"multipass", 90, inProcess<multipass>},
    {"concurrent", 240, concurrent},
    {"fence-wrap", 120, inProcess<fenceWrap>},
    {"present", 90, inProcessWithMode<present, 1024, 768>},
};

}  // namespace

std::span<const TestCase> renderTests() {
  return kRenderTests;
}

}  // namespace aerogpu::host
