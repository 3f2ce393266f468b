// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/textures.h"

#include <bit>

namespace aero {

bool Textures::refresh(DeviceObjects &objects) {
  for (uint32_t rest = m_watched; rest; rest &= rest - 1) {
    const auto sampler = static_cast<uint32_t>(std::countr_zero(rest));
    if (failed(m_wanted[sampler]->refresh(objects))) return false;
    if (m_wanted[sampler]->sampled() != m_sent[sampler]) m_dirty |= 1u << sampler;
  }
  return true;
}

inline bool Textures::send(Context &context, uint32_t sampler, uint32_t handle) {
  if (m_sent[sampler] == handle) return true;
  if (!context.ensure(sizeof(aerogpu_cmd_set_texture))) return false;
  auto *packet = context.appendFitting<aerogpu_cmd_set_texture>();
  const SamplerSlot slot = slotOf(sampler);
  packet->shader_stage = slot.stage;
  packet->slot = slot.slot;
  packet->texture = handle;
  m_sent[sampler] = handle;
  return true;
}

bool Textures::emitDirty(Context &context) {
  for (uint32_t rest = m_dirty; rest; rest &= rest - 1) {
    const auto sampler = static_cast<uint32_t>(std::countr_zero(rest));
    if (!send(context, sampler, m_wanted[sampler] ? m_wanted[sampler]->sampled() : 0)) return false;
  }
  m_dirty = 0;
  return true;
}

bool Textures::force(Context &context, uint32_t sampler, uint32_t handle) {
  if (m_sent[sampler] == handle) return true;
  if (!send(context, sampler, handle)) return false;
  m_dirty |= 1u << sampler;
  m_isDirty.set();
  return true;
}

void Textures::forget() {
  constexpr uint32_t kUnknown = 0xFFFFFFFF;  // no texture
  for (uint32_t &handle : m_sent) handle = kUnknown;
  m_dirty = (1u << kSamplerCount) - 1;
  m_isDirty.set();
}

void Textures::unbind(const Resource *resource) {
  for (uint32_t i = 0; i < kSamplerCount; i++)
    if (m_wanted[i] == resource) replace(i, nullptr);
}

void Textures::listCrossing(Context &context) const {
  for (Resource *texture : m_wanted)
    if (crosses(texture)) context.use(texture->texture()->memory, false);
}

}  // namespace aero
