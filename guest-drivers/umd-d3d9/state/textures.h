// SPDX-License-Identifier: MIT
// textures.h: the textures that samplers read.
#pragma once

#include "guest-drivers/umd-common/base/dirty_bit.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"
#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

/** The textures that are wanted and those that the device has, one for each sampler. Setters send nothing. Only one
 * call of a device at a time uses this. */
class Textures {
public:
  /** `watched` is set as long as draws have to call refresh() first. `crossing` counts the bound resources that other
   *  contexts see. */
  Textures(DirtyBit dirty, DirtyBit watched, uint32_t &crossing)
      : m_isDirty(dirty), m_isWatched(watched), m_crossing(crossing) {}

  void set(uint32_t sampler, Resource *texture) {
    if (sampler < kSamplerCount && m_wanted[sampler] != texture) replace(sampler, texture);
  }

  Resource *wanted(uint32_t sampler) const { return m_wanted[sampler]; }
  bool isWatched() const { return m_watched != 0; }
  /** Updates those wanted textures that need it (Resource::needsRefresh()). Returns false if that failed. */
  bool refresh(DeviceObjects &objects);
  /** Sends the wanted textures that the device does not have. */
  bool emit(Context &context) { return m_dirty ? emitDirty(context) : true; }
  /** Sends one texture now; the next emit() sends the wanted one again. */
  bool force(Context &context, uint32_t sampler, uint32_t handle);
  /** Forgets what the device has. */
  void forget();
  /** Unbinds a resource that is about to be destroyed. */
  void unbind(const Resource *resource);

  /** Adds the wanted textures that other contexts see to the batch's allocation list, which must have room. */
  void listCrossing(Context &context) const;

private:
  void replace(uint32_t sampler, Resource *texture) {
    const uint32_t bit = 1u << sampler;
    m_crossing += uint32_t{crosses(texture)} - uint32_t{crosses(m_wanted[sampler])};
    m_wanted[sampler] = texture;
    m_dirty |= bit;
    m_watched &= ~bit;
    m_isDirty.set();
    if (texture && texture->needsRefresh()) {
      m_watched |= bit;
      m_isWatched.set();
    }
  }
  bool emitDirty(Context &context);
  bool send(Context &context, uint32_t sampler, uint32_t handle);

  DirtyBit m_isDirty, m_isWatched;
  uint32_t &m_crossing;
  uint32_t m_dirty = 0;    // a bit for each sampler whose texture may differ from the one that was sent
  uint32_t m_watched = 0;  // a bit for each sampler whose texture needs refresh()
  Resource *m_wanted[kSamplerCount] = {};
  uint32_t m_sent[kSamplerCount] = {};  // handles
};

}  // namespace aero
