// SPDX-License-Identifier: MIT
// Tests contexts: their largest number, and the order in which the GPU runs their work.
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// Makes more contexts than a busy desktop has. Page "DxgkDdiCreateContext": a driver must support any number
/// of them. A context that draws has a number on the device. There are 255 numbers for each device of a
/// process (SPACE-10), or, without handle spaces, for the whole process; when all are taken, the driver
/// reports that memory is out.
void manyContexts(Adapter& adapter, Client& client, Context& first) {
  constexpr unsigned kContexts = 1100;
  constexpr unsigned kAlwaysDraw = 250;
  setGuardedPool(false);
  Surface surface;
  if (!makeSurface(adapter, client, first, 64, 64, surface)) return;
  std::vector<std::unique_ptr<Context>> contexts;
  for (unsigned i = 0; i < kContexts; ++i) {
    contexts.push_back(client.createContext(i % 3 == 0));
    if (!expect(contexts.back() != nullptr, "context %u", i)) return;
  }
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the shared primary opens")) return;
  const RECT rect{0, 0, 64, 64};
  DXGK_PRESENTFLAGS blt{};
  blt.Blt = 1;
  const NTSTATUS presented = contexts.back()->present(surface.opened, primary[0], rect, rect, {}, blt);
  expect(ntSuccess(presented), "the last one presents (0x%08x)", presented);
  unsigned drawing = 0;
  for (unsigned i = 0; i < kContexts; ++i) {
    const uint32_t color = 0xFF000000 | i;
    const NTSTATUS status = fillSurface(*contexts[i], surface, color);
    if (!ntSuccess(status)) {
      expect(status == kNoMemory, "context %u draws (0x%08x)", i, status);
      continue;
    }
    ++drawing;
    if (i % 100 == 99) expect(surfaceIs(adapter, surface, color), "what context %u drew", i);
  }
  note("%u of %u contexts have drawn", drawing, kContexts);
  expect(drawing >= kAlwaysDraw, "%u contexts draw", kAlwaysDraw);
  contexts.erase(contexts.begin(), contexts.begin() + kContexts / 2);
  expect(ntSuccess(fillSurface(*contexts.back(), surface, 0xFF123456)) &&
             surfaceIs(adapter, surface, 0xFF123456),
         "the last one draws when others have ended");
  contexts.clear();
  client.close(primary[0]);
  dropSurface(adapter, client, first, surface);
  expectNoDeviceErrors(adapter);
}

/// Two contexts of a process present to a primary that was never drawn to. The first one's buffer is built
/// first, and runs last or never: the second one's present is on the screen anyway. Page "Splitting a DMA
/// Buffer": contexts are scheduled one before the other.
void presentsReordered(Adapter& adapter, Client& client, bool dropped) {
  auto first = client.createContext(), second = client.createContext();
  Surface source;
  if (!expect(first && second, "contexts") || !makeSurface(adapter, client, *second, 64, 64, source)) return;
  expect(ntSuccess(fillSurface(*second, source, 0xFF44AA77)), "a fill");
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the shared primary opens")) return;
  // Memory without a texture of a program, whose content the CPU wrote.
  const uint32_t id = newAllocId();
  auto created =
      adapter.vidmm().create({}, {texturePrivate(id, 64, 64, D3DDDIFMT_X8R8G8B8, false, true)}, false);
  if (!expect(ntSuccess(created.status), "an allocation (0x%08x)", created.status)) return;
  const auto written = client.open(created.allocations, true);
  const std::vector<uint32_t> pixels(size_t{64} * 64, 0xFFCC8811);
  adapter.vidmm().write(*created.allocations[0], 0, pixels.data(), pixels.size() * 4);
  DXGK_PRESENTFLAGS blt{}, fill{};
  blt.Blt = fill.ColorFill = 1;
  const RECT rect{0, 0, 64, 64}, at0{0, 0, 64, 64}, at1{100, 0, 164, 64}, at2{200, 0, 264, 64};
  const RECT all{0, 0, 1024, 768};
  first->hold();
  expect(ntSuccess(first->present(nullptr, primary[0], at0, at0, {}, fill, 0xFF993311)), "a fill is built");
  expect(ntSuccess(first->present(written[0], primary[0], rect, at0, {}, blt)), "a blit is built");
  expect(ntSuccess(second->present(nullptr, primary[0], all, all, {}, fill, 0xFF223344)), "a fill");
  expect(ntSuccess(second->present(source.opened, primary[0], rect, at1, {}, blt)), "a blit");
  expect(ntSuccess(second->present(written[0], primary[0], rect, at2, {}, blt)), "a blit from memory");
  adapter.scheduler().waitIdle();
  const ScreenPoints points = {{50, 10}, {110, 10}, {163, 63}, {210, 10}, {90, 10}};
  expectScreen(points, {0x223344, 0x44AA77, 0x44AA77, 0xCC8811, 0x223344}, "what the second context made");
  if (dropped)
    first->dropHeld();
  else
    expect(first->releaseHeld(), "the first context's buffers run");
  expect(ntSuccess(second->present(nullptr, primary[0], at1, at1, {}, fill, 0xFF102030)), "a fill at last");
  adapter.scheduler().waitIdle();
  expectScreen(points, {dropped ? 0x223344u : 0xCC8811u, 0x102030, 0x102030, 0xCC8811, 0x223344},
               "what both made");
  client.close(primary[0]);
  client.close(written[0]);
  adapter.vidmm().destroy(created.allocations);
  dropSurface(adapter, client, *second, source);
  expectNoDeviceErrors(adapter);
}

void reordered(Adapter& adapter, Client& client, Context&) {
  presentsReordered(adapter, client, false);
}
void dropped(Adapter& adapter, Client& client, Context&) {
  presentsReordered(adapter, client, true);
}

const TestCase kContextTests[] = {
    {"contexts-reordered", 90, inProcessWithMode<reordered, 1024, 768>},
    {"contexts-dropped", 90, inProcessWithMode<dropped, 1024, 768>},
    {"contexts-many", 240, inProcessWithMode<manyContexts, 1024, 768>},
};

}  // namespace

std::span<const TestCase> contextTests() {
  return kContextTests;
}

}  // namespace aerogpu::host
