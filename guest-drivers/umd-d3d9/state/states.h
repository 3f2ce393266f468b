// SPDX-License-Identifier: MIT
// states.h: render, sampler and stage states, clip planes, and steps of streams: the values that the runtime wants and
// those that the device has. A draw sends only wanted values that differ. An invalid value counts as the state's
// default: programs set such values, and the device would refuse them.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-common/base/dirty_bit.h"
#include "guest-drivers/umd-common/submit/context.h"

namespace aero {

/** Samplers: 0 to 15 are the pixel shader's, 16 to 19 the vertex shader's. */
constexpr uint32_t kSamplerCount = 20;
constexpr uint32_t kVertexSamplers = 16;  // the first vertex sampler

/** Returns the sampler of a texture stage of the DDI; kSamplerCount or more for stages without one. */
constexpr uint32_t samplerOfStage(uint32_t stage) {
  constexpr uint32_t kFirstVertexStage = 257;  // D3DVERTEXTEXTURESAMPLER0; 256 is the displacement map's
  if (stage < kVertexSamplers) return stage;
  const uint32_t vertex = stage - kFirstVertexStage;
  return stage >= kFirstVertexStage && vertex < 4 ? kVertexSamplers + vertex : kSamplerCount;
}

/** The stage and slot by which packets name a sampler. */
struct SamplerSlot {
  uint32_t stage, slot;
};
constexpr SamplerSlot slotOf(uint32_t sampler) {
  return sampler < kVertexSamplers ? SamplerSlot{AEROGPU_SHADER_STAGE_PIXEL, sampler}
                                   : SamplerSlot{AEROGPU_SHADER_STAGE_VERTEX, sampler - kVertexSamplers};
}

/** Returns a value that the device accepts: `value`, the default of the state, or, for the cubic filters of Direct3D 8,
 * linear. */
uint32_t saneRenderState(uint32_t state, uint32_t value);
uint32_t saneSamplerState(uint32_t state, uint32_t value);

/** Returns the D3DSAMPLERSTATETYPE of a D3DDDITEXTURESTAGESTATETYPE, 0 for states of the fixed function. */
uint32_t samplerStateOf(uint32_t textureStageState);

class RenderStates {
public:
  explicit RenderStates(DirtyBit dirty);

  /** Records a state (D3DDDIRENDERSTATETYPE). Returns false, and ignores it, if the device has no state of this
   * number. */
  bool set(uint32_t state, uint32_t value);
  uint32_t get(uint32_t state) const { return state < kCount ? m_wanted[state] : 0; }

  bool emit(Context &context) { return m_isDirty.isSet() ? emitDirty(context) : true; }
  /** Sends one state now, whatever the runtime's value is; the next emit() restores that. */
  bool force(Context &context, uint32_t state, uint32_t value);
  /** Forgets what the device has. */
  void forget();

private:
  static constexpr uint32_t kCount = 256;

  bool emitDirty(Context &context);
  /** Sends the state unless the device has it. */
  bool send(Context &context, uint32_t state, uint32_t value);
  void mark(uint32_t state) {
    m_dirty[state / 64] |= uint64_t{1} << state % 64;
    m_isDirty.set();
  }

  uint32_t m_wanted[kCount], m_sent[kCount];
  uint64_t m_known[kCount / 64];  // m_sent holds the device's value
  uint64_t m_dirty[kCount / 64] = {};
  DirtyBit m_isDirty;
};

class SamplerStates {
public:
  explicit SamplerStates(DirtyBit dirty);

  /** Records a state (D3DSAMPLERSTATETYPE). */
  void set(uint32_t sampler, uint32_t state, uint32_t value);
  bool emit(Context &context) { return m_isDirty.isSet() ? emitDirty(context) : true; }
  bool force(Context &context, uint32_t sampler, uint32_t state, uint32_t value);
  void forget();

private:
  static constexpr uint32_t kStates = 16;

  bool emitDirty(Context &context);
  bool send(Context &context, uint32_t sampler, uint32_t state, uint32_t value);
  void mark(uint32_t sampler, uint32_t state) {
    m_dirty[sampler] |= static_cast<uint16_t>(1u << state);
    m_dirtySamplers |= 1u << sampler;
    m_isDirty.set();
  }

  uint32_t m_wanted[kSamplerCount][kStates], m_sent[kSamplerCount][kStates];
  uint16_t m_known[kSamplerCount];
  uint16_t m_dirty[kSamplerCount] = {};
  uint32_t m_dirtySamplers = 0;
  DirtyBit m_isDirty;
};

/** The texture coordinates that each of eight stages reads (D3DDDITSS_TEXCOORDINDEX), in 4 bits each, stage 0 in the
 * lowest: unless a program says otherwise, its own. */
constexpr uint32_t kOwnCoordinates = 0x76543210;

/** Texture stage states that pixel shaders 1.x read (docs/abi/d3d9-states.md XSTATE-4): bump matrices, luminance,
 * the flag that divides coordinates. Devices without feature bit 43 have none of them. Also the texture coordinates of
 * each stage, which are the driver's. */
class StageStates {
public:
  static constexpr uint32_t kStages = 8;

  explicit StageStates(DirtyBit dirty) : m_isDirty(dirty) {}

  /** Records a state (D3DDDITEXTURESTAGESTATETYPE); other states than those above are ignored. */
  void set(uint32_t stage, uint32_t state, uint32_t value);
  /** Returns the texture coordinates that each stage reads, as kOwnCoordinates has them. */
  uint32_t coordinates() const { return m_coordinates; }
  /** Sends what differs. `transformed`: the program's vertices have the texture coordinates. Otherwise a vertex shader
   * made them (the runtime's, for the fixed function), and the divisor is in w, whatever D3DTTFF_COUNT says. */
  bool emit(Context &context, bool transformed);
  void forget();

private:
  static constexpr uint32_t kStates = 7;

  DirtyBit m_isDirty;
  bool m_transformed = false;
  uint32_t m_coordinates = kOwnCoordinates;
  uint32_t m_wanted[kStages][kStates] = {};
  uint8_t m_dirty[kStages] = {};
  uint32_t m_dirtyStages = 0;
};

/** The planes that D3DRS_CLIPPLANEENABLE turns on, in clip space. */
class ClipPlanes {
public:
  static constexpr uint32_t kCount = 6;

  void set(uint32_t index, const float *coefficients);
  /** Sends those of `enabled` (a bit each) that the device does not have. */
  bool emit(Context &context, uint32_t enabled) { return m_dirty & enabled ? emitDirty(context) : true; }
  void forget() { m_dirty = (1u << kCount) - 1; }

private:
  bool emitDirty(Context &context);

  aerogpu_ext_clip_plane m_wanted[kCount] = {};
  uint32_t m_dirty = 0;
};

/** The number of instances after which each stream advances, as the device has it; 0: with each vertex. */
class StreamSteps {
public:
  static constexpr uint32_t kStreams = 16;

  /** Sets the steps of the streams in `mask`; others stay. */
  bool emit(Context &context, uint32_t mask, const uint32_t *steps);
  /** Returns the streams that advance by instances; bit n: stream n. */
  uint32_t stepping() const { return m_stepping; }
  void forget() { m_stepping = m_unknown = (1u << kStreams) - 1; }

private:
  uint32_t m_sent[kStreams] = {};
  uint32_t m_stepping = 0, m_unknown = 0;
};

}  // namespace aero
