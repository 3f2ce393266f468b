// SPDX-License-Identifier: MIT
// D3D's enumerators in Vulkan's terms.
#include "renderer/vulkan/draw/dynamic_state.h"

#include "renderer/d3d9/blending.h"
#include "renderer/d3d9/depth_stencil.h"
#include "renderer/d3d9/draw_rules.h"
#include "renderer/vulkan/objects/compare_op.h"

namespace aerogpu::vk {
namespace {

using core::Blend;
using core::BlendOp;

// The switches of this file are tables, one for each enumeration: the compiler says when a row is missing.
VkStencilOp stencilOp(core::StencilOp op) {
  switch (op) {
    case core::StencilOp::Keep:
      return VK_STENCIL_OP_KEEP;
    case core::StencilOp::Zero:
      return VK_STENCIL_OP_ZERO;
    case core::StencilOp::Replace:
      return VK_STENCIL_OP_REPLACE;
    case core::StencilOp::IncrSat:
      return VK_STENCIL_OP_INCREMENT_AND_CLAMP;
    case core::StencilOp::DecrSat:
      return VK_STENCIL_OP_DECREMENT_AND_CLAMP;
    case core::StencilOp::Invert:
      return VK_STENCIL_OP_INVERT;
    case core::StencilOp::Incr:
      return VK_STENCIL_OP_INCREMENT_AND_WRAP;
    case core::StencilOp::Decr:
      return VK_STENCIL_OP_DECREMENT_AND_WRAP;
  }
  return VK_STENCIL_OP_KEEP;
}

/// Takes resolved factors (d3d9::Blending), never BothSrcAlpha or BothInvSrcAlpha.
VkBlendFactor blendFactor(Blend b) {
  switch (b) {
    case Blend::Zero:
      return VK_BLEND_FACTOR_ZERO;
    case Blend::One:
      return VK_BLEND_FACTOR_ONE;
    case Blend::SrcColor:
      return VK_BLEND_FACTOR_SRC_COLOR;
    case Blend::InvSrcColor:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR;
    case Blend::SrcAlpha:
    case Blend::BothSrcAlpha:
      return VK_BLEND_FACTOR_SRC_ALPHA;
    case Blend::InvSrcAlpha:
    case Blend::BothInvSrcAlpha:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    case Blend::DestAlpha:
      return VK_BLEND_FACTOR_DST_ALPHA;
    case Blend::InvDestAlpha:
      return VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA;
    case Blend::DestColor:
      return VK_BLEND_FACTOR_DST_COLOR;
    case Blend::InvDestColor:
      return VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR;
    case Blend::SrcAlphaSat:
      return VK_BLEND_FACTOR_SRC_ALPHA_SATURATE;
    case Blend::BlendFactor:
      return VK_BLEND_FACTOR_CONSTANT_COLOR;
    case Blend::InvBlendFactor:
      return VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR;
    case Blend::SrcColor2:
      return VK_BLEND_FACTOR_SRC1_COLOR;
    case Blend::InvSrcColor2:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR;
    case Blend::SrcAlpha2:
      return VK_BLEND_FACTOR_SRC1_ALPHA;
    case Blend::InvSrcAlpha2:
      return VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
  }
  return VK_BLEND_FACTOR_ONE;
}

VkBlendOp blendOp(BlendOp op) {
  return static_cast<VkBlendOp>(static_cast<uint32_t>(op) - 1);
}
static_assert(VK_BLEND_OP_ADD == 0 && VK_BLEND_OP_MAX == 4);

}  // namespace

VkPrimitiveTopology vulkanTopology(core::Topology t) {
  switch (t) {
    case core::Topology::PointList:
      return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case core::Topology::LineList:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case core::Topology::LineStrip:
      return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    case core::Topology::TriangleStrip:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    case core::Topology::TriangleFan:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    case core::Topology::LineListAdj:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case core::Topology::LineStripAdj:
      return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
    case core::Topology::TriangleListAdj:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    case core::Topology::TriangleStripAdj:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
    default:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  }
}

void blendOf(const core::BlendState& state, const TargetInfo& targets, uint32_t written,
             std::array<TargetBlend, core::kMaxColorTargets>& out) {
  for (uint32_t i = 0; i < targets.colorCount; ++i) {
    const d3d9::Blending b = d3d9::blendingOf(state, i, targets.opaqueMask >> i & 1, (written >> i & 1) != 0);
    out[i] = {b.enable && !(targets.unblendedMask >> i & 1),
              {blendFactor(b.src), blendFactor(b.dst), blendOp(b.op), blendFactor(b.srcAlpha),
               blendFactor(b.dstAlpha), blendOp(b.opAlpha)},
              b.writeMask};
  }
}

void DynamicState::emitBlend(const core::DrawState& state, const TargetInfo& targets, uint32_t outputs) {
  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  vk.CmdSetBlendConstants(commands, state.blend.constant.data());
  const uint32_t count = targets.colorCount;
  if (!m_gpu.device->caps().dynamicBlend || count == 0) return;
  std::array<TargetBlend, core::kMaxColorTargets> blends;
  blendOf(state.blend, targets, outputs, blends);
  VkBool32 enables[core::kMaxColorTargets];
  VkColorBlendEquationEXT equations[core::kMaxColorTargets];
  VkColorComponentFlags masks[core::kMaxColorTargets];
  for (uint32_t i = 0; i < count; ++i) {
    enables[i] = blends[i].enable;
    equations[i] = blends[i].equation;
    masks[i] = blends[i].writeMask;
  }
  vk.CmdSetColorBlendEnableEXT(commands, 0, count, enables);
  vk.CmdSetColorBlendEquationEXT(commands, 0, count, equations);
  vk.CmdSetColorWriteMaskEXT(commands, 0, count, masks);
}

void DynamicState::emitDepthStencil(const core::DrawState& state, bool frontIsCcw) {
  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  const core::DepthStencilState& d = state.depthStencil;
  vk.CmdSetDepthTestEnable(commands, d.depthEnable);
  vk.CmdSetDepthWriteEnable(commands, core::writesDepth(d));
  vk.CmdSetDepthCompareOp(commands, compareOp(d.depthFunc));
  vk.CmdSetStencilTestEnable(commands, d.stencilEnable);
  // The state has a side for each winding, Vulkan one for its front and one for its back.
  const core::StencilFace &cw = d.front, &ccw = d3d9::counterClockwiseFace(d);
  vk.CmdSetStencilOp(commands, frontIsCcw ? VK_STENCIL_FACE_BACK_BIT : VK_STENCIL_FACE_FRONT_BIT,
                     stencilOp(cw.fail), stencilOp(cw.pass), stencilOp(cw.depthFail), compareOp(cw.func));
  vk.CmdSetStencilOp(commands, frontIsCcw ? VK_STENCIL_FACE_FRONT_BIT : VK_STENCIL_FACE_BACK_BIT,
                     stencilOp(ccw.fail), stencilOp(ccw.pass), stencilOp(ccw.depthFail), compareOp(ccw.func));
  vk.CmdSetStencilCompareMask(commands, VK_STENCIL_FACE_FRONT_AND_BACK, d.readMask);
  vk.CmdSetStencilWriteMask(commands, VK_STENCIL_FACE_FRONT_AND_BACK, d.writeMask);
  vk.CmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, d.reference);
}

void DynamicState::emitRasterizer(const core::DrawState& state, bool frontIsCcw,
                                  const d3d9::DepthBias& bias) {
  const DeviceTable& vk = m_gpu.device->vk();
  const DeviceCaps& caps = m_gpu.device->caps();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  const core::RasterizerState& r = state.rasterizer;
  vk.CmdSetFrontFace(commands, frontIsCcw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE);
  vk.CmdSetCullMode(commands, r.cull == core::CullMode::None                 ? VK_CULL_MODE_NONE
                              : (r.cull == core::CullMode::Cw) != frontIsCcw ? VK_CULL_MODE_FRONT_BIT
                                                                             : VK_CULL_MODE_BACK_BIT);
  vk.CmdSetDepthBiasEnable(commands, bias.any());
  if (bias.inDepth) {
    VkDepthBiasRepresentationInfoEXT representation{VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT};
    representation.depthBiasRepresentation = VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT;
    representation.depthBiasExact = caps.exactDepthBias;
    const VkDepthBiasInfoEXT info{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &representation, bias.constant,
                                  bias.clamp, bias.slope};
    vk.CmdSetDepthBias2EXT(commands, &info);
  } else {
    vk.CmdSetDepthBias(commands, bias.constant, bias.clamp, bias.slope);
  }
  if (caps.dynamicPolygonMode)
    vk.CmdSetPolygonModeEXT(commands, !caps.fillModeNonSolid || r.fill == core::FillMode::Solid
                                          ? VK_POLYGON_MODE_FILL
                                      : r.fill == core::FillMode::Wireframe ? VK_POLYGON_MODE_LINE
                                                                            : VK_POLYGON_MODE_POINT);
  if (caps.dynamicDepthClamp) vk.CmdSetDepthClampEnableEXT(commands, VK_TRUE);
}

void DynamicState::emit(const core::DrawState& state, const TargetInfo& targets, uint32_t outputs,
                        const d3d9::DepthBias& bias, uint32_t dirty, core::ShaderFamily family,
                        BoundState& bound) {
  if (bound.fresh || outputs != bound.outputs || (dirty & (core::kDirtyBlend | core::kDirtyTargets)))
    emitBlend(state, targets, outputs);
  bound.outputs = outputs;
  // vFace of Direct3D 9 knows one front.
  const bool frontIsCcw = state.rasterizer.frontIsCcw && family == core::ShaderFamily::Dxbc;
  const bool turned = bound.fresh || bound.frontIsCcw != frontIsCcw;
  bound.frontIsCcw = frontIsCcw;
  if (turned || (dirty & core::kDirtyDepthStencil)) emitDepthStencil(state, frontIsCcw);
  if (turned ||
      (dirty & (core::kDirtyRasterizer | core::kDirtyTargets | d3d9::biasDirtyBits(state.rasterizer))))
    emitRasterizer(state, frontIsCcw, bias);
  const bool clips = d3d9::clipsDepth(state);
  if (m_gpu.device->caps().dynamicDepthClamp && (bound.fresh || bound.clipsDepth != clips))
    m_gpu.device->vk().CmdSetDepthClipEnableEXT(m_gpu.recorder->commands(), clips);
  bound.clipsDepth = clips;
  if (bound.fresh || bound.family != family || (dirty & core::kDirtyTopology)) {
    const DeviceTable& vk = m_gpu.device->vk();
    VkCommandBuffer commands = m_gpu.recorder->commands();
    vk.CmdSetPrimitiveTopology(commands, vulkanTopology(state.topology));
    vk.CmdSetPrimitiveRestartEnable(commands, d3d9::restartsStrips(family, state.topology));
  }
}

}  // namespace aerogpu::vk
