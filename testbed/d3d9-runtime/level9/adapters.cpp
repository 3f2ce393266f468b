// SPDX-License-Identifier: MIT
// adapters.cpp: what a driver says of itself, several runtimes of Direct3D in one process, two devices at the same
// time, and states that no header names.
#include <cstddef>

#include "guest-drivers/common/level9.h"
#include "testbed/d3d9-runtime/level9/points.h"

namespace aerogpu::level9 {
namespace {

/** Prints each row of the tables that is not met. */
class Listed final : public ::level9::Lacks {
public:
  void lack(int level, const char *what, const char *use) override { met = fail("level 9_%d: %s%s", level, what, use); }
  bool met = true;
};

/** Answers as IDirect3D9::CheckDeviceFormat does, from the list that GetCaps gave (page "FORMATOP"). */
class Offered final : public ::level9::Formats {
public:
  explicit Offered(const runtime::DriverAdapter &adapter) : m_adapter(adapter) {}
  bool has(DWORD usage, D3DRESOURCETYPE type, D3DFORMAT format) override {
    const DWORD operations = m_adapter.operations(format);
    constexpr struct {
      DWORD usage, needs, lacks;
    } kUsages[] = {{D3DUSAGE_RENDERTARGET, FORMATOP_OFFSCREEN_RENDERTARGET, 0},
                   {D3DUSAGE_DEPTHSTENCIL, FORMATOP_ZSTENCIL, 0},
                   {D3DUSAGE_QUERY_SRGBREAD, FORMATOP_SRGBREAD, 0},
                   {D3DUSAGE_QUERY_SRGBWRITE, FORMATOP_SRGBWRITE, 0},
                   {D3DUSAGE_QUERY_FILTER, 0, FORMATOP_NOFILTER},
                   {D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING, 0, FORMATOP_NOALPHABLEND},
                   {D3DUSAGE_QUERY_WRAPANDMIP, 0, FORMATOP_NOTEXCOORDWRAPNORMIP}};
    DWORD needs = type == D3DRTYPE_TEXTURE         ? FORMATOP_TEXTURE
                  : type == D3DRTYPE_VOLUMETEXTURE ? FORMATOP_VOLUMETEXTURE
                  : type == D3DRTYPE_CUBETEXTURE   ? FORMATOP_CUBETEXTURE
                                                   : 0,
          lacks = 0;
    for (const auto &row : kUsages)
      if (usage & row.usage) {
        needs |= row.needs;
        lacks |= row.lacks;
      }
    return operations && (operations & needs) == needs && !(operations & lacks);
  }

private:
  const runtime::DriverAdapter &m_adapter;
};

/** Asks for capabilities in room for `Caps`, behind which nothing may be written. */
template <class Caps> bool asks(const Front &front, D3DDDICAPS_TYPE type, Caps &caps) {
  struct {
    Caps caps;
    BYTE behind[16];
  } room{};
  std::memset(room.behind, 0xEE, sizeof room.behind);
  if (!succeeded(front.adapter().ask(type, nullptr, &room.caps, sizeof room.caps), "GetCaps")) return false;
  for (const BYTE byte : room.behind)
    if (byte != 0xEE) return fail("GetCaps %u writes behind its answer", static_cast<unsigned>(type));
  caps = room.caps;
  return true;
}

bool fillAndCheck(Front &front, const DriverResource &target, uint32_t colour) {
  Pixels got;
  return front.fill(target, box(kSize, kSize), colour) && front.read(target, kSize, kSize, got) &&
         same("a fill", got, ~0u, 0, [colour](UINT, UINT) { return colour; });
}

/** Updates a texture from system memory, draws it, and reads the result, again and again. */
bool drawRounds(Front &front, uint32_t first, uint32_t rounds) {
  auto memory = front.systemTexture(kSize, kSize), texture = front.target(kSize, kSize),
       screen = front.target(kSize, kSize);
  if (!memory || !texture || !screen) return false;
  Pixels got;
  for (uint32_t round = first; round < first + rounds; ++round) {
    const auto colour = [&](UINT x, UINT y) { return pattern(x, y, round); };
    write(*memory, kSize, kSize, colour);
    if (!front.texBlt(*memory, box(kSize, kSize), *texture, 0, 0) ||
        !front.draw(*screen, kSize, kSize, box(kSize, kSize), *texture) || !front.read(*screen, kSize, kSize, got) ||
        !same("a device beside another", got, ~0u, 0, colour))
      return false;
  }
  return true;
}

constexpr uint32_t kRounds = 30;

/** A device of a thread's own, from its adapter on. */
DWORD WINAPI drawBeside(void *first) {
  Front front;
  return front.open() && drawRounds(front, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(first)), kRounds);
}

}  // namespace

/** Demands the rows of the tables for level 9 that Microsoft's layer looks at when it opens the adapter. */
bool levelTables(const Front &front) {
  Listed lacks;
  Offered formats(front.adapter());
  ::level9::checkCaps(front.adapter().caps(), lacks);
  ::level9::checkFormats(formats, lacks);
  return lacks.met;
}

/** Opens the adapter as ddraw.dll, d3d8.dll and d3d9.dll do, in one process: each asks for the capabilities of its
 * Direct3D and has a device, which works beside the others and after them. */
bool interfaces() {
  Front nine, seven;
  auto eight = std::make_unique<Front>();
  if (!nine.open(9) || !seven.open(7) || !eight->open(8)) return false;
  DDRAW_CAPS directDraw{};
  // D3DHAL_GLOBALDRIVERDATA: its size, then a D3DDEVICEDESC, which begins with its size and flags.
  struct {
    UINT bytes, deviceBytes, deviceFlags, rest[sizeof(void *) == 8 ? 47 : 45];
  } global{};
  D3DCAPS9 caps9{};
  struct {
    BYTE bytes[offsetof(D3DCAPS9, DevCaps2)];
  } caps8{};
  if (!asks(seven, D3DDDICAPS_DDRAW, directDraw) || !asks(seven, D3DDDICAPS_GETD3D3CAPS, global) ||
      !asks(*eight, D3DDDICAPS_GETD3D8CAPS, caps8) || !asks(nine, D3DDDICAPS_GETD3D9CAPS, caps9))
    return false;
  DWORD shaders8 = 0;
  std::memcpy(&shaders8, caps8.bytes + offsetof(D3DCAPS9, PixelShaderVersion), sizeof shaders8);
  if (shaders8 > D3DPS_VERSION(1, 4) || caps9.PixelShaderVersion < D3DPS_VERSION(2, 0))
    return fail("pixel shaders 0x%lx for Direct3D 8, 0x%lx for 9", shaders8, caps9.PixelShaderVersion);
  if (!directDraw.Caps || global.bytes != sizeof global || !global.deviceFlags)
    return fail("DirectDraw gets capabilities 0x%x, and %u bytes of a device with flags 0x%x", directDraw.Caps,
                global.bytes, global.deviceFlags);
  auto first = nine.target(kSize, kSize), second = seven.target(kSize, kSize), third = eight->target(kSize, kSize);
  const bool right = first && second && third && fillAndCheck(nine, *first, 0xFF102030) &&
                     fillAndCheck(seven, *second, 0xFF405060) && fillAndCheck(*eight, *third, 0xFF708090);
  third.reset();
  eight.reset();
  return right && fillAndCheck(seven, *second, 0xFFA0B0C0) && drawRounds(nine, 7, 2);
}

/** Two devices that two threads drive at the same time, without a lock between them. */
bool twoThreads() {
  HANDLE threads[2];
  for (uint32_t i = 0; i < 2; ++i)
    threads[i] = CreateThread(nullptr, 0, drawBeside, reinterpret_cast<void *>(uintptr_t{i} * 100), 0, nullptr);
  bool right = true;
  for (HANDLE thread : threads) {
    DWORD code = 0;
    if (!thread) return fail("CreateThread failed: error %lu", GetLastError());
    WaitForSingleObject(thread, INFINITE);
    GetExitCodeThread(thread, &code);
    CloseHandle(thread);
    right = right && code;
  }
  return right;
}

/** Sets states, stages and samplers that no version of Direct3D has. Windows' runtime knows no more than its own, so
 * later ones would reach a driver like this; each is a success without effect. */
bool unknownStates(Front &front) {
  constexpr UINT kStates[] = {0, 210, 230, 255, 256, 4096, 0x7FFFFFFF}, kStageStates[] = {0, 34, 63, 64, 4096},
                 kStages[] = {0, 7, 8, 15, 16, 255, 261, 4096}, kValues[] = {0, 1, 0xFFFFFFFF};
  for (const UINT value : kValues) {
    for (const UINT state : kStates) {
      const D3DDDIARG_RENDERSTATE argument{static_cast<D3DDDIRENDERSTATETYPE>(state), value};
      if (!succeeded(front.device().call<&D3DDDI_DEVICEFUNCS::pfnSetRenderState>(&argument), "SetRenderState"))
        return false;
    }
    for (const UINT stage : kStages) {
      const auto set = [&](UINT state) {
        const D3DDDIARG_TEXTURESTAGESTATE argument{stage, static_cast<D3DDDITEXTURESTAGESTATETYPE>(state), value};
        return succeeded(front.device().call<&D3DDDI_DEVICEFUNCS::pfnSetTextureStageState>(&argument),
                         "SetTextureStageState");
      };
      for (const UINT state : kStageStates)
        if (!set(state)) return false;
      if (stage > D3DVERTEXTEXTURESAMPLER3 && !set(D3DDDITSS_MAGFILTER)) return false;
    }
  }
  return drawRounds(front, 3, 1);
}

}  // namespace aerogpu::level9
