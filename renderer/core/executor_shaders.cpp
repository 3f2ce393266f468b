// SPDX-License-Identifier: MIT
// Executor: shaders, D3D9 constants, input layouts.
#include <algorithm>
#include <cstring>

#include "renderer/core/executor.h"
#include "renderer/core/input_layout.h"
#include "renderer/core/object_charge.h"

namespace aerogpu::core {

namespace {

Error noRegisters(const char* what, uint32_t start, size_t count, uint32_t limit) {
  return refused(ErrorCode::OutOfBounds, what,
                 {{"start_register", start}, {"vec4_count", count}, {"limit", limit}});
}

}  // namespace

Result<Stage> Executor::stage(uint32_t stage, uint32_t stageEx) const {
  return cmd::stageOf(stage, stageEx, m_minor);
}

Result<void> Executor::run(const aerogpu_cmd_create_shader_dxbc& c, Bytes bytes) {
  if (auto free = m_space.needFreeHandle(c.shader_handle); !free) return free;
  const auto where = stage(c.stage, c.reserved0);
  if (!where) return where.error();
  // A translation is a few times the size of its code.
  auto charge = chargeObject(m_env.hostMemory, uint64_t{c.dxbc_size_bytes} * 8);
  if (!charge) return charge.error();
  auto shader = makeRef<Shader>();
  shader->charge = std::move(*charge);
  shader->stage = static_cast<uint8_t>(*where);
  m_work.noteShaderMade();
  auto gpu = m_env.backend.createShader(*where, bytes, shader->family);
  if (!gpu) {
    // What is wrong may be inside; which shader it is, the packet says.
    if (gpu.error().values.all().empty())
      gpu.error().values = {{"shader_handle", c.shader_handle}, {"stage", c.stage}};
    return gpu.error();
  }
  shader->gpu = std::move(*gpu);
  shader->weight = WorkBudget::weight(shader->gpu->cost.instructions, shader->gpu->cost.samples, 1);
  m_space.handles().insert(c.shader_handle, shader);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_destroy_shader& c) {
  if (const auto found = m_space.handles().need<Shader>(c.shader_handle, "no such shader"); !found)
    return found.error();
  m_space.handles().remove(c.shader_handle);
  return {};
}

Result<Ref<Shader>> Executor::shaderFor(uint32_t handle, Stage stage) {
  if (handle == 0) return Ref<Shader>();
  const auto shader = m_space.handles().need<Shader>(handle, "no such shader");
  if (!shader) return shader.error();
  if ((*shader)->stage != static_cast<uint8_t>(stage))
    return refused(ErrorCode::CmdDecode, "shader is of another stage",
                   {{"handle", handle},
                    {"its stage", (*shader)->stage},
                    {"bound to stage", static_cast<uint8_t>(stage)}});
  return Ref<Shader>(*shader);
}

Result<void> Executor::run(const aerogpu_cmd_bind_shaders& c, Bytes rest) {
  uint32_t extended[3] = {c.reserved0, 0, 0};  // gs, hs, ds
  if (rest.size() >= sizeof extended) std::memcpy(extended, rest.data(), sizeof extended);
  const struct {
    Stage stage;
    uint32_t handle;
  } wanted[] = {{Stage::Vertex, c.vs},          {Stage::Pixel, c.ps},       {Stage::Compute, c.cs},
                {Stage::Geometry, extended[0]}, {Stage::Hull, extended[1]}, {Stage::Domain, extended[2]}};
  std::array<Ref<Shader>, kStageCount> shaders;
  for (const auto& w : wanted) {
    auto shader = shaderFor(w.handle, w.stage);
    if (!shader) return shader.error();
    shaders[static_cast<size_t>(w.stage)] = std::move(*shader);
  }
  m_contexts.state().shaders = std::move(shaders);
  m_contexts.state().dirty |= kDirtyShaders | kDirtyVsConstants | kDirtyPsConstants;
  weigh();
  return {};
}

void Executor::weigh() {
  const auto weightOf = [this](Stage which, uint32_t anisotropy) -> uint32_t {
    const Shader* shader = m_contexts.state().shaders[static_cast<size_t>(which)].get();
    if (!shader) return 1;
    if (anisotropy == 1) return shader->weight;
    return WorkBudget::weight(shader->gpu->cost.instructions, shader->gpu->cost.samples, anisotropy);
  };
  m_contexts.state().vertexWeight = weightOf(Stage::Vertex, 1);
  m_contexts.state().pixelWeight = weightOf(Stage::Pixel, m_contexts.state().anisotropy);
}

void Executor::noteFilter(const SamplerState& changed) {
  if (changed.maxAnisotropy <= 1 && m_contexts.state().anisotropy == 1) return;
  m_contexts.state().anisotropy = 1;
  for (const SamplerState& sampler : m_contexts.bindings(Stage::Pixel).samplers)
    if (sampler.min == Filter::Anisotropic || sampler.mag == Filter::Anisotropic)
      m_contexts.state().anisotropy =
          std::max(m_contexts.state().anisotropy, std::min(sampler.maxAnisotropy, 16u));
  weigh();
}

Result<void> Executor::run(const aerogpu_cmd_set_shader_constants_f& c, Registers registers) {
  const bool vertex = c.stage == AEROGPU_SHADER_STAGE_VERTEX;
  const uint32_t limit = vertex ? kVertexFloatRegisters : kPixelFloatRegisters;
  if (c.start_register > limit || registers.size() > limit - c.start_register)
    return noRegisters("no such float constant register", c.start_register, registers.size(), limit);
  auto* file = vertex ? m_contexts.state().vsConstants.f.data() : m_contexts.state().psConstants.f.data();
  if (!registers.empty()) std::memcpy(file + c.start_register, registers.data(), registers.size_bytes());
  m_contexts.state().dirty |= vertex ? kDirtyVsConstants : kDirtyPsConstants;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_shader_constants_i& c, Registers registers) {
  const bool vertex = c.stage == AEROGPU_SHADER_STAGE_VERTEX;
  if (c.start_register > kIntRegisters || registers.size() > kIntRegisters - c.start_register)
    return noRegisters("no such integer constant register", c.start_register, registers.size(),
                       kIntRegisters);
  auto* file = vertex ? m_contexts.state().vsConstants.i.data() : m_contexts.state().psConstants.i.data();
  if (!registers.empty()) std::memcpy(file + c.start_register, registers.data(), registers.size_bytes());
  m_contexts.state().dirty |= vertex ? kDirtyVsConstants : kDirtyPsConstants;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_shader_constants_b& c, Registers registers) {
  const bool vertex = c.stage == AEROGPU_SHADER_STAGE_VERTEX;
  if (c.start_register > kBoolRegisters || registers.size() > kBoolRegisters - c.start_register)
    return noRegisters("no such bool constant register", c.start_register, registers.size(), kBoolRegisters);
  uint32_t& file = vertex ? m_contexts.state().vsConstants.b : m_contexts.state().psConstants.b;
  for (size_t i = 0; i < registers.size(); ++i) {
    const uint32_t* words = registers[i].words;
    const uint32_t bit = 1u << (c.start_register + i);
    file = (words[0] | words[1] | words[2] | words[3]) ? file | bit : file & ~bit;
  }
  m_contexts.state().dirty |= vertex ? kDirtyVsConstants : kDirtyPsConstants;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_create_input_layout& c, Bytes blob) {
  if (auto free = m_space.needFreeHandle(c.input_layout_handle); !free) return free;
  auto elements = parseInputLayout(blob);
  if (!elements) return elements.error();
  auto charge = chargeObject(m_env.hostMemory, elements->size() * sizeof(InputElement));
  if (!charge) return charge.error();
  auto layout = makeRef<InputLayout>();
  layout->charge = std::move(*charge);
  layout->elements = std::move(*elements);
  layout->pretransformed = std::ranges::any_of(layout->elements, [](const InputElement& e) {
    return e.isD3d9Type && e.semanticHash == semanticHash(d3d9::Usage::PositionT);
  });
  auto gpu = m_env.backend.createInputLayout(layout->elements);
  if (!gpu) return gpu.error();
  layout->gpu = std::move(*gpu);
  m_space.handles().insert(c.input_layout_handle, layout);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_destroy_input_layout& c) {
  if (const auto found = m_space.handles().need<InputLayout>(c.input_layout_handle, "no such input layout");
      !found)
    return found.error();
  m_space.handles().remove(c.input_layout_handle);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_input_layout& c) {
  Ref<InputLayout> layout;
  if (c.input_layout_handle != 0) {
    const auto found = m_space.handles().need<InputLayout>(c.input_layout_handle, "no such input layout");
    if (!found) return found.error();
    layout = Ref<InputLayout>(*found);
  }
  m_contexts.state().inputLayout = std::move(layout);
  m_contexts.state().dirty |= kDirtyInputLayout;
  return {};
}

}  // namespace aerogpu::core
