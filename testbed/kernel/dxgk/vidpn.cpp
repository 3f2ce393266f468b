// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/vidpn.h"

#include <set>

#include "testbed/kernel/dxgk/ddi_call.h"
#include "testbed/kernel/dxgk/mode_set_functions.h"

namespace aerogpu::host {

namespace {

constexpr uint64_t kVidPnMagic = 0x5E7053E700000010;

std::set<VidPn*> s_vidPns;

VidPn* vidPnOf(const void* handle) {
  if (isLiveObject(handle, kVidPnMagic)) return static_cast<VidPn*>(const_cast<void*>(handle));
  brokenRule("a wrong VidPN handle: %s", currentCall().c_str());
  return nullptr;
}

// Sets that the driver created and has not assigned, by handle.
std::map<void*, std::shared_ptr<SourceModeSet>> s_newSources;
std::map<void*, std::shared_ptr<TargetModeSet>> s_newTargets;

template <class Mode>
auto& newSets() {
  if constexpr (std::is_same_v<Mode, D3DKMDT_VIDPN_SOURCE_MODE>)
    return s_newSources;
  else
    return s_newTargets;
}
template <class Mode>
auto& setsOf(VidPn& vidPn) {
  if constexpr (std::is_same_v<Mode, D3DKMDT_VIDPN_SOURCE_MODE>)
    return vidPn.sourceModes;
  else
    return vidPn.targetModes;
}
template <class Mode>
constexpr NTSTATUS invalidPoint() {
  return std::is_same_v<Mode, D3DKMDT_VIDPN_SOURCE_MODE> ? kInvalidSource : kInvalidTarget;
}
template <class Mode>
bool inTopology(const VidPn& vidPn, UINT id) {
  for (const auto& path : vidPn.topology.paths)
    if ((std::is_same_v<Mode, D3DKMDT_VIDPN_SOURCE_MODE> ? path->VidPnSourceId : path->VidPnTargetId) == id)
      return true;
  return false;
}

template <class Mode>
std::shared_ptr<ModeSet<Mode>> makeSet() {
  std::shared_ptr<ModeSet<Mode>> set(new ModeSet<Mode>, [](ModeSet<Mode>* s) {
    removeLiveObject(s);
    delete s;
  });
  set->magic = ModeSetTraits<Mode>::kMagic;
  addLiveObject(set.get());
  return set;
}

extern const DXGK_VIDPNSOURCEMODESET_INTERFACE& sourceInterface();
extern const DXGK_VIDPNTARGETMODESET_INTERFACE& targetInterface();
template <class Mode>
const void* interfaceOf() {
  if constexpr (std::is_same_v<Mode, D3DKMDT_VIDPN_SOURCE_MODE>)
    return &sourceInterface();
  else
    return &targetInterface();
}

template <class Mode>
HOST_API NTSTATUS acquireModeSet(void* handle, UINT id, void** out, const void** table) {
  VidPn* vidPn = vidPnOf(handle);
  if (!vidPn || !out || !table) return kInvalidVidPn;
  if (!inTopology<Mode>(*vidPn, id)) return invalidPoint<Mode>();
  auto& set = setsOf<Mode>(*vidPn)[id];
  if (!set) {
    set = makeSet<Mode>();
    set->frozen = true;
  }
  ++set->references;
  *out = set.get();
  *table = interfaceOf<Mode>();
  return kSuccess;
}

template <class Mode>
HOST_API NTSTATUS releaseModeSet(void* handle, void* setHandle) {
  VidPn* vidPn = vidPnOf(handle);
  if (!vidPn) return kInvalidVidPn;
  if (newSets<Mode>().erase(setHandle)) return kSuccess;
  auto* set = ModeSetFunctions<Mode>::set(setHandle);
  if (!set) return ModeSetTraits<Mode>::kInvalidSet;
  if (set->references == 0) {
    brokenRule("a mode set is released more often than acquired: %s", currentCall().c_str());
    return kInvalidParameter;
  }
  if (--set->references == 0 && !set->acquired.empty())
    brokenRule("a mode set is released with modes of it acquired: %s", currentCall().c_str());
  return kSuccess;
}

template <class Mode>
HOST_API NTSTATUS createModeSet(void* handle, UINT id, void** out, const void** table) {
  VidPn* vidPn = vidPnOf(handle);
  if (!vidPn || !out || !table) return kInvalidVidPn;
  *out = nullptr;
  if (!inTopology<Mode>(*vidPn, id)) return invalidPoint<Mode>();
  if (!newSets<Mode>().empty()) {
    brokenRule("a new mode set while another one is neither assigned nor released: %s",
               currentCall().c_str());
    return kUnassignedModeSetExists;
  }
  auto set = makeSet<Mode>();
  set->nextId = 1000;
  *out = set.get();
  *table = interfaceOf<Mode>();
  newSets<Mode>()[set.get()] = set;
  return kSuccess;
}

template <class Mode>
HOST_API NTSTATUS assignModeSet(void* handle, UINT id, void* setHandle) {
  VidPn* vidPn = vidPnOf(handle);
  if (!vidPn) return kInvalidVidPn;
  if (!inTopology<Mode>(*vidPn, id)) return invalidPoint<Mode>();
  const auto found = newSets<Mode>().find(setHandle);
  if (found == newSets<Mode>().end()) {
    brokenRule("a mode set is assigned that was not created: %s", currentCall().c_str());
    return ModeSetTraits<Mode>::kInvalidSet;
  }
  auto set = found->second;
  const bool isSource = std::is_same_v<Mode, D3DKMDT_VIDPN_SOURCE_MODE>;
  if (vidPn->readOnly)
    brokenRule("a mode set is assigned to a VidPN that is only to be looked at: %s", currentCall().c_str());
  if (id == (isSource ? vidPn->pivotSource : vidPn->pivotTarget))
    brokenRule("the mode set of the pivot is replaced: %s", currentCall().c_str());
  auto& old = setsOf<Mode>(*vidPn)[id];
  if (!set->created.empty())
    brokenRule("a mode set is assigned with modes that were neither added nor released: %s",
               currentCall().c_str());
  if (!set->acquired.empty())
    brokenRule("a mode set is assigned with acquired modes: %s", currentCall().c_str());
  newSets<Mode>().erase(found);
  if (old && old->pinned) {
    const Mode* same = nullptr;
    for (const auto& mode : set->modes)
      if (ModeSetTraits<Mode>::same(*mode, *old->pinned)) same = mode.get();
    brokenRule("the mode set of a %s with a pinned mode is replaced: %s", isSource ? "source" : "target",
               currentCall().c_str());
    if (!same) return kPinnedMustRemain;
    set->pinned = same;
  }
  if (old && old->references)
    brokenRule("a mode set is replaced while its old one is acquired: %s", currentCall().c_str());
  set->frozen = true;
  old = set;
  return kSuccess;
}

HOST_API NTSTATUS assignMultisampling(void* handle, UINT id, SIZE_T count,
                                      const D3DDDI_MULTISAMPLINGMETHOD* methods) {
  VidPn* vidPn = vidPnOf(handle);
  if (!vidPn) return kInvalidVidPn;
  if (!inTopology<D3DKMDT_VIDPN_SOURCE_MODE>(*vidPn, id)) return kInvalidSource;
  if (count && !methods) return kInvalidParameter;
  vidPn->multisampling[id].assign(methods, methods + count);
  return kSuccess;
}

HOST_API NTSTATUS getTopology(void* handle, void** out, const DXGK_VIDPNTOPOLOGY_INTERFACE** table) {
  VidPn* vidPn = vidPnOf(handle);
  if (!vidPn || !out || !table) return kInvalidVidPn;
  *out = &vidPn->topology;
  *table = topologyInterface();
  return kSuccess;
}

#define ROW(name, function) exportRow(name, function, kPassiveLevel)
using SourceFunctions = ModeSetFunctions<D3DKMDT_VIDPN_SOURCE_MODE>;
using TargetFunctions = ModeSetFunctions<D3DKMDT_VIDPN_TARGET_MODE>;
using Source = D3DKMDT_VIDPN_SOURCE_MODE;
using Target = D3DKMDT_VIDPN_TARGET_MODE;

const Export kSourceRows[] = {
    ROW("source pfnGetNumModes", SourceFunctions::getNumModes),
    ROW("source pfnAcquireFirstModeInfo", SourceFunctions::acquireFirst),
    ROW("source pfnAcquireNextModeInfo", SourceFunctions::acquireNext),
    ROW("source pfnAcquirePinnedModeInfo", SourceFunctions::acquirePinned),
    ROW("source pfnReleaseModeInfo", SourceFunctions::release),
    ROW("source pfnCreateNewModeInfo", SourceFunctions::createNew),
    ROW("source pfnAddMode", SourceFunctions::add),
    ROW("source pfnPinMode", SourceFunctions::pin),
};
const Export kTargetRows[] = {
    ROW("target pfnGetNumModes", TargetFunctions::getNumModes),
    ROW("target pfnAcquireFirstModeInfo", TargetFunctions::acquireFirst),
    ROW("target pfnAcquireNextModeInfo", TargetFunctions::acquireNext),
    ROW("target pfnAcquirePinnedModeInfo", TargetFunctions::acquirePinned),
    ROW("target pfnReleaseModeInfo", TargetFunctions::release),
    ROW("target pfnCreateNewModeInfo", TargetFunctions::createNew),
    ROW("target pfnAddMode", TargetFunctions::add),
    ROW("target pfnPinMode", TargetFunctions::pin),
};
const Export kVidPnRows[] = {
    ROW("pfnGetTopology", getTopology),
    ROW("pfnAcquireSourceModeSet", acquireModeSet<Source>),
    ROW("pfnReleaseSourceModeSet", releaseModeSet<Source>),
    ROW("pfnCreateNewSourceModeSet", createModeSet<Source>),
    ROW("pfnAssignSourceModeSet", assignModeSet<Source>),
    ROW("pfnAssignMultisamplingMethodSet", assignMultisampling),
    ROW("pfnAcquireTargetModeSet", acquireModeSet<Target>),
    ROW("pfnReleaseTargetModeSet", releaseModeSet<Target>),
    ROW("pfnCreateNewTargetModeSet", createModeSet<Target>),
    ROW("pfnAssignTargetModeSet", assignModeSet<Target>),
};
#undef ROW

const DXGK_VIDPNSOURCEMODESET_INTERFACE& sourceInterface() {
  static const auto table = makeInterface<DXGK_VIDPNSOURCEMODESET_INTERFACE>(kSourceRows);
  return table;
}
const DXGK_VIDPNTARGETMODESET_INTERFACE& targetInterface() {
  static const auto table = makeInterface<DXGK_VIDPNTARGETMODESET_INTERFACE>(kTargetRows);
  return table;
}

template <class Sets>
void checkSets(const char* ddi, const Sets& sets, const char* what) {
  for (const auto& [id, set] : sets) {
    if (!set) continue;
    if (set->references) brokenRule("%s returned with the %s mode set of %u acquired", ddi, what, id);
    if (!set->acquired.empty())
      brokenRule("%s returned with %zu %s modes acquired", ddi, set->acquired.size(), what);
    set->references = 0;
    set->acquired.clear();
  }
}

/// Checks, after every DDI, that nothing is left acquired or unassigned.
void checkBalanced(const char* ddi) {
  for (VidPn* vidPn : s_vidPns) {
    checkSets(ddi, vidPn->sourceModes, "source");
    checkSets(ddi, vidPn->targetModes, "target");
    checkTopologyBalanced(ddi, vidPn->topology);
  }
  if (!s_newSources.empty() || !s_newTargets.empty())
    brokenRule("%s returned with a new mode set that is neither assigned nor released", ddi);
  s_newSources.clear();
  s_newTargets.clear();
}

}  // namespace

VidPn::VidPn() : magic(kVidPnMagic) {
  topology.magic = kTopologyMagic;
  addLiveObject(this);
  addLiveObject(&topology);
  s_vidPns.insert(this);
  setAfterDdiCheck([](const char* ddi) {
    // Only calls that get a VidPN can touch one; the others run in parallel to them.
    if (std::strstr(ddi, "VidPn") || std::strstr(ddi, "MonitorModes")) checkBalanced(ddi);
  });
}

VidPn::~VidPn() {
  removeLiveObject(this);
  removeLiveObject(&topology);
  s_vidPns.erase(this);
}

void VidPn::addPath(UINT source, UINT target) {
  auto path = std::make_unique<D3DKMDT_VIDPN_PRESENT_PATH>();
  std::memset(path.get(), 0, sizeof *path);
  path->VidPnSourceId = source;
  path->VidPnTargetId = target;
  path->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
  path->ContentTransformation.Scaling = D3DKMDT_VPPS_UNPINNED;
  path->ContentTransformation.Rotation = D3DKMDT_VPPR_UNPINNED;
  path->VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
  path->Content = D3DKMDT_VPPC_GRAPHICS;
  path->CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
  path->GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  topology.paths.push_back(std::move(path));
}

const D3DKMDT_VIDPN_SOURCE_MODE* VidPn::pinnedSource(UINT source) const {
  const auto found = sourceModes.find(source);
  return found == sourceModes.end() || !found->second ? nullptr : found->second->pinned;
}
const D3DKMDT_VIDPN_TARGET_MODE* VidPn::pinnedTarget(UINT target) const {
  const auto found = targetModes.find(target);
  return found == targetModes.end() || !found->second ? nullptr : found->second->pinned;
}
bool VidPn::pinSource(UINT source, UINT modeId) {
  auto& set = sourceModes[source];
  if (!set) return false;
  set->pinned = set->find(modeId);
  return set->pinned != nullptr;
}
bool VidPn::pinTarget(UINT target, UINT modeId) {
  auto& set = targetModes[target];
  if (!set) return false;
  set->pinned = set->find(modeId);
  return set->pinned != nullptr;
}
void VidPn::unpinAll() {
  for (auto& [id, set] : sourceModes)
    if (set) set->pinned = nullptr;
  for (auto& [id, set] : targetModes)
    if (set) set->pinned = nullptr;
}

NTSTATUS queryVidPnInterface(D3DKMDT_HVIDPN handle, uint32_t version, const DXGK_VIDPN_INTERFACE** out) {
  if (!vidPnOf(handle)) return kInvalidVidPn;
  if (version != DXGK_VIDPN_INTERFACE_VERSION_V1) {
    brokenRule("VidPN interface version %u: %s", version, currentCall().c_str());
    return kNotSupported;
  }
  static const auto table = makeInterface<DXGK_VIDPN_INTERFACE, DXGK_VIDPN_INTERFACE_VERSION>(
      kVidPnRows, DXGK_VIDPN_INTERFACE_VERSION_V1);
  *out = &table;
  return kSuccess;
}

}  // namespace aerogpu::host
