// SPDX-License-Identifier: MIT
// The exports of d3d9.dll.
#include "testbed/d3d9-runtime/base/instruction_count.h"
#include "testbed/d3d9-runtime/com/direct3d.h"
#include "testbed/d3d9-runtime/software/shader_validator.h"
#include "testbed/runtime-kernel/log.h"
#include "testbed/runtime-kernel/settings.h"

using namespace aerogpu::runtime;

static constexpr UINT kVersion = 9;

extern "C" {

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, void *) {
  if (reason == DLL_PROCESS_ATTACH) {
    DisableThreadLibraryCalls(instance);
    nameRuntime("d3d9");
    openLog();
  }
  if (reason == DLL_PROCESS_DETACH) {
    closeInstructionCount();
    closeLog();
  }
  return TRUE;
}

IDirect3D9 *WINAPI Direct3DCreate9(UINT version) {
  // The lower half is D3D_SDK_VERSION; the top bit asks for the debug runtime.
  if (LOWORD(version) != D3D_SDK_VERSION) {
    logLine("Direct3DCreate9: version %u", version);
    return nullptr;
  }
  IDirect3D9Ex *direct3d = nullptr;
  Direct3D::create(false, kVersion, &direct3d);
  return direct3d;
}

HRESULT WINAPI Direct3DCreate9Ex(UINT version, IDirect3D9Ex **out) {
  if (!out || LOWORD(version) != D3D_SDK_VERSION) return D3DERR_INVALIDCALL;
  return Direct3D::create(true, kVersion, out);
}

ShaderValidatorInterface *WINAPI Direct3DShaderValidatorCreate9() {
  return ShaderValidator::create();
}

// Marks for PIX, which are ignored here. The results are those of a process without it.
int WINAPI D3DPERF_BeginEvent(D3DCOLOR, LPCWSTR) {
  return -1;
}
int WINAPI D3DPERF_EndEvent() {
  return -1;
}
void WINAPI D3DPERF_SetMarker(D3DCOLOR, LPCWSTR) {}
void WINAPI D3DPERF_SetRegion(D3DCOLOR, LPCWSTR) {}
BOOL WINAPI D3DPERF_QueryRepeatFrame() {
  return FALSE;
}
void WINAPI D3DPERF_SetOptions(DWORD) {}
DWORD WINAPI D3DPERF_GetStatus() {
  return 0;
}

}  // extern "C"
