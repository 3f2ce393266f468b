// SPDX-License-Identifier: MIT
// parse() of translate.h: one pass over the tokens, then the checks that need all of them. Source: "Direct3D
// Shader Codes" for the encoding, the Direct3D 9 "asm shader reference" for the rules.
#include <algorithm>
#include <cstring>

#include "renderer/shader/program.h"
#include "renderer/shader/registers.h"

namespace aerogpu::shader {
namespace {

using d3d9::Opcode;
using d3d9::RegisterType;
using d3d9::SourceModifier;
using d3d9::Stage;

enum class Block : uint8_t { If, Else, Loop, Rep };

class Parser {
public:
  explicit Parser(std::span<const uint32_t> tokens)
      : m_in(tokens), m_code(std::make_shared<ProgramCode>()), m_info(m_code->info) {}

  Outcome<Program> run() {
    if (version() && stream() && endOfStream() && callGraph()) {
      finishInfo();
      return Program(std::move(m_code));
    }
    return std::move(m_error);
  }

private:
  bool fail(std::string what) {
    if (!m_error.message.empty()) return false;
    m_error.tokenOffset = m_at;
    m_error.message = m_name.empty() ? std::move(what) : std::string(m_name) + ": " + what;
    return false;
  }

  // --- tokens ---

  bool version() {
    if (m_in.empty()) return fail("empty stream");
    const uint32_t tag = m_in[0] & 0xFFFF0000u;
    if (tag != d3d9::kVertexVersionTag && tag != d3d9::kPixelVersionTag)
      return fail("not a D3D9 token stream");
    m_version = {tag == d3d9::kVertexVersionTag ? Stage::Vertex : Stage::Pixel,
                 static_cast<uint8_t>(m_in[0] >> 8), static_cast<uint8_t>(m_in[0])};
    m_info.version = m_version;
    const uint32_t model = m_version.model();
    const bool known =
        model == 0x200 || model == 0x201 || model == 0x300 ||
        (m_version.major == 1 && m_version.minor <= (m_version.stage == Stage::Pixel ? 4 : 1) &&
         (m_version.stage == Stage::Pixel || m_version.minor == 1));
    if (!known)
      return fail(std::string("shader model ") + (m_version.stage == Stage::Vertex ? "vs_" : "ps_") +
                  std::to_string(m_version.major) + "_" + std::to_string(m_version.minor) +
                  " is not supported");
    if (isPixel1()) implicitInputs();
    m_pos = 1;
    m_code->code.reserve(std::min<size_t>(m_in.size() / 3, 1024));
    return true;
  }

  bool isPixel1() const { return m_version.stage == Stage::Pixel && m_version.major == 1; }

  /// ps_1_x declares nothing.
  void implicitInputs() {
    for (uint8_t i = 0; i < 2; ++i) m_code->inputs.push_back({d3d9::Usage::Color, i, i, 0xF, false, false});
    for (uint8_t i = 0; i < 6; ++i) m_code->inputs.push_back({d3d9::Usage::TexCoord, i, i, 0xF, true, false});
    m_declaredInputs = 0xFF;
    m_declaredTextures = 0xFFFFFF;
    m_info.colorOutputMask = 1;  // r0
  }

  bool stream() {
    while (m_pos < m_in.size()) {
      m_at = static_cast<uint32_t>(m_pos);
      m_name = {};
      if (m_pos >= kMaxTokens) return fail("more than " + std::to_string(kMaxTokens) + " tokens");
      const uint32_t token = m_in[m_pos++];
      if (token == d3d9::kEndToken) {
        m_ended = true;
        return true;
      }
      const uint32_t opcode = token & d3d9::kOpcodeMask;
      if (opcode == static_cast<uint32_t>(Opcode::Comment)) {
        const size_t length = (token & d3d9::kCommentLengthMask) >> d3d9::kCommentLengthShift;
        if (length > m_in.size() - m_pos) return fail("comment runs past the end");
        m_pos += length;
        continue;
      }
      const d3d9::OpcodeInfo* info = d3d9::findOpcode(opcode);
      if (!info) return fail("unknown opcode " + std::to_string(opcode));
      m_name = info->name;
      if (!info->inModel(m_version) || info->opcode == Opcode::End) return fail("not in this shader model");
      if (!statement(token, *info)) return false;
    }
    return fail("stream has no end token");
  }

  bool statement(uint32_t token, const d3d9::OpcodeInfo& info) {
    // The operands: [m_pos, m_end). Model 1 has no length in the token; there the operands end themselves.
    m_end = m_in.size();
    if (m_version.major >= 2) {
      const size_t length = (token & d3d9::kLengthMask) >> d3d9::kLengthShift;
      if (length > m_in.size() - m_pos) return fail("runs past the end");
      m_end = m_pos + length;
    }
    bool ok;
    switch (info.opcode) {
      case Opcode::Nop:
      case Opcode::Phase:
        ok = true;
        break;
      case Opcode::Dcl:
        ok = declaration();
        break;
      case Opcode::Def:
        ok = floatDefinition();
        break;
      case Opcode::DefI:
        ok = intDefinition();
        break;
      case Opcode::DefB:
        ok = boolDefinition();
        break;
      default:
        ok = instruction(token, info);
        break;
    }
    if (!ok) return false;
    if (m_version.major >= 2 && m_pos != m_end) return fail("has operands left over");
    return true;
  }

  bool next(uint32_t& token) {
    if (m_pos >= m_end) return fail("operand is missing");
    token = m_in[m_pos++];
    return true;
  }

  bool parameter(uint32_t& token) {
    if (!next(token)) return false;
    return (token & d3d9::kParameterBit) || fail("operand is missing");
  }

  /// Type, number and index register of a parameter token.
  bool registerOf(uint32_t token, Operand& out, const RegisterFile*& file) {
    const uint32_t type = d3d9::registerTypeOf(token);
    file = findRegisterFile(type, m_version);
    if (!file) return fail("register type " + std::to_string(type) + " is not in this shader model");
    out.type = file->type;
    out.number = static_cast<uint16_t>(token & d3d9::kRegisterNumberMask);
    if (out.number >= file->count)
      return fail(std::string("register ") + file->name + std::to_string(out.number) + " is out of range");
    if (!(token & d3d9::kRelativeBit)) return true;
    if (!(file->flags & kIndexable)) return fail(std::string(file->name) + " cannot be indexed");
    out.relative = true;
    if (m_version.major == 1) return true;  // a0.x
    uint32_t index = 0;
    if (!parameter(index)) return false;
    const uint32_t indexType = d3d9::registerTypeOf(index);
    const RegisterFile* by = findRegisterFile(indexType, m_version);
    const bool address = indexType == static_cast<uint32_t>(RegisterType::AddressOrTexture) &&
                         m_version.stage == Stage::Vertex;
    if (!by || (!address && indexType != static_cast<uint32_t>(RegisterType::Loop)) ||
        (index & d3d9::kRegisterNumberMask) != 0 || (index & d3d9::kRelativeBit))
      return fail("bad index register");
    out.indexType = by->type;
    out.indexComponent = address ? index >> d3d9::kSwizzleShift & 3u : 0;
    if (!address && !m_loopDepth && !m_inSubroutine) return fail("aL outside of a loop");
    return true;
  }

  bool destinationOperand(Operand& out, const RegisterFile*& file) {
    uint32_t token = 0;
    if (!parameter(token)) return false;
    out.mask = static_cast<uint8_t>((token & d3d9::kWriteMaskMask) >> d3d9::kWriteMaskShift);
    out.resultModifiers =
        static_cast<uint8_t>((token & d3d9::kResultModifierMask) >> d3d9::kResultModifierShift);
    if (!out.mask) return fail("empty write mask");
    const uint32_t shift = (token & d3d9::kResultShiftMask) >> d3d9::kResultShiftShift;
    if (shift && !isPixel1()) return fail("result shift is not in this shader model");
    out.shift = static_cast<int8_t>(shift >= 8 ? static_cast<int>(shift) - 16 : static_cast<int>(shift));
    if (out.shift < -3 || out.shift > 3) return fail("unknown result shift");
    return registerOf(token, out, file);
  }

  bool sourceOperand(Operand& out, const RegisterFile*& file) {
    uint32_t token = 0;
    if (!parameter(token)) return false;
    out.swizzle = static_cast<uint8_t>((token & d3d9::kSwizzleMask) >> d3d9::kSwizzleShift);
    const uint32_t modifier = (token & d3d9::kSourceModifierMask) >> d3d9::kSourceModifierShift;
    if (modifier >= d3d9::kSourceModifierCount) return fail("unknown source modifier");
    out.modifier = static_cast<SourceModifier>(modifier);
    return registerOf(token, out, file);
  }

  // --- declarations and definitions ---

  bool declaration() {
    uint32_t what = 0;
    if (!next(what)) return false;
    Operand reg;
    const RegisterFile* file = nullptr;
    if (!destinationOperand(reg, file)) return false;
    if (reg.relative) return fail("register cannot be indexed");
    const uint32_t usage = what & d3d9::kDclUsageMask;
    const uint32_t index = (what & d3d9::kDclUsageIndexMask) >> d3d9::kDclUsageIndexShift;
    Declaration d{static_cast<d3d9::Usage>(usage),
                  static_cast<uint8_t>(index),
                  static_cast<uint8_t>(reg.number),
                  reg.mask,
                  false,
                  (reg.resultModifiers & d3d9::kCentroid) != 0};
    switch (reg.type) {
      case RegisterType::Sampler: {
        const uint32_t type = (what & d3d9::kDclSamplerMask) >> d3d9::kDclSamplerShift;
        if (type < 2 || type > 4) return fail("unknown sampler type " + std::to_string(type));
        if (m_info.samplerTypes[reg.number] != d3d9::SamplerType::Unknown)
          return fail("sampler declared twice");
        m_info.samplerTypes[reg.number] = static_cast<d3d9::SamplerType>(type);
        return true;
      }
      case RegisterType::Misc:
        return true;
      case RegisterType::AddressOrTexture:
        if (m_version.stage != Stage::Pixel) return fail("register cannot be declared");
        d.usage = d3d9::Usage::TexCoord;
        d.usageIndex = d.number;
        d.texture = true;
        return addDeclaration(m_code->inputs, d, m_declaredTextures);
      case RegisterType::Input:
        if (m_version.stage == Stage::Pixel && m_version.major < 3) {
          d.usage = d3d9::Usage::Color;
          d.usageIndex = d.number;
        }
        if (usage >= d3d9::kUsageCount) return fail("unknown usage " + std::to_string(usage));
        return addDeclaration(m_code->inputs, d, m_declaredInputs);
      case RegisterType::Output:
        if (m_version.major < 3) return fail("register cannot be declared");
        if (usage >= d3d9::kUsageCount) return fail("unknown usage " + std::to_string(usage));
        for (const Declaration& o : m_code->outputs)
          if (o.usage == d.usage && o.usageIndex == d.usageIndex)
            return fail("output semantic declared twice");
        return addDeclaration(m_code->outputs, d, m_declaredOutputs);
      default:
        return fail("register cannot be declared");
    }
  }

  /// `declared` has 4 bits a register: components cannot be declared twice.
  bool addDeclaration(std::vector<Declaration>& list, const Declaration& d, uint64_t& declared) {
    const uint64_t bits = uint64_t{d.mask} << (4 * d.number);
    if (declared & bits) return fail("register declared twice");
    // A vertex input is one attribute: a register is declared once.
    if (m_version.stage == Stage::Vertex && &list == &m_code->inputs && (declared >> (4 * d.number) & 0xF))
      return fail("register declared twice");
    declared |= bits;
    list.push_back(d);
    return true;
  }

  bool definitionRegister(RegisterType type, Operand& reg) {
    const RegisterFile* file = nullptr;
    if (!destinationOperand(reg, file)) return false;
    return (reg.type == type && !reg.relative) || fail("defines a wrong kind of register");
  }

  bool floatDefinition() {
    Operand reg;
    if (!definitionRegister(RegisterType::Const, reg)) return false;
    FloatDefinition d{reg.number, {}};
    for (uint32_t& bits : d.bits)
      if (!next(bits)) return false;
    const bool twice = m_definedFloats[reg.number / 64] >> (reg.number % 64) & 1;
    if (twice) return fail("register defined twice");
    m_definedFloats[reg.number / 64] |= uint64_t{1} << (reg.number % 64);
    m_code->floatDefinitions.push_back(d);
    return true;
  }

  bool intDefinition() {
    Operand reg;
    if (!definitionRegister(RegisterType::ConstInt, reg)) return false;
    for (int32_t& value : m_code->intDefinitions[reg.number]) {
      uint32_t bits = 0;
      if (!next(bits)) return false;
      value = static_cast<int32_t>(bits);
    }
    m_code->intDefined |= 1u << reg.number;
    return true;
  }

  bool boolDefinition() {
    Operand reg;
    uint32_t value = 0;
    if (!definitionRegister(RegisterType::ConstBool, reg) || !next(value)) return false;
    m_code->boolDefined |= 1u << reg.number;
    if (value)
      m_code->boolDefinitions |= 1u << reg.number;
    else
      m_code->boolDefinitions &= ~(1u << reg.number);
    return true;
  }

  // --- instructions ---

  bool instruction(uint32_t token, const d3d9::OpcodeInfo& info) {
    Instruction in;
    in.opcode = info.opcode;
    in.tokenOffset = m_at;
    in.control = static_cast<uint8_t>((token & d3d9::kControlMask) >> d3d9::kControlShift);
    in.predicated = (token & d3d9::kPredicatedBit) && m_version.major >= 2;
    in.coissued = token & d3d9::kCoissueBit;
    if (in.coissued && !isPixel1()) return fail("co-issue is not in this shader model");
    if ((info.flags & d3d9::kCompares) && (in.control < 1 || in.control > 6))
      return fail("unknown comparison " + std::to_string(in.control));
    if (in.opcode == Opcode::Tex && m_version.major >= 2 && in.control > d3d9::kTexldBias)
      return fail("unknown texld variant " + std::to_string(in.control));
    if (in.predicated && (info.flags & d3d9::kNoPredicate)) return fail("cannot be predicated");
    if (m_afterMain && info.opcode != Opcode::Label) return fail("code outside of a subroutine");
    if (info.destinationCount(m_version) && !result(in)) return false;
    if (in.predicated) {
      const RegisterFile* file = nullptr;
      if (!sourceOperand(in.predicate, file)) return false;
      if (in.predicate.type != RegisterType::Predicate ||
          (in.predicate.modifier != SourceModifier::None && in.predicate.modifier != SourceModifier::Not))
        return fail("bad predicate");
    }
    in.sourceCount = static_cast<uint8_t>(info.sourceCount(m_version));
    for (uint32_t i = 0; i < in.sourceCount; ++i)
      if (!operand(in, i)) return false;
    if (isPixel1() && !pixel1(in)) return false;
    return (info.flags & d3d9::kFlow) ? flow(in) : (m_code->code.push_back(in), true);
  }

  /// Notes the textures of ps_1_x, whose number is that of the result.
  bool pixel1(const Instruction& in) {
    const uint32_t number = in.destination.number;
    d3d9::SamplerType type = d3d9::SamplerType::Texture2D;
    bool samples = false, texture = true;
    switch (in.opcode) {
      case Opcode::TexBem:
      case Opcode::TexBemL:
      case Opcode::Bem:
        return fail("bump environment maps are not supported");
      case Opcode::TexDepth:
        m_info.writesDepth = true;
        break;
      case Opcode::TexM3x2Depth:
        m_info.writesDepth = true;
        if (number < 1) return fail("needs a texm3x2pad before it");
        break;
      case Opcode::TexM3x2Tex:
        samples = true;
        if (number < 1) return fail("needs a texm3x2pad before it");
        break;
      case Opcode::TexM3x3Tex:
      case Opcode::TexM3x3Spec:
      case Opcode::TexM3x3VSpec:
        type = d3d9::SamplerType::TextureCube;
        samples = true;
        [[fallthrough]];
      case Opcode::TexM3x3:
        if (number < 2) return fail("needs two texm3x3pad before it");
        break;
      case Opcode::Tex:
      case Opcode::TexReg2Ar:
      case Opcode::TexReg2Gb:
      case Opcode::TexReg2Rgb:
      case Opcode::TexDp3Tex:
        samples = true;
        break;
      case Opcode::TexCoord:
      case Opcode::TexKill:
      case Opcode::TexM3x2Pad:
      case Opcode::TexM3x3Pad:
      case Opcode::TexDp3:
        break;
      default:
        texture = false;
        break;
    }
    if (texture && in.coissued) return fail("cannot be co-issued");
    if (texture && texturesAreRegisters(m_version) && in.destination.type != RegisterType::AddressOrTexture)
      return fail("needs a t register");
    if (texture && number >= 6) return fail("register is out of range");
    if (samples) {
      m_info.samplerMask |= 1u << number;
      if (m_info.samplerTypes[number] == d3d9::SamplerType::Unknown) m_info.samplerTypes[number] = type;
    }
    return true;
  }

  bool result(Instruction& in) {
    const RegisterFile* file = nullptr;
    Operand& d = in.destination;
    if (!destinationOperand(d, file)) return false;
    switch (in.opcode) {
      case Opcode::SetP:
        return d.type == RegisterType::Predicate || fail("result must be a predicate register");
      case Opcode::MovA:
        return (d.type == RegisterType::AddressOrTexture) || fail("result must be an address register");
      case Opcode::TexKill:
        m_info.usesKill = true;
        if (!(file->flags & kValue) || d.type == RegisterType::Const || d.relative)
          return fail("bad operand");
        return touchSource(d, 1);
      case Opcode::SinCos:
        if (d.mask & ~3u) return fail("result has only x and y");
        break;
      case Opcode::Mov:
        if (d.type == RegisterType::AddressOrTexture && m_version.stage == Stage::Vertex &&
            m_version.major == 1)
          return true;
        break;
      default:
        break;
    }
    if (!(file->flags & kResult)) return fail(std::string("cannot write ") + file->name);
    if (isPixel1() && d.type == RegisterType::AddressOrTexture && !texturesAreRegisters(m_version))
      return fail("cannot write t");
    if (d.type == RegisterType::Temp) return true;
    const uint32_t slot = outputSlot(d, m_version.major);
    if (d.relative)
      m_code->relativeOutputs = true;
    else
      m_code->outputsWritten |= 1u << slot;
    if (d.type == RegisterType::ColorOut) m_info.colorOutputMask |= static_cast<uint8_t>(1u << d.number);
    if (d.type == RegisterType::DepthOut) m_info.writesDepth = true;
    return true;
  }

  /// Which kind of register an operand of an instruction that is not arithmetic must be.
  enum class Kind { Value, Sampler, Label, Condition, Predicate, Int, Loop };
  Kind kindOf(Opcode op, uint32_t i) const {
    if (isPixel1()) return Kind::Value;
    switch (op) {
      case Opcode::Tex:
      case Opcode::TexLdl:
      case Opcode::TexLdd:
        return i == 1 ? Kind::Sampler : Kind::Value;
      case Opcode::Call:
      case Opcode::Label:
        return Kind::Label;
      case Opcode::CallNz:
        return i == 0 ? Kind::Label : Kind::Condition;
      case Opcode::If:
        return Kind::Condition;
      case Opcode::BreakP:
        return Kind::Predicate;
      case Opcode::Loop:
        return i == 0 ? Kind::Loop : Kind::Int;
      case Opcode::Rep:
        return Kind::Int;
      default:
        return Kind::Value;
    }
  }

  bool operand(Instruction& in, uint32_t i) {
    const RegisterFile* file = nullptr;
    Operand& s = in.sources[i];
    if (!sourceOperand(s, file)) return false;
    const Kind kind = kindOf(in.opcode, i);
    if (kind == Kind::Value) {
      if (!(file->flags & kValue)) return fail(std::string("cannot read ") + file->name);
      const bool divided = s.modifier == SourceModifier::DivideZ || s.modifier == SourceModifier::DivideW;
      const bool mayDivide = isPixel1() && (in.opcode == Opcode::Tex || in.opcode == Opcode::TexCoord);
      if (s.modifier == SourceModifier::Not || (divided && !mayDivide))
        return fail("source modifier is not in this shader model");
      const uint32_t rows = i == 1 ? matrixRows(in.opcode) : 0;
      if (rows && s.number + rows > file->count) return fail("matrix runs past the last register");
      return touchSource(s, std::max(rows, 1u));
    }
    const bool plain = s.modifier == SourceModifier::None;
    const bool condition = plain || s.modifier == SourceModifier::Not;
    bool right = false;
    switch (kind) {
      case Kind::Sampler:
        right = s.type == RegisterType::Sampler && plain;
        if (right && m_info.samplerTypes[s.number] == d3d9::SamplerType::Unknown)
          return fail("sampler s" + std::to_string(s.number) + " is not declared");
        if (right) m_info.samplerMask |= 1u << s.number;
        break;
      case Kind::Label:
        right = s.type == RegisterType::Label && plain;
        break;
      case Kind::Condition:
        right = (s.type == RegisterType::ConstBool || s.type == RegisterType::Predicate) && condition;
        if (right && s.type == RegisterType::ConstBool) m_boolsRead |= 1u << s.number;
        break;
      case Kind::Predicate:
        right = s.type == RegisterType::Predicate && condition;
        break;
      case Kind::Int:
        right = s.type == RegisterType::ConstInt && plain;
        if (right) m_intsRead |= 1u << s.number;
        break;
      case Kind::Loop:
        right = s.type == RegisterType::Loop && plain;
        break;
      case Kind::Value:
        break;
    }
    return right || fail("operand " + std::to_string(i + 1) + " is of the wrong kind");
  }

  /// Notes what a readable operand needs: constants, declared inputs.
  bool touchSource(const Operand& s, uint32_t rows) {
    if (s.type == RegisterType::Const) {
      if (s.relative) {
        m_info.constants.relative = true;
      } else {
        for (uint32_t r = 0; r < rows; ++r) {
          const uint32_t n = s.number + r;
          m_floatsRead[n / 64] |= uint64_t{1} << (n % 64);
        }
      }
    } else if (s.type == RegisterType::Input || s.type == RegisterType::AddressOrTexture) {
      if (s.relative) {
        m_code->relativeInputs = true;
        return true;
      }
      const uint64_t declared = s.type == RegisterType::Input ? m_declaredInputs : m_declaredTextures;
      for (uint32_t r = 0; r < rows; ++r)
        if (!(declared >> (4 * (s.number + r)) & 0xF))
          return fail("input register " + std::to_string(s.number + r) + " is not declared");
    }
    return true;
  }

  bool flow(const Instruction& in) {
    m_code->hasFlow = true;
    switch (in.opcode) {
      case Opcode::If:
      case Opcode::IfC:
        return open(Block::If, in);
      case Opcode::Else:
        if (m_blocks.empty() || m_blocks.back() != Block::If) return fail("without if");
        m_blocks.back() = Block::Else;
        break;
      case Opcode::EndIf:
        if (m_blocks.empty() || (m_blocks.back() != Block::If && m_blocks.back() != Block::Else))
          return fail("without if");
        m_blocks.pop_back();
        break;
      case Opcode::Loop:
        ++m_loopDepth;
        return open(Block::Loop, in);
      case Opcode::Rep:
        return open(Block::Rep, in);
      case Opcode::EndLoop:
        if (m_blocks.empty() || m_blocks.back() != Block::Loop) return fail("without loop");
        m_blocks.pop_back();
        --m_loopDepth;
        break;
      case Opcode::EndRep:
        if (m_blocks.empty() || m_blocks.back() != Block::Rep) return fail("without rep");
        m_blocks.pop_back();
        break;
      case Opcode::Break:
      case Opcode::BreakC:
      case Opcode::BreakP:
        if (std::none_of(m_blocks.begin(), m_blocks.end(),
                         [](Block b) { return b == Block::Loop || b == Block::Rep; }))
          return fail("outside of a loop");
        break;
      case Opcode::Ret:
        if (!m_blocks.empty()) return fail("inside of a block");
        if (m_inSubroutine)
          m_code->subroutines.back().end = static_cast<uint32_t>(m_code->code.size());
        else
          m_code->mainEnd = static_cast<uint32_t>(m_code->code.size());
        m_mainEnded = m_afterMain = true;
        m_inSubroutine = false;
        break;
      case Opcode::Label: {
        if (!m_afterMain) return fail("must follow ret");
        const uint16_t label = in.sources[0].number;
        for (const Subroutine& s : m_code->subroutines)
          if (s.label == label) return fail("label l" + std::to_string(label) + " is there twice");
        if (m_code->subroutines.size() >= 256) return fail("too many subroutines");
        const auto begin = static_cast<uint32_t>(m_code->code.size() + 1);
        m_code->subroutines.push_back({label, begin, begin});
        m_afterMain = false;
        m_inSubroutine = true;
        break;
      }
      default:
        break;  // call, callnz: the labels are looked up when all are known
    }
    m_code->code.push_back(in);
    return true;
  }

  bool open(Block block, const Instruction& in) {
    if (m_blocks.size() >= kMaxBlockDepth) return fail("blocks nest too deep");
    m_blocks.push_back(block);
    m_code->code.push_back(in);
    return true;
  }

  // --- what needs the whole stream ---

  bool endOfStream() {
    m_name = {};
    if (!m_blocks.empty()) return fail("a block has no end");
    if (m_inSubroutine) return fail("a subroutine has no ret");
    const auto varyings =
        std::count_if(m_code->outputs.begin(), m_code->outputs.end(), [](const Declaration& d) {
          return d.usageIndex || (d.usage != d3d9::Usage::Position && d.usage != d3d9::Usage::PointSize);
        });
    if (varyings > kMaxVaryings)
      return fail("more than " + std::to_string(kMaxVaryings) + " output semantics");
    if (!m_mainEnded) m_code->mainEnd = static_cast<uint32_t>(m_code->code.size());
    std::sort(m_code->floatDefinitions.begin(), m_code->floatDefinitions.end(),
              [](const FloatDefinition& a, const FloatDefinition& b) { return a.index < b.index; });
    return true;
  }

  /// Calls must reach a label and never come back to a subroutine that is running. Kahn's algorithm: what
  /// cannot be ordered is recursive.
  bool callGraph() {
    const auto& subs = m_code->subroutines;
    if (subs.empty()) {
      for (const Instruction& in : m_code->code)
        if (in.opcode == Opcode::Call || in.opcode == Opcode::CallNz) return noLabel(in);
      return true;
    }
    std::array<int16_t, kMaxLabels> byLabel;
    byLabel.fill(-1);
    for (size_t i = 0; i < subs.size(); ++i) byLabel[subs[i].label] = static_cast<int16_t>(i);
    std::vector<std::vector<uint16_t>> callees(subs.size());
    std::vector<uint32_t> callers(subs.size(), 0);
    size_t sub = 0;
    for (uint32_t at = 0; at < m_code->code.size(); ++at) {
      const Instruction& in = m_code->code[at];
      if (in.opcode != Opcode::Call && in.opcode != Opcode::CallNz) continue;
      const int16_t target = byLabel[in.sources[0].number];
      if (target < 0) return noLabel(in);
      while (sub < subs.size() && at >= subs[sub].end) ++sub;
      if (at < m_code->mainEnd || sub >= subs.size()) continue;
      callees[sub].push_back(static_cast<uint16_t>(target));
      ++callers[static_cast<size_t>(target)];
    }
    std::vector<uint16_t> ready;
    for (size_t i = 0; i < subs.size(); ++i)
      if (!callers[i]) ready.push_back(static_cast<uint16_t>(i));
    std::vector<uint16_t> ordered;  // callers before those they call
    while (!ready.empty()) {
      const uint16_t s = ready.back();
      ready.pop_back();
      ordered.push_back(s);
      for (const uint16_t callee : callees[s])
        if (--callers[callee] == 0) ready.push_back(callee);
    }
    m_name = "call";
    if (ordered.size() != subs.size()) return fail("recursion");
    std::vector<uint64_t> size(subs.size());
    for (auto s = ordered.rbegin(); s != ordered.rend(); ++s) {
      size[*s] = subs[*s].end - subs[*s].begin;
      for (const uint16_t callee : callees[*s]) size[*s] += size[callee];
      if (size[*s] > kMaxExpandedInstructions) return fail("the subroutines expand to too much code");
    }
    uint64_t mainSize = m_code->mainEnd;
    for (uint32_t at = 0; at < m_code->mainEnd; ++at) {
      const Instruction& in = m_code->code[at];
      if (in.opcode != Opcode::Call && in.opcode != Opcode::CallNz) continue;
      mainSize += size[static_cast<size_t>(byLabel[in.sources[0].number])];
      if (mainSize > kMaxExpandedInstructions) return fail("the subroutines expand to too much code");
    }
    m_name = {};
    return true;
  }

  bool noLabel(const Instruction& in) {
    m_name = "call";
    m_at = in.tokenOffset;
    return fail("no label l" + std::to_string(in.sources[0].number));
  }

  void finishInfo() {
    ConstantLayout& c = m_info.constants;
    if (c.relative) {
      c.floatCount = m_version.stage == Stage::Vertex ? 256 : 224;
      c.definitions = m_code->floatDefinitions;
    } else {
      for (uint32_t n = 256; n-- > 0;) {
        const uint64_t bit = uint64_t{1} << (n % 64);
        if (!(m_floatsRead[n / 64] & ~m_definedFloats[n / 64] & bit)) continue;
        c.floatCount = n + 1;
        break;
      }
    }
    const uint32_t ints = m_intsRead & ~m_code->intDefined;
    while (ints >> c.intCount) ++c.intCount;
    c.boolMask = m_boolsRead & ~m_code->boolDefined;

    if (m_version.stage != Stage::Vertex) return;
    for (const Declaration& d : m_code->inputs)
      m_info.inputs.push_back({d.usage, d.usageIndex, d.number, d.mask});
    std::sort(m_info.inputs.begin(), m_info.inputs.end(),
              [](const Varying& a, const Varying& b) { return a.location < b.location; });
    if (m_version.major < 3)
      fixedOutputs();
    else
      declaredOutputs();
  }

  void addOutput(d3d9::Usage usage, uint32_t index, uint8_t mask) {
    m_info.outputs.push_back(
        {usage, static_cast<uint8_t>(index), static_cast<uint8_t>(m_info.outputs.size()), mask});
  }

  void fixedOutputs() {
    const uint32_t written = m_code->outputsWritten;
    m_info.writesPointSize = written >> kSlotPointSize & 1;
    for (uint32_t i = 0; i < 2; ++i)
      if (written >> (kSlotColor + i) & 1) addOutput(d3d9::Usage::Color, i, 0xF);
    for (uint32_t i = 0; i < 8; ++i)
      if (written >> (kSlotTexture + i) & 1) addOutput(d3d9::Usage::TexCoord, i, 0xF);
    if (written >> kSlotFog & 1) addOutput(d3d9::Usage::Fog, 0, 1);
  }

  void declaredOutputs() {
    for (const Declaration& d : m_code->outputs) {
      if (d.usageIndex == 0 && d.usage == d3d9::Usage::PointSize) m_info.writesPointSize = true;
      if (d.usageIndex == 0 && (d.usage == d3d9::Usage::Position || d.usage == d3d9::Usage::PointSize))
        continue;
      addOutput(d.usage, d.usageIndex, d.mask);
    }
  }

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
  bool m_ended = false, m_mainEnded = false, m_afterMain = false, m_inSubroutine = false;
};

}  // namespace

const ShaderInfo& Program::info() const {
  return m_code->info;
}

Outcome<Program> parse(std::span<const uint32_t> tokens) {
  return Parser(tokens).run();
}

}  // namespace aerogpu::shader
