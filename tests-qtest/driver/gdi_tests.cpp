// SPDX-License-Identifier: MIT
// Kernel GDI acceleration: DxgkDdiRenderKm with the WDDM 1.1 operations on GDI surfaces (pages
// "DXGK_RENDERKM_COMMAND", "DXGK_GDIARG_..."). Results are read from a CPU-visible staging surface.
#include <cstring>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

struct GdiSurface {
  std::shared_ptr<Allocation> allocation;
  OpenAllocation* opened = nullptr;
  UINT width = 0, height = 0, pitch = 0;
};

bool makeGdi(Adapter& adapter, Client& client, D3DKMDT_GDISURFACETYPE type, UINT width, UINT height,
             GdiSurface& out, D3DDDIFORMAT format = D3DDDIFMT_A8R8G8B8,
             const ExistingMemory* memory = nullptr) {
  D3DKMDT_GDISURFACEDATA data{};
  data.Width = width;
  data.Height = height;
  data.Format = format;
  data.Type = type;
  auto created = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false, memory);
  if (!expect(ntSuccess(created.status), "a GDI surface of type %d in format %d (0x%08x)", type, format,
              created.status))
    return false;
  out = {created.allocations[0], nullptr, width, height, data.Pitch ? data.Pitch : width * 4};
  const auto opened = client.open({out.allocation}, true);
  if (!expect(!opened.empty(), "it opens")) return false;
  out.opened = opened[0];
  return true;
}

/// Commands and their sub-rectangles, laid out as win32k does: each command is followed by its rectangles.
class Commands {
public:
  template <class Fill>
  void add(DXGK_RENDERKM_OPERATION op, const std::vector<RECT>& rects, Fill&& fill) {
    DXGK_RENDERKM_COMMAND command{};
    command.OpCode = op;
    command.CommandSize = static_cast<UINT>(sizeof command + rects.size() * sizeof(RECT));
    m_rects.push_back(std::make_unique<std::vector<RECT>>(rects));
    fill(command.Command, static_cast<UINT>(rects.size()), m_rects.back()->data());
    const auto* bytes = reinterpret_cast<const uint8_t*>(&command);
    m_bytes.insert(m_bytes.end(), bytes, bytes + sizeof command);
    const auto* tail = reinterpret_cast<const uint8_t*>(rects.data());
    m_bytes.insert(m_bytes.end(), tail, tail + rects.size() * sizeof(RECT));
  }
  std::span<const uint8_t> bytes() const { return m_bytes; }

private:
  std::vector<uint8_t> m_bytes;
  std::vector<std::unique_ptr<std::vector<RECT>>> m_rects;
};

void gdi() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  if (!adapter.caps.PresentationCaps.SupportKernelModeCommandBuffer) {
    expect(false, "SupportKernelModeCommandBuffer is set");
    return;
  }
  auto client = Client::create(adapter, 4, true);
  auto context = client ? client->createContext(true) : nullptr;
  if (!expect(context != nullptr, "a GDI context")) return;
  GdiSurface a, b, staging;
  if (!makeGdi(adapter, *client, D3DKMDT_GDISURFACE_TEXTURE, 64, 64, a) ||
      !makeGdi(adapter, *client, D3DKMDT_GDISURFACE_TEXTURE, 64, 64, b) ||
      !makeGdi(adapter, *client, D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 64, 64, staging))
    return;
  const Context::List list{{a.opened, true}, {b.opened, true}, {staging.opened, true}};
  const RECT all{0, 0, 64, 64};
  const auto fill = [&](Commands& c, UINT target, RECT rect, UINT color) {
    c.add(DXGK_GDIOP_COLORFILL, {rect}, [&](auto& command, UINT n, RECT* rects) {
      command.ColorFill = {rect, target, n, rects, color, DXGK_GDIROPCF_PATCOPY, 0};
    });
  };
  const auto blit = [&](Commands& c, UINT from, UINT to, RECT rect, WORD rop, UINT fromPitch, UINT toPitch) {
    c.add(DXGK_GDIOP_BITBLT, {rect}, [&](auto& command, UINT n, RECT* rects) {
      command.BitBlt = {rect, rect, from, to, n, rects, rop, 0, fromPitch, toPitch};
    });
  };
  const auto run = [&](const Commands& c, const char* what) {
    const NTSTATUS status = context->renderKm(c.bytes(), list);
    return expect(ntSuccess(status), "%s (0x%08x)", what, status) && adapter.scheduler().waitIdle();
  };
  const auto pixel = [&](UINT x, UINT y) {
    uint32_t value = 0;
    adapter.vidmm().read(*staging.allocation, uint64_t{y} * staging.pitch + uint64_t{x} * 4, &value, 4);
    return value & 0xFFFFFF;
  };
  {
    Commands c;
    fill(c, 0, all, 0xFF204060);
    fill(c, 0, {8, 8, 24, 24}, 0xFFC08040);
    blit(c, 0, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "fill and copy to staging")) {
      expect(pixel(0, 0) == 0x204060 && pixel(63, 63) == 0x204060, "the background (%06x)", pixel(0, 0));
      expect(pixel(8, 8) == 0xC08040 && pixel(23, 23) == 0xC08040 && pixel(24, 24) == 0x204060,
             "the rectangle (%06x)", pixel(8, 8));
    }
  }
  {
    Commands c;
    fill(c, 1, all, 0xFF0F0F0F);
    blit(c, 0, 1, all, DXGK_GDIROP_SRCINVERT, 0, 0);
    blit(c, 1, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "SRCINVERT")) expect(pixel(0, 0) == (0x204060 ^ 0x0F0F0F), "XOR (%06x)", pixel(0, 0));
  }
  {
    Commands c;
    fill(c, 1, all, 0xFF000000);
    fill(c, 0, all, 0xFFFFFFFF);
    c.add(DXGK_GDIOP_ALPHABLEND, {all}, [&](auto& command, UINT n, RECT* rects) {
      command.AlphaBlend = {all, all, 0, 1, n, rects, 128, FALSE, 0};
    });
    blit(c, 1, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "alpha blend")) {
      const uint32_t gray = pixel(5, 5) & 0xFF;
      expect(gray >= 0x7E && gray <= 0x82, "half of white on black (%02x)", gray);
    }
  }
  {
    Commands c;
    fill(c, 0, all, 0xFF000000);
    fill(c, 0, {0, 0, 32, 64}, 0xFFFF0000);
    c.add(DXGK_GDIOP_STRETCHBLT, {all}, [&](auto& command, UINT n, RECT* rects) {
      DXGK_GDIARG_STRETCHBLT s{};
      s.SrcRect = {16, 0, 48, 64};
      s.DstRect = all;
      s.DstAllocationIndex = 1;
      s.SrcAllocationIndex = 0;
      s.NumSubRects = n;
      s.pSubRects = rects;
      s.Mode = 3;  // COLORONCOLOR
      command.StretchBlt = s;
    });
    blit(c, 1, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "stretch"))
      expect(pixel(2, 2) == 0xFF0000 && pixel(29, 2) == 0xFF0000 && pixel(34, 2) == 0 && pixel(61, 61) == 0,
             "both halves (%06x, %06x)", pixel(2, 2), pixel(61, 61));
  }
  {
    Commands c;
    fill(c, 0, all, 0xFFFF00FF);
    fill(c, 0, {0, 0, 16, 64}, 0xFF00FF00);
    fill(c, 1, all, 0xFF112233);
    c.add(DXGK_GDIOP_TRANSPARENTBLT, {all}, [&](auto& command, UINT n, RECT* rects) {
      DXGK_GDIARG_TRANSPARENTBLT t{};
      t.SrcRect = t.DstRect = all;
      t.SrcAllocationIndex = 0;
      t.DstAllocationIndex = 1;
      t.Color = 0xFFFF00FF;
      t.NumSubRects = n;
      t.pSubRects = rects;
      command.TransparentBlt = t;
    });
    blit(c, 1, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "transparent copy"))
      expect(pixel(5, 5) == 0x00FF00 && pixel(40, 5) == 0x112233, "key colour stays out (%06x, %06x)",
             pixel(5, 5), pixel(40, 5));
  }
  {
    // A command that the driver does not know is skipped, and logged in the event log: GDI's display driver
    // has no use for a failure, and the commands after it are drawn.
    constexpr uint32_t kEventGdiSkipped = 0xA0A30030;
    Commands c;
    fill(c, 0, all, 0xFF101112);
    c.add(static_cast<DXGK_RENDERKM_OPERATION>(99), {all}, [](auto&, UINT, RECT*) {});
    fill(c, 0, {0, 0, 16, 64}, 0xFF202122);
    fill(c, 77, all, 0xFFFFFFFF);  // no such surface
    c.add(DXGK_GDIOP_COLORFILL, {all}, [&](auto& command, UINT n, RECT* rects) {
      command.ColorFill = {all, 0, n, rects, 0xFFFFFFFF, 999, 0};  // no such operation
    });
    fill(c, 0, {16, 0, 32, 64}, 0xFF303132);
    blit(c, 0, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "operations that nobody knows among others"))
      expect(pixel(5, 5) == 0x202122 && pixel(20, 5) == 0x303132 && pixel(40, 5) == 0x101112,
             "the others are drawn (%06x, %06x, %06x)", pixel(5, 5), pixel(20, 5), pixel(40, 5));
    expect(loggedEvents(kEventGdiSkipped) == 3, "each is told (%u)", loggedEvents(kEventGdiSkipped));
    for (int i = 0; i < 20; ++i) {
      Commands again;
      again.add(static_cast<DXGK_RENDERKM_OPERATION>(99), {all}, [](auto&, UINT, RECT*) {});
      if (!run(again, "nothing but one")) break;
    }
    expect(loggedEvents(kEventGdiSkipped) == 8, "up to eight of them (%u)", loggedEvents(kEventGdiSkipped));
  }
  for (GdiSurface* s : {&a, &b, &staging}) {
    client->close(s->opened);
    adapter.vidmm().destroy({s->allocation});
  }
  expectNoDeviceErrors(adapter);
}

/// A GDI context with surfaces that are destroyed with it.
class Desk {
public:
  Desk() {
    if (!m_session.ok() || !expect(m_session.setMode(), "a mode")) return;
    m_client = Client::create(adapter(), 4, true);
    m_context = m_client ? m_client->createContext(true) : nullptr;
    expect(m_context != nullptr, "a GDI context");
  }
  ~Desk() {
    if (!ok()) return;
    drop();
    expect(adapter().registers().read(AEROGPU_MMIO_REG_ERROR_COUNT) == m_errorsBefore,
           "the device found no error");
  }
  bool ok() const { return m_context != nullptr; }
  Adapter& adapter() { return m_session.adapter(); }

  /// Makes a surface; returns its number in the allocation list.
  UINT surface(D3DKMDT_GDISURFACETYPE type, UINT width, UINT height, D3DDDIFORMAT format = D3DDDIFMT_A8R8G8B8,
               const ExistingMemory* memory = nullptr) {
    GdiSurface made;
    if (makeGdi(adapter(), *m_client, type, width, height, made, format, memory)) m_surfaces.push_back(made);
    return static_cast<UINT>(m_surfaces.size() - 1);
  }
  GdiSurface& operator[](UINT i) { return m_surfaces[i]; }
  /// Destroys all surfaces.
  void drop() {
    for (GdiSurface& s : m_surfaces) {
      m_client->close(s.opened);
      adapter().vidmm().destroy({s.allocation});
    }
    m_surfaces.clear();
  }
  NTSTATUS tryRun(const Commands& c) {
    Context::List list;
    for (const GdiSurface& s : m_surfaces) list.push_back({s.opened, true});
    const NTSTATUS status = m_context->renderKm(c.bytes(), list);
    return ntSuccess(status) && !adapter().scheduler().waitIdle() ? kUnsuccessful : status;
  }
  bool run(const Commands& c, const char* what) {
    const NTSTATUS status = tryRun(c);
    return expect(ntSuccess(status), "%s (0x%08x)", what, status);
  }
  void put(UINT s, UINT x, UINT y, const void* bytes, size_t size, UINT bytesPerPixel = 4) {
    const uint64_t at = uint64_t{y} * m_surfaces[s].pitch + uint64_t{x} * bytesPerPixel;
    adapter().vidmm().write(*m_surfaces[s].allocation, at, bytes, size);
  }
  uint32_t pixel(UINT s, UINT x, UINT y) {
    uint32_t value = 0;
    adapter().vidmm().read(*m_surfaces[s].allocation, uint64_t{y} * m_surfaces[s].pitch + uint64_t{x} * 4,
                           &value, 4);
    return value;
  }
  void fill(Commands& c, UINT target, RECT rect, UINT color, WORD rop = DXGK_GDIROPCF_PATCOPY,
            WORD rop3 = 0) {
    c.add(DXGK_GDIOP_COLORFILL, {rect}, [&](auto& command, UINT n, RECT* rects) {
      command.ColorFill = {rect, target, n, rects, color, rop, rop3};
    });
  }
  void blit(Commands& c, UINT from, UINT to, RECT fromRect, RECT toRect, const std::vector<RECT>& parts,
            WORD rop = DXGK_GDIROP_SRCCOPY, UINT fromPitch = 0) {
    c.add(DXGK_GDIOP_BITBLT, parts, [&](auto& command, UINT n, RECT* rects) {
      command.BitBlt = {fromRect,
                        toRect,
                        from,
                        to,
                        n,
                        rects,
                        rop,
                        0,
                        fromPitch ? fromPitch : m_surfaces[from].pitch,
                        m_surfaces[to].pitch};
    });
  }

private:
  Session m_session;
  std::unique_ptr<Client> m_client;
  decltype(std::declval<Client>().createContext(true)) m_context = nullptr;
  std::vector<GdiSurface> m_surfaces;
  uint32_t m_errorsBefore =
      m_session.ok() ? m_session.adapter().registers().read(AEROGPU_MMIO_REG_ERROR_COUNT) : 0;
};

/// Draws text with gamma: tables of one byte a pixel go from a staging surface into the look-up table (page
/// "D3DKMDT_GDISURFACETYPE"), then a foreground is blended (page "DXGK_GDIARG_CLEARTYPEBLEND").
void gdiText() {
  Desk desk;
  if (!desk.ok()) return;
  const UINT staging = desk.surface(D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 512, 16, D3DDDIFMT_A8);
  const UINT tables = desk.surface(D3DKMDT_GDISURFACE_LOOKUPTABLE, 512, 16, D3DDDIFMT_A8);
  const UINT alpha = desk.surface(D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 16, 16);
  const UINT target = desk.surface(D3DKMDT_GDISURFACE_TEXTURE, 64, 64);
  const UINT out = desk.surface(D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 64, 64);
  // Row r of the tables: gamma i -> i / (r + 1), inverse i -> min(255, i * (r + 1)).
  for (UINT row = 0; row < 16; row++) {
    uint8_t bytes[512];
    for (UINT i = 0; i < 256; i++) {
      bytes[i] = static_cast<uint8_t>(i / (row + 1));
      bytes[256 + i] = static_cast<uint8_t>(i * (row + 1) > 255 ? 255 : i * (row + 1));
    }
    desk.put(staging, 0, row, bytes, sizeof bytes, 1);
  }
  // No, half, full coverage, and one that differs by channel.
  const uint32_t coverage[4] = {0x00000000, 0x80808080, 0xFFFFFFFF, 0x00FF8000};
  for (UINT y = 0; y < 16; y++)
    for (UINT x = 0; x < 16; x++) desk.put(alpha, x, y, &coverage[x % 4], 4);

  const uint32_t back = 0x40C08040, fore = 0xFF20A0E0;
  const auto table = [](uint32_t i, UINT row) { return i / (row + 1); };
  const auto inverse = [](uint32_t i, UINT row) { return i * (row + 1) > 255 ? 255 : i * (row + 1); };
  Commands load;
  desk.blit(load, staging, tables, {0, 0, 512, 16}, {0, 0, 512, 16}, {{0, 0, 512, 16}});
  if (!desk.run(load, "the tables are loaded")) return;
  for (const UINT row : {0u, 1u, 3u, 0xFFFFFFFFu}) {
    const bool gamma = row < 16;
    uint32_t corrected = fore & 0xFF000000;
    for (int shift = 0; shift < 24; shift += 8)
      corrected |= table(fore >> shift & 0xFF, gamma ? row : 0) << shift;
    Commands c;
    desk.fill(c, target, {0, 0, 64, 64}, back);
    c.add(DXGK_GDIOP_CLEARTYPEBLEND, {{20, 10, 28, 14}}, [&](auto& command, UINT n, RECT* rects) {
      DXGK_GDIARG_CLEARTYPEBLEND t{};
      t.DstRect = {20, 10, 36, 26};
      t.GammaSurfAllocationIndex = tables;
      t.AlphaSurfAllocationIndex = alpha;
      t.DstAllocationIndex = target;
      t.DstToAlphaOffsetX = -20;
      t.DstToAlphaOffsetY = -10;
      t.Color = corrected;
      t.Color2 = fore;
      t.Gamma = row;
      t.NumSubRects = n;
      t.pSubRects = rects;
      t.AlphaSurfPitch = desk[alpha].pitch;
      command.ClearTypeBlend = t;
    });
    desk.blit(c, target, out, {0, 0, 64, 64}, {0, 0, 64, 64}, {{0, 0, 64, 64}});
    if (!desk.run(c, "text")) return;
    expect(
        desk.pixel(out, 19, 10) == back && desk.pixel(out, 28, 10) == back && desk.pixel(out, 20, 14) == back,
        "nothing beside the text (%08x)", desk.pixel(out, 28, 10));
    for (UINT x = 0; x < 8; x++) {
      const uint32_t a = coverage[x % 4];
      uint32_t want = back & 0xFF000000;
      for (int shift = 0; shift < 24; shift += 8) {
        const uint32_t d = back >> shift & 0xFF, f = fore >> shift & 0xFF;
        uint32_t weight = a >> shift & 0xFF;
        if (!gamma) weight = f >= d ? a >> 16 & 0xFF : a >> 8 & 0xFF;
        // Rounded to the nearest; 255 is odd, so there are no ties.
        const auto mix = [&](int from, int to) {
          return static_cast<uint32_t>((from * 255 + (to - from) * static_cast<int>(weight) + 127) / 255);
        };
        uint32_t value;
        if (weight == 0)
          value = d;
        else if (weight == 255)
          value = f;
        else if (gamma)
          value =
              inverse(mix(static_cast<int>(table(d, row)), static_cast<int>(corrected >> shift & 0xFF)), row);
        else
          value = mix(static_cast<int>(d), static_cast<int>(f));
        want |= value << shift;
      }
      expect(desk.pixel(out, 20 + x, 11) == want, "row %x, coverage %08x: %08x, not %08x", row, a,
             desk.pixel(out, 20 + x, 11), want);
    }
  }
}

/// Draws thousands of rectangles in several DMA buffers, scrolls, copies from a source whose pitch is in the
/// command, and makes calls that are refused.
void gdiMany() {
  Desk desk;
  if (!desk.ok()) return;
  const UINT source = desk.surface(D3DKMDT_GDISURFACE_TEXTURE, 256, 256);
  const UINT target = desk.surface(D3DKMDT_GDISURFACE_TEXTURE, 256, 256);
  const UINT out = desk.surface(D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 256, 256);
  const RECT all{0, 0, 256, 256};
  std::vector<RECT> squares;  // every other 2 x 2 square
  for (LONG y = 0; y < 256; y += 2)
    for (LONG x = y & 2; x < 256; x += 4) squares.push_back({x, y, x + 2, y + 2});
  {
    Commands c;
    desk.fill(c, source, all, 0xFF336699);
    desk.fill(c, target, all, 0xFF0000FF);
    desk.blit(c, source, target, all, all, squares);
    desk.fill(c, target, {0, 0, 2, 2}, 0x00FFFFFF, DXGK_GDIROPCF_ROP3, 0x55);  // Dn
    desk.blit(c, target, out, all, all, {all});
    if (!desk.run(c, "8192 rectangles")) return;
    bool right = true;
    for (UINT y = 0; y < 256; y++)
      for (UINT x = 0; x < 256; x++) {
        const bool in = ((x ^ y) & 2) == 0, inverted = x < 2 && y < 2;
        right &= desk.pixel(out, x, y) == (inverted ? ~0xFF336699u : in ? 0xFF336699u : 0xFF0000FFu);
      }
    expect(right, "each of them and nothing else");
  }
  {
    Commands c;
    desk.fill(c, target, all, 0xFF000000);
    desk.fill(c, target, {0, 0, 256, 10}, 0xFF00AA00);
    desk.blit(c, target, target, {0, 0, 256, 250}, {0, 6, 256, 256}, {{0, 6, 256, 256}});
    desk.blit(c, target, out, all, all, {all});
    if (desk.run(c, "a scroll"))
      expect(desk.pixel(out, 3, 0) == 0xFF00AA00 && desk.pixel(out, 3, 15) == 0xFF00AA00 &&
                 desk.pixel(out, 3, 16) == 0xFF000000,
             "moved down by 6 (%08x, %08x)", desk.pixel(out, 3, 15), desk.pixel(out, 3, 16));
  }
  {
    // The staging surface as one block of rows of 128 bytes.
    uint32_t words[32 * 8];
    for (uint32_t i = 0; i < 32 * 8; i++) words[i] = 0xFF000000 | i * 0x010203;
    desk.adapter().vidmm().write(*desk[out].allocation, 0, words, sizeof words);
    Commands c;
    desk.blit(c, out, target, {1, 2, 31, 7}, {100, 50, 130, 55}, {{100, 50, 130, 55}}, DXGK_GDIROP_SRCCOPY,
              128);
    desk.blit(c, target, out, all, all, {all});
    if (desk.run(c, "a pitch of the command"))
      expect(desk.pixel(out, 100, 50) == words[2 * 32 + 1] && desk.pixel(out, 129, 54) == words[6 * 32 + 30],
             "its rows (%08x, %08x)", desk.pixel(out, 100, 50), desk.pixel(out, 129, 54));
  }
  {
    Commands c;
    desk.blit(c, source, target, all, all, {all}, 99);
    expect(ntSuccess(desk.tryRun(c)), "a raster operation that does not exist is left out");
    Commands index;
    index.add(DXGK_GDIOP_COLORFILL, {all}, [&](auto& command, UINT n, RECT* rects) {
      command.ColorFill = {all, 77, n, rects, 0, DXGK_GDIROPCF_PATCOPY, 0};
    });
    expect(ntSuccess(desk.tryRun(index)), "an index outside of the list is left out");
    Commands after;
    desk.fill(after, target, all, 0xFF123456);
    desk.blit(after, target, out, all, all, {all});
    if (desk.run(after, "and what follows is drawn"))
      expect(desk.pixel(out, 9, 9) == 0xFF123456, "in its colour");
  }
}

/// Makes surfaces of every type, in every format of its page (pages "D3DKMDT_GDISURFACETYPE",
/// "D3DKMDT_GDISURFACEDATA"). Vidmm::checkGdiSurface checks the driver's description of each.
void gdiSurfaces() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 4, true);
  if (!expect(client != nullptr, "a GDI device")) return;
  guest::Block block;
  if (!expect(adapter.memory().allocate(64 << 10, block).ok(), "memory")) return;
  ExistingMemory memory{{}, true};
  for (uint64_t at = 0; at < block.size; at += 4096) memory.pages.push_back({block.cpu + at, block.gpa + at});
  constexpr D3DDDIFORMAT kColors[] = {D3DDDIFMT_A8B8G8R8, D3DDDIFMT_X8B8G8R8, D3DDDIFMT_A8R8G8B8,
                                      D3DDDIFMT_X8R8G8B8};
  const struct {
    D3DKMDT_GDISURFACETYPE type;
    bool colors, bytes;
  } rows[] = {
      {D3DKMDT_GDISURFACE_TEXTURE, true, false},       {D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, true, true},
      {D3DKMDT_GDISURFACE_STAGING, true, true},        {D3DKMDT_GDISURFACE_LOOKUPTABLE, false, true},
      {D3DKMDT_GDISURFACE_EXISTINGSYSMEM, true, true},  // like STAGING_CPUVISIBLE
  };
  for (const auto& row : rows) {
    std::vector<D3DDDIFORMAT> formats;
    if (row.colors) formats.assign(std::begin(kColors), std::end(kColors));
    if (row.bytes) formats.push_back(D3DDDIFMT_A8);
    for (const D3DDDIFORMAT format : formats)
      for (const UINT width : {128u, 37u}) {  // 37: no row ends at the alignment
        GdiSurface surface;
        if (!makeGdi(adapter, *client, row.type, width, 16, surface, format,
                     row.type == D3DKMDT_GDISURFACE_EXISTINGSYSMEM ? &memory : nullptr))
          continue;
        client->close(surface.opened);
        adapter.vidmm().destroy({surface.allocation});
      }
  }
  adapter.memory().release(block);
  expectNoDeviceErrors(adapter);
}

/// Draws from GDI's own bitmaps and masks, and copies to them, in place.
void gdiExisting() {
  Desk desk;
  if (!desk.ok()) return;
  constexpr UINT kWidth = 96, kHeight = 40, kPitch = kWidth * 4;
  guest::Block block;
  if (!expect(desk.adapter().memory().allocate(64 << 10, block).ok(), "memory")) return;
  // Pages in another order than in memory: only a list of them is correct.
  ExistingMemory memory{{}, true};
  for (const uint64_t page : {5u, 2u, 9u, 7u})
    memory.pages.push_back({block.cpu + page * 4096, block.gpa + page * 4096});
  const auto word = [&](UINT x, UINT y) {
    const uint64_t at = uint64_t{y} * kPitch + uint64_t{x} * 4;
    return reinterpret_cast<uint32_t*>(memory.pages[at / 4096].cpu + at % 4096);
  };
  const auto color = [](UINT x, UINT y) { return 0xFF000000 | x << 16 | y << 8 | (x ^ y); };
  for (UINT y = 0; y < kHeight; ++y)
    for (UINT x = 0; x < kWidth; ++x) *word(x, y) = color(x, y);

  const UINT bitmap =
      desk.surface(D3DKMDT_GDISURFACE_EXISTINGSYSMEM, kWidth, kHeight, D3DDDIFMT_A8R8G8B8, &memory);
  const UINT target = desk.surface(D3DKMDT_GDISURFACE_TEXTURE, kWidth, kHeight);
  const UINT mask = desk.surface(D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 64, 16, D3DDDIFMT_A8);
  const UINT maskOnGpu = desk.surface(D3DKMDT_GDISURFACE_STAGING, 64, 16, D3DDDIFMT_A8);
  const UINT maskBack = desk.surface(D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, 64, 16, D3DDDIFMT_A8);
  if (!expect(maskBack == 4, "five surfaces")) return;
  const RECT all{0, 0, kWidth, kHeight}, square{8, 4, 40, 36};
  {
    Commands c;
    desk.blit(c, bitmap, target, all, all, {all}, DXGK_GDIROP_SRCCOPY, kPitch);
    desk.fill(c, target, square, 0xFF123456);
    desk.blit(c, target, bitmap, all, all, {all});
    if (desk.run(c, "from the bitmap and back")) {
      bool right = true;
      for (UINT y = 0; y < kHeight; ++y)
        for (UINT x = 0; x < kWidth; ++x) {
          const bool in = x >= 8 && x < 40 && y >= 4 && y < 36;
          right &= *word(x, y) == (in ? 0xFF123456 : color(x, y));
        }
      expect(right, "the bitmap's own memory has it");
    }
  }
  {
    uint8_t bytes[64];
    for (UINT y = 0; y < 16; ++y) {
      for (UINT x = 0; x < 64; ++x) bytes[x] = static_cast<uint8_t>(y * 16 + x * 3);
      desk.put(mask, 0, y, bytes, sizeof bytes, 1);
    }
    const RECT area{0, 0, 64, 16};
    Commands c;
    desk.blit(c, mask, maskOnGpu, area, area, {area});
    desk.blit(c, maskOnGpu, maskBack, area, area, {area});
    if (desk.run(c, "a mask to the GPU and back")) {
      bool right = true;
      for (UINT y = 0; y < 16; ++y) {
        desk.adapter().vidmm().read(*desk[maskBack].allocation, uint64_t{y} * desk[maskBack].pitch, bytes,
                                    sizeof bytes);
        for (UINT x = 0; x < 64; ++x) right &= bytes[x] == static_cast<uint8_t>(y * 16 + x * 3);
      }
      expect(right, "each of its bytes");
    }
  }
  desk.drop();  // before its memory
  desk.adapter().memory().release(block);
}

/// Tests DriverSupportsCddDwmInterop (page "DXGK_PRESENTATIONCAPS"): GDI acceleration is off, GDI draws with
/// the CPU into a surface of its own, and a present copies that into a texture that a user-mode driver has
/// made.
void gdiInterop() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  setRegistryDword(Adapter::registryKey(), "DisableGdiAcceleration", 1);
  if (!session.start() || !expect(session.setMode(), "a mode")) return;
  const auto& caps = adapter.caps.PresentationCaps;
  expect(caps.DriverSupportsCddDwmInterop && !caps.SupportKernelModeCommandBuffer, "PresentationCaps 0x%x",
         caps.Value);
  // The compositor's texture, drawn once.
  auto compositor = Client::create(adapter, 500), cdd = Client::create(adapter, 4);
  auto drawing = compositor ? compositor->createContext() : nullptr,
       presenting = cdd ? cdd->createContext() : nullptr;
  if (!expect(drawing && presenting, "two processes")) return;
  constexpr UINT kEdge = 64;
  auto made = adapter.vidmm().create(
      {}, {texturePrivate(newAllocId(), kEdge, kEdge, D3DDDIFMT_A8R8G8B8, true)}, true);
  if (!expect(ntSuccess(made.status), "its texture (0x%08x)", made.status)) return;
  const auto texture = compositor->open(made.allocations, true);
  const auto destination = cdd->open(made.allocations, false);
  if (!expect(!texture.empty() && !destination.empty(), "it opens twice")) return;
  const uint32_t handle = newHandle();
  Stream make;
  if (hasSpaces(adapter))  // PRIV-30
    make.importSurface(handle, shareTokenOf(texture[0]->privateData));
  else
    make.createTexture(handle, kEdge, kEdge, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                       allocIdOf(texture[0]->privateData));
  make.target(handle).clear(0xFF101010).target(0);
  expect(ntSuccess(drawing->render(make.bytes(), {{texture[0], true}})), "it is drawn");
  // GDI's surface.
  D3DKMDT_SHADOWSURFACEDATA data{};
  data.Width = data.Height = kEdge;
  data.Format = D3DDDIFMT_X8R8G8B8;
  auto shadow = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, &data, false);
  if (!expect(ntSuccess(shadow.status), "a shadow (0x%08x)", shadow.status)) return;
  const auto source = cdd->open(shadow.allocations, true);
  if (!expect(!source.empty(), "it opens")) return;
  const auto color = [](UINT x, UINT y) { return x << 18 | y << 10 | 0x20; };
  for (UINT y = 0; y < kEdge; ++y) {
    uint32_t row[kEdge];
    for (UINT x = 0; x < kEdge; ++x) row[x] = color(x, y);
    adapter.vidmm().write(*shadow.allocations[0], uint64_t{y} * data.Pitch, row, sizeof row);
  }
  DXGK_PRESENTFLAGS flags{};
  flags.Blt = 1;
  const RECT from{8, 4, 40, 36}, to{16, 20, 48, 52};
  const NTSTATUS status = presenting->present(source[0], destination[0], from, to, {}, flags);
  expect(ntSuccess(status), "a present into it (0x%08x)", status);
  // The compositor reads the result.
  Surface out;
  if (makeSurface(adapter, *compositor, *drawing, kEdge, kEdge, out)) {
    Stream look;
    look.copyTexture(out.backed, handle, kEdge, kEdge, true);
    expect(ntSuccess(drawing->render(look.bytes(), {{out.opened, true}, {texture[0], false}})), "a copy");
    adapter.scheduler().waitIdle();
    std::vector<uint32_t> pixels(kEdge * kEdge);
    adapter.vidmm().read(*out.allocation, 0, pixels.data(), pixels.size() * 4);
    bool right = true;
    for (UINT y = 0; y < kEdge; ++y)
      for (UINT x = 0; x < kEdge; ++x) {
        const bool in = x >= 16 && x < 48 && y >= 20 && y < 52;
        right &= (pixels[y * kEdge + x] & 0xFFFFFF) == (in ? color(x - 8, y - 16) : 0x101010u);
      }
    expect(right, "what GDI drew is in the compositor's texture, and nothing else changed");
    dropSurface(adapter, *compositor, *drawing, out);
  }
  cdd->closeAll();
  compositor->closeAll();
  adapter.vidmm().destroy(shadow.allocations);
  adapter.vidmm().destroy(made.allocations);
  expectNoDeviceErrors(adapter);
}

const TestCase kGdiTests[] = {{"gdi", 120, gdi},
                              {"gdi-text", 120, gdiText},
                              {"gdi-many", 240, gdiMany},
                              {"gdi-surfaces", 60, gdiSurfaces, Runs::kBesideQemu},
                              {"gdi-existing", 60, gdiExisting, Runs::kBesideQemu},
                              {"gdi-interop", 60, gdiInterop}};

}  // namespace

std::span<const TestCase> gdiTests() {
  return kGdiTests;
}

}  // namespace aerogpu::host
