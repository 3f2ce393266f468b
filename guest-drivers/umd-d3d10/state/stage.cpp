// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/state/stage.h"

namespace aero {

void StageState::setBuffers(UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers) {
  for (UINT i = 0; i < count && first + i < kBuffers; i++) {
    Resource *buffer = Resource::from(buffers[i]);
    if (m_buffers[first + i] == buffer) continue;
    m_buffers[first + i] = buffer;
    m_dirtyBuffers.add(first + i);
    m_dirty |= m_bit;
  }
}

void StageState::setTextures(UINT first, UINT count, const D3D10DDI_HSHADERRESOURCEVIEW *views) {
  for (UINT i = 0; i < count && first + i < kTextures; i++) {
    View *view = View::from(views[i]);
    if (m_textures[first + i] == view) continue;
    m_textures[first + i] = view;
    m_dirtyTextures.add(first + i);
    m_dirty |= m_bit;
    if (first + i >= m_textureEnd) m_textureEnd = first + i + 1;
  }
  while (m_textureEnd && !m_textures[m_textureEnd - 1]) m_textureEnd--;
}

void StageState::setSamplers(UINT first, UINT count, const D3D10DDI_HSAMPLER *samplers) {
  for (UINT i = 0; i < count && first + i < kSamplers; i++) {
    const auto *sampler = static_cast<const SamplerState *>(samplers[i].pDrvPrivate);
    const SamplerState wanted = sampler ? *sampler : SamplerState{};
    if (!memcmp(&wanted.block, &m_samplers[first + i].block, sizeof wanted.block)) continue;
    m_samplers[first + i] = wanted;
    m_dirtySamplers.add(first + i);
    m_dirty |= m_bit;
  }
}

void StageState::rotated() {
  for (uint32_t i = 0; i < m_textureEnd; i++) {
    if (!m_textures[i]) continue;
    m_dirtyTextures.add(i);
    m_dirty |= m_bit;
  }
}

bool StageState::sendBuffers() {
  const uint32_t count = m_dirtyBuffers.end - m_dirtyBuffers.begin;
  auto *packet = m_objects.context.append<aerogpu_cmd_set_constant_buffers>(count);
  if (!packet) return false;
  packet->shader_stage = m_stage;
  packet->start_slot = m_dirtyBuffers.begin;
  aerogpu_constant_buffer_binding *out = Context::elementsOf(packet);
  for (uint32_t i = 0; i < count; i++) {
    const Resource *buffer = m_buffers[m_dirtyBuffers.begin + i];
    out[i] = {buffer ? buffer->identity.handle : 0, 0, 0, 0};
  }
  m_dirtyBuffers = {};
  return true;
}

bool StageState::sendTextures() {
  for (uint32_t slot = m_dirtyTextures.begin; slot < m_dirtyTextures.end; slot++) {
    if (m_textures[slot] && m_textures[slot]->resource().isBuffer()) {
      auto *packet = m_objects.context.append<aerogpu_cmd_set_shader_resource_buffers>(1);
      if (!packet) return false;
      packet->shader_stage = m_stage;
      packet->start_slot = slot;
      *Context::elementsOf(packet) = m_textures[slot]->buffer();
      continue;
    }
    const uint32_t handle = m_textures[slot] ? m_textures[slot]->handle(m_objects) : 0;
    if (m_textures[slot] && !handle) return false;
    auto *packet = m_objects.context.append<aerogpu_cmd_set_texture>();
    if (!packet) return false;
    packet->shader_stage = m_stage;
    packet->slot = slot;
    packet->texture = handle;
  }
  m_dirtyTextures = {};
  return true;
}

bool StageState::sendSamplers() {
  const uint32_t count = m_dirtySamplers.end - m_dirtySamplers.begin;
  auto *packet = m_objects.context.append<aerogpu_cmd_ext_set_samplers>(count);
  if (!packet) return false;
  packet->shader_stage = m_stage;
  packet->start_slot = m_dirtySamplers.begin;
  aerogpu_ext_sampler *out = Context::elementsOf(packet);
  for (uint32_t i = 0; i < count; i++) out[i] = m_samplers[m_dirtySamplers.begin + i].block;
  m_dirtySamplers = {};
  return true;
}

HRESULT StageState::send() {
  bool sent = m_dirtyBuffers.isEmpty() || sendBuffers();
  sent = sent && (m_dirtyTextures.isEmpty() || sendTextures());
  sent = sent && (m_dirtySamplers.isEmpty() || sendSamplers());
  m_dirty &= ~m_bit;
  return m_objects.context.result(sent);
}

}  // namespace aero
