// SPDX-License-Identifier: MIT
// pipeline.h: everything that is set and bound. Each group has what the runtime wants beside what was sent, of one
// shape: set() only notes, emit() sends what differs when a draw or clear needs it, force() sends what the driver draws
// with itself and leaves the wanted state alone, forget() takes nothing for sent. One device's thread.
#pragma once

#include "guest-drivers/umd-d3d9/state/constants.h"
#include "guest-drivers/umd-d3d9/state/shader_bindings.h"
#include "guest-drivers/umd-d3d9/state/special_states.h"
#include "guest-drivers/umd-d3d9/state/streams.h"
#include "guest-drivers/umd-d3d9/state/targets.h"
#include "guest-drivers/umd-d3d9/state/textures.h"
#include "guest-drivers/umd-d3d9/state/viewport.h"

namespace aero {

enum class Prepared { Ready, Nothing, Failed };  // to draw; there is nothing to draw; an error of the context's

/** The topology that the device has. */
class Topology {
public:
  /** `topology`: enum aerogpu_primitive_topology. */
  bool force(Context &context, uint32_t topology) { return m_sent == topology || send(context, topology); }
  /** The device may have any. */
  void forget() { m_sent = 0; }

private:
  bool send(Context &context, uint32_t topology);

  uint32_t m_sent = 0;
};

class Pipeline {
  // What may differ from what was sent: a bit for each group.
  enum Dirty : uint32_t {
    kTargets = 1,
    kTextures = 2,
    kViewport = 4,
    kScissor = 8,
    kShaders = 16,
    kSpecial = 32,
    kBindings = kTargets | kViewport | kScissor | kShaders | kSpecial,
    kWatched = 64,  // as long as textures are watched
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
  SpecialStates special{{m_dirty, kSpecial}};           // set by setRenderState()
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
  bool isScissorOn() const;

  /** Where a draw reads vertices and indices. */
  DrawSource source() const { return {streams.source(), indices.source(), shaders.streams()}; }
  /** How often an indexed draw repeats. */
  Instances instances() const {
    return shaders.isTransformed() || !shaders.hasVertex() ? Instances{} : streams.instances(shaders.streams());
  }

  /** Sends what a draw needs, all but streams and indices. */
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
  /** How many entries of the batch's list a packet that draws takes: for what other contexts see. */
  uint32_t crossing() const { return m_crossing; }
  /** Room for a packet that draws, and in the list. */
  template <class Packet> Packet *appendDraw() {
    Context &context = m_objects.context;
    if (m_crossing || sizeof(Packet) > context.room()) {
      if (!context.ensure(sizeof(Packet), m_crossing)) return nullptr;
      listCrossing();
    }
    return context.appendFitting<Packet>();
  }
  /** The same with `bytes` after it. */
  template <class Packet> Packet *appendDrawBytes(size_t bytes) {
    if (!m_objects.context.ensure(sizeof(Packet) + ((bytes + 3) & ~size_t{3}), m_crossing)) return nullptr;
    if (m_crossing) listCrossing();
    return m_objects.context.appendFittingBytes<Packet>(bytes);
  }

  /** A handle has been destroyed: what has it bound is not known any more, for the number may come again. */
  void forgetObjects();
  /** A resource is about to go. */
  void unbind(const Resource *resource);
  void unbind(const Shader *shader) { shaders.unbind(shader); }
  void unbind(const Declaration *declaration) { shaders.unbind(declaration); }

private:
  Prepared prepareChanged();
  Prepared prepareBindings(bool transformed);
  bool emitScreenConstants();
  void listCrossing();
  void noteLoss() {
    if (m_lossSeen != m_objects.context.lost()) forgetAll();
  }
  /** A batch was lost: the device may have anything. */
  void forgetAll();

  DeviceObjects &m_objects;
  uint32_t m_lossSeen = 0;
  std::optional<ViewportState> m_screenConstants;  // the viewport that those of the device are for
};

}  // namespace aero
