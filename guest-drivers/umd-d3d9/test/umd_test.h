// SPDX-License-Identifier: MIT
// Test support: a device of the driver on the tests' runtime and kernel, without a GPU.
#pragma once

#include <cstring>

#include "aerogpu/d3d9/assembler.h"
#include "guest-drivers/umd-common/linux/linux_heap.h"
#include "guest-drivers/umd-d3d9/test/program.h"

namespace aero::test {

using aerogpu::d3d9::assemble;

class Umd : public ::testing::Test {
protected:
  void SetUp() override {
    rt.open();
    ASSERT_NE(rt.device, nullptr);
  }
  void TearDown() override {
    failHeapAfter(-1);
    rt.errors.clear();
    if (rt.device) rt.close();
    EXPECT_TRUE(kernel.allocations.empty()) << kernel.allocations.size() << " allocations are left";
    EXPECT_EQ(heapBlocks(), 0u);
  }

  /** Sets the bindings that every draw reads. */
  void prepare() {
    p.fn.pfnSetVertexShaderFunc(p.dev(), p.shader(true, assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\n").tokens));
    p.fn.pfnSetPixelShader(p.dev(), p.shader(false, assemble("ps_2_0\nmov oC0, c0\n").tokens));
    p.fn.pfnSetVertexShaderDecl(p.dev(), p.vertexDeclaration());
    target = p.bindTarget(64, 64);
    vertices = p.buffer(64 * sizeof(Vertex), nullptr);
    p.stream(vertices, sizeof(Vertex));
  }
  std::vector<Packet> flushed() {
    p.flush();
    return rt.takePackets();
  }
  /** Calls GetCaps. `type` is a number, because a runtime may ask for more than D3DDDICAPS_TYPE holds. */
  HRESULT caps(UINT type, void *data, UINT bytes, const void *info = nullptr) {
    D3DDDIARG_GETCAPS args = {{}, info, data, bytes};
    std::memcpy(&args.Type, &type, sizeof type);
    return rt.adapterFunctions.pfnGetCaps(rt.adapter, &args);
  }

  FakeKernel kernel;
  FakeRuntime rt{kernel};
  Program p{rt};
  HANDLE target = nullptr, vertices = nullptr;
};

inline size_t count(const std::vector<Packet> &packets, uint32_t opcode) {
  size_t n = 0;
  for (const Packet &packet : packets) n += packet.opcode == opcode;
  return n;
}

inline size_t bytesOf(const std::vector<Packet> &packets) {
  size_t n = 0;
  for (const Packet &packet : packets) n += packet.bytes.size();
  return n;
}

}  // namespace aero::test
