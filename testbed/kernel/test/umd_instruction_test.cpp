// SPDX-License-Identifier: MIT
// Measures the cost of a draw: instructions of the shipped library, counted by single-stepping, and bytes of
// packets. docs/develop/performance.md.
#include <cstdio>

#include "guest-drivers/umd-d3d9/test/umd_test.h"
#include "testbed/kernel/test/shipped_library.h"

/** Opens the shipped library's adapter, not that of the files compiled for Linux. */
extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* args) {
  return reinterpret_cast<decltype(&OpenAdapter)>(aero::test::shippedExport("OpenAdapter"))(args);
}

namespace aero::test {
namespace {

class UmdShipped : public Umd {
protected:
  void SetUp() override {
    kernel.spaces = true;
    rt.commandBytes = 65536;  // no batch ends within a draw
    rt.listEntries = 64;
    Umd::SetUp();
    prepare();
    for (HANDLE& texture : textures) texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture());
    change();
    draw();
    p.flush();
    rt.takePackets();
  }
  /** Changes to another texture and four other constants. */
  void change() {
    p.fn.pfnSetTexture(p.dev(), 0, textures[++m_changes % 2]);
    float constants[4][4];
    for (auto& constant : constants)
      for (float& value : constant) value = static_cast<float>(m_changes);
    const D3DDDIARG_SETVERTEXSHADERCONST args = {8, 4};
    p.fn.pfnSetVertexShaderConst(p.dev(), &args, constants);
  }
  void draw() {
    const D3DDDIARG_DRAWPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 2};
    p.fn.pfnDrawPrimitive(p.dev(), &args, nullptr);
  }

  HANDLE textures[2] = {};

private:
  uint32_t m_changes = 0;
};

TEST_F(UmdShipped, ADrawThatChangesNothing) {
  const uint32_t steps = stepsOf([this] { draw(); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw that changes nothing: %u instructions, %zu bytes\n", steps, bytes);
  EXPECT_GT(steps, 20u);
  EXPECT_LT(steps, 200u);
  EXPECT_LT(bytes, 40u);
}

TEST_F(UmdShipped, ADrawBehindAnotherTextureAndFourConstants) {
  const uint32_t setters = stepsOf([this] { change(); }), drawn = stepsOf([this] { draw(); });
  const auto packets = flushed();
  EXPECT_EQ(count(packets, AEROGPU_CMD_SET_TEXTURE), 1u);
  EXPECT_EQ(count(packets, AEROGPU_CMD_SET_SHADER_CONSTANTS_F), 1u);
  EXPECT_EQ(count(packets, AEROGPU_CMD_DRAW), 1u);
  std::printf(
      "a draw behind another texture and four constants: %u instructions, %u of them of the setters, %zu "
      "bytes\n",
      setters + drawn, setters, bytesOf(packets));
  EXPECT_LT(setters + drawn, 500u);
  EXPECT_LT(bytesOf(packets), 150u);
}

// Like games draw moving objects: a range of a dynamic buffer that no draw has read yet.
TEST_F(UmdShipped, ADrawBehindALockedRange) {
  constexpr uint32_t kBytes = 6 * sizeof(Vertex);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = vertices;
  lock.Flags.RangeValid = 1;
  lock.Flags.NoOverwrite = 1;
  lock.Range = {2 * kBytes, kBytes};
  const uint32_t locked = stepsOf([&] { p.fn.pfnLock(p.dev(), &lock); });
  memset(lock.pSurfData, 1, kBytes);
  D3DDDIARG_UNLOCK unlock = {};
  unlock.hResource = vertices;
  const uint32_t unlocked = stepsOf([&] { p.fn.pfnUnlock(p.dev(), &unlock); });
  const D3DDDIARG_DRAWPRIMITIVE args = {D3DPT_TRIANGLELIST, 12, 2};
  const uint32_t drawn = stepsOf([&] { p.fn.pfnDrawPrimitive(p.dev(), &args, nullptr); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw behind a locked range: %u instructions, %u of them of Lock, %u of Unlock; %zu bytes\n",
              locked + unlocked + drawn, locked, unlocked, bytes);
  EXPECT_LT(locked + unlocked + drawn, 550u);
  EXPECT_LT(bytes, kBytes + 64);
}

// Programs have thousands of these: a small texture that is made, written once and destroyed.
TEST_F(UmdShipped, ASmallTextureFromItsBeginToItsEnd) {
  constexpr uint32_t kEdge =
      16;  // so that no copy is a repeated instruction, which traps at each of its steps
  const std::vector<uint32_t> pixels(size_t{kEdge} * kEdge, 0xFF123456);
  rt.calls.clear();
  HANDLE texture = nullptr;
  const uint32_t made =
      stepsOf([&] { texture = p.resource(D3DDDIFMT_A8R8G8B8, kEdge, kEdge, Program::texture()); });
  const uint32_t written = stepsOf([&] { p.write(texture, 0, kEdge, kEdge, pixels); });
  const uint32_t ended = stepsOf([&] { p.destroy(texture); });
  p.flush();
  const int asked = rt.calls["Allocate"] + rt.calls["Deallocate"] + rt.calls["Lock"] + rt.calls["Unlock"];
  std::printf("a small texture: %u instructions to make, %u to write, %u to end; %d calls of the kernel\n",
              made, written, ended, asked);
  EXPECT_EQ(asked, 0);
  EXPECT_LT(made + written + ended, 2600u);
}

}  // namespace
}  // namespace aero::test

int main(int argc, char** argv) {
  return aero::test::runShipped(argc, argv);
}
