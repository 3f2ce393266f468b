// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/kernel_calls.h"

#include <cstring>

#include "testbed/runtime-kernel/log.h"
#include "testbed/runtime-kernel/settings.h"

namespace aerogpu::runtime {
namespace {

template <class Function> bool find(HMODULE module, const char *name, Function &out) {
  FARPROC symbol = GetProcAddress(module, name);
  static_assert(sizeof symbol == sizeof out);
  std::memcpy(&out, &symbol, sizeof symbol);
  if (!out) logLine("the D3DKMT library has no %s", name);
  return out != nullptr;
}

const KernelCalls *load() {
  static KernelCalls calls;
  char name[MAX_PATH];
  if (!setting("KERNEL", name)) {
#define AEROGPU_KERNEL_CALL(NAME, TYPE) calls.NAME = D3DKMT##NAME;
    AEROGPU_KERNEL_CALLS(AEROGPU_KERNEL_CALL)
#undef AEROGPU_KERNEL_CALL
    return &calls;
  }
  HMODULE module = LoadLibraryA(name);
  if (!module) {
    logLine("cannot load '%s' (the setting KERNEL): error %lu", name, GetLastError());
    return nullptr;
  }
  bool complete = true;
#define AEROGPU_KERNEL_CALL(NAME, TYPE) complete = find(module, "D3DKMT" #NAME, calls.NAME) && complete;
  AEROGPU_KERNEL_CALLS(AEROGPU_KERNEL_CALL)
#undef AEROGPU_KERNEL_CALL
  return complete ? &calls : nullptr;
}

}  // namespace

const KernelCalls *kernelCalls() {
  static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
  static const KernelCalls *calls;
  const auto loadOnce = [](PINIT_ONCE, PVOID, PVOID *) -> BOOL WINAPI {
    calls = load();
    return TRUE;
  };
  InitOnceExecuteOnce(&once, +loadOnce, nullptr, nullptr);
  return calls;
}

HRESULT resultOfStatus(NTSTATUS status) {
  switch (static_cast<ULONG>(status)) {
  case 0xC000000Du:  // STATUS_INVALID_PARAMETER
  case 0xC0000008u:  // STATUS_INVALID_HANDLE
    return E_INVALIDARG;
  case 0xC0000017u:  // STATUS_NO_MEMORY
  case 0xC000009Au:  // STATUS_INSUFFICIENT_RESOURCES
    return E_OUTOFMEMORY;
  case 0xC01E0100u:
    return D3DERR_OUTOFVIDEOMEMORY;  // STATUS_GRAPHICS_NO_VIDEO_MEMORY
  case 0xC01E0111u:
    return D3DDDIERR_CANTRENDERLOCKEDALLOCATION;  // STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION
  case 0xC01E0102u:
    return D3DDDIERR_WASSTILLDRAWING;  // STATUS_GRAPHICS_ALLOCATION_BUSY
  case 0xC01E0200u:                    // STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE
  case 0xC00002B6u:                    // STATUS_DEVICE_REMOVED
    return D3DDDIERR_DEVICEREMOVED;
  default:
    break;
  }
  if (status >= 0) return S_OK;
  if (static_cast<ULONG>(status) == 0xC00000BBu) return E_NOTIMPL;  // STATUS_NOT_SUPPORTED
  return HRESULT_FROM_NT(status);
}

}  // namespace aerogpu::runtime
