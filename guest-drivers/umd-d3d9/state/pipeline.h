// SPDX-License-Identifier: MIT
// pipeline.h: all states and bindings of a device. Each group keeps the values that the runtime wants and those that
// were sent. set() only records a value. emit(), for a draw or clear, sends wanted values that differ. force() sends
// values for the driver's own draws; the next emit() sends the wanted ones again. forget() makes emit() send
// everything. Only one call of a device at a time uses this.
#pragma once

#include "guest-drivers/umd-d3d9/state/color_keys.h"
#include "guest-drivers/umd-d3d9/state/constants.h"
#include "guest-drivers/umd-d3d9/state/shader_bindings.h"
#include "guest-drivers/umd-d3d9/state/special_states.h"
#include "guest-drivers/umd-d3d9/state/streams.h"
#include "guest-drivers/umd-d3d9/state/targets.h"
#include "guest-drivers/umd-d3d9/state/textures.h"
#include "guest-drivers/umd-d3d9/state/viewport.h"

namespace aero {

enum class Prepared { Ready, Nothing, Failed };  // a draw can follow; it would draw nothing; the context has an error

/** The topology that the device has. */
class Topology {
public:
  /** Sends a topology (enum aerogpu_primitive_topology) unless the device has it. */
  bool force(Context &context, uint32_t topology) { return m_sent == topology || send(context, topology); }
  /** Forgets which one the device has. */
  void forget() { m_sent = 0; }

private:
  bool send(Context &context, uint32_t topology);

  uint32_t m_sent = 0;
};

class Pipeline {
  // A bit for each group that may differ from what was sent.
  enum Dirty : uint32_t {
    kTargets = 1,
    kTextures = 2,
    kViewport = 4,
    kScissor = 8,
    kShaders = 16,
    kSpecial = 32,
    kBindings = kTargets | kViewport | kScissor | kShaders | kSpecial,
    kWatched = 64,  // set while Textures::isWatched()
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
  uint32_t m_crossing = 0;  // bound surfaces and textures that other contexts see

public:
  explicit Pipeline(DeviceObjects &objects) : uploads(objects), m_objects(objects) {}

  UploadMemory uploads;

  Targets targets{{m_dirty, kTargets}, m_crossing};
  Textures textures{{m_dirty, kTextures}, {m_dirty, kWatched}, m_crossing};
  Viewport viewport{{m_dirty, kViewport}};
  Scissor scissor{{m_dirty, kScissor}};
  ShaderBindings shaders{{m_dirty, kShaders}};
  Streams streams;
  Indices indices;
  Topology topology;
  StageStates stages{{m_dirty, kShaders}};
  ColorKeys colorKeys{{m_dirty, kShaders}};
  SpecialStates special{{m_dirty, kSpecial}};           // set by setRenderState()
  RenderStates renderStates{{m_dirty, kRenderStates}};  // set by setRenderState()
  SamplerStates samplers{{m_dirty, kSamplers}};
  VertexFloats vertexFloats{AEROGPU_SHADER_STAGE_VERTEX, {m_dirty, kVertexFloats}};
  Ints vertexInts{AEROGPU_SHADER_STAGE_VERTEX, {m_dirty, kVertexInts}};
  Bools vertexBools{AEROGPU_SHADER_STAGE_VERTEX, {m_dirty, kVertexBools}};
  PixelFloats pixelFloats{AEROGPU_SHADER_STAGE_PIXEL, {m_dirty, kPixelFloats}};
  Ints pixelInts{AEROGPU_SHADER_STAGE_PIXEL, {m_dirty, kPixelInts}};
  Bools pixelBools{AEROGPU_SHADER_STAGE_PIXEL, {m_dirty, kPixelBools}};

  /** Records a render state (D3DDDIRENDERSTATETYPE). Some values are FOURCCs by which programs control alpha to
   * coverage. */
  void setRenderState(uint32_t state, uint32_t value);
  /** Records a state of a texture stage (D3DDDITEXTURESTAGESTATETYPE): of its sampler, or of the stage itself. */
  void setStageState(uint32_t stage, uint32_t state, uint32_t value);
  void setTexture(uint32_t sampler, Resource *texture) {
    textures.set(sampler, texture);
    colorKeys.noteTexture();
  }
  bool isScissorOn() const;

  /** Returns where a draw reads vertices and indices. */
  DrawSource source() const { return {streams.source(), indices.source(), shaders.streams()}; }
  /** Returns how many instances an indexed draw has, and which streams advance by them. */
  Instances instances() const {
    return shaders.isTransformed() || !shaders.hasVertex() ? Instances{} : streams.instances(shaders.streams());
  }

  /** Sends everything that a draw needs except streams, indices and topology. */
  Prepared prepareDraw() {
    noteLoss();
    return m_dirty ? prepareChanged() : Prepared::Ready;
  }
  /** Sends targets and states for a clear. */
  Prepared prepareClear();
  /** Sends the streams of a draw: Streams::emit(). */
  bool prepareStreams(uint64_t first, uint64_t count) {
    return streams.emit(m_objects, uploads, shaders.streams(), first, count);
  }
  bool prepareStreams(uint64_t first, uint64_t count, const Instances &instances) {
    return streams.emit(m_objects, uploads, shaders.streams(), first, count, instances);
  }
  /** Returns how many entries of the batch's list a draw takes: one for each resource that other contexts see. */
  uint32_t crossing() const { return m_crossing; }
  /** Appends a packet that draws, and lists the resources that other contexts see. Returns null on failure. */
  template <class Packet> Packet *appendDraw() {
    Context &context = m_objects.context;
    if (m_crossing || sizeof(Packet) > context.room()) {
      if (!context.ensure(sizeof(Packet), m_crossing)) return nullptr;
      listCrossing();
    }
    return context.appendFitting<Packet>();
  }
  /** Does the same for a packet with `bytes` bytes after it. */
  template <class Packet> Packet *appendDrawBytes(size_t bytes) {
    if (!m_objects.context.ensure(sizeof(Packet) + ((bytes + 3) & ~size_t{3}), m_crossing)) return nullptr;
    if (m_crossing) listCrossing();
    return m_objects.context.appendFittingBytes<Packet>(bytes);
  }

  /** Forgets which handles the device has bound: one has been destroyed, and its number may be used again. */
  void forgetObjects();
  /** Unbinds an object that is about to be destroyed. */
  void unbind(const Resource *resource);
  void unbind(const Shader *shader) {
    shaders.unbind(shader);
    colorKeys.drop(m_objects, *shader);
  }
  void unbind(const Declaration *declaration) { shaders.unbind(declaration); }

private:
  Prepared prepareChanged();
  Prepared prepareBindings(bool transformed);
  bool emitScreenConstants();
  void listCrossing();
  void noteLoss() {
    if (m_lossSeen != m_objects.context.lost()) forgetAll();
  }
  /** Forgets what the device has, because a batch was lost. */
  void forgetAll();

  DeviceObjects &m_objects;
  uint32_t m_lossSeen = 0;
  std::optional<ViewportState> m_screenConstants;  // the viewport whose screen constants the device has
};

}  // namespace aero
