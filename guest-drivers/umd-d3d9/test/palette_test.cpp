// SPDX-License-Identifier: MIT
// Tests what the driver announces of P8, the format of indices, to each runtime, and its primaries and palettes without
// a GPU. The pixels are in palette_pixel_test.cpp and directdraw_pixel_test.cpp.
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

class UmdPalette : public ::testing::Test {
protected:
  void start(UINT interfaceNumber, bool palette) {
    aerogpu::test::Harness harness;
    kernel.giveBlock(harness);
    kernel.featuresHigh |= palette ? AEROGPU_EXT_FEATURE_HI_PALETTE : 0u;
    rt.interfaceNumber = interfaceNumber;
    rt.open();
    ASSERT_NE(rt.device, nullptr);
  }
  void TearDown() override {
    failHeapAfter(-1);
    if (rt.device) rt.close();
    EXPECT_TRUE(kernel.allocations.empty());
    EXPECT_EQ(heapBlocks(), 0u);
  }
  uint32_t operations() {
    UINT count = 0;
    D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETFORMATCOUNT, nullptr, &count, sizeof count};
    EXPECT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &args), 0);
    std::vector<FORMATOP> rows(count);
    args = {D3DDDICAPS_GETFORMATDATA, nullptr, rows.data(), static_cast<UINT>(count * sizeof(FORMATOP))};
    EXPECT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &args), 0);
    uint32_t all = 0;
    for (const FORMATOP &row : rows) all |= row.Format == D3DDDIFMT_P8 ? row.Operations : 0;
    return all;
  }

  FakeKernel kernel;
  FakeRuntime rt{kernel};
  Program p{rt};
};

// VirtualBox's driver lists P8 with DISPLAYMODE (GaWddm.cpp); programs ask for textures of it before Direct3D 8.
TEST_F(UmdPalette, RuntimesBeforeDirect3d8HaveModesAndTexturesOfIndices) {
  for (const UINT number : {7u, 8u, 9u})
    for (const bool palette : {false, true}) {
      SCOPED_TRACE(number);
      start(number, palette);
      const uint32_t old = FORMATOP_TEXTURE | (palette ? FORMATOP_DISPLAYMODE : 0u);
      EXPECT_EQ(operations(), FORMATOP_OFFSCREENPLAIN | (number == 7 ? old : 0u)) << palette;
      HANDLE texture = nullptr;
      EXPECT_EQ(p.tryResource(D3DDDIFMT_P8, 16, 16, Program::texture(), texture) == 0, number == 7);
      if (texture) p.destroy(texture);
      rt.close();
      kernel = FakeKernel();
    }
}

// With handle spaces the kernel driver makes the textures of primaries, of the format that has the indices (PRIV-30).
TEST_F(UmdPalette, APrimaryOfIndicesIsDescribedAsOne) {
  for (const bool spaces : {false, true}) {
    SCOPED_TRACE(spaces);
    kernel.spaces = spaces;
    start(7, true);
    HANDLE primary = p.resource(D3DDDIFMT_P8, 100, 50, Program::primary());
    ASSERT_EQ(kernel.allocations.size(), 1u);
    aerogpu_wddm_alloc_priv_v2 priv;
    memcpy(&priv, kernel.allocations.begin()->second.priv.data(), sizeof priv);
    EXPECT_EQ(priv.format, static_cast<uint32_t>(D3DDDIFMT_P8));
    EXPECT_EQ(priv.width, 100u);
    EXPECT_EQ(priv.height, 50u);
    EXPECT_EQ(priv.row_pitch_bytes, 128u);
    EXPECT_EQ(priv.size_bytes, 128u * 50);
    EXPECT_TRUE(priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY);
    p.flush();
    const auto packets = rt.takePackets();
    EXPECT_EQ(count(packets, AEROGPU_CMD_IMPORT_SHARED_SURFACE), spaces ? 1u : 0u);
    for (const Packet &packet : packets) {
      if (packet.opcode == AEROGPU_CMD_CREATE_TEXTURE2D) {
        EXPECT_EQ(packet.as<aerogpu_cmd_create_texture2d>().format, uint32_t{AEROGPU_FORMAT_D3D9_L8});
      }
    }
    p.destroy(primary);
    rt.close();
    kernel = FakeKernel();
  }
}

// A palette is made by either call, and bounds are checked: nothing else is written to.
TEST_F(UmdPalette, CallsForAnyPaletteInAnyOrderAreTaken) {
  start(7, true);
  HANDLE texture = p.resource(D3DDDIFMT_P8, 4, 4, Program::texture());
  std::vector<PALETTEENTRY> colors(256);
  for (const UINT palette : {1u, 70000u, 1u, 0xFFFFFFFFu})
    for (const UINT first : {0u, 255u, 256u, 0xFFFFFFFFu}) {
      const D3DDDIARG_UPDATEPALETTE update = {palette, first, 256};
      EXPECT_EQ(p.fn.pfnUpdatePalette(p.dev(), &update, colors.data()), 0);
      const D3DDDIARG_SETPALETTE set = {palette, D3DDDISETPALETTE_256, first % 2 ? texture : nullptr};
      EXPECT_EQ(p.fn.pfnSetPalette(p.dev(), &set), 0);
    }
  const D3DDDIARG_SETPALETTE none = {0, 0, texture};
  EXPECT_EQ(p.fn.pfnSetPalette(p.dev(), &none), 0);
  failHeapAfter(0);
  const D3DDDIARG_UPDATEPALETTE update = {2, 0, 1};
  EXPECT_EQ(p.fn.pfnUpdatePalette(p.dev(), &update, colors.data()), kOutOfMemory);
  const D3DDDIARG_SETPALETTE set = {3, 0, texture};
  EXPECT_EQ(p.fn.pfnSetPalette(p.dev(), &set), kOutOfMemory);
  failHeapAfter(-1);
  p.destroy(texture);
}

}  // namespace
}  // namespace aero::test
