// SPDX-License-Identifier: MIT
#include "pipeline.h"

#include <bit>

#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

constexpr uint32_t kScissorTest = static_cast<uint32_t>(aerogpu::d3d9::RenderStateType::ScissorTestEnable);
constexpr uint32_t kMaxWireStride = 2048;  // STATE-13

constexpr uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

/** Depth ranges that the device takes: not-a-number counts as the end that it would be. */
float saneDepth(float value, float otherwise) {
  if (!(value >= 0)) return value < 0 ? 0 : otherwise;
  return value > 1 ? 1 : value;
}

bool isTransformed(const Declaration *declaration) {
  return declaration && declaration->isTransformed();
}

}  // namespace

void Pipeline::setTexture(uint32_t sampler, Resource *texture) {
  if (sampler >= kSamplerCount || m_textures[sampler] == texture) return;
  m_textures[sampler] = texture;
  m_dirtyTextures |= 1u << sampler;
  countCrossing();
}

void Pipeline::setTarget(uint32_t index, Resource *resource, uint32_t subresource) {
  if (index >= kMaxTargets) return;
  Surface *surface = resource ? resource->surface(subresource) : nullptr;
  if (surface && (!surface->image || surface->image->format->depth || surface->image->format->block != 1))
    surface = nullptr;
  if (m_targets[index].surface == surface) return;
  m_targets[index] = {surface ? resource : nullptr, surface};
  m_dirtyTargets = true;
  countCrossing();
}

void Pipeline::setDepth(Resource *resource) {
  Surface *surface = resource ? resource->surface(0) : nullptr;
  if (surface && (!surface->image || !surface->image->format->depth)) surface = nullptr;
  if (m_depth.surface == surface) return;
  m_depth = {surface ? resource : nullptr, surface};
  m_dirtyTargets = true;
}

void Pipeline::setViewport(uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  m_viewport.x = x;
  m_viewport.y = y;
  m_viewport.width = width;
  m_viewport.height = height;
}

void Pipeline::setDepthRange(float minZ, float maxZ) {
  m_viewport.minZ = saneDepth(minZ, 0);
  m_viewport.maxZ = saneDepth(maxZ, 1);
}

void Pipeline::setScissor(const RECT &rect) {
  m_scissor = rect;
}

bool Pipeline::scissorRect(RECT &out) const {
  out = m_scissor;
  return renderStates.get(kScissorTest) != 0;
}

void Pipeline::setStream(uint32_t index, Resource *buffer, uint32_t offset, uint32_t stride) {
  if (index >= kMaxStreams) return;
  if (index == 0) m_userVertices = nullptr;
  m_streams[index].buffer = buffer && buffer->isBuffer() ? buffer : nullptr;
  m_streams[index].offset = offset;
  m_streams[index].stride = stride;
}

void Pipeline::setUserStream(uint32_t index, const void *bytes, uint32_t stride) {
  if (index != 0) return;  // the runtime uses no other (page "PFND3DDDI_SETSTREAMSOURCEUM")
  m_userVertices = static_cast<const uint8_t *>(bytes);
  m_userStride = stride;
}

void Pipeline::setFrequency(uint32_t index, uint32_t frequency) {
  if (index < kMaxStreams) m_streams[index].frequency = frequency;
}

void Pipeline::setIndices(Resource *buffer, uint32_t stride) {
  m_indices = buffer && buffer->isBuffer() ? buffer : nullptr;
  m_indexStride = stride == 4 ? 4 : 2;
  m_userIndices = nullptr;
}

void Pipeline::setUserIndices(const void *bytes, uint32_t stride) {
  m_userIndices = static_cast<const uint8_t *>(bytes);
  m_indexStride = stride == 4 ? 4 : 2;
}

bool Pipeline::usesInstancing() const {
  constexpr uint32_t kIndexedData = 1u << 30, kInstanceData = 1u << 31;
  if (isTransformed(m_declaration) || !m_vertexShader || m_vertexShader->major() < 3) return false;
  if (m_streams[0].frequency & kIndexedData && (m_streams[0].frequency & (kIndexedData - 1)) != 1) return true;
  for (uint32_t rest = streamsRead(); rest; rest &= rest - 1)
    if (m_streams[std::countr_zero(rest)].frequency & kInstanceData) return true;
  return false;
}

void Pipeline::countCrossing() {
  m_crossing = 0;
  for (const Resource *texture : m_textures) m_crossing += texture && texture->crossesContexts();
  for (const Target &target : m_targets) m_crossing += target.resource && target.resource->crossesContexts();
}

void Pipeline::listCrossing() {
  for (Resource *texture : m_textures)
    if (texture && texture->crossesContexts()) m_wire.context.use(texture->texture()->memory, false);
  for (const Target &target : m_targets)
    if (target.resource && target.resource->crossesContexts()) m_wire.context.use(target.surface->image->memory, true);
}

bool Pipeline::forceTargets(const uint32_t *colors, uint32_t count, uint32_t depth) {
  bool same = m_sentDepth == depth;
  for (uint32_t i = 0; i < kMaxTargets; i++) same &= m_sentTargets[i] == (i < count ? colors[i] : 0);
  if (same) return true;
  aerogpu_cmd_set_render_targets packet = {};
  packet.color_count = count;
  packet.depth_stencil = depth;
  for (uint32_t i = 0; i < count; i++) packet.colors[i] = colors[i];
  if (!m_wire.context.send(packet)) return false;
  for (uint32_t i = 0; i < kMaxTargets; i++) m_sentTargets[i] = i < count ? colors[i] : 0;
  m_sentDepth = depth;
  m_dirtyTargets = true;
  return true;
}

bool Pipeline::emitTargets() {
  if (!m_dirtyTargets) return true;
  uint32_t colors[kMaxTargets] = {}, count = 0;
  for (uint32_t i = 0; i < kMaxTargets; i++) {
    if (!m_targets[i].surface) continue;
    colors[i] = surfaceView(m_wire, *m_targets[i].surface);
    count = i + 1;
  }
  const uint32_t depth = m_depth.surface ? surfaceView(m_wire, *m_depth.surface) : 0;
  if (!forceTargets(colors, count, depth)) return false;
  m_dirtyTargets = false;
  return true;
}

bool Pipeline::forceTexture(uint32_t sampler, uint32_t handle) {
  if (m_sentTextures[sampler] == handle) return true;
  const SamplerSlot slot = slotOf(sampler);
  aerogpu_cmd_set_texture packet = {};
  packet.shader_stage = slot.stage;
  packet.slot = slot.slot;
  packet.texture = handle;
  if (!m_wire.context.send(packet)) return false;
  m_sentTextures[sampler] = handle;
  m_dirtyTextures |= 1u << sampler;
  return true;
}

bool Pipeline::emitTextures() {
  for (uint32_t rest = m_dirtyTextures; rest; rest &= rest - 1) {
    const auto sampler = static_cast<uint32_t>(std::countr_zero(rest));
    if (!forceTexture(sampler, m_textures[sampler] ? m_textures[sampler]->sampled() : 0)) return false;
  }
  m_dirtyTextures = 0;
  return true;
}

bool Pipeline::forceViewport(const ViewportState &viewport) {
  if (m_viewportKnown && m_sentViewport == viewport) return true;
  aerogpu_cmd_set_viewport packet = {};
  packet.x_f32 = bitsOf(static_cast<float>(viewport.x));
  packet.y_f32 = bitsOf(static_cast<float>(viewport.y));
  packet.width_f32 = bitsOf(static_cast<float>(viewport.width));
  packet.height_f32 = bitsOf(static_cast<float>(viewport.height));
  packet.min_depth_f32 = bitsOf(viewport.minZ);
  packet.max_depth_f32 = bitsOf(viewport.maxZ);
  if (!m_wire.context.send(packet)) return false;
  m_sentViewport = viewport;
  m_viewportKnown = true;
  return true;
}

bool Pipeline::emitViewport(bool transformed) {
  if (!transformed) return forceViewport(m_viewport);
  // Their z is the depth itself (page "D3DFVF_XYZRHW").
  ViewportState viewport = m_viewport;
  viewport.minZ = 0;
  viewport.maxZ = 1;
  return forceViewport(viewport);
}

bool Pipeline::emitScissor() {
  if (!renderStates.get(kScissorTest)) return true;
  if (m_scissorKnown && !memcmp(&m_sentScissor, &m_scissor, sizeof m_scissor)) return true;
  const auto size = [](LONG from, LONG to) { return to > from ? to - from : 0; };
  aerogpu_cmd_set_scissor packet = {};
  packet.x = m_scissor.left;
  packet.y = m_scissor.top;
  packet.width = size(m_scissor.left, m_scissor.right);
  packet.height = size(m_scissor.top, m_scissor.bottom);
  if (!m_wire.context.send(packet)) return false;
  m_sentScissor = m_scissor;
  m_scissorKnown = true;
  return true;
}

bool Pipeline::forceShaders(uint32_t vertex, uint32_t pixel) {
  if (m_sentVertexShader == vertex && m_sentPixelShader == pixel) return true;
  aerogpu_cmd_bind_shaders packet = {};
  packet.vs = vertex;
  packet.ps = pixel;
  if (!m_wire.context.send(packet)) return false;
  m_sentVertexShader = vertex;
  m_sentPixelShader = pixel;
  return true;
}

bool Pipeline::forceLayout(uint32_t layout) {
  if (m_sentLayout == layout) return true;
  aerogpu_cmd_set_input_layout packet = {};
  packet.input_layout_handle = layout;
  if (!m_wire.context.send(packet)) return false;
  m_sentLayout = layout;
  return true;
}

bool Pipeline::emitScreenConstants() {
  if (m_screenConstantsKnown && m_screenConstants == m_viewport) return true;
  const float width = static_cast<float>(m_viewport.width), height = static_cast<float>(m_viewport.height);
  const aerogpu_constant_register constants[2] = {
      {{bitsOf(2 / width), bitsOf(-2 / height), bitsOf(-1 - 2 * static_cast<float>(m_viewport.x) / width),
        bitsOf(1 + 2 * static_cast<float>(m_viewport.y) / height)}},
      {{0, bitsOf(1), 0, 0}}};
  if (!vertexFloats.force(m_wire.context, Declaration::kScreenConstants, 2, constants)) return false;
  m_screenConstantsKnown = true;
  m_screenConstants = m_viewport;
  return true;
}

void Pipeline::noteLoss() {
  if (m_lossSeen == m_wire.context.lost()) return;
  m_lossSeen = m_wire.context.lost();
  forgetAll();
}

Prepared Pipeline::prepareDraw() {
  noteLoss();
  const bool transformed = isTransformed(m_declaration);
  bool drawsTo = m_depth.surface != nullptr;
  for (const Target &target : m_targets) drawsTo |= target.surface != nullptr;
  if (!drawsTo || !m_declaration || !m_viewport.width || !m_viewport.height || (!transformed && !m_vertexShader))
    return Prepared::Nothing;
  const uint32_t vertex = transformed ? m_declaration->screenShader(m_wire) : m_vertexShader->handle();
  const uint32_t pixel = m_pixelShader ? m_pixelShader->handle() : defaultPixelShader.handle();
  Context &context = m_wire.context;
  bool sent = emitTargets() && emitViewport(transformed) && renderStates.emit(context) && emitScissor() &&
              emitTextures() && samplers.emit(context) && forceShaders(vertex, pixel) &&
              forceLayout(m_declaration->handle()) && pixelFloats.emit(context) && pixelInts.emit(context) &&
              pixelBools.emit(context);
  if (transformed) {
    sent = sent && emitScreenConstants();
  } else {
    m_screenConstantsKnown = false;
    sent = sent && vertexFloats.emit(context) && vertexInts.emit(context) && vertexBools.emit(context);
  }
  return sent ? Prepared::Ready : Prepared::Failed;
}

Prepared Pipeline::prepareClear() {
  noteLoss();
  return emitTargets() && renderStates.emit(m_wire.context) ? Prepared::Ready : Prepared::Failed;
}

bool Pipeline::bindStream(uint32_t index, const StreamBinding &binding) {
  if (m_sentStreams[index] == binding) return true;
  auto *packet = m_wire.context.append<aerogpu_cmd_set_vertex_buffers>(1);
  if (!packet) return false;
  packet->start_slot = index;
  aerogpu_vertex_buffer_binding &out = *Context::elementsOf(packet);
  out.buffer = binding.handle;
  out.stride_bytes = binding.stride < kMaxWireStride ? binding.stride : kMaxWireStride;
  out.offset_bytes = binding.offset;
  m_sentStreams[index] = binding;
  return true;
}

bool Pipeline::bindStreams(uint64_t first, uint64_t count) {
  for (uint32_t rest = streamsRead(); rest; rest &= rest - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(rest));
    if (index == 0 && m_userVertices) continue;
    const Stream &stream = m_streams[index];
    StreamBinding binding;
    if (stream.buffer && stream.offset <= stream.buffer->buffer().size) {
      BufferStore &buffer = stream.buffer->buffer();
      if (!refreshBuffer(m_wire, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, stream.offset + first * stream.stride,
                         stream.stride ? stream.offset + (first + count) * stream.stride : buffer.size))
        return false;
      binding = {buffer.handle, stream.offset, stream.stride};
    }
    if (!bindStream(index, binding)) return false;
  }
  return true;
}

bool Pipeline::bindIndices(uint32_t handle, uint32_t stride, uint32_t offset) {
  if (m_sentIndices == handle && m_sentIndexStride == stride && m_sentIndexOffset == offset) return true;
  aerogpu_cmd_set_index_buffer packet = {};
  packet.buffer = handle;
  packet.format = stride == 4 ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
  packet.offset_bytes = offset;
  if (!m_wire.context.send(packet)) return false;
  m_sentIndices = handle;
  m_sentIndexStride = stride;
  m_sentIndexOffset = offset;
  return true;
}

bool Pipeline::bindTopology(uint32_t topology) {
  if (m_sentTopology == topology) return true;
  aerogpu_cmd_set_primitive_topology packet = {};
  packet.topology = topology;
  if (!m_wire.context.send(packet)) return false;
  m_sentTopology = topology;
  return true;
}

void Pipeline::forgetObjects() {
  for (uint32_t &handle : m_sentTextures) handle = kUnknown;
  m_dirtyTextures = (1u << kSamplerCount) - 1;
  for (uint32_t &handle : m_sentTargets) handle = kUnknown;
  m_sentDepth = kUnknown;
  m_dirtyTargets = true;
  for (StreamBinding &stream : m_sentStreams) stream.handle = kUnknown;
  m_sentIndices = m_sentVertexShader = m_sentPixelShader = m_sentLayout = kUnknown;
}

void Pipeline::unbind(const Resource *resource) {
  for (uint32_t i = 0; i < kSamplerCount; i++)
    if (m_textures[i] == resource) setTexture(i, nullptr);
  for (uint32_t i = 0; i < kMaxTargets; i++)
    if (m_targets[i].resource == resource) setTarget(i, nullptr, 0);
  if (m_depth.resource == resource) setDepth(nullptr);
  for (Stream &stream : m_streams)
    if (stream.buffer == resource) stream.buffer = nullptr;
  if (m_indices == resource) m_indices = nullptr;
}

void Pipeline::unbind(const Shader *shader) {
  if (m_vertexShader == shader) m_vertexShader = nullptr;
  if (m_pixelShader == shader) m_pixelShader = nullptr;
}

void Pipeline::unbind(const Declaration *declaration) {
  if (m_declaration == declaration) m_declaration = nullptr;
}

void Pipeline::forgetAll() {
  forgetObjects();
  renderStates.forget();
  samplers.forget();
  vertexFloats.forget();
  vertexInts.forget();
  vertexBools.forget();
  pixelFloats.forget();
  pixelInts.forget();
  pixelBools.forget();
  m_viewportKnown = m_scissorKnown = m_screenConstantsKnown = false;
  m_sentTopology = 0;
}

}  // namespace aero
