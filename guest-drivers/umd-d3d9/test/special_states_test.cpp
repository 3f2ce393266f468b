// SPDX-License-Identifier: MIT
// Tests states whose value is a number of a vendor, or whose effect depends on what is bound.
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

constexpr uint32_t fourcc(const char (&name)[5]) {
  return static_cast<uint32_t>(name[0]) | static_cast<uint32_t>(name[1]) << 8 | static_cast<uint32_t>(name[2]) << 16 |
         static_cast<uint32_t>(name[3]) << 24;
}

class UmdSpecialStates : public Umd {
protected:
  /** Returns the packets of the next draw. */
  std::vector<Packet> drawn() {
    rt.takePackets();
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
    return flushed();
  }
};

TEST_F(UmdSpecialStates, FogInWAndAlphaToCoverageAreNumbersOfTheirOwn) {
  prepare();
  drawn();
  const auto sent = [&] {
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (const Packet &packet : drawn())
      if (packet.opcode == AEROGPU_CMD_EXT_SET_STATE) {
        const auto state = packet.as<aerogpu_cmd_ext_set_state>();
        out.emplace_back(state.state, state.value);
      }
    return out;
  };
  using Sent = std::vector<std::pair<uint32_t, uint32_t>>;
  D3DDDIARG_WINFO info = {1, 1};
  EXPECT_EQ(p.fn.pfnUpdateWInfo(p.dev(), &info), 0);
  EXPECT_EQ(sent(), Sent{}) << "affine: z";
  info = {0.5f, 100};
  EXPECT_EQ(p.fn.pfnUpdateWInfo(p.dev(), &info), 0);
  EXPECT_EQ(sent(), (Sent{{AEROGPU_EXT_STATE_FOG_W, 1}}));
  EXPECT_EQ(p.fn.pfnUpdateWInfo(p.dev(), &info), 0);
  EXPECT_EQ(sent(), Sent{});
  // One vendor's programs set POINTSIZE, the other's set ADAPTIVETESS_Y together with the alpha test.
  p.state(154, fourcc("A2M1"));
  EXPECT_EQ(sent(), (Sent{{AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 1}}));
  p.state(154, fourcc("A2M0"));
  EXPECT_EQ(sent(), (Sent{{AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 0}}));
  p.state(181, fourcc("ATOC"));
  EXPECT_EQ(sent(), Sent{});
  p.state(15, 1);  // ALPHATESTENABLE
  EXPECT_EQ(sent(), (Sent{{AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 1}}));
  p.state(181, 0);
  EXPECT_EQ(sent(), (Sent{{AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 0}}));
}

// D24X8 and DF24 have no stencil to Direct3D, so what a program leaves in the states of one has no effect.
TEST_F(UmdSpecialStates, DepthWithoutStencilSwitchesTheStencilOff) {
  prepare();
  constexpr uint32_t kStencilEnable = 52;
  const auto sent = [&] {
    std::vector<uint32_t> out;
    for (const Packet &packet : drawn())
      if (packet.opcode == AEROGPU_CMD_SET_RENDER_STATE) {
        const auto state = packet.as<aerogpu_cmd_set_render_state>();
        if (state.state == kStencilEnable) out.push_back(state.value);
      }
    return out;
  };
  using Values = std::vector<uint32_t>;
  HANDLE with = p.resource(D3DDDIFMT_D24S8, 64, 64, Program::depth());
  HANDLE without = p.resource(D3DDDIFMT_D24X8, 64, 64, Program::depth());
  const auto bind = [&](HANDLE depth) {
    const D3DDDIARG_SETDEPTHSTENCIL set = {depth};
    EXPECT_EQ(p.fn.pfnSetDepthStencil(p.dev(), &set), 0);
  };
  sent();
  bind(without);
  p.state(kStencilEnable, 1);
  EXPECT_EQ(sent(), Values{});
  bind(with);
  EXPECT_EQ(sent(), Values{1});
  bind(without);
  EXPECT_EQ(sent(), Values{0});
  EXPECT_EQ(sent(), Values{});
  bind(nullptr);
  EXPECT_EQ(sent(), Values{1}) << "without a depth target it does not matter";
}

// Drivers of others take FOURCCs as point sizes, which are NaNs as floats: such a size leaves the last one.
TEST_F(UmdSpecialStates, ASizeOfPointsIsANumber) {
  prepare();
  constexpr uint32_t kPointSize = 154;
  const auto sent = [&] {
    std::vector<uint32_t> out;
    for (const Packet &packet : drawn())
      if (packet.opcode == AEROGPU_CMD_SET_RENDER_STATE) {
        const auto state = packet.as<aerogpu_cmd_set_render_state>();
        if (state.state == kPointSize) out.push_back(state.value);
      }
    return out;
  };
  sent();
  p.state(kPointSize, 0x40000000);
  EXPECT_EQ(sent(), std::vector<uint32_t>{0x40000000});
  for (const uint32_t nan : {0x7FA05000u, 0x7F800001u, 0xFFC00000u, 0xFFFFFFFFu}) {
    p.state(kPointSize, nan);
    EXPECT_EQ(sent(), std::vector<uint32_t>{}) << nan;
  }
  p.state(kPointSize, 0x7F800000);  // infinite
  EXPECT_EQ(sent(), std::vector<uint32_t>{0x7F800000});
}

}  // namespace
}  // namespace aero::test
