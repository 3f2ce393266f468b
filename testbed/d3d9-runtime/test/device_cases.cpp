// SPDX-License-Identifier: MIT
// Tests opening, creation, default states, COM, Reset, presents.
#include <cstdlib>
#include <cstring>

#include "testbed/d3d9-runtime/test/harness.h"

using namespace aerogpu::test;

namespace {

/// Returns the index of the first line that begins with `start`; the number of lines if none does.
size_t find(const std::vector<std::string> &lines, const char *start, size_t from = 0) {
  while (from < lines.size() && lines[from].rfind(start, 0) != 0) ++from;
  return from;
}

}  // namespace

void aerogpu::test::drawFrame() {
  const TestDevice device;
  IDirect3DSurface9 *plain = nullptr;
  device->CreateOffscreenPlainSurface(64, 64, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT, &plain, nullptr);
  D3DLOCKED_RECT locked{};
  if (plain && SUCCEEDED(plain->LockRect(&locked, nullptr, 0))) plain->UnlockRect();
  IDirect3DQuery9 *query = nullptr;
  device->CreateQuery(D3DQUERYTYPE_EVENT, &query);
  query->Issue(D3DISSUE_END);
  for (int i = 0; i < 3; ++i) query->GetData(nullptr, 0, 0);
  device->Present(nullptr, nullptr, nullptr, nullptr);
  query->Release();
  if (plain) plain->Release();
}

// d3d9ddi 1.2, 1.3, 2.1: OpenAdapter for interface 9, formats, caps and queries, then the device with its context.
TEST_CASE(openingOrder) {
  const TestDevice device;
  const auto &lines = device.creation;
  const char *const kOrder[] = {"kmt OpenAdapter \\\\.\\DISPLAY1",
                                "kmt UMDRIVERNAME version 0",
                                "OpenAdapter interface 9 version 2003",
                                "GetCaps 3 size 4",
                                "GetCaps 4 size 160",
                                "GetCaps 13 size 304",
                                "GetCaps 6 size 4",
                                "GetCaps 7 size 8"};
  // Then for each format, for windows and flips, the quality levels of sixteen kinds of samples.
  constexpr size_t kQualityLevels = 8 * 2 * 16;
  // Then what programs of video and gamma ramps make it ask for, and the device.
  const char *const kDevice[] = {
      "GetCaps 14 size 4",       "GetCaps 22 size 4", "GetCaps 31 size 4", "GetCaps 34 size 4",
      "GetCaps 42 size 40",      "GetCaps 43 size 4", "kmt CreateDevice",  "CreateDevice interface 9 flags 2",
      "kmt CreateContext hint 9"};
  size_t at = 0;
  for (const char *row : kOrder) {
    const size_t found = find(lines, row, at);
    EXPECT(found < lines.size());
    EXPECT(found == at);
    at = found + 1;
  }
  for (size_t i = 0; i < kQualityLevels && at < lines.size(); ++i, ++at) EXPECT(lines[at] == "GetCaps 5 size 16");
  for (const char *row : kDevice) {
    EXPECT(find(lines, row, at) == at);
    ++at;
  }
  // Then the buffers, the defaults, and only then the targets.
  const size_t back = find(lines, "CreateResource format 22"), depth = find(lines, "CreateResource format 75"),
               states = find(lines, "SetRenderState"), target = find(lines, "SetRenderTarget 0 1 sub 0");
  EXPECT(at == back && back < depth && depth < states && states < target);
  EXPECT(target + 4 < lines.size());
  if (target + 4 >= lines.size()) return;
  EXPECT(lines[target + 1] == "SetViewport 0,0 640x480");
  EXPECT(lines[target + 2] == "SetZRange 0 1");
  EXPECT(lines[target + 3] == "SetScissorRect 0,0-640,480");
  EXPECT(lines[target + 4] == "SetDepthStencil 1");
  EXPECT(target + 5 == lines.size());
}

// Defaults of the pages D3DRENDERSTATETYPE, D3DSAMPLERSTATETYPE, D3DTEXTURESTAGESTATETYPE, in order of number.
TEST_CASE(defaultStates) {
  const TestDevice device;
  const auto &lines = device.creation;
  unsigned last = 0, count = 0;
  for (const std::string &line : lines) {
    if (line.rfind("SetRenderState ", 0) != 0) continue;
    const unsigned number = static_cast<unsigned>(std::atoi(line.c_str() + 15));
    EXPECT(number > last);
    last = number;
    ++count;
  }
  // 103 states of Direct3D 9 less the 17 of the fixed function's vertices, which stay with the runtime.
  EXPECT(count == 86);
  for (const char *row : {"SetRenderState 7 00000001", "SetRenderState 8 00000003", "SetRenderState 14 00000001",
                          "SetRenderState 22 00000003", "SetRenderState 23 00000004", "SetRenderState 25 00000008",
                          "SetRenderState 168 0000000f", "SetRenderState 209 00000001"})
    EXPECT(find(lines, row) < lines.size());
  for (const char *row : {"SetRenderState 137 ", "SetRenderState 139 ", "SetRenderState 143 ", "SetRenderState 151 ",
                          "SetRenderState 157 ", "SetRenderState 170 "})
    EXPECT(find(lines, row) == lines.size());
  // Samplers arrive as texture stage states of other numbers: d3d9ddi 3.1.
  for (const char *row : {"SetTextureStageState 0 13 00000001", "SetTextureStageState 0 25 00000001",
                          "SetTextureStageState 15 16 00000001", "SetTextureStageState 15 18 00000000",
                          "SetTextureStageState 256 21 00000001", "SetTextureStageState 257 29 00000000",
                          "SetTextureStageState 260 31 00000000", "SetTextureStageState 0 1 00000004",
                          "SetTextureStageState 1 1 00000001", "SetTextureStageState 3 11 00000003"})
    EXPECT(find(lines, row) < lines.size());
  EXPECT(countOf(lines, "SetTextureStageState") == 8 * 18 + 21 * 13);
}

TEST_CASE(stateChanges) {
  const TestDevice device;
  device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE);
  device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE);  // not again
  device->SetRenderState(D3DRS_LIGHTING, FALSE);         // only for the fixed function
  device->SetSamplerState(3, D3DSAMP_MINFILTER, D3DTEXF_LINEAR);
  device->SetSamplerState(D3DVERTEXTEXTURESAMPLER1, D3DSAMP_ADDRESSW, D3DTADDRESS_CLAMP);
  device->SetTextureStageState(2, D3DTSS_COLOROP, D3DTOP_ADD);
  EXPECT_CALLS("SetRenderState 22 00000001", "SetTextureStageState 3 17 00000002",
               "SetTextureStageState 258 25 00000003", "SetTextureStageState 2 1 00000007");
  DWORD value = 0;
  EXPECT(device->GetRenderState(D3DRS_LIGHTING, &value) == D3D_OK && value == FALSE);
  EXPECT(device->GetSamplerState(D3DVERTEXTEXTURESAMPLER1, D3DSAMP_ADDRESSW, &value) == D3D_OK && value == 3);
  EXPECT(device->SetSamplerState(16, D3DSAMP_ADDRESSU, 1) == D3DERR_INVALIDCALL);
  // No driver gets an empty depth range; the program gets back what it set.
  D3DVIEWPORT9 viewport{1, 2, 3, 4, 0.5f, 0.5f};
  device->SetViewport(&viewport);
  EXPECT_CALLS("SetViewport 1,2 3x4", "SetZRange 0.5 0.501");
  EXPECT(device->GetViewport(&viewport) == D3D_OK && viewport.MaxZ == 0.5f);
  const float constants[8] = {1.5f};
  const int integers[4] = {7};
  const BOOL booleans[2] = {TRUE, FALSE};
  device->SetVertexShaderConstantF(254, constants, 2);
  device->SetVertexShaderConstantI(15, integers, 1);
  device->SetVertexShaderConstantB(3, booleans, 2);
  device->SetPixelShaderConstantF(0, constants, 1);
  device->SetPixelShaderConstantI(1, integers, 1);
  device->SetPixelShaderConstantB(2, booleans, 1);
  EXPECT_CALLS("SetVertexShaderConst 254+2 1.5", "SetVertexShaderConstI 15+1 7", "SetVertexShaderConstB 3+2 1",
               "SetPixelShaderConst 0+1 1.5", "SetPixelShaderConstI 1+1 7", "SetPixelShaderConstB 2+1 1");
  EXPECT(device->SetVertexShaderConstantF(255, constants, 2) == D3DERR_INVALIDCALL);
  EXPECT(device->SetPixelShaderConstantF(223, constants, 2) == D3DERR_INVALIDCALL);
  device->BeginScene();
  EXPECT(device->BeginScene() == D3DERR_INVALIDCALL);
  device->EndScene();
  EXPECT(device->EndScene() == D3DERR_INVALIDCALL);
  EXPECT_CALLS("SetRenderState 62 00000001", "SetRenderState 62 00000000");  // D3DDDIRS_SCENECAPTURE
}

TEST_CASE(comIdentity) {
  const TestDevice device;
  IUnknown *unknown = nullptr, *again = nullptr;
  IDirect3DDevice9 *base = nullptr;
  EXPECT(device->QueryInterface(__uuidof(IUnknown), reinterpret_cast<void **>(&unknown)) == S_OK);
  EXPECT(device->QueryInterface(__uuidof(IDirect3DDevice9), reinterpret_cast<void **>(&base)) == S_OK);
  EXPECT(base->QueryInterface(__uuidof(IUnknown), reinterpret_cast<void **>(&again)) == S_OK);
  EXPECT(unknown == again);
  void *ex = nullptr;
  EXPECT(device->QueryInterface(__uuidof(IDirect3DDevice9Ex), &ex) == E_NOINTERFACE && !ex);  // not made by 9Ex
  unknown->Release();
  again->Release();
  EXPECT(base->Release() == 1);
  IDirect3DSwapChain9 *chain = nullptr;
  device->GetSwapChain(0, &chain);
  EXPECT(chain->QueryInterface(__uuidof(IDirect3DSwapChain9Ex), &ex) == E_NOINTERFACE && !ex);
  chain->Release();
  // Resources keep the device alive; levels share their texture's count.
  IDirect3DTexture9 *texture = nullptr;
  EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr) == D3D_OK);
  EXPECT(device->AddRef() == 3 && device->Release() == 2);
  IDirect3DSurface9 *level = nullptr;
  texture->GetSurfaceLevel(0, &level);
  EXPECT(texture->AddRef() == 3 && texture->Release() == 2);
  void *container = nullptr;
  EXPECT(level->GetContainer(__uuidof(IDirect3DTexture9), &container) == D3D_OK && container == texture);
  EXPECT(texture->Release() == 2);
  EXPECT(level->Release() == 1);
  device->SetTexture(0, texture);
  EXPECT(texture->Release() == 0);  // still bound, so it still exists
  EXPECT(device->AddRef() == 2 && device->Release() == 1);
  fake().clear();
  device->SetTexture(0, nullptr);
  EXPECT_CALLS("SetTexture 0 0", "DestroyResource");
  IDirect3DSurface9 *back = nullptr, *same = nullptr;
  device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, &back);
  device->GetRenderTarget(0, &same);
  EXPECT(back && back == same);
  back->Release();
  EXPECT(same->Release() == 0);
  const BYTE note[3] = {1, 2, 3};
  BYTE read[3]{};
  DWORD size = 2;
  device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, &back);
  EXPECT(back->SetPrivateData(__uuidof(IDirect3D9), note, sizeof note, 0) == D3D_OK);
  EXPECT(back->GetPrivateData(__uuidof(IDirect3D9), read, &size) == D3DERR_MOREDATA && size == 3);
  EXPECT(back->GetPrivateData(__uuidof(IDirect3D9), read, &size) == D3D_OK && std::memcmp(read, note, 3) == 0);
  EXPECT(back->FreePrivateData(__uuidof(IDirect3D9)) == D3D_OK);
  EXPECT(back->FreePrivateData(__uuidof(IDirect3D9)) == D3DERR_NOTFOUND);
  back->Release();
}

TEST_CASE(adapter) {
  const TestDevice device(true);
  IDirect3D9 *d = device.direct3d;
  EXPECT(d->GetAdapterCount() == 1);
  D3DDISPLAYMODE mode{};
  EXPECT(d->GetAdapterDisplayMode(0, &mode) == D3D_OK && mode.Width == 1024 && mode.Format == D3DFMT_X8R8G8B8);
  EXPECT(d->GetAdapterModeCount(0, D3DFMT_X8R8G8B8) == 2 && d->GetAdapterModeCount(0, D3DFMT_R5G6B5) == 1);
  EXPECT(d->GetAdapterModeCount(0, D3DFMT_A8R8G8B8) == 0);
  const auto X = D3DFMT_X8R8G8B8;
  const auto check = [&](DWORD usage, D3DRESOURCETYPE type, D3DFORMAT format) {
    return d->CheckDeviceFormat(0, D3DDEVTYPE_HAL, X, usage, type, format);
  };
  EXPECT(check(D3DUSAGE_RENDERTARGET, D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8) == D3D_OK);
  EXPECT(check(D3DUSAGE_RENDERTARGET, D3DRTYPE_TEXTURE, D3DFMT_DXT1) == D3DERR_NOTAVAILABLE);
  EXPECT(check(D3DUSAGE_DEPTHSTENCIL, D3DRTYPE_SURFACE, D3DFMT_D24S8) == D3D_OK);
  EXPECT(check(D3DUSAGE_QUERY_FILTER, D3DRTYPE_TEXTURE, D3DFMT_R5G6B5) == D3DERR_NOTAVAILABLE);
  EXPECT(check(D3DUSAGE_QUERY_SRGBWRITE, D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8) == D3DERR_NOTAVAILABLE);
  EXPECT(check(D3DUSAGE_AUTOGENMIPMAP, D3DRTYPE_TEXTURE, D3DFMT_DXT1) == D3DOK_NOAUTOGEN);
  EXPECT(check(0, D3DRTYPE_VOLUMETEXTURE, D3DFMT_DXT1) == D3DERR_NOTAVAILABLE);
  EXPECT(check(0, D3DRTYPE_TEXTURE, D3DFMT_L8) == D3DERR_NOTAVAILABLE);
  EXPECT(d->CheckDeviceType(0, D3DDEVTYPE_HAL, X, D3DFMT_A8R8G8B8, FALSE) == D3D_OK);
  EXPECT(d->CheckDeviceType(0, D3DDEVTYPE_HAL, X, D3DFMT_R5G6B5, TRUE) == D3D_OK);
  EXPECT(d->CheckDeviceType(0, D3DDEVTYPE_HAL, X, D3DFMT_R5G6B5, FALSE) == D3DERR_NOTAVAILABLE);
  EXPECT(d->CheckDeviceType(0, D3DDEVTYPE_HAL, D3DFMT_A8R8G8B8, D3DFMT_A8R8G8B8, FALSE) == D3DERR_NOTAVAILABLE);
  EXPECT(d->CheckDepthStencilMatch(0, D3DDEVTYPE_HAL, X, X, D3DFMT_D24S8) == D3D_OK);
  EXPECT(d->CheckDepthStencilMatch(0, D3DDEVTYPE_HAL, X, X, D3DFMT_D16) == D3DERR_NOTAVAILABLE);
  DWORD levels = 9;
  EXPECT(d->CheckDeviceMultiSampleType(0, D3DDEVTYPE_HAL, D3DFMT_A8R8G8B8, TRUE, D3DMULTISAMPLE_4_SAMPLES, &levels) ==
             D3D_OK &&
         levels == 2);
  EXPECT(d->CheckDeviceMultiSampleType(0, D3DDEVTYPE_HAL, D3DFMT_A8R8G8B8, TRUE, D3DMULTISAMPLE_NONMASKABLE, &levels) ==
             D3D_OK &&
         levels == 3);
  EXPECT(d->CheckDeviceMultiSampleType(0, D3DDEVTYPE_HAL, X, TRUE, D3DMULTISAMPLE_4_SAMPLES, &levels) ==
         D3DERR_NOTAVAILABLE);
  EXPECT(d->CheckDeviceType(0, D3DDEVTYPE_REF, X, X, TRUE) == D3DERR_NOTAVAILABLE);
  EXPECT(d->CheckDeviceType(1, D3DDEVTYPE_HAL, X, X, TRUE) == D3DERR_INVALIDCALL);
  LUID luid{};
  EXPECT(static_cast<IDirect3D9Ex *>(d)->GetAdapterLUID(0, &luid) == D3D_OK && luid.LowPart == 0x1234 &&
         luid.HighPart == 5);
  EXPECT(device->GetAvailableTextureMem() == 96u << 20);  // Direct3D 9Ex subtracts nothing
  const TestDevice plain;
  constexpr UINT kBuffers = 2 * 640 * 480 * 4;
  EXPECT(plain->GetAvailableTextureMem() == (((96u << 20) - kBuffers) & ~0xFFFFFu));
}

// d3d9ddi 3.8: a window's present is Flush, then Present; the kernel gets the window's position.
TEST_CASE(presentWindowed) {
  const TestDevice device;
  EXPECT(device->Present(nullptr, nullptr, nullptr, nullptr) == D3D_OK);
  EXPECT_ALL_CALLS("Flush", "kmt Render length 4", "callback Render 00000000 other buffer 1 old readable 0",
                   "Present source 1:0 destination 0 flags 1 interval 1",
                   "kmt Present blt 0,0-640,480 to 0,0 size 320x200 count 1 source 1");
  const RECT from{10, 20, 110, 120}, to{3, 4, 53, 64}, outside{600, 0, 700, 10};
  EXPECT(device->Present(&from, &to, nullptr, nullptr) == D3D_OK);
  EXPECT(countOf(calls(true), "kmt Present blt 10,20-110,120 to 3,4 size 50x60 count 2") == 1);
  EXPECT(device->Present(&outside, nullptr, nullptr, nullptr) == D3DERR_INVALIDCALL);
  UINT presents = 0;
  IDirect3DSwapChain9 *chain = nullptr;
  device->GetSwapChain(0, &chain);
  static_cast<IDirect3DSwapChain9Ex *>(chain)->GetLastPresentCount(&presents);
  EXPECT(presents == 2);
  chain->Release();
}

// On a composed desktop a window's present is Blts with marks and a Flush, and only the compositor presents.
TEST_CASE(presentComposed) {
  SetEnvironmentVariableA("AEROGPU_D3D9_COMPOSED", "1");
  {
    const TestDevice device;
    const RECT same{0, 0, 320, 200};
    EXPECT(device->Present(&same, nullptr, nullptr, nullptr) == D3D_OK);
    const std::vector<std::string> first = calls();
    EXPECT(countOf(first, "Blt 0:0 0,0-320,100 to 0:0 0,0-320,100 flags 100") == 1);
    EXPECT(countOf(first, "Blt 0:0 0,100-320,200 to 0:0 0,100-320,200 flags 400") == 1);
    EXPECT(device->Present(&same, nullptr, nullptr, nullptr) == D3D_OK);
    EXPECT_CALLS("Blt 0:0 0,0-320,66 to 0:0 0,0-320,66 flags 100", "Blt 0:0 0,66-320,133 to 0:0 0,66-320,133 flags 200",
                 "Blt 0:0 0,133-320,200 to 0:0 0,133-320,200 flags 400", "Flush", "callback Render", "Flush",
                 "callback Render", "Present source 1:0 destination 0 flags 1 interval 0");
    EXPECT(device->Present(nullptr, nullptr, nullptr, nullptr) == D3D_OK);
    EXPECT_CALLS("Blt 0:0 0,0-640,480 to 0:0 0,0-320,200 flags 500", "Flush", "callback Render", "Flush",
                 "callback Render", "Present source 1:0 destination 0 flags 1 interval 0");
  }
  SetEnvironmentVariableA("AEROGPU_D3D9_COMPOSED", nullptr);
}

// d3d9ddi 3.5: several back buffers are one resource, whose entries are no levels; the runtime rotates them by index.
TEST_CASE(presentSeveralBuffers) {
  const TestDevice device(false, D3DCREATE_HARDWARE_VERTEXPROCESSING, 2);
  EXPECT(countOf(device.creation, "CreateResource format 22 pool 2 640x480x0 last 640x480 surfaces 2 levels 3") == 1);
  device->Present(nullptr, nullptr, nullptr, nullptr);
  EXPECT_CALLS("Flush", "callback Render", "Present source 1:0", "SetRenderTarget 0 1 sub 1");
  device->Present(nullptr, nullptr, nullptr, nullptr);
  EXPECT_CALLS("Flush", "callback Render", "Present source 1:1", "SetRenderTarget 0 1 sub 0");
}

TEST_CASE(fullScreen) {
  {
    const TestDevice device(true, D3DCREATE_HARDWARE_VERTEXPROCESSING, 1, true);
    EXPECT(countOf(device.creation, "kmt SetVidPnSourceOwner count 1 type 2") == 1);
    // RenderTarget, NotLockable, DiscardRenderTarget, Primary; the front buffer is one of two.
    EXPECT(countOf(device.creation,
                   "CreateResource format 22 pool 2 640x480x0 last 640x480 surfaces 2 levels 3 samples 0 fvf 112 "
                   "flags 00009081") == 1);
    EXPECT(countOf(device.creation, "SetDisplayMode sub 1") == 1);
    EXPECT(countOf(device.creation, "kmt SetDisplayMode allocation 1") == 1);
    device->PresentEx(nullptr, nullptr, nullptr, nullptr, 0);
    // No Flush: the driver submits in Present.
    EXPECT_ALL_CALLS("Present source 1:0 destination 0 flags 4 interval 1", "kmt Present flip interval 1 count 1",
                     "SetRenderTarget 0 1 sub 1");
    device->PresentEx(nullptr, nullptr, nullptr, nullptr, D3DPRESENT_FORCEIMMEDIATE);
    EXPECT_CALLS("Present source 1:1 destination 0 flags 4 interval 0", "SetRenderTarget 0 1 sub 0");
    IDirect3DSurface9 *copy = nullptr;
    device->CreateOffscreenPlainSurface(640, 480, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &copy, nullptr);
    fake().clear();
    EXPECT(device->GetFrontBufferData(0, copy) == D3D_OK);
    EXPECT_CALLS("Blt 0:1 0,0-640,480 to 1:0 0,0-640,480");
    copy->Release();
    fake().clear();
  }
}

/// Pages "IDirect3DDevice9::SetGammaRamp", "DDIGAMMACAPS": the kernel side has the ramp, of a full screen alone.
TEST_CASE(gammaRamps) {
  D3DGAMMARAMP ramp{}, got{};
  for (WORD i = 0; i < 256; ++i) {
    ramp.red[i] = static_cast<WORD>(i * 3);
    ramp.green[i] = static_cast<WORD>(i * 5);
    ramp.blue[i] = static_cast<WORD>(i * 7);
  }
  const auto isPlain = [](const D3DGAMMARAMP &have) {
    return have.red[0] == 0 && have.green[1] == 257 && have.blue[255] == 65535;
  };
  for (const bool full : {false, true})
    for (const bool has : {false, true}) {
      const TestDevice device(false, D3DCREATE_HARDWARE_VERTEXPROCESSING, 1, full);
      fake().misbehave(has ? "" : "no ramps");
      device->GetGammaRamp(0, &got);
      EXPECT(isPlain(got));
      fake().clear();
      device->SetGammaRamp(0, D3DSGR_NO_CALIBRATION, &ramp);
      const auto lines = calls(true);
      EXPECT(countOf(lines, "kmt SetGammaRamp type 2, 3 10 1785") == (full && has ? 1u : 0u));
      EXPECT(countOf(lines, "kmt SetGammaRamp") == (full && has ? 1u : 0u));
      device->GetGammaRamp(0, &got);
      EXPECT(full && has ? got.green[2] == 10 && got.blue[255] == 1785 : isPlain(got));
      device->SetGammaRamp(1, 0, &ramp);  // there is one chain
      device->SetGammaRamp(0, 0, nullptr);
      EXPECT(countOf(calls(true), "kmt SetGammaRamp") == 0);
      fake().misbehave("");
    }
}

TEST_CASE(resets) {
  const TestDevice device;
  D3DPRESENT_PARAMETERS parameters = presentParameters(device.window);
  IDirect3DTexture9 *texture = nullptr, *managed = nullptr;
  device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr);
  device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &managed, nullptr);
  device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE);
  EXPECT(device->Reset(&parameters) == D3DERR_INVALIDCALL);
  EXPECT(device->TestCooperativeLevel() == D3DERR_DEVICENOTRESET);
  texture->Release();
  parameters.BackBufferWidth = 320;
  fake().clear();
  EXPECT(device->Reset(&parameters) == D3D_OK);
  const auto lines = calls();
  EXPECT(countOf(lines, "DestroyResource") == 2 && countOf(lines, "CreateResource format 22 pool 2 320x480") == 1);
  EXPECT(countOf(lines, "SetRenderTarget 0 0") == 1);
  DWORD cull = 0;
  device->GetRenderState(D3DRS_CULLMODE, &cull);
  EXPECT(cull == D3DCULL_CCW);
  EXPECT(device->TestCooperativeLevel() == D3D_OK);
  managed->Release();
  // Direct3D 9Ex keeps resources (EX-11).
  const TestDevice ex(true);
  ex->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr);
  parameters.hDeviceWindow = ex.window;
  D3DVIEWPORT9 viewport{8, 8, 16, 16, 0.25f, 0.5f};
  ex->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE);
  ex->SetTexture(0, texture);
  ex->SetViewport(&viewport);
  EXPECT(ex->ResetEx(&parameters, nullptr) == D3D_OK);
  // It also keeps states, except the rectangles, which become those of the new back buffer.
  ex->GetRenderState(D3DRS_CULLMODE, &cull);
  ex->GetViewport(&viewport);
  EXPECT(cull == D3DCULL_NONE && viewport.X == 0 && viewport.Width == 320 && viewport.MinZ == 0.25f);
  IDirect3DBaseTexture9 *bound = nullptr;
  ex->GetTexture(0, &bound);
  EXPECT(bound == texture);
  if (bound) {
    bound->Release();
  }
  texture->Release();
}

TEST_CASE(additionalSwapChains) {
  const TestDevice device;
  D3DPRESENT_PARAMETERS parameters = presentParameters(device.window);
  parameters.BackBufferWidth = parameters.BackBufferHeight = 64;
  IDirect3DSwapChain9 *chain = nullptr;
  EXPECT(device->CreateAdditionalSwapChain(&parameters, &chain) == D3D_OK);
  IDirect3DSurface9 *buffer = nullptr;
  EXPECT(chain->GetBackBuffer(0, D3DBACKBUFFER_TYPE_MONO, &buffer) == D3D_OK);
  D3DSURFACE_DESC description{};
  buffer->GetDesc(&description);
  EXPECT(description.Width == 64);
  buffer->Release();
  EXPECT(device->GetNumberOfSwapChains() == 1);
  fake().clear();
  EXPECT(chain->Present(nullptr, nullptr, nullptr, nullptr, 0) == D3D_OK);
  EXPECT(countOf(calls(), "Present") == 1);
  D3DPRESENT_PARAMETERS again = presentParameters(device.window);
  EXPECT(device->Reset(&again) == D3DERR_INVALIDCALL);  // the program holds it
  chain->Release();
  EXPECT(device->Reset(&again) == D3D_OK);
  parameters.Windowed = FALSE;
  EXPECT(device->CreateAdditionalSwapChain(&parameters, &chain) == D3DERR_INVALIDCALL && !chain);
}

// Pages "D3DPRESENTFLAG" and "D3DDDI_RESOURCEFLAGS": RenderTarget 1, NotLockable 80, DiscardRenderTarget 1000, Video
// 2000, Primary 8000, CpuOptimized 1000000, MatchGdiPrimary 8000000.
TEST_CASE(kindsOfBackBuffers) {
  const TestDevice device;
  D3DPRESENT_PARAMETERS parameters = presentParameters(device.window);
  IDirect3DSwapChain9 *chain = nullptr;
  parameters.Flags = D3DPRESENTFLAG_VIDEO;
  EXPECT(device->CreateAdditionalSwapChain(&parameters, &chain) == D3D_OK);
  EXPECT_CALLS(
      "CreateResource format 22 pool 2 640x480x0 last 640x480 surfaces 1 levels 3 samples 0 fvf 112 "
      "flags 00003081");
  chain->Release();
  parameters.Flags = D3DPRESENTFLAG_VIDEO | D3DPRESENTFLAG_LOCKABLE_BACKBUFFER;
  fake().clear();
  EXPECT(device->CreateAdditionalSwapChain(&parameters, &chain) == D3D_OK);
  EXPECT_CALLS(
      "CreateResource format 22 pool 2 640x480x0 last 640x480 surfaces 1 levels 3 samples 0 fvf 112 "
      "flags 01003001");
  chain->Release();
  parameters.Windowed = FALSE;
  parameters.Flags = 0;
  parameters.BackBufferWidth = 1024;  // the mode of the desktop
  parameters.BackBufferHeight = 768;
  fake().clear();
  EXPECT(device->Reset(&parameters) == D3D_OK);
  EXPECT(countOf(calls(),
                 "CreateResource format 22 pool 2 1024x768x0 last 1024x768 surfaces 2 levels 3 samples 0 fvf "
                 "112 flags 08009081") == 1);
}

TEST_CASE(cursors) {
  const TestDevice device;
  IDirect3DSurface9 *bitmap = nullptr, *other = nullptr;
  device->CreateOffscreenPlainSurface(32, 32, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &bitmap, nullptr);
  device->CreateOffscreenPlainSurface(32, 24, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &other, nullptr);
  EXPECT(device->ShowCursor(TRUE) == FALSE && device->ShowCursor(TRUE) == FALSE);  // there is none
  EXPECT(device->SetCursorProperties(0, 0, nullptr) == D3DERR_INVALIDCALL);
  EXPECT(device->SetCursorProperties(0, 0, other) == D3DERR_INVALIDCALL);  // no power of two
  EXPECT(device->SetCursorProperties(1, 2, bitmap) == D3D_OK);
  EXPECT(device->ShowCursor(TRUE) == FALSE && device->ShowCursor(FALSE) == TRUE && device->ShowCursor(FALSE) == FALSE);
  bitmap->Release();
  other->Release();
}

// A full-screen device covers the screen with its window and restores what it changed.
TEST_CASE(fullScreenWindows) {
  RECT during{}, after{};
  HWND window = nullptr;
  LONG style = 0;
  {
    const TestDevice device(false, D3DCREATE_HARDWARE_VERTEXPROCESSING, 1, true);
    window = device.window;
    GetWindowRect(window, &during);
    style = GetWindowLongW(window, GWL_STYLE);
    EXPECT(during.left == 0 && during.top == 0 && during.right == 640 && during.bottom == 480);
    EXPECT(style & WS_POPUP && !(style & WS_CAPTION));
    EXPECT(device->TestCooperativeLevel() == D3D_OK);
    SendMessageW(window, WM_ACTIVATEAPP, FALSE, 0);
    EXPECT(device->TestCooperativeLevel() == D3DERR_DEVICELOST);
    EXPECT(device->Present(nullptr, nullptr, nullptr, nullptr) == D3DERR_DEVICELOST);
    ShowWindow(window, SW_RESTORE);
    SendMessageW(window, WM_ACTIVATEAPP, TRUE, 0);
    EXPECT(device->TestCooperativeLevel() == D3DERR_DEVICENOTRESET);
    EXPECT(device->Present(nullptr, nullptr, nullptr, nullptr) == D3DERR_DEVICELOST);  // until it is reset
    D3DPRESENT_PARAMETERS parameters = presentParameters(window);
    EXPECT(device->Reset(&parameters) == D3D_OK && device->TestCooperativeLevel() == D3D_OK);
    GetWindowRect(window, &after);
    EXPECT(!(GetWindowLongW(window, GWL_STYLE) & WS_SYSMENU) && EqualRect(&after, &during));  // the position stays
  }
}

// A window that was hidden stays visible after Direct3D 9, and is hidden again after 9Ex; the focus is watched even if
// windows are left alone.
TEST_CASE(windowsAfterFullScreen) {
  for (const bool ex : {false, true}) {
    const TestDevice device(ex);
    ShowWindow(device.window, SW_HIDE);
    const auto reset = [&](bool windowed) {
      D3DPRESENT_PARAMETERS parameters = presentParameters(device.window);
      parameters.Windowed = windowed;
      D3DDISPLAYMODEEX mode{sizeof mode, 640, 480, 60, D3DFMT_X8R8G8B8, D3DSCANLINEORDERING_PROGRESSIVE};
      return ex ? device->ResetEx(&parameters, windowed ? nullptr : &mode) : device->Reset(&parameters);
    };
    EXPECT(reset(false) == D3D_OK && IsWindowVisible(device.window));
    EXPECT(reset(true) == D3D_OK && (IsWindowVisible(device.window) != FALSE) == !ex);
  }
  const TestDevice left(false, D3DCREATE_HARDWARE_VERTEXPROCESSING | D3DCREATE_NOWINDOWCHANGES, 1, true);
  RECT place{};
  GetWindowRect(left.window, &place);
  EXPECT(place.right - place.left < 640);
  SendMessageW(left.window, WM_ACTIVATEAPP, FALSE, 0);
  EXPECT(left->TestCooperativeLevel() == D3DERR_DEVICELOST && !IsIconic(left.window));
  fake().clear();
}

TEST_CASE(presentIntervals) {
  const TestDevice device;
  const auto reset = [&](UINT interval, bool windowed) {
    D3DPRESENT_PARAMETERS parameters = presentParameters(device.window);
    parameters.Windowed = windowed;
    parameters.PresentationInterval = interval;
    return device->Reset(&parameters);
  };
  for (const UINT interval : {D3DPRESENT_INTERVAL_DEFAULT, D3DPRESENT_INTERVAL_ONE})
    EXPECT(reset(interval, true) == D3D_OK);
  EXPECT(reset(static_cast<UINT>(D3DPRESENT_INTERVAL_IMMEDIATE), true) == D3D_OK);
  EXPECT(reset(D3DPRESENT_INTERVAL_TWO, true) == D3DERR_INVALIDCALL);     // a window
  EXPECT(reset(D3DPRESENT_INTERVAL_TWO, false) == D3D_OK);                // in the driver's caps
  EXPECT(reset(D3DPRESENT_INTERVAL_THREE, false) == D3DERR_INVALIDCALL);  // not in its caps
  EXPECT(reset(3, false) == D3DERR_INVALIDCALL);                          // no interval at all
  EXPECT(reset(D3DPRESENT_INTERVAL_DEFAULT, true) == D3D_OK);
  fake().clear();
}

// Registers that a model does not have.
TEST_CASE(shaderLimits) {
  const TestDevice device;
  IDirect3DVertexShader9 *vertex = nullptr;
  IDirect3DPixelShader9 *pixel = nullptr;
  const auto moves = [](DWORD version, DWORD target, DWORD source) {
    return std::vector<DWORD>{version, 0x02000001, target, source, 0xFFFF};
  };
  constexpr DWORD kPosition = 0xC00F0000, kColor = 0x800F0800, kConstant = 0xA0E40000;
  EXPECT(device->CreateVertexShader(moves(D3DVS_VERSION(2, 0), kPosition, kConstant | 255).data(), &vertex) == D3D_OK);
  vertex->Release();
  EXPECT(device->CreateVertexShader(moves(D3DVS_VERSION(2, 0), kPosition, kConstant | 256).data(), &vertex) ==
         D3DERR_INVALIDCALL);
  EXPECT(device->CreatePixelShader(moves(D3DPS_VERSION(2, 0), kColor, kConstant | 31).data(), &pixel) == D3D_OK);
  pixel->Release();
  EXPECT(device->CreatePixelShader(moves(D3DPS_VERSION(2, 0), kColor, kConstant | 32).data(), &pixel) ==
         D3DERR_INVALIDCALL);
}

TEST_CASE(palettes) {
  const TestDevice device;
  PALETTEENTRY entries[256]{}, read[256]{};
  for (PALETTEENTRY &entry : entries) entry = {1, 2, 3, 0xFF};
  UINT current = 9;
  EXPECT(device->SetCurrentTexturePalette(7) == D3DERR_INVALIDCALL);
  EXPECT(device->SetPaletteEntries(7, entries) == D3D_OK && device->SetCurrentTexturePalette(7) == D3D_OK);
  EXPECT(device->GetCurrentTexturePalette(&current) == D3D_OK && current == 7);
  EXPECT(device->GetPaletteEntries(7, read) == D3D_OK && read[255].peBlue == 3);
  entries[200].peFlags = 0;  // without D3DPTEXTURECAPS_ALPHAPALETTE
  EXPECT(device->SetPaletteEntries(7, entries) == D3DERR_INVALIDCALL);
}

TEST_CASE(exPacing) {
  const TestDevice device(true);
  UINT latency = 0;
  EXPECT(device->GetMaximumFrameLatency(&latency) == D3D_OK && latency == 3);
  EXPECT(device->SetMaximumFrameLatency(2) == D3D_OK && device->SetMaximumFrameLatency(31) == D3DERR_INVALIDCALL);
  EXPECT_ALL_CALLS("kmt SetQueuedLimit 2");
  INT priority = 0;
  EXPECT(device->SetGPUThreadPriority(99) == D3D_OK && device->GetGPUThreadPriority(&priority) == D3D_OK &&
         priority == 7);
  IDirect3DSwapChain9 *chain = nullptr;
  device->GetSwapChain(0, &chain);
  D3DPRESENTSTATS before{}, stats{};
  EXPECT(static_cast<IDirect3DSwapChain9Ex *>(chain)->GetPresentStats(&before) == D3D_OK);
  EXPECT(device->WaitForVBlank(0) == D3D_OK);
  EXPECT(static_cast<IDirect3DSwapChain9Ex *>(chain)->GetPresentStats(&stats) == D3D_OK &&
         stats.SyncRefreshCount == before.SyncRefreshCount + 1);
  chain->Release();
  EXPECT(device->CheckDeviceState(nullptr) == D3D_OK);
  // Two presents may be under way, and the fake kernel side shows none.
  const auto present = [&](DWORD flags) { return device->PresentEx(nullptr, nullptr, nullptr, nullptr, flags); };
  for (const HRESULT expected : {D3D_OK, D3DERR_WASSTILLDRAWING}) {
    EXPECT(present(D3DPRESENT_DONOTWAIT) == expected);  // not twice in a refresh
    EXPECT(countOf(calls(true), "kmt Present") == (expected == D3D_OK));
  }
  EXPECT(present(0) == D3D_OK && countOf(calls(true), "kmt Present") == 1);  // it has waited for the next refresh
  device->WaitForVBlank(0);
  EXPECT(present(D3DPRESENT_DONOTWAIT) == D3DERR_WASSTILLDRAWING && countOf(calls(true), "kmt Present") == 0);
  UINT count = 0;
  device->GetSwapChain(0, &chain);
  EXPECT(static_cast<IDirect3DSwapChain9Ex *>(chain)->GetLastPresentCount(&count) == D3D_OK && count == 2);
  EXPECT(static_cast<IDirect3DSwapChain9Ex *>(chain)->GetPresentStats(&stats) == D3D_OK && stats.PresentCount == 0);
  chain->Release();
  IDirect3DResource9 *resource = nullptr;
  IDirect3DSurface9 *back = nullptr;
  device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, &back);
  resource = back;
  fake().clear();
  EXPECT(device->CheckResourceResidency(&resource, 1) == S_RESIDENT_IN_SHARED_MEMORY);
  EXPECT_CALLS("QueryResourceResidency 1");
  back->Release();
}
