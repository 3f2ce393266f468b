// SPDX-License-Identifier: MIT
// Shaders, D3D9 constants, input layouts.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "renderer/cmd/stage.h"
#include "renderer/core/announced.h"
#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/draw_cost.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/input_layout.h"
#include "renderer/core/lacking.h"
#include "renderer/core/object_charge.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/shader_tokens.h"
#include "renderer/core/state.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

namespace {

Error noRegisters(const char* what, uint32_t start, size_t count, uint32_t limit) {
  return refused(ErrorCode::OutOfBounds, what,
                 {{"start_register", start}, {"vec4_count", count}, {"limit", limit}});
}

/// Returns the shader that a handle names, to be bound to a stage; null for 0.
Result<Ref<Shader>> shaderFor(Submission& s, uint32_t handle, Stage stage) {
  if (handle == 0) return Ref<Shader>();
  const auto shader = s.handles.need<Shader>(handle, "no such shader");
  if (!shader) return shader.error();
  if ((*shader)->stage != static_cast<uint8_t>(stage))
    return refused(ErrorCode::CmdDecode, "shader is of another stage",
                   {{"handle", handle},
                    {"its stage", (*shader)->stage},
                    {"bound to stage", static_cast<uint8_t>(stage)}});
  return Ref<Shader>(*shader);
}

/// Makes a shader with the object that `create` makes, Result<std::unique_ptr<GpuShader>>(Shader&).
template <class Packet, class Create>
Result<void> addShader(Submission& s, const Packet& c, Stage stage, uint64_t bytes, Create create) {
  if (stage == Stage::Geometry)  // GEOM-1
    if (auto offered = needOffered(s, AEROGPU_CAPS_GEOMETRY_SHADERS, "geometry shaders are not supported");
        !offered)
      return offered;
  // A translation is a few times the size of its code.
  auto charge = chargeObject(s.hostMemory, bytes * 8);
  if (!charge) return charge.error();
  auto shader = makeRef<Shader>();
  shader->charge = std::move(*charge);
  shader->stage = static_cast<uint8_t>(stage);
  s.work.noteShaderMade();
  auto gpu = create(*shader);
  if (!gpu) {
    // The error may be about the code only: adds which shader it is.
    if (gpu.error().values.all().empty())
      gpu.error().values = {{"shader_handle", c.shader_handle}, {"stage", c.stage}};
    return gpu.error();
  }
  shader->gpu = std::move(*gpu);
  if (shader->gpu->geometry.choosesTarget && !s.announced.has(AEROGPU_CAPS_LAYERS)) {
    static constexpr char kText[] = "geometry shaders choose no layers and viewports";  // outlives the error
    const std::initializer_list<ErrorValue> values = {{"shader_handle", c.shader_handle}, {"stage", c.stage}};
    if (s.announced.told().capsFlags & AEROGPU_CAPS_LAYERS) return lacking(s, kText, 0, values);
    return refused(ErrorCode::Backend, kText, values);
  }
  shader->weight = WorkBudget::weight(shader->gpu->cost.instructions, shader->gpu->cost.samples, 1);
  s.handles.insert(c.shader_handle, shader);
  return {};
}

Result<void> addLayout(Submission& s, uint32_t handle, std::vector<InputElement> elements) {
  auto charge = chargeObject(s.hostMemory, elements.size() * sizeof(InputElement));
  if (!charge) return charge.error();
  auto layout = makeRef<InputLayout>();
  layout->charge = std::move(*charge);
  layout->elements = std::move(elements);
  layout->pretransformed = std::ranges::any_of(layout->elements, [](const InputElement& e) {
    return e.isD3d9Type && e.semanticHash == semanticHash(d3d9::Usage::PositionT);
  });
  auto gpu = s.backend.createInputLayout(layout->elements);
  if (!gpu) return gpu.error();
  layout->gpu = std::move(*gpu);
  s.handles.insert(handle, layout);
  return {};
}

}  // namespace

Result<void> runCreateShaderDxbc(Submission& s, const aerogpu_cmd_create_shader_dxbc& c,
                                 std::span<const uint8_t> bytes) {
  if (auto free = s.space.needFreeHandle(c.shader_handle); !free) return free;
  const auto where = cmd::stageOf(c.stage, c.reserved0, s.minor);
  if (!where) return where.error();
  return addShader(s, c, *where, bytes.size(),
                   [&](Shader& shader) { return s.backend.createShader(*where, bytes, shader.family); });
}

Result<void> runExtCreateShader(Submission& s, const aerogpu_cmd_ext_create_shader& c,
                                std::span<const uint8_t> rest) {
  if (auto free = s.space.needFreeHandle(c.shader_handle); !free) return free;
  const auto where = cmd::stageOf(c.stage, c.reserved0, s.minor);
  if (!where) return where.error();
  const TokenCounts counts{c.token_count, c.input_count, c.output_count, c.patch_constant_count};
  if (auto checked = checkShaderTokens(*where, counts, rest); !checked) return checked;
  const std::span<const uint8_t> bytes = rest.first(bytesOf(counts));
  return addShader(s, c, *where, bytes.size(), [&](Shader& shader) {
    shader.family = ShaderFamily::Dxbc;
    return s.backend.createTokenShader(*where, counts, bytes);
  });
}

Result<void> runDestroyShader(Submission& s, const aerogpu_cmd_destroy_shader& c) {
  if (const auto found = s.handles.need<Shader>(c.shader_handle, "no such shader"); !found)
    return found.error();
  s.handles.remove(c.shader_handle);
  return {};
}

Result<void> runBindShaders(Submission& s, const aerogpu_cmd_bind_shaders& c, std::span<const uint8_t> rest) {
  DrawState& state = s.contexts.state();
  uint32_t extended[3] = {c.reserved0, 0, 0};  // gs, hs, ds
  if (rest.size() >= sizeof extended) std::memcpy(extended, rest.data(), sizeof extended);
  const struct {
    Stage stage;
    uint32_t handle;
  } wanted[] = {{Stage::Vertex, c.vs},          {Stage::Pixel, c.ps},       {Stage::Compute, c.cs},
                {Stage::Geometry, extended[0]}, {Stage::Hull, extended[1]}, {Stage::Domain, extended[2]}};
  std::array<Ref<Shader>, kStageCount> shaders;
  for (const auto& w : wanted) {
    auto shader = shaderFor(s, w.handle, w.stage);
    if (!shader) return shader.error();
    shaders[static_cast<size_t>(w.stage)] = std::move(*shader);
  }
  state.shaders = std::move(shaders);
  state.dirty |= kDirtyShaders | kDirtyVsConstants | kDirtyPsConstants;
  weighShaders(state);
  return {};
}

Result<void> runSetShaderConstantsF(Submission& s, const aerogpu_cmd_set_shader_constants_f& c,
                                    std::span<const aerogpu_constant_register> registers) {
  DrawState& state = s.contexts.state();
  const bool vertex = c.stage == AEROGPU_SHADER_STAGE_VERTEX;
  const uint32_t limit = vertex ? kVertexFloatRegisters : kPixelFloatRegisters;
  if (c.start_register > limit || registers.size() > limit - c.start_register)
    return noRegisters("no such float constant register", c.start_register, registers.size(), limit);
  auto* file = vertex ? state.vsConstants.f.data() : state.psConstants.f.data();
  if (!registers.empty()) std::memcpy(file + c.start_register, registers.data(), registers.size_bytes());
  state.dirty |= vertex ? kDirtyVsConstants : kDirtyPsConstants;
  return {};
}

Result<void> runSetShaderConstantsI(Submission& s, const aerogpu_cmd_set_shader_constants_i& c,
                                    std::span<const aerogpu_constant_register> registers) {
  DrawState& state = s.contexts.state();
  const bool vertex = c.stage == AEROGPU_SHADER_STAGE_VERTEX;
  if (c.start_register > kIntRegisters || registers.size() > kIntRegisters - c.start_register)
    return noRegisters("no such integer constant register", c.start_register, registers.size(),
                       kIntRegisters);
  auto* file = vertex ? state.vsConstants.i.data() : state.psConstants.i.data();
  if (!registers.empty()) std::memcpy(file + c.start_register, registers.data(), registers.size_bytes());
  state.dirty |= vertex ? kDirtyVsConstants : kDirtyPsConstants;
  return {};
}

Result<void> runSetShaderConstantsB(Submission& s, const aerogpu_cmd_set_shader_constants_b& c,
                                    std::span<const aerogpu_constant_register> registers) {
  DrawState& state = s.contexts.state();
  const bool vertex = c.stage == AEROGPU_SHADER_STAGE_VERTEX;
  if (c.start_register > kBoolRegisters || registers.size() > kBoolRegisters - c.start_register)
    return noRegisters("no such bool constant register", c.start_register, registers.size(), kBoolRegisters);
  uint32_t& file = vertex ? state.vsConstants.b : state.psConstants.b;
  for (size_t i = 0; i < registers.size(); ++i) {
    const uint32_t* words = registers[i].words;
    const uint32_t bit = 1u << (c.start_register + i);
    file = (words[0] | words[1] | words[2] | words[3]) ? file | bit : file & ~bit;
  }
  state.dirty |= vertex ? kDirtyVsConstants : kDirtyPsConstants;
  return {};
}

Result<void> runCreateInputLayout(Submission& s, const aerogpu_cmd_create_input_layout& c,
                                  std::span<const uint8_t> blob) {
  if (auto free = s.space.needFreeHandle(c.input_layout_handle); !free) return free;
  auto elements = parseInputLayout(blob);
  if (!elements) return elements.error();
  for (const InputElement& e : *elements)
    if (e.isD3d9Type && (s.announced.limits().missingVertexTypes >> e.format & 1)) {
      if (!(s.announced.told().missingVertexTypes >> e.format & 1))
        return lacking(s, "this GPU has no vertex elements of this type", e.format, {{"type", e.format}});
      return refused(ErrorCode::Backend, "vertex elements of this type are not announced",
                     {{"type", e.format}});
    }
  return addLayout(s, c.input_layout_handle, std::move(*elements));
}

Result<void> runExtCreateLayout(Submission& s, const aerogpu_cmd_ext_create_layout& c,
                                std::span<const aerogpu_ext_layout_element> raw) {
  if (auto free = s.space.needFreeHandle(c.input_layout_handle); !free) return free;
  auto elements = parseRegisterLayout(raw);
  if (!elements) return elements.error();
  return addLayout(s, c.input_layout_handle, std::move(*elements));
}

Result<void> runDestroyInputLayout(Submission& s, const aerogpu_cmd_destroy_input_layout& c) {
  if (const auto found = s.handles.need<InputLayout>(c.input_layout_handle, "no such input layout"); !found)
    return found.error();
  s.handles.remove(c.input_layout_handle);
  return {};
}

Result<void> runSetInputLayout(Submission& s, const aerogpu_cmd_set_input_layout& c) {
  DrawState& state = s.contexts.state();
  Ref<InputLayout> layout;
  if (c.input_layout_handle != 0) {
    const auto found = s.handles.need<InputLayout>(c.input_layout_handle, "no such input layout");
    if (!found) return found.error();
    layout = Ref<InputLayout>(*found);
  }
  state.inputLayout = std::move(layout);
  state.dirty |= kDirtyInputLayout;
  return {};
}

}  // namespace aerogpu::core
