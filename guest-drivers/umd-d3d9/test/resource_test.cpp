// SPDX-License-Identifier: MIT
// Tests CreateResource: which kinds of resources there are. Pages "PFND3DDDI_CREATERESOURCE" and
// "D3DDDI_RESOURCEFLAGS".
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

constexpr D3DDDIFORMAT kShown = D3DDDIFMT_X8R8G8B8;

class UmdKinds : public Umd {
protected:
  HRESULT make(D3DDDIFORMAT format, uint32_t flags) {
    HANDLE made = nullptr;
    const HRESULT result = p.tryResource(format, 16, 16, flags, made);
    if (made) p.destroy(made);
    return result;
  }
  static uint32_t video() {
    return Program::flag([](auto &f) { f.Video = 1; });
  }
};

// Players ask for swap chains of video (D3DPRESENTFLAG_VIDEO). Microsoft's own driver of this interface, D3D9On12,
// looks at the flag as little as at the other hints here.
TEST_F(UmdKinds, HintsChangeNothing) {
  const uint32_t hints[] = {video(),
                            Program::flag([](auto &f) { f.CpuOptimized = 1; }),
                            Program::flag([](auto &f) { f.HintStatic = 1; }),
                            Program::flag([](auto &f) { f.WriteOnly = 1; }),
                            Program::flag([](auto &f) { f.NotLockable = 1; }),
                            Program::flag([](auto &f) { f.DiscardRenderTarget = 1; }),
                            Program::flag([](auto &f) { f.RestrictSharedAccess = 1; })};
  for (const uint32_t hint : hints) {
    SCOPED_TRACE(hint);
    EXPECT_EQ(make(kShown, hint | Program::target()), 0);
    EXPECT_EQ(make(kShown, hint | Program::target() | Program::texture()), 0);
    EXPECT_EQ(make(kShown, hint | Program::target() | Program::shared()), 0);
  }
  for (const uint32_t hint : {Program::flag([](auto &f) { f.MatchGdiPrimary = 1; }),
                              Program::flag([](auto &f) { f.InterlacedRefresh = 1; }), video()}) {
    SCOPED_TRACE(hint);
    EXPECT_EQ(make(kShown, hint | Program::target() | Program::primary()), 0);
  }
}

TEST_F(UmdKinds, SurfacesOfVideoUnitsAreTargets) {
  const uint32_t units[] = {Program::flag([](auto &f) { f.VideoProcessRenderTarget = 1; }),
                            Program::flag([](auto &f) { f.DecodeRenderTarget = 1; })};
  for (const uint32_t unit : units) {
    SCOPED_TRACE(unit);
    HANDLE drawn = nullptr;
    ASSERT_EQ(p.tryResource(kShown, 16, 16, unit, drawn), 0);
    rt.takePackets();
    p.setTarget(drawn, 16, 16);
    p.clear(0xFF0000FF);
    EXPECT_EQ(count(flushed(), AEROGPU_CMD_CLEAR), 1u);
    D3DDDIARG_SETRENDERTARGET none = {};
    EXPECT_EQ(p.fn.pfnSetRenderTarget(p.dev(), &none), 0);
    p.destroy(drawn);
    EXPECT_EQ(make(kShown, unit | Program::texture() | Program::target()), 0);
    EXPECT_EQ(make(D3DDDIFMT_DXT1, unit), kNotAvailable) << "nothing draws to this format";
  }
}

// Page "PFND3DDDI_CREATERESOURCE": what is in reserved members must not influence a driver.
TEST_F(UmdKinds, ReservedMembersMeanNothing) {
  D3DDDI_SURFACEINFO surface = {};
  surface.Width = surface.Height = 16;
  uint8_t memory[16 * 16 * 4];
  const auto create = [&](uint32_t flags, D3DDDIFORMAT format, D3DDDI_POOL pool) {
    D3DDDIARG_CREATERESOURCE args = {};
    args.Format = format;
    args.Pool = pool;
    args.pSurfList = &surface;
    args.SurfCount = 1;
    args.hResource = &args;
    args.Flags.Value = flags;
    args.MultisampleType = D3DDDIMULTISAMPLE_4_SAMPLES;
    args.MultisampleQuality = 7;
    args.MipLevels = flags & Program::texture() ? 1 : 9;
    args.Fvf = 0x112;
    args.RefreshRate = {59, 1};
    args.VidPnSourceId = 7;
    const HRESULT result = p.fn.pfnCreateResource(p.dev(), &args);
    return result == 0 ? args.hResource : nullptr;
  };
  for (const uint32_t flags : {0u, Program::texture(), Program::texture() | Program::dynamic(), Program::shared()}) {
    SCOPED_TRACE(flags);
    HANDLE made = create(flags, kShown, D3DDDIPOOL_VIDEOMEMORY);
    ASSERT_NE(made, nullptr);
    p.destroy(made);
  }
  HANDLE bits = create(0, D3DDDIFMT_A1, D3DDDIPOOL_VIDEOMEMORY);
  EXPECT_NE(bits, nullptr);
  p.destroy(bits);
  for (const uint32_t flags : {Program::vertices(), Program::indices()}) {
    HANDLE buffer =
        create(flags, flags == Program::vertices() ? D3DDDIFMT_VERTEXDATA : D3DDDIFMT_INDEX16, D3DDDIPOOL_VIDEOMEMORY);
    EXPECT_NE(buffer, nullptr);
    p.destroy(buffer);
  }
  surface.pSysMem = memory;
  surface.SysMemPitch = 64;
  HANDLE plain = create(0, kShown, D3DDDIPOOL_SYSTEMMEM);
  ASSERT_NE(plain, nullptr);
  HANDLE texture = p.resource(kShown, 16, 16, Program::texture());
  memset(memory, 0x5A, sizeof memory);
  const RECT all = {0, 0, 16, 16};
  EXPECT_EQ(p.blt(plain, all, texture, all), 0);
  EXPECT_EQ(count(flushed(), AEROGPU_CMD_UPLOAD_RESOURCE), 1u);
  p.destroy(texture);
  p.destroy(plain);
}

TEST_F(UmdKinds, KindsThatAreNotAnnouncedAreRefused) {
  for (const uint32_t kind :
       {Program::flag([](auto &f) { f.CaptureBuffer = 1; }),
        Program::flag([](auto &f) { f.DecodeCompressedBuffer = 1; }), Program::flag([](auto &f) { f.Overlay = 1; }),
        Program::flag([](auto &f) { f.RestrictedContent = 1; })})
    EXPECT_EQ(make(kShown, kind | Program::target()), kNotAvailable) << kind;
}

}  // namespace
}  // namespace aero::test
