// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/pipeline.h"

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/d3d9/states.h"
#include "guest-drivers/umd-d3d9/state/old_states.h"

namespace aero {
namespace {

constexpr uint32_t kScissorTestState = static_cast<uint32_t>(aerogpu::d3d9::RenderStateType::ScissorTestEnable);

constexpr uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

}  // namespace

void Pipeline::setRenderState(uint32_t state, uint32_t value) {
  if (special.set(state, value)) return;
  if (state == kScissorTestState) scissor.noteSwitched();
  if (renderStates.set(state, value) || setOldRenderState(samplers, state, value)) return;
  if (state == D3DDDIRS_COLORKEYENABLE) colorKeys.enable(value != 0);
}

void Pipeline::setStageState(uint32_t stage, uint32_t state, uint32_t value) {
  const uint32_t sampler = samplerOfStage(stage);
  if (const uint32_t samplerState = samplerStateOf(state))
    samplers.set(sampler, samplerState, value);
  else if (!setOldStageState(samplers, sampler, state, value) && !colorKeys.setStage(stage, state, value))
    stages.set(stage, state, value);
}

bool Pipeline::isScissorOn() const {
  return renderStates.get(kScissorTestState) != 0;
}

void Pipeline::listCrossing() {
  textures.listCrossing(m_objects.context);
  targets.listCrossing(m_objects.context);
}

/** Sends the constants that the vertex shaders for vertices in screen space read. */
bool Pipeline::emitScreenConstants() {
  const ViewportState &area = viewport.wanted();
  if (m_screenConstants == area) return true;
  const float width = static_cast<float>(area.width), height = static_cast<float>(area.height);
  const aerogpu_constant_register constants[2] = {
      {{bitsOf(2 / width), bitsOf(-2 / height), bitsOf(-1 - 2 * static_cast<float>(area.x) / width),
        bitsOf(1 + 2 * static_cast<float>(area.y) / height)}},
      {{0, bitsOf(1), 0, 0}}};
  if (!vertexFloats.force(m_objects.context, Declaration::kScreenConstants, 2, constants)) return false;
  m_screenConstants = area;
  return true;
}

Prepared Pipeline::prepareChanged() {
  const bool transformed = shaders.isTransformed();
  Context &context = m_objects.context;
  if (m_dirty & kBindings) {
    const Prepared bound = prepareBindings(transformed);
    if (bound != Prepared::Ready) return bound;
  }
  const uint32_t dirty = m_dirty;
  const auto isDirty = [dirty](uint32_t what) { return (dirty & what) != 0; };
  bool sent =
      !isDirty(kRenderStates | kWatched | kSamplers) ||
      (renderStates.emit(context) && (!textures.isWatched() || textures.refresh(m_objects)) && samplers.emit(context));
  sent = sent && textures.emit(context);
  if (sent && isDirty(kPixelFloats | kPixelInts | kPixelBools))
    sent = (!isDirty(kPixelFloats) || pixelFloats.emit(context)) && (!isDirty(kPixelInts) || pixelInts.emit(context)) &&
           (!isDirty(kPixelBools) || pixelBools.emit(context));
  uint32_t left = textures.isWatched() ? uint32_t{kWatched} : 0;
  if (transformed) {
    sent = sent && emitScreenConstants();
    left |= m_dirty & kVertexConstants;
  } else {
    m_screenConstants.reset();
    if (sent && isDirty(kVertexConstants))
      sent = (!isDirty(kVertexFloats) || vertexFloats.emit(context)) &&
             (!isDirty(kVertexInts) || vertexInts.emit(context)) &&
             (!isDirty(kVertexBools) || vertexBools.emit(context));
  }
  if (!sent) return Prepared::Failed;
  m_dirty = left;
  return Prepared::Ready;
}

/** Sends the groups that programs change less often than constants and textures. */
Prepared Pipeline::prepareBindings(bool transformed) {
  const ViewportState &area = viewport.wanted();
  const bool drawsTo = targets.hasColor() || targets.depth().surface;
  if (!drawsTo || !area.width || !area.height || !shaders.isComplete()) {
    m_dirty |= kShaders;
    return Prepared::Nothing;
  }
  Context &context = m_objects.context;
  const uint32_t vertex = shaders.vertexHandle(m_objects, stages.coordinates());
  const uint32_t pixel =
      colorKeys.isOn() ? colorKeys.keyed(m_objects, shaders.pixel(), textures) : shaders.pixel().handle();
  bool sent = targets.emit(m_objects) && viewport.emit(context, transformed) &&
              special.emit(context, renderStates, transformed, targets.hasStencil()) &&
              (!isScissorOn() || scissor.emit(context)) && shaders.emit(context, vertex, pixel);
  // Pixel shaders of later models do not read texture stage states.
  if (sent && shaders.pixel().major() == 1 && context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES))
    sent = stages.emit(context, transformed);
  return sent ? Prepared::Ready : Prepared::Failed;
}

Prepared Pipeline::prepareClear() {
  noteLoss();
  return targets.emit(m_objects) && renderStates.emit(m_objects.context) ? Prepared::Ready : Prepared::Failed;
}

bool Topology::send(Context &context, uint32_t topology) {
  aerogpu_cmd_set_primitive_topology packet = {};
  packet.topology = topology;
  if (!context.send(packet)) return false;
  m_sent = topology;
  return true;
}

void Pipeline::forgetObjects() {
  targets.forget();
  textures.forget();
  shaders.forget();
  streams.forgetBuffers();
  indices.forget();
}

void Pipeline::unbind(const Resource *resource) {
  textures.unbind(resource);
  targets.unbind(resource);
  streams.unbind(resource);
  indices.unbind(resource);
}

void Pipeline::forgetAll() {
  m_lossSeen = m_objects.context.lost();
  m_screenConstants.reset();
  const auto forget = [](auto &...groups) { (groups.forget(), ...); };
  forget(targets, textures, viewport, scissor, shaders, streams, indices, topology, stages, special, renderStates,
         samplers, vertexFloats, vertexInts, vertexBools, pixelFloats, pixelInts, pixelBools);
}

}  // namespace aero
