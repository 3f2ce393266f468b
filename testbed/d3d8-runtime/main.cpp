// SPDX-License-Identifier: MIT
// The exports of d3d8.dll.
#include "testbed/d3d8-runtime/direct3d8.h"
#include "testbed/d3d8-runtime/shader_validation.h"
#include "testbed/d3d9-runtime/base/instruction_count.h"
#include "testbed/runtime-kernel/log.h"
#include "testbed/runtime-kernel/settings.h"

using namespace aerogpu::runtime;

extern "C" {

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, void *) {
  if (reason == DLL_PROCESS_ATTACH) {
    DisableThreadLibraryCalls(instance);
    nameRuntime("d3d9");  // whose settings are also this one's
    openLog();
  }
  if (reason == DLL_PROCESS_DETACH) {
    closeInstructionCount();
    closeLog();
  }
  return TRUE;
}

IDirect3D8 *WINAPI Direct3DCreate8(UINT version) {
  // D3D_SDK_VERSION of DirectX 8.0 and 8.1; the top bit asks for the debug runtime.
  constexpr UINT kSdk80 = 120, kSdk81 = 220;
  if (LOWORD(version) != kSdk80 && LOWORD(version) != kSdk81) {
    logLine("Direct3DCreate8: version %u", version);
    return nullptr;
  }
  return Direct3D8::create();
}

HRESULT WINAPI ValidateVertexShader(const DWORD *code, const DWORD *declaration, const D3DCAPS8 *caps, BOOL wantsErrors,
                                    char **errors) {
  return validateVertexShader(code, declaration, caps, wantsErrors, errors);
}

HRESULT WINAPI ValidatePixelShader(const DWORD *code, const D3DCAPS8 *caps, BOOL wantsErrors, char **errors) {
  return validatePixelShader(code, caps, wantsErrors, errors);
}

// Of the debug runtime, which this is not.
void WINAPI DebugSetMute() {}

}  // extern "C"
