// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/log/call_arguments.h"

namespace aero {
namespace {

CallText &named(CallText &out, const char *name) {
  return out.text(name).text(" ");
}
void handle(CallText &out, const char *name, const void *value) {
  describeHandle(named(out, name), value);
}
void resource(CallText &out, const char *name, const void *value, UINT subresource) {
  handle(out, name, value);
  if (subresource) out.text("/").number(subresource);
}
/** Writes flags, which are bit fields in a union with their value. */
template <class Flags> CallText &flags(CallText &out, const Flags &value) {
  uint32_t bits;
  static_assert(sizeof value == sizeof bits);
  memcpy(&bits, &value, sizeof bits);
  return out.text(", flags ").hex(bits);
}

}  // namespace

void describe(CallText &out, const RECT &rect) {
  out.text("[").signedNumber(rect.left).text(" ").signedNumber(rect.top).text(" ");
  out.signedNumber(rect.right).text(" ").signedNumber(rect.bottom).text("]");
}

void describe(CallText &out, const D3DDDIARG_CREATERESOURCE &args) {
  out.text("format ").number(static_cast<uint32_t>(args.Format)).text(", pool ");
  out.number(static_cast<uint32_t>(args.Pool)).text(", samples ").number(static_cast<uint32_t>(args.MultisampleType));
  out.text(", ").number(args.SurfCount).text(" of ");
  if (args.SurfCount && args.pSurfList) {
    const D3DDDI_SURFACEINFO &first = args.pSurfList[0];
    out.number(first.Width).text("x").number(first.Height).text("x").number(first.Depth);
    if (first.pSysMem) out.text(" in memory");
  }
  out.text(", levels ").number(args.MipLevels);
  handle(flags(out, args.Flags), ", runtime's", args.hResource);
}

void describe(CallText &out, const D3DDDIARG_OPENRESOURCE &args) {
  out.number(args.NumAllocations).text(" allocations, ").number(args.PrivateDriverDataSize).text(" bytes");
  flags(out, args.Flags).text(", kernel's ").hex(args.hKMResource);
  handle(out, ", runtime's", args.hResource);
}

void describe(CallText &out, const D3DDDIARG_LOCK &args) {
  resource(out, "resource", args.hResource, args.SubResourceIndex);
  flags(out, args.Flags).text(", ");
  // The resource determines the member of the union; a rectangle has all words of a box except the depth.
  describe(out, args.Area);
}

void describe(CallText &out, const D3DDDIARG_UNLOCK &args) {
  resource(out, "resource", args.hResource, args.SubResourceIndex);
  flags(out, args.Flags);
}

void describe(CallText &out, const D3DDDIARG_PRESENT &args) {
  resource(out, "from", args.hSrcResource, args.SrcSubResourceIndex);
  resource(out.text(", "), "to", args.hDstResource, args.DstSubResourceIndex);
  flags(out, args.Flags).text(", interval ").number(static_cast<uint32_t>(args.FlipInterval));
}

void describe(CallText &out, const D3DDDIARG_BLT &args) {
  resource(out, "from", args.hSrcResource, args.SrcSubResourceIndex);
  describe(out.text(" "), args.SrcRect);
  resource(out.text(", "), "to", args.hDstResource, args.DstSubResourceIndex);
  describe(out.text(" "), args.DstRect);
  flags(out, args.Flags);
}

void describe(CallText &out, const D3DDDIARG_COLORFILL &args) {
  resource(out, "resource", args.hResource, args.SubResourceIndex);
  describe(out.text(" "), args.DstRect);
  flags(out.text(", color ").hex(args.Color), args.Flags);
}

void describe(CallText &out, const D3DDDIARG_TEXBLT &args) {
  handle(out, "from", args.hSrcResource);
  describe(out.text(" "), args.SrcRect);
  handle(out.text(", "), "to", args.hDstResource);
  out.text(" [").signedNumber(args.DstPoint.x).text(" ").signedNumber(args.DstPoint.y).text("], face ");
  out.number(args.CubeMapFace);
}

void describe(CallText &out, const D3DDDIARG_SETRENDERTARGET &args) {
  resource(out.text("target ").number(args.RenderTargetIndex).text(", "), "resource", args.hRenderTarget,
           args.SubResourceIndex);
}

void describe(CallText &out, const D3DDDIARG_RENDERSTATE &args) {
  out.text("state ").number(static_cast<uint32_t>(args.State)).text(", ").hex(args.Value);
}

void describe(CallText &out, const D3DDDIARG_TEXTURESTAGESTATE &args) {
  out.text("stage ").number(args.Stage).text(", state ").number(static_cast<uint32_t>(args.State));
  out.text(", ").hex(args.Value);
}

void describe(CallText &out, const D3DDDIARG_DRAWPRIMITIVE &args) {
  out.text("type ").number(static_cast<uint32_t>(args.PrimitiveType)).text(", ");
  out.number(args.PrimitiveCount).text(" from vertex ").number(args.VStart);
}

void describe(CallText &out, const D3DDDIARG_DRAWINDEXEDPRIMITIVE &args) {
  out.text("type ").number(static_cast<uint32_t>(args.PrimitiveType)).text(", ");
  out.number(args.PrimitiveCount).text(" from index ").number(args.StartIndex).text(", base ");
  out.signedNumber(args.BaseVertexIndex).text(", vertices ").number(args.MinIndex).text("+").number(args.NumVertices);
}

void describe(CallText &out, const D3DDDIARG_CLEAR &args) {
  uint32_t depth;
  memcpy(&depth, &args.FillDepth, sizeof depth);
  out.text("flags ").hex(args.Flags).text(", color ").hex(args.FillColor).text(", depth bits ").hex(depth);
  out.text(", stencil ").number(args.FillStencil);
}

void describe(CallText &out, const D3DDDIARG_SETSTREAMSOURCE &args) {
  handle(out.text("stream ").number(args.Stream).text(", "), "buffer", args.hVertexBuffer);
  out.text(", offset ").number(args.Offset).text(", stride ").number(args.Stride);
}

void describe(CallText &out, const D3DDDIARG_CREATEQUERY &args) {
  out.text("type ").number(static_cast<uint32_t>(args.QueryType));
}

void describe(CallText &out, const D3DDDIARG_ISSUEQUERY &args) {
  handle(out, "query", args.hQuery);
  flags(out, args.Flags);
}

void describe(CallText &out, const D3DDDIARG_GETQUERYDATA &args) {
  handle(out, "query", args.hQuery);
}

void describeAnswer(CallText &out, const D3DDDIARG_CREATERESOURCE &args) {
  describeHandle(out, args.hResource);
}

void describeAnswer(CallText &out, const D3DDDIARG_OPENRESOURCE &args) {
  describeHandle(out, args.hResource);
}

void describeAnswer(CallText &out, const D3DDDIARG_LOCK &args) {
  describeHandle(out, args.pSurfData);
  out.text(", pitch ").number(args.Pitch).text(", slice ").number(args.SlicePitch);
}

void describeAnswer(CallText &out, const D3DDDIARG_CREATEQUERY &args) {
  describeHandle(out, args.hQuery);
}

void describeAnswer(CallText &out, const D3DDDIARG_CREATEVERTEXSHADERFUNC &args) {
  describeHandle(out, args.ShaderHandle);
}

void describeAnswer(CallText &out, const D3DDDIARG_CREATEVERTEXSHADERDECL &args) {
  describeHandle(out, args.ShaderHandle);
}

void describeAnswer(CallText &out, const D3DDDIARG_CREATEPIXELSHADER &args) {
  describeHandle(out, args.ShaderHandle);
}

const char *capsName(UINT type) {
  switch (type) {
  case D3DDDICAPS_DDRAW:
    return "DDRAW";
  case D3DDDICAPS_DDRAW_MODE_SPECIFIC:
    return "DDRAW_MODE_SPECIFIC";
  case D3DDDICAPS_GETFORMATCOUNT:
    return "GETFORMATCOUNT";
  case D3DDDICAPS_GETFORMATDATA:
    return "GETFORMATDATA";
  case D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS:
    return "GETMULTISAMPLEQUALITYLEVELS";
  case D3DDDICAPS_GETD3DQUERYCOUNT:
    return "GETD3DQUERYCOUNT";
  case D3DDDICAPS_GETD3DQUERYDATA:
    return "GETD3DQUERYDATA";
  case D3DDDICAPS_GETD3D3CAPS:
    return "GETD3D3CAPS";
  case D3DDDICAPS_GETD3D5CAPS:
    return "GETD3D5CAPS";
  case D3DDDICAPS_GETD3D6CAPS:
    return "GETD3D6CAPS";
  case D3DDDICAPS_GETD3D7CAPS:
    return "GETD3D7CAPS";
  case D3DDDICAPS_GETD3D8CAPS:
    return "GETD3D8CAPS";
  case D3DDDICAPS_GETD3D9CAPS:
    return "GETD3D9CAPS";
  case D3DDDICAPS_GETGAMMARAMPCAPS:
    return "GETGAMMARAMPCAPS";
  case D3DDDICAPS_CHECKOVERLAYSUPPORT:
    return "CHECKOVERLAYSUPPORT";
  default:
    return nullptr;
  }
}

}  // namespace aero
