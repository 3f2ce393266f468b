// SPDX-License-Identifier: MIT
// Chooses the options of D3D9 modules by one table: which state each part depends on, and how it is chosen.
#include "renderer/vulkan/draw/d3d9_choice.h"

#include <bit>
#include <iterator>
#include <utility>

#include "renderer/d3d9/blending.h"
#include "renderer/d3d9/pixel_pipe.h"
#include "renderer/d3d9/samplers.h"
#include "renderer/vulkan/objects/input_layout.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

/// Returns the format that a sampler sees.
const core::FormatInfo& formatOf(const core::ShaderResourceBinding& bound) {
  return *core::findFormat(bound.view ? bound.view->desc.format : bound.texture->desc.format);
}

/// True if the shader, not the sampler, decodes the sRGB of the bound texture.
bool isDecoded(const core::ShaderResourceBinding& bound) {
  return bound.texture->gpu && core::decodedByShader(formatOf(bound));
}

d3d9::Gathered gatheredOf(const core::ShaderResourceBinding& bound) {
  const core::FormatInfo& format = formatOf(bound);
  if (!core::isGathered(format)) return d3d9::Gathered::Nothing;
  return core::isAlpha(format) ? d3d9::Gathered::Alpha : d3d9::Gathered::Red;
}

const shader::ShaderInfo& infoOf(const ShaderCode* code) {
  return code->program->info();
}

void chooseLinkage(const core::DrawState&, const DrawShaders& shaders, D3d9Choice& choice) {
  if (shaders.ps) choice.pixel.linkedOutputs = infoOf(shaders.vs).outputs;
}

void chooseSampled(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  const auto shadows = [&](core::Stage stage, const ShaderCode* code, shader::EmitOptions& options) {
    options.shadowSamplers =
        d3d9::shadowSamplers(stageOf(state, stage), infoOf(code), options.samplerTypes, samplersCompare);
  };
  shadows(core::Stage::Vertex, shaders.vs, choice.vertex);
  if (!shaders.ps) return;
  choice.pixel.samplerTypes = d3d9::boundSamplerTypes(state, infoOf(shaders.ps));
  shadows(core::Stage::Pixel, shaders.ps, choice.pixel);
}

void chooseDecoding(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  choice.vertex.decodedSamplers =
      d3d9::decodedSamplers(stageOf(state, core::Stage::Vertex), infoOf(shaders.vs), isDecoded);
  if (shaders.ps)
    choice.pixel.decodedSamplers =
        d3d9::decodedSamplers(stageOf(state, core::Stage::Pixel), infoOf(shaders.ps), isDecoded);
}

void chooseGathering(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  if (shaders.ps)
    choice.pixel.gatheredSamplers = d3d9::gatheredSamplers(
        stageOf(state, core::Stage::Pixel), infoOf(shaders.ps), choice.pixel.samplerTypes, gatheredOf);
}

void chooseInputs(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  choice.vertex.inputTypes = inputTypesOf(state, *shaders.vs);
}

void choosePoints(const core::DrawState& state, const DrawShaders&, D3d9Choice& choice) {
  choice.vertex.points = d3d9::drawsPoints(state);
}

void chooseRasterizer(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  choice.vertex.clipPlaneCount = static_cast<uint32_t>(std::popcount(state.rasterizer.clipPlaneMask));
  if (shaders.ps) choice.pixel.flatShade = state.rasterizer.shade == core::ShadeMode::Flat;
}

void chooseProjection(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  if (shaders.ps) choice.pixel.projectedBy = d3d9::projectedBy(state, infoOf(shaders.ps));
}

void chooseBlending(const core::DrawState& state, const DrawShaders& shaders, D3d9Choice& choice) {
  if (shaders.ps) choice.pixel.dualSource = d3d9::usesSecondSource(state.blend, 1);
}

/// A part of a choice, with the DirtyBits of all state that it depends on beside the shaders.
struct Part {
  uint32_t dirty;
  void (*choose)(const core::DrawState&, const DrawShaders&, D3d9Choice&);
};
constexpr Part kParts[] = {
    {core::kDirtyShaders, chooseLinkage},
    {core::kDirtyResources, chooseSampled},
    {core::kDirtyResources | core::kDirtySamplers, chooseDecoding},
    {core::kDirtyResources | core::kDirtySamplers, chooseGathering},
    {core::kDirtyInputLayout, chooseInputs},
    {core::kDirtyTopology | core::kDirtyRasterizer, choosePoints},
    {core::kDirtyRasterizer, chooseRasterizer},
    {core::kDirtyTextureStages, chooseProjection},
    {core::kDirtyBlend, chooseBlending},
};

constexpr uint32_t allDirty() {
  uint32_t bits = 0;
  for (const Part& part : kParts) bits |= part.dirty;
  return bits & ~core::kDirtyShaders;
}

static_assert(D3d9Choice::kDirty == allDirty());

}  // namespace

bool samplersCompare(const core::ShaderResourceBinding& bound) {
  if (!bound.texture->gpu) return false;
  return bound.view ? core::findFormat(bound.view->desc.format)->compares
                    : TextureObject::of(*bound.texture).format().info->compares;
}

D3d9Choice choiceOf(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
                    const D3d9Choice& before) {
  D3d9Choice choice = before;
  // Unrolled: a loop over the table costs a draw 1 % more.
  const auto chooseAll = [&]<size_t... I>(std::index_sequence<I...>) {
    (((dirty & kParts[I].dirty) ? kParts[I].choose(state, shaders, choice) : void()), ...);
  };
  chooseAll(std::make_index_sequence<std::size(kParts)>());
  return choice;
}

}  // namespace aerogpu::vk
