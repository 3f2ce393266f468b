// SPDX-License-Identifier: MIT
// Kernel GDI acceleration: DxgkDdiRenderKm with the WDDM 1.1 operations on GDI surfaces (pages
// "DXGK_RENDERKM_COMMAND", "DXGK_GDIARG_..."). Results are read from a CPU-visible staging surface.
#include <cstring>

#include "tests/streams.h"
#include "tests/test.h"

namespace aerogpu::host {

namespace {

struct GdiSurface {
  std::shared_ptr<Allocation> allocation;
  OpenAllocation* opened = nullptr;
  UINT width = 0, height = 0, pitch = 0;
};

bool makeGdi(Adapter& adapter, Client& client, D3DKMDT_GDISURFACETYPE type, UINT width, UINT height, GdiSurface& out) {
  D3DKMDT_GDISURFACEDATA data{};
  data.Width = width;
  data.Height = height;
  data.Format = D3DDDIFMT_A8R8G8B8;
  data.Type = type;
  auto created = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false);
  if (!expect(ntSuccess(created.status), "a GDI surface of type %d (0x%08x)", type, created.status)) return false;
  out = {created.allocations[0], nullptr, width, height, data.Pitch ? data.Pitch : width * 4};
  const auto opened = client.open({out.allocation}, true);
  if (!expect(!opened.empty(), "it opens")) return false;
  out.opened = opened[0];
  return true;
}

/// Commands and their sub-rectangles, laid out as win32k does: each command with its rectangles behind it.
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
    adapter.vidmm().read(*staging.allocation, uint64_t{y} * staging.pitch + x * 4, &value, 4);
    return value & 0xFFFFFF;
  };
  {
    Commands c;
    fill(c, 0, all, 0xFF204060);
    fill(c, 0, {8, 8, 24, 24}, 0xFFC08040);
    blit(c, 0, 2, all, DXGK_GDIROP_SRCCOPY, 0, staging.pitch);
    if (run(c, "fill and copy to staging")) {
      expect(pixel(0, 0) == 0x204060 && pixel(63, 63) == 0x204060, "the background (%06x)", pixel(0, 0));
      expect(pixel(8, 8) == 0xC08040 && pixel(23, 23) == 0xC08040 && pixel(24, 24) == 0x204060, "the rectangle (%06x)", pixel(8, 8));
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
    if (run(c, "transparent copy")) expect(pixel(5, 5) == 0x00FF00 && pixel(40, 5) == 0x112233, "key colour stays out (%06x, %06x)", pixel(5, 5), pixel(40, 5));
  }
  for (GdiSurface* s : {&a, &b, &staging}) {
    client->close(s->opened);
    adapter.vidmm().destroy({s->allocation});
  }
  expect(adapter.registers().read(AEROGPU_MMIO_REG_ERROR_COUNT) == 0, "the device found no error");
}

const TestCase kTests[] = {{"gdi", 120, gdi}};

}  // namespace

std::span<const TestCase> gdiTests() {
  return kTests;
}

}  // namespace aerogpu::host
