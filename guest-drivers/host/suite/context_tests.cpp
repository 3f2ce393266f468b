// SPDX-License-Identifier: MIT
// Contexts: how many there may be, and in which order the GPU runs what they made.
#include "suite/streams.h"
#include "suite/test.h"

namespace aerogpu::host {

namespace {

/// As many contexts as a busy desktop has, and more. Page "DxgkDdiCreateContext": a driver must support any
/// number of them. Those that draw have numbers on the device, of which there are 1024 (SUB-8); when all are
/// taken, it is memory that runs out.
void manyContexts(Adapter& adapter, Client& client, Context& first) {
  constexpr unsigned kContexts = 1100, kAlwaysDraw = 1000;
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
  expect(drawing >= kAlwaysDraw, "1000 contexts draw");
  contexts.erase(contexts.begin(), contexts.begin() + kContexts / 2);
  expect(ntSuccess(fillSurface(*contexts.back(), surface, 0xFF123456)) &&
             surfaceIs(adapter, surface, 0xFF123456),
         "the last one draws when others have ended");
  contexts.clear();
  client.close(primary[0]);
  dropSurface(adapter, client, first, surface);
  expectNoDeviceErrors(adapter);
}

const TestCase kTests[] = {
    {"contexts-many", 240, inProcessWithMode<manyContexts, 1024, 768>},
};

}  // namespace

std::span<const TestCase> contextTests() {
  return kTests;
}

}  // namespace aerogpu::host
