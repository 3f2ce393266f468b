// SPDX-License-Identifier: MIT
// Direct3DShaderValidatorCreate9's object, to which shader assemblers pass one instruction at a time. It is in no
// Windows header: the order of the functions, their arguments and their answers are those of Wine's
// dlls/d3d9/tests/device.c, test_shader_validator. Used by one thread.
#pragma once

#include <bitset>

#include "aerogpu/d3d9/tokens.h"
#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

/// Receives errors. `line` is -1 without an instruction.
using ShaderValidatorCallback = HRESULT(WINAPI *)(const char *file, int line, DWORD_PTR unused, DWORD_PTR message,
                                                  const char *text, void *context);

struct ShaderValidatorInterface : IUnknown {
  virtual HRESULT STDMETHODCALLTYPE Begin(ShaderValidatorCallback callback, void *context, DWORD_PTR unused) = 0;
  virtual HRESULT STDMETHODCALLTYPE Instruction(const char *file, int line, const DWORD *tokens, UINT count) = 0;
  virtual HRESULT STDMETHODCALLTYPE End() = 0;

protected:
  ~ShaderValidatorInterface() = default;
};

/// Checks whether instructions and registers belong to the shader's model, and whether inputs are declared before they
/// are read. It reports errors of a shader by instruction, and End fails; calls in a wrong order fail themselves, and
/// so do all that come after them.
class ShaderValidator final : public ShaderValidatorInterface {
public:
  /// Returns a new object with one reference.
  static ShaderValidatorInterface *create() { return new ShaderValidator; }

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  ULONG STDMETHODCALLTYPE AddRef() override;
  ULONG STDMETHODCALLTYPE Release() override;
  HRESULT STDMETHODCALLTYPE Begin(ShaderValidatorCallback callback, void *context, DWORD_PTR unused) override;
  HRESULT STDMETHODCALLTYPE Instruction(const char *file, int line, const DWORD *tokens, UINT count) override;
  HRESULT STDMETHODCALLTYPE End() override;

private:
  enum class State { Idle, Version, Body, Ended, Misused };
  enum class Message : DWORD_PTR;

  ShaderValidator() = default;
  ~ShaderValidator() = default;
  void say(const char *file, int line, Message message, const char *text) const;
  void checkInstruction(const char *file, int line, const DWORD *tokens, UINT count);
  void checkRegister(const char *file, int line, DWORD token, bool declares);

  volatile LONG m_references = 1;
  State m_state = State::Idle;
  ShaderValidatorCallback m_callback = nullptr;
  void *m_context = nullptr;
  d3d9::Version m_version;
  bool m_isWrong = false;
  std::bitset<16> m_inputs, m_coordinates;  // declared v# and t#
};

}  // namespace aerogpu::runtime
