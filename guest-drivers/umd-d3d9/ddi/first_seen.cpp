// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/ddi/first_seen.h"

#include <bit>

#include "aerogpu/d3d9/states.h"
#include "guest-drivers/umd-d3d9/adapter/caps.h"
#include "guest-drivers/umd-d3d9/log/call_arguments.h"

namespace aero {
namespace {

/** What a number belongs to; with the number, the key of a line. */
enum class What : uint32_t {
  Interface = 1,
  Version,
  DeviceFlags,
  Caps,
  RenderState,
  RenderStateValue,
  StageState,
  StageStateValue,
  Stage,
  Coordinates,
  Format,
  ResourceFlag,
  ReservedSamples,
  OpenFlags,
  LockFlags,
  UnlockFlags,
  BltFlags,
  FillFlags,
  PresentFlags,
  FlipInterval,
  ClearFlags,
  QueryFlags,
  QueryType,
};

constexpr uint32_t kOfAdapter = 0;  // stands in for a device's number

void note(CallLog &log, uint32_t device, What what, uint32_t number, const CallText &text) {
  log.writeFirst(device, uint64_t{static_cast<uint32_t>(what)} << 32 | number, text);
}

void note(Device &device, What what, uint32_t number, const CallText &text) {
  note(device.adapter().log(), device.number, what, number, text);
}

CallText first(const char *what) {
  CallText text;
  text.text("first seen: ").text(what).text(" ");
  return text;
}

/** Notes each flag that `known` lacks, by its bit. `value`: the flags, a union with their value. */
template <class Flags>
void noteFlags(CallLog &log, uint32_t device, What what, const char *name, const Flags &value, uint32_t known) {
  uint32_t bits;
  static_assert(sizeof value == sizeof bits);
  memcpy(&bits, &value, sizeof bits);
  for (uint32_t rest = bits & ~known; rest; rest &= rest - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(rest));
    note(log, device, what, bit, first(name).text("flag ").hex(1u << bit).text(" of ").hex(bits));
  }
}

template <class Flags> void noteFlags(Device &device, What what, const char *name, const Flags &value, uint32_t known) {
  noteFlags(device.adapter().log(), device.number, what, name, value, known);
}

}  // namespace

void noteFirst(CallLog &log, const D3DDDIARG_OPENADAPTER &args) {
  constexpr UINT kNewest = 9;  // d3d9; d3d8 and ddraw pass less
  if (args.Interface > kNewest)
    note(log, kOfAdapter, What::Interface, args.Interface, first("interface").number(args.Interface));
  if (args.Version != D3D_UMD_INTERFACE_VERSION_WIN7 && args.Version != D3D_UMD_INTERFACE_VERSION_VISTA)
    note(log, kOfAdapter, What::Version, args.Version, first("interface version").hex(args.Version));
}

void noteFirst(CallLog &log, const D3DDDIARG_CREATEDEVICE &args) {
  constexpr uint32_t kKnown = 3;  // AllowMultithreading, AllowFlipBatching
  noteFlags(log, kOfAdapter, What::DeviceFlags, "CreateDevice", args.Flags, kKnown);
}

void noteFirst(CallLog &log, const D3DDDIARG_GETCAPS &args) {
  const UINT type = capsType(args);
  const char *name = capsName(type);
  CallText text = first("GetCaps type");
  text.number(type).text(name ? " " : "").text(name ? name : "").text(", ").number(args.DataSize);
  note(log, kOfAdapter, What::Caps, type, text.text(" bytes, answered with zeros"));
}

void noteFirst(Device &device, const D3DDDIARG_RENDERSTATE &args) {
  const auto state = std::bit_cast<uint32_t>(args.State);
  if (!aerogpu::d3d9::findRenderState(state))
    note(device, What::RenderState, state,
         first("render state").number(state).text(", which Direct3D 9 does not have, ").hex(args.Value));
  else if (saneRenderState(state, args.Value) != args.Value)
    note(device, What::RenderStateValue, state,
         first("render state").number(state).text(", which has no such value, ").hex(args.Value));
}

void noteFirst(Device &device, const D3DDDIARG_TEXTURESTAGESTATE &args) {
  const auto state = std::bit_cast<uint32_t>(args.State);
  const uint32_t samplerState = samplerStateOf(state);
  CallText text = first("stage");
  text.number(args.Stage).text(", state ").number(state);
  constexpr UINT kDisplacement = 256;
  if (samplerOfStage(args.Stage) == kSamplerCount && args.Stage != kDisplacement)
    note(device, What::Stage, args.Stage, CallText(text).text(", which is none, ").hex(args.Value));
  const bool isDisplacement = state == D3DDDITSS_ELEMENTINDEX || state == D3DDDITSS_DMAPOFFSET;
  if (!samplerState && !isDisplacement && !aerogpu::d3d9::findTextureStageState(state))
    note(device, What::StageState, state, text.text(", which Direct3D 9 does not have, ").hex(args.Value));
  else if (samplerState && saneSamplerState(samplerState, args.Value) != args.Value)
    note(device, What::StageStateValue, state, text.text(", which has no such value, ").hex(args.Value));
  else if (state == D3DDDITSS_TEXCOORDINDEX && args.Value != args.Stage)
    note(device, What::Coordinates, args.Stage, text.text(", not its own coordinates, ").hex(args.Value));
}

void noteFirst(Device &device, const D3DDDIARG_CREATERESOURCE &args) {
  // Flags of video, capture, patches, fonts and protected content, which few programs use.
  D3DDDI_RESOURCEFLAGS rare = {};
  rare.DMap = rare.Points = rare.RtPatches = rare.NPatches = 1;
  rare.Video = rare.CaptureBuffer = rare.Overlay = rare.InterlacedRefresh = 1;
  rare.DecodeRenderTarget = rare.DecodeCompressedBuffer = rare.VideoProcessRenderTarget = 1;
  rare.TextApi = rare.RestrictedContent = rare.RestrictSharedAccess = 1;
  noteFlags(device, What::ResourceFlag, "CreateResource", args.Flags, ~rare.Value);
  const auto format = static_cast<uint32_t>(args.Format);
  const bool isBuffer = args.Flags.VertexBuffer || args.Flags.IndexBuffer;
  if (!isBuffer && !device.adapter().formats().find(format)) {
    CallText text = first("CreateResource format");
    text.number(format).text(", pool ").number(static_cast<uint32_t>(args.Pool)).text(", flags ").hex(args.Flags.Value);
    note(device, What::Format, format, text);
  }
  // Page "PFND3DDDI_CREATERESOURCE": without a target, samples are reserved.
  const bool isTarget = args.Flags.RenderTarget || args.Flags.ZBuffer || args.Flags.Primary ||
                        args.Flags.VideoProcessRenderTarget || args.Flags.DecodeRenderTarget;
  if (!isTarget && (args.MultisampleType || args.MultisampleQuality)) {
    CallText text = first("CreateResource samples");
    text.number(static_cast<uint32_t>(args.MultisampleType)).text(", quality ").number(args.MultisampleQuality);
    note(device, What::ReservedSamples, 0, text.text(" of no target, flags ").hex(args.Flags.Value));
  }
}

void noteFirst(Device &device, const D3DDDIARG_OPENRESOURCE &args) {
  constexpr uint32_t kKnown = 3;  // Fullscreen, AlphaOverride
  noteFlags(device, What::OpenFlags, "OpenResource", args.Flags, kKnown);
}

void noteFirst(Device &device, const D3DDDIARG_LOCK &args) {
  constexpr uint32_t kKnown = 0x3FF;  // ReadOnly to DoNotWait
  noteFlags(device, What::LockFlags, "Lock", args.Flags, kKnown);
}

void noteFirst(Device &device, const D3DDDIARG_UNLOCK &args) {
  constexpr uint32_t kKnown = 1;  // NotifyOnly
  noteFlags(device, What::UnlockFlags, "Unlock", args.Flags, kKnown);
}

void noteFirst(Device &device, const D3DDDIARG_BLT &args) {
  D3DDDI_BLTFLAGS known = {};
  known.Point = known.Linear = known.SrcColorKey = known.DstColorKey = 1;
  known.MirrorLeftRight = known.MirrorUpDown = known.LinearToSrgb = 1;
  known.BeginPresentToDwm = known.ContinuePresentToDwm = known.EndPresentToDwm = 1;
  noteFlags(device, What::BltFlags, "Blt", args.Flags, known.Value);
}

void noteFirst(Device &device, const D3DDDIARG_COLORFILL &args) {
  constexpr uint32_t kKnown = 1;  // PresentToDwm
  noteFlags(device, What::FillFlags, "ColorFill", args.Flags, kKnown);
}

void noteFirst(Device &device, const D3DDDIARG_PRESENT &args) {
  constexpr uint32_t kKnown = 7;  // Blt, ColorFill, Flip
  noteFlags(device, What::PresentFlags, "Present", args.Flags, kKnown);
  const auto interval = std::bit_cast<uint32_t>(args.FlipInterval);
  if (interval > D3DDDI_FLIPINTERVAL_FOUR)
    note(device, What::FlipInterval, interval, first("Present interval").number(interval));
}

void noteFirst(Device &device, const D3DDDIARG_CLEAR &args) {
  constexpr uint32_t kKnown = 0xF;  // TARGET, ZBUFFER, STENCIL, COMPUTERECTS
  noteFlags(device, What::ClearFlags, "Clear", args.Flags, kKnown);
}

void noteFirst(Device &device, const D3DDDIARG_ISSUEQUERY &args) {
  constexpr uint32_t kKnown = 3;  // Begin, End
  noteFlags(device, What::QueryFlags, "IssueQuery", args.Flags, kKnown);
}

void noteFirst(Device &device, const D3DDDIARG_CREATEQUERY &args) {
  const QueryTypes known = queryTypes(device.adapter().featuresHigh());
  for (uint32_t i = 0; i < known.count; i++)
    if (known.types[i] == args.QueryType) return;
  const auto type = std::bit_cast<uint32_t>(args.QueryType);
  note(device, What::QueryType, type, first("CreateQuery type").number(type));
}

}  // namespace aero
