// SPDX-License-Identifier: MIT
// pipeline.h: everything that is set and bound, as the runtime wants it, beside what the device has. Setters only note;
// a draw or clear sends what differs (prepare...). What the driver draws for itself goes through force...(), which
// leaves the wanted state alone. One device's thread.
#pragma once

#include <bit>

#include "guest-drivers/umd-d3d9/resources/buffers.h"
#include "guest-drivers/umd-d3d9/state/constants.h"
#include "guest-drivers/umd-d3d9/state/shaders.h"
#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

constexpr uint32_t kMaxTargets = 4;
constexpr uint32_t kMaxStreams = 16;

/** A surface that is drawn to, and whose it is. */
struct Target {
  Resource *resource = nullptr;
  Surface *surface = nullptr;
};

struct Stream {
  Resource *buffer = nullptr;
  uint32_t offset = 0, stride = 0;  // bytes
  uint32_t frequency = 1;           // as SetStreamSourceFreq has it
};

/** A stream as the device has it. */
struct StreamBinding {
  uint32_t handle = 0, offset = 0, stride = 0;
  bool operator==(const StreamBinding &) const = default;
};

struct ViewportState {
  uint32_t x = 0, y = 0, width = 0, height = 0;
  float minZ = 0, maxZ = 1;
  bool operator==(const ViewportState &) const = default;
};

enum class Prepared { Ready, Nothing, Failed };  // to draw; there is nothing to draw; an error of the context's

class Pipeline {
  // What may differ from what was sent, also in what is set and sent by the members below.
  enum Dirty : uint32_t {
    kTargets = 1,
    kTextures = 2,
    kViewport = 4,
    kScissor = 8,
    kShaders = 16,
    kSpecial = 32,
    kBindings = kTargets | kViewport | kScissor | kShaders | kSpecial,
    kWatched = 64,  // as long as there are m_watchedTextures
    kRenderStates = 128,
    kSamplers = 256,
    kPixelFloats = 512,
    kPixelInts = 1024,
    kPixelBools = 2048,
    kVertexFloats = 4096,
    kVertexInts = 8192,
    kVertexBools = 16384,
    kVertexConstants = kVertexFloats | kVertexInts | kVertexBools,
  };
  uint32_t m_dirty = kBindings | kTextures;

public:
  explicit Pipeline(Wire &wire) : uploads(wire), m_wire(wire) {}

  UploadMemory uploads;

  RenderStates renderStates{{m_dirty, kRenderStates}};  // set by setRenderState()
  SamplerStates samplers{{m_dirty, kSamplers}};
  VertexFloats vertexFloats{AEROGPU_SHADER_STAGE_VERTEX, {m_dirty, kVertexFloats}};
  Ints vertexInts{AEROGPU_SHADER_STAGE_VERTEX, {m_dirty, kVertexInts}};
  Bools vertexBools{AEROGPU_SHADER_STAGE_VERTEX, {m_dirty, kVertexBools}};
  PixelFloats pixelFloats{AEROGPU_SHADER_STAGE_PIXEL, {m_dirty, kPixelFloats}};
  Ints pixelInts{AEROGPU_SHADER_STAGE_PIXEL, {m_dirty, kPixelInts}};
  Bools pixelBools{AEROGPU_SHADER_STAGE_PIXEL, {m_dirty, kPixelBools}};

  /** D3DDDIRENDERSTATETYPE, and what programs say by states that never had that meaning: FOURCCs of alpha to coverage.
   */
  void setRenderState(uint32_t state, uint32_t value);
  /** Whether fog tables count w in place of z (page "PFND3DDDI_UPDATEWINFO"). */
  void setWFog(bool on) { note(m_special.wFog, uint32_t{on}, kSpecial); }
  /** D3DDDITEXTURESTAGESTATETYPE of a stage that is no sampler's. */
  void setStageState(uint32_t stage, uint32_t state, uint32_t value) {
    m_stages.set(stage, state, value);
    m_dirty |= kShaders;
  }
  void setClipPlane(uint32_t index, const float *coefficients) {
    m_clipPlanes.set(index, coefficients);
    m_dirty |= kSpecial;
  }
  void setTexture(uint32_t sampler, Resource *texture);
  void setTarget(uint32_t index, Resource *resource, uint32_t subresource);
  void setDepth(Resource *resource);
  void setViewport(uint32_t x, uint32_t y, uint32_t width, uint32_t height);
  void setDepthRange(float minZ, float maxZ);
  void setScissor(const RECT &rect);
  void setVertexShader(Shader *shader) { note(m_vertexShader, shader, kShaders); }
  void setPixelShader(Shader *shader) { note(m_pixelShader, shader, kShaders); }
  void setDeclaration(Declaration *declaration) { note(m_declaration, declaration, kShaders); }
  void setStream(uint32_t index, Resource *buffer, uint32_t offset, uint32_t stride);
  /** Memory of the program's, until the next setStream() of the same number. */
  void setUserStream(uint32_t index, const void *bytes, uint32_t stride);
  void setFrequency(uint32_t index, uint32_t frequency);
  void setIndices(Resource *buffer, uint32_t stride);
  void setUserIndices(const void *bytes, uint32_t stride);

  const ViewportState &viewport() const { return m_viewport; }
  /** Width and height 0 when the scissor test is off. */
  bool scissorRect(RECT &out) const;
  const Target &target(uint32_t index) const { return m_targets[index]; }
  const Target &depth() const { return m_depth; }
  /** Samples of a pixel that is drawn. */
  uint32_t targetSamples() const {
    for (const Target &target : m_targets)
      if (target.surface) return target.surface->image->sampleCount;
    return m_depth.surface ? m_depth.surface->image->sampleCount : 1;
  }
  const Stream &stream(uint32_t index) const { return m_streams[index]; }
  uint32_t streamsRead() const { return m_declaration ? m_declaration->streams() : 0; }
  const uint8_t *userVertices() const { return m_userVertices; }
  uint32_t userStride() const { return m_userStride; }
  Resource *indices() const { return m_indices; }
  uint32_t indexStride() const { return m_indexStride; }
  const uint8_t *userIndices() const { return m_userIndices; }
  /** How many instances an indexed draw has, and which streams (a bit each) go on by them. */
  uint32_t instances(uint32_t &steppingStreams) const;
  /** After how many instances a stream goes on that does. */
  uint32_t instanceStep(uint32_t index) const {
    const uint32_t step = m_streams[index].frequency & ~kFrequencyFlags;
    return step ? step : 1;
  }

  /** Sends what a draw needs, all but streams and indices. */
  Prepared prepareDraw() {
    noteLoss();
    return m_dirty ? prepareChanged() : Prepared::Ready;
  }
  /** Sends targets and states for a clear. */
  Prepared prepareClear();
  /** Binds a stream, if it is not bound so. */
  bool bindStream(uint32_t index, const StreamBinding &binding) {
    return m_sentStreams[index] == binding || sendStream(index, binding);
  }
  bool bindIndices(uint32_t handle, uint32_t stride, uint32_t offset) {
    return (m_sentIndices == handle && m_sentIndexStride == stride && m_sentIndexOffset == offset) ||
           sendIndices(handle, stride, offset);
  }
  bool bindTopology(uint32_t topology) { return m_sentTopology == topology || sendTopology(topology); }
  /** Binds the buffers that the runtime set, with what the program wrote to them, and has all go on with each vertex.
   *  Vertices [first, first + count) of each are read; a user stream is left alone. */
  bool bindStreams(uint64_t first, uint64_t count) { return areStreamsBound() || bindStreams(first, count, 0, 1); }
  /** The same where streams of `stepping` go on by instances. */
  bool bindStreams(uint64_t first, uint64_t count, uint32_t stepping, uint32_t instances);
  /** Room for a packet that draws, which lists what other contexts look at. */
  uint32_t crossing() const { return m_crossing; }
  template <class Packet> Packet *appendDraw() {
    Context &context = m_wire.context;
    if (m_crossing || sizeof(Packet) > context.room()) {
      if (!context.ensure(sizeof(Packet), m_crossing)) return nullptr;
      listCrossing();
    }
    return context.appendFitting<Packet>();
  }
  /** The same with `bytes` behind it. */
  template <class Packet> Packet *appendDrawBytes(size_t bytes) {
    if (!m_wire.context.ensure(sizeof(Packet) + ((bytes + 3) & ~size_t{3}), m_crossing)) return nullptr;
    if (m_crossing) listCrossing();
    return m_wire.context.appendFittingBytes<Packet>(bytes);
  }

  bool forceTargets(const uint32_t *colors, uint32_t count, uint32_t depth);
  bool forceViewport(const ViewportState &viewport);
  bool forceShaders(uint32_t vertex, uint32_t pixel);
  bool forceLayout(uint32_t layout);
  bool forceTexture(uint32_t sampler, uint32_t handle);

  /** A handle has been destroyed: what has it bound is not known any more, for the number may come again. */
  void forgetObjects();
  /** A resource or shader is about to go. */
  void unbind(const Resource *resource);
  void unbind(const Shader *shader);
  void unbind(const Declaration *declaration);
  /** A batch was lost: the device may have anything. */
  void forgetAll();

  /** The driver's own pixel shader, which passes on the diffuse colour: for draws without one. */
  Shader defaultPixelShader;

private:
  template <class T> void note(T &have, const T &value, uint32_t dirty) {
    if (have == value) return;
    have = value;
    m_dirty |= dirty;
  }
  static bool crosses(const Resource *resource) { return resource && resource->crossesContexts(); }

  /** Whether bindStreams() has nothing to do, which is common. */
  bool areStreamsBound() const {
    if (m_steps.stepping()) return false;
    for (uint32_t rest = streamsRead(); rest; rest &= rest - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(rest));
      const Stream &stream = m_streams[index];
      const StreamBinding &sent = m_sentStreams[index];
      if (!stream.buffer || stream.buffer->buffer().isBehind() || sent.handle != stream.buffer->buffer().handle ||
          sent.offset != stream.offset || sent.stride != stream.stride)
        return false;
    }
    return true;
  }
  Prepared prepareChanged();
  Prepared prepareBindings(bool transformed);
  bool sendStream(uint32_t index, const StreamBinding &binding);
  bool sendIndices(uint32_t handle, uint32_t stride, uint32_t offset);
  bool sendTopology(uint32_t topology);
  bool emitSpecial();
  bool emitTargets();
  bool refreshTextures();
  bool emitTextures();
  void appendTexture(uint32_t sampler, uint32_t handle);
  bool emitViewport(bool transformed);
  bool emitScissor();
  bool emitShaders(uint32_t vertex);
  bool emitScreenConstants();
  void listCrossing();
  void noteLoss() {
    if (m_lossSeen != m_wire.context.lost()) forgetAll();
  }

  static constexpr uint32_t kUnknown = 0xFFFFFFFF;
  static constexpr uint32_t kIndexedData = 1u << 30, kInstanceData = 1u << 31;  // D3DSTREAMSOURCE_*
  static constexpr uint32_t kFrequencyFlags = kIndexedData | kInstanceData;

  Wire &m_wire;
  uint32_t m_lossSeen = 0;

  // States that are no render states of Direct3D 9 on the wire, or not as the program set them.
  struct Special {
    uint32_t wFog = 0;
    uint32_t coverageForAll = 0, coverageForAlphaTest = 0;
    uint32_t alphaTest = 0, clipPlanes = 0, clipping = 1;
  };
  Special m_special;
  uint32_t m_sentWFog = 0, m_sentCoverage = 0;
  StageStates m_stages;
  ClipPlanes m_clipPlanes;
  StreamSteps m_steps;

  Resource *m_textures[kSamplerCount] = {};
  uint32_t m_sentTextures[kSamplerCount] = {};
  uint32_t m_dirtyTextures = 0;
  uint32_t m_watchedTextures = 0;  // samplers whose textures have to be looked at before each draw

  Target m_targets[kMaxTargets], m_depth;
  uint32_t m_sentTargets[kMaxTargets] = {}, m_sentDepth = 0;
  uint32_t m_crossing = 0;  // bound surfaces and textures that other contexts look at

  ViewportState m_viewport, m_sentViewport;
  bool m_viewportKnown = false;
  RECT m_scissor = {}, m_sentScissor = {};
  bool m_scissorKnown = false;
  bool m_screenConstantsKnown = false;
  ViewportState m_screenConstants;

  Shader *m_vertexShader = nullptr, *m_pixelShader = nullptr;
  Declaration *m_declaration = nullptr;
  uint32_t m_sentVertexShader = 0, m_sentPixelShader = 0, m_sentLayout = 0;

  Stream m_streams[kMaxStreams];
  StreamBinding m_sentStreams[kMaxStreams];
  const uint8_t *m_userVertices = nullptr;  // in place of stream 0
  uint32_t m_userStride = 0;
  Resource *m_indices = nullptr;
  uint32_t m_indexStride = 2;
  const uint8_t *m_userIndices = nullptr;
  uint32_t m_sentIndices = 0, m_sentIndexStride = 0, m_sentIndexOffset = 0;
  uint32_t m_sentTopology = 0;
};

}  // namespace aero
