// SPDX-License-Identifier: MIT
// targets.h: the surfaces that draws and clears write: up to four of colours, and one of depth and stencil.
#pragma once

#include "guest-drivers/umd-common/base/dirty_bit.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

constexpr uint32_t kMaxTargets = 4;

/** A surface that is drawn to, and the resource that it belongs to. */
struct Target {
  Resource *resource = nullptr;
  Surface *surface = nullptr;
};

/** The targets that are wanted, and those that the device has. Setters send nothing. Only one call of a device at a
 * time uses this. */
class Targets {
public:
  /** `crossing` counts the bound resources that other contexts see. */
  Targets(DirtyBit dirty, uint32_t &crossing) : m_isDirty(dirty), m_crossing(crossing) {}

  /** Sets a colour target. A surface that cannot be drawn to as colours counts as none. */
  void set(uint32_t index, Resource *resource, uint32_t subresource);
  /** Sets the depth target: the resource's first surface, or none if that has no depth. */
  void setDepth(Resource *resource);
  const Target &color(uint32_t index) const { return m_wanted.colors[index]; }
  const Target &depth() const { return m_wanted.depth; }
  bool hasColor() const;
  /** False if the depth target's format has no stencil. */
  bool hasStencil() const {
    const Surface *depth = m_wanted.depth.surface;
    return !depth || !depth->image || depth->image->format->stencil;
  }
  /** Returns the number of samples a pixel of the wanted targets. */
  uint32_t samples() const;

  /** Sends the wanted targets unless the device has them. */
  bool emit(DeviceObjects &objects);
  /** Sends views now; the next emit() sends the wanted ones again. */
  bool force(Context &context, const uint32_t *colors, uint32_t count, uint32_t depth);
  /** Forgets what the device has. */
  void forget();
  /** Unbinds a resource that is about to be destroyed. */
  void unbind(const Resource *resource);

  /** Adds the colour targets that other contexts see to the batch's allocation list, which must have room. */
  void listCrossing(Context &context) const;

private:
  template <class T> struct Set {
    T colors[kMaxTargets] = {};
    T depth = {};
    bool operator==(const Set &) const = default;
  };
  void replace(Target &target, Resource *resource, Surface *surface);
  /** Sends `count` colour views and the depth view; `views` has zeros from `count` on. */
  bool send(Context &context, const Set<uint32_t> &views, uint32_t count);

  DirtyBit m_isDirty;
  uint32_t &m_crossing;
  Set<Target> m_wanted;
  Set<uint32_t> m_sent;  // views
};

}  // namespace aero
