// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/memory_dc.h"

#include <cstring>

namespace aerogpu::runtime {
namespace {

/// Returns a D3DKMT function for bitmaps: the window system's, even if another DLL plays the kernel side.
template <class Function> Function gdiFunction(const char *name) {
  const FARPROC symbol = GetProcAddress(GetModuleHandleW(L"gdi32.dll"), name);
  Function function = nullptr;
  static_assert(sizeof symbol == sizeof function);
  std::memcpy(&function, &symbol, sizeof symbol);
  return function;
}

}  // namespace

bool MemoryDc::create(void *memory, D3DDDIFORMAT format, UINT width, UINT height, UINT pitch) {
  destroy();
  const auto function = gdiFunction<PFND3DKMT_CREATEDCFROMMEMORY>("D3DKMTCreateDCFromMemory");
  if (!function) return false;
  D3DKMT_CREATEDCFROMMEMORY argument{};
  argument.pMemory = memory;
  argument.Format = format;
  argument.Width = width;
  argument.Height = height;
  argument.Pitch = pitch;
  argument.hDeviceDc = CreateCompatibleDC(nullptr);
  const bool done = function(&argument) >= 0;
  DeleteDC(argument.hDeviceDc);
  if (done) m_made = {argument.hDc, argument.hBitmap};
  return done;
}

void MemoryDc::destroy() {
  if (!m_made.hDc) return;
  const auto function = gdiFunction<PFND3DKMT_DESTROYDCFROMMEMORY>("D3DKMTDestroyDCFromMemory");
  if (function) function(&m_made);
  m_made = {};
}

}  // namespace aerogpu::runtime
