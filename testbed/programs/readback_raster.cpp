// SPDX-License-Identifier: MIT
// Cases of readback.exe: covered pixels, and their values.
#include <cstring>

#include "guest-drivers/programs/raster.h"
#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

// Added to each covered pixel, so that a pixel drawn twice, or never, shows.
constexpr uint32_t kStep = argb(64, 32, 16, 8);

/** Corners at whole pixels, at halves and between them; edges through pixel centres are horizontal or vertical, or
 * shared by two triangles. */
struct Place {
  float x, y;
};
constexpr Place kTriangles[][3] = {
    {{8, 8}, {40, 8}, {8, 40}},      // horizontal above, vertical on the left: both rows are covered
    {{40, 8}, {40, 40}, {8, 40}},    // the other half
    {{60, 8}, {100, 8}, {100, 40}},  // vertical on the right: that column is not covered
    {{120.5f, 8.5f}, {120.5f, 40.5f}, {180.5f, 8.5f}},
    {{8.25f, 60.25f}, {108.25f, 60.25f}, {58.25f, 160.25f}},  // slopes of 1/2
    {{120.25f, 60.5f}, {220.25f, 110.5f}, {120.25f, 160.5f}},
    {{200, 8}, {200.75f, 8}, {200, 240}},                            // a sliver, mostly less than a pixel wide
    {{8, 200}, {72, 200}, {40, 200}},                                // no area
    {{-300.25f, 300.25f}, {-100.25f, 250.25f}, {520.25f, 405.25f}},  // reaches beyond the target: slopes of 1/4
    {{240.5f, 200.5f}, {300.5f, 200.5f}, {240.5f, 300.5f}},
};

}  // namespace

bool clearRects(Canvas &canvas, Picture *expected) {
  const D3DRECT rects[] = {{0, 0, 1, 1}, {10, 20, 100, 90}, {200, 250, 300, 300}, {60, 60, 60, 80}};
  if (!canvas.clear(argb(17, 34, 51, 68)) ||
      !ok(canvas.device()->Clear(4, rects, D3DCLEAR_TARGET, argb(200, 1, 254, 128), 1, 0), "Clear(4 rectangles)"))
    return false;
  fill(expected, kWholeCanvas, argb(17, 34, 51, 68));
  fill(expected, {0, 0, 1, 1}, argb(200, 1, 254, 128));
  fill(expected, {10, 20, 90, 70}, argb(200, 1, 254, 128));
  fill(expected, {200, 250, 56, 6}, argb(200, 1, 254, 128));  // clipped at the target's edge; the last one is empty
  return true;
}

bool gradient(Canvas &canvas, Picture *expected) {
  // The value at pixel centre x is x / 255, so rounding does not matter.
  constexpr float kLow = -0.5f / 255, kHigh = 255.5f / 255;
  const QuadValues values{
      {{kLow, kLow, kHigh, 1}, {kHigh, kLow, kLow, 1}, {kLow, kHigh, kHigh, 1}, {kHigh, kHigh, kLow, 1}}};
  for (uint32_t y = 0; y < kCanvasSize; ++y)
    for (uint32_t x = 0; x < kCanvasSize; ++x) expected->at(x, y) = argb(255, x, y, 255 - x);
  return canvas.quad(kWholeCanvas, values);
}

bool fillRule(Canvas &canvas, Picture *expected) {
  if (!canvas.state(D3DRS_ALPHABLENDENABLE, TRUE) || !canvas.state(D3DRS_DESTBLEND, D3DBLEND_ONE)) return false;
  const QuadValues colour = flat(kStep);
  for (const auto &triangle : kTriangles) {
    CanvasVertex vertices[3];
    Corner corners[3];
    for (int i = 0; i < 3; ++i) {
      vertices[i] = {triangle[i].x, triangle[i].y, 0.5f, {}};
      std::memcpy(vertices[i].value, colour.corner[0], sizeof vertices[i].value);
      corners[i] = {triangle[i].x, triangle[i].y, {}};
    }
    if (!canvas.triangles(vertices, 3)) return false;
    rasterize(kCanvasSize, kCanvasSize, corners,
              [&](uint32_t x, uint32_t y, const double *) { expected->at(x, y) += kStep; });
  }
  return true;
}

bool indexed(Canvas &canvas, Picture *expected) {
  // Three quads of four corners each; the middle one is drawn, then the last one with the same indices and a base.
  constexpr Area kAreas[3] = {{0, 0, 100, 100}, {16, 32, 64, 48}, {120, 100, 100, 120}};
  constexpr uint32_t kColours[3] = {argb(1, 1, 1, 1), argb(255, 0, 128, 255), argb(128, 255, 64, 0)};
  constexpr uint16_t kIndices[] = {99, 4, 5, 6, 6, 5, 7};
  ComPtr<IDirect3DVertexBuffer9> vertices;
  ComPtr<IDirect3DIndexBuffer9> indices;
  void *memory = nullptr;
  IDirect3DDevice9 *device = canvas.device();
  if (!ok(device->CreateVertexBuffer(sizeof(CanvasVertex) * 12, D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT, vertices.put(),
                                     nullptr),
          "CreateVertexBuffer") ||
      !ok(device->CreateIndexBuffer(sizeof kIndices, D3DUSAGE_WRITEONLY, D3DFMT_INDEX16, D3DPOOL_DEFAULT, indices.put(),
                                    nullptr),
          "CreateIndexBuffer") ||
      !ok(vertices->Lock(0, 0, &memory, 0), "Lock"))
    return false;
  auto *out = static_cast<CanvasVertex *>(memory);
  for (int i = 0; i < 3; ++i) {
    CanvasVertex corners[6];
    quadCorners(kAreas[i], flat(kColours[i]), 0.5f, 0.5f, corners);
    const int order[4] = {0, 1, 2, 5};
    for (const int corner : order) *out++ = corners[corner];
  }
  if (!ok(vertices->Unlock(), "Unlock") || !ok(indices->Lock(0, 0, &memory, 0), "Lock(index buffer)")) return false;
  std::memcpy(memory, kIndices, sizeof kIndices);
  if (!ok(indices->Unlock(), "Unlock(index buffer)") ||
      !ok(device->SetStreamSource(0, vertices.get(), 0, sizeof(CanvasVertex)), "SetStreamSource") ||
      !ok(device->SetIndices(indices.get()), "SetIndices") || !ok(device->BeginScene(), "BeginScene") ||
      !ok(device->DrawIndexedPrimitive(D3DPT_TRIANGLELIST, 0, 4, 4, 1, 2), "DrawIndexedPrimitive") ||
      !ok(device->DrawIndexedPrimitive(D3DPT_TRIANGLELIST, 4, 4, 4, 1, 2), "DrawIndexedPrimitive(base 4)") ||
      !ok(device->EndScene(), "EndScene") || !ok(device->SetIndices(nullptr), "SetIndices(null)"))
    return false;
  fill(expected, kAreas[1], kColours[1]);
  fill(expected, kAreas[2], kColours[2]);
  return true;
}

bool viewport(Canvas &canvas, Picture *expected) {
  // Clip space is mapped onto the viewport, and parts outside are clipped.
  const D3DVIEWPORT9 small{32, 64, 128, 64, 0, 1}, whole{0, 0, kCanvasSize, kCanvasSize, 0, 1};
  IDirect3DDevice9 *device = canvas.device();
  const bool drawn = ok(device->SetViewport(&small), "SetViewport") &&
                     canvas.quad({0, 0, 128, 128}, flat(argb(255, 250, 128, 0))) &&
                     canvas.quad({192, 128, 512, 512}, flat(argb(255, 0, 128, 250)));
  if (!ok(device->SetViewport(&whole), "SetViewport") || !drawn) return false;
  // 256x256 of the canvas become 128x64: half a pixel before x is (x - 0.5 + 0.5) / 2 - 0.5 of the viewport.
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 128; ++x) {
      const double px = x * 2.0, py = y * 4.0;  // the canvas' coordinates of this centre
      uint32_t &pixel = expected->at(32 + x, 64 + y);
      if (px >= -0.5 && px < 127.5 && py >= -0.5 && py < 127.5) pixel = argb(255, 250, 128, 0);
      if (px >= 191.5 && py >= 127.5) pixel = argb(255, 0, 128, 250);
    }
  return true;
}

bool scissorAndMask(Canvas &canvas, Picture *expected) {
  constexpr uint32_t kOld = argb(10, 20, 30, 40), kNew = argb(255, 200, 150, 100);
  const RECT scissor{30, 40, 130, 50};
  if (!canvas.clear(kOld) || !canvas.state(D3DRS_SCISSORTESTENABLE, TRUE) ||
      !ok(canvas.device()->SetScissorRect(&scissor), "SetScissorRect") || !canvas.quad(kWholeCanvas, flat(kNew)) ||
      !canvas.state(D3DRS_SCISSORTESTENABLE, FALSE))
    return false;
  fill(expected, kWholeCanvas, kOld);
  fill(expected, {30, 40, 100, 10}, kNew);
  constexpr uint32_t kBits[4] = {0x00FF0000, 0x0000FF00, 0x000000FF, 0xFF000000};  // red, green, blue, alpha
  for (uint32_t mask = 0; mask < 16; ++mask) {
    const Area area{mask * 16, 100, 16, 16};
    if (!canvas.state(D3DRS_COLORWRITEENABLE, mask) || !canvas.quad(area, flat(kNew))) return false;
    uint32_t colour = kOld;
    for (int i = 0; i < 4; ++i)
      if (mask >> i & 1) colour = (colour & ~kBits[i]) | (kNew & kBits[i]);
    fill(expected, area, colour);
  }
  return true;
}

bool culling(Canvas &canvas, Picture *expected) {
  // Each column culls differently; the first row's triangles are clockwise, the second's counter-clockwise.
  constexpr D3DCULL kModes[3] = {D3DCULL_NONE, D3DCULL_CW, D3DCULL_CCW};
  for (uint32_t column = 0; column < 3; ++column) {
    if (!canvas.state(D3DRS_CULLMODE, kModes[column])) return false;
    for (uint32_t row = 0; row < 2; ++row) {
      const Area area{column * 80, row * 80, 64, 64};
      const uint32_t colour = argb(255, 100 + column * 20, 50 + row * 100, 7);
      CanvasVertex corners[6];
      quadCorners(area, flat(colour), 0.5f, 0.5f, corners);
      if (row == 1)
        for (int i = 0; i < 6; i += 3) std::swap(corners[i], corners[i + 1]);
      if (!canvas.triangles(corners, 6)) return false;
      const D3DCULL culled = row == 0 ? D3DCULL_CW : D3DCULL_CCW;
      if (kModes[column] != culled) fill(expected, area, colour);
    }
  }
  return true;
}

}  // namespace programs
