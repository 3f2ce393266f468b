// SPDX-License-Identifier: MIT
#include "renderer/shader/spirv/spirv_indices.h"

#include <algorithm>
#include <map>

#include "renderer/shader/spirv/spirv_words.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;

Error indexUnknown(const char* why) {
  return Error{ErrorCode::CmdDecode, "the layers of the shader are not understood", why};
}

class IndexLimiter {
public:
  explicit IndexLimiter(std::span<const uint32_t> words) : m_in(words) {}
  Result<Words> run();

private:
  struct Variable {
    bool isLayer = false;
    Id type = 0;  ///< of what it holds
    Id zero = 0, limit = 0;
  };

  /// Notes what an instruction before the functions says. Returns why it is not understood, or null.
  const char* note(InstructionWords in);
  /// Declares the constants that the variables are compared with.
  void declare();
  /// True if an instruction uses a pointer to one of the variables, other than to load or store it.
  bool takesPointer(InstructionWords in) const;
  /// Copies an instruction of a function; a store to one of the variables gets what is limited.
  const char* rewrite(InstructionWords in);

  Id newId() { return m_bound++; }

  const std::span<const uint32_t> m_in;
  uint32_t m_bound = 0;
  Id m_bool = 0;
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

Result<std::vector<uint32_t>> limitIndices(std::span<const uint32_t> words) {
  return IndexLimiter(words).run();
}

}  // namespace aerogpu::shader
