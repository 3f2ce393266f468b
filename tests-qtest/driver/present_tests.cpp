// SPDX-License-Identifier: MIT
// Tests DxgkDdiPresent and DxgkDdiRenderKm beyond the usual needs of a desktop: lists of rectangles of any
// length, and refusals. Each call checks the permitted codes (dxgk/ddi_rules.cpp).
#include <sys/mman.h>

#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/sharing.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

constexpr NTSTATUS kIllegalInstruction = ntStatus(0xC000001D);

/// Returns every second pixel of a square as a separate rectangle.
std::vector<RECT> checkerboard(LONG left, LONG top, LONG edge) {
  std::vector<RECT> rects;
  for (LONG y = 0; y < edge; ++y)
    for (LONG x = y % 2; x < edge; x += 2) rects.push_back({left + x, top + y, left + x + 1, top + y + 1});
  return rects;
}

/// Presents lists of any length; what does not fit into a DMA buffer comes in further buffers (page
/// "DxgkDdiPresent").
void rectangles(Adapter& adapter, Client& client, Context& context) {
  Surface source;
  if (!makeSurface(adapter, client, context, 128, 128, source)) return;
  expect(ntSuccess(fillSurface(context, source, 0xFF44AA77)), "a fill");
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the shared primary opens")) return;
  const RECT all{0, 0, 1024, 768}, from{0, 0, 128, 128};
  DXGK_PRESENTFLAGS blt{}, fill{}, keyed{};
  blt.Blt = keyed.Blt = 1;
  keyed.SrcColorKey = 1;
  fill.ColorFill = 1;
  expect(ntSuccess(context.present(nullptr, primary[0], all, all, {}, fill, 0xFF223344)), "the background");
  const auto at = [](LONG left, LONG top) { return RECT{left, top, left + 128, top + 128}; };
  const auto check = [&](LONG left, LONG top, uint32_t in, const char* what) {
    adapter.scheduler().waitIdle();
    const int x = static_cast<int>(left), y = static_cast<int>(top);
    const ScreenPoints points = {{x, y},           {x + 1, y},         {x, y + 1},       {x + 1, y + 1},
                                 {x + 126, y},     {x + 127, y + 127}, {x + 127, y},     {x, y + 127},
                                 {x + 64, y + 64}, {x + 65, y + 64},   {x + 128, y + 1}, {x + 1, y + 128}};
    std::vector<uint32_t> colors;
    for (const auto& [px, py] : points) {
      const int dx = px - x, dy = py - y;
      colors.push_back(dx < 128 && dy < 128 && (dx + dy) % 2 == 0 ? in : 0x223344);
    }
    expectScreen(points, colors, what);
  };
  const std::vector<RECT> copied = checkerboard(100, 50, 128);  // 8192 of them
  NTSTATUS status = context.present(source.opened, primary[0], from, at(100, 50), copied, blt);
  expect(ntSuccess(status), "a blt of %zu rectangles (0x%08x)", copied.size(), status);
  check(100, 50, 0x44AA77, "the blt's pixels");
  const std::vector<RECT> filled = checkerboard(300, 50, 128);
  status = context.present(nullptr, primary[0], from, at(300, 50), filled, fill, 0xFF993311);
  expect(ntSuccess(status), "a fill of %zu rectangles (0x%08x)", filled.size(), status);
  check(300, 50, 0x993311, "the fill's pixels");
  const std::vector<RECT> key = checkerboard(500, 50, 128);
  status = context.present(source.opened, primary[0], from, at(500, 50), key, keyed, 0xFF44AA77);
  expect(ntSuccess(status), "a blt with a colour key (0x%08x)", status);
  check(500, 50, 0x223344, "the key's colour is left out");
  status = context.present(source.opened, primary[0], from, at(500, 50), key, keyed, 0xFF000000);
  expect(ntSuccess(status), "with another key (0x%08x)", status);
  check(500, 50, 0x44AA77, "and copied where it is not the key's");
  // Within the primary: sixteen pixels to the right, so most of the destination overlaps the source.
  const std::vector<RECT> moved = checkerboard(316, 50, 128);
  status = context.present(primary[0], primary[0], at(300, 50), at(316, 50), moved, blt);
  expect(ntSuccess(status), "a move of %zu rectangles (0x%08x)", moved.size(), status);
  // Every pixel that was copied is one that the fill before the move has drawn.
  check(316, 50, 0x993311, "the move's pixels");
  client.close(primary[0]);
  dropSurface(adapter, client, context, source);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

/// Within one surface each pixel becomes the one that the present found at its source, however many
/// rectangles there are and wherever they move. nt/nt_pool.cpp checks how much of the list the driver holds.
void manyMoved(Adapter& adapter, Client& client, Context& context) {
  constexpr int kWidth = 1024, kHeight = 768, kLeft = 400, kTop = 250, kEdge = 256;
  constexpr uint32_t kColors[] = {0x102030, 0xC04020, 0x20C040, 0x4020C0, 0xE0E0E0, 0x808000, 0x008080};
  const auto number = [](int x, int y) { return static_cast<size_t>(y) * kWidth + static_cast<size_t>(x); };
  Random random(options().seed);
  std::vector<uint32_t> picture(number(0, kHeight));
  for (uint32_t& pixel : picture) pixel = 0xFF000000 | kColors[random.below(std::size(kColors))];
  adapter.vidmm().write(*adapter.display().primary(), 0, picture.data(), picture.size() * 4);
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the shared primary opens")) return;
  constexpr size_t kListBytes = size_t{kEdge} * kEdge / 2 * sizeof(RECT);
  auto* list = static_cast<RECT*>(allocateUserMemory(kListBytes));
  const struct {
    int x, y, edge;  // an offset; the edge of a rectangle, which is followed by a gap of the same size
    bool keyed;
  } moves[] = {{16, 0, 1, false},   {-16, 3, 2, false},  {0, 9, 2, false}, {0, -1, 2, false},
               {-3, 200, 2, false}, {300, -7, 2, false}, {5, -7, 2, true}, {-290, 10, 2, true},
               {0, 0, 2, false},    {0, 0, 2, true}};
  for (const auto& move : moves) {
    size_t count = 0;
    for (int y = 0; y < kEdge; y += move.edge)
      for (int x = y / move.edge % 2 * move.edge; x < kEdge; x += 2 * move.edge)
        list[count++] = {kLeft + x, kTop + y, kLeft + x + move.edge, kTop + y + move.edge};
    const std::vector<uint32_t> before = picture;
    for (size_t i = 0; i < count; ++i)
      for (int y = static_cast<int>(list[i].top); y < list[i].bottom; ++y)
        for (int x = static_cast<int>(list[i].left); x < list[i].right; ++x) {
          const uint32_t pixel = before[number(x - move.x, y - move.y)];
          if (!move.keyed || pixel != (0xFF000000 | kColors[0])) picture[number(x, y)] = pixel;
        }
    const RECT to{kLeft, kTop, kLeft + kEdge, kTop + kEdge};
    const RECT from{to.left - move.x, to.top - move.y, to.right - move.x, to.bottom - move.y};
    DXGK_PRESENTFLAGS flags{};
    flags.Blt = 1;
    flags.SrcColorKey = move.keyed;
    const NTSTATUS status =
        context.present(primary[0], primary[0], from, to, {list, count}, flags, 0xFF000000 | kColors[0]);
    expect(ntSuccess(status), "a move of %zu rectangles by %d, %d (0x%08x)", count, move.x, move.y, status);
    adapter.scheduler().waitIdle();
    ScreenPoints points;
    std::vector<uint32_t> colors;
    for (int i = 0; i < 1500; ++i) {
      const int x = kLeft - 4 + static_cast<int>(random.below(kEdge + 8)),
                y = kTop - 4 + static_cast<int>(random.below(kEdge + 8));
      points.emplace_back(x, y);
      colors.push_back(picture[number(x, y)] & 0xFFFFFF);
    }
    char what[64];
    std::snprintf(what, sizeof what, "what was moved by %d, %d", move.x, move.y);
    expectScreen(points, colors, what);
  }
  // The largest count, but only a few exist: the page has one code for that.
  DXGK_PRESENTFLAGS blt{};
  blt.Blt = 1;
  const RECT some{0, 0, 64, 64}, other{8, 0, 72, 64};
  for (const size_t count : {size_t{0x07FFFFFF}, size_t{0xFFFFFFFF}}) {
    auto* hole = static_cast<RECT*>(allocateUserMemory(4096));
    const NTSTATUS status = context.present(primary[0], primary[0], some, other, {hole, count}, blt);
    expect(status == kPrivilegedInstruction, "%zu rectangles that are not there (0x%08x)", count, status);
    freeUserMemory(hole, 4096);
  }
  freeUserMemory(list, kListBytes);
  client.close(primary[0]);
  expectNoDeviceErrors(adapter);
}

/// A present that is impossible gets the code from its page.
void refusals(Adapter& adapter, Client& client, Context& context) {
  Surface source;
  if (!makeSurface(adapter, client, context, 128, 128, source)) return;
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  auto made = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), 65536)}, false);
  auto depth = adapter.vidmm().create({}, {texturePrivate(newAllocId(), 64, 64, D3DDDIFMT_D24S8)}, false);
  if (!expect(ntSuccess(made.status) && ntSuccess(depth.status), "a buffer and a depth buffer")) return;
  const auto buffer = client.open(made.allocations, true), depths = client.open(depth.allocations, true);
  if (!expect(!primary.empty() && !buffer.empty() && !depths.empty(), "they open")) return;
  const RECT some{0, 0, 64, 64};
  const uint64_t submitted = adapter.scheduler().submitted();
  const auto refused = [&](OpenAllocation* from, OpenAllocation* to, DXGK_PRESENTFLAGS flags,
                           NTSTATUS expected, const char* what) {
    const NTSTATUS status = context.present(from, to, some, some, {}, flags);
    expect(status == expected, "%s: 0x%08x (0x%08x)", what, expected, status);
  };
  DXGK_PRESENTFLAGS none{}, blt{}, fill{}, both{}, destinationKey{}, linear{}, rotated{};
  blt.Blt = both.Blt = destinationKey.Blt = linear.Blt = rotated.Blt = 1;
  fill.ColorFill = both.ColorFill = 1;
  destinationKey.DstColorKey = 1;
  linear.LinearToSrgb = 1;
  rotated.Rotate = 1;
  refused(source.opened, primary[0], none, kIllegalInstruction, "nothing is asked for");
  refused(source.opened, primary[0], both, kIllegalInstruction, "a blt and a fill in one");
  refused(source.opened, primary[0], destinationKey, kIllegalInstruction, "a key of the destination");
  refused(source.opened, primary[0], linear, kCannotColorConvert, "linear to sRGB");
  refused(source.opened, primary[0], rotated, kIllegalInstruction, "a rotation");
  refused(buffer[0], primary[0], blt, kIllegalInstruction, "a buffer as the source");
  refused(depths[0], primary[0], blt, kCannotColorConvert, "depths as the source");
  refused(source.opened, depths[0], blt, kCannotColorConvert, "depths as the destination");
  refused(nullptr, primary[0], blt, kInvalidHandle, "no source");
  refused(source.opened, nullptr, fill, kInvalidHandle, "no destination");
  // Rectangles in the process' memory.
  auto* page = static_cast<RECT*>(allocateUserMemory(4096));
  NTSTATUS status =
      context.present(source.opened, primary[0], some, some, {page, 4096 / sizeof(RECT) + 1}, blt);
  expect(status == kPrivilegedInstruction, "rectangles that end in a hole (0x%08x)", status);
  status = context.present(source.opened, primary[0], some, some, {page, 0x0FFFFFFF}, blt);
  expect(status == kPrivilegedInstruction || status == kNoMemory, "four GiB of rectangles (0x%08x)", status);
  freeUserMemory(page, 4096);
  expect(adapter.scheduler().submitted() == submitted, "nothing of it is submitted");
  client.closeAll();
  adapter.vidmm().destroy(made.allocations);
  adapter.vidmm().destroy(depth.allocations);
  adapter.vidmm().destroy({source.allocation});
}

/// Tests GDI's path to the screen if it is not accelerated: the CPU draws a shadow surface, and presents copy
/// it to the primary (page "D3DKMDT_SHADOWSURFACEDATA"). Each present shows what the CPU drew, also after the
/// GPU alone drew to the primary, and changes nothing outside the named rectangles.
void cpuDrawn(Adapter& adapter, Client& client, Context& context) {
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  D3DKMDT_SHADOWSURFACEDATA data{};
  data.Width = 1024;
  data.Height = 768;
  data.Format = D3DDDIFMT_X8R8G8B8;
  auto shadow = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, &data, false);
  if (!expect(ntSuccess(shadow.status) && !primary.empty(), "a shadow (0x%08x)", shadow.status)) return;
  const auto source = client.open(shadow.allocations, true);
  if (!expect(!source.empty(), "it opens")) return;
  DXGK_PRESENTFLAGS blt{}, fill{};
  blt.Blt = 1;
  fill.ColorFill = 1;
  const RECT all{0, 0, 1024, 768};
  for (uint32_t round = 0; round < 3; ++round) {
    const uint32_t gpu = 0x203040 + round * 0x101010, cpu = 0xC08040 + round * 0x080808;
    expect(ntSuccess(context.present(nullptr, primary[0], all, all, {}, fill, 0xFF000000 | gpu)),
           "the GPU draws");
    adapter.scheduler().waitIdle();
    const LONG left = 100 + 200 * static_cast<LONG>(round), top = 60;
    const std::vector<uint32_t> row(120, cpu);
    for (LONG y = 0; y < 80; ++y)
      adapter.vidmm().write(*shadow.allocations[0],
                            static_cast<uint64_t>(top + y) * data.Pitch + static_cast<uint64_t>(left) * 4,
                            row.data(), row.size() * 4);
    const RECT drawn{left, top, left + 120, top + 80};
    expect(ntSuccess(context.present(source[0], primary[0], drawn, drawn, {}, blt)),
           "a present of what the CPU drew");
    adapter.scheduler().waitIdle();
    const int x = static_cast<int>(left), y = static_cast<int>(top);
    const ScreenPoints points = {{x, y},           {x + 119, y + 79}, {x - 1, y}, {x + 120, y + 79},
                                 {x + 60, y + 80}, {5, 700}};
    expectScreen(points, {cpu, cpu, gpu, gpu, gpu, gpu}, "what both drew");
    // Again after the screen was off.
    adapter.display().setVisible(false);
    adapter.display().setVisible(true);
    expectScreen(points, {cpu, cpu, gpu, gpu, gpu, gpu}, "the same, shown again");
  }
  client.closeAll();
  adapter.vidmm().destroy(shadow.allocations);
  expectNoDeviceErrors(adapter);
}

/// Fills whole rows of the primary by the CPU.
void cpuRows(Adapter& adapter, uint32_t top, uint32_t rows, uint32_t argb) {
  const std::vector<uint32_t> pixels(size_t{1024} * rows, argb);
  adapter.vidmm().write(*adapter.display().primary(), uint64_t{top} * 4096, pixels.data(), pixels.size() * 4);
}

/// Draws to the shared primary by the CPU first (SCAN-6), then by the GPU: the CPU's pixels stay around the
/// GPU's, even if a program has opened the primary before.
void cpuDrewFirst(Adapter& adapter, Client& client, Context& context, bool opensFirst) {
  const uint32_t above = 0x305070, below = 0x907050, drawn = 0x20C040;
  cpuRows(adapter, 0, 400, 0xFF000000 | above);
  cpuRows(adapter, 400, 368, 0xFF000000 | below);
  const ScreenPoints points = {{0, 0},     {1023, 399}, {0, 400},  {1023, 767},
                               {100, 380}, {199, 419},  {99, 380}, {200, 419}};
  expectScreen(points, {above, above, below, below, above, below, above, below}, "what the CPU drew");
  std::unique_ptr<Client> program;
  if (opensFirst) {
    program = Client::create(adapter, 770);
    if (!expect(program && !program->open({adapter.display().sharedPrimary()}, false).empty(),
                "a program opens the primary"))
      return;
    expect(ntSuccess(adapter.display().flip(*adapter.display().primary())), "a flip");
    expectScreen(points, {above, above, below, below, above, below, above, below}, "the same");
  }
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the shared primary opens")) return;
  DXGK_PRESENTFLAGS fill{};
  fill.ColorFill = 1;
  const RECT rect{100, 380, 200, 420};
  expect(ntSuccess(context.present(nullptr, primary[0], rect, rect, {}, fill, 0xFF000000 | drawn)),
         "a present");
  adapter.scheduler().waitIdle();
  expectScreen(points, {above, above, below, below, drawn, drawn, above, below}, "what both drew");
  if (program) program->closeAll();
  client.closeAll();
  expectNoDeviceErrors(adapter);
}
void cpuDrewThenGpu(Adapter& adapter, Client& client, Context& context) {
  cpuDrewFirst(adapter, client, context, false);
}
void cpuDrewThenProgram(Adapter& adapter, Client& client, Context& context) {
  cpuDrewFirst(adapter, client, context, true);
}

/// A program locks the shared primary after the GPU has drawn, through staging, as a user-mode driver does
/// with an opened surface. It reads the screen's content, and its writes appear without a present (PRES-11).
void cpuLocked(Adapter& adapter, Client& client, Context& context) {
  if (!hasSpaces(adapter)) return;
  constexpr uint32_t kWidth = 1024, kHeight = 768, kPitch = kWidth * 4;
  const uint32_t drawn = 0x406020, written = 0xC03070;
  const auto primary = client.open({adapter.display().sharedPrimary()}, false);
  auto program = makeSharer(adapter, 771);
  if (!program || !expect(!primary.empty(), "the shared primary opens") ||
      !openShared(*program, adapter.display().sharedPrimary()))
    return;
  expect(ntSuccess(importShared(*program)), "a program imports the primary");
  DXGK_PRESENTFLAGS fill{};
  fill.ColorFill = 1;
  const RECT all{0, 0, kWidth, kHeight};
  expect(ntSuccess(context.present(nullptr, primary[0], all, all, {}, fill, 0xFF000000 | drawn)),
         "the GPU draws");
  adapter.scheduler().waitIdle();
  auto made = adapter.vidmm().create(
      {}, {texturePrivate(newAllocId(), kWidth, kHeight, D3DDDIFMT_X8R8G8B8, false, true)}, false);
  const auto opened =
      ntSuccess(made.status) ? program->client->open(made.allocations, true) : std::vector<OpenAllocation*>{};
  if (!expect(!opened.empty(), "staging (0x%08x)", made.status)) return;
  const uint32_t staging = newHandle();
  Stream lock;
  lock.createTexture(staging, kWidth, kHeight, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                     allocIdOf(opened[0]->privateData))
      .copyTexture(staging, program->handle, kWidth, kHeight, true);
  expect(ntSuccess(program->context->render(lock.bytes(), {{opened[0], true}, {program->opened, false}})),
         "a lock");
  settle(adapter, *program->context);
  std::vector<uint32_t> seen(size_t{kWidth} * kHeight);
  expect(adapter.vidmm().read(*made.allocations[0], 0, seen.data(), seen.size() * 4), "a look");
  size_t wrong = 0;
  for (const uint32_t pixel : seen) wrong += (pixel & 0xFFFFFF) != drawn;
  expect(wrong == 0, "the lock shows what the GPU drew (%zu pixels differ)", wrong);
  const std::vector<uint32_t> row(100, written);
  for (uint64_t y = 200; y < 260; ++y)
    adapter.vidmm().write(*made.allocations[0], y * kPitch + 300 * 4, row.data(), row.size() * 4);
  Stream unlock;
  unlock.dirty(staging, 200 * kPitch, 60 * kPitch)
      .copyTexture(program->handle, staging, kWidth, kHeight, false)
      .destroy(staging);
  expect(ntSuccess(program->context->render(unlock.bytes(), {{opened[0], false}, {program->opened, true}})),
         "an unlock");
  settle(adapter, *program->context);
  const ScreenPoints points = {{300, 200}, {399, 259}, {299, 200}, {400, 259}, {350, 199}, {350, 260}};
  expectScreen(points, {written, written, drawn, drawn, drawn, drawn}, "what the program wrote");
  // Others continue to draw around it.
  const RECT some{350, 0, 1024, 768};
  expect(ntSuccess(context.present(nullptr, primary[0], some, some, {}, fill, 0xFF102030)),
         "another present");
  adapter.scheduler().waitIdle();
  expectScreen(points, {written, 0x102030, drawn, 0x102030, 0x102030, 0x102030}, "what both drew");
  program->client->closeAll();
  client.closeAll();
  adapter.vidmm().destroy(made.allocations);
  settle(adapter, context);
  expectNoDeviceErrors(adapter);
}

const TestCase kPresentTests[] = {
    {"present-cpu-locked", 60, inProcessWithMode<cpuLocked, 1024, 768>},
    {"present-cpu-first", 60, inProcessWithMode<cpuDrewThenGpu, 1024, 768>},
    {"present-cpu-first-opened", 60, inProcessWithMode<cpuDrewThenProgram, 1024, 768>},
    {"present-rectangles", 120, inProcessWithMode<rectangles, 1024, 768>},
    {"present-moved", 120, inProcessWithMode<manyMoved, 1024, 768>},
    {"present-cpu-drawn", 60, inProcessWithMode<cpuDrawn, 1024, 768>},
    {"present-refusals", 90, inProcessWithMode<refusals, 1024, 768>},
};

}  // namespace

std::span<const TestCase> presentTests() {
  return kPresentTests;
}

}  // namespace aerogpu::host
