// SPDX-License-Identifier: MIT
// Pages "DXGKDDI_VIDPNTOPOLOGY_...".
#include "testbed/kernel/dxgk/vidpn_topology.h"

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/live_objects.h"

namespace aerogpu::host {

namespace {

using Path = D3DKMDT_VIDPN_PRESENT_PATH;

VidPnTopology* topologyOf(void* handle) {
  if (isLiveObject(handle, kTopologyMagic)) return static_cast<VidPnTopology*>(handle);
  brokenRule("a wrong topology handle: %s", currentCall().c_str());
  return nullptr;
}
NTSTATUS give(VidPnTopology* t, const Path* path, const Path** out) {
  ++t->acquired[path];
  *out = path;
  return kSuccess;
}
const Path* findPath(const VidPnTopology& t, UINT source, UINT target) {
  for (const auto& path : t.paths)
    if (path->VidPnSourceId == source && path->VidPnTargetId == target) return path.get();
  return nullptr;
}

HOST_API NTSTATUS getNumPaths(void* handle, SIZE_T* out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  *out = t->paths.size();
  return kSuccess;
}
HOST_API NTSTATUS getNumPathsFromSource(void* handle, UINT source, SIZE_T* out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  *out = 0;
  for (const auto& path : t->paths) *out += path->VidPnSourceId == source;
  return kSuccess;
}
HOST_API NTSTATUS enumTargets(void* handle, UINT source, SIZE_T index, UINT* out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  for (const auto& path : t->paths)
    if (path->VidPnSourceId == source && index-- == 0) {
      *out = path->VidPnTargetId;
      return kSuccess;
    }
  return ntStatus(0xC01E0339);  // STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY
}
HOST_API NTSTATUS sourceFromTarget(void* handle, UINT target, UINT* out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  for (const auto& path : t->paths)
    if (path->VidPnTargetId == target) {
      *out = path->VidPnSourceId;
      return kSuccess;
    }
  return ntStatus(0xC01E0340);  // STATUS_GRAPHICS_TARGET_NOT_IN_TOPOLOGY
}
HOST_API NTSTATUS acquirePath(void* handle, UINT source, UINT target, const Path** out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  *out = nullptr;
  const Path* path = findPath(*t, source, target);
  return path ? give(t, path, out) : kPathNotInTopology;
}
HOST_API NTSTATUS acquireFirst(void* handle, const Path** out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  *out = nullptr;
  return t->paths.empty() ? kDatasetIsEmpty : give(t, t->paths.front().get(), out);
}
HOST_API NTSTATUS acquireNext(void* handle, const Path* path, const Path** out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  *out = nullptr;
  if (!t->acquired.count(path))
    brokenRule("the next of a path that is not acquired: %s", currentCall().c_str());
  for (size_t i = 0; i < t->paths.size(); ++i)
    if (t->paths[i].get() == path) {
      if (i + 1 == t->paths.size()) return kNoMoreElements;
      return give(t, t->paths[i + 1].get(), out);
    }
  return kInvalidParameter;
}
// Only the support fields may differ from the topology's, and only unpinned scaling and rotation change.
HOST_API NTSTATUS updateSupport(void* handle, const Path* path) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !path) return kInvalidTopology;
  auto* own = const_cast<Path*>(findPath(*t, path->VidPnSourceId, path->VidPnTargetId));
  if (!own) return kPathNotInTopology;
  const auto& from = path->ContentTransformation;
  if (from.Scaling != own->ContentTransformation.Scaling ||
      from.Rotation != own->ContentTransformation.Rotation)
    brokenRule("pfnUpdatePathSupportInfo changes scaling or rotation: %s", currentCall().c_str());
  own->ContentTransformation.ScalingSupport = from.ScalingSupport;
  own->ContentTransformation.RotationSupport = from.RotationSupport;
  own->CopyProtection.CopyProtectionSupport = path->CopyProtection.CopyProtectionSupport;
  return kSuccess;
}
HOST_API NTSTATUS releasePath(void* handle, const Path* path) {
  VidPnTopology* t = topologyOf(handle);
  if (!t) return kInvalidTopology;
  if (t->created.erase(path)) return kSuccess;
  const auto found = t->acquired.find(path);
  if (found == t->acquired.end()) {
    brokenRule("a path is released that is not acquired: %s", currentCall().c_str());
    return kInvalidParameter;
  }
  if (--found->second == 0) t->acquired.erase(found);
  return kSuccess;
}
HOST_API NTSTATUS createPath(void* handle, Path** out) {
  VidPnTopology* t = topologyOf(handle);
  if (!t || !out) return kInvalidTopology;
  auto path = std::make_unique<Path>();
  std::memset(path.get(), 0, sizeof *path);
  path->ContentTransformation.Scaling = D3DKMDT_VPPS_UNINITIALIZED;
  path->ContentTransformation.Rotation = D3DKMDT_VPPR_UNINITIALIZED;
  *out = path.get();
  t->created[path.get()] = std::move(path);
  return kSuccess;
}
HOST_API NTSTATUS addPath(void* handle, const Path* path) {
  VidPnTopology* t = topologyOf(handle);
  if (!t) return kInvalidTopology;
  const auto found = t->created.find(path);
  if (found == t->created.end()) {
    brokenRule("a path is added that pfnCreateNewPathInfo did not make: %s", currentCall().c_str());
    return kInvalidParameter;
  }
  if (!t->mayChange) {
    brokenRule("a path is added in a DDI that may not change the topology: %s", currentCall().c_str());
    return kTopologyChangesNotAllowed;
  }
  if (findPath(*t, path->VidPnSourceId, path->VidPnTargetId)) return kPathInTopology;
  const auto& c = path->ContentTransformation;
  if (path->ImportanceOrdinal == D3DKMDT_VPPI_UNINITIALIZED || c.Scaling == D3DKMDT_VPPS_UNINITIALIZED ||
      c.Rotation == D3DKMDT_VPPR_UNINITIALIZED || path->VidPnTargetColorBasis == D3DKMDT_CB_UNINITIALIZED ||
      path->Content == D3DKMDT_VPPC_UNINITIALIZED || path->GammaRamp.Type == D3DDDI_GAMMARAMP_UNINITIALIZED ||
      path->CopyProtection.CopyProtectionType == D3DKMDT_VPPMT_UNINITIALIZED)
    brokenRule("a path with uninitialised fields is added: %s", currentCall().c_str());
  t->paths.push_back(std::move(found->second));
  t->created.erase(found);
  return kSuccess;
}
HOST_API NTSTATUS removePath(void* handle, UINT source, UINT target) {
  VidPnTopology* t = topologyOf(handle);
  if (!t) return kInvalidTopology;
  if (!t->mayChange) return kTopologyChangesNotAllowed;
  for (size_t i = 0; i < t->paths.size(); ++i)
    if (t->paths[i]->VidPnSourceId == source && t->paths[i]->VidPnTargetId == target) {
      t->paths.erase(t->paths.begin() + static_cast<std::ptrdiff_t>(i));
      return kSuccess;
    }
  return kPathNotInTopology;
}

const Export kTopologyRows[] = {
    exportRow("pfnGetNumPaths", getNumPaths, kPassiveLevel),
    exportRow("pfnGetNumPathsFromSource", getNumPathsFromSource, kPassiveLevel),
    exportRow("pfnEnumPathTargetsFromSource", enumTargets, kPassiveLevel),
    exportRow("pfnGetPathSourceFromTarget", sourceFromTarget, kPassiveLevel),
    exportRow("pfnAcquirePathInfo", acquirePath, kPassiveLevel),
    exportRow("pfnAcquireFirstPathInfo", acquireFirst, kPassiveLevel),
    exportRow("pfnAcquireNextPathInfo", acquireNext, kPassiveLevel),
    exportRow("pfnUpdatePathSupportInfo", updateSupport, kPassiveLevel),
    exportRow("pfnReleasePathInfo", releasePath, kPassiveLevel),
    exportRow("pfnCreateNewPathInfo", createPath, kPassiveLevel),
    exportRow("pfnAddPath", addPath, kPassiveLevel),
    exportRow("pfnRemovePath", removePath, kPassiveLevel),
};

}  // namespace

const DXGK_VIDPNTOPOLOGY_INTERFACE* topologyInterface() {
  static const auto table = makeInterface<DXGK_VIDPNTOPOLOGY_INTERFACE>(kTopologyRows);
  return &table;
}

void checkTopologyBalanced(const char* ddi, VidPnTopology& topology) {
  if (!topology.acquired.empty())
    brokenRule("%s returned with %zu paths acquired", ddi, topology.acquired.size());
  if (!topology.created.empty())
    brokenRule("%s returned with a path that is neither added nor released", ddi);
  topology.acquired.clear();
  topology.created.clear();
}

}  // namespace aerogpu::host
