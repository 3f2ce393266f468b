// SPDX-License-Identifier: MIT
// Cases of readback.exe: the ways of vertices to a draw, instances, clip planes, scaled copies, time stamps.
#include <cstring>
#include <utility>

#include "guest-drivers/programs/scene.h"
#include "testbed/programs/instance.ps.h"
#include "testbed/programs/instance.vs.h"
#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

/** Writes a rectangle's corners: upper left, upper right, lower left, lower right. */
void corners(const Area &area, uint32_t colour, CanvasVertex *out) {
  CanvasVertex six[6];
  quadCorners(area, flat(colour), 0.5f, 0.5f, six);
  const int order[4] = {0, 1, 2, 5};
  for (const int i : order) *out++ = six[i];
}

bool fillBuffer(IDirect3DVertexBuffer9 *buffer, uint32_t offset, const void *bytes, uint32_t size, DWORD flags) {
  void *memory = nullptr;
  if (!ok(buffer->Lock(offset, size, &memory, flags), "Lock")) return false;
  std::memcpy(memory, bytes, size);
  return ok(buffer->Unlock(), "Unlock");
}

}  // namespace

bool userPointers(Canvas &canvas, Picture *expected) {
  // The program's arrays, which it overwrites as soon as the call has returned.
  IDirect3DDevice9 *device = canvas.device();
  constexpr Area kStrip{10, 10, 50, 60}, kFan{80, 10, 60, 40}, kIndexed{160, 20, 30, 30}, kMany{0, 128, 128, 128};
  constexpr uint32_t kRed = argb(255, 200, 10, 20), kGreen = argb(99, 10, 200, 20), kBlue = argb(255, 10, 20, 200);
  CanvasVertex vertices[8];
  corners(kStrip, kRed, vertices);
  if (!ok(device->BeginScene(), "BeginScene") ||
      !ok(device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, vertices, sizeof vertices[0]), "DrawPrimitiveUP"))
    return false;
  corners(kFan, kGreen, vertices);
  std::swap(vertices[2], vertices[3]);  // around the rectangle
  if (!ok(device->DrawPrimitiveUP(D3DPT_TRIANGLEFAN, 2, vertices, sizeof vertices[0]), "DrawPrimitiveUP")) return false;
  // The named range begins at the third vertex; indices count from the first.
  std::memset(vertices, 0, sizeof vertices);
  corners(kIndexed, kBlue, vertices + 2);
  WORD indices[6] = {2, 3, 4, 4, 3, 5};
  if (!ok(device->DrawIndexedPrimitiveUP(D3DPT_TRIANGLELIST, 2, 4, 2, indices, D3DFMT_INDEX16, vertices,
                                         sizeof vertices[0]),
          "DrawIndexedPrimitiveUP"))
    return false;
  std::memset(vertices, 0, sizeof vertices);
  std::memset(indices, 0, sizeof indices);
  // More than fits into one packet: a square for each pixel.
  static CanvasVertex many[128 * 128 / 4 * 6];
  for (uint32_t i = 0; i < 128 * 128 / 4; ++i)
    quadCorners({i % 64 * 2, 128 + i / 64 * 2, 2, 2}, flat(argb(255, i % 256, i / 256 * 16, 77)), 0.5f, 0.5f,
                &many[size_t{i} * 6]);
  if (!ok(device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 128 * 128 / 4 * 2, many, sizeof many[0]),
          "DrawPrimitiveUP(many)"))
    return false;
  std::memset(many, 0, sizeof many);
  fill(expected, kStrip, kRed);
  fill(expected, kFan, kGreen);
  fill(expected, kIndexed, kBlue);
  for (uint32_t y = 0; y < kMany.height; ++y)
    for (uint32_t x = 0; x < kMany.width; ++x) {
      const uint32_t i = y / 2 * 64 + x / 2;
      expected->at(kMany.x + x, kMany.y + y) = argb(255, i % 256, i / 256 * 16, 77);
    }
  return ok(device->EndScene(), "EndScene");
}

bool rewrittenBuffer(Canvas &canvas, Picture *expected) {
  // A large buffer is rewritten whole and drawn from, repeatedly; then in parts that no draw has read.
  IDirect3DDevice9 *device = canvas.device();
  constexpr uint32_t kQuads = 512;
  static CanvasVertex vertices[kQuads * 6];
  ComPtr<IDirect3DVertexBuffer9> buffer;
  if (!ok(device->CreateVertexBuffer(sizeof vertices, D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT,
                                     buffer.put(), nullptr),
          "CreateVertexBuffer") ||
      !ok(device->SetStreamSource(0, buffer.get(), 0, sizeof(CanvasVertex)), "SetStreamSource") ||
      !ok(device->BeginScene(), "BeginScene"))
    return false;
  for (uint32_t pass = 0; pass < 4; ++pass) {
    for (uint32_t i = 0; i < kQuads; ++i) {
      const Area area{i % 32 * 8 + pass, i / 32 * 16, 2, 16};
      const uint32_t colour = argb(255, i % 256, 50 * pass, i / 2 % 256);
      quadCorners(area, flat(colour), 0.5f, 0.5f, &vertices[size_t{i} * 6]);
      fill(expected, area, colour);
    }
    if (!fillBuffer(buffer.get(), 0, vertices, sizeof vertices, D3DLOCK_DISCARD) ||
        !ok(device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, kQuads * 2), "DrawPrimitive"))
      return false;
  }
  constexpr uint32_t kHalf = kQuads / 2 * 6;
  for (uint32_t half = 0; half < 2; ++half) {
    for (uint32_t i = 0; i < kQuads / 2; ++i) {
      const Area area{i % 32 * 8 + 6, i / 32 * 16 + half * 128, 2, 16};
      const uint32_t colour = argb(255, 255 - i % 256, 99, half * 200);
      quadCorners(area, flat(colour), 0.5f, 0.5f, &vertices[size_t{i} * 6]);
      fill(expected, area, colour);
    }
    if (!fillBuffer(buffer.get(), half * kHalf * static_cast<uint32_t>(sizeof vertices[0]), vertices,
                    kHalf * static_cast<uint32_t>(sizeof vertices[0]), half ? D3DLOCK_NOOVERWRITE : D3DLOCK_DISCARD) ||
        !ok(device->DrawPrimitive(D3DPT_TRIANGLELIST, half * kHalf, kQuads), "DrawPrimitive"))
      return false;
  }
  return ok(device->EndScene(), "EndScene");
}

bool instances(Canvas &canvas, Picture *expected) {
  // A quad, twelve positions and twelve colours.
  struct Place {
    float x, y;
  };
  constexpr D3DVERTEXELEMENT9 kElements[] = {
      {0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
      {0, 12, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
      {1, 0, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 1},
      {2, 0, D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
      D3DDECL_END()};
  constexpr uint32_t kInstances = 12;
  IDirect3DDevice9 *device = canvas.device();
  CanvasVertex quad[4];
  corners({0, 0, 20, 30}, 0xFFFFFFFF, quad);
  Place places[kInstances];
  uint32_t colours[kInstances];
  for (uint32_t i = 0; i < kInstances; ++i) {
    const uint32_t column = i % 4, row = i / 4;
    places[i] = {static_cast<float>(column * 60), static_cast<float>(row * 80)};
    colours[i] = argb(255 - i, 20 * i, 200 - 10 * i, 99);
  }
  const WORD indices[6] = {0, 1, 2, 2, 1, 3};
  ComPtr<IDirect3DVertexShader9> vertexShader;
  ComPtr<IDirect3DPixelShader9> pixelShader;
  ComPtr<IDirect3DVertexDeclaration9> declaration;
  ComPtr<IDirect3DVertexBuffer9> streams[3];
  ComPtr<IDirect3DIndexBuffer9> indexBuffer;
  const struct {
    const void *bytes;
    uint32_t size, stride;
    UINT frequency;
  } kStreams[3] = {{quad, sizeof quad, sizeof quad[0], D3DSTREAMSOURCE_INDEXEDDATA | kInstances},
                   {places, sizeof places, sizeof places[0], D3DSTREAMSOURCE_INSTANCEDATA | 1u},
                   {colours, sizeof colours, sizeof colours[0], D3DSTREAMSOURCE_INSTANCEDATA | 1u}};
  if (!ok(device->CreateVertexShader(reinterpret_cast<const DWORD *>(instanceVs), vertexShader.put()),
          "CreateVertexShader(3.0)") ||
      !ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(instancePs), pixelShader.put()),
          "CreatePixelShader(3.0)") ||
      !ok(device->CreateVertexDeclaration(kElements, declaration.put()), "CreateVertexDeclaration") ||
      !ok(device->CreateIndexBuffer(sizeof indices, 0, D3DFMT_INDEX16, D3DPOOL_DEFAULT, indexBuffer.put(), nullptr),
          "CreateIndexBuffer"))
    return false;
  void *memory = nullptr;
  if (!ok(indexBuffer->Lock(0, sizeof indices, &memory, 0), "Lock(indices)")) return false;
  std::memcpy(memory, indices, sizeof indices);
  if (!ok(indexBuffer->Unlock(), "Unlock(indices)")) return false;
  for (UINT i = 0; i < 3; ++i)
    if (!ok(device->CreateVertexBuffer(kStreams[i].size, 0, 0, D3DPOOL_DEFAULT, streams[i].put(), nullptr),
            "CreateVertexBuffer") ||
        !fillBuffer(streams[i].get(), 0, kStreams[i].bytes, kStreams[i].size, 0) ||
        !ok(device->SetStreamSource(i, streams[i].get(), 0, kStreams[i].stride), "SetStreamSource") ||
        !ok(device->SetStreamSourceFreq(i, kStreams[i].frequency), "SetStreamSourceFreq"))
      return false;
  if (!ok(device->SetVertexShader(vertexShader.get()), "SetVertexShader") ||
      !ok(device->SetPixelShader(pixelShader.get()), "SetPixelShader") ||
      !ok(device->SetVertexDeclaration(declaration.get()), "SetVertexDeclaration") ||
      !ok(device->SetIndices(indexBuffer.get()), "SetIndices") || !ok(device->BeginScene(), "BeginScene") ||
      !ok(device->DrawIndexedPrimitive(D3DPT_TRIANGLELIST, 0, 0, 4, 0, 2), "DrawIndexedPrimitive") ||
      !ok(device->EndScene(), "EndScene"))
    return false;
  for (uint32_t i = 0; i < kInstances; ++i) fill(expected, {i % 4 * 60, i / 4 * 80, 20, 30}, colours[i]);
  for (UINT i = 0; i < 3; ++i)
    if (!ok(device->SetStreamSourceFreq(i, 1), "SetStreamSourceFreq(1)") ||
        !ok(device->SetStreamSource(i, nullptr, 0, 0), "SetStreamSource(null)"))
      return false;
  return ok(device->SetIndices(nullptr), "SetIndices(null)");
}

bool clipPlanes(Canvas &canvas, Picture *expected) {
  // With a vertex shader planes are in clip space; their edges lie between pixels.
  constexpr float kHalf = kCanvasSize / 2.0f;
  const float right[4] = {1, 0, 0, 1 - 99.5f / kHalf};   // pixels from x = 100 on
  const float above[4] = {0, 1, 0, 150.5f / kHalf - 1};  // pixels up to y = 150
  const float none[4] = {0, 0, 0, -1};
  IDirect3DDevice9 *device = canvas.device();
  constexpr uint32_t kRed = argb(255, 255, 0, 0), kGreen = argb(255, 0, 255, 0), kBlue = argb(255, 0, 0, 255);
  if (!ok(device->SetClipPlane(0, right), "SetClipPlane") || !ok(device->SetClipPlane(3, none), "SetClipPlane") ||
      !ok(device->SetClipPlane(5, above), "SetClipPlane") ||
      !canvas.state(D3DRS_CLIPPLANEENABLE, D3DCLIPPLANE0 | D3DCLIPPLANE5) || !canvas.quad(kWholeCanvas, flat(kRed)) ||
      !canvas.state(D3DRS_CLIPPLANEENABLE, D3DCLIPPLANE5) || !canvas.quad({10, 140, 50, 40}, flat(kGreen)) ||
      !canvas.state(D3DRS_CLIPPLANEENABLE, D3DCLIPPLANE3) || !canvas.quad({200, 0, 50, 256}, flat(kBlue)) ||
      !canvas.state(D3DRS_CLIPPLANEENABLE, 0) || !canvas.quad({10, 200, 50, 20}, flat(kBlue)))
    return false;
  fill(expected, {100, 0, 156, 151}, kRed);
  fill(expected, {10, 140, 50, 11}, kGreen);
  fill(expected, {10, 200, 50, 20}, kBlue);
  return true;
}

bool scaledCopies(Canvas &canvas, Picture *expected) {
  // Each texel becomes twelve pixels by six, one in four stays, and an unscaled copy is exact.
  IDirect3DDevice9 *device = canvas.device();
  constexpr uint32_t kSize = 16;
  ComPtr<IDirect3DSurface9> source;
  if (!ok(device->CreateRenderTarget(kSize, kSize, D3DFMT_X8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, source.put(),
                                     nullptr),
          "CreateRenderTarget"))
    return false;
  const auto colourOf = [](uint32_t x, uint32_t y) { return argb(255, x * 16, y * 16, 255 - x * y); };
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      const RECT one{static_cast<LONG>(x), static_cast<LONG>(y), static_cast<LONG>(x + 1), static_cast<LONG>(y + 1)};
      if (!ok(device->ColorFill(source.get(), &one, colourOf(x, y)), "ColorFill")) return false;
    }
  const RECT from{2, 3, 14, 15}, larger{20, 10, 20 + 12 * 12, 10 + 12 * 6}, whole{0, 0, 16, 16},
      smaller{200, 100, 208, 108}, same{30, 200, 46, 216};
  if (!ok(device->StretchRect(source.get(), &from, canvas.target(), &larger, D3DTEXF_POINT), "StretchRect(larger)") ||
      !ok(device->StretchRect(source.get(), nullptr, canvas.target(), &smaller, D3DTEXF_POINT),
          "StretchRect(smaller)") ||
      !ok(device->StretchRect(source.get(), &whole, canvas.target(), &same, D3DTEXF_LINEAR), "StretchRect(same)"))
    return false;
  // Alpha of X8R8G8B8 reads as 1.
  for (uint32_t y = 0; y < 72; ++y)
    for (uint32_t x = 0; x < 144; ++x) expected->at(20 + x, 10 + y) = colourOf(2 + x / 12, 3 + y / 6);
  for (uint32_t y = 0; y < 16; ++y)
    for (uint32_t x = 0; x < 16; ++x) expected->at(30 + x, 200 + y) = colourOf(x, y);
  // Of equally near texels the driver may choose any: halves are not compared but drawn over.
  const RECT hidden{200, 100, 208, 108};
  fill(expected, {200, 100, 8, 8}, argb(255, 1, 2, 3));
  return ok(device->ColorFill(canvas.target(), &hidden, argb(255, 1, 2, 3)), "ColorFill");
}

bool timestamps(Canvas &canvas, Picture *expected) {
  // Time stamps advance, at the announced rate, and none is disjoint.
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DQuery9> times[2], frequency, disjoint;
  if (!ok(device->CreateQuery(D3DQUERYTYPE_TIMESTAMP, times[0].put()), "CreateQuery(TIMESTAMP)") ||
      !ok(device->CreateQuery(D3DQUERYTYPE_TIMESTAMP, times[1].put()), "CreateQuery(TIMESTAMP)") ||
      !ok(device->CreateQuery(D3DQUERYTYPE_TIMESTAMPFREQ, frequency.put()), "CreateQuery(TIMESTAMPFREQ)") ||
      !ok(device->CreateQuery(D3DQUERYTYPE_TIMESTAMPDISJOINT, disjoint.put()), "CreateQuery(TIMESTAMPDISJOINT)") ||
      !ok(disjoint->Issue(D3DISSUE_BEGIN), "Issue(BEGIN)") || !ok(frequency->Issue(D3DISSUE_END), "Issue(END)") ||
      !ok(times[0]->Issue(D3DISSUE_END), "Issue(END)"))
    return false;
  for (uint32_t i = 0; i < 8; ++i)
    if (!canvas.quad(kWholeCanvas, flat(argb(255, i, 2 * i, 3 * i)))) return false;
  fill(expected, kWholeCanvas, argb(255, 7, 14, 21));
  if (!ok(times[1]->Issue(D3DISSUE_END), "Issue(END)") || !ok(disjoint->Issue(D3DISSUE_END), "Issue(END)"))
    return false;
  const auto wait = [](IDirect3DQuery9 *query, void *data, DWORD bytes) {
    HRESULT result = S_FALSE;
    while ((result = query->GetData(data, bytes, D3DGETDATA_FLUSH)) == S_FALSE) SwitchToThread();
    return ok(result, "GetData");
  };
  UINT64 begin = 0, end = 0, rate = 0;
  BOOL broken = TRUE;
  if (!wait(disjoint.get(), &broken, sizeof broken) || !wait(times[1].get(), &end, sizeof end) ||
      !wait(times[0].get(), &begin, sizeof begin) || !wait(frequency.get(), &rate, sizeof rate))
    return false;
  constexpr UINT64 kSeconds = 600;  // longer than any test
  return (rate != 0 || fail("the frequency is 0")) && (!broken || fail("the times are disjoint")) &&
         (end >= begin || fail("time goes back, from %llu to %llu", begin, end)) &&
         (end - begin < kSeconds * rate || fail("%llu of %llu a second passed", end - begin, rate));
}

}  // namespace programs
