// SPDX-License-Identifier: MIT
#include "renderer/shader/spirv/spirv_indices.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "renderer/shader/spirv/spirv_words.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;

Error indexUnknown(const char* why) {
  return Error{ErrorCode::CmdDecode, "the layers of the shader are not understood", why};
}

class IndexLimiter {
public:
  IndexLimiter(std::span<const uint32_t> words, const IndexPlaces& places) : m_in(words), m_places(places) {}
  Result<Words> run();

private:
  struct Variable {
    bool isLayer = false;
    Id pointer = 0, type = 0;  ///< its own, and of what it holds
    Id zero = 0, limit = 0;
    Id raw = 0;  ///< an output that has the number as it is; 0 = none
  };

  /// Notes what an instruction before the functions says. Returns why it is not understood, or null.
  const char* note(InstructionWords in);
  /// Declares the constants that the variables are compared with, and the outputs for the numbers as they
  /// are.
  void declare();
  void declareRaw(Variable& variable, uint32_t place);
  /// True if an instruction uses a pointer to one of the variables, other than to load or store it.
  bool takesPointer(InstructionWords in) const;
  /// Copies an instruction of a function; a store to one of the variables gets what is limited.
  const char* rewrite(InstructionWords in);

  Id newId() { return m_bound++; }

  const std::span<const uint32_t> m_in;
  const IndexPlaces m_places;
  uint32_t m_bound = 0;
  Id m_bool = 0;
  size_t m_entryPoint = 0;             ///< in m_before
  std::map<Id, Variable> m_variables;  ///< outputs
  std::map<Id, Id> m_pointees;         ///< by pointer type
  std::map<Id, bool> m_isInteger;      ///< types of 32 bits
  Words m_before, m_types, m_code;     ///< up to the decorations, declarations, functions
};

const char* IndexLimiter::note(InstructionWords in) {
  switch (opcode(in)) {
    case Op::OpDecorate:
      if (in.size() == 4 && in[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn)) {
        const auto builtIn = static_cast<spv::BuiltIn>(in[3]);
        if (builtIn == spv::BuiltIn::Layer || builtIn == spv::BuiltIn::ViewportIndex)
          m_variables[in[1]].isLayer = builtIn == spv::BuiltIn::Layer;
      }
      return nullptr;
    case Op::OpTypeBool:
      if (in.size() == 2) m_bool = in[1];
      return nullptr;
    case Op::OpTypeInt:
      if (in.size() == 4 && in[2] == 32) m_isInteger[in[1]] = true;
      return nullptr;
    case Op::OpTypePointer:
      if (in.size() == 4) m_pointees[in[1]] = in[3];
      return nullptr;
    case Op::OpVariable: {
      if (in.size() < 4) return "a variable";
      const auto found = m_variables.find(in[2]);
      if (found == m_variables.end()) return nullptr;
      if (in[3] != static_cast<uint32_t>(spv::StorageClass::Output)) {
        m_variables.erase(found);  // a pixel shader reads it
        return nullptr;
      }
      const auto type = m_pointees.find(in[1]);
      if (type == m_pointees.end() || !m_isInteger.contains(type->second))
        return "an index that is no integer";
      found->second.pointer = in[1];
      found->second.type = type->second;
      return nullptr;
    }
    case Op::OpMemberDecorate:
      if (in.size() == 5 && in[3] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
          (in[4] == static_cast<uint32_t>(spv::BuiltIn::Layer) ||
           in[4] == static_cast<uint32_t>(spv::BuiltIn::ViewportIndex)))
        return "an index in a block";
      return nullptr;
    default:
      return nullptr;
  }
}

/// Appends the decorations of an input or output at a place of IndexPlaces.
void putPlace(Words& out, Id variable, uint32_t place) {
  put(out, Op::OpDecorate, variable, spv::Decoration::Location, (place - 1) / 4);
  if ((place - 1) % 4) put(out, Op::OpDecorate, variable, spv::Decoration::Component, (place - 1) % 4);
}

void IndexLimiter::declareRaw(Variable& variable, uint32_t place) {
  variable.raw = newId();
  putPlace(m_before, variable.raw, place);
  put(m_types, Op::OpVariable, variable.pointer, variable.raw, spv::StorageClass::Output);
  // The entry point lists it.
  const size_t words = m_before[m_entryPoint] >> 16;
  m_before.insert(m_before.begin() + static_cast<std::ptrdiff_t>(m_entryPoint + words), variable.raw);
  m_before[m_entryPoint] += 1u << 16;
}

void IndexLimiter::declare() {
  if (!m_bool) {
    m_bool = newId();
    put(m_types, Op::OpTypeBool, m_bool);
  }
  for (auto& [id, variable] : m_variables) {
    variable.zero = newId();
    variable.limit = newId();
    put(m_types, Op::OpConstant, variable.type, variable.zero, 0u);
    if (variable.isLayer) {
      put(m_before, Op::OpDecorate, variable.limit, spv::Decoration::SpecId, kLayerCountConstant);
      put(m_types, Op::OpSpecConstant, variable.type, variable.limit, 1u);
    } else {
      put(m_types, Op::OpConstant, variable.type, variable.limit, kViewportCount);
    }
    const uint32_t place = variable.isLayer ? m_places.layer : m_places.viewport;
    if (place != 0) declareRaw(variable, place);
  }
}

bool IndexLimiter::takesPointer(InstructionWords in) const {
  size_t first = 0, last = in.size();  // words that are pointers
  switch (opcode(in)) {
    case Op::OpAccessChain:
    case Op::OpInBoundsAccessChain:
    case Op::OpPtrAccessChain:
    case Op::OpInBoundsPtrAccessChain:
    case Op::OpCopyObject:
    case Op::OpBitcast:
      first = 3;
      last = std::min<size_t>(last, 4);
      break;
    case Op::OpCopyMemory:
    case Op::OpCopyMemorySized:
      first = 1;
      last = std::min<size_t>(last, 3);
      break;
    case Op::OpFunctionCall:
      first = 4;
      break;
    case Op::OpPhi:
    case Op::OpSelect:
      first = 3;
      break;
    default:
      return false;
  }
  for (size_t i = first; i < last; ++i)
    if (m_variables.contains(in[i])) return true;
  return false;
}

const char* IndexLimiter::rewrite(InstructionWords in) {
  const auto copy = [&] { m_code.insert(m_code.end(), in.begin(), in.end()); };
  if (opcode(in) != Op::OpStore || in.size() < 3 || !m_variables.contains(in[1])) {
    copy();
    return takesPointer(in) ? "an index that is not stored to alone" : nullptr;
  }
  const Variable& variable = m_variables[in[1]];
  if (variable.raw) put(m_code, Op::OpStore, variable.raw, in[2]);
  const Id below = newId(), limited = newId();
  put(m_code, Op::OpULessThan, m_bool, below, in[2], variable.limit);
  put(m_code, Op::OpSelect, variable.type, limited, below, in[2], variable.zero);
  const size_t at = m_code.size();
  copy();
  m_code[at + 2] = limited;
  return nullptr;
}

Result<Words> IndexLimiter::run() {
  if (m_in.size() < kHeaderWords) return indexUnknown("no SPIR-V");
  m_bound = m_in[kBoundWord];
  m_before.assign(m_in.begin(), m_in.begin() + kHeaderWords);
  bool inTypes = false, inFunction = false;
  const char* wrong = forEachInstruction(m_in, [&](InstructionWords in) -> const char* {
    const Op op = opcode(in);
    inTypes = inTypes || (op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer) || op == Op::OpConstant;
    if (op == Op::OpFunction && !inFunction) {
      inFunction = true;
      if (!m_variables.empty()) declare();
    }
    if (inFunction) return rewrite(in);
    Words& to = inTypes ? m_types : m_before;
    if (op == Op::OpEntryPoint) m_entryPoint = to.size();
    to.insert(to.end(), in.begin(), in.end());
    return note(in);
  });
  if (wrong) return indexUnknown(wrong);
  if (m_variables.empty()) return Words(m_in.begin(), m_in.end());
  if (m_bound > kMaxBound) return indexUnknown("too many ids");
  m_before[kBoundWord] = m_bound;
  for (const Words* part : {&m_types, &m_code}) m_before.insert(m_before.end(), part->begin(), part->end());
  return std::move(m_before);
}

}  // namespace

Result<std::vector<uint32_t>> limitIndices(std::span<const uint32_t> words, const IndexPlaces& places) {
  return IndexLimiter(words, places).run();
}

Result<std::vector<uint32_t>> takeIndices(std::span<const uint32_t> words, const IndexPlaces& places) {
  std::set<Id> flat;  // integers are; a built-in input need not say so
  Words out;
  const auto isBuiltIn = [](InstructionWords in, spv::BuiltIn which) {
    return opcode(in) == Op::OpDecorate && in.size() == 4 &&
           in[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn) && in[3] == static_cast<uint32_t>(which);
  };
  const auto take = [&](auto use) { return forEachInstruction(words, use); };
  const char* wrong = take([&](InstructionWords in) -> const char* {
    if (opcode(in) == Op::OpDecorate && in.size() == 3 &&
        in[2] == static_cast<uint32_t>(spv::Decoration::Flat))
      flat.insert(in[1]);
    return nullptr;
  });
  if (wrong) return indexUnknown(wrong);
  out.assign(words.begin(), words.begin() + kHeaderWords);
  (void)take([&](InstructionWords in) -> const char* {
    const uint32_t place = isBuiltIn(in, spv::BuiltIn::Layer)           ? places.layer
                           : isBuiltIn(in, spv::BuiltIn::ViewportIndex) ? places.viewport
                                                                        : 0;
    if (place == 0) {
      out.insert(out.end(), in.begin(), in.end());
      return nullptr;
    }
    putPlace(out, in[1], place);
    if (!flat.contains(in[1])) put(out, Op::OpDecorate, in[1], spv::Decoration::Flat);
    return nullptr;
  });
  return out;
}

}  // namespace aerogpu::shader
