// SPDX-License-Identifier: MIT
// Test support: short forms for the driver calls that a program causes.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "guest-drivers/umd-d3d9/test/fake_runtime.h"

namespace aero::test {

/** A vertex in the tests' layout: position, colour, texture coordinates. */
struct Vertex {
  float x, y, z, w;
  uint32_t color;
  float u, v;
};

struct Program {
  explicit Program(FakeRuntime &runtime) : rt(runtime), fn(runtime.driver) {}
  FakeRuntime &rt;
  const D3DDDI_DEVICEFUNCS &fn;

  HANDLE dev() const { return rt.device; }

  HRESULT tryResource(D3DDDIFORMAT format, uint32_t width, uint32_t height, uint32_t flags, HANDLE &out,
                      D3DDDI_POOL pool = D3DDDIPOOL_VIDEOMEMORY, uint32_t levels = 1, uint32_t faces = 1,
                      void *memory = nullptr, uint32_t pitch = 0) {
    std::vector<D3DDDI_SURFACEINFO> surfaces(size_t{levels} * faces);
    for (uint32_t i = 0; i < surfaces.size(); i++) {
      surfaces[i].Width = std::max(width >> (i % levels), 1u);
      surfaces[i].Height = std::max(height >> (i % levels), 1u);
      surfaces[i].pSysMem = memory;
      surfaces[i].SysMemPitch = pitch;
    }
    D3DDDIARG_CREATERESOURCE args = {};
    args.Format = format;
    args.Pool = pool;
    args.pSurfList = surfaces.data();
    args.SurfCount = static_cast<UINT>(surfaces.size());
    args.MipLevels = levels;
    args.hResource = reinterpret_cast<HANDLE>(static_cast<uintptr_t>(nextResource += 16));
    args.Flags.Value = flags;
    const HRESULT result = fn.pfnCreateResource(dev(), &args);
    out = result < 0 ? nullptr : args.hResource;
    return result;
  }
  HANDLE resource(D3DDDIFORMAT format, uint32_t width, uint32_t height, uint32_t flags,
                  D3DDDI_POOL pool = D3DDDIPOOL_VIDEOMEMORY, uint32_t levels = 1, uint32_t faces = 1,
                  void *memory = nullptr, uint32_t pitch = 0) {
    HANDLE out;
    EXPECT_EQ(tryResource(format, width, height, flags, out, pool, levels, faces, memory, pitch), 0);
    return out;
  }

  /** The kind of a resource in video memory: 0 samples are D3DMULTISAMPLE_NONE. */
  struct Kind {
    uint32_t width = 1, height = 1;
    uint32_t depth = 0;  // 0: no volume
    uint32_t levels = 1, faces = 1, samples = 0, quality = 0;
  };
  HRESULT tryKind(D3DDDIFORMAT format, const Kind &kind, uint32_t flags, HANDLE &out) {
    std::vector<D3DDDI_SURFACEINFO> surfaces(size_t{kind.levels} * kind.faces);
    for (uint32_t i = 0; i < surfaces.size(); i++) {
      surfaces[i].Width = std::max(kind.width >> (i % kind.levels), 1u);
      surfaces[i].Height = std::max(kind.height >> (i % kind.levels), 1u);
      surfaces[i].Depth = kind.depth ? std::max(kind.depth >> (i % kind.levels), 1u) : 0;
    }
    D3DDDIARG_CREATERESOURCE args = {};
    args.Format = format;
    args.Pool = D3DDDIPOOL_VIDEOMEMORY;
    args.pSurfList = surfaces.data();
    args.SurfCount = static_cast<UINT>(surfaces.size());
    args.MipLevels = kind.levels;
    args.MultisampleType = static_cast<D3DDDIMULTISAMPLE_TYPE>(kind.samples);
    args.MultisampleQuality = kind.quality;
    args.hResource = reinterpret_cast<HANDLE>(static_cast<uintptr_t>(nextResource += 16));
    args.Flags.Value = flags;
    const HRESULT result = fn.pfnCreateResource(dev(), &args);
    out = result < 0 ? nullptr : args.hResource;
    return result;
  }

  static uint32_t flag(void (*set)(D3DDDI_RESOURCEFLAGS &)) {
    D3DDDI_RESOURCEFLAGS flags = {};
    set(flags);
    return flags.Value;
  }
  static uint32_t texture() {
    return flag([](auto &f) { f.Texture = 1; });
  }
  static uint32_t target() {
    return flag([](auto &f) { f.RenderTarget = 1; });
  }
  static uint32_t depth() {
    return flag([](auto &f) { f.ZBuffer = 1; });
  }
  static uint32_t vertices() {
    return flag([](auto &f) { f.VertexBuffer = 1; });
  }
  static uint32_t indices() {
    return flag([](auto &f) { f.IndexBuffer = 1; });
  }
  static uint32_t shared() {
    return flag([](auto &f) { f.SharedResource = 1; });
  }
  static uint32_t cube() {
    return flag([](auto &f) { f.CubeMap = 1; });
  }
  static uint32_t volume() {
    return flag([](auto &f) { f.Volume = 1; });
  }
  static uint32_t autogen() {
    return flag([](auto &f) { f.AutogenMipmap = 1; });
  }
  static uint32_t dynamic() {
    return flag([](auto &f) { f.Dynamic = 1; });
  }
  static uint32_t primary() {
    return flag([](auto &f) { f.Primary = 1; });
  }

  void destroy(HANDLE resource) { EXPECT_EQ(fn.pfnDestroyResource(dev(), resource), 0); }

  /** Makes a new target and binds it, with the viewport over all of it. */
  HANDLE bindTarget(uint32_t width, uint32_t height, D3DDDIFORMAT format = D3DDDIFMT_X8R8G8B8) {
    HANDLE out = resource(format, width, height, target());
    setTarget(out, width, height);
    return out;
  }
  void setTarget(HANDLE out, uint32_t width, uint32_t height, uint32_t subresource = 0) {
    D3DDDIARG_SETRENDERTARGET args = {};
    args.hRenderTarget = out;
    args.SubResourceIndex = subresource;
    EXPECT_EQ(fn.pfnSetRenderTarget(dev(), &args), 0);
    viewport(0, 0, width, height);
  }
  void viewport(uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
    const D3DDDIARG_VIEWPORTINFO view = {x, y, width, height};
    EXPECT_EQ(fn.pfnSetViewport(dev(), &view), 0);
    const D3DDDIARG_ZRANGE range = {0, 1};
    EXPECT_EQ(fn.pfnSetZRange(dev(), &range), 0);
  }
  void state(uint32_t number, uint32_t value) {
    D3DDDIARG_RENDERSTATE args = {};
    args.State = static_cast<decltype(args.State)>(number);
    args.Value = value;
    EXPECT_EQ(fn.pfnSetRenderState(dev(), &args), 0);
  }
  void stage(uint32_t stage, D3DDDITEXTURESTAGESTATETYPE number, uint32_t value) {
    D3DDDIARG_TEXTURESTAGESTATE args = {};
    args.Stage = stage;
    args.State = number;
    args.Value = value;
    EXPECT_EQ(fn.pfnSetTextureStageState(dev(), &args), 0);
  }

  HANDLE shader(bool vertex, std::span<const uint32_t> tokens) {
    if (vertex) {
      D3DDDIARG_CREATEVERTEXSHADERFUNC args = {};
      args.Size = static_cast<UINT>(tokens.size_bytes());
      EXPECT_EQ(fn.pfnCreateVertexShaderFunc(dev(), &args, tokens.data()), 0);
      return args.ShaderHandle;
    }
    D3DDDIARG_CREATEPIXELSHADER args = {};
    args.CodeSize = static_cast<UINT>(tokens.size_bytes());
    EXPECT_EQ(fn.pfnCreatePixelShader(dev(), &args, tokens.data()), 0);
    return args.ShaderHandle;
  }
  HANDLE declaration(std::initializer_list<D3DDDIVERTEXELEMENT> elements) {
    D3DDDIARG_CREATEVERTEXSHADERDECL args = {};
    args.NumVertexElements = static_cast<UINT>(elements.size());
    EXPECT_EQ(fn.pfnCreateVertexShaderDecl(dev(), &args, elements.begin()), 0);
    return args.ShaderHandle;
  }
  /** Makes a declaration of position (or transformed position), colour, texture coordinates, in Vertex' layout. */
  HANDLE vertexDeclaration(bool transformed = false) {
    constexpr BYTE kFloat2 = 1, kFloat4 = 3, kColor = 4, kPosition = 0, kCoordinates = 5, kTransformed = 9,
                   kDiffuse = 10;
    return declaration({{0, 0, kFloat4, 0, transformed ? kTransformed : kPosition, 0},
                        {0, 16, kColor, 0, kDiffuse, 0},
                        {0, 20, kFloat2, 0, kCoordinates, 0}});
  }

  HANDLE buffer(uint32_t bytes, const void *data, uint32_t flags = vertices(),
                D3DDDIFORMAT format = D3DDDIFMT_VERTEXDATA) {
    HANDLE out = resource(format, bytes, 1, flags);
    if (data) fill(out, 0, bytes, data);
    return out;
  }
  void fill(HANDLE buffer, uint32_t offset, uint32_t bytes, const void *data, uint32_t lockFlags = 0) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = buffer;
    lock.Flags.Value = lockFlags;
    lock.Flags.RangeValid = 1;
    lock.Range = {offset, bytes};
    ASSERT_EQ(fn.pfnLock(dev(), &lock), 0);
    memcpy(lock.pSurfData, data, bytes);
    D3DDDIARG_UNLOCK unlock = {};
    unlock.hResource = buffer;
    EXPECT_EQ(fn.pfnUnlock(dev(), &unlock), 0);
  }
  void stream(HANDLE buffer, uint32_t stride, uint32_t offset = 0, uint32_t number = 0) {
    D3DDDIARG_SETSTREAMSOURCE args = {};
    args.Stream = number;
    args.hVertexBuffer = buffer;
    args.Offset = offset;
    args.Stride = stride;
    EXPECT_EQ(fn.pfnSetStreamSource(dev(), &args), 0);
  }
  HRESULT draw(D3DPRIMITIVETYPE type, uint32_t count, uint32_t first = 0) {
    const D3DDDIARG_DRAWPRIMITIVE args = {type, first, count};
    return fn.pfnDrawPrimitive(dev(), &args, nullptr);
  }
  void clear(uint32_t color, uint32_t flags = 1, std::vector<RECT> rects = {}, float z = 1, uint32_t stencil = 0) {
    const D3DDDIARG_CLEAR args = {rects.empty() ? flags | 8 : flags, color, z, stencil};
    EXPECT_EQ(fn.pfnClear(dev(), &args, static_cast<UINT>(rects.size()), rects.data()), 0);
  }
  void flush() { EXPECT_EQ(fn.pfnFlush(dev()), 0); }

  /** Writes words of 32 bits to a surface by Lock. */
  void write(HANDLE resource, uint32_t subresource, uint32_t width, uint32_t height, const std::vector<uint32_t> &words,
             uint32_t lockFlags = 0) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = resource;
    lock.SubResourceIndex = subresource;
    lock.Flags.Value = lockFlags;
    ASSERT_EQ(fn.pfnLock(dev(), &lock), 0);
    for (uint32_t y = 0; y < height; y++)
      memcpy(static_cast<uint8_t *>(lock.pSurfData) + size_t{y} * lock.Pitch, &words[size_t{y} * width],
             size_t{width} * 4);
    unlock(resource, subresource);
  }
  void unlock(HANDLE resource, uint32_t subresource = 0) {
    D3DDDIARG_UNLOCK args = {};
    args.hResource = resource;
    args.SubResourceIndex = subresource;
    EXPECT_EQ(fn.pfnUnlock(dev(), &args), 0);
  }
  /** Reads a surface back as GetRenderTargetData does: a Blt to the runtime's memory. */
  std::vector<uint32_t> read(HANDLE from, uint32_t width, uint32_t height, D3DDDIFORMAT format = D3DDDIFMT_X8R8G8B8,
                             uint32_t subresource = 0) {
    const uint32_t pitch = width * 4 + 20;  // more than a row
    std::vector<uint8_t> memory(size_t{pitch} * height, 0xAA);
    HANDLE to = resource(format, width, height, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), pitch);
    D3DDDIARG_BLT blt = {};
    blt.hSrcResource = from;
    blt.SrcSubResourceIndex = subresource;
    blt.hDstResource = to;
    blt.SrcRect = blt.DstRect = {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
    EXPECT_EQ(fn.pfnBlt(dev(), &blt), 0);
    std::vector<uint32_t> out(size_t{width} * height);
    for (uint32_t y = 0; y < height; y++)
      memcpy(&out[size_t{y} * width], &memory[size_t{y} * pitch], size_t{width} * 4);
    destroy(to);
    return out;
  }
  HRESULT blt(HANDLE from, RECT fromRect, HANDLE to, RECT toRect, uint32_t flags = 0, uint32_t fromSub = 0,
              uint32_t toSub = 0) {
    D3DDDIARG_BLT args = {};
    args.hSrcResource = from;
    args.SrcSubResourceIndex = fromSub;
    args.SrcRect = fromRect;
    args.hDstResource = to;
    args.DstSubResourceIndex = toSub;
    args.DstRect = toRect;
    args.Flags.Value = flags;
    return fn.pfnBlt(dev(), &args);
  }

  uintptr_t nextResource = 0x5000;
};

}  // namespace aero::test
