// SPDX-License-Identifier: MIT
// Memory that runs out: each pool allocation of each call fails once. The call must fail or do without, and
// leak nothing.
#include <functional>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// Repeats `attempt` with its first, second, ... pool allocation failing, and checks that nothing leaks.
/// `attempt` is one call (or several that belong together) that returns success; `undo` reverts its effect.
void sweep(const char* what, const std::function<bool()>& attempt, const std::function<void()>& undo) {
  // The first time may fill caches that stay.
  if (expect(attempt(), "%s works with memory", what)) undo();
  const uint64_t before = poolBytes();
  unsigned failures = 0;
  for (unsigned n = 1; n <= 64; ++n) {
    const uint64_t allocations = poolAllocations();
    failPoolAllocation(n);
    const bool worked = attempt();
    failPoolAllocation(0);
    const bool reached = poolAllocations() - allocations >= n;
    if (worked) undo();
    failures += !worked;
    expect(poolBytes() == before, "%s whose allocation %u fails leaves no pool (%lld bytes)", what, n,
           static_cast<long long>(poolBytes() - before));
    if (!reached) break;
  }
  note("%s: %u failures", what, failures);
}

void outOfMemory() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  {
    std::unique_ptr<Client> client;
    sweep(
        "DxgkDdiCreateDevice", [&] { return (client = Client::create(adapter, 100)) != nullptr; },
        [&] { client.reset(); });
  }
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  {
    std::unique_ptr<Context> context;
    sweep(
        "DxgkDdiCreateContext", [&] { return (context = client->createContext()) != nullptr; },
        [&] { context.reset(); });
  }
  auto context = client->createContext();
  if (!expect(context != nullptr, "a context")) return;
  {
    std::vector<std::shared_ptr<Allocation>> made;
    for (const bool shared : {false, true})
      sweep(
          shared ? "DxgkDdiCreateAllocation, shared" : "DxgkDdiCreateAllocation",
          [&] {
            auto result = adapter.vidmm().create(
                {}, {texturePrivate(newAllocId(), 64, 64, D3DDDIFMT_A8R8G8B8, shared)}, shared);
            made = result.allocations;
            return ntSuccess(result.status);
          },
          [&] {
            adapter.vidmm().destroy(made);
            made.clear();
          });
    sweep(
        "three at once",
        [&] {
          std::vector<std::vector<uint8_t>> data;
          data.reserve(3);
          for (int i = 0; i < 3; ++i) data.push_back(bufferPrivate(newAllocId(), 8192));
          auto result = adapter.vidmm().create({}, data, false);
          made = result.allocations;
          return ntSuccess(result.status);
        },
        [&] {
          for (auto& allocation : made) adapter.vidmm().destroy({allocation});
          made.clear();
        });
  }
  auto created =
      adapter.vidmm().create({}, {texturePrivate(newAllocId(), 64, 64, D3DDDIFMT_A8R8G8B8)}, false);
  if (!expect(ntSuccess(created.status), "an allocation")) return;
  {
    std::vector<OpenAllocation*> opened;
    sweep(
        "DxgkDdiOpenAllocation", [&] { return !(opened = client->open(created.allocations, true)).empty(); },
        [&] { client->close(opened[0]); });
  }
  auto opened = client->open(created.allocations, true);
  {
    uint32_t handle = 0;
    sweep(
        "DxgkDdiRender that makes a texture",
        [&] {
          handle = newHandle();
          Stream stream;
          stream.createTexture(handle, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                               allocIdOf(created.allocations[0]->privateData));
          return ntSuccess(context->render(stream.bytes(), {{opened[0], true}}));
        },
        [&] {
          Stream stream;
          stream.destroy(handle);
          context->render(stream.bytes(), {});
          adapter.scheduler().waitIdle();
        });
  }
  client->closeAll();
  adapter.vidmm().destroy(created.allocations);
  expectRendering(adapter, *client, *context, 0xFF778899);
}

/// Segments full of allocations that cannot move: the driver's calls continue, the memory manager refuses.
void fullSegments(Adapter& adapter, Client& client, Context& context) {
  std::vector<std::shared_ptr<Allocation>> all;
  const UINT vram = 1;
  adapter.vidmm().preferSegment(vram);
  uint64_t placed = 0;
  const uint64_t size = adapter.vidmm().segment(vram).descriptor.Size;
  for (unsigned i = 0; placed + (4 << 20) <= size; ++i) {
    auto created = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), 4 << 20)}, false);
    if (!ntSuccess(created.status)) break;
    all.push_back(created.allocations[0]);
    if (!adapter.vidmm().makeResident({{all.back().get(), true}}) || all.back()->segment != vram) break;
    placed += all.back()->size();
    all.back()->pinned = true;
  }
  adapter.vidmm().preferSegment(0);
  expect(placed + (8 << 20) > size, "the segment is full (%llu of %llu)",
         static_cast<unsigned long long>(placed), static_cast<unsigned long long>(size));
  Surface surface;
  if (makeSurface(adapter, client, context, 128, 128, surface)) {
    expect(ntSuccess(fillSurface(context, surface, 0xFF102030)), "the aperture takes what has no room");
    expect(surfaceIs(adapter, surface, 0xFF102030), "its pixels");
    dropSurface(adapter, client, context, surface);
  }
  for (auto& allocation : all) {
    allocation->pinned = false;
    adapter.vidmm().destroy({allocation});
  }
  expectNoDeviceErrors(adapter);
}

const TestCase kMemoryTests[] = {
    {"out-of-memory", 120, outOfMemory},
    {"full-segments", 120, inProcess<fullSegments>},
};

}  // namespace

std::span<const TestCase> memoryTests() {
  return kMemoryTests;
}

}  // namespace aerogpu::host
