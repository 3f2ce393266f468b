// SPDX-License-Identifier: MIT
// The assembler (assembler.h): one statement a line, written straight to tokens.
#include "aerogpu/d3d9/assembler.h"

#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "aerogpu/d3d9/opcodes.h"
#include "aerogpu/d3d9/token_writer.h"
#include "d3d9/registers.h"

namespace aerogpu::d3d9 {
namespace {

constexpr uint32_t kMaxSourceBytes = 16u << 20;
constexpr size_t kMaxStatementTokens = 32;  // more than any instruction with all its operands

bool isWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string lowered(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool takeSuffix(std::string& word, std::string_view suffix) {
  if (word.size() <= suffix.size() || !word.ends_with(suffix)) return false;
  word.resize(word.size() - suffix.size());
  return true;
}

/// A register as written, before it becomes a token.
struct Register {
  uint32_t token = kParameterBit;  ///< type, number, relative bit
  RegisterType type = RegisterType::Temp;
  bool relative = false;
  uint32_t relativeToken = 0;
};

class Assembler {
public:
  explicit Assembler(std::string_view source) : m_text(source) {}

  Assembly run() {
    Assembly out;
    if (m_text.size() > kMaxSourceBytes) fail("source too long");
    while (m_ok && skipToStatement()) statement();
    if (m_ok && !m_haveVersion) fail("no version statement");
    if (m_ok) {
      if (m_out.empty() || m_out.back() != kEndToken || !m_ended) m_out.push_back(kEndToken);
      out.tokens = std::move(m_out);
    } else {
      out.error = std::move(m_error);
    }
    return out;
  }

private:
  // --- characters ---

  char peek() const { return m_pos < m_text.size() ? m_text[m_pos] : '\0'; }
  char peekAt(size_t ahead) const { return m_pos + ahead < m_text.size() ? m_text[m_pos + ahead] : '\0'; }
  void advance() {
    if (peek() == '\n') {
      ++m_line;
      m_lineStart = m_pos + 1;
    }
    ++m_pos;
  }

  bool fail(std::string message) {
    if (m_ok) m_error = {m_line, static_cast<uint32_t>(m_pos - m_lineStart + 1), std::move(message)};
    m_ok = false;
    return false;
  }

  void skipComment() {  // at "/*"
    advance();
    advance();
    while (m_pos < m_text.size() && !(peek() == '*' && peekAt(1) == '/')) advance();
    if (m_pos >= m_text.size()) {
      fail("comment without end");
      return;
    }
    advance();
    advance();
  }

  void skipBlanks() {
    while (m_pos < m_text.size() && m_ok) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\r')
        advance();
      else if (c == ';' || (c == '/' && peekAt(1) == '/'))
        while (m_pos < m_text.size() && peek() != '\n') advance();
      else if (c == '/' && peekAt(1) == '*')
        skipComment();
      else
        return;
    }
  }

  bool skipToStatement() {
    for (;;) {
      skipBlanks();
      if (!m_ok || m_pos >= m_text.size()) return false;
      if (peek() != '\n') return true;
      advance();
    }
  }

  bool atEnd() {
    skipBlanks();
    return m_pos >= m_text.size() || peek() == '\n';
  }

  bool take(char c) {
    skipBlanks();
    if (peek() != c) return false;
    advance();
    return true;
  }

  bool expect(char c) { return take(c) || fail(std::string("expected '") + c + "'"); }

  std::string_view word() {
    skipBlanks();
    const size_t start = m_pos;
    while (isWordChar(peek())) ++m_pos;
    return m_text.substr(start, m_pos - start);
  }

  std::optional<uint32_t> number(uint32_t limit) {
    const size_t start = m_pos;
    uint64_t n = 0;
    while (std::isdigit(static_cast<unsigned char>(peek())) && n <= limit)
      n = n * 10 + (m_text[m_pos++] - '0');
    if (m_pos == start) {
      fail("expected a number");
      return {};
    }
    if (n > limit) {
      fail("number too large (at most " + std::to_string(limit) + ")");
      return {};
    }
    return static_cast<uint32_t>(n);
  }

  // --- operands ---

  /// Reads a register name with its number; no modifiers, no swizzle.
  bool registerName(Register& out) {
    skipBlanks();
    const size_t start = m_pos;
    size_t letters = 0;
    while (std::isalpha(static_cast<unsigned char>(peekAt(letters)))) ++letters;
    const std::string name = lowered(m_text.substr(m_pos, letters));
    const RegisterName* found = nullptr;
    bool elsewhere = false;
    for (const RegisterName& row : kRegisterNames) {
      if (lowered(row.name) != name) continue;
      const bool stage = m_version.stage == Stage::Vertex ? row.vertex : row.pixel;
      if (!stage || m_version.major < row.minMajor || m_version.major > row.maxMajor) {
        elsewhere = true;
        continue;
      }
      found = &row;
    }
    if (!found)
      return fail(elsewhere ? "register '" + name + "' does not exist in this shader model"
                            : "expected a register, found '" +
                                  std::string(m_text.substr(start, letters ? letters : 1)) + "'");
    m_pos += letters;
    uint32_t index = 0;
    if (found->number >= 0) {
      index = static_cast<uint32_t>(found->number);
    } else if (peek() == '[') {
      // The index is inside the brackets.
    } else {
      const auto n = number(kRegisterNumberMask);
      if (!n) return false;
      index = *n;
    }
    out.type = found->type;
    if (take('[') && !indexExpression(out, index)) return false;
    out.token |= registerTypeBits(out.type) | index;
    return true;
  }

  /// Reads "a0.x + 3]" or "3]", and adds the number to `index`.
  bool indexExpression(Register& out, uint32_t& index) {
    do {
      skipBlanks();
      if (std::isdigit(static_cast<unsigned char>(peek()))) {
        const auto n = number(kRegisterNumberMask);
        if (!n) return false;
        index += *n;
        if (index > kRegisterNumberMask) return fail("register index too large");
        continue;
      }
      if (out.relative) return fail("two index registers");
      Register by;
      if (!registerName(by)) return false;
      if (by.relative) return fail("an index register cannot be indexed");
      if (by.type != RegisterType::AddressOrTexture && by.type != RegisterType::Loop)
        return fail("only a# and aL can index");
      uint32_t swizzle = kIdentitySwizzle;
      if (peek() == '.' && !readSwizzle(swizzle)) return false;
      if (by.type == RegisterType::AddressOrTexture && swizzle == kIdentitySwizzle)
        return fail("an index needs one component, such as a0.x");
      out.relative = true;
      out.relativeToken = by.token | swizzle << kSwizzleShift;
      out.token |= kRelativeBit;
    } while (take('+'));
    return expect(']');
  }

  static int componentOf(char c) {
    switch (std::tolower(static_cast<unsigned char>(c))) {
      case 'x':
      case 'r':
        return 0;
      case 'y':
      case 'g':
        return 1;
      case 'z':
      case 'b':
        return 2;
      case 'w':
      case 'a':
        return 3;
      default:
        return -1;
    }
  }

  /// Reads one to four components after '.'; the last one is repeated.
  bool readSwizzle(uint32_t& swizzle) {
    advance();
    uint32_t count = 0, value = 0;
    int last = 0;
    while (isWordChar(peek())) {
      const int c = componentOf(peek());
      if (c < 0 || count == 4) return fail("bad swizzle");
      value |= static_cast<uint32_t>(c) << (2 * count++);
      last = c;
      advance();
    }
    if (!count) return fail("bad swizzle");
    while (count < 4) value |= static_cast<uint32_t>(last) << (2 * count++);
    swizzle = value;
    return true;
  }

  bool readMask(uint32_t& mask) {
    advance();
    mask = 0;
    int last = -1;
    while (isWordChar(peek())) {
      const int c = componentOf(peek());
      if (c <= last) return fail("bad write mask: components must be in the order xyzw");
      mask |= 1u << c;
      last = c;
      advance();
    }
    return mask || fail("bad write mask");
  }

  void emitRegister(const Register& reg, uint32_t bits) {
    m_statement.parameter(reg.token | bits);
    // Shader model 1 can index with a0.x only, and has no token for it.
    if (reg.relative && m_version.major >= 2) m_statement.parameter(reg.relativeToken);
  }

  bool destination(uint32_t modifierBits, const std::optional<uint32_t>& predicate) {
    Register reg;
    if (!registerName(reg)) return false;
    uint32_t mask = 0xF;
    if (peek() == '.' && !readMask(mask)) return false;
    emitRegister(reg, mask << kWriteMaskShift | modifierBits);
    if (predicate) m_statement.parameter(*predicate);
    return true;
  }

  bool source() {
    skipBlanks();
    bool negate = false, complement = false, invert = false;
    if (peek() == '1') {
      advance();
      if (!expect('-')) return false;
      complement = true;
    } else if (take('-')) {
      negate = true;
    } else if (take('!')) {
      invert = true;
    }
    Register reg;
    if (!registerName(reg)) return false;
    std::string suffix;
    if (peek() == '_') suffix = lowered(word());
    if (suffix == "_dz" || suffix == "_db") suffix = "_dz";
    if (suffix == "_da") suffix = "_dw";
    const std::string_view prefix = complement ? "1-" : negate ? "-" : invert ? "!" : "";
    const SourceModifierText* text = nullptr;
    for (const auto& row : kSourceModifierTexts)
      if (row.prefix == prefix && row.suffix == suffix) text = &row;
    if (!text) return fail("unknown source modifier '" + std::string(prefix) + suffix + "'");
    uint32_t swizzle = kIdentitySwizzle;
    if (peek() == '.' && !readSwizzle(swizzle)) return false;
    emitRegister(reg, swizzle << kSwizzleShift | static_cast<uint32_t>(text->modifier)
                                                     << kSourceModifierShift);
    return true;
  }

  // --- statements ---

  bool versionStatement(const std::string& name) {
    Version v;
    if (name.size() < 6 || name[2] != '_' || name[4] != '_') return fail("bad version '" + name + "'");
    v.stage = name[0] == 'v' ? Stage::Vertex : Stage::Pixel;
    v.major = static_cast<uint8_t>(name[3] - '0');
    const std::string minor = name.substr(5);
    if (minor == "sw")
      v.minor = 255;
    else if (minor == "x" || minor == "a" || minor == "b")
      v.minor = 1;
    else if (minor.size() == 1 && minor[0] >= '0' && minor[0] <= '4')
      v.minor = static_cast<uint8_t>(minor[0] - '0');
    else
      return fail("bad version '" + name + "'");
    const bool one = v.major == 1 && v.minor <= 4 && v.minor >= (v.stage == Stage::Vertex ? 1 : 0) &&
                     (v.stage == Stage::Pixel || v.minor == 1);
    const bool later = (v.major == 2 && (v.minor <= 1 || v.minor == 255)) ||
                       (v.major == 3 && (v.minor == 0 || v.minor == 255));
    if (!one && !later) return fail("no such shader model: '" + name + "'");
    m_version = v;
    m_haveVersion = true;
    m_statement.version(v);
    return true;
  }

  void statement() {
    std::optional<uint32_t> predicate;
    uint32_t bits = 0;
    if (take('+')) bits |= kCoissueBit;
    if (take('(')) {
      const bool invert = take('!');
      Register reg;
      if (!registerName(reg)) return;
      if (reg.type != RegisterType::Predicate) return void(fail("expected a predicate register"));
      uint32_t swizzle = kIdentitySwizzle;
      if (peek() == '.' && !readSwizzle(swizzle)) return;
      if (!expect(')')) return;
      const auto modifier = invert ? SourceModifier::Not : SourceModifier::None;
      predicate =
          reg.token | swizzle << kSwizzleShift | static_cast<uint32_t>(modifier) << kSourceModifierShift;
    }
    skipBlanks();
    m_statement = TokenWriter(m_buffer.data(), m_buffer.size());
    m_statement.setVersion(m_version);
    const size_t nameAt = m_pos;
    std::string name = lowered(word());
    if (name.empty()) return void(fail(std::string("expected an instruction, found '") + peek() + "'"));
    if (!m_haveVersion) {
      if (!name.starts_with("vs_") && !name.starts_with("ps_")) {
        m_pos = nameAt;
        return void(fail("expected a version such as vs_2_0"));
      }
      if (versionStatement(name)) endOfStatement();
      return;
    }
    if (m_ended) return void(fail("instruction after end"));
    if (name == "dcl" || name.starts_with("dcl_")) {
      if (!declaration(name)) return;
    } else if (name == "def" || name == "defi" || name == "defb") {
      if (!definition(name)) return;
    } else if (!instruction(name, nameAt, bits, predicate)) {
      return;
    }
    if (!m_ended) m_statement.finish();
    endOfStatement();
  }

  void endOfStatement() {
    if (!m_statement.ok()) return void(fail("instruction too long"));
    m_out.insert(m_out.end(), m_statement.data(), m_statement.data() + m_statement.size());
    if (m_ok && !atEnd()) fail(std::string("unexpected '") + peek() + "'");
  }

  bool declaration(std::string name) {
    if (!findOpcode(static_cast<uint32_t>(Opcode::Dcl))->inModel(m_version))
      return fail("no dcl in this shader model");
    uint32_t modifiers = 0;
    for (bool more = true; more;) {
      more = false;
      if (takeSuffix(name, "_centroid")) modifiers |= kCentroid, more = true;
      if (takeSuffix(name, "_pp")) modifiers |= kPartialPrecision, more = true;
    }
    uint32_t token = kParameterBit;
    if (name.size() > 4) {
      std::string what = name.substr(4);
      const uint32_t sampler = what == "2d" ? 2 : what == "cube" ? 3 : what == "volume" ? 4 : 0;
      if (sampler) {
        token |= sampler << kDclSamplerShift;
      } else {
        size_t letters = what.size();
        while (letters && std::isdigit(static_cast<unsigned char>(what[letters - 1]))) --letters;
        const uint32_t usage = findUsage(std::string_view(what).substr(0, letters));
        if (usage == kUsageCount) return fail("unknown usage '" + what + "'");
        const std::string digits = what.substr(letters);
        if (digits.size() > 2) return fail("usage index too large");
        const uint32_t index = digits.empty() ? 0 : static_cast<uint32_t>(std::atoi(digits.c_str()));
        if (index > 15) return fail("usage index too large (at most 15)");
        token |= usage | index << kDclUsageIndexShift;
      }
    }
    m_statement.begin(Opcode::Dcl);
    m_statement.parameter(token);
    return destination(modifiers << kResultModifierShift, {});
  }

  bool definition(const std::string& name) {
    const Opcode opcode = name == "def" ? Opcode::Def : name == "defi" ? Opcode::DefI : Opcode::DefB;
    if (!findOpcode(static_cast<uint32_t>(opcode))->inModel(m_version))
      return fail("no " + name + " in this shader model");
    m_statement.begin(opcode);
    Register reg;
    if (!registerName(reg)) return false;
    const RegisterType wanted = opcode == Opcode::Def    ? RegisterType::Const
                                : opcode == Opcode::DefI ? RegisterType::ConstInt
                                                         : RegisterType::ConstBool;
    if (reg.type != wanted || reg.relative) return fail(name + " cannot define this register");
    m_statement.parameter(reg.token | 0xFu << kWriteMaskShift);
    for (int i = 0; i < (opcode == Opcode::DefB ? 1 : 4); ++i) {
      if (!expect(',')) return false;
      if (!literal(opcode)) return false;
    }
    return true;
  }

  /// Reads a number. A hexadecimal one gives the bits of the register, for floats too.
  bool literal(Opcode opcode) {
    skipBlanks();
    const size_t start = m_pos;
    while (isWordChar(peek()) || peek() == '.' || peek() == '-' || peek() == '+') ++m_pos;
    const std::string text = lowered(m_text.substr(start, m_pos - start));
    if (opcode == Opcode::DefB && (text == "true" || text == "false")) {
      m_statement.parameter(text == "true");
      return true;
    }
    if (text.empty()) return fail("expected a number");
    char* end = nullptr;
    if (text.starts_with("0x")) {
      m_statement.parameter(static_cast<uint32_t>(std::strtoul(text.c_str(), &end, 16)));
    } else if (opcode == Opcode::Def) {
      m_statement.parameter(std::bit_cast<uint32_t>(std::strtof(text.c_str(), &end)));
    } else {
      const long long value = std::strtoll(text.c_str(), &end, 10);
      if (value < INT32_MIN || value > INT32_MAX) return fail("number does not fit 32 bits");
      m_statement.parameter(opcode == Opcode::DefB ? value != 0 : static_cast<uint32_t>(value));
    }
    return *end == '\0' || fail("bad number '" + text + "'");
  }

  const OpcodeInfo* findByName(std::string_view name, bool compares) const {
    for (const OpcodeInfo& row : allOpcodes())
      if (row.inModel(m_version) && bool(row.flags & kCompares) == compares && !(row.flags & kDefinition) &&
          row.opcode != Opcode::Comment && opcodeForm(row, m_version).name == name)
        return &row;
    return nullptr;
  }

  bool instruction(std::string name, size_t nameAt, uint32_t bits, const std::optional<uint32_t>& predicate) {
    const std::string written = name;
    if (name == "end") {
      m_statement.end();
      m_ended = true;
      return true;
    }
    uint32_t modifiers = 0, control = 0;
    for (bool more = true; more;) {
      more = false;
      if (takeSuffix(name, "_sat")) modifiers |= kSaturate << kResultModifierShift, more = true;
      if (takeSuffix(name, "_pp")) modifiers |= kPartialPrecision << kResultModifierShift, more = true;
      if (takeSuffix(name, "_centroid")) modifiers |= kCentroid << kResultModifierShift, more = true;
      for (const ShiftText& shift : kShiftTexts)
        if (m_version.major == 1 && takeSuffix(name, shift.suffix))
          modifiers |= uint32_t{shift.field} << kResultShiftShift, more = true;
    }
    bool compares = false;
    for (uint32_t c = 1; c <= 6; ++c)
      if (takeSuffix(name, "_" + std::string(comparisonName(c)))) {
        control = c;
        compares = true;
        break;
      }
    if (compares && (name == "ifc" || name == "breakc")) name.pop_back();
    if (m_version.major >= 2 && name == "texldp") name = "texld", control = kTexldProject;
    if (m_version.major >= 2 && name == "texldb") name = "texld", control = kTexldBias;
    const OpcodeInfo* info = findByName(name, compares);
    if (!info) {
      m_pos = nameAt;
      return fail("unknown instruction '" + written + "' in this shader model");
    }
    if (predicate && (info->flags & kNoPredicate)) return fail("'" + written + "' cannot be predicated");
    if (modifiers && !info->destinationCount(m_version))
      return fail("'" + written + "' has no result to modify");
    const OpcodeForm form = opcodeForm(*info, m_version);
    if (predicate) bits |= kPredicatedBit;
    m_statement.begin(info->opcode, control, bits);
    bool needComma = false;
    if (info->destinationCount(m_version)) {
      if (!destination(modifiers, predicate)) return false;
      needComma = true;
    }
    for (uint32_t i = 0; i < form.sources; ++i) {
      if (needComma && !expect(',')) return false;
      if (!source()) return false;
      needComma = true;
    }
    for (uint32_t i = 0; (info->flags & kScratch) && i < kScratchSources && take(','); ++i)
      if (!source()) return false;
    return true;
  }

  std::string_view m_text;
  size_t m_pos = 0, m_lineStart = 0;
  uint32_t m_line = 1;
  bool m_ok = true, m_haveVersion = false, m_ended = false;
  Version m_version;
  std::array<uint32_t, kMaxStatementTokens> m_buffer{};
  TokenWriter m_statement{m_buffer.data(), m_buffer.size()};  ///< the statement being read
  std::vector<uint32_t> m_out;
  AssemblyError m_error;
};

}  // namespace

std::string Assembly::errorText() const {
  return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
}

Assembly assemble(std::string_view source) {
  return Assembler(source).run();
}

}  // namespace aerogpu::d3d9
