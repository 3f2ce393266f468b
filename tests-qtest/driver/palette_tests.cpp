// SPDX-License-Identifier: MIT
// Tests modes with a palette (PAL; pages "DxgkDdiSetPalette", "D3DKMDT_PIXEL_VALUE_ACCESS_MODE"): the CPU,
// presents and a full-screen program draw indices, and the screen shows their colours.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "aerogpu/cmd_packets.hpp"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

using Colors = std::vector<D3DKMDT_PALETTEDATA>;

/// Returns 256 different colours, no index with its own value.
Colors colorsOf(uint32_t seed) {
  Colors colors(256);
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t value = (i * 0x010305 + seed * 0x234567 + 0x112233) & 0xFFFFFF;
    colors[i] = {static_cast<BYTE>(value >> 16), static_cast<BYTE>(value >> 8), static_cast<BYTE>(value), 0};
  }
  return colors;
}

uint32_t rgb(const D3DKMDT_PALETTEDATA& color) {
  return uint32_t{color.Red} << 16 | uint32_t{color.Green} << 8 | color.Blue;
}

/// Sets a mode with a palette. Returns false after a broken rule, and without one if the device has none.
bool setIndexedMode(Session& session, UINT width, UINT height) {
  Adapter& adapter = session.adapter();
  if (!(adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_PALETTE)) {
    skipTest("this device has no palette");
    return false;
  }
  Display& display = adapter.display();
  if (display.modes().empty() && !display.enumerate()) return false;
  const DisplayMode* mode = display.find(width, height, D3DDDIFMT_P8, 0, 0);
  return expect(mode != nullptr, "a mode of %ux%u with a palette", width, height) && display.setMode(*mode);
}

uint8_t indexAt(int x, int y) {
  return static_cast<uint8_t>(x / 4 + y * 3);
}

/// Some points of the screen, and the colours of their indices.
struct Look {
  ScreenPoints points;
  std::vector<uint32_t> colors;
  void add(int x, int y, const D3DKMDT_PALETTEDATA& color) {
    points.emplace_back(x, y);
    colors.push_back(rgb(color));
  }
};

/// The CPU draws into the primary, as into the frame buffer of a video BIOS, and the palette changes under
/// it.
void palettes() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  for (const auto& [width, height] : {std::pair{640u, 480u}, {1024u, 768u}}) {
    if (!setIndexedMode(session, width, height)) return;
    auto& registers = adapter.registers();
    const uint32_t pitch = registers.read(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
    expect(registers.read(AEROGPU_MMIO_REG_SCANOUT0_FORMAT) == AEROGPU_EXT_SCANOUT_P8 && pitch >= width &&
               pitch < 2 * width,
           "a byte for each pixel (pitch %u)", pitch);
    std::vector<uint8_t> row(width);
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) row[x] = indexAt(static_cast<int>(x), static_cast<int>(y));
      adapter.vidmm().write(*display.primary(), uint64_t{y} * pitch, row.data(), row.size());
    }
    Colors colors = colorsOf(width);
    const auto look = [&](const char* what) {
      Look at;
      for (int i = 0; i < 60; ++i) {
        const int x = i * 10 + i % 7, y = i * 7;
        at.add(x, y, colors[indexAt(x, y)]);
      }
      expectScreen(at.points, at.colors, what);
    };
    expect(ntSuccess(display.setPalette(0, colors)), "a palette");
    look("indices in their colours");
    expectScreenSize(static_cast<int>(width), static_cast<int>(height));
    const Colors some = colorsOf(99);
    std::copy_n(some.begin(), 100, colors.begin() + 40);
    expect(ntSuccess(display.setPalette(40, std::span(some).first(100))), "a part of it");
    look("the colours after a change");
    expect(ntSuccess(display.setVisible(false)) && ntSuccess(display.setVisible(true)), "off and on");
    look("the same, shown again");
  }
  if (!expect(session.setMode(800, 600), "a mode of colours")) return;
  const uint32_t pixel = 0x00C08040;
  adapter.vidmm().write(*display.primary(), 0, &pixel, sizeof pixel);
  expectScreen({{0, 0}}, {pixel}, "a colour of it");
  expectNoDeviceErrors(adapter);
}

/// GDI's way to the screen: the CPU draws a shadow surface, and presents copy it to the primary.
void paletteDrawn(Session& session) {
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  const Colors colors = colorsOf(5);
  expect(ntSuccess(adapter.display().setPalette(0, colors)), "a palette");
  D3DKMDT_SHADOWSURFACEDATA data{};
  data.Width = 640;
  data.Height = 480;
  data.Format = D3DDDIFMT_P8;
  auto shadow = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, &data, false);
  const auto primary = client->open({adapter.display().sharedPrimary()}, false);
  if (!expect(ntSuccess(shadow.status) && !primary.empty(), "a shadow (0x%08x)", shadow.status)) return;
  const auto source = client->open(shadow.allocations, true);
  if (!expect(!source.empty() && data.Pitch >= 640, "it opens, with a pitch of %u", data.Pitch)) return;
  DXGK_PRESENTFLAGS blt{}, fill{}, keyed{};
  blt.Blt = keyed.Blt = keyed.SrcColorKey = 1;
  fill.ColorFill = 1;
  const RECT all{0, 0, 640, 480};
  expect(ntSuccess(context->present(nullptr, primary[0], all, all, {}, fill, 7)), "a fill with index 7");
  std::vector<uint8_t> row(640);
  for (int y = 0; y < 480; ++y) {
    for (int x = 0; x < 640; ++x) row[static_cast<size_t>(x)] = indexAt(x, y);
    adapter.vidmm().write(*shadow.allocations[0], static_cast<uint64_t>(y) * data.Pitch, row.data(),
                          row.size());
  }
  const RECT some{101, 51, 303, 152}, moved{401, 251, 603, 352};
  expect(ntSuccess(context->present(source[0], primary[0], some, some, {}, blt)), "a present");
  const uint8_t key = indexAt(120, 60);
  expect(ntSuccess(context->present(source[0], primary[0], some, moved, {}, keyed, key)), "one with a key");
  adapter.scheduler().waitIdle();
  Look at;
  for (const auto& [x, y] : ScreenPoints{{101, 51}, {302, 151}, {120, 60}, {233, 99}})
    at.add(x, y, colors[indexAt(x, y)]);
  for (const auto& [x, y] : ScreenPoints{{100, 51}, {303, 151}, {200, 50}, {200, 152}})
    at.add(x, y, colors[7]);
  for (const auto& [x, y] : ScreenPoints{{101, 51}, {302, 151}, {120, 60}, {233, 99}}) {
    const uint8_t index = indexAt(x, y);
    at.add(x + 300, y + 200, colors[index == key ? 7 : index]);
  }
  expectScreen(at.points, at.colors, "what was presented");
  // Colours are no indices.
  Surface picture;
  if (!makeSurface(adapter, *client, *context, 64, 64, picture)) return;
  const RECT small{0, 0, 64, 64};
  expect(context->present(picture.opened, primary[0], small, small, {}, blt) == kCannotColorConvert,
         "a present of colours is refused");
  client->closeAll();
  adapter.vidmm().destroy(shadow.allocations);
  adapter.vidmm().destroy({picture.allocation});
  expectNoDeviceErrors(adapter);
}
void palettePresents() {
  Session session;
  if (session.ok() && setIndexedMode(session, 640, 480)) paletteDrawn(session);
}

/// Returns the private data of a primary of indices, as a user-mode driver describes it.
std::vector<uint8_t> indexedPrimary(const DisplayMode& mode) {
  aerogpu_wddm_alloc_priv_v2 data{};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  data.alloc_id = newAllocId();
  data.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  data.width = mode.width;
  data.height = mode.height;
  data.format = D3DDDIFMT_P8;
  data.row_pitch_bytes = mode.width;
  data.size_bytes = uint64_t{mode.width} * mode.height;
  std::vector<uint8_t> bytes(sizeof data);
  std::memcpy(bytes.data(), &data, sizeof data);
  return bytes;
}

/// A full-screen program of DirectDraw: its own primary of indices, drawn to while it is shown, with a
/// palette that it moves on.
void paletteProgram() {
  Session session;
  if (!session.ok() || !setIndexedMode(session, 640, 480)) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  const DisplayMode mode = display.mode();
  auto program = makeSharer(adapter, 640);
  if (!program) return;
  auto made = adapter.vidmm().create({}, {indexedPrimary(mode)}, false, true);
  if (!expect(ntSuccess(made.status), "a primary of indices (0x%08x)", made.status)) return;
  const auto opened = program->client->open(made.allocations, true);
  if (!expect(!opened.empty(), "it opens")) return;
  const uint32_t texture = newHandle();
  Stream make;
  if (hasSpaces(adapter))
    make.importSurface(texture, shareTokenOf(opened[0]->privateData));
  else
    packets::createTexture(make.writer(), {.handle = texture,
                                           .format = AEROGPU_FORMAT_D3D9_L8,
                                           .width = mode.width,
                                           .height = mode.height,
                                           .usage = packets::kShown,
                                           .rowPitch = mode.width,
                                           .allocId = allocIdOf(opened[0]->privateData)});
  expect(ntSuccess(program->context->render(make.bytes(), {{opened[0], true}})), "its texture");
  expect(ntSuccess(display.flip(*made.allocations[0])), "a flip to it");
  Colors colors = colorsOf(77);
  expect(ntSuccess(display.setPalette(0, colors)), "a palette");
  for (const uint32_t index : {200u, 3u, 255u}) {
    Stream draw;
    draw.target(texture).clear(0xFF000000 | index << 16).target(0);  // red is the index (FMT-7)
    uint64_t number = 0;
    expect(ntSuccess(program->context->render(draw.bytes(), {{opened[0], true}}, &number)), "index %u",
           index);
    adapter.scheduler().waitIdle(number);
    expectScreen({{0, 0}, {639, 479}}, {rgb(colors[index]), rgb(colors[index])},
                 "what was drawn without a present");
    std::rotate(colors.begin(), colors.begin() + 1, colors.end());
    expect(ntSuccess(display.setPalette(0, colors)), "the palette moves");
    expectScreen({{0, 0}, {639, 479}}, {rgb(colors[index]), rgb(colors[index])}, "the colours have moved");
  }
  expect(ntSuccess(display.flip(*display.primary())), "back to the desktop");
  display.unpin(*made.allocations[0]);
  Stream end;
  end.destroy(texture);
  program->context->render(end.bytes(), {});
  program->client->close(opened[0]);
  adapter.vidmm().destroy(made.allocations);
  settle(adapter, *program->context);
  expectNoDeviceErrors(adapter);
}

const TestCase kPaletteTests[] = {
    {"palettes", 120, palettes},
    {"palette-presents", 60, palettePresents},
    {"palette-program", 60, paletteProgram},
};

}  // namespace

std::span<const TestCase> paletteTests() {
  return kPaletteTests;
}

}  // namespace aerogpu::host
