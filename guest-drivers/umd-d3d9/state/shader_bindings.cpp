// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/shader_bindings.h"

namespace aero {

uint32_t ShaderBindings::vertexHandle(DeviceObjects &objects, uint32_t coordinates) {
  if (!isTransformed()) return m_wanted.vertex->handle();
  // Pixel shaders of model 3 name what they read by usages, so stages mean nothing to them. D3D9On12 draws the same
  // line (ShaderConverter/ShaderConv/psconv.cpp).
  return m_wanted.layout->screenShader(objects, pixel().major() < 3 ? coordinates : kOwnCoordinates);
}

bool ShaderBindings::force(Context &context, uint32_t vertex, uint32_t pixel, uint32_t layout) {
  m_isDirty.set();
  return send(context, vertex, pixel, layout);
}

bool ShaderBindings::send(Context &context, uint32_t vertex, uint32_t pixel, uint32_t layout) {
  if (m_sent.vertex != vertex || m_sent.pixel != pixel) {
    aerogpu_cmd_bind_shaders packet = {};
    packet.vs = vertex;
    packet.ps = pixel;
    if (!context.send(packet)) return false;
    m_sent.vertex = vertex;
    m_sent.pixel = pixel;
  }
  if (m_sent.layout != layout) {
    aerogpu_cmd_set_input_layout packet = {};
    packet.input_layout_handle = layout;
    if (!context.send(packet)) return false;
    m_sent.layout = layout;
  }
  return true;
}

void ShaderBindings::forget() {
  constexpr uint32_t kUnknown = 0xFFFFFFFF;  // no object
  m_sent = {kUnknown, kUnknown, kUnknown};
  m_isDirty.set();
}

void ShaderBindings::unbind(const Shader *shader) {
  if (m_wanted.vertex == shader) setVertex(nullptr);
  if (m_wanted.pixel == shader) setPixel(nullptr);
}

void ShaderBindings::unbind(const Declaration *declaration) {
  if (m_wanted.layout == declaration) setDeclaration(nullptr);
}

}  // namespace aero
