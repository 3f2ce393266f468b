// SPDX-License-Identifier: MIT
// The VidPN functions against a strict VidPN manager: it counts every handle and structure that it lends, refuses what
// Microsoft's pages refuse, and fails any of its calls on request. Rules are those of the pages of DXGK_VIDPN_INTERFACE
// and its relatives, and of "Enumerating Cofunctional VidPN Source and Target Modes".
#include "vidpn.h"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace {

using namespace aero;

// ---- the manager ----

struct Set {
  bool source;
  std::vector<D3DKMDT_VIDPN_SOURCE_MODE> sources;
  std::vector<D3DKMDT_VIDPN_TARGET_MODE> targets;
  std::optional<UINT> pinned;
  size_t count() const { return source ? sources.size() : targets.size(); }
};

/** One VidPN, its mode sets and what the driver holds of it. */
struct Manager {
  std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths;
  std::shared_ptr<Set> source = std::make_shared<Set>(Set{true, {}, {}, {}}),
                       target = std::make_shared<Set>(Set{false, {}, {}, {}});
  struct Handle {
    std::shared_ptr<Set> set;
    bool created;
  };
  std::list<Handle> handles;                        // lent
  std::list<D3DKMDT_VIDPN_SOURCE_MODE> sourceInfos;  // lent
  std::list<D3DKMDT_VIDPN_TARGET_MODE> targetInfos;
  std::list<D3DKMDT_VIDPN_PRESENT_PATH> pathInfos;
  std::list<D3DKMDT_MONITOR_SOURCE_MODE> monitorInfos;
  std::vector<D3DKMDT_MONITOR_SOURCE_MODE> monitorModes;
  UINT nextId = 1;
  int calls = 0;
  int failAt = -1;  // the call that fails for want of memory
  int sourceAssigned = 0, targetAssigned = 0, supportUpdated = 0;
  NTSTATUS assignStatus = STATUS_SUCCESS;  // what assigning a good set says

  bool fails() { return calls++ == failAt; }
  size_t lent() const {
    return handles.size() + sourceInfos.size() + targetInfos.size() + pathInfos.size() + monitorInfos.size();
  }
};

Manager *g;  // the one of the running test
int vidPnObject, topologyObject, monitorObject;  // what opaque handles point to

D3DKMDT_HVIDPN vidPnHandle() { return reinterpret_cast<D3DKMDT_HVIDPN>(&vidPnObject); }

template <class T> bool drop(std::list<T> &list, const void *at) {
  for (auto i = list.begin(); i != list.end(); ++i)
    if (&*i == at) {
      list.erase(i);
      return true;
    }
  ADD_FAILURE() << "released what was not lent, or twice";
  return false;
}

Manager::Handle *handleOf(const void *handle) {
  for (auto &lent : g->handles)
    if (&lent == handle) return &lent;
  ADD_FAILURE() << "a mode set's handle that is not lent";
  return nullptr;
}

template <class H> H lend(std::shared_ptr<Set> set, bool created) {
  return reinterpret_cast<H>(&g->handles.emplace_back(Manager::Handle{std::move(set), created}));
}

NTSTATUS APIENTRY releaseSource(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNSOURCEMODESET set) {
  return drop(g->handles, set) ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
}
NTSTATUS APIENTRY releaseTarget(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNTARGETMODESET set) {
  return drop(g->handles, set) ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET;
}

// Mode sets: one implementation for both kinds.
struct SourceKind {
  using Handle = D3DKMDT_HVIDPNSOURCEMODESET;
  using Info = D3DKMDT_VIDPN_SOURCE_MODE;
  static std::list<Info> &infos() { return g->sourceInfos; }
  static std::vector<Info> &modes(Set &set) { return set.sources; }
};
struct TargetKind {
  using Handle = D3DKMDT_HVIDPNTARGETMODESET;
  using Info = D3DKMDT_VIDPN_TARGET_MODE;
  static std::list<Info> &infos() { return g->targetInfos; }
  static std::vector<Info> &modes(Set &set) { return set.targets; }
};

template <class Kind> NTSTATUS APIENTRY pinnedMode(typename Kind::Handle handle, const typename Kind::Info **info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  Set &set = *handleOf(handle)->set;
  *info = nullptr;
  if (set.pinned)
    for (const auto &mode : Kind::modes(set))
      if (mode.Id == *set.pinned) *info = &Kind::infos().emplace_back(mode);
  return STATUS_SUCCESS;
}
template <class Kind> NTSTATUS APIENTRY releaseMode(typename Kind::Handle handle, const typename Kind::Info *info) {
  handleOf(handle);
  return drop(Kind::infos(), info) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}
template <class Kind> NTSTATUS APIENTRY createMode(typename Kind::Handle handle, typename Kind::Info **info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_TRUE(handleOf(handle)->created) << "only a new set takes modes";
  typename Kind::Info mode;
  memset(&mode, 0xCC, sizeof mode);  // everything but the number is the driver's to fill in
  mode.Id = g->nextId++;
  *info = &Kind::infos().emplace_back(mode);
  return STATUS_SUCCESS;
}
template <class Kind> NTSTATUS APIENTRY addMode(typename Kind::Handle handle, typename Kind::Info const *info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  Kind::modes(*handleOf(handle)->set).push_back(*info);
  drop(Kind::infos(), info);
  return STATUS_SUCCESS;
}
NTSTATUS pinIn(const void *handle, UINT id) {
  if (g->fails()) return STATUS_NO_MEMORY;
  handleOf(handle)->set->pinned = id;
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY pinSource(D3DKMDT_HVIDPNSOURCEMODESET handle, UINT id) { return pinIn(handle, id); }

const DXGK_VIDPNSOURCEMODESET_INTERFACE *sourceInterface() {
  static DXGK_VIDPNSOURCEMODESET_INTERFACE os = {};
  os.pfnAcquirePinnedModeInfo = pinnedMode<SourceKind>;
  os.pfnReleaseModeInfo = releaseMode<SourceKind>;
  os.pfnCreateNewModeInfo = createMode<SourceKind>;
  os.pfnAddMode = addMode<SourceKind>;
  os.pfnPinMode = pinSource;
  return &os;
}
const DXGK_VIDPNTARGETMODESET_INTERFACE *targetInterface() {
  static DXGK_VIDPNTARGETMODESET_INTERFACE os = {};
  os.pfnAcquirePinnedModeInfo = pinnedMode<TargetKind>;
  os.pfnReleaseModeInfo = releaseMode<TargetKind>;
  os.pfnCreateNewModeInfo = createMode<TargetKind>;
  os.pfnAddMode = addMode<TargetKind>;
  os.pfnPinMode = pinSource;
  return &os;
}

NTSTATUS APIENTRY acquireSource(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_SOURCE_ID id, D3DKMDT_HVIDPNSOURCEMODESET *set,
                                const DXGK_VIDPNSOURCEMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_EQ(id, 0u);
  *set = lend<D3DKMDT_HVIDPNSOURCEMODESET>(g->source, false);
  *os = sourceInterface();
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY createSource(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_SOURCE_ID, D3DKMDT_HVIDPNSOURCEMODESET *set,
                               const DXGK_VIDPNSOURCEMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *set = lend<D3DKMDT_HVIDPNSOURCEMODESET>(std::make_shared<Set>(Set{true, {}, {}, {}}), true);
  *os = sourceInterface();
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY acquireTarget(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_TARGET_ID id, D3DKMDT_HVIDPNTARGETMODESET *set,
                                const DXGK_VIDPNTARGETMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_EQ(id, 0u);
  *set = lend<D3DKMDT_HVIDPNTARGETMODESET>(g->target, false);
  *os = targetInterface();
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY createTarget(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_TARGET_ID, D3DKMDT_HVIDPNTARGETMODESET *set,
                               const DXGK_VIDPNTARGETMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *set = lend<D3DKMDT_HVIDPNTARGETMODESET>(std::make_shared<Set>(Set{false, {}, {}, {}}), true);
  *os = targetInterface();
  return STATUS_SUCCESS;
}

/** Pages "pfnAssignSourceModeSet" and "pfnAssignTargetModeSet", with their rule of who releases after a failure. */
NTSTATUS assign(const void *handle, std::shared_ptr<Set> &place) {
  if (g->fails()) return STATUS_GRAPHICS_INVALID_VIDPN;  // an argument was no good: the caller keeps the handle
  Manager::Handle *lent = handleOf(handle);
  EXPECT_TRUE(lent->created);
  const std::shared_ptr<Set> set = lent->set;
  drop(g->handles, lent);
  if (g->assignStatus < 0) return g->assignStatus;
  if (!set->count()) return STATUS_INVALID_PARAMETER;
  place = set;
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY assignSource(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_SOURCE_ID, D3DKMDT_HVIDPNSOURCEMODESET set) {
  g->sourceAssigned++;
  return assign(set, g->source);
}
NTSTATUS APIENTRY assignTarget(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_TARGET_ID, D3DKMDT_HVIDPNTARGETMODESET set) {
  g->targetAssigned++;
  return assign(set, g->target);
}

NTSTATUS APIENTRY numPaths(D3DKMDT_HVIDPNTOPOLOGY, SIZE_T *count) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *count = g->paths.size();
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY firstPath(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH **path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_FALSE(g->paths.empty());
  *path = &g->pathInfos.emplace_back(g->paths.front());
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY releasePath(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH *path) {
  return drop(g->pathInfos, path) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}
NTSTATUS APIENTRY createPath(D3DKMDT_HVIDPNTOPOLOGY, D3DKMDT_VIDPN_PRESENT_PATH **path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  D3DKMDT_VIDPN_PRESENT_PATH blank;
  memset(&blank, 0xCC, sizeof blank);
  *path = &g->pathInfos.emplace_back(blank);
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY addPath(D3DKMDT_HVIDPNTOPOLOGY, D3DKMDT_VIDPN_PRESENT_PATH const *path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  g->paths.push_back(*path);
  drop(g->pathInfos, path);
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY updateSupport(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH *path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  g->supportUpdated++;
  g->paths.front() = *path;
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY getTopology(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNTOPOLOGY *topology, const DXGK_VIDPNTOPOLOGY_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  static DXGK_VIDPNTOPOLOGY_INTERFACE interface = {};
  interface.pfnGetNumPaths = numPaths;
  interface.pfnAcquireFirstPathInfo = firstPath;
  interface.pfnReleasePathInfo = releasePath;
  interface.pfnCreateNewPathInfo = createPath;
  interface.pfnAddPath = addPath;
  interface.pfnUpdatePathSupportInfo = updateSupport;
  *topology = reinterpret_cast<D3DKMDT_HVIDPNTOPOLOGY>(&topologyObject);
  *os = &interface;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY queryInterface(D3DKMDT_HVIDPN vidPn, DXGK_VIDPN_INTERFACE_VERSION version, const DXGK_VIDPN_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_EQ(vidPn, vidPnHandle());
  EXPECT_EQ(version, DXGK_VIDPN_INTERFACE_VERSION_V1);
  static DXGK_VIDPN_INTERFACE interface = {};
  interface.Version = DXGK_VIDPN_INTERFACE_VERSION_V1;
  interface.pfnGetTopology = getTopology;
  interface.pfnAcquireSourceModeSet = acquireSource;
  interface.pfnReleaseSourceModeSet = releaseSource;
  interface.pfnCreateNewSourceModeSet = createSource;
  interface.pfnAssignSourceModeSet = assignSource;
  interface.pfnAcquireTargetModeSet = acquireTarget;
  interface.pfnReleaseTargetModeSet = releaseTarget;
  interface.pfnCreateNewTargetModeSet = createTarget;
  interface.pfnAssignTargetModeSet = assignTarget;
  *os = &interface;
  return STATUS_SUCCESS;
}

// Monitor modes.
NTSTATUS APIENTRY preferredMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, const D3DKMDT_MONITOR_SOURCE_MODE **info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *info = nullptr;
  for (const auto &mode : g->monitorModes)
    if (mode.Preference == D3DKMDT_MP_PREFERRED) {
      *info = &g->monitorInfos.emplace_back(mode);
      break;
    }
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY createMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, D3DKMDT_MONITOR_SOURCE_MODE **info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  D3DKMDT_MONITOR_SOURCE_MODE mode;
  memset(&mode, 0xCC, sizeof mode);
  mode.Id = g->nextId++;
  *info = &g->monitorInfos.emplace_back(mode);
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY addMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, const D3DKMDT_MONITOR_SOURCE_MODE *info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  const D3DKMDT_VIDEO_SIGNAL_INFO &signal = info->VideoSignalInfo;
  if (signal.TotalSize.cx < signal.ActiveSize.cx || signal.TotalSize.cy < signal.ActiveSize.cy)
    return STATUS_GRAPHICS_INVALID_TOTAL_REGION;
  if (!signal.VSyncFreq.Denominator || !signal.HSyncFreq.Denominator) return STATUS_GRAPHICS_INVALID_FREQUENCY;
  for (const auto &mode : g->monitorModes)
    if (!memcmp(&mode.VideoSignalInfo.ActiveSize, &signal.ActiveSize, sizeof signal.ActiveSize) &&
        !memcmp(&mode.VideoSignalInfo.TotalSize, &signal.TotalSize, sizeof signal.TotalSize))
      return STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET;
  g->monitorModes.push_back(*info);
  drop(g->monitorInfos, info);
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY releaseMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, const D3DKMDT_MONITOR_SOURCE_MODE *info) {
  return drop(g->monitorInfos, info) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

// ---- the tests ----

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

  VidPn vidPn() { return {queryInterface, m_modes, {60, 1}}; }

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
  NTSTATUS enumerate(D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot = D3DKMDT_EPT_NOPIVOT, UINT source = 0, UINT target = 0) {
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
  for (const auto scaling : {D3DKMDT_VPPS_CENTERED, D3DKMDT_VPPS_STRETCHED, D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX,
                             D3DKMDT_VPPS_CUSTOM}) {
    transformation.Scaling = scaling;
    EXPECT_FALSE(supported()) << scaling;
  }
  for (const auto scaling : {D3DKMDT_VPPS_IDENTITY, D3DKMDT_VPPS_UNPINNED, D3DKMDT_VPPS_NOTSPECIFIED,
                             D3DKMDT_VPPS_UNINITIALIZED}) {
    transformation.Scaling = scaling;
    EXPECT_TRUE(supported()) << scaling;
  }
  transformation.Rotation = D3DKMDT_VPPR_ROTATE90;
  EXPECT_FALSE(supported());
}

TEST_F(VidPnTest, OtherTopologiesAreInvalid) {
  addOurPath();
  m_manager.paths[0].VidPnSourceId = 1;
  EXPECT_FALSE(supported(STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY));
  m_manager.paths[0].VidPnSourceId = 0;
  m_manager.paths[0].VidPnTargetId = 5;
  EXPECT_FALSE(supported(STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY));
  m_manager.paths[0].VidPnTargetId = 0;
  addOurPath();
  EXPECT_FALSE(supported(STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY));
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
  // Another source or target as the pivot is none of ours.
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
  // It is one that the driver itself takes.
  EXPECT_TRUE(supported());
  PinnedMode active;
  EXPECT_EQ(vidPn().readActive(vidPnHandle(), active), STATUS_SUCCESS);
  EXPECT_EQ(active.mode, (Mode{1440, 900}));
  EXPECT_EQ(active.pitch, framePitch(1440));
  // Given a VidPN that is not empty it recommends nothing.
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

/** Page "D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION": the commit answers so to a scaling that is not there. */
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

TEST_F(VidPnTest, OnlyAGammaRampThatChangesNothingIsTaken) {
  D3DKMDT_VIDPN_PRESENT_PATH path = {};
  EXPECT_EQ(VidPn::checkPath(path), STATUS_SUCCESS);
  static D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp;
  for (int i = 0; i < 256; i++) ramp.Red[i] = ramp.Green[i] = ramp.Blue[i] = static_cast<USHORT>(i * 257);
  path.GammaRamp.Type = D3DDDI_GAMMARAMP_RGB256x3x16;
  path.GammaRamp.DataSize = sizeof ramp;
  path.GammaRamp.Data.pRgb256x3x16 = &ramp;
  EXPECT_EQ(VidPn::checkPath(path), STATUS_SUCCESS);
  ramp.Green[128] += 0x200;
  EXPECT_LT(VidPn::checkPath(path), 0);
  ramp.Green[128] -= 0x200;
  path.GammaRamp.DataSize = sizeof ramp - 1;
  EXPECT_LT(VidPn::checkPath(path), 0);
  path.GammaRamp.Data.pRgb256x3x16 = nullptr;
  EXPECT_LT(VidPn::checkPath(path), 0);
  path.GammaRamp.Type = D3DDDI_GAMMARAMP_DXGI_1;
  EXPECT_LT(VidPn::checkPath(path), 0);
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
  // A second time they are there already, which is no error.
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

/** Whichever call of the OS fails, the driver reports it and holds nothing. The fixture counts what is lent. */
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

/** The manager releases a set that it refuses for what is in it. */
TEST_F(VidPnTest, ASetThatIsRefusedForItsModesIsNotReleasedTwice) {
  addOurPath();
  m_manager.assignStatus = STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET;
  EXPECT_EQ(enumerate(), STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET);
}

}  // namespace
