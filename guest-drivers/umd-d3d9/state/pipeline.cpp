// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/pipeline.h"

#include <bit>

#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

using Rs = aerogpu::d3d9::RenderStateType;

constexpr uint32_t kScissorTest = static_cast<uint32_t>(Rs::ScissorTestEnable);
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

void Pipeline::setRenderState(uint32_t state, uint32_t value) {
  const auto fourcc = [](char a, char b, char c, char d) {
    return static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 8 | static_cast<uint32_t>(c) << 16 |
           static_cast<uint32_t>(d) << 24;
  };
  switch (static_cast<Rs>(state)) {
  case Rs::PointSize:
    if (value == fourcc('A', '2', 'M', '0') || value == fourcc('A', '2', 'M', '1')) {
      note(m_special.coverageForAll, uint32_t{value == fourcc('A', '2', 'M', '1')}, kSpecial);
      return;
    }
    break;
  case Rs::AdaptiveTessY:
    note(m_special.coverageForAlphaTest, uint32_t{value == fourcc('A', 'T', 'O', 'C')}, kSpecial);
    return;
  case Rs::AlphaTestEnable:
    note(m_special.alphaTest, value, kSpecial);
    return;
  case Rs::ClipPlaneEnable:
    note(m_special.clipPlanes, value & 0x3F, kSpecial);
    return;
  case Rs::Clipping:
    note(m_special.clipping, value, kSpecial);
    return;
  case Rs::ScissorTestEnable:
    m_dirty |= kScissor;
    break;
  default:
    break;
  }
  renderStates.set(state, value);
}

/** The rest of setRenderState(), which needs to know of more than one state. */
bool Pipeline::emitSpecial() {
  Context &context = m_wire.context;
  const bool transformed = isTransformed(m_declaration);
  // What alpha says of coverage is not tested as well.
  const uint32_t coverage = m_special.coverageForAll || (m_special.coverageForAlphaTest && m_special.alphaTest) ? 1 : 0;
  renderStates.set(static_cast<uint32_t>(Rs::AlphaTestEnable), coverage ? 0 : m_special.alphaTest);
  // D3DPMISCCAPS_CLIPTLVERTS: vertices in screen space are clipped whatever the program says, their depth too.
  renderStates.set(static_cast<uint32_t>(Rs::Clipping), transformed ? 1 : m_special.clipping);
  // Vertices in screen space have no place in the space of the planes.
  const uint32_t planes = transformed ? 0 : m_special.clipPlanes;
  renderStates.set(static_cast<uint32_t>(Rs::ClipPlaneEnable), planes);
  if (!context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES)) return true;
  if (!m_clipPlanes.emit(context, planes)) return false;
  const auto emit = [&](uint32_t state, uint32_t value, uint32_t &sent) {
    if (value == sent) return true;
    auto *packet = context.append<aerogpu_cmd_ext_set_state>();
    if (!packet) return false;
    packet->state = state;
    packet->value = value;
    sent = value;
    return true;
  };
  return emit(AEROGPU_EXT_STATE_FOG_W, m_special.wFog, m_sentWFog) &&
         emit(AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, coverage, m_sentCoverage);
}

void Pipeline::setTexture(uint32_t sampler, Resource *texture) {
  if (sampler >= kSamplerCount || m_textures[sampler] == texture) return;
  const uint32_t bit = 1u << sampler;
  m_crossing += crosses(texture);
  m_crossing -= crosses(m_textures[sampler]);
  m_textures[sampler] = texture;
  m_dirtyTextures |= bit;
  m_watchedTextures &= ~bit;
  uint32_t dirty = kTextures;
  if (texture && texture->needsRefresh()) {
    m_watchedTextures |= bit;
    dirty |= kWatched;
  }
  m_dirty |= dirty;
}

void Pipeline::setTarget(uint32_t index, Resource *resource, uint32_t subresource) {
  if (index >= kMaxTargets) return;
  Surface *surface = resource ? resource->surface(subresource) : nullptr;
  if (surface && (!surface->image || surface->image->format->depth || surface->image->format->block != 1))
    surface = nullptr;
  if (m_targets[index].surface == surface) return;
  if (m_targets[index].surface) m_targets[index].surface->bind(false);
  if (surface) surface->bind(true);
  m_crossing -= crosses(m_targets[index].resource);
  m_targets[index] = {surface ? resource : nullptr, surface};
  m_crossing += crosses(m_targets[index].resource);
  m_dirty |= kTargets;
}

void Pipeline::setDepth(Resource *resource) {
  Surface *surface = resource ? resource->surface(0) : nullptr;
  if (surface && (!surface->image || !surface->image->format->depth)) surface = nullptr;
  if (m_depth.surface == surface) return;
  if (m_depth.surface) m_depth.surface->bind(false);
  if (surface) surface->bind(true);
  m_depth = {surface ? resource : nullptr, surface};
  m_dirty |= kTargets;
}

void Pipeline::setViewport(uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  note(m_viewport, {x, y, width, height, m_viewport.minZ, m_viewport.maxZ}, kViewport);
}

void Pipeline::setDepthRange(float minZ, float maxZ) {
  m_viewport.minZ = saneDepth(minZ, 0);
  m_viewport.maxZ = saneDepth(maxZ, 1);
  m_dirty |= kViewport;
}

void Pipeline::setScissor(const RECT &rect) {
  m_scissor = rect;
  m_dirty |= kScissor;
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

uint32_t Pipeline::instances(uint32_t &steppingStreams) const {
  steppingStreams = 0;
  if (isTransformed(m_declaration) || !m_vertexShader) return 1;
  for (uint32_t rest = streamsRead() & ~1u; rest; rest &= rest - 1)
    if (m_streams[std::countr_zero(rest)].frequency & kInstanceData) steppingStreams |= rest & (0 - rest);
  const uint32_t frequency = m_streams[0].frequency;
  return frequency & kIndexedData ? frequency & ~kFrequencyFlags : 1;
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
  m_dirty |= kTargets;
  return true;
}

bool Pipeline::emitTargets() {
  if (!(m_dirty & kTargets)) return true;
  uint32_t colors[kMaxTargets] = {}, count = 0;
  for (uint32_t i = 0; i < kMaxTargets; i++) {
    if (!m_targets[i].surface) continue;
    colors[i] = surfaceView(m_wire, *m_targets[i].surface);
    count = i + 1;
  }
  const uint32_t depth = m_depth.surface ? surfaceView(m_wire, *m_depth.surface) : 0;
  if (!forceTargets(colors, count, depth)) return false;
  m_dirty &= ~kTargets;
  return true;
}

bool Pipeline::forceTexture(uint32_t sampler, uint32_t handle) {
  if (m_sentTextures[sampler] == handle) return true;
  if (!m_wire.context.ensure(sizeof(aerogpu_cmd_set_texture))) return false;
  appendTexture(sampler, handle);
  m_dirtyTextures |= 1u << sampler;
  m_dirty |= kTextures;
  return true;
}

/** What draws read of memory of the runtime's, and of levels that are made of others, is as it is now. */
bool Pipeline::refreshTextures() {
  for (uint32_t rest = m_watchedTextures; rest; rest &= rest - 1) {
    const auto sampler = static_cast<uint32_t>(std::countr_zero(rest));
    if (failed(m_textures[sampler]->refresh(m_wire))) return false;
    if (m_textures[sampler]->sampled() != m_sentTextures[sampler]) m_dirtyTextures |= 1u << sampler;
  }
  return true;
}

/** Room has been made. */
inline void Pipeline::appendTexture(uint32_t sampler, uint32_t handle) {
  auto *packet = m_wire.context.appendFitting<aerogpu_cmd_set_texture>();
  const SamplerSlot slot = slotOf(sampler);
  packet->shader_stage = slot.stage;
  packet->slot = slot.slot;
  packet->texture = handle;
  m_sentTextures[sampler] = handle;
}

bool Pipeline::emitTextures() {
  Context &context = m_wire.context;
  for (uint32_t rest = m_dirtyTextures; rest; rest &= rest - 1) {
    const auto sampler = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t handle = m_textures[sampler] ? m_textures[sampler]->sampled() : 0;
    if (m_sentTextures[sampler] == handle) continue;
    if (!context.ensure(sizeof(aerogpu_cmd_set_texture))) return false;
    appendTexture(sampler, handle);
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
  m_dirty |= kViewport;
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
  // No target reaches as far; differences of what programs set overflow.
  constexpr LONG kFar = 1 << 20;
  const auto edge = [](LONG value) { return value < 0 ? 0 : value < kFar ? value : kFar; };
  const LONG left = edge(m_scissor.left), top = edge(m_scissor.top);
  const LONG right = edge(m_scissor.right), bottom = edge(m_scissor.bottom);
  aerogpu_cmd_set_scissor packet = {};
  packet.x = left;
  packet.y = top;
  packet.width = right > left ? right - left : 0;
  packet.height = bottom > top ? bottom - top : 0;
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
  m_dirty |= kShaders;
  return true;
}

bool Pipeline::forceLayout(uint32_t layout) {
  if (m_sentLayout == layout) return true;
  aerogpu_cmd_set_input_layout packet = {};
  packet.input_layout_handle = layout;
  if (!m_wire.context.send(packet)) return false;
  m_sentLayout = layout;
  m_dirty |= kShaders;
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

Prepared Pipeline::prepareChanged() {
  const bool transformed = isTransformed(m_declaration);
  Context &context = m_wire.context;
  if (m_dirty & kBindings) {
    const Prepared bound = prepareBindings(transformed);
    if (bound != Prepared::Ready) return bound;
  }
  const uint32_t dirty = m_dirty;
  const auto isDirty = [dirty](uint32_t what) { return (dirty & what) != 0; };
  bool sent = !isDirty(kRenderStates | kWatched | kSamplers) ||
              (renderStates.emit(context) && (!m_watchedTextures || refreshTextures()) && samplers.emit(context));
  if (sent && m_dirtyTextures) sent = emitTextures();
  if (sent && isDirty(kPixelFloats | kPixelInts | kPixelBools))
    sent = (!isDirty(kPixelFloats) || pixelFloats.emit(context)) && (!isDirty(kPixelInts) || pixelInts.emit(context)) &&
           (!isDirty(kPixelBools) || pixelBools.emit(context));
  uint32_t left = m_watchedTextures ? uint32_t{kWatched} : 0;
  if (transformed) {
    sent = sent && emitScreenConstants();
    left |= m_dirty & kVertexConstants;
  } else {
    m_screenConstantsKnown = false;
    if (sent && isDirty(kVertexConstants))
      sent = (!isDirty(kVertexFloats) || vertexFloats.emit(context)) &&
             (!isDirty(kVertexInts) || vertexInts.emit(context)) &&
             (!isDirty(kVertexBools) || vertexBools.emit(context));
  }
  if (!sent) return Prepared::Failed;
  m_dirty = left;
  return Prepared::Ready;
}

/** What programs change less often than constants and textures. */
Prepared Pipeline::prepareBindings(bool transformed) {
  bool drawsTo = m_depth.surface != nullptr;
  for (const Target &target : m_targets) drawsTo |= target.surface != nullptr;
  if (!drawsTo || !m_declaration || !m_viewport.width || !m_viewport.height || (!transformed && !m_vertexShader)) {
    m_dirty |= kShaders;
    return Prepared::Nothing;
  }
  const uint32_t vertex = transformed ? m_declaration->screenShader(m_wire) : m_vertexShader->handle();
  const Shader &pixelShader = m_pixelShader ? *m_pixelShader : defaultPixelShader;
  bool sent = emitTargets() && emitViewport(transformed) && emitSpecial() && emitScissor() &&
              forceShaders(vertex, pixelShader.handle()) && forceLayout(m_declaration->handle());
  // Later models read nothing of stages.
  if (sent && pixelShader.major() == 1 && m_wire.context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES))
    sent = m_stages.emit(m_wire.context, transformed);
  return sent ? Prepared::Ready : Prepared::Failed;
}

Prepared Pipeline::prepareClear() {
  noteLoss();
  return emitTargets() && renderStates.emit(m_wire.context) ? Prepared::Ready : Prepared::Failed;
}

bool Pipeline::sendStream(uint32_t index, const StreamBinding &binding) {
  auto *packet = m_wire.context.append<aerogpu_cmd_set_vertex_buffers>(1);
  if (!packet) return false;
  packet->start_slot = index;
  *Context::elementsOf(packet) = {
      .buffer = binding.handle,
      .stride_bytes = binding.stride < kMaxWireStride ? binding.stride : kMaxWireStride,
      .offset_bytes = binding.offset,
      .reserved0 = 0,
  };
  m_sentStreams[index] = binding;
  return true;
}

bool Pipeline::bindStreams(uint64_t first, uint64_t count, uint32_t stepping, uint32_t instances) {
  for (uint32_t rest = streamsRead(); rest; rest &= rest - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(rest));
    if (index == 0 && m_userVertices) continue;
    const Stream &stream = m_streams[index];
    StreamBinding binding;
    if (stream.buffer && stream.offset <= stream.buffer->buffer().size) {
      BufferStore &buffer = stream.buffer->buffer();
      if (buffer.isBehind()) {
        uint64_t begin = first, end = first + count;
        if (stepping >> index & 1) {
          begin = 0;
          end = (uint64_t{instances} + instanceStep(index) - 1) / instanceStep(index);
        }
        if (!refreshBuffer(m_wire, uploads, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER,
                           stream.offset + begin * stream.stride,
                           stream.stride ? stream.offset + end * stream.stride : buffer.size))
          return false;
      }
      binding = {buffer.handle, stream.offset, stream.stride};
    }
    if (!bindStream(index, binding)) return false;
  }
  if (!(stepping | m_steps.stepping()) || !m_wire.context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES)) return true;
  uint32_t steps[kMaxStreams] = {};
  for (uint32_t rest = stepping; rest; rest &= rest - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(rest));
    steps[index] = instanceStep(index);
  }
  return m_steps.emit(m_wire.context, streamsRead() & (stepping | m_steps.stepping()), steps);
}

bool Pipeline::sendIndices(uint32_t handle, uint32_t stride, uint32_t offset) {
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

bool Pipeline::sendTopology(uint32_t topology) {
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
  for (StreamBinding &stream : m_sentStreams) stream.handle = kUnknown;
  m_sentIndices = m_sentVertexShader = m_sentPixelShader = m_sentLayout = kUnknown;
  m_dirty |= kBindings | kTextures;
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
  if (m_vertexShader == shader) setVertexShader(nullptr);
  if (m_pixelShader == shader) setPixelShader(nullptr);
}

void Pipeline::unbind(const Declaration *declaration) {
  if (m_declaration == declaration) setDeclaration(nullptr);
}

void Pipeline::forgetAll() {
  m_lossSeen = m_wire.context.lost();
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
  if (!m_wire.context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES)) return;
  m_stages.forget();
  m_clipPlanes.forget();
  m_steps.forget();
  m_sentWFog = m_sentCoverage = kUnknown;
}

}  // namespace aero
