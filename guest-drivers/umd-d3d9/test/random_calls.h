// SPDX-License-Identifier: MIT
// Test support: calls of a program that sets and binds arbitrary values. None of them may make the driver or the device
// report an error; the picture does not matter.
#pragma once

#include <random>

#include "aerogpu/d3d9/assembler.h"
#include "guest-drivers/umd-d3d9/test/program.h"

namespace aero::test {

using aerogpu::d3d9::assemble;

/** Makes `steps` random calls, which `seed` determines. */
inline void callAtRandom(Program &p, uint32_t seed, int steps) {
  std::mt19937 twister(seed);
  const auto random = [&] { return static_cast<uint32_t>(twister()); };
  HANDLE vertexShader = p.shader(true, assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\n").tokens);
  HANDLE instancing = p.shader(true, assemble("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n").tokens);
  HANDLE target = p.bindTarget(64, 64), vertices = p.buffer(64 * sizeof(Vertex), nullptr);
  HANDLE depth = p.resource(D3DDDIFMT_D24S8, 64, 64, Program::depth());
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture());
  HANDLE indices = p.buffer(64, nullptr, Program::indices(), D3DDDIFMT_INDEX16);
  std::vector<uint8_t> memory(size_t{16} * 64);
  HANDLE system = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), 64);
  HANDLE oldShader = p.shader(false, assemble("ps_1_1\ntex t0\nmov r0, t0\n").tokens);
  HANDLE declarations[] = {p.vertexDeclaration(), p.vertexDeclaration(true), nullptr};
  const HANDLE resources[] = {nullptr, target, depth, texture, vertices, indices, system};
  const auto any = [&] {
    constexpr uint32_t kEdges[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FC00000, 0xFAFBFCFD};
    return random() % 3 ? kEdges[random() % 8] : random();
  };
  const auto resource = [&] { return resources[random() % 7]; };
  const auto number = [&] {
    const uint32_t bits = any();
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
  };
  for (int i = 0; i < steps; i++) {
    SCOPED_TRACE(i);
    switch (random() % 20) {
    case 0:
      p.state(random() % 300, any());
      break;
    case 1:
      p.stage(random() % 4 ? random() % 270 : any(), static_cast<D3DDDITEXTURESTAGESTATETYPE>(random() % 40), any());
      break;
    case 2:
      EXPECT_EQ(p.fn.pfnSetTexture(p.dev(), random() % 4 ? random() % 270 : any(), resource()), 0);
      break;
    case 3: {
      const D3DDDIARG_SETRENDERTARGET args = {random() % 6, resource(), random() % 3 ? 0 : any()};
      EXPECT_EQ(p.fn.pfnSetRenderTarget(p.dev(), &args), 0);
      break;
    }
    case 4: {
      const D3DDDIARG_SETDEPTHSTENCIL args = {resource()};
      EXPECT_EQ(p.fn.pfnSetDepthStencil(p.dev(), &args), 0);
      break;
    }
    case 5: {
      const D3DDDIARG_VIEWPORTINFO args = {any(), any(), any(), any()};
      EXPECT_EQ(p.fn.pfnSetViewport(p.dev(), &args), 0);
      const D3DDDIARG_ZRANGE range = {number(), number()};
      EXPECT_EQ(p.fn.pfnSetZRange(p.dev(), &range), 0);
      break;
    }
    case 6: {
      const RECT rect = {static_cast<LONG>(any()), static_cast<LONG>(any()), static_cast<LONG>(any()),
                         static_cast<LONG>(any())};
      EXPECT_EQ(p.fn.pfnSetScissorRect(p.dev(), &rect), 0);
      break;
    }
    case 7:
      p.stream(resource(), any(), any(), random() % 20);
      break;
    case 8: {
      const D3DDDIARG_SETSTREAMSOURCEFREQ args = {random() % 20, any()};
      EXPECT_EQ(p.fn.pfnSetStreamSourceFreq(p.dev(), &args), 0);
      break;
    }
    case 9: {
      const D3DDDIARG_SETINDICES args = {resource(), any()};
      EXPECT_EQ(p.fn.pfnSetIndices(p.dev(), &args), 0);
      break;
    }
    case 10:
      EXPECT_EQ(p.fn.pfnSetVertexShaderDecl(p.dev(), declarations[random() % 3]), 0);
      break;
    case 11:
      EXPECT_EQ(p.fn.pfnSetVertexShaderFunc(p.dev(), random() % 2   ? vertexShader
                                                     : random() % 2 ? instancing
                                                                    : nullptr),
                0);
      EXPECT_EQ(p.fn.pfnSetPixelShader(p.dev(), random() % 2 ? oldShader : nullptr), 0);
      break;
    case 12: {
      const D3DDDIARG_SETCLIPPLANE args = {any(), {number(), number(), number(), number()}};
      EXPECT_EQ(p.fn.pfnSetClipPlane(p.dev(), &args), 0);
      break;
    }
    case 13: {
      const D3DDDIARG_WINFO args = {number(), number()};
      EXPECT_EQ(p.fn.pfnUpdateWInfo(p.dev(), &args), 0);
      break;
    }
    case 14: {
      const D3DDDIARG_CLEAR args = {any(), any(), number(), any()};
      const RECT rects[2] = {{0, 0, static_cast<LONG>(any()), static_cast<LONG>(any())},
                             {static_cast<LONG>(any()), static_cast<LONG>(any()), 3, 3}};
      EXPECT_EQ(p.fn.pfnClear(p.dev(), &args, random() % 3, rects), 0);
      break;
    }
    case 15: {
      const D3DDDIARG_DRAWINDEXEDPRIMITIVE args = {
          static_cast<D3DPRIMITIVETYPE>(any() % 9), static_cast<INT>(any()), any(), any(), any(), any()};
      EXPECT_EQ(p.fn.pfnDrawIndexedPrimitive(p.dev(), &args), 0);
      break;
    }
    case 16: {
      const D3DDDIARG_DRAWPRIMITIVE2 args = {static_cast<D3DPRIMITIVETYPE>(any() % 9), any(), any()};
      EXPECT_EQ(p.fn.pfnDrawPrimitive2(p.dev(), &args), 0);
      break;
    }
    case 17: {
      const RECT a = {static_cast<LONG>(any()), 0, static_cast<LONG>(any()), 9},
                 b = {0, static_cast<LONG>(any()), 7, static_cast<LONG>(any())};
      const HANDLE from = resources[1 + random() % 3], to = resources[1 + random() % 3];
      p.blt(from, a, to, b, random() & 0x3F);
      break;
    }
    default:
      EXPECT_EQ(p.draw(static_cast<D3DPRIMITIVETYPE>(any() % 9), any(), any()), 0);
    }
  }
  for (uint32_t stage = 0; stage < 270; stage++) p.fn.pfnSetTexture(p.dev(), stage, nullptr);
  p.destroy(system);  // its memory is freed
  p.flush();
}

}  // namespace aero::test
