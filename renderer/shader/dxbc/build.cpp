// SPDX-License-Identifier: MIT
// See build.h. Sources: d3d11TokenizedProgramFormat.hpp of the Windows SDK (operands, declarations,
// D3D10_SB_NAME); the layout of a container and of its rows is in dxbc.cpp.
#include "renderer/shader/dxbc/build.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "renderer/base/component_mask.h"
#include "renderer/shader/dxbc/checksum.h"
#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/shader/dxbc/token_walk.h"

namespace aerogpu::shader {
namespace {

using SignatureEntry = aerogpu_ext_signature_entry;

enum class ProgramType : uint32_t { Pixel = 0, Vertex = 1, Geometry = 2, Compute = 5 };

// D3D10_SB_NAME.
constexpr uint32_t kClipDistance = 2, kCullDistance = 3, kVertexId = 6, kPrimitiveId = 7, kInstanceId = 8,
                   kSampleIndex = 10;
// D3D_REGISTER_COMPONENT_TYPE.
constexpr uint32_t kUint = 1, kInt = 2, kFloat = 3;
constexpr uint32_t kRegisters = 32, kNoRegister = AEROGPU_EXT_NO_REGISTER;

struct Meaning {
  const char* name;
  uint32_t type;
};
/// Indexed by D3D10_SB_NAME; D3D_NAME, which a row has, counts these alike.
constexpr Meaning kMeanings[] = {{"REGISTER", kFloat},
                                 {"SV_Position", kFloat},
                                 {"SV_ClipDistance", kFloat},
                                 {"SV_CullDistance", kFloat},
                                 {"SV_RenderTargetArrayIndex", kUint},
                                 {"SV_ViewportArrayIndex", kUint},
                                 {"SV_VertexID", kUint},
                                 {"SV_PrimitiveID", kUint},
                                 {"SV_InstanceID", kUint},
                                 {"SV_IsFrontFace", kUint},
                                 {"SV_SampleIndex", kUint}};

/// Outputs of pixel shaders that have no register, by their type of operand.
struct SpecialOutput {
  uint32_t operand;
  Meaning value;
};
constexpr SpecialOutput kSpecialOutputs[] = {{12, {"SV_Depth", kFloat}},
                                             {15, {"SV_Coverage", kUint}},
                                             {38, {"SV_DepthGreaterEqual", kFloat}},
                                             {39, {"SV_DepthLessEqual", kFloat}}};

struct SignatureRow {
  std::string_view name;
  uint32_t index, systemValue, type, reg, mask, second;
};

/// What a program's tokens declare.
struct Declared {
  std::array<uint8_t, kRegisters> inputs{}, outputs{};  ///< masks
  uint32_t specials = 0;                                ///< bit n: kSpecialOutputs[n]
};

bool entryHolds(std::span<const SignatureEntry> entries, uint32_t reg, uint32_t mask) {
  return std::ranges::any_of(entries, [&](const SignatureEntry& e) {
    return e.register_index == reg && (mask & ~withoutGaps(e.mask)) == 0;
  });
}

Result<Declared> declarationsOf(const TokenProgram& program) {
  constexpr uint32_t kDclInput = 0x5F, kDclOutput = 0x65, kDclOutputSiv = 0x67;
  constexpr uint32_t kInput = 1, kOutput = 2;
  Declared declared;
  std::optional<Error> error;
  const bool geometry = static_cast<ProgramType>(program.tokens[0] >> 16) == ProgramType::Geometry;
  const ProgramWords words(
      {reinterpret_cast<const uint8_t*>(program.tokens.data()), program.tokens.size_bytes()});
  eachToken(words, [&](uint32_t opcode, size_t at, size_t length) {
    if (opcode < kDclInput || opcode > kDclOutputSiv || length < 2 || error) return;
    const uint32_t operand = words[at + 1], type = operand >> 12 & 0xFF, dimensions = operand >> 20 & 3;
    const bool output = opcode >= kDclOutput;
    if (output)
      for (uint32_t i = 0; i < std::size(kSpecialOutputs); ++i)
        if (type == kSpecialOutputs[i].operand) declared.specials |= 1u << i;
    if (type != (output ? kOutput : kInput)) return;
    // A geometry shader's input has the vertices of a primitive before the register.
    const bool ofVertices = geometry && !output;
    const size_t index = 2 + (operand >> 31) + ofVertices;  // an extended operand has a word more
    const uint32_t mask = operand >> 4 & 15, reg = index < length ? words[at + index] : kNoRegister;
    if (dimensions != 1u + ofVertices || reg >= kRegisters ||
        !entryHolds(output ? program.outputs : program.inputs, reg, mask)) {
      error = refused(ErrorCode::CmdDecode,
                      output ? "the shader declares an output that its signature lacks"
                             : "the shader declares an input that its signature lacks",
                      {{"token", at}, {"register", reg}, {"mask", mask}});
      return;
    }
    (output ? declared.outputs : declared.inputs)[reg] |= static_cast<uint8_t>(mask);
  });
  if (error) return *error;
  return declared;
}

/// Returns the entry's system value where the pipeline gives or takes it there; 0 where it is data like any
/// other.
uint32_t meaningOf(const SignatureEntry& entry, ProgramType program, bool output) {
  const uint32_t value = entry.system_value;
  const bool generated = value == kVertexId || value == kInstanceId;
  if (program == ProgramType::Vertex && !output) return generated ? value : 0;
  if (program == ProgramType::Geometry && output && value == kPrimitiveId) return value;
  if (program == ProgramType::Vertex || program == ProgramType::Geometry)
    return value < kVertexId ? value : 0;
  return output || generated || value > kSampleIndex ? 0 : value;
}

uint32_t componentTypeOf(RegisterClasses classes, uint32_t reg) {
  switch (static_cast<NumberClass>(classes >> (reg * 2) & 3)) {
    case NumberClass::Uint:
      return kUint;
    case NumberClass::Int:
      return kInt;
    default:
      return kFloat;
  }
}

class SignatureRows {
public:
  SignatureRows(ProgramType program, bool output, RegisterClasses classes)
      : m_program(program), m_output(output), m_classes(classes) {}

  void add(std::span<const SignatureEntry> entries, const std::array<uint8_t, kRegisters>& declared) {
    std::vector<SignatureEntry> sorted(entries.begin(), entries.end());
    std::ranges::sort(sorted, {}, [](const SignatureEntry& e) {
      return std::pair(uint32_t{e.register_index}, std::countr_zero(uint32_t{e.mask}));
    });
    for (const SignatureEntry& e : sorted)
      if (e.register_index < kRegisters) add(e, declared[e.register_index]);
  }
  void add(const Meaning& special) {
    m_rows.push_back({special.name, 0, 0, special.type, kNoRegister, 1, 0});
  }

  /// Returns the chunk's payload.
  std::vector<uint8_t> bytes() const {
    constexpr uint32_t kHeader = 8, kRow = 24;
    std::vector<uint32_t> words = {static_cast<uint32_t>(m_rows.size()), kHeader};
    const size_t namesAt = kHeader + m_rows.size() * kRow;
    std::vector<char> names;
    std::vector<std::pair<std::string_view, uint32_t>> places;
    for (const SignatureRow& row : m_rows) {
      auto place = std::ranges::find(places, row.name, &std::pair<std::string_view, uint32_t>::first);
      if (place == places.end()) {
        place = places.insert(place, {row.name, static_cast<uint32_t>(namesAt + names.size())});
        names.insert(names.end(), row.name.begin(), row.name.end());
        names.push_back('\0');
      }
      words.insert(words.end(), {place->second, row.index, row.systemValue, row.type, row.reg,
                                 row.mask | row.second << 8});
    }
    names.resize((names.size() + 3) / 4 * 4);
    std::vector<uint8_t> out(words.size() * 4 + names.size());
    std::memcpy(out.data(), words.data(), words.size() * 4);
    std::ranges::copy(names, out.begin() + static_cast<ptrdiff_t>(words.size() * 4));
    return out;
  }

private:
  void add(const SignatureEntry& e, uint32_t declared) {
    const uint32_t reg = e.register_index, mask = withoutGaps(e.mask);
    // An input's second mask has the components that are read, an output's those that are not written.
    const uint32_t second = m_output ? mask & ~declared : mask & declared;
    if (m_program == ProgramType::Pixel && m_output) {
      m_rows.push_back({"SV_Target", reg, 0, componentTypeOf(m_classes, reg), reg, mask, second});
      return;
    }
    const uint32_t meaning = meaningOf(e, m_program, m_output);
    SignatureRow row{kMeanings[meaning].name, 0, meaning, kMeanings[meaning].type, reg, mask, second};
    if (meaning == 0) {
      row.index = reg * 4 + static_cast<uint32_t>(std::countr_zero(mask));
      if (m_program == ProgramType::Vertex && !m_output) row.type = componentTypeOf(m_classes, reg);
    } else if (meaning == kClipDistance || meaning == kCullDistance) {
      row.index = m_distances[meaning - kClipDistance]++;
    }
    m_rows.push_back(row);
  }

  const ProgramType m_program;
  const bool m_output;
  const RegisterClasses m_classes;
  std::vector<SignatureRow> m_rows;
  uint32_t m_distances[2] = {};  ///< rows of clip and of cull distances
};

void appendBytes(std::vector<uint8_t>& out, const void* data, size_t bytes) {
  const auto* from = static_cast<const uint8_t*>(data);
  out.insert(out.end(), from, from + bytes);
}

struct BuiltChunk {
  uint32_t tag;
  std::span<const uint8_t> payload;
};

Result<std::vector<uint8_t>> containerOf(std::span<const BuiltChunk> chunks) {
  constexpr uint64_t kHeader = 32, kChunkHeader = 8;
  uint64_t size = kHeader + chunks.size() * 4;
  for (const BuiltChunk& chunk : chunks) size += kChunkHeader + chunk.payload.size();
  if (size > UINT32_MAX)
    return refused(ErrorCode::CmdDecode, "the shader is too long", {{"bytes", size}, {"limit", UINT32_MAX}});
  std::vector<uint8_t> out;
  out.reserve(size);
  const uint32_t header[] = {fourCc('D', 'X', 'B', 'C'),          0, 0, 0, 0, 1, static_cast<uint32_t>(size),
                             static_cast<uint32_t>(chunks.size())};
  appendBytes(out, header, sizeof header);
  auto offset = static_cast<uint32_t>(kHeader + chunks.size() * 4);
  for (const BuiltChunk& chunk : chunks) {
    appendBytes(out, &offset, 4);
    offset += static_cast<uint32_t>(kChunkHeader + chunk.payload.size());
  }
  for (const BuiltChunk& chunk : chunks) {
    const uint32_t head[] = {chunk.tag, static_cast<uint32_t>(chunk.payload.size())};
    appendBytes(out, head, sizeof head);
    appendBytes(out, chunk.payload.data(), chunk.payload.size());
  }
  uint8_t digest[16];
  dxbcChecksum(out, digest);
  std::memcpy(out.data() + 4, digest, sizeof digest);
  return out;
}

}  // namespace

Result<BuiltContainer> buildContainer(const TokenProgram& p, RegisterClasses classes) {
  auto declared = declarationsOf(p);
  if (!declared) return declared.error();
  const auto program = static_cast<ProgramType>(p.tokens[0] >> 16);
  const bool model5 = (p.tokens[0] >> 4 & 15) >= 5;
  SignatureRows inputs(program, false, classes), outputs(program, true, classes);
  inputs.add(p.inputs, declared->inputs);
  outputs.add(p.outputs, declared->outputs);
  for (uint32_t i = 0; i < std::size(kSpecialOutputs); ++i)
    if (declared->specials >> i & 1) outputs.add(kSpecialOutputs[i].value);
  const std::vector<uint8_t> in = inputs.bytes(), out = outputs.bytes();
  const BuiltChunk chunks[] = {{fourCc('I', 'S', 'G', 'N'), in},
                               {fourCc('O', 'S', 'G', 'N'), out},
                               {model5 ? fourCc('S', 'H', 'E', 'X') : fourCc('S', 'H', 'D', 'R'),
                                {reinterpret_cast<const uint8_t*>(p.tokens.data()), p.tokens.size_bytes()}}};
  auto bytes = containerOf(chunks);
  if (!bytes) return bytes.error();
  BuiltContainer built{std::move(*bytes)};
  if (program == ProgramType::Vertex)
    for (const SignatureEntry& e : p.inputs)
      if (e.register_index < kRegisters && meaningOf(e, program, false) == 0 &&
          (declared->inputs[e.register_index] & withoutGaps(e.mask)))
        built.fedInputs |= 1u << e.register_index;
  if (program == ProgramType::Pixel)
    for (const SignatureEntry& e : p.outputs)
      if (e.register_index < kRegisters && declared->outputs[e.register_index])
        built.targets |= 1u << e.register_index;
  for (uint32_t reg = 0; reg < kRegisters; ++reg)
    if ((built.fedInputs | built.targets) >> reg & 1) built.typed |= kClassBits << (reg * 2);
  return built;
}

}  // namespace aerogpu::shader
