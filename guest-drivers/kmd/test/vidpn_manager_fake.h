// SPDX-License-Identifier: MIT
// A strict VidPN manager for vidpn_test.cpp, which alone includes it: it counts every handle and structure that it
// lends, refuses what Microsoft's pages refuse, and fails any of its calls on request. The rules are those of the pages
// of DXGK_VIDPN_INTERFACE and its relatives.
#pragma once

#include "guest-drivers/kmd/display/vidpn.h"

#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace {

using namespace aero;

struct Set {
  bool source;
  std::vector<D3DKMDT_VIDPN_SOURCE_MODE> sources;
  std::vector<D3DKMDT_VIDPN_TARGET_MODE> targets;
  std::optional<UINT> pinned;
  size_t count() const { return source ? sources.size() : targets.size(); }
};

/** One VidPN, its mode sets, and the handles and structures that the driver has borrowed. */
struct Manager {
  std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths;
  std::shared_ptr<Set> source = std::make_shared<Set>(Set{true, {}, {}, {}}),
                       target = std::make_shared<Set>(Set{false, {}, {}, {}});
  struct Handle {
    std::shared_ptr<Set> set;
    bool created;
  };
  std::list<Handle> handles;                         // lent
  std::list<D3DKMDT_VIDPN_SOURCE_MODE> sourceInfos;  // lent
  std::list<D3DKMDT_VIDPN_TARGET_MODE> targetInfos;
  std::list<D3DKMDT_VIDPN_PRESENT_PATH> pathInfos;
  std::list<D3DKMDT_MONITOR_SOURCE_MODE> monitorInfos;
  std::vector<D3DKMDT_MONITOR_SOURCE_MODE> monitorModes;
  UINT nextId = 1;
  int calls = 0;
  int failAt = -1;  // the call that fails for lack of memory
  int sourceAssigned = 0, targetAssigned = 0, supportUpdated = 0;
  NTSTATUS assignStatus = STATUS_SUCCESS;  // the result of assigning a valid set

  bool fails() { return calls++ == failAt; }
  size_t lent() const {
    return handles.size() + sourceInfos.size() + targetInfos.size() + pathInfos.size() + monitorInfos.size();
  }
};

inline Manager *g;                                      // the running test's manager
inline int vidPnObject, topologyObject, monitorObject;  // targets of opaque handles

inline D3DKMDT_HVIDPN vidPnHandle() {
  return reinterpret_cast<D3DKMDT_HVIDPN>(&vidPnObject);
}

template <class T> bool drop(std::list<T> &list, const void *at) {
  for (auto i = list.begin(); i != list.end(); ++i)
    if (&*i == at) {
      list.erase(i);
      return true;
    }
  ADD_FAILURE() << "released what was not lent, or twice";
  return false;
}

inline Manager::Handle *handleOf(const void *handle) {
  for (auto &lent : g->handles)
    if (&lent == handle) return &lent;
  ADD_FAILURE() << "a mode set's handle that is not lent";
  return nullptr;
}

template <class H> H lend(std::shared_ptr<Set> set, bool created) {
  return reinterpret_cast<H>(&g->handles.emplace_back(Manager::Handle{std::move(set), created}));
}

inline NTSTATUS APIENTRY releaseSource(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNSOURCEMODESET set) {
  return drop(g->handles, set) ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
}
inline NTSTATUS APIENTRY releaseTarget(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNTARGETMODESET set) {
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
  memset(&mode, 0xCC, sizeof mode);  // the driver has to fill in everything but the number
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
inline NTSTATUS pinIn(const void *handle, UINT id) {
  if (g->fails()) return STATUS_NO_MEMORY;
  handleOf(handle)->set->pinned = id;
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY pinSource(D3DKMDT_HVIDPNSOURCEMODESET handle, UINT id) {
  return pinIn(handle, id);
}

inline const DXGK_VIDPNSOURCEMODESET_INTERFACE *sourceInterface() {
  static DXGK_VIDPNSOURCEMODESET_INTERFACE os = {};
  os.pfnAcquirePinnedModeInfo = pinnedMode<SourceKind>;
  os.pfnReleaseModeInfo = releaseMode<SourceKind>;
  os.pfnCreateNewModeInfo = createMode<SourceKind>;
  os.pfnAddMode = addMode<SourceKind>;
  os.pfnPinMode = pinSource;
  return &os;
}
inline const DXGK_VIDPNTARGETMODESET_INTERFACE *targetInterface() {
  static DXGK_VIDPNTARGETMODESET_INTERFACE os = {};
  os.pfnAcquirePinnedModeInfo = pinnedMode<TargetKind>;
  os.pfnReleaseModeInfo = releaseMode<TargetKind>;
  os.pfnCreateNewModeInfo = createMode<TargetKind>;
  os.pfnAddMode = addMode<TargetKind>;
  os.pfnPinMode = pinSource;
  return &os;
}

inline NTSTATUS APIENTRY acquireSource(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_SOURCE_ID id,
                                       D3DKMDT_HVIDPNSOURCEMODESET *set, const DXGK_VIDPNSOURCEMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_EQ(id, 0u);
  *set = lend<D3DKMDT_HVIDPNSOURCEMODESET>(g->source, false);
  *os = sourceInterface();
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY createSource(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_SOURCE_ID, D3DKMDT_HVIDPNSOURCEMODESET *set,
                                      const DXGK_VIDPNSOURCEMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *set = lend<D3DKMDT_HVIDPNSOURCEMODESET>(std::make_shared<Set>(Set{true, {}, {}, {}}), true);
  *os = sourceInterface();
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY acquireTarget(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_TARGET_ID id,
                                       D3DKMDT_HVIDPNTARGETMODESET *set, const DXGK_VIDPNTARGETMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_EQ(id, 0u);
  *set = lend<D3DKMDT_HVIDPNTARGETMODESET>(g->target, false);
  *os = targetInterface();
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY createTarget(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_TARGET_ID, D3DKMDT_HVIDPNTARGETMODESET *set,
                                      const DXGK_VIDPNTARGETMODESET_INTERFACE **os) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *set = lend<D3DKMDT_HVIDPNTARGETMODESET>(std::make_shared<Set>(Set{false, {}, {}, {}}), true);
  *os = targetInterface();
  return STATUS_SUCCESS;
}

/** Pages "pfnAssignSourceModeSet" and "pfnAssignTargetModeSet", with their rule on who releases after a failure. */
inline NTSTATUS assign(const void *handle, std::shared_ptr<Set> &place) {
  if (g->fails()) return STATUS_GRAPHICS_INVALID_VIDPN;  // an argument was invalid: the caller keeps the handle
  Manager::Handle *lent = handleOf(handle);
  EXPECT_TRUE(lent->created);
  const std::shared_ptr<Set> set = lent->set;
  drop(g->handles, lent);
  if (g->assignStatus < 0) return g->assignStatus;
  if (!set->count()) return STATUS_INVALID_PARAMETER;
  place = set;
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY assignSource(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_SOURCE_ID, D3DKMDT_HVIDPNSOURCEMODESET set) {
  g->sourceAssigned++;
  return assign(set, g->source);
}
inline NTSTATUS APIENTRY assignTarget(D3DKMDT_HVIDPN, D3DDDI_VIDEO_PRESENT_TARGET_ID, D3DKMDT_HVIDPNTARGETMODESET set) {
  g->targetAssigned++;
  return assign(set, g->target);
}

inline NTSTATUS APIENTRY numPaths(D3DKMDT_HVIDPNTOPOLOGY, SIZE_T *count) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *count = g->paths.size();
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY firstPath(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH **path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  EXPECT_FALSE(g->paths.empty());
  *path = &g->pathInfos.emplace_back(g->paths.front());
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY releasePath(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH *path) {
  return drop(g->pathInfos, path) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}
inline NTSTATUS APIENTRY createPath(D3DKMDT_HVIDPNTOPOLOGY, D3DKMDT_VIDPN_PRESENT_PATH **path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  D3DKMDT_VIDPN_PRESENT_PATH blank;
  memset(&blank, 0xCC, sizeof blank);
  *path = &g->pathInfos.emplace_back(blank);
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY addPath(D3DKMDT_HVIDPNTOPOLOGY, D3DKMDT_VIDPN_PRESENT_PATH const *path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  g->paths.push_back(*path);
  drop(g->pathInfos, path);
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY updateSupport(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH *path) {
  if (g->fails()) return STATUS_NO_MEMORY;
  g->supportUpdated++;
  g->paths.front() = *path;
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY getTopology(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNTOPOLOGY *topology,
                                     const DXGK_VIDPNTOPOLOGY_INTERFACE **os) {
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

inline NTSTATUS APIENTRY queryInterface(D3DKMDT_HVIDPN vidPn, DXGK_VIDPN_INTERFACE_VERSION version,
                                        const DXGK_VIDPN_INTERFACE **os) {
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
inline NTSTATUS APIENTRY preferredMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, const D3DKMDT_MONITOR_SOURCE_MODE **info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  *info = nullptr;
  for (const auto &mode : g->monitorModes)
    if (mode.Preference == D3DKMDT_MP_PREFERRED) {
      *info = &g->monitorInfos.emplace_back(mode);
      break;
    }
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY createMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, D3DKMDT_MONITOR_SOURCE_MODE **info) {
  if (g->fails()) return STATUS_NO_MEMORY;
  D3DKMDT_MONITOR_SOURCE_MODE mode;
  memset(&mode, 0xCC, sizeof mode);
  mode.Id = g->nextId++;
  *info = &g->monitorInfos.emplace_back(mode);
  return STATUS_SUCCESS;
}
inline NTSTATUS APIENTRY addMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, const D3DKMDT_MONITOR_SOURCE_MODE *info) {
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
inline NTSTATUS APIENTRY releaseMonitorMode(D3DKMDT_HMONITORSOURCEMODESET, const D3DKMDT_MONITOR_SOURCE_MODE *info) {
  return drop(g->monitorInfos, info) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace
