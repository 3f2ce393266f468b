// SPDX-License-Identifier: MIT
// The state of a context. Each function describes a part of it where that is not as in a new context.
#include <bit>
#include <memory>

#include "aerogpu/d3d9/states.h"
#include "renderer/cmd/stage.h"
#include "renderer/core/d3d10_states.h"
#include "renderer/core/d3d9_states.h"
#include "renderer/core/state.h"
#include "renderer/core/stream_output.h"
#include "renderer/snapshot/describe.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

/// Returns the state of a new context.
const DrawState& fresh() {
  static const DrawState state;
  return state;
}

uint32_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

/// Returns the number of the view, if there is one, else of the texture.
template <class Binding>
uint32_t imageOf(const Inventory& all, const Binding& binding) {
  return binding.view ? all.numberOf(binding.view.get()) : all.numberOf(binding.texture.get());
}

/// Returns the first entries of an array up to the last one that `isSet`.
template <class Array, class IsSet>
std::span<const typename Array::value_type> untilLast(const Array& array, IsSet isSet) {
  size_t count = array.size();
  while (count != 0 && !isSet(array[count - 1])) --count;
  return {array.data(), count};
}

void describeShaders(const Inventory& all, const DrawState& state, CommandWriter& w) {
  std::array<uint32_t, kStageCount> numbers;
  for (size_t i = 0; i < kStageCount; ++i) numbers[i] = all.numberOf(state.shaders[i].get());
  const auto of = [&](Stage stage) { return numbers[static_cast<size_t>(stage)]; };
  if (numbers != std::array<uint32_t, kStageCount>{}) {
    const aerogpu_cmd_bind_shaders c{{}, of(Stage::Vertex), of(Stage::Pixel), of(Stage::Compute), 0};
    const uint32_t rest[] = {of(Stage::Geometry), of(Stage::Hull), of(Stage::Domain)};
    w.packetWithTail(AEROGPU_CMD_BIND_SHADERS, c, rest, sizeof rest);
  }
  if (state.inputLayout) w.packet(aerogpu_cmd_set_input_layout{{}, all.numberOf(state.inputLayout.get()), 0});
}

void describeViewports(const DrawState& state, CommandWriter& w) {
  const auto packed = [](const Viewport& v) {
    return aerogpu_ext_viewport{bits(v.x),      bits(v.y),        bits(v.width),
                                bits(v.height), bits(v.minDepth), bits(v.maxDepth)};
  };
  const MoreViewports& more = state.more;
  const aerogpu_ext_viewport v = packed(state.viewport);
  if (more.viewportCount > 1) {
    std::vector<aerogpu_ext_viewport> all = {v};
    for (uint32_t i = 1; i < more.viewportCount; ++i) all.push_back(packed(more.viewports[i - 1]));
    w.packet(aerogpu_cmd_ext_set_viewports{{}, more.viewportCount, 0}, all.data(), all.size());
  } else if (state.viewportSet) {
    w.packet(aerogpu_cmd_set_viewport{
        {}, v.x_f32, v.y_f32, v.width_f32, v.height_f32, v.min_depth_f32, v.max_depth_f32});
  }
  const Scissor& s = state.scissor;
  if (more.scissorCount > 1) {
    std::vector<aerogpu_ext_scissor> all = {{s.x, s.y, s.width, s.height}};
    for (uint32_t i = 1; i < more.scissorCount; ++i) {
      const Scissor& other = more.scissors[i - 1];
      all.push_back({other.x, other.y, other.width, other.height});
    }
    w.packet(aerogpu_cmd_ext_set_scissors{{}, more.scissorCount, 0}, all.data(), all.size());
  } else if (s.x != 0 || s.y != 0 || s.width != 0 || s.height != 0) {
    w.packet(aerogpu_cmd_set_scissor{{}, s.x, s.y, s.width, s.height});
  }
}

void describeTargets(const Inventory& all, const DrawState& state, CommandWriter& w) {
  aerogpu_cmd_set_render_targets c{};
  c.color_count = state.colorTargetCount;
  for (size_t i = 0; i < kMaxColorTargets; ++i) c.colors[i] = imageOf(all, state.colorTargets[i]);
  c.depth_stencil = imageOf(all, state.depthTarget);
  if (c.color_count != 0 || c.depth_stencil != 0) w.packet(c);
  describeViewports(state, w);
}

/// Describes states that both blocks and render states write: blocks first, where only they can say it.
void describeOutput(const DrawState& state, CommandWriter& w) {
  const auto base = std::make_unique<DrawState>();
  const BlendState& blend = state.blend;
  if (needsSetBlend(blend)) {
    const BlendPacket packet = blendPacket(blend);
    w.packet(packet.fixed, packet.targets.data(), packet.targets.size());
    (void)setBlend(*base, packet.fixed, packet.targets);  // the packet is good
  } else if (blend.constant != base->blend.constant ||
             blend.writeMask.back() != base->blend.writeMask.back()) {
    // Render states have masks for the first four targets; the others have equal ones.
    aerogpu_cmd_set_blend_state c{};
    c.state.src_factor = c.state.src_factor_alpha = AEROGPU_BLEND_ONE;
    c.state.color_write_mask = blend.writeMask.back();
    for (size_t i = 0; i < 4; ++i) c.state.blend_constant_rgba_f32[i] = bits(blend.constant[i]);
    c.state.sample_mask = blend.sampleMask;
    w.packet(c);
    setBlendState(*base, c.state);
  }
  const RasterizerState& raster = state.rasterizer;
  const bool block = !raster.depthClip || raster.depthBiasIsInteger || raster.frontIsCcw;
  if (block) {
    const aerogpu_cmd_set_rasterizer_state c{{}, rasterizerBlock(raster)};
    w.packet(c);
    setRasterizerState(*base, c.state);
  }
  if (!raster.depthBiasIsInteger && (block || bits(raster.depthBias) != 0))
    w.packet(aerogpu_cmd_set_render_state{
        {}, static_cast<uint32_t>(d3d9::RenderStateType::DepthBias), bits(raster.depthBias)});
  if (raster.depthBiasClamp != 0) {
    w.packet(
        aerogpu_cmd_ext_set_depth_bias{{}, bits(raster.slopeScaledDepthBias), bits(raster.depthBiasClamp)});
    base->rasterizer.slopeScaledDepthBias = raster.slopeScaledDepthBias;
  }
  forEachChange(state, *base, [&](uint32_t number, uint32_t value) {
    w.packet(aerogpu_cmd_set_render_state{{}, number, value});
  });
  if (state.pixelPipe.fogW) w.packet(aerogpu_cmd_ext_set_state{{}, AEROGPU_EXT_STATE_FOG_W, 1});
  if (blend.alphaToCoverage) w.packet(aerogpu_cmd_ext_set_state{{}, AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 1});
}

void describeVertices(const Inventory& all, const DrawState& state, CommandWriter& w) {
  std::vector<aerogpu_vertex_buffer_binding> buffers;
  for (const VertexStream& stream :
       untilLast(state.vertexStreams, [](const VertexStream& one) { return bool{one.buffer}; }))
    buffers.push_back({all.numberOf(stream.buffer.get()), stream.stride, stream.offset, 0});
  if (!buffers.empty()) w.packet(aerogpu_cmd_set_vertex_buffers{}, buffers.data(), buffers.size());
  std::vector<uint32_t> steps;
  for (const VertexStream& stream :
       untilLast(state.vertexStreams, [](const VertexStream& one) { return one.step != 0; }))
    steps.push_back(stream.step);
  if (!steps.empty()) w.packet(aerogpu_cmd_ext_set_stream_frequency{}, steps.data(), steps.size());
  if (const IndexBinding& index = state.indexBuffer; index.buffer)
    w.packet(aerogpu_cmd_set_index_buffer{
        {},
        all.numberOf(index.buffer.get()),
        index.is32Bit ? uint32_t{AEROGPU_INDEX_FORMAT_UINT32} : uint32_t{AEROGPU_INDEX_FORMAT_UINT16},
        index.offset,
        0});
  if (state.topology != fresh().topology)
    w.packet(aerogpu_cmd_set_primitive_topology{{}, static_cast<uint32_t>(state.topology), 0});
}

void describeStreams(const Inventory& all, const DrawState& state, CommandWriter& w) {
  if (state.streamOutput != fresh().streamOutput) {
    const auto elements = elementsOf(state.streamOutput);
    w.packet(packetOf(state.streamOutput), elements.data(), elements.size());
  }
  std::vector<aerogpu_ext_stream_target> targets;
  for (const Ref<Buffer>& target :
       untilLast(state.streamTargets, [](const Ref<Buffer>& one) { return bool{one}; }))
    targets.push_back({all.numberOf(target.get()), AEROGPU_EXT_STREAM_APPEND});
  if (!targets.empty()) w.packet(aerogpu_cmd_ext_set_stream_targets{}, targets.data(), targets.size());
}

/// Describes each run of registers that are not zero. `registers`: an array of four words each.
template <class Packet, class Registers>
void describeRuns(uint32_t stage, const Registers& registers, CommandWriter& w) {
  const typename Registers::value_type zero{};
  for (size_t first = 0; first < registers.size(); ++first) {
    if (registers[first] == zero) continue;
    size_t end = first + 1;
    while (end < registers.size() && registers[end] != zero) ++end;
    Packet c{};
    c.stage = stage;
    c.start_register = static_cast<uint32_t>(first);
    w.packet(c, reinterpret_cast<const aerogpu_constant_register*>(&registers[first]), end - first);
    first = end;
  }
}

template <uint32_t kFloats>
void describeConstants(uint32_t stage, const ConstantFile<kFloats>& file, CommandWriter& w) {
  describeRuns<aerogpu_cmd_set_shader_constants_f>(stage, file.f, w);
  describeRuns<aerogpu_cmd_set_shader_constants_i>(stage, file.i, w);
  std::array<std::array<uint32_t, 4>, kBoolRegisters> booleans{};
  for (uint32_t i = 0; i < kBoolRegisters; ++i) booleans[i][0] = file.b >> i & 1;
  describeRuns<aerogpu_cmd_set_shader_constants_b>(stage, booleans, w);
}

void describeFixed(const DrawState& state, CommandWriter& w) {
  if (state.clipPlanes != fresh().clipPlanes) {
    std::array<aerogpu_ext_clip_plane, kMaxClipPlanes> planes;
    for (size_t i = 0; i < kMaxClipPlanes; ++i)
      for (size_t k = 0; k < 4; ++k) planes[i].coefficients_f32[k] = bits(state.clipPlanes[i][k]);
    w.packet(aerogpu_cmd_ext_set_clip_planes{}, planes.data(), planes.size());
  }
  for (uint32_t stage = 0; stage < kTextureStages; ++stage)
    forEachChange(state.textureStages[stage], [&](uint32_t number, uint32_t value) {
      w.packet(aerogpu_cmd_ext_set_texture_stage{{}, stage, number, value, 0});
    });
}

void describeResources(const Inventory& all, cmd::StageFields stage, const StageBindings& bindings,
                       CommandWriter& w) {
  for (uint32_t slot = 0; slot < kMaxShaderResources; ++slot) {
    const ShaderResourceBinding& bound = bindings.resources[slot];
    if (bound.texture)
      w.packet(aerogpu_cmd_set_texture{{}, stage.stage, slot, imageOf(all, bound), stage.ex});
    if (!bound.buffer) continue;
    const aerogpu_shader_resource_buffer_binding one{all.numberOf(bound.buffer.get()), bound.offset,
                                                     bound.size, bound.format};
    w.packet(aerogpu_cmd_set_shader_resource_buffers{{}, stage.stage, slot, 0, stage.ex}, &one, 1);
  }
  for (uint32_t slot = 0; slot < kMaxConstantBuffers; ++slot) {
    const BufferBinding& bound = bindings.constantBuffers[slot];
    if (!bound.buffer) continue;
    const aerogpu_constant_buffer_binding one{all.numberOf(bound.buffer.get()), bound.offset, bound.size, 0};
    w.packet(aerogpu_cmd_set_constant_buffers{{}, stage.stage, slot, 0, stage.ex}, &one, 1);
  }
  for (uint32_t slot = 0; slot < kMaxUnorderedAccess; ++slot) {
    const BufferBinding& bound = bindings.unorderedAccess[slot];
    if (!bound.buffer) continue;
    const aerogpu_unordered_access_buffer_binding one{all.numberOf(bound.buffer.get()), bound.offset,
                                                      bound.size, bound.initialCount};
    w.packet(aerogpu_cmd_set_unordered_access_buffers{{}, stage.stage, slot, 0, stage.ex}, &one, 1);
  }
}

void describeSamplers(cmd::StageFields stage, const StageBindings& bindings, uint32_t& nextNumber,
                      CommandWriter& w) {
  for (uint32_t slot = 0; slot < kMaxSamplers; ++slot) {
    const SamplerState& sampler = bindings.samplers[slot];
    if (sampler == SamplerState{}) continue;
    // SET_SAMPLER_STATE has no stage_ex: such a state came from a sampler object, and goes by one, or by a
    // block.
    const aerogpu_cmd_create_sampler object = packetOfSampler(sampler);
    if (stage.ex != 0 && samplerFromPacket(object) == sampler) {
      aerogpu_cmd_create_sampler c = object;
      c.sampler_handle = nextNumber++;
      w.packet(c);
      w.packet(aerogpu_cmd_set_samplers{{}, stage.stage, slot, 0, stage.ex}, &c.sampler_handle, 1);
      continue;
    }
    SamplerState base;
    if (stage.ex != 0 || needsSamplerBlock(sampler)) {
      const aerogpu_ext_sampler block = samplerBlock(sampler);
      w.packet(aerogpu_cmd_ext_set_samplers{{}, stage.stage, slot, 0, stage.ex}, &block, 1);
      base = *samplerFromBlock(block);
    }
    if (stage.ex == 0)
      forEachChange(sampler, base, [&](uint32_t number, uint32_t value) {
        w.packet(aerogpu_cmd_set_sampler_state{{}, stage.stage, slot, number, value});
      });
  }
}

}  // namespace

void describeContext(const Inventory& all, const DrawState& state, uint32_t& nextNumber, CommandWriter& w) {
  describeShaders(all, state, w);
  describeTargets(all, state, w);
  describeOutput(state, w);
  describeVertices(all, state, w);
  describeStreams(all, state, w);
  describeConstants(AEROGPU_SHADER_STAGE_VERTEX, state.vsConstants, w);
  describeConstants(AEROGPU_SHADER_STAGE_PIXEL, state.psConstants, w);
  describeFixed(state, w);
  for (size_t i = 0; i < kStageCount; ++i) {
    const cmd::StageFields stage = cmd::fieldsOf(static_cast<Stage>(i));
    describeResources(all, stage, state.stages[i], w);
    describeSamplers(stage, state.stages[i], nextNumber, w);
  }
}

}  // namespace aerogpu::snapshot
