// SPDX-License-Identifier: MIT
#include "renderer/shader/spirv/spirv_streams.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "renderer/shader/spirv/spirv_words.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;

constexpr uint32_t kOutputLocations = 32;  // of four components; no GPU has more outputs of this kind

Error outputsUnclear(const char* why) {
  return Error{ErrorCode::CmdDecode, "the outputs of the shader are not understood", why};
}

/// Words that follow one another in a buffer and in one output.
struct StreamedRun {
  Id output = 0;  ///< variable; 0: the words are zeros
  uint32_t first = 0;
  std::vector<StreamedWord> words;
  Id copy = 0;  ///< variable that is streamed out in place of the output
};

class StreamWriter {
public:
  explicit StreamWriter(std::span<const uint32_t> words) : m_in(words) {}
  Result<Words> run(std::span<const StreamedWord> streamed);

private:
  struct Type {
    Op op;
    uint32_t a = 0, b = 0;  ///< the first operands
  };
  struct Output {
    Id type = 0;  ///< that the variable has
    std::optional<uint32_t> location, builtIn;
    uint32_t component = 0;
  };

  const char* note(InstructionWords in);
  void noteDecoration(InstructionWords in);
  const Type* typeOf(Id id) const {
    const auto found = m_types.find(id);
    return found == m_types.end() ? nullptr : &found->second;
  }
  /// Returns how many components an output has; 0 if it is nothing that has any.
  uint32_t componentsOf(const Output& output) const;
  /// Returns the type of an output's components, and whether they are floats.
  std::pair<Id, bool> componentTypeOf(const Output& output) const;
  /// Finds the output of a word, and its component there; 0 if there is none.
  std::pair<Id, uint32_t> outputOf(const StreamedWord& word) const;
  void makeRuns(std::span<const StreamedWord> streamed);
  /// Decorates a variable that is streamed out.
  void decorate(Id variable, const StreamedWord& first);
  Result<void> place(StreamedRun& run);
  Id floats(uint32_t count);
  void addPointSize();
  /// Writes the copies, before a vertex goes on.
  void writeCopies(Words& out);
  Words finish();

  Id newId() { return m_bound++; }

  const std::span<const uint32_t> m_in;
  uint32_t m_bound = 0;
  Id m_main = 0;
  bool m_geometry = false;
  std::unordered_map<Id, Type> m_types;
  std::unordered_map<Id, Output> m_outputs;
  std::vector<StreamedRun> m_runs;
  std::array<uint8_t, kOutputLocations> m_taken{};  ///< components, by location
  std::array<Id, 5> m_floats{};                     ///< types of one to four
  Id m_zero = 0;
  Id m_pointSize = 0, m_one = 0;  ///< variable and its value; 0: none is needed
  Words m_decorations, m_declarations;
  std::vector<Id> m_copies;  ///< variables that are new
};

void StreamWriter::noteDecoration(InstructionWords in) {
  if (in.size() < 4) return;
  Output& output = m_outputs[in[1]];  // of any id; those that are no outputs are never asked for
  switch (static_cast<spv::Decoration>(in[2])) {
    case spv::Decoration::Location:
      output.location = in[3];
      break;
    case spv::Decoration::Component:
      output.component = in[3];
      break;
    case spv::Decoration::BuiltIn:
      output.builtIn = in[3];
      break;
    default:
      break;
  }
}

const char* StreamWriter::note(InstructionWords in) {
  const Op op = opcode(in);
  if (op == Op::OpEntryPoint) {
    if (m_main != 0 || in.size() < 4) return "entry points";
    m_main = in[2];
    const auto model = static_cast<spv::ExecutionModel>(in[1]);
    m_geometry = model == spv::ExecutionModel::Geometry;
    if (!m_geometry && model != spv::ExecutionModel::Vertex) return "stage";
  }
  if (op == Op::OpDecorate) noteDecoration(in);
  if (op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer && in.size() >= 2)
    m_types[in[1]] = {op, in.size() > 2 ? in[2] : 0, in.size() > 3 ? in[3] : 0};
  if (op == Op::OpTypeFloat && in.size() >= 3 && in[2] == 32) m_floats[1] = in[1];
  if (op == Op::OpConstant && in.size() == 4) m_types[in[2]] = {op, in[3]};  // the length of an array
  if (op == Op::OpTypeVector && in.size() >= 4 && in[2] == m_floats[1] && in[3] >= 2 && in[3] <= 4)
    m_floats[in[3]] = in[1];
  if (op == Op::OpVariable && in.size() >= 4) {
    const Type* pointer = typeOf(in[1]);
    if (static_cast<spv::StorageClass>(in[3]) == spv::StorageClass::Output && pointer)
      m_outputs[in[2]].type = pointer->b;
    else
      m_outputs.erase(in[2]);
  }
  return nullptr;
}

uint32_t StreamWriter::componentsOf(const Output& output) const {
  const Type* type = typeOf(output.type);
  if (!type) return 0;
  switch (type->op) {
    case Op::OpTypeFloat:
    case Op::OpTypeInt:
      return 1;
    case Op::OpTypeVector:
      return type->b;
    case Op::OpTypeArray: {
      const Type* length = typeOf(type->b);
      return length && length->op == Op::OpConstant ? length->a : 0;
    }
    default:
      return 0;
  }
}

std::pair<Id, bool> StreamWriter::componentTypeOf(const Output& output) const {
  const Type* type = typeOf(output.type);
  Id id = output.type;
  if (type && (type->op == Op::OpTypeVector || type->op == Op::OpTypeArray)) {
    id = type->a;
    type = typeOf(id);
  }
  return {id, type && type->op == Op::OpTypeFloat};
}

std::pair<Id, uint32_t> StreamWriter::outputOf(const StreamedWord& word) const {
  for (const auto& [id, output] : m_outputs) {
    if (output.type == 0 || (word.builtIn ? output.builtIn : output.location) != word.number) continue;
    const uint32_t first = word.builtIn ? 0 : output.component;
    if (word.component >= first && word.component - first < componentsOf(output))
      return {id, word.component - first};
  }
  return {0, 0};
}

void StreamWriter::makeRuns(std::span<const StreamedWord> streamed) {
  for (const StreamedWord& word : streamed) {
    const auto [output, component] = outputOf(word);
    if (!m_runs.empty()) {
      StreamedRun& run = m_runs.back();
      const StreamedWord& before = run.words.back();
      const auto count = static_cast<uint32_t>(run.words.size());
      if (count < 4 && run.output == output && (output == 0 || component == run.first + count) &&
          word.buffer == before.buffer && word.offset == before.offset + 4) {
        run.words.push_back(word);
        continue;
      }
    }
    m_runs.push_back({output, component, {word}, 0});
  }
}

void StreamWriter::decorate(Id variable, const StreamedWord& first) {
  put(m_decorations, Op::OpDecorate, variable, spv::Decoration::XfbBuffer, first.buffer);
  put(m_decorations, Op::OpDecorate, variable, spv::Decoration::XfbStride, first.stride);
  put(m_decorations, Op::OpDecorate, variable, spv::Decoration::Offset, first.offset);
}

Id StreamWriter::floats(uint32_t count) {
  Id& type = m_floats[count];
  if (type != 0) return type;
  if (count == 1) {
    type = newId();
    put(m_declarations, Op::OpTypeFloat, type, 32);
  } else {
    const Id one = floats(1);
    type = newId();
    put(m_declarations, Op::OpTypeVector, type, one, count);
  }
  return type;
}

Result<void> StreamWriter::place(StreamedRun& run) {
  const auto count = static_cast<uint32_t>(run.words.size());
  const auto mask = static_cast<uint8_t>((1u << count) - 1);
  for (uint32_t location = 0; location < kOutputLocations; ++location)
    for (uint32_t component = 0; component + count <= 4; ++component) {
      const auto wanted = static_cast<uint8_t>(mask << component);
      if (m_taken[location] & wanted) continue;
      m_taken[location] |= wanted;
      const Id type = floats(count), pointer = newId();
      run.copy = newId();
      put(m_declarations, Op::OpTypePointer, pointer, spv::StorageClass::Output, type);
      put(m_declarations, Op::OpVariable, pointer, run.copy, spv::StorageClass::Output);
      put(m_decorations, Op::OpDecorate, run.copy, spv::Decoration::Location, location);
      if (component != 0) put(m_decorations, Op::OpDecorate, run.copy, spv::Decoration::Component, component);
      decorate(run.copy, run.words.front());
      m_copies.push_back(run.copy);
      return {};
    }
  return refused(ErrorCode::Backend, "stream output needs more outputs than a stage has",
                 {{"locations", kOutputLocations}});
}

void StreamWriter::addPointSize() {
  const auto size = static_cast<uint32_t>(spv::BuiltIn::PointSize);
  for (const auto& [id, output] : m_outputs)
    if (output.type != 0 && output.builtIn == size) return;
  const Id type = floats(1), pointer = newId();
  m_pointSize = newId();
  m_one = newId();
  put(m_declarations, Op::OpConstant, type, m_one, std::bit_cast<uint32_t>(1.0f));
  put(m_declarations, Op::OpTypePointer, pointer, spv::StorageClass::Output, type);
  put(m_declarations, Op::OpVariable, pointer, m_pointSize, spv::StorageClass::Output);
  put(m_decorations, Op::OpDecorate, m_pointSize, spv::Decoration::BuiltIn, size);
  m_copies.push_back(m_pointSize);
}

void StreamWriter::writeCopies(Words& out) {
  if (m_pointSize != 0) put(out, Op::OpStore, m_pointSize, m_one);
  for (const StreamedRun& run : m_runs) {
    if (run.copy == 0) continue;
    const auto count = static_cast<uint32_t>(run.words.size());
    std::vector<Id> parts(count, m_zero);
    if (run.output != 0) {
      const Output& output = m_outputs.at(run.output);
      const Id whole = newId();
      put(out, Op::OpLoad, output.type, whole, run.output);
      const auto [componentType, isFloat] = componentTypeOf(output);
      for (uint32_t i = 0; i < count; ++i) {
        parts[i] = whole;
        if (componentType != output.type) {
          parts[i] = newId();
          put(out, Op::OpCompositeExtract, componentType, parts[i], whole, run.first + i);
        }
        if (!isFloat) {
          const Id bits = newId();
          put(out, Op::OpBitcast, m_floats[1], bits, parts[i]);
          parts[i] = bits;
        }
      }
    }
    Id value = parts[0];
    if (count > 1) {
      value = newId();
      out.push_back((3 + count) << 16 | static_cast<uint32_t>(Op::OpCompositeConstruct));
      out.insert(out.end(), {m_floats[count], value});
      out.insert(out.end(), parts.begin(), parts.end());
    }
    put(out, Op::OpStore, run.copy, value);
  }
}

Words StreamWriter::finish() {
  Words out(m_in.begin(), m_in.begin() + kHeaderWords);
  if (!m_runs.empty()) put(out, Op::OpCapability, spv::Capability::TransformFeedback);
  bool annotated = false, declared = false, inMain = false;
  (void)forEachInstruction(m_in, [&](InstructionWords in) -> const char* {
    const Op op = opcode(in);
    if (!annotated && op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer) {
      out.insert(out.end(), m_decorations.begin(), m_decorations.end());
      annotated = true;
    }
    if (!declared && op == Op::OpFunction) {
      out.insert(out.end(), m_declarations.begin(), m_declarations.end());
      declared = true;
    }
    if (op == Op::OpFunction) inMain = in.size() > 2 && in[2] == m_main;
    const bool vertexGoesOn =
        m_geometry ? op == Op::OpEmitVertex || op == Op::OpEmitStreamVertex : inMain && op == Op::OpReturn;
    if (vertexGoesOn) writeCopies(out);
    const size_t at = out.size();
    out.insert(out.end(), in.begin(), in.end());
    if (op == Op::OpEntryPoint) {
      out.insert(out.end(), m_copies.begin(), m_copies.end());
      out[at] += static_cast<uint32_t>(m_copies.size()) << 16;
      if (!m_runs.empty()) put(out, Op::OpExecutionMode, m_main, spv::ExecutionMode::Xfb);
    }
    return nullptr;
  });
  out[kBoundWord] = m_bound;
  return out;
}

Result<Words> StreamWriter::run(std::span<const StreamedWord> streamed) {
  if (const char* wrong = forEachInstruction(m_in, [&](InstructionWords in) { return note(in); }))
    return outputsUnclear(wrong);
  if (m_main == 0) return outputsUnclear("entry points");
  m_bound = m_in[kBoundWord];
  for (const auto& [id, output] : m_outputs) {
    if (output.type == 0 || !output.location || *output.location >= kOutputLocations) continue;
    const uint32_t count = std::min(componentsOf(output), 4u);
    m_taken[*output.location] |= static_cast<uint8_t>(((1u << count) - 1) << (output.component & 3));
  }
  makeRuns(streamed);
  std::unordered_set<Id> decorated;
  for (StreamedRun& run : m_runs) {
    const Output* output = run.output ? &m_outputs.at(run.output) : nullptr;
    const Type* type = output ? typeOf(output->type) : nullptr;
    const bool whole = type && type->op != Op::OpTypeArray && run.words.size() == componentsOf(*output);
    if (whole && decorated.insert(run.output).second) {
      decorate(run.output, run.words.front());
      continue;
    }
    if (auto placed = place(run); !placed) return placed.error();
    if (!output && m_zero == 0) {
      const Id type1 = floats(1);
      m_zero = newId();
      put(m_declarations, Op::OpConstantNull, type1, m_zero);
    }
  }
  if (!m_runs.empty()) floats(1);
  if (!m_geometry) addPointSize();
  Words out = finish();
  if (m_bound > kMaxBound) return outputsUnclear("too many ids");
  return out;
}

}  // namespace

Result<std::vector<uint32_t>> streamOut(std::span<const uint32_t> words,
                                        std::span<const StreamedWord> streamed) {
  return StreamWriter(words).run(streamed);
}

}  // namespace aerogpu::shader
