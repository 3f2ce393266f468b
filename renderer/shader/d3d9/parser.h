// SPDX-License-Identifier: MIT
// The parser of parse() (translate.h). Private to this folder; one object reads one stream. Every member that
// returns bool has recorded an error if it returns false.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/shader/d3d9/program.h"
#include "renderer/shader/d3d9/registers.h"

namespace aerogpu::shader {

class Parser {
public:
  explicit Parser(std::span<const uint32_t> tokens)
      : m_in(tokens), m_code(std::make_shared<ProgramCode>()), m_info(m_code->info) {}

  Result<Program, ShaderError> run();

private:
  enum class Block : uint8_t { If, Else, Loop, Rep };
  /// The kind of register that an operand of a non-arithmetic instruction must be.
  enum class Kind { Value, Sampler, Label, Condition, Predicate, Int, Loop };

  // parse.cpp: tokens and parameters
  bool isPixel1() const { return m_version.stage == d3d9::Stage::Pixel && m_version.major == 1; }
  bool fail(std::string what);
  bool fitsSlots();
  bool version();
  bool stream();
  bool statement(uint32_t token, const d3d9::OpcodeInfo& info);
  bool next(uint32_t& token);
  bool parameter(uint32_t& token);
  bool registerOf(uint32_t token, Operand& out, const RegisterFile*& file);
  bool destinationOperand(Operand& out, const RegisterFile*& file);
  bool sourceOperand(Operand& out, const RegisterFile*& file);

  // parse_declarations.cpp
  void implicitInputs();
  bool declaration();
  bool addDeclaration(std::vector<Declaration>& list, const Declaration& d, uint64_t& declared);
  bool definitionRegister(d3d9::RegisterType type, Operand& reg);
  bool floatDefinition();
  bool intDefinition();
  bool boolDefinition();
  bool endOfStream();
  void finishInfo();
  void addOutput(d3d9::Usage usage, uint32_t index, uint8_t mask);
  void fixedOutputs();
  void declaredOutputs();

  // parse_instruction.cpp
  bool instruction(uint32_t token, const d3d9::OpcodeInfo& info);
  bool pixel1(const Instruction& in);
  bool result(Instruction& in);
  Kind kindOf(d3d9::Opcode op, uint32_t i) const;
  bool operand(Instruction& in, uint32_t i);
  bool touchSource(const Operand& s, uint32_t rows);

  // parse_flow.cpp
  bool flow(const Instruction& in);
  bool open(Block block, const Instruction& in);
  bool callGraph();
  bool noLabel(const Instruction& in);

  std::span<const uint32_t> m_in;
  size_t m_pos = 0, m_end = 0;
  uint32_t m_at = 0;
  std::string_view m_name;
  ShaderError m_error;
  std::shared_ptr<ProgramCode> m_code;
  ShaderInfo& m_info;
  d3d9::Version m_version;
  uint64_t m_declaredInputs = 0, m_declaredTextures = 0, m_declaredOutputs = 0;
  std::array<uint64_t, 4> m_floatsRead{}, m_definedFloats{};
  uint32_t m_intsRead = 0, m_boolsRead = 0;
  std::vector<Block> m_blocks;
  uint32_t m_loopDepth = 0;
  bool m_mainEnded = false, m_afterMain = false, m_inSubroutine = false;
};

}  // namespace aerogpu::shader
