// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/software/shader_validator.h"

#include "aerogpu/d3d9/opcodes.h"

namespace aerogpu::runtime {

using d3d9::Opcode;
using d3d9::RegisterType;
using d3d9::Stage;

/// Numbers of messages as far as they are known; the others are Other.
enum class ShaderValidator::Message : DWORD_PTR {
  Other = 0,
  BegunTwice = 0xEB,
  NoVersion = 0xEF,
  GivenUp = 0xF0,
  BadDeclaration = 0x12C,
  BadInput = 0x167,
};

namespace {

/// Returns how many registers of a kind a model has; 0: it has no such kind. Source: the pages "Registers - vs_1_1" to
/// "Registers - ps_3_0". For counts that depend on the device (constants, temporaries of 2_x) it returns the largest of
/// any device.
UINT registerCount(d3d9::Version version, RegisterType type) {
  const UINT major = version.major, model = version.model();
  const bool software = version.minor == 0xFF;
  const bool flow = model > 0x0200;  // ps_2_0 has none
  if (version.stage == Stage::Vertex) {
    switch (type) {
    case RegisterType::Temp:
      return model > 0x0200 ? 32 : 12;
    case RegisterType::Input:
      return 16;
    case RegisterType::Const:
      return software ? 2048 : 256;
    case RegisterType::Const2:
    case RegisterType::Const3:
    case RegisterType::Const4:
      return software ? 2048 : 0;
    case RegisterType::AddressOrTexture:
    case RegisterType::Predicate:
      return type == RegisterType::Predicate && !flow ? 0 : 1;
    case RegisterType::RasterOut:
      return major < 3 ? 3 : 0;
    case RegisterType::AttributeOut:
      return major < 3 ? 2 : 0;
    case RegisterType::Output:
      return major < 3 ? 8 : 12;
    case RegisterType::ConstInt:
    case RegisterType::ConstBool:
      return major < 2 ? 0 : software ? 2048 : 16;
    case RegisterType::Loop:
      return major < 2 ? 0 : 1;
    case RegisterType::Label:
      return major < 2 ? 0 : 2048;
    case RegisterType::Sampler:
      return major < 3 ? 0 : 4;
    default:
      return 0;
    }
  }
  switch (type) {
  case RegisterType::Temp:
    return major == 1 ? (model < 0x0104 ? 2 : 6) : model == 0x0200 ? 12 : 32;
  case RegisterType::Input:
    return major < 3 ? 2 : 10;
  case RegisterType::Const:
    return software ? 2048 : major == 1 ? 8 : major == 2 ? 32 : 224;
  case RegisterType::AddressOrTexture:
    return major == 1 ? (model < 0x0104 ? 4 : 6) : major == 2 ? 8 : 0;
  case RegisterType::ConstInt:
  case RegisterType::ConstBool:
    return !flow || major < 2 ? 0 : software ? 2048 : 16;
  case RegisterType::ColorOut:
    return major < 2 ? 0 : 4;
  case RegisterType::DepthOut:
    return major < 2 ? 0 : 1;
  case RegisterType::Sampler:
    return major < 2 ? 0 : 16;
  case RegisterType::Loop:
    return major < 3 ? 0 : 1;
  case RegisterType::Misc:
    return major < 3 ? 0 : 2;
  case RegisterType::Label:
    return !flow || major < 2 ? 0 : 2048;
  case RegisterType::Predicate:
    return !flow || major < 2 ? 0 : 1;
  default:
    return 0;
  }
}

/// True if the model declares inputs: pixel shaders before 2.0 have them in fixed places.
bool declaresInputs(d3d9::Version version) {
  return version.stage == Stage::Vertex || version.major >= 2;
}

bool isVersion(DWORD token, d3d9::Version &version) {
  const DWORD tag = token & 0xFFFF0000u;
  version.stage = tag == d3d9::kVertexVersionTag ? Stage::Vertex : Stage::Pixel;
  version.major = HIBYTE(LOWORD(token));
  version.minor = LOBYTE(LOWORD(token));
  return (tag == d3d9::kVertexVersionTag || tag == d3d9::kPixelVersionTag) && version.major >= 1 && version.major <= 3;
}

}  // namespace

HRESULT ShaderValidator::QueryInterface(REFIID id, void **out) {
  if (!out) return E_POINTER;
  *out = IsEqualIID(id, __uuidof(IUnknown)) ? static_cast<IUnknown *>(this) : nullptr;
  if (!*out) return E_NOINTERFACE;
  AddRef();
  return S_OK;
}

ULONG ShaderValidator::AddRef() {
  return static_cast<ULONG>(InterlockedIncrement(&m_references));
}

ULONG ShaderValidator::Release() {
  const LONG left = InterlockedDecrement(&m_references);
  if (!left) delete this;
  return static_cast<ULONG>(left);
}

void ShaderValidator::say(const char *file, int line, Message message, const char *text) const {
  if (m_callback) m_callback(file, line, 0, static_cast<DWORD_PTR>(message), text, m_context);
}

HRESULT ShaderValidator::Begin(ShaderValidatorCallback callback, void *context, DWORD_PTR) {
  m_callback = callback;
  m_context = context;
  if (m_state != State::Idle) {
    say(nullptr, 0, Message::BegunTwice, "Begin in the middle of a shader, or after a call that failed");
    m_state = State::Misused;
    return E_FAIL;
  }
  m_state = State::Version;
  m_isWrong = false;
  m_inputs.reset();
  m_coordinates.reset();
  return S_OK;
}

HRESULT ShaderValidator::Instruction(const char *file, int line, const DWORD *tokens, UINT count) {
  if (m_state == State::Version && tokens && count == 1 && isVersion(*tokens, m_version)) {
    m_state = State::Body;
    return S_OK;
  }
  if (m_state != State::Body || !tokens || !count) {
    // Neither message names an instruction: there is none yet.
    if (m_state == State::Version) say(nullptr, -1, Message::NoVersion, "the first token is no version of a shader");
    if (m_state != State::Misused) say(nullptr, 0, Message::GivenUp, "nothing more is looked at");
    m_state = State::Misused;
    return E_FAIL;
  }
  if (*tokens == d3d9::kEndToken)
    m_state = State::Ended;
  else
    checkInstruction(file, line, tokens, count);
  return S_OK;
}

void ShaderValidator::checkInstruction(const char *file, int line, const DWORD *tokens, UINT count) {
  const auto opcode = static_cast<Opcode>(*tokens & d3d9::kOpcodeMask);
  if (opcode == Opcode::Comment || opcode == Opcode::Nop) return;
  const d3d9::OpcodeInfo *info = d3d9::findOpcode(static_cast<uint32_t>(opcode));
  if (!info || !info->inModel(m_version)) {
    m_isWrong = true;
    say(file, line, Message::Other, "the model has no such instruction");
    return;
  }
  if (m_version.major >= 2 && (*tokens & d3d9::kLengthMask) >> d3d9::kLengthShift != count - 1) {
    m_isWrong = true;
    say(file, line, Message::Other, "the instruction has another length than it says");
    return;
  }
  const bool declares = opcode == Opcode::Dcl;
  const bool defines = opcode == Opcode::Def || opcode == Opcode::DefI || opcode == Opcode::DefB;
  const UINT end = defines && count > 2 ? 2 : count;  // numbers follow
  for (UINT at = declares ? 2 : 1; at < end; ++at) checkRegister(file, line, tokens[at], declares);
}

void ShaderValidator::checkRegister(const char *file, int line, DWORD token, bool declares) {
  const auto type = static_cast<RegisterType>(d3d9::registerTypeOf(token));
  const UINT number = token & d3d9::kRegisterNumberMask;
  const bool isInput = type == RegisterType::Input;
  const bool isCoordinate = m_version.stage == Stage::Pixel && type == RegisterType::AddressOrTexture;
  const bool exists = number < registerCount(m_version, type);
  if (!exists) {
    m_isWrong = true;
    say(file, line,
        declares  ? Message::BadDeclaration
        : isInput ? Message::BadInput
                  : Message::Other,
        "the model has no such register");
    return;
  }
  if ((!isInput && !isCoordinate) || !declaresInputs(m_version)) return;
  std::bitset<16> &declared = isInput ? m_inputs : m_coordinates;
  if (declares) {
    declared.set(number);
  } else if (!declared[number] && !(token & d3d9::kRelativeBit)) {
    m_isWrong = true;
    say(file, line, Message::BadInput, "the input is not declared");
  }
}

HRESULT ShaderValidator::End() {
  const State state = m_state;
  if (state == State::Misused) return E_FAIL;
  if (state != State::Ended) {
    say(nullptr, 0, Message::GivenUp, "End without a shader, or before its end token");
    m_state = State::Misused;
    return E_FAIL;
  }
  m_state = State::Idle;
  return m_isWrong ? E_FAIL : S_OK;
}

}  // namespace aerogpu::runtime
