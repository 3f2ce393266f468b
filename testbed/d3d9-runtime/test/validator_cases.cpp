// SPDX-License-Identifier: MIT
// Tests Direct3DShaderValidatorCreate9: its messages for valid and invalid shaders, and for calls in a wrong order.
#include <cstring>

#include "testbed/d3d9-runtime/test/harness.h"

using namespace aerogpu::test;

namespace {

struct Said {
  unsigned count = 0;
  const char *file = nullptr;
  int line = 0;
  DWORD_PTR message = 0;  // number of the first message
};

HRESULT WINAPI note(const char *file, int line, DWORD_PTR, DWORD_PTR message, const char *text, void *context) {
  Said &said = *static_cast<Said *>(context);
  if (!said.count++) {
    said.file = file;
    said.line = line;
    said.message = message;
  }
  EXPECT(text && *text);
  return S_OK;
}

/// An instruction by its tokens.
struct Line {
  DWORD tokens[6];
  UINT count;
};

constexpr DWORD kEnd = 0x0000FFFF;
const char kFile[] = "a file";

/// Returns the messages for a shader of these lines, which is begun and ended correctly. The validator numbers the
/// lines from 1.
Said validate(DWORD version, std::initializer_list<Line> lines, bool right) {
  ShaderValidatorInterface *validator = createShaderValidator();
  Said said;
  EXPECT(validator->Begin(note, &said, 0) == S_OK);
  EXPECT(validator->Instruction(kFile, 0, &version, 1) == S_OK);
  int number = 0;
  for (const Line &line : lines) EXPECT(validator->Instruction(kFile, ++number, line.tokens, line.count) == S_OK);
  EXPECT(validator->Instruction(kFile, ++number, &kEnd, 1) == S_OK);
  EXPECT(validator->End() == (right ? S_OK : E_FAIL));
  // One shader does not affect the next.
  EXPECT(validator->Begin(nullptr, nullptr, 0) == S_OK);
  EXPECT(validator->Release() == 0);
  return said;
}

void expectRight(DWORD version, std::initializer_list<Line> lines) {
  EXPECT(validate(version, lines, true).count == 0);
}

void expectWrong(DWORD version, std::initializer_list<Line> lines, int line, DWORD_PTR message) {
  const Said said = validate(version, lines, false);
  EXPECT(said.count == 1 && said.line == line && said.file == kFile && said.message == message);
}

}  // namespace

// Registers by the pages "Registers - vs_1_1" to "Registers - ps_3_0", instructions by "Instructions - ...".
TEST_CASE(shadersThatAreLookedAt) {
  constexpr DWORD kPs3 = D3DPS_VERSION(3, 0), kPs2 = D3DPS_VERSION(2, 0), kVs1 = D3DVS_VERSION(1, 1),
                  kVs2 = D3DVS_VERSION(2, 0);
  // ps_3_0: v0 to v9, r0 to r31.
  constexpr Line kDcl9{{0x0200001F, 0x80000005, 0x900F0009}, 3}, kDcl10{{0x0200001F, 0x80000005, 0x900F000A}, 3};
  expectRight(kPs3, {kDcl9, {{0x02000001, 0x800F001F, 0x90E40009}, 3}});
  expectWrong(kPs3, {kDcl10}, 1, 0x12C);
  expectWrong(kPs3, {kDcl9, {{0x02000001, 0x800F0000, 0x90E40008}, 3}}, 2, 0x167);
  expectWrong(kPs3, {kDcl9, {{0x02000001, 0x800F0000, 0x90E4000A}, 3}}, 2, 0x167);
  expectWrong(kPs3, {{{0x02000001, 0x800F0020, 0xA0E40000}, 3}}, 1, 0);
  // c0 to c223 there, c0 to c31 in model 2; numbers of def are no registers.
  expectRight(kPs3, {{{0x05000051, 0xA00F00DF, 0xFFFFFFFF, 0x3F800000, 0, 0}, 6}});
  expectWrong(kPs3, {{{0x02000001, 0x800F0000, 0xA0E400E0}, 3}}, 1, 0);
  expectRight(kPs2, {{{0x02000001, 0x800F0800, 0xA0E4001F}, 3}});
  expectWrong(kPs2, {{{0x02000001, 0x800F0800, 0xA0E40020}, 3}}, 1, 0);
  // texldl is of model 3; texld of t0 needs its declaration.
  expectWrong(kPs2, {{{0x0300005F, 0x800F0000, 0x80E40000, 0xA0E40800}, 4}}, 1, 0);
  expectRight(kPs2, {{{0x0200001F, 0x80000000, 0xB00F0000}, 3}, {{0x03000042, 0x800F0000, 0xB0E40000, 0xA0E40800}, 4}});
  expectWrong(kPs2, {{{0x03000042, 0x800F0000, 0xB0E40000, 0xA0E40800}, 4}}, 1, 0x167);
  // An instruction that is shorter than its length field.
  expectWrong(kPs2, {{{0x03000042, 0x800F0000, 0xA0E40000}, 3}}, 1, 0);
  // vs_1_1: oT0 to oT7, no integers; c[a0.x + 1] of vs_2_0 has a token for a0.
  expectRight(kVs1, {{{0x0000001F, 0x80000000, 0x900F0000}, 3}, {{0x00000001, 0xE00F0007, 0x90E40000}, 3}});
  expectWrong(kVs1, {{{0x0000001F, 0x80000000, 0x900F0000}, 3}, {{0x00000001, 0xE00F0008, 0x90E40000}, 3}}, 2, 0);
  expectWrong(kVs1, {{{0x00000001, 0x800F0000, 0x90E40000}, 3}}, 1, 0x167);
  expectWrong(kVs1, {{{0x00000001, 0x800F0000, 0xF0E40000}, 3}}, 1, 0);
  expectRight(kVs2, {{{0x03000001, 0x800F0000, 0xA0E42001, 0xB0000000}, 4}});
  expectRight(kVs2, {{{0x0002FFFE, 0xFFFFFFFF, 0xFFFFFFFF}, 3}});  // a comment
}

TEST_CASE(validatorsThatAreMisused) {
  ShaderValidatorInterface *validator = createShaderValidator();
  const DWORD version = D3DPS_VERSION(3, 0);
  EXPECT(validator->End() == E_FAIL);
  EXPECT(validator->Begin(nullptr, nullptr, 0) == E_FAIL);
  validator->Release();
  // No version first: two messages, neither about an instruction; then nothing works.
  validator = createShaderValidator();
  Said said;
  EXPECT(validator->Begin(note, &said, 0) == S_OK);
  EXPECT(validator->Instruction(kFile, 3, &kEnd, 1) == E_FAIL);
  EXPECT(said.count == 2 && said.message == 0xEF && !said.file && said.line == -1);
  EXPECT(validator->Instruction(kFile, 4, &version, 1) == E_FAIL && validator->End() == E_FAIL && said.count == 2);
  said = {};
  EXPECT(validator->Begin(note, &said, 0) == E_FAIL);
  EXPECT(said.count == 1 && said.message == 0xEB && !said.file);
  EXPECT(validator->Release() == 0);
  // A shader that does not end, one inside another, and tokens after the end.
  for (const int how : {0, 1, 2}) {
    validator = createShaderValidator();
    EXPECT(validator->Begin(nullptr, nullptr, 0) == S_OK && validator->Instruction(kFile, 1, &version, 1) == S_OK);
    if (how == 0) EXPECT(validator->End() == E_FAIL);
    if (how == 1) EXPECT(validator->Begin(nullptr, nullptr, 0) == E_FAIL);
    if (how == 2)
      EXPECT(validator->Instruction(kFile, 2, &kEnd, 1) == S_OK &&
             validator->Instruction(kFile, 3, &kEnd, 1) == E_FAIL);
    EXPECT(validator->End() == E_FAIL);
    EXPECT(validator->Release() == 0);
  }
}
