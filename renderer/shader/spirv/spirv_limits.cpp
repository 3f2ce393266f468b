// SPDX-License-Identifier: MIT
#include "renderer/shader/spirv/spirv_limits.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "renderer/shader/spirv/spirv_words.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;

struct Limits {
  float least, most;
};
constexpr Limits kCoordinates{-kMostCoordinate, kMostCoordinate};
constexpr Limits kDirections{-kMostDirection, kMostDirection};
constexpr Limits kLevels{-kMostLevel, kMostLevel};
// The largest floats that are integers of 32 bits.
constexpr Limits kSigned{-0x1p31f, 0x1.fffffep30f}, kUnsigned{0, 0x1.fffffep31f};

Error notUnderstood(const char* why) {
  return Error{ErrorCode::CmdDecode, "the samples of the shader are not understood", why};
}

class FloatLimiter {
public:
  explicit FloatLimiter(std::span<const uint32_t> words) : m_in(words) {}
  Result<Words> run();

private:
  Result<void> instruction(InstructionWords in, bool inFunction);
  void noteType(InstructionWords in);
  /// Limits the operand of the instruction that `word` names, before the instruction.
  Result<void> limit(Words& out, size_t word, Limits limits);
  Result<void> limitSample(Words& out);
  Limits limitsOfCoordinate(Id image) const;
  /// Returns a constant of a float or of a vector of them.
  Result<Id> constant(Id type, float value);
  Words finish() const;

  Id newId() { return m_bound++; }

  struct Type {
    Op op;
    uint32_t a = 0, b = 0;  ///< the first operands
  };
  const std::span<const uint32_t> m_in;
  uint32_t m_bound = 0;
  Id m_glsl = 0;
  bool m_bringsGlsl = false;  ///< the module has no import of it
  std::unordered_map<Id, Type> m_types;
  std::unordered_map<Id, Id> m_typeOf;
  std::map<std::pair<Id, uint32_t>, Id> m_constants;
  Words m_before, m_globals, m_declarations,
      m_code;  ///< before the memory model, from there on, what is new, functions
};

void FloatLimiter::noteType(InstructionWords in) {
  const Op op = opcode(in);
  if (op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer) {
    if (in.size() >= 2) m_types[in[1]] = {op, in.size() > 2 ? in[2] : 0, in.size() > 3 ? in[3] : 0};
    return;
  }
  if (in.size() >= 3 && m_types.contains(in[1])) m_typeOf[in[2]] = in[1];
}

Result<Id> FloatLimiter::constant(Id type, float value) {
  const auto known = m_constants.find({type, std::bit_cast<uint32_t>(value)});
  if (known != m_constants.end()) return known->second;
  const auto found = m_types.find(type);
  if (found == m_types.end()) return notUnderstood("an operand without a type");
  const Type& is = found->second;
  Id made = 0;
  if (is.op == Op::OpTypeFloat && is.a == 32) {
    made = newId();
    put(m_declarations, Op::OpConstant, type, made, std::bit_cast<uint32_t>(value));
  } else if (is.op == Op::OpTypeVector && is.b >= 2 && is.b <= 4) {
    auto part = constant(is.a, value);
    if (!part) return part;
    made = newId();
    const size_t at = m_declarations.size();
    put(m_declarations, Op::OpConstantComposite, type, made);
    m_declarations.insert(m_declarations.end(), is.b, *part);
    m_declarations[at] += is.b << 16;
  } else {
    return notUnderstood("an operand that is no float of 32 bits");
  }
  m_constants[{type, std::bit_cast<uint32_t>(value)}] = made;
  return made;
}

Result<void> FloatLimiter::limit(Words& out, size_t word, Limits limits) {
  if (word >= out.size()) return notUnderstood("an operand that is missing");
  const auto type = m_typeOf.find(out[word]);
  if (type == m_typeOf.end()) return notUnderstood("an operand that is not there yet");
  const auto least = constant(type->second, limits.least);
  if (!least) return least.error();
  const auto most = constant(type->second, limits.most);
  if (!most) return most.error();
  const Id limited = newId();
  put(m_code, Op::OpExtInst, type->second, limited, m_glsl, GLSLstd450NClamp, out[word], *least, *most);
  out[word] = limited;
  return {};
}

Limits FloatLimiter::limitsOfCoordinate(Id image) const {
  const auto typed = [&](Id type, Op op) {
    const auto found = m_types.find(type);
    return found != m_types.end() && found->second.op == op ? &found->second : nullptr;
  };
  const auto type = m_typeOf.find(image);
  if (type == m_typeOf.end()) return kCoordinates;
  const Type* sampled = typed(type->second, Op::OpTypeSampledImage);
  const Type* of = sampled ? typed(sampled->a, Op::OpTypeImage) : nullptr;
  return of && of->b == static_cast<uint32_t>(spv::Dim::Cube) ? kDirections : kCoordinates;
}

Result<void> FloatLimiter::limitSample(Words& out) {
  constexpr size_t kImage = 3, kCoordinate = 4;
  if (out.size() <= kCoordinate) return notUnderstood("a sample");
  const Op op = opcode(out);
  if (auto done = limit(out, kCoordinate, limitsOfCoordinate(out[kImage])); !done) return done;
  const bool plain = op == Op::OpImageSampleImplicitLod || op == Op::OpImageSampleExplicitLod;
  size_t word =
      kCoordinate + (plain ? 1 : 2);  // of the mask; others have a reference or a component before it
  if (word >= out.size()) return {};
  const uint32_t mask = out[word++];
  const auto has = [&](spv::ImageOperandsMask bit) { return (mask & static_cast<uint32_t>(bit)) != 0; };
  // Their operands are in the order of the bits.
  if (has(spv::ImageOperandsMask::Bias))
    if (auto done = limit(out, word++, kLevels); !done) return done;
  if (has(spv::ImageOperandsMask::Lod))
    if (auto done = limit(out, word++, kLevels); !done) return done;
  if (has(spv::ImageOperandsMask::Grad))
    for (int i = 0; i < 2; ++i)
      if (auto done = limit(out, word++, kDirections); !done) return done;
  return {};
}

Result<void> FloatLimiter::instruction(InstructionWords in, bool inFunction) {
  noteType(in);
  const Op op = opcode(in);
  if (!inFunction) {
    if (op == Op::OpExtInstImport && in.size() > 2) {
      const auto* name = reinterpret_cast<const char*>(&in[2]);
      constexpr char kName[] = "GLSL.std.450";
      if ((in.size() - 2) * 4 >= sizeof kName && std::memcmp(name, kName, sizeof kName) == 0) m_glsl = in[1];
    }
    if (op == Op::OpMemoryModel && !m_glsl) {
      m_glsl = newId();
      m_bringsGlsl = true;
    }
    return {};
  }
  Words out(in.begin(), in.end());
  Result<void> done;
  switch (op) {
    case Op::OpImageSampleImplicitLod:
    case Op::OpImageSampleExplicitLod:
    case Op::OpImageSampleDrefImplicitLod:
    case Op::OpImageSampleDrefExplicitLod:
    case Op::OpImageGather:
    case Op::OpImageDrefGather:
      done = limitSample(out);
      break;
    case Op::OpImageSampleProjImplicitLod:
    case Op::OpImageSampleProjExplicitLod:
    case Op::OpImageSampleProjDrefImplicitLod:
    case Op::OpImageSampleProjDrefExplicitLod:
      return notUnderstood("a sample that divides");
    case Op::OpConvertFToU:
      done = limit(out, 3, kUnsigned);
      break;
    case Op::OpConvertFToS:
      done = limit(out, 3, kSigned);
      break;
    default:
      break;
  }
  m_code.insert(m_code.end(), out.begin(), out.end());
  return done;
}

Words FloatLimiter::finish() const {
  Words out;
  out.reserve(m_before.size() + m_globals.size() + m_declarations.size() + m_code.size() + 8);
  out.insert(out.end(), m_before.begin(), m_before.end());
  out[kBoundWord] = m_bound;
  if (m_bringsGlsl) {
    constexpr uint32_t kNameWords = 4;
    uint32_t name[kNameWords] = {};
    std::memcpy(name, "GLSL.std.450", 12);
    out.push_back((2 + kNameWords) << 16 | static_cast<uint32_t>(Op::OpExtInstImport));
    out.push_back(m_glsl);
    out.insert(out.end(), std::begin(name), std::end(name));
  }
  for (const Words* part : {&m_globals, &m_declarations, &m_code})
    out.insert(out.end(), part->begin(), part->end());
  return out;
}

Result<Words> FloatLimiter::run() {
  if (m_in.size() >= kHeaderWords) {
    m_bound = m_in[kBoundWord];
    m_before.assign(m_in.begin(), m_in.begin() + kHeaderWords);
  }
  bool modelSeen = false, inFunction = false;
  Result<void> done;
  const char* wrong = forEachInstruction(m_in, [&](InstructionWords in) -> const char* {
    modelSeen = modelSeen || opcode(in) == Op::OpMemoryModel;
    inFunction = inFunction || opcode(in) == Op::OpFunction;
    if (done) done = instruction(in, inFunction);
    if (inFunction) return nullptr;
    Words& to = modelSeen ? m_globals : m_before;
    to.insert(to.end(), in.begin(), in.end());
    return nullptr;
  });
  if (wrong) return notUnderstood(wrong);
  if (!done) return done.error();
  if (m_declarations.empty()) return Words(m_in.begin(), m_in.end());
  if (m_bound > kMaxBound) return notUnderstood("too many ids");
  if (!m_glsl) return notUnderstood("memory model");
  return finish();
}

}  // namespace

Result<std::vector<uint32_t>> limitFloats(std::span<const uint32_t> words) {
  return FloatLimiter(words).run();
}

}  // namespace aerogpu::shader
