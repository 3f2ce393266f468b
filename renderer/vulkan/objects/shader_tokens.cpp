// SPDX-License-Identifier: MIT
// Shaders as the driver interface of Direct3D 10 has them: a container is built of the tokens and goes the
// way of the others. A vertex shader has a module for each class of input layouts, a pixel shader for each
// class of targets.
#include "renderer/core/shader_tokens.h"

#include "renderer/vulkan/objects/shader.h"

namespace aerogpu::vk {
namespace {

Result<shader::BuiltContainer> build(const ShaderCode& code, shader::RegisterClasses classes) {
  const core::ShaderTokens parts = core::partsOf(code.counts, code.bytes);
  return shader::buildContainer({parts.tokens, parts.inputs, parts.outputs}, classes);
}

/// Returns the container that a shader is, or is built into.
Result<std::vector<uint8_t>> containerOf(const ShaderCode& code, shader::RegisterClasses classes) {
  if (code.counts == core::TokenCounts{}) return shader::withValidChecksum(code.bytes);
  auto built = build(code, classes);
  if (!built) return built.error();
  return std::move(built->bytes);
}

}  // namespace

Result<void> ShaderStore::compileTokens(ShaderCode& code) {
  auto built = build(code, 0);
  if (!built) return built.error();
  auto container = shader::parseDxbc(built->bytes);
  if (!container) return container.error();
  if (auto compiled = compileContainer(code, built->bytes, *container); !compiled) return compiled;
  code.outputMask = built->targets;
  for (uint32_t reg = 0; reg < 32; ++reg)
    if (built->fedInputs >> reg & 1) code.inputs.push_back({reg, 0, reg, VertexInput::Type::Float});
  code.typedRegisters = built->typed;
  return {};
}

Result<const ModuleRef*> ShaderStore::tokenModule(ShaderCode& code, shader::RegisterClasses classes,
                                                  bool dualSource, const shader::IndexPlaces& places,
                                                  const core::StreamOutput* streams) {
  if (classes == 0 && !dualSource && places == shader::IndexPlaces{} && !streams) return &code.module;
  static const core::StreamOutput kNone;
  const core::StreamOutput& streamed = streams ? *streams : kNone;
  for (const auto& variant : code.variants)
    if (variant->classes == classes && variant->dualSource == dualSource && variant->places == places &&
        variant->streams == streamed)
      return &variant->module;
  auto container = containerOf(code, classes);
  if (!container) return container.error();
  std::vector<shader::StreamedWord> words;
  if (streams) {
    auto found = streamedWords(*container, code, *streams);
    if (!found) return found.error();
    words = std::move(*found);
  }
  auto translated = translate(code.stage, *container, dualSource,
                              code.stage == core::Stage::Geometry ? code.places : places, words);
  if (!translated) return translated.error();
  // The set's layout is that of the first module, whatever the translator answers now.
  if (translated->bindings != code.bindings || translated->loops != code.module.loops)
    return refused(ErrorCode::CmdDecode, "two translations of a shader differ",
                   {{"resources", translated->bindings.size()}, {"before", code.bindings.size()}});
  auto charge = chargeModule(translated->words);
  if (!charge) return charge.error();
  auto module = makeModule(translated->words);
  if (!module) return module.error();
  module->loops = translated->loops;
  auto variant = std::make_unique<ShaderCode::Variant>();
  variant->classes = classes;
  variant->dualSource = dualSource;
  variant->places = places;
  variant->streams = streamed;
  variant->charge = std::move(*charge);
  variant->module = std::move(*module);
  return keep(code, std::move(variant));
}

}  // namespace aerogpu::vk
