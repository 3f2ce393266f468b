// SPDX-License-Identifier: MIT
// Less video memory than is used: repeats other tests in segments of a few MiB or KiB, and tests submissions
// that do not fit at all.
#include <cstring>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

void runWithin(uint64_t segmentBytes, const char* name) {
  Vidmm::limitAllSegments(segmentBytes);
  for (const auto& tests : {renderTests(), gdiTests(), sharedTests(), contextTests()})
    for (const TestCase& test : tests)
      if (std::strcmp(test.name, name) == 0) return test.run();
  brokenRule("there is no test %s", name);
}

/// Draws to all surfaces in turn, several in each submission; the segments have room for half of them.
void evictedSurfaces(Adapter& adapter, Client& client, Context& context) {
  constexpr unsigned kSurfaces = 24, kAtOnce = 6, kRounds = 6;
  std::vector<Surface> surfaces(kSurfaces);
  std::vector<uint32_t> colors(kSurfaces);
  for (Surface& surface : surfaces)
    if (!makeSurface(adapter, client, context, 128, 128, surface)) return;
  Random random(options().seed);
  for (unsigned round = 0; round < kRounds; ++round) {
    for (unsigned first = 0; first < kSurfaces; first += kAtOnce) {
      Stream stream;
      Context::List list;
      for (unsigned i = first; i < first + kAtOnce; ++i) {
        const Surface& surface = surfaces[(i * 5 + round) % kSurfaces];
        const uint32_t color = colors[(i * 5 + round) % kSurfaces] = 0xFF000000 | random.below(1 << 24);
        stream.target(surface.target).clear(color).target(0);
        stream.copyTexture(surface.backed, surface.target, surface.width, surface.height, true);
        list.emplace_back(surface.opened, true);
      }
      const NTSTATUS status = context.render(stream.bytes(), list);
      expect(ntSuccess(status), "%u surfaces of %u (0x%08x)", kAtOnce, kSurfaces, status);
    }
    for (unsigned i = 0; i < kSurfaces; ++i)
      expect(surfaceIs(adapter, surfaces[i], colors[i]), "surface %u in round %u", i, round);
  }
  expect(adapter.vidmm().evictions() > kSurfaces, "there was real paging");
  // All of them together fit nowhere, and the driver's streams are one piece: the OS has to refuse, without
  // other effects.
  Stream all;
  Context::List list;
  for (const Surface& surface : surfaces) {
    all.copyTexture(surface.backed, surface.target, surface.width, surface.height, true);
    list.emplace_back(surface.opened, true);
  }
  constexpr NTSTATUS kNoVideoMemory = ntStatus(0xC01E0100);
  const NTSTATUS status = context.render(all.bytes(), list);
  expect(status == kNoVideoMemory, "all at once (0x%08x)", status);
  for (unsigned i = 0; i < kSurfaces; ++i)
    expect(surfaceIs(adapter, surfaces[i], colors[i]), "surface %u afterwards", i);
  for (Surface& surface : surfaces) dropSurface(adapter, client, context, surface);
  expectNoDeviceErrors(adapter);
}

void pressure() {
  Vidmm::limitAllSegments(6 * 128 * 128 * 4);
  inProcess<evictedSurfaces>();
}

const TestCase kPressureTests[] = {
    {"pressure", 120, pressure, Runs::kBesideQemu},
    {"pressure-concurrent", 240, [] { runWithin(64 << 10, "concurrent"); }},
    {"pressure-present", 120, [] { runWithin(4 << 20, "present"); }},
    {"pressure-gdi", 120, [] { runWithin(4 << 20, "gdi"); }},
    {"pressure-shared", 120, [] { runWithin(1 << 20, "shared-pixels"); }},
    {"pressure-reordered", 120, [] { runWithin((3 << 20) + (16 << 10), "contexts-reordered"); }},
};

}  // namespace

std::span<const TestCase> pressureTests() {
  return kPressureTests;
}

}  // namespace aerogpu::host
