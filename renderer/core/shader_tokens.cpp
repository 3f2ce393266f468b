// SPDX-License-Identifier: MIT
#include "renderer/core/shader_tokens.h"

#include <array>
#include <utility>

#include "renderer/base/component_mask.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kRegisters = 32;    // D3D11_VS_INPUT_REGISTER_COUNT, the most that a stage has
constexpr uint32_t kMaxSpecial = 3;    // depth, coverage, stencil
constexpr uint32_t kFirstFactor = 11;  // D3D10_SB_NAME: tessellation factors
constexpr uint32_t kLastSystemValue = 22;

enum class Part : uint8_t { Inputs, Outputs, PatchConstants };

/// Returns the program's type in the version token (D3D10_SB_TOKENIZED_PROGRAM_TYPE).
uint32_t typeOf(Stage stage) {
  switch (stage) {
    case Stage::Pixel:
      return 0;
    case Stage::Vertex:
      return 1;
    case Stage::Geometry:
      return 2;
    case Stage::Hull:
      return 3;
    case Stage::Domain:
      return 4;
    case Stage::Compute:
      break;
  }
  return 5;
}

Result<void> checkProgram(Stage stage, std::span<const uint32_t> tokens) {
  const uint32_t version = tokens[0], model = version & 0xFFFF, type = version >> 16;
  if (model != 0x40 && model != 0x41 && model != 0x50)
    return refused(ErrorCode::CmdDecode, "shader of an unknown model",
                   {{"major", model >> 4}, {"minor", model & 15}});
  if (type != typeOf(stage))
    return refused(ErrorCode::CmdDecode, "shader is of another stage than said",
                   {{"program type", type}, {"stage", static_cast<uint8_t>(stage)}});
  if (tokens[1] != tokens.size())
    return refused(ErrorCode::CmdDecode, "shader is of another length than said",
                   {{"length", tokens[1]}, {"token_count", tokens.size()}});
  return {};
}

/// Checks the signature's entries one by one, and that none has a component of another; entries of a geometry
/// shader's outputs may be of several streams.
Result<void> checkEntries(Stage stage, Part part, std::span<const aerogpu_ext_signature_entry> entries) {
  const bool pixelOutput = stage == Stage::Pixel && part == Part::Outputs;
  const bool streams = stage == Stage::Geometry && part == Part::Outputs;
  const bool factors = part == Part::PatchConstants;
  const uint32_t registers = pixelOutput ? kMaxColorTargets : kRegisters;
  const uint32_t lastValue = factors ? kLastSystemValue : kFirstFactor - 1;
  std::array<uint32_t, kRegisters> taken{};
  uint32_t special = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const aerogpu_ext_signature_entry& e = entries[i];
    if (e.system_value > lastValue)
      return refused(ErrorCode::CmdDecode, "unknown system value of a signature's entry",
                     {{"entry", i}, {"system_value", e.system_value}, {"limit", lastValue}});
    if (e.mask == 0 || e.mask > 15)
      return refused(ErrorCode::CmdDecode, "mask of a signature's entry names no components",
                     {{"entry", i}, {"mask", e.mask}, {"limit", 15u}});
    if (pixelOutput && e.register_index == AEROGPU_EXT_NO_REGISTER && special < kMaxSpecial) {
      ++special;
      continue;
    }
    if (e.register_index >= registers)
      return refused(ErrorCode::CmdDecode, "no such register of a signature",
                     {{"entry", i}, {"register_index", e.register_index}, {"of", registers}});
    uint32_t& components = taken[e.register_index];
    if (!streams && (components & withoutGaps(e.mask)))
      return refused(ErrorCode::CmdDecode, "two entries of a signature have the same components",
                     {{"entry", i}, {"register_index", e.register_index}, {"mask", e.mask}});
    components |= withoutGaps(e.mask);
  }
  return {};
}

}  // namespace

uint64_t bytesOf(const TokenCounts& counts) {
  const uint64_t entries = uint64_t{counts.inputs} + counts.outputs + counts.patchConstants;
  return uint64_t{counts.tokens} * 4 + entries * sizeof(aerogpu_ext_signature_entry);
}

ShaderTokens partsOf(const TokenCounts& counts, std::span<const uint8_t> bytes) {
  using Entry = aerogpu_ext_signature_entry;
  const auto* tokens = reinterpret_cast<const uint32_t*>(bytes.data());
  const auto* inputs = reinterpret_cast<const Entry*>(bytes.data() + size_t{counts.tokens} * 4);
  const auto* outputs = inputs + counts.inputs;
  return {{tokens, counts.tokens},
          {inputs, counts.inputs},
          {outputs, counts.outputs},
          {outputs + counts.outputs, counts.patchConstants}};
}

Result<void> checkShaderTokens(Stage stage, const TokenCounts& counts, std::span<const uint8_t> bytes) {
  if (const uint64_t needed = bytesOf(counts); needed > bytes.size())
    return refused(ErrorCode::CmdDecode, "tokens and entries run past the packet",
                   {{"bytes", needed}, {"limit", bytes.size()}});
  if (counts.tokens < 2)
    return refused(ErrorCode::CmdDecode, "shader without version and length",
                   {{"token_count", counts.tokens}, {"limit", 2u}});
  const std::pair<const char*, uint32_t> none[] = {
      {"input_count", stage == Stage::Compute ? counts.inputs : 0},
      {"output_count", stage == Stage::Compute ? counts.outputs : 0},
      {"patch_constant_count", stage == Stage::Hull || stage == Stage::Domain ? 0 : counts.patchConstants}};
  for (const auto& [field, count] : none)
    if (count != 0)
      return refused(ErrorCode::CmdDecode, "the stage has no such signature",
                     {{"stage", static_cast<uint8_t>(stage)}, {field, count}});
  const ShaderTokens parts = partsOf(counts, bytes);
  if (auto program = checkProgram(stage, parts.tokens); !program) return program;
  if (auto checked = checkEntries(stage, Part::Inputs, parts.inputs); !checked) return checked;
  if (auto checked = checkEntries(stage, Part::Outputs, parts.outputs); !checked) return checked;
  return checkEntries(stage, Part::PatchConstants, parts.patchConstants);
}

}  // namespace aerogpu::core
