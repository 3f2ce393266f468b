// SPDX-License-Identifier: MIT
// The needs of a full-screen program: its own primaries, flips between them with and without a vertical sync,
// and memory for everything else. docs/abi/driver-data.md, "Allocations".
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

constexpr UINT kVram = 1, kAperture = 2;  // segments
constexpr uint32_t kPrimaryFlag = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;

using PrimaryPrivate = aerogpu_wddm_alloc_priv_v2;

/// Returns a surface as a user-mode driver describes it, with contiguous rows.
PrimaryPrivate described(uint32_t width, uint32_t height, D3DDDIFORMAT format, uint32_t flags) {
  const uint32_t pixel = format == D3DDDIFMT_R5G6B5 ? 2 : format == D3DDDIFMT_A16B16G16R16F ? 8 : 4;
  PrimaryPrivate data{};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  data.alloc_id = newAllocId();
  data.flags = flags;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  data.width = width;
  data.height = height;
  data.format = static_cast<uint32_t>(format);
  data.row_pitch_bytes = width * pixel;
  data.size_bytes = uint64_t{data.row_pitch_bytes} * height;
  return data;
}

PrimaryPrivate buffer(uint64_t bytes, uint32_t flags) {
  PrimaryPrivate data{};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  data.alloc_id = newAllocId();
  data.flags = flags;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  data.size_bytes = bytes;
  return data;
}

Vidmm::CreateResult create(Adapter& adapter, const PrimaryPrivate& data) {
  std::vector<uint8_t> bytes(sizeof data);
  std::memcpy(bytes.data(), &data, sizeof data);
  return adapter.vidmm().create({}, {std::move(bytes)}, false, (data.flags & kPrimaryFlag) != 0);
}

/// PRIV-16: a program makes two primaries, which the GPU draws and which are flipped to, or drawn to while
/// they are on the screen.
void userPrimaries() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  const DisplayMode mode = display.mode();
  auto program = makeSharer(adapter, 630);
  if (!program) return;
  struct Frame {
    Surface surface;
    uint32_t color = 0;
  } frames[2];
  for (uint32_t i = 0; i < 2; ++i) {
    // One of them is lockable, which makes no difference for a primary.
    const uint32_t cpu = i ? uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE} : 0u;
    const PrimaryPrivate data = described(mode.width, mode.height, mode.format, kPrimaryFlag | cpu);
    auto created = create(adapter, data);
    if (!expect(ntSuccess(created.status), "a primary (0x%08x)", created.status)) return;
    Surface& surface = frames[i].surface;
    surface.width = mode.width;
    surface.height = mode.height;
    surface.allocation = created.allocations[0];
    surface.allocId = allocIdOf(surface.allocation->privateData);
    const DXGK_ALLOCATIONINFO& info = surface.allocation->info;
    expect(info.SupportedReadSegmentSet == 1u << (kVram - 1) &&
               info.SupportedWriteSegmentSet == 1u << (kVram - 1) && info.Flags.CpuVisible &&
               !info.Flags.Cached,
           "where it may live: 0x%x, 0x%x, flags 0x%x", info.SupportedReadSegmentSet,
           info.SupportedWriteSegmentSet, info.Flags.Value);
    DXGKARG_DESCRIBEALLOCATION about{};
    about.hAllocation = surface.allocation->driver;
    const NTSTATUS status = callDdi("DxgkDdiDescribeAllocation", kPassiveLevel,
                                    adapter.ddi.DxgkDdiDescribeAllocation, adapter.context(), &about);
    expect(ntSuccess(status) && about.Width == mode.width && about.Height == mode.height &&
               about.Format == mode.format && about.RefreshRate.Numerator == mode.refreshNumerator &&
               about.RefreshRate.Denominator == mode.refreshDenominator,
           "what Windows is told of it: %ux%u, format %d", about.Width, about.Height, about.Format);
    const auto opened = program->client->open({surface.allocation}, true);
    if (!expect(!opened.empty(), "it opens")) return;
    surface.opened = opened[0];
    surface.backed = newHandle();
    surface.target = newHandle();
    Stream make;
    if (hasSpaces(adapter))  // PRIV-30
      make.importSurface(surface.backed, shareTokenOf(surface.opened->privateData));
    else
      make.createTexture(surface.backed, mode.width, mode.height, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                         surface.allocId);
    make.createTexture(surface.target, mode.width, mode.height, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0);
    expect(ntSuccess(program->context->render(make.bytes(), {{surface.opened, true}})), "its textures");
  }
  expect(ntSuccess(display.controlVsync(true)), "vertical sync on");
  expect(adapter.scheduler().waitVsync(1, 5000), "vertical syncs arrive");
  for (uint32_t i = 0; i < 12; ++i) {
    Frame& next = frames[i % 2];
    const bool immediate = i >= 6;
    next.color = 0xFF000000 | (0x102030 + i * 0x111111);
    uint64_t number = 0;
    expect(ntSuccess(fillSurface(*program->context, next.surface, next.color, &number)), "frame %u", i);
    adapter.scheduler().waitIdle(number);
    Allocation& allocation = *next.surface.allocation;
    expect(ntSuccess(display.flip(allocation, immediate)), "%s flip %u",
           immediate ? "immediate" : "synchronized", i);
    const uint64_t address = addressOf(adapter, allocation);
    expect(adapter.registers().read64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) == address,
           "the scanout's address");
    bool reported = false;
    for (int tries = 0; tries < 5 && !reported; ++tries) {
      if (!adapter.scheduler().waitVsync(1, 2000)) break;
      reported = adapter.scheduler().lastVsyncAddress() == address;
    }
    expect(reported, "the vertical sync after flip %u reports its address", i);
    expect(surfaceIs(adapter, next.surface, next.color, 997), "its memory holds the frame");
    expectScreen({{5, 5}, {1000, 700}}, {next.color & 0xFFFFFF, next.color & 0xFFFFFF},
                 "the frame on the screen");
  }
  // A DirectDraw program draws to the primary that is on the screen, submits, and presents nothing (PRES-11).
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t color = 0x804020 + i * 0x203040;
    uint64_t number = 0;
    expect(ntSuccess(fillSurface(*program->context, frames[1].surface, 0xFF000000 | color, &number)),
           "picture %u", i);
    adapter.scheduler().waitIdle(number);
    expectScreen({{5, 5}, {1000, 700}}, {color, color}, "what was drawn to the screen without a present");
  }
  expect(ntSuccess(display.controlVsync(false)), "vertical sync off");
  expect(ntSuccess(display.flip(*display.primary())), "back to the desktop");
  for (Frame& frame : frames) {
    display.unpin(*frame.surface.allocation);
    dropSurface(adapter, *program->client, *program->context, frame.surface);
  }
  settle(adapter, *program->context);
  expectNoDeviceErrors(adapter);
}

/// PRIV-16: a surface that cannot be shown is no primary.
void primaryRefusals() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const uint64_t pool = poolBytes();
  const auto status = [&](auto change) {
    PrimaryPrivate data = described(640, 480, D3DDDIFMT_X8R8G8B8, kPrimaryFlag);
    change(data);
    auto result = create(adapter, data);
    if (ntSuccess(result.status)) adapter.vidmm().destroy(result.allocations);
    return result.status;
  };
  expect(ntSuccess(status([](auto&) {})), "one that is right");
  expect(ntSuccess(status([](auto& p) { p.format = D3DDDIFMT_A8R8G8B8; })), "with an alpha channel");
  expect(ntSuccess(status([](auto& p) { p = described(640, 480, D3DDDIFMT_R5G6B5, kPrimaryFlag); })),
         "of 16 bits");
  const auto refused = [&](const char* what, auto change) {
    const NTSTATUS got = status(change);
    expect(got == kInvalidParameter, "a primary %s (0x%08x)", what, got);
  };
  refused("that is a buffer", [](auto& p) { p = buffer(640 * 480 * 4, kPrimaryFlag); });
  refused("without a width", [](auto& p) { p.width = 0; });
  refused("without a height", [](auto& p) { p.height = 0; });
  refused("of floats", [](auto& p) { p = described(640, 480, D3DDDIFMT_A16B16G16R16F, kPrimaryFlag); });
  refused("of a format that the device lacks", [](auto& p) { p.format = D3DDDIFMT_R8G8B8; });
  refused("without a pitch", [](auto& p) { p.row_pitch_bytes = 0; });
  refused("with rows that overlap", [](auto& p) { p.row_pitch_bytes -= 4; });
  refused("whose last row is not all there", [](auto& p) { p.size_bytes -= 1; });
  refused("whose size wraps", [](auto& p) { p.height = 1u << 23; });  // 2560 << 23 is 0 in 32 bits
  refused("whose row wraps", [](auto& p) { p.width += 1u << 30; });
  refused("that says to be the desktop's", [](auto& p) { p.reserved1 = 1; });
  expect(poolBytes() == pool, "nothing is left");
}

/// PRIV-17: other allocations leave VRAM to primaries.
void placement() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  if (!expect(adapter.vidmm().segments().size() == 2, "an aperture")) return;
  const uint32_t cpu = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE,
                 staging = AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING;
  const struct {
    const char* what;
    PrimaryPrivate data;
    UINT first, second;  // segments, by preference; 0: none
  } rows[] = {
      {"a buffer", buffer(65536, 0), kAperture, kVram},
      {"a buffer that is locked", buffer(65536, cpu), kAperture, 0},
      {"one that is read back", buffer(65536, staging), kAperture, 0},
      {"a texture", described(256, 256, D3DDDIFMT_A8R8G8B8, 0), kAperture, kVram},
      {"a texture that is locked", described(256, 256, D3DDDIFMT_X8R8G8B8, cpu), kAperture, 0},
      {"a locked texture as large as the screen", described(1024, 768, D3DDDIFMT_X8R8G8B8, cpu), kAperture,
       0},
      {"a target of floats as large as the screen", described(1024, 768, D3DDDIFMT_A16B16G16R16F, 0),
       kAperture, kVram},
      {"what may be an unmarked primary", described(1024, 768, D3DDDIFMT_X8R8G8B8, 0), kVram, kAperture},
  };
  for (const auto& row : rows) {
    auto created = create(adapter, row.data);
    if (!expect(ntSuccess(created.status), "%s (0x%08x)", row.what, created.status)) continue;
    const DXGK_ALLOCATIONINFO& info = created.allocations[0]->info;
    const UINT set = 1u << (row.first - 1) | (row.second ? 1u << (row.second - 1) : 0);
    const bool locked = row.data.flags & (cpu | staging);
    expect(info.SupportedReadSegmentSet == set && info.SupportedWriteSegmentSet == set &&
               info.PreferredSegment.SegmentId0 == row.first &&
               info.PreferredSegment.SegmentId1 == row.second,
           "%s: segments 0x%x, first %u, then %u", row.what, info.SupportedReadSegmentSet,
           info.PreferredSegment.SegmentId0, info.PreferredSegment.SegmentId1);
    expect(info.Flags.CpuVisible == locked && info.Flags.Cached == locked, "%s: flags 0x%x", row.what,
           info.Flags.Value);
    adapter.vidmm().destroy(created.allocations);
  }
}

const TestCase kPrimaryTests[] = {
    {"user-primaries", 120, userPrimaries},
    {"primary-refusals", 60, primaryRefusals, Runs::kBesideQemu},
    {"placement", 60, placement},
};

}  // namespace

std::span<const TestCase> primaryTests() {
  return kPrimaryTests;
}

}  // namespace aerogpu::host
