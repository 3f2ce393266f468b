// SPDX-License-Identifier: MIT
// Tests CreateResource: which kinds of resources there are. Pages "PFND3DDDI_CREATERESOURCE" and
// "D3DDDI_RESOURCEFLAGS".
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

constexpr D3DDDIFORMAT kShown = D3DDDIFMT_X8R8G8B8;

class UmdResources : public Umd {
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
TEST_F(UmdResources, HintsChangeNothing) {
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

TEST_F(UmdResources, SurfacesOfVideoUnitsAreTargets) {
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

TEST_F(UmdResources, KindsThatAreNotAnnouncedAreRefused) {
  for (const uint32_t kind :
       {Program::flag([](auto &f) { f.CaptureBuffer = 1; }),
        Program::flag([](auto &f) { f.DecodeCompressedBuffer = 1; }), Program::flag([](auto &f) { f.Overlay = 1; }),
        Program::flag([](auto &f) { f.RestrictedContent = 1; })})
    EXPECT_EQ(make(kShown, kind | Program::target()), kNotAvailable) << kind;
}

}  // namespace
}  // namespace aero::test
