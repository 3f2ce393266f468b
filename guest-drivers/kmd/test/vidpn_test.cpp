// SPDX-License-Identifier: MIT
// Tests the VidPN functions against the strict manager of vidpn_manager_fake.h, by the rules of the pages of
// DXGK_VIDPN_INTERFACE and of "Enumerating Cofunctional VidPN Source and Target Modes".
#include "guest-drivers/kmd/display/vidpn.h"

#include <gtest/gtest.h>

#include <vector>

#include "guest-drivers/kmd/test/vidpn_manager_fake.h"

namespace {

using namespace aero;

class VidPnTest : public testing::Test {
protected:
  VidPnTest() {
    g = &m_manager;
    m_modes.fill({1440, 900}, uint64_t{16} << 20);
  }
  ~VidPnTest() override {
    EXPECT_EQ(m_manager.lent(), 0u) << "something that was lent was not given back";
    g = nullptr;
  }

  VidPn vidPn() { return {queryInterface, m_modes, {60, 1}, m_palette}; }

  void addOurPath() {
    D3DKMDT_VIDPN_PRESENT_PATH path = {};
    path.ContentTransformation.Scaling = D3DKMDT_VPPS_NOTSPECIFIED;
    path.ContentTransformation.Rotation = D3DKMDT_VPPR_NOTSPECIFIED;
    path.GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
    m_manager.paths.push_back(path);
  }
  void pinSourceMode(uint32_t width, uint32_t height, D3DDDIFORMAT format = D3DDDIFMT_X8R8G8B8, uint32_t stride = 0) {
    D3DKMDT_VIDPN_SOURCE_MODE mode = {};
    mode.Id = 100;
    mode.Type = D3DKMDT_RMT_GRAPHICS;
    mode.Format.Graphics.PrimSurfSize = mode.Format.Graphics.VisibleRegionSize = {width, height};
    mode.Format.Graphics.PixelFormat = format;
    mode.Format.Graphics.Stride = stride ? stride : width * (format == D3DDDIFMT_R5G6B5 ? 2 : 4);
    m_manager.source->sources = {mode};
    m_manager.source->pinned = 100;
  }
  void pinTargetMode(uint32_t width, uint32_t height) {
    D3DKMDT_VIDPN_TARGET_MODE mode = {};
    mode.Id = 200;
    mode.VideoSignalInfo.ActiveSize = {width, height};
    m_manager.target->targets = {mode};
    m_manager.target->pinned = 200;
  }
  NTSTATUS enumerate(D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot = D3DKMDT_EPT_NOPIVOT, UINT source = 0,
                     UINT target = 0) {
    DXGKARG_ENUMVIDPNCOFUNCMODALITY args = {};
    args.hConstrainingVidPn = vidPnHandle();
    args.EnumPivotType = pivot;
    args.EnumPivot = {source, target};
    return vidPn().enumCofuncModality(args);
  }
  bool supported(NTSTATUS want = STATUS_SUCCESS) {
    BOOLEAN answer = 77;
    EXPECT_EQ(vidPn().isSupported(vidPnHandle(), answer), want);
    EXPECT_TRUE(answer == TRUE || answer == FALSE);
    return answer;
  }

  Manager m_manager;
  ModeList m_modes;
  bool m_palette = false;
};

TEST_F(VidPnTest, NothingIsSupported) {
  BOOLEAN answer = FALSE;
  EXPECT_EQ(vidPn().isSupported(nullptr, answer), STATUS_SUCCESS);
  EXPECT_EQ(answer, TRUE);
  EXPECT_TRUE(supported()) << "an empty topology";
}

TEST_F(VidPnTest, OurPathIsSupportedWithWhateverFitsPinned) {
  addOurPath();
  EXPECT_TRUE(supported());
  pinTargetMode(1024, 768);
  EXPECT_TRUE(supported());
  pinSourceMode(1024, 768);
  EXPECT_TRUE(supported());
  pinSourceMode(1024, 768, D3DDDIFMT_A8R8G8B8);
  EXPECT_TRUE(supported());
  pinSourceMode(1024, 768, D3DDDIFMT_R5G6B5);
  EXPECT_TRUE(supported());
}

TEST_F(VidPnTest, WhatTheDisplayCannotShowIsNotSupported) {
  addOurPath();
  pinSourceMode(1024, 768);
  pinTargetMode(1280, 1024);
  EXPECT_FALSE(supported()) << "no scaler";
  pinTargetMode(1024, 768);
  pinSourceMode(1024, 768, D3DDDIFMT_P8);
  EXPECT_FALSE(supported());
  pinSourceMode(1024, 768, D3DDDIFMT_X8R8G8B8, 1024 * 4 - 4);
  EXPECT_FALSE(supported()) << "stride";
  pinSourceMode(1023, 768);
  pinTargetMode(1023, 768);
  EXPECT_FALSE(supported()) << "no such mode";
  pinSourceMode(1024, 768);
  pinTargetMode(1024, 768);
  m_manager.source->sources[0].Type = D3DKMDT_RMT_TEXT;
  EXPECT_FALSE(supported());
}

TEST_F(VidPnTest, PinnedTransformationsHaveToBeIdentity) {
  addOurPath();
  auto &transformation = m_manager.paths[0].ContentTransformation;
  for (const auto scaling :
       {D3DKMDT_VPPS_CENTERED, D3DKMDT_VPPS_STRETCHED, D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX, D3DKMDT_VPPS_CUSTOM}) {
    transformation.Scaling = scaling;
    EXPECT_FALSE(supported()) << scaling;
  }
  for (const auto scaling :
       {D3DKMDT_VPPS_IDENTITY, D3DKMDT_VPPS_UNPINNED, D3DKMDT_VPPS_NOTSPECIFIED, D3DKMDT_VPPS_UNINITIALIZED}) {
    transformation.Scaling = scaling;
    EXPECT_TRUE(supported()) << scaling;
  }
  transformation.Rotation = D3DKMDT_VPPR_ROTATE90;
  EXPECT_FALSE(supported());
}

// Page "DxgkDdiIsSupportedVidPn": the answer is FALSE; the call fails only for invalid topologies.
TEST_F(VidPnTest, OtherTopologiesAreNotSupported) {
  addOurPath();
  m_manager.paths[0].VidPnSourceId = 1;
  EXPECT_FALSE(supported());
  m_manager.paths[0].VidPnSourceId = 0;
  m_manager.paths[0].VidPnTargetId = 5;
  EXPECT_FALSE(supported());
  m_manager.paths[0].VidPnTargetId = 0;
  addOurPath();
  EXPECT_FALSE(supported());
}

TEST_F(VidPnTest, WithoutPinsEveryModeIsOffered) {
  addOurPath();
  ASSERT_EQ(enumerate(), STATUS_SUCCESS);
  ASSERT_EQ(m_manager.target->targets.size(), m_modes.count());
  ASSERT_EQ(m_manager.source->sources.size(), 2 * m_modes.count());  // 32 and 16 bits a pixel
  for (size_t i = 0; i < m_modes.count(); i++) {
    const D3DKMDT_VIDEO_SIGNAL_INFO &signal = m_manager.target->targets[i].VideoSignalInfo;
    const Timing timing = timingOf(m_modes[i], {60, 1});
    EXPECT_EQ(signal.VideoStandard, D3DKMDT_VSS_VESA_CVT);
    EXPECT_EQ(signal.ActiveSize.cx, m_modes[i].width);
    EXPECT_EQ(signal.ActiveSize.cy, m_modes[i].height);
    EXPECT_EQ(signal.TotalSize.cx, timing.totalWidth);
    EXPECT_EQ(signal.TotalSize.cy, timing.totalHeight);
    EXPECT_EQ(signal.VSyncFreq.Numerator, 60 * signal.VSyncFreq.Denominator);
    EXPECT_EQ(signal.PixelRate, timing.pixelRate);
    EXPECT_EQ(signal.ScanLineOrdering, D3DDDI_VSSLO_PROGRESSIVE);
    EXPECT_EQ(m_manager.target->targets[i].Preference, i ? D3DKMDT_MP_NOTPREFERRED : D3DKMDT_MP_PREFERRED);
    for (size_t j = 0; j < 2; j++) {
      const D3DKMDT_VIDPN_SOURCE_MODE &mode = m_manager.source->sources[2 * i + j];
      const D3DKMDT_GRAPHICS_RENDERING_FORMAT &graphics = mode.Format.Graphics;
      EXPECT_EQ(mode.Type, D3DKMDT_RMT_GRAPHICS);
      EXPECT_EQ(graphics.PixelFormat, j ? D3DDDIFMT_R5G6B5 : D3DDDIFMT_X8R8G8B8);
      EXPECT_EQ(graphics.PrimSurfSize.cx, m_modes[i].width);
      EXPECT_EQ(graphics.PrimSurfSize.cy, m_modes[i].height);
      EXPECT_EQ(graphics.VisibleRegionSize.cx, m_modes[i].width);
      EXPECT_EQ(graphics.VisibleRegionSize.cy, m_modes[i].height);
      EXPECT_EQ(graphics.Stride, framePitch(m_modes[i].width, j ? 2 : 4));
      EXPECT_EQ(graphics.ColorBasis, D3DKMDT_CB_SRGB);
      EXPECT_EQ(graphics.PixelValueAccessMode, D3DKMDT_PVAM_DIRECT);
    }
  }
}

// Page "D3DKMDT_PIXEL_VALUE_ACCESS_MODE": the OS sets the palette of such a mode.
TEST_F(VidPnTest, ADisplayWithAPaletteOffersModesOfIndicesToo) {
  m_palette = true;
  addOurPath();
  ASSERT_EQ(enumerate(), STATUS_SUCCESS);
  ASSERT_EQ(m_manager.source->sources.size(), 3 * m_modes.count());
  for (size_t i = 0; i < m_modes.count(); i++) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT &graphics = m_manager.source->sources[3 * i + 2].Format.Graphics;
    EXPECT_EQ(graphics.PixelFormat, D3DDDIFMT_P8);
    EXPECT_EQ(graphics.PrimSurfSize.cx, m_modes[i].width);
    EXPECT_EQ(graphics.Stride, framePitch(m_modes[i].width, 1));
    EXPECT_EQ(graphics.PixelValueAccessMode, D3DKMDT_PVAM_SETTABLEPALETTE);
    EXPECT_EQ(m_manager.source->sources[3 * i].Format.Graphics.PixelValueAccessMode, D3DKMDT_PVAM_DIRECT);
  }
  pinTargetMode(1024, 768);
  pinSourceMode(1024, 768, D3DDDIFMT_P8, 1024);
  EXPECT_TRUE(supported());
  pinSourceMode(1024, 768, D3DDDIFMT_P8, 1023);
  EXPECT_FALSE(supported()) << "stride";
  PinnedMode pinned;
  pinSourceMode(1024, 768, D3DDDIFMT_P8, 1024);
  ASSERT_EQ(vidPn().readActive(vidPnHandle(), pinned), STATUS_SUCCESS);
  EXPECT_EQ(pinned.format, D3DDDIFMT_P8);
  EXPECT_EQ(pinned.pitch, 1024u);
}

TEST_F(VidPnTest, AnEmptyTopologyHasNothingToEnumerate) {
  EXPECT_EQ(enumerate(), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.sourceAssigned + m_manager.targetAssigned + m_manager.supportUpdated, 0);
}

TEST_F(VidPnTest, APinnedTargetLeavesItsSizeOnly) {
  addOurPath();
  pinTargetMode(1280, 1024);
  ASSERT_EQ(enumerate(), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.targetAssigned, 0) << "a set with a pinned mode stays";
  ASSERT_EQ(m_manager.source->sources.size(), 2u);
  for (const auto &mode : m_manager.source->sources) {
    EXPECT_EQ(mode.Format.Graphics.PrimSurfSize.cx, 1280u);
    EXPECT_EQ(mode.Format.Graphics.PrimSurfSize.cy, 1024u);
  }
}

TEST_F(VidPnTest, APinnedSourceLeavesItsSizeOnly) {
  addOurPath();
  pinSourceMode(800, 600);
  ASSERT_EQ(enumerate(), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.sourceAssigned, 0);
  ASSERT_EQ(m_manager.target->targets.size(), 1u);
  EXPECT_EQ(m_manager.target->targets[0].VideoSignalInfo.ActiveSize.cx, 800u);
  EXPECT_EQ(m_manager.target->targets[0].VideoSignalInfo.ActiveSize.cy, 600u);
}

TEST_F(VidPnTest, BothPinnedLeavesBoth) {
  addOurPath();
  pinSourceMode(800, 600);
  pinTargetMode(800, 600);
  EXPECT_EQ(enumerate(), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.sourceAssigned + m_manager.targetAssigned, 0);
}

TEST_F(VidPnTest, PinsThatCannotBeIsNotCofunctional) {
  addOurPath();
  pinSourceMode(800, 600);
  pinTargetMode(1024, 768);
  EXPECT_LT(enumerate(), 0);
  EXPECT_EQ(m_manager.sourceAssigned + m_manager.targetAssigned, 0);
}

TEST_F(VidPnTest, ThePivotStaysAsItIs) {
  addOurPath();
  ASSERT_EQ(enumerate(D3DKMDT_EPT_VIDPNSOURCE), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.sourceAssigned, 0);
  EXPECT_EQ(m_manager.targetAssigned, 1);
  ASSERT_EQ(enumerate(D3DKMDT_EPT_VIDPNTARGET), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.sourceAssigned, 1);
  EXPECT_EQ(m_manager.targetAssigned, 1);
  // The driver ignores another source or target as the pivot.
  ASSERT_EQ(enumerate(D3DKMDT_EPT_VIDPNSOURCE, 3), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.sourceAssigned, 2);
  EXPECT_EQ(m_manager.targetAssigned, 2);
}

TEST_F(VidPnTest, SupportIsWhatThereIs) {
  addOurPath();
  auto &transformation = m_manager.paths[0].ContentTransformation;
  transformation.ScalingSupport = {1, 1, 1, 1, 1};
  transformation.RotationSupport = {0, 1, 1, 1};
  ASSERT_EQ(enumerate(), STATUS_SUCCESS);
  EXPECT_EQ(transformation.ScalingSupport.Identity, 1u);
  EXPECT_EQ(transformation.ScalingSupport.Centered, 0u);
  EXPECT_EQ(transformation.ScalingSupport.Stretched, 0u);
  EXPECT_EQ(transformation.ScalingSupport.AspectRatioCenteredMax, 0u);
  EXPECT_EQ(transformation.ScalingSupport.Custom, 0u);
  EXPECT_EQ(transformation.RotationSupport.Identity, 1u);
  EXPECT_EQ(transformation.RotationSupport.Rotate90, 0u);
  EXPECT_EQ(m_manager.paths[0].CopyProtection.CopyProtectionSupport.NoProtection, 1u);
  EXPECT_EQ(transformation.Scaling, D3DKMDT_VPPS_NOTSPECIFIED) << "not pinned by us";
}

TEST_F(VidPnTest, PinnedOrPivotTransformationsKeepTheirSupportFlags) {
  addOurPath();
  auto &transformation = m_manager.paths[0].ContentTransformation;
  transformation.ScalingSupport = {1, 1, 1, 0, 0};
  transformation.RotationSupport = {1, 1, 0, 0};
  ASSERT_EQ(enumerate(D3DKMDT_EPT_SCALING), STATUS_SUCCESS);
  EXPECT_EQ(transformation.ScalingSupport.Stretched, 1u);
  EXPECT_EQ(transformation.RotationSupport.Rotate90, 0u);
  transformation.RotationSupport = {1, 1, 0, 0};
  ASSERT_EQ(enumerate(D3DKMDT_EPT_ROTATION), STATUS_SUCCESS);
  EXPECT_EQ(transformation.RotationSupport.Rotate90, 1u);
  EXPECT_EQ(transformation.ScalingSupport.Stretched, 0u);
  transformation.Scaling = D3DKMDT_VPPS_IDENTITY;
  transformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  transformation.ScalingSupport = {1, 1, 0, 0, 0};
  ASSERT_EQ(enumerate(), STATUS_SUCCESS);
  EXPECT_EQ(transformation.ScalingSupport.Centered, 1u);
  EXPECT_EQ(transformation.RotationSupport.Rotate90, 1u);
}

TEST_F(VidPnTest, TheRecommendedVidPnIsFunctional) {
  ASSERT_EQ(vidPn().recommendFunctional(vidPnHandle()), STATUS_SUCCESS);
  ASSERT_EQ(m_manager.paths.size(), 1u);
  EXPECT_EQ(m_manager.paths[0].VidPnSourceId, 0u);
  EXPECT_EQ(m_manager.paths[0].VidPnTargetId, 0u);
  EXPECT_EQ(m_manager.paths[0].ImportanceOrdinal, D3DKMDT_VPPI_PRIMARY);
  EXPECT_EQ(m_manager.paths[0].GammaRamp.Type, D3DDDI_GAMMARAMP_DEFAULT);
  EXPECT_EQ(m_manager.paths[0].CopyProtection.CopyProtectionType, D3DKMDT_VPPMT_NOPROTECTION);
  ASSERT_EQ(m_manager.source->sources.size(), 1u);
  ASSERT_EQ(m_manager.target->targets.size(), 1u);
  EXPECT_EQ(m_manager.source->pinned, m_manager.source->sources[0].Id);
  EXPECT_EQ(m_manager.target->pinned, m_manager.target->targets[0].Id);
  EXPECT_EQ(m_manager.source->sources[0].Format.Graphics.PrimSurfSize.cx, 1440u);
  EXPECT_EQ(m_manager.source->sources[0].Format.Graphics.PixelFormat, D3DDDIFMT_X8R8G8B8);
  // The driver itself accepts it.
  EXPECT_TRUE(supported());
  PinnedMode active;
  EXPECT_EQ(vidPn().readActive(vidPnHandle(), active), STATUS_SUCCESS);
  EXPECT_EQ(active.mode, (Mode{1440, 900}));
  EXPECT_EQ(active.pitch, framePitch(1440));
  // For a VidPN that is not empty it recommends nothing.
  EXPECT_EQ(vidPn().recommendFunctional(vidPnHandle()), STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN);
}

TEST_F(VidPnTest, TheTopologyIsOnePath) {
  EXPECT_EQ(vidPn().recommendTopology(vidPnHandle(), 4), STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY);
  EXPECT_EQ(vidPn().recommendTopology(vidPnHandle(), D3DDDI_ID_ALL), STATUS_SUCCESS);
  ASSERT_EQ(m_manager.paths.size(), 1u);
  EXPECT_EQ(vidPn().recommendTopology(vidPnHandle(), 0), STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY);
  EXPECT_EQ(m_manager.paths.size(), 1u);
}

TEST_F(VidPnTest, WhatBecomesActive) {
  PinnedMode active;
  EXPECT_EQ(vidPn().readActive(nullptr, active), STATUS_SUCCESS);
  EXPECT_EQ(active.mode.width, 0u);
  EXPECT_EQ(vidPn().readActive(vidPnHandle(), active), STATUS_SUCCESS);
  EXPECT_EQ(active.mode.width, 0u) << "an empty topology shows nothing";
  addOurPath();
  pinSourceMode(1024, 768, D3DDDIFMT_R5G6B5, 2304);
  pinTargetMode(1024, 768);
  EXPECT_EQ(vidPn().readActive(vidPnHandle(), active), STATUS_SUCCESS);
  EXPECT_EQ(active.mode, (Mode{1024, 768}));
  EXPECT_EQ(active.format, D3DDDIFMT_R5G6B5);
  EXPECT_EQ(active.pitch, 2304u);
}

/** Page "D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION": the commit gives this answer to an unsupported scaling. */
TEST_F(VidPnTest, ScalingThatIsNotThereIsRefusedAtCommit) {
  addOurPath();
  pinSourceMode(1024, 768);
  PinnedMode active;
  m_manager.paths[0].ContentTransformation.Scaling = D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX;
  EXPECT_EQ(vidPn().readActive(vidPnHandle(), active), STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED);
  m_manager.paths[0].ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
  pinTargetMode(800, 600);
  EXPECT_EQ(vidPn().readActive(vidPnHandle(), active), STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED);
  EXPECT_EQ(active.mode.width, 0u);
}

/** Page "DXGK_GAMMARAMPCAPS": a display without ramps takes only the one that changes nothing. */
TEST_F(VidPnTest, GammaRampsAreOfTheKindThatTheDisplayHas) {
  D3DKMDT_VIDPN_PRESENT_PATH path = {};
  for (const bool ramps : {false, true}) EXPECT_EQ(VidPn::checkUpdate(path, ramps), STATUS_SUCCESS);
  static D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp;
  for (int i = 0; i < 256; i++) ramp.Red[i] = ramp.Green[i] = ramp.Blue[i] = static_cast<USHORT>(i * 257);
  path.GammaRamp.Type = D3DDDI_GAMMARAMP_RGB256x3x16;
  path.GammaRamp.DataSize = sizeof ramp;
  path.GammaRamp.Data.pRgb256x3x16 = &ramp;
  for (const bool ramps : {false, true}) EXPECT_EQ(VidPn::checkUpdate(path, ramps), STATUS_SUCCESS);
  ramp.Green[128] += 0x200;
  EXPECT_EQ(VidPn::checkUpdate(path, false), STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED);
  EXPECT_EQ(VidPn::checkUpdate(path, true), STATUS_SUCCESS);
  path.GammaRamp.DataSize = sizeof ramp - 1;
  EXPECT_LT(VidPn::checkUpdate(path, true), 0);
  path.GammaRamp.DataSize = sizeof ramp;
  path.GammaRamp.Data.pRgb256x3x16 = nullptr;
  EXPECT_LT(VidPn::checkUpdate(path, true), 0);
  path.GammaRamp.Type = D3DDDI_GAMMARAMP_DXGI_1;
  EXPECT_LT(VidPn::checkUpdate(path, true), 0);
  // The ramp is no reason to refuse a mode.
  EXPECT_EQ(VidPn::checkPath(path), STATUS_SUCCESS);
}

class MonitorTest : public VidPnTest {
protected:
  NTSTATUS recommend(UINT target = 0) {
    static DXGK_MONITORSOURCEMODESET_INTERFACE os = {};
    os.pfnAcquirePreferredModeInfo = preferredMonitorMode;
    os.pfnCreateNewModeInfo = createMonitorMode;
    os.pfnAddMode = addMonitorMode;
    os.pfnReleaseModeInfo = releaseMonitorMode;
    DXGKARG_RECOMMENDMONITORMODES args = {};
    args.VideoPresentTargetId = target;
    args.hMonitorSourceModeSet = reinterpret_cast<D3DKMDT_HMONITORSOURCEMODESET>(&monitorObject);
    args.pMonitorSourceModeSetInterface = &os;
    return vidPn().recommendMonitorModes(args);
  }
  size_t preferred() const {
    size_t count = 0;
    for (const auto &mode : m_manager.monitorModes) count += mode.Preference == D3DKMDT_MP_PREFERRED;
    return count;
  }
};

TEST_F(MonitorTest, EveryModeIsAddedAsTheDrivers) {
  ASSERT_EQ(recommend(), STATUS_SUCCESS);
  ASSERT_EQ(m_manager.monitorModes.size(), m_modes.count());
  for (const auto &mode : m_manager.monitorModes) {
    EXPECT_EQ(mode.Origin, D3DKMDT_MCO_DRIVER);
    EXPECT_EQ(mode.ColorBasis, D3DKMDT_CB_SRGB);
    EXPECT_EQ(mode.ColorCoeffDynamicRanges.FirstChannel, 8u);
  }
  EXPECT_EQ(preferred(), 1u);
  EXPECT_EQ(m_manager.monitorModes[0].Preference, D3DKMDT_MP_PREFERRED);
  // The second time they are there already, which is no error.
  EXPECT_EQ(recommend(), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.monitorModes.size(), m_modes.count());
}

TEST_F(MonitorTest, TheMonitorsOwnPreferenceStands) {
  D3DKMDT_MONITOR_SOURCE_MODE own = {};
  own.VideoSignalInfo.ActiveSize = {1440, 900};
  own.VideoSignalInfo.TotalSize = {1904, 934};
  own.Preference = D3DKMDT_MP_PREFERRED;
  m_manager.monitorModes.push_back(own);
  ASSERT_EQ(recommend(), STATUS_SUCCESS);
  EXPECT_EQ(m_manager.monitorModes.size(), m_modes.count() + 1);
  EXPECT_EQ(preferred(), 1u);
}

TEST_F(MonitorTest, OtherTargetsAreRefused) {
  EXPECT_LT(recommend(3), 0);
  EXPECT_TRUE(m_manager.monitorModes.empty());
}

/** Makes each call of the OS fail in turn: the driver must report it. The fixture checks that nothing stays lent. */
template <class Run> void failEveryCall(Manager &manager, Run &&run) {
  const Manager before = manager;
  ASSERT_GE(run(), 0);
  const int calls = manager.calls;
  ASSERT_GT(calls, 0);
  for (int i = 0; i < calls; i++) {
    manager = before;
    manager.failAt = i;
    EXPECT_LT(run(), 0) << "call " << i;
    EXPECT_EQ(manager.lent(), 0u) << "call " << i;
  }
}

TEST_F(VidPnTest, AFailureInEnumerationLeaksNothing) {
  addOurPath();
  failEveryCall(m_manager, [&] { return enumerate(); });
}
TEST_F(VidPnTest, AFailureInRecommendationLeaksNothing) {
  failEveryCall(m_manager, [&] { return vidPn().recommendFunctional(vidPnHandle()); });
}
TEST_F(VidPnTest, AFailureInTheQuestionLeaksNothing) {
  addOurPath();
  pinSourceMode(800, 600);
  pinTargetMode(800, 600);
  failEveryCall(m_manager, [&] {
    BOOLEAN answer;
    return vidPn().isSupported(vidPnHandle(), answer);
  });
}
TEST_F(VidPnTest, AFailureInTheCommitLeaksNothing) {
  addOurPath();
  pinSourceMode(800, 600);
  pinTargetMode(800, 600);
  failEveryCall(m_manager, [&] {
    PinnedMode active;
    return vidPn().readActive(vidPnHandle(), active);
  });
}
TEST_F(MonitorTest, AFailureLeaksNothing) {
  const Manager before = m_manager;
  ASSERT_EQ(recommend(), STATUS_SUCCESS);
  const int calls = m_manager.calls;
  for (int i = 0; i < calls; i++) {
    m_manager = before;
    m_manager.failAt = i;
    if (i) {
      EXPECT_LT(recommend(), 0) << "call " << i;
    } else {
      EXPECT_EQ(recommend(), STATUS_SUCCESS) << "a set without a preferred mode is no failure";
    }
    EXPECT_EQ(m_manager.lent(), 0u);
  }
}

/** The manager itself releases a set that it refuses because of its content. */
TEST_F(VidPnTest, ASetThatIsRefusedForItsModesIsNotReleasedTwice) {
  addOurPath();
  m_manager.assignStatus = STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET;
  EXPECT_EQ(enumerate(), STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET);
}

}  // namespace
