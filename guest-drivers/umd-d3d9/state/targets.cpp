// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/targets.h"

namespace aero {

void Targets::replace(Target &target, Resource *resource, Surface *surface) {
  if (target.surface) target.surface->bind(false);
  if (surface) surface->bind(true);
  target = {surface ? resource : nullptr, surface};
  m_isDirty.set();
}

void Targets::set(uint32_t index, Resource *resource, uint32_t subresource) {
  if (index >= kMaxTargets) return;
  Surface *surface = resource ? resource->surface(subresource) : nullptr;
  if (surface && (!surface->image || surface->image->format->depth || surface->image->format->block != 1))
    surface = nullptr;
  Target &target = m_wanted.colors[index];
  if (target.surface == surface) return;
  m_crossing -= crosses(target.resource);
  replace(target, resource, surface);
  m_crossing += crosses(target.resource);
}

void Targets::setDepth(Resource *resource) {
  Surface *surface = resource ? resource->surface(0) : nullptr;
  if (surface && (!surface->image || !surface->image->format->depth)) surface = nullptr;
  if (m_wanted.depth.surface != surface) replace(m_wanted.depth, resource, surface);
}

bool Targets::hasColor() const {
  bool has = false;
  for (const Target &target : m_wanted.colors) has |= target.surface != nullptr;
  return has;
}

uint32_t Targets::samples() const {
  for (const Target &target : m_wanted.colors)
    if (target.surface) return target.surface->image->sampleCount;
  return m_wanted.depth.surface ? m_wanted.depth.surface->image->sampleCount : 1;
}

bool Targets::emit(DeviceObjects &objects) {
  if (!m_isDirty.isSet()) return true;
  Set<uint32_t> views;
  uint32_t count = 0;
  for (uint32_t i = 0; i < kMaxTargets; i++) {
    if (!m_wanted.colors[i].surface) continue;
    views.colors[i] = surfaceView(objects, *m_wanted.colors[i].surface);
    count = i + 1;
  }
  if (m_wanted.depth.surface) views.depth = surfaceView(objects, *m_wanted.depth.surface);
  if (!send(objects.context, views, count)) return false;
  m_isDirty.clear();
  return true;
}

bool Targets::force(Context &context, const uint32_t *colors, uint32_t count, uint32_t depth) {
  Set<uint32_t> views;
  for (uint32_t i = 0; i < count; i++) views.colors[i] = colors[i];
  views.depth = depth;
  if (m_sent == views) return true;
  if (!send(context, views, count)) return false;
  m_isDirty.set();
  return true;
}

bool Targets::send(Context &context, const Set<uint32_t> &views, uint32_t count) {
  if (m_sent == views) return true;
  aerogpu_cmd_set_render_targets packet = {};
  packet.color_count = count;
  packet.depth_stencil = views.depth;
  for (uint32_t i = 0; i < count; i++) packet.colors[i] = views.colors[i];
  if (!context.send(packet)) return false;
  m_sent = views;
  return true;
}

void Targets::forget() {
  constexpr uint32_t kUnknown = 0xFFFFFFFF;  // no view
  m_sent = {{kUnknown, kUnknown, kUnknown, kUnknown}, kUnknown};
  m_isDirty.set();
}

void Targets::unbind(const Resource *resource) {
  for (uint32_t i = 0; i < kMaxTargets; i++)
    if (m_wanted.colors[i].resource == resource) set(i, nullptr, 0);
  if (m_wanted.depth.resource == resource) setDepth(nullptr);
}

void Targets::listCrossing(Context &context) const {
  for (const Target &target : m_wanted.colors)
    if (crosses(target.resource)) context.use(target.surface->image->memory, true);
}

}  // namespace aero
