// SPDX-License-Identifier: MIT
// targets.h: the surfaces that draws and clears write: up to four of colours, and one of depth and stencil.
#pragma once

#include "guest-drivers/umd-d3d9/base/dirty_bit.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

constexpr uint32_t kMaxTargets = 4;

/** A surface that is drawn to, and the resource that it belongs to. */
struct Target {
  Resource *resource = nullptr;
  Surface *surface = nullptr;
};

/** The targets that are wanted and those that the device has. Setters only note; one device's thread. */
class Targets {
public:
  /** `crossing` counts the bound resources that other contexts see. */
  Targets(DirtyBit dirty, uint32_t &crossing) : m_isDirty(dirty), m_crossing(crossing) {}

  /** Surfaces that cannot be drawn to as colours count as none. */
  void set(uint32_t index, Resource *resource, uint32_t subresource);
  /** The resource's first surface; one that has no depth counts as none. */
  void setDepth(Resource *resource);
  const Target &color(uint32_t index) const { return m_wanted.colors[index]; }
  const Target &depth() const { return m_wanted.depth; }
  bool hasColor() const;
  /** Samples of a pixel that is drawn. */
  uint32_t samples() const;

  /** Sends the wanted targets unless the device has them. */
  bool emit(DeviceObjects &objects);
  /** Sends views now, whatever is wanted; the next emit() puts the wanted ones back. */
  bool force(Context &context, const uint32_t *colors, uint32_t count, uint32_t depth);
  /** The device may have anything. */
  void forget();
  /** The resource is about to end. */
  void unbind(const Resource *resource);

  /** Lists the colours that other contexts see in the batch, which has room for them. */
  void listCrossing(Context &context) const;

private:
  template <class T> struct Set {
    T colors[kMaxTargets] = {};
    T depth = {};
    bool operator==(const Set &) const = default;
  };
  void replace(Target &target, Resource *resource, Surface *surface);
  /** `views`: with zeros from `count` on. */
  bool send(Context &context, const Set<uint32_t> &views, uint32_t count);

  DirtyBit m_isDirty;
  uint32_t &m_crossing;
  Set<Target> m_wanted;
  Set<uint32_t> m_sent;  // views
};

}  // namespace aero
