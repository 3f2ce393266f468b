// SPDX-License-Identifier: MIT
#include "renderer/shader/spirv/spirv_point_size.h"

#include <bit>

#include "renderer/shader/spirv/spirv_words.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;

Error noPoints(const char* why) {
  return Error{ErrorCode::CmdDecode, "the points of the shader are not understood", why};
}

class PointSizeWriter {
public:
  explicit PointSizeWriter(std::span<const uint32_t> words) : m_in(words) {}
  Result<Words> run();

private:
  /// Takes an instruction before the functions.
  void global(InstructionWords in);
  /// Takes one of a function; the store comes first in the entry point's.
  void inFunction(InstructionWords in);
  void declare();

  Id newId() { return m_bound++; }

  const std::span<const uint32_t> m_in;
  uint32_t m_bound = 0;
  Id m_main = 0, m_float = 0, m_size = 0, m_one = 0;
  bool m_isWritten = false, m_inTypes = false, m_inMain = false, m_inFirstBlock = false, m_isStored = false;
  Words m_before, m_types, m_code;  ///< up to the decorations, declarations, functions
};

void PointSizeWriter::global(InstructionWords in) {
  const Op op = opcode(in);
  if (op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer) m_inTypes = true;
  if (op == Op::OpTypeFloat && in.size() == 3 && in[2] == 32) m_float = in[1];
  if (op == Op::OpDecorate && in.size() == 4 && in[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
      in[3] == static_cast<uint32_t>(spv::BuiltIn::PointSize))
    m_isWritten = true;
  if (op == Op::OpMemberDecorate && in.size() == 5 &&
      in[3] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
      in[4] == static_cast<uint32_t>(spv::BuiltIn::PointSize))
    m_isWritten = true;
  Words& to = m_inTypes ? m_types : m_before;
  const size_t at = to.size();
  to.insert(to.end(), in.begin(), in.end());
  if (op != Op::OpEntryPoint || in.size() < 4) return;
  m_main = in[2];
  to.push_back(m_size);
  to[at] += 1u << 16;
}

void PointSizeWriter::declare() {
  put(m_before, Op::OpDecorate, m_size, spv::Decoration::BuiltIn, spv::BuiltIn::PointSize);
  if (!m_float) {
    m_float = newId();
    put(m_types, Op::OpTypeFloat, m_float, 32u);
  }
  const Id pointer = newId();
  m_one = newId();
  put(m_types, Op::OpTypePointer, pointer, spv::StorageClass::Output, m_float);
  put(m_types, Op::OpConstant, m_float, m_one, std::bit_cast<uint32_t>(1.0f));
  put(m_types, Op::OpVariable, pointer, m_size, spv::StorageClass::Output);
}

void PointSizeWriter::inFunction(InstructionWords in) {
  const Op op = opcode(in);
  if (op == Op::OpFunction) m_inMain = in.size() > 2 && in[2] == m_main;
  const bool isDeclaration = op == Op::OpVariable || op == Op::OpLine || op == Op::OpNoLine;
  if (m_inFirstBlock && !isDeclaration) {
    put(m_code, Op::OpStore, m_size, m_one);
    m_inFirstBlock = false;
    m_isStored = true;
  }
  m_inFirstBlock = m_inFirstBlock || (m_inMain && !m_isStored && op == Op::OpLabel);
  m_code.insert(m_code.end(), in.begin(), in.end());
}

Result<Words> PointSizeWriter::run() {
  if (m_in.size() < kHeaderWords) return noPoints("no SPIR-V");
  m_bound = m_in[kBoundWord];
  m_size = newId();
  m_before.assign(m_in.begin(), m_in.begin() + kHeaderWords);
  bool functions = false;
  const char* wrong = forEachInstruction(m_in, [&](InstructionWords in) -> const char* {
    if (opcode(in) == Op::OpFunction && !functions) {
      functions = true;
      declare();
    }
    if (functions)
      inFunction(in);
    else
      global(in);
    return nullptr;
  });
  if (wrong) return noPoints(wrong);
  if (m_isWritten) return Words(m_in.begin(), m_in.end());
  if (!m_isStored) return noPoints("there is no entry point");
  if (m_bound > kMaxBound) return noPoints("too many ids");
  m_before[kBoundWord] = m_bound;
  for (const Words* part : {&m_types, &m_code}) m_before.insert(m_before.end(), part->begin(), part->end());
  return std::move(m_before);
}

}  // namespace

Result<std::vector<uint32_t>> writePointSize(std::span<const uint32_t> words) {
  return PointSizeWriter(words).run();
}

}  // namespace aerogpu::shader
