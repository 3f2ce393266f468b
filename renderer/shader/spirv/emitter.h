// SPDX-License-Identifier: MIT
// Makes one SPIR-V module from a parsed program. Without flow control registers are plain SSA values; with it
// they are Private variables, cached between labels. Private to this folder; emit() uses an object once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "renderer/shader/d3d9/program.h"
#include "renderer/shader/spirv/spirv_builder.h"

namespace aerogpu::shader {

class Emitter {
public:
  Emitter(const ProgramCode& code, const EmitOptions& options);
  Module run();

private:
  using Op = spv::Op;

  // Slots of m_values: the registers that a shader can write.
  static constexpr uint32_t kSlotTemp = 0;
  static constexpr uint32_t kSlotOutput = kMaxTemps;
  static constexpr uint32_t kSlotAddress = kSlotOutput + kOutputSlots;
  static constexpr uint32_t kSlotPredicate = kSlotAddress + 1;
  static constexpr uint32_t kSlotKilled = kSlotPredicate + 1;
  static constexpr uint32_t kSlotLoopIndex = kSlotKilled + 1;
  static constexpr uint32_t kSlotIterations = kSlotLoopIndex + 1;
  static constexpr uint32_t kSlotCount = kSlotIterations + 1;

  // emit_stage.cpp: the frame around the translated code.
  void emitMain();
  void emitSubroutines();
  void vertexEpilogue();
  void pixelEpilogue();
  void clipDistances(Id position);
  /// Writes PointSize, within its limits. `pointSize`: the shader's value, 0 = none.
  void writePointSize(Id pointSize);
  void killIf(Id condition);
  void alphaTest(Id alpha);
  Id fogged(Id color);
  Id fogFactor();
  void copyIndexedInputs();
  Id pushConstant(uint32_t byteOffset);
  Id fragCoord();

  // emit_registers.cpp: registers in and out.
  bool isVertex() const { return m_code.info.version.stage == d3d9::Stage::Vertex; }
  uint32_t major() const { return m_code.info.version.major; }
  Id slotType(uint32_t slot) const;
  Id initialValue(uint32_t slot);
  Id readSlot(uint32_t slot);
  void writeSlot(uint32_t slot, Id value);
  Id slotVariable(uint32_t slot);
  void newBlock(Id label);
  Id inputValue(const Operand& o, uint32_t row);
  Id inputRegister(uint32_t number, bool texture);
  Id pixelInput(const Declaration& d);
  Id constantRegister(const Operand& o, uint32_t row);
  Id loadConstant(uint32_t member, Id index, Id type);
  Id constantBlock();
  Id intConstant(uint32_t number);
  Id relativeIndex(const Operand& o, uint32_t row);
  Id loopIndex();
  Id miscRegister(uint32_t number);
  /// Returns the register of an operand without swizzle and modifier.
  Id rawSource(const Operand& o, uint32_t row = 0);
  Id modified(Id value, d3d9::SourceModifier modifier, uint32_t components);
  Id source4(const Operand& o, uint32_t row = 0);
  Id source(const Operand& o, uint32_t components, uint32_t row = 0);
  Id scalar(const Operand& o, uint32_t component = 0);
  Id predicateValue(const Operand& o);
  Id conditionValue(const Operand& o);
  void writeResult(const Instruction& in, Id value);
  Id indexedOutput(Id index);
  void writeIndexedOutput(const Instruction& in, Id value);
  void writeBools(const Instruction& in, Id value);
  void writeAddress(const Instruction& in, Id value);
  Id masked(const Instruction& in, Id old, Id value, Id type);

  // emit_alu.cpp, emit_texture.cpp, emit_flow.cpp
  void instructions(uint32_t begin, uint32_t end);
  void instruction(const Instruction& in);
  Id arithmetic(const Instruction& in);
  Id componentwise(const Instruction& in);
  Id selection(const Instruction& in);
  Id vectorProduct(const Instruction& in);
  Id ofScalars(const Instruction& in);
  Id matrix(const Instruction& in);
  Id lit(const Operand& s);
  Id comparison(uint32_t control, Id a, Id b, Id type);
  Id product(Id a, Id b, uint32_t components);
  Id dot(Id a, Id b, uint32_t components);
  Id power2(Id x);
  Id logarithm(Id x);
  Id reciprocalRoot(Id x);
  Id vertexShader1Exp(const Operand& s);
  Id vertexShader1Log(const Operand& s);
  void kill(const Instruction& in);
  void texture(const Instruction& in);
  Id sampler(uint32_t number);
  Id limited(Id value, uint32_t count, float most);
  Id positionOf(Id coordinate, d3d9::SamplerType type);
  Id sampleAt(uint32_t number, Id coordinate);
  bool isGathered(uint32_t number) const;
  Id gathered(uint32_t number, Id position);
  /// Returns a texel of a sampler, decoded if EmitOptions::decodedSamplers says so.
  Id decoded(uint32_t number, Id texel);
  d3d9::SamplerType samplerType(uint32_t number) const;

  // emit_ps1.cpp: texture instructions of ps_1_x.
  bool isPixel1() const { return !isVertex() && major() == 1; }
  void pixel1Texture(const Instruction& in);
  /// Emits an instruction that multiplies by a matrix, whose rows are the coordinates of this stage and of
  /// earlier ones.
  void pixel1Matrix(const Instruction& in);
  /// Returns a source of texld or texcrd in ps_1_4, divided if its modifier is _dz or _dw.
  Id pixel1Projected(const Operand& source);
  void pixel1Depth(Id numerator, Id denominator);
  void coissue(const Instruction& first, const Instruction& second);
  Id reflected(Id normal, Id eye);
  /// Returns the coordinates of a texture stage of ps_1_0 to ps_1_3, divided if D3DTTFF_PROJECTED says so.
  Id projectedCoordinate(uint32_t stage);
  /// Returns `base` plus `perturbation`, x and y, times the stage's matrix.
  Id bumped(uint32_t stage, Id base, Id perturbation);
  void flow(const Instruction& in);
  void beginIf(Id condition);
  void beginLoop(const Instruction& in);
  void endLoop();
  void breakIf(Id condition);
  void call(const Operand& label);

  /// True if a value is known to be neither infinite nor NaN, whatever the guest's data are.
  bool isFinite(Id value) const { return value < m_finite.size() && m_finite[value]; }
  Id finite(Id value) {
    if (value >= m_finite.size()) m_finite.resize(value + 1);
    m_finite[value] = true;
    return value;
  }
  Id floatType(uint32_t components) const {
    return components == 1   ? m_t.float1
           : components == 2 ? m_t.float2
           : components == 3 ? m_t.float3
                             : m_t.float4;
  }
  Id boolType(uint32_t components) {
    if (components == 1) return m_t.boolean;
    if (components == 4) return m_t.bool4;
    Id& type = m_boolTypes[components - 2];
    if (!type) type = m_b.vectorType(m_t.boolean, components);
    return type;
  }

  Id splat(Id scalar) { return m_b.composite(m_t.float4, {scalar, scalar, scalar, scalar}); }
  Id splatBool(Id scalar) { return m_b.composite(m_t.bool4, {scalar, scalar, scalar, scalar}); }
  Id extract(Id vector, uint32_t component, Id type) {
    return m_b.value(Op::OpCompositeExtract, type, vector, component);
  }
  Id extract(Id vector, uint32_t component) { return extract(vector, component, m_t.float1); }
  Id xyz(Id v) { return m_b.value(Op::OpVectorShuffle, m_t.float3, v, v, 0, 1, 2); }
  Id xy(Id v) { return m_b.value(Op::OpVectorShuffle, m_t.float2, v, v, 0, 1); }

  struct Block {
    d3d9::Opcode opcode;  // If, Loop or Rep
    Id elseLabel = 0, mergeLabel = 0, continueLabel = 0, headerLabel = 0;
    Id counter = 0, nextCounter = 0, loopIndex = 0, outerLoopIndex = 0;
    bool hasElse = false;
  };

  const ProgramCode& m_code;
  const EmitOptions& m_options;
  SpirvBuilder m_b;
  const SpirvTypes& m_t;
  ConstantLayout m_constants;

  std::array<Id, kSlotCount> m_values{}, m_variables{};
  std::vector<bool> m_finite;       // by Id
  std::array<Id, 2> m_boolTypes{};  // of two and three components
  // Values that are valid until the next label: constants c#, inputs v# and t#.
  struct Cached {
    Id id = 0;
    uint32_t epoch = 0;
  };
  std::array<Cached, 256> m_constantValues{};
  std::array<Cached, 32> m_inputValues{};
  uint32_t m_epoch = 1;
  std::array<Id, 16> m_inputVariables{};  // by location
  Id m_pointCoord = 0, m_fragCoord = 0, m_frontFacing = 0;
  Id m_constantBlock = 0, m_pushBlock = 0;
  uint32_t m_intMember = 0, m_planeMember = 0, m_bumpMember = 0;
  Id m_indexedInputs = 0, m_indexedOutputs = 0;
  Id m_specAlphaTest = 0, m_specFog = 0, m_specPointSprite = 0, m_specPointSprite4 = 0;
  std::array<Id, 16> m_samplers{};
  std::array<Id, 2> m_matrixRows{};  // rows of texm3x2pad and texm3x3pad so far
  uint32_t m_matrixRowCount = 0;
  std::vector<Block> m_blocks;
  std::vector<Id> m_subroutineIds;
  Id m_currentLabel = 0;
  uint32_t m_deadDepth = 0;
  bool m_inSubroutine = false;
  bool m_dead = false;  // between a break and the end of its block: emits nothing
};

}  // namespace aerogpu::shader
