// SPDX-License-Identifier: MIT
// Tests presents, and submissions that end a frame for the compositor. Pages "PFND3DDDI_PRESENT" and "PFND3DDDI_FLUSH".
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

TEST_F(Umd, APresentSubmitsFirstAndNamesItsAllocations) {
  prepare();
  p.clear(1);
  const D3DKMT_HANDLE allocation = kernel.allocations.rbegin()->first;
  rt.takePackets();
  D3DDDIARG_PRESENT present = {};
  present.hSrcResource = target;
  present.Flags.Blt = 1;
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0);
  ASSERT_EQ(rt.presents.size(), 1u);
  EXPECT_EQ(rt.presents[0].hSrcAllocation, allocation);
  EXPECT_EQ(rt.presents[0].hDstAllocation, 0u);
  EXPECT_EQ(count(rt.takePackets(), AEROGPU_CMD_CLEAR), 1u);
  rt.errors["Present"] = kDeviceRemoved;
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), kDeviceRemoved);
  rt.errors.clear();
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0) << "also when nothing was drawn";
}

TEST_F(Umd, APresentOfTheRuntimesMemoryShowsACopy) {
  std::vector<uint32_t> memory(size_t{16} * 8, 0xFF112233);
  HANDLE plain =
      p.resource(D3DDDIFMT_X8R8G8B8, 16, 8, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), 16 * sizeof(uint32_t));
  D3DDDIARG_PRESENT present = {};
  present.hSrcResource = plain;
  present.Flags.Blt = 1;
  for (const uint32_t color : {0xFF112233u, 0xFF445566u}) {
    std::fill(memory.begin(), memory.end(), color);  // without a word to the driver
    rt.takePackets();
    EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0);
    ASSERT_FALSE(rt.presents.empty());
    EXPECT_NE(rt.presents.back().hSrcAllocation, 0u);
    const auto packets = rt.takePackets();
    ASSERT_EQ(count(packets, AEROGPU_CMD_UPLOAD_RESOURCE), 1u);
    ASSERT_EQ(count(packets, AEROGPU_CMD_EXT_BLIT), 1u) << "into memory that the kernel driver shows";
    for (const Packet &packet : packets)
      if (packet.opcode == AEROGPU_CMD_UPLOAD_RESOURCE) {
        uint32_t first = 0;
        memcpy(&first, &packet.bytes[sizeof(aerogpu_cmd_upload_resource)], sizeof first);
        EXPECT_EQ(first, color);
      }
  }
  p.destroy(plain);
}

TEST_F(Umd, APresentMayHaveADestinationOrNoSource) {
  prepare();
  HANDLE primary = p.resource(D3DDDIFMT_X8R8G8B8, 64, 48, Program::target());
  const D3DKMT_HANDLE shown = kernel.allocations.rbegin()->first;
  D3DDDIARG_PRESENT known = {};
  known.hSrcResource = target;
  known.hDstResource = primary;
  known.Flags.Blt = 1;
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &known), 0);
  ASSERT_EQ(rt.presents.size(), 1u);
  EXPECT_NE(rt.presents[0].hSrcAllocation, 0u);
  EXPECT_EQ(rt.presents[0].hDstAllocation, shown);
  D3DDDIARG_PRESENT fill = {};
  fill.Flags.ColorFill = 1;
  p.clear(1);
  rt.takePackets();
  EXPECT_EQ(p.fn.pfnPresent(p.dev(), &fill), 0);
  ASSERT_EQ(rt.presents.size(), 2u);
  EXPECT_EQ(rt.presents[1].hSrcAllocation, 0u);
  EXPECT_EQ(rt.presents[1].hDstAllocation, 0u);
  EXPECT_EQ(count(rt.takePackets(), AEROGPU_CMD_CLEAR), 1u) << "what was drawn before comes first";
  p.destroy(primary);
}

TEST_F(Umd, BackBuffersAreSurfacesOfOneResource) {
  std::vector<D3DDDI_SURFACEINFO> surfaces(3, D3DDDI_SURFACEINFO{64, 48, 0, nullptr, 0, 0});
  D3DDDIARG_CREATERESOURCE args = {};
  args.Format = D3DDDIFMT_X8R8G8B8;
  args.Pool = D3DDDIPOOL_VIDEOMEMORY;
  args.pSurfList = surfaces.data();
  args.SurfCount = 3;
  args.hResource = reinterpret_cast<HANDLE>(uintptr_t{0x99});
  args.Flags.RenderTarget = args.Flags.Primary = 1;
  ASSERT_EQ(p.fn.pfnCreateResource(p.dev(), &args), 0);
  EXPECT_EQ(kernel.allocations.size(), 3u);
  EXPECT_EQ(rt.calls["Allocate"], 1) << "a resource does not grow";
  std::set<D3DKMT_HANDLE> shown;
  for (UINT i = 0; i < 3; i++) {
    D3DDDIARG_PRESENT present = {};
    present.hSrcResource = args.hResource;
    present.SrcSubResourceIndex = i;
    present.Flags.Flip = 1;
    EXPECT_EQ(p.fn.pfnPresent(p.dev(), &present), 0);
    shown.insert(rt.presents.back().hSrcAllocation);
    const D3DDDIARG_SETDISPLAYMODE mode = {args.hResource, i};
    EXPECT_EQ(p.fn.pfnSetDisplayMode(p.dev(), &mode), 0);
    EXPECT_EQ(rt.displayModes.back(), rt.presents.back().hSrcAllocation);
  }
  EXPECT_EQ(shown.size(), 3u);
  p.destroy(args.hResource);
}

TEST_F(Umd, TheSubmissionThatEndsAFrameForTheCompositorIsNeverLeftOut) {
  prepare();
  HANDLE window = p.resource(D3DDDIFMT_X8R8G8B8, 64, 64, Program::target());
  D3DDDI_BLTFLAGS flags = {};
  flags.BeginPresentToDwm = flags.EndPresentToDwm = 1;
  EXPECT_EQ(p.blt(target, {0, 0, 64, 64}, window, {0, 0, 64, 64}, flags.Value), 0);
  p.flush();
  rt.calls.clear();
  p.flush();
  EXPECT_EQ(rt.calls["Render"], 0) << "an empty flush is cheap";
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = window;
  fill.Flags.PresentToDwm = 1;  // a fill of no pixel
  EXPECT_EQ(p.fn.pfnColorFill(p.dev(), &fill), 0);
  p.flush();
  EXPECT_EQ(rt.calls["Render"], 1);
}

}  // namespace
}  // namespace aero::test
