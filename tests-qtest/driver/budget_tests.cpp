// SPDX-License-Identifier: MIT
// Tests typical graphics memory use: the memory of a desktop and a program together stays in place. With one
// and a half times as much as the segments hold, allocations are paged in and out, and every pixel is right.
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "tests-qtest/driver/sharing.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// Allocations of one process, listed by each of its submissions.
struct Budget {
  Adapter& adapter;
  Client& client;
  Context::List list;
  std::vector<std::shared_ptr<Allocation>> allocations;
  uint64_t bytes = 0;

  bool add(aerogpu_wddm_alloc_priv_v2 data, bool written) {
    data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
    data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
    data.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED;
    data.alloc_id = newAllocId();
    std::vector<uint8_t> raw(sizeof data);
    std::memcpy(raw.data(), &data, sizeof data);
    auto made = adapter.vidmm().create({}, {std::move(raw)}, false);
    if (!expect(ntSuccess(made.status), "%llu bytes (0x%08x)",
                static_cast<unsigned long long>(data.size_bytes), made.status))
      return false;
    allocations.push_back(made.allocations[0]);
    bytes += made.allocations[0]->size();
    const auto opened = client.open(made.allocations, true);
    if (!expect(!opened.empty(), "it opens")) return false;
    list.push_back({opened[0], written});
    return true;
  }
  bool texture(uint32_t width, uint32_t height, D3DDDIFORMAT format, uint32_t flags, bool written) {
    aerogpu_wddm_alloc_priv_v2 data{};
    data.flags = flags;
    data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
    data.width = width;
    data.height = height;
    data.format = static_cast<uint32_t>(format);
    data.row_pitch_bytes = width * 4;
    data.size_bytes = uint64_t{data.row_pitch_bytes} * height;
    return add(data, written);
  }
  bool buffer(uint64_t size) {
    aerogpu_wddm_alloc_priv_v2 data{};
    data.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
    data.size_bytes = size;
    return add(data, false);
  }
  void drop() {
    client.closeAll();
    for (const auto& allocation : allocations) adapter.vidmm().destroy({allocation});
    allocations.clear();
    list.clear();
  }
};

/// Runs a desktop of 1920x1080 with twelve windows, and a program with three targets and depth as large as
/// the screen, 128 MiB of textures and 32 MiB of buffers: a thousand frames without one eviction.
void budget() {
  constexpr unsigned kFrames = 1000, kWindows = 12;
  Session session;
  if (!session.ok() || !expect(session.setMode(1920, 1080), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto gdi = Client::create(adapter, 4, true), program = Client::create(adapter, 900);
  auto desktop = gdi ? gdi->createContext(true) : nullptr,
       drawing = program ? program->createContext() : nullptr;
  if (!expect(desktop && drawing, "two processes")) return;

  std::vector<std::shared_ptr<Allocation>> windows;
  std::vector<OpenAllocation*> opened;
  uint64_t windowBytes = 0;
  for (unsigned i = 0; i < kWindows; ++i) {
    D3DKMDT_GDISURFACEDATA data{};
    data.Width = 1280;
    data.Height = 800;
    data.Format = D3DDDIFMT_A8R8G8B8;
    data.Type = D3DKMDT_GDISURFACE_TEXTURE;
    auto made = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false);
    if (!expect(ntSuccess(made.status), "a window (0x%08x)", made.status)) return;
    windows.push_back(made.allocations[0]);
    windowBytes += made.allocations[0]->size();
    opened.push_back(gdi->open(made.allocations, true)[0]);
  }
  Budget budget{adapter, *program, {}, {}, 0};
  const uint32_t cpu = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  bool made = true;
  for (int i = 0; i < 3; ++i) made = made && budget.texture(1920, 1080, D3DDDIFMT_X8R8G8B8, 0, true);
  made = made && budget.texture(1920, 1080, D3DDDIFMT_D24S8, 0, true);
  for (int i = 0; i < 32; ++i) made = made && budget.texture(1024, 1024, D3DDDIFMT_A8R8G8B8, cpu, false);
  for (int i = 0; i < 8; ++i) made = made && budget.buffer(4 * kMiB);
  if (!made) return;
  note("windows %llu KiB, the program %llu MiB", static_cast<unsigned long long>(windowBytes >> 10),
       static_cast<unsigned long long>(budget.bytes / kMiB));
  expect(windowBytes == kWindows * 4096, "the windows' pixels are the host's alone");

  const uint64_t evictions = adapter.vidmm().evictions();
  const int64_t begin = realNs();
  for (unsigned frame = 0; frame < kFrames; ++frame) {
    Stream draw;
    draw.flush();
    if (!expect(ntSuccess(drawing->render(draw.bytes(), budget.list)), "frame %u", frame)) break;
    const RECT some{0, 0, 64, 64};
    DXGK_RENDERKM_COMMAND command{};
    command.OpCode = DXGK_GDIOP_COLORFILL;
    command.CommandSize = sizeof command;
    command.Command.ColorFill = {some,  frame % kWindows,      1, const_cast<RECT*>(&some),
                                 frame, DXGK_GDIROPCF_PATCOPY, 0};
    Context::List list;
    for (OpenAllocation* window : opened) list.push_back({window, true});
    const NTSTATUS status =
        desktop->renderKm({reinterpret_cast<const uint8_t*>(&command), sizeof command}, list);
    if (!expect(ntSuccess(status), "the desktop, frame %u (0x%08x)", frame, status)) break;
  }
  adapter.scheduler().waitIdle();
  note("%u frames in %lld ms", kFrames, static_cast<long long>((realNs() - begin) / 1'000'000));
  expect(adapter.vidmm().evictions() == evictions, "nothing is evicted (%llu times)",
         static_cast<unsigned long long>(adapter.vidmm().evictions() - evictions));
  budget.drop();
  gdi->closeAll();
  for (const auto& window : windows) adapter.vidmm().destroy({window});
  expectNoDeviceErrors(adapter);
}

/// Uses one and a half times as much memory as the segments hold together.
void overBudget() {
  constexpr uint32_t kEdge = 512, kSurfaces = 72, kFrames = 300, kTogether = 8;
  constexpr uint64_t kSurface = uint64_t{kEdge} * kEdge * 4, kSegment = kSurfaces * kSurface / 3;
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  // The memory manager exists from the start on, and is limited before it restarts.
  if (!session.start()) return;
  adapter.vidmm().stop();
  adapter.vidmm().limitSegments(kSegment);
  if (!expect(ntSuccess(adapter.vidmm().start()), "the memory manager starts again")) return;
  expect(adapter.vidmm().segments().size() * kSegment * 3 == kSurfaces * kSurface * 2,
         "one and a half times as much");
  auto client = Client::create(adapter, 910);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a process")) return;
  std::vector<Surface> surfaces(kSurfaces);
  std::vector<uint32_t> colors(kSurfaces, 0);
  for (Surface& surface : surfaces)
    if (!makeSurface(adapter, *client, *context, kEdge, kEdge, surface)) return;
  const uint64_t evictions = adapter.vidmm().evictions();
  Random random(options().seed);
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    // Some are drawn, and all of them have to be resident.
    Stream draw;
    Context::List list;
    std::vector<bool> listed(kSurfaces, false);
    for (uint32_t i = 0; i < kTogether; ++i) {
      const uint32_t which = random.below(kSurfaces);
      if (listed[which]) continue;
      listed[which] = true;
      list.push_back({surfaces[which].opened, i < 2});
      if (i >= 2) continue;
      colors[which] = 0xFF000000 | (frame + 1) * 0x010305;
      draw.target(surfaces[which].target)
          .clear(colors[which])
          .target(0)
          .copyTexture(surfaces[which].backed, surfaces[which].target, kEdge, kEdge, true);
    }
    if (!expect(ntSuccess(context->render(draw.bytes(), list)), "frame %u", frame)) break;
  }
  adapter.scheduler().waitIdle();
  const uint64_t evicted = adapter.vidmm().evictions() - evictions;
  note("%u frames, %llu evictions", kFrames, static_cast<unsigned long long>(evicted));
  expect(evicted > kSurfaces, "there is not room for all (%llu evictions)",
         static_cast<unsigned long long>(evicted));
  for (uint32_t i = 0; i < kSurfaces; ++i)
    if (colors[i])
      expect(surfaceIs(adapter, surfaces[i], colors[i]), "surface %u has what was drawn last", i);
  for (Surface& surface : surfaces) dropSurface(adapter, *client, *context, surface);
  settle(adapter, *context);
  expectNoDeviceErrors(adapter);
}

const TestCase kBudgetTests[] = {
    {"budget", 120, budget, Runs::kBesideQemu},
    {"over-budget", 120, overBudget, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> budgetTests() {
  return kBudgetTests;
}

}  // namespace aerogpu::host
