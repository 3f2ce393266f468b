// SPDX-License-Identifier: MIT
// Tests what Direct3D 8 sends to a driver: its interface and caps, its states alone, shaders with declared inputs,
// copies; and the reference counts that its objects share with those behind them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "testbed/d3d8-runtime/d3d8_headers.h"
#include "testbed/d3d9-runtime/test/harness.h"

using namespace aerogpu::test;

namespace {

constexpr UINT kSdk81 = 220;
// Numbers of Direct3D 8 alone (d3d8types.h).
constexpr auto kZBias = static_cast<D3DRENDERSTATETYPE>(47);
constexpr auto kMinFilter = static_cast<D3DTEXTURESTAGESTATETYPE>(17);
constexpr auto kAddressW = static_cast<D3DTEXTURESTAGESTATETYPE>(25);

using Create8 = IDirect3D8 *(WINAPI *)(UINT);

IDirect3D8 *createDirect3D8(UINT version) {
  const FARPROC found = runtimeExport("Direct3DCreate8");
  Create8 create = nullptr;
  static_assert(sizeof create == sizeof found);
  std::memcpy(&create, &found, sizeof create);
  return create(version);
}

/// A device that is released at the end, with the record empty after creation.
struct Device8Test {
  Device8Test() : alive(fake().alive()), window(makeWindow(320, 200)), direct3d(nullptr), device(nullptr) {
    fake().clear();
    D3DPRESENT_PARAMETERS8 parameters{};
    parameters.BackBufferWidth = 640;
    parameters.BackBufferHeight = 480;
    parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
    parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
    parameters.Windowed = TRUE;
    parameters.EnableAutoDepthStencil = TRUE;
    parameters.AutoDepthStencilFormat = D3DFMT_D24S8;
    direct3d = createDirect3D8(kSdk81);
    HRESULT result = E_FAIL;
    if (direct3d)
      result =
          direct3d->CreateDevice(0, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device);
    creation = calls(true);
    if (SUCCEEDED(result)) return;
    std::printf("CreateDevice gave %08lx\n", static_cast<unsigned long>(result));
    ExitProcess(1);
  }
  ~Device8Test() {
    EXPECT(device->Release() == 0);
    EXPECT(direct3d->Release() == 0);
    EXPECT(fake().alive() == alive);
    DestroyWindow(window);
    fake().clear();
  }
  Device8Test(const Device8Test &) = delete;
  Device8Test &operator=(const Device8Test &) = delete;
  IDirect3DDevice8 *operator->() const { return device; }

  unsigned alive;
  HWND window;
  IDirect3D8 *direct3d;
  IDirect3DDevice8 *device;
  std::vector<std::string> creation;
};

/// Returns the numbers of those lines that begin with `start`, each read after it: word `index` of the rest.
std::vector<unsigned> numbersOf(const std::vector<std::string> &lines, const char *start, unsigned index) {
  std::vector<unsigned> numbers;
  for (const std::string &line : lines) {
    if (line.rfind(start, 0) != 0) continue;
    size_t at = std::strlen(start);
    for (unsigned i = 0; i < index; ++i) at = line.find(' ', at) + 1;
    numbers.push_back(static_cast<unsigned>(std::strtoul(line.c_str() + at, nullptr, 10)));
  }
  return numbers;
}

bool contains(const std::vector<unsigned> &numbers, unsigned one) {
  for (const unsigned number : numbers)
    if (number == one) return true;
  return false;
}

bool isAtMost(const std::vector<unsigned> &numbers, unsigned most) {
  for (const unsigned number : numbers)
    if (number > most) return false;
  return !numbers.empty();
}

}  // namespace

void aerogpu::test::drawFrame() {
  const Device8Test device;
  device->Present(nullptr, nullptr, nullptr, nullptr);
}

// Page "D3DDDIARG_OPENADAPTER": Interface is 8; page "D3DDDICAPS_TYPE": GETD3D8CAPS, of the size of D3DCAPS8.
TEST_CASE(opensAsDirect3D8) {
  EXPECT(createDirect3D8(D3D_SDK_VERSION + 1) == nullptr);
  const Device8Test device;
  EXPECT(countOf(device.creation, "OpenAdapter interface 8") == 1);
  EXPECT(countOf(device.creation, "CreateDevice interface 8") == 1);
  EXPECT(countOf(device.creation, "kmt CreateContext hint 8") == 1);
  EXPECT(countOf(device.creation, "GetCaps 12 size 212") == 1);
  D3DCAPS8 caps{};
  EXPECT(device->GetDeviceCaps(&caps) == D3D_OK);
  D3DCAPS9 read{};
  std::memcpy(&read, &caps, sizeof caps);
  EXPECT(read.VertexShaderVersion == D3DVS_VERSION(1, 1) && read.PixelShaderVersion == D3DPS_VERSION(1, 4));
  EXPECT(read.MaxVertexShaderConst == 96 && read.RasterCaps == 0x4000 && read.Caps2 == 0x00080000);
  EXPECT(read.DevCaps == D3DDEVCAPS_HWTRANSFORMANDLIGHT);  // the other two are for drivers
}

// d3d8types.h: render states up to NORMALORDER (173), texture stage states up to RESULTARG (28) with what Direct3D 9
// calls sampler states among them, eight stages. Neither scissor rectangles nor frequencies of streams.
TEST_CASE(sendsOnlyStatesOfDirect3D8) {
  const Device8Test device;
  const std::vector<unsigned> render = numbersOf(device.creation, "SetRenderState ", 0);
  EXPECT(isAtMost(render, 173));
  for (const unsigned state : {10u, 30u, 40u, 47u, 164u}) EXPECT(contains(render, state));
  EXPECT(!contains(render, 153));  // SOFTWAREVERTEXPROCESSING is the runtime's
  EXPECT(isAtMost(numbersOf(device.creation, "SetTextureStageState ", 0), 7));
  const std::vector<unsigned> stage = numbersOf(device.creation, "SetTextureStageState ", 1);
  EXPECT(isAtMost(stage, 28));
  for (unsigned state = 13; state <= 21; ++state) EXPECT(contains(stage, state));
  EXPECT(contains(stage, 25) && !contains(stage, 12));
  EXPECT(countOf(device.creation, "SetScissorRect") == 0 && countOf(device.creation, "SetStreamSourceFreq") == 0);
  // A block of all states sends nothing else either.
  DWORD block = 0;
  EXPECT(device->CreateStateBlock(D3DSBT_ALL, &block) == D3D_OK && block);
  device->SetRenderState(kZBias, 3);
  fake().clear();
  EXPECT(device->ApplyStateBlock(block) == D3D_OK);
  const std::vector<std::string> applied = calls();
  EXPECT(countOf(applied, "SetRenderState 47 00000000") == 1 && countOf(applied, "SetRenderState") == 1);
  EXPECT(countOf(applied, "SetScissorRect") == 0 && countOf(applied, "SetStreamSourceFreq") == 0);
  EXPECT(device->DeleteStateBlock(block) == D3D_OK && device->ApplyStateBlock(block) == D3DERR_INVALIDCALL);
  fake().clear();
}

// Page "D3DDDIRENDERSTATETYPE" has ZBIAS beside Direct3D 9's DEPTHBIAS; stage states keep their numbers.
TEST_CASE(statesByTheirNumbers) {
  const Device8Test device;
  device->SetRenderState(kZBias, 5);
  device->SetRenderState(D3DRS_DEPTHBIAS, 5);
  device->SetRenderState(D3DRS_SCISSORTESTENABLE, TRUE);
  device->SetTextureStageState(3, kMinFilter, D3DTEXF_LINEAR);
  device->SetTextureStageState(7, kAddressW, D3DTADDRESS_CLAMP);
  device->SetTextureStageState(8, kAddressW, D3DTADDRESS_CLAMP);
  device->SetTextureStageState(0, D3DTSS_CONSTANT, 1);
  EXPECT_CALLS("SetRenderState 47 00000005", "SetTextureStageState 3 17 00000002",
               "SetTextureStageState 7 25 00000003");
  DWORD value = 0;
  EXPECT(device->GetTextureStageState(3, kMinFilter, &value) == D3D_OK && value == D3DTEXF_LINEAR);
  EXPECT(device->GetRenderState(kZBias, &value) == D3D_OK && value == 5);
}

// Pages "D3DVSD_STREAM", "D3DVSD_REG", "D3DVSD_SKIP" and "D3DVSD_CONST" of Direct3D 8. Elements are
// stream:offset/D3DDECLTYPE/D3DDECLUSAGE.index.
TEST_CASE(vertexShaders) {
  const Device8Test device;
  constexpr DWORD kStream = 1u << 29, kData = 2u << 29, kConstants = 4u << 29, kSkip = 1u << 28, kEnd = 0xFFFFFFFF;
  const DWORD one = 0x3F800000;
  const DWORD declaration[] = {kStream | 0,
                               kData | 2u << 16 | 0,  // v0: three floats
                               kData | 4u << 16 | 5,  // v5: a colour
                               kStream | 2,
                               kData | kSkip | 3u << 16,
                               kData | 7u << 16 | 9,  // v9: four shorts, after three words
                               kConstants | 1u << 25 | 20,
                               one,
                               one,
                               one,
                               one,
                               kEnd};
  // vs_1_1; mov oPos, v0; mov oD0, v5; its version and end make 8 words.
  const DWORD code[] = {D3DVS_VERSION(1, 1), 1, 0xC00F0000, 0x90E40000, 1, 0xD00F0000, 0x90E40005, 0xFFFF};
  DWORD handle = 0, found = 0;
  EXPECT(device->CreateVertexShader(declaration, code, &handle, 0) == D3D_OK && (handle & 1));
  // Each input gets a dcl of three words.
  EXPECT_CALLS("CreateVertexShaderFunc 68 bytes fffe0101 .. 0000ffff",
               "CreateVertexShaderDecl 0:0/2/0.0 0:12/4/10.0 2:12/7/5.2");
  EXPECT(device->SetVertexShader(handle) == D3D_OK);
  EXPECT_CALLS("SetVertexShaderConst 20+1 1");
  EXPECT(device->GetVertexShader(&found) == D3D_OK && found == handle);
  DWORD bytes = 0;
  EXPECT(device->GetVertexShaderFunction(handle, nullptr, &bytes) == D3D_OK && bytes == sizeof code);
  EXPECT(device->GetVertexShaderDeclaration(handle, nullptr, &bytes) == D3D_OK && bytes == sizeof declaration);
  // Code that declares an input itself gets dcls for the others.
  const DWORD declares[] = {D3DVS_VERSION(1, 1), 0x1F, 0x80000000, 0x900F0000, 1, 0xC00F0000, 0x90E40000, 0xFFFF};
  DWORD other = 0;
  EXPECT(device->CreateVertexShader(declaration, declares, &other, 0) == D3D_OK && other != handle);
  EXPECT_CALLS("CreateVertexShaderFunc 56 bytes fffe0101 .. 0000ffff", "CreateVertexShaderDecl");
  EXPECT(device->DeleteVertexShader(other) == D3D_OK && device->DeleteVertexShader(other) == D3DERR_INVALIDCALL);
  // Direct3D 8 has neither later models nor constants from c96 on.
  const DWORD later[] = {D3DVS_VERSION(2, 0), 0xFFFF};
  EXPECT(device->CreateVertexShader(declaration, later, &other, 0) == D3DERR_INVALIDCALL);
  const DWORD beyond[] = {D3DVS_VERSION(1, 1), 1, 0xC00F0000, 0xA0E40060, 0xFFFF};
  EXPECT(device->CreateVertexShader(declaration, beyond, &other, 0) == D3DERR_INVALIDCALL);
  EXPECT(device->DeleteVertexShader(handle) == D3D_OK);
  EXPECT(device->GetVertexShader(&found) == D3D_OK && found == 0);
  fake().clear();
}

// Page "IDirect3DDevice8::CopyRects": between pools of all kinds; the driver copies where it has one of the surfaces.
TEST_CASE(copies) {
  const Device8Test device;
  IDirect3DSurface8 *image = nullptr, *other = nullptr, *target = nullptr, *level = nullptr;
  IDirect3DTexture8 *texture = nullptr;
  device->CreateImageSurface(64, 64, D3DFMT_X8R8G8B8, &image);
  device->CreateImageSurface(64, 64, D3DFMT_X8R8G8B8, &other);
  device->CreateRenderTarget(64, 64, D3DFMT_X8R8G8B8, D3DMULTISAMPLE_NONE, FALSE, &target);
  device->CreateTexture(64, 64, 2, 0, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT, &texture);
  texture->GetSurfaceLevel(1, &level);
  fake().clear();
  const RECT part{8, 8, 24, 16};
  const POINT to{4, 2};
  EXPECT(device->CopyRects(image, &part, 1, level, &to) == D3D_OK);
  EXPECT(device->CopyRects(target, nullptr, 0, image, nullptr) == D3D_OK);
  EXPECT_CALLS("Blt 1:0 8,8-24,16 to 0:1 4,2-20,10", "Blt 0:0 0,0-64,64 to 1:0 0,0-64,64");
  // Between surfaces of the program's memory the driver only learns of the locks.
  D3DLOCKED_RECT locked{};
  image->LockRect(&locked, nullptr, 0);
  static_cast<DWORD *>(locked.pBits)[8 * 64 + 9] = 0x123456;
  image->UnlockRect();
  fake().clear();
  EXPECT(device->CopyRects(image, &part, 1, other, &to) == D3D_OK);
  EXPECT(countOf(calls(), "Blt") == 0);
  other->LockRect(&locked, nullptr, D3DLOCK_READONLY);
  EXPECT(static_cast<DWORD *>(locked.pBits)[2 * 64 + 5] == 0x123456);
  other->UnlockRect();
  EXPECT(device->CopyRects(image, nullptr, 0, image, nullptr) == D3DERR_INVALIDCALL);
  // Samples are combined in a target of their own before they are read.
  IDirect3DSurface8 *samples = nullptr, *combined = nullptr;
  device->CreateRenderTarget(64, 64, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_4_SAMPLES, FALSE, &samples);
  device->CreateImageSurface(64, 64, D3DFMT_A8R8G8B8, &combined);
  fake().clear();
  EXPECT(device->CopyRects(samples, &part, 1, combined, &to) == D3D_OK);
  EXPECT_CALLS("CreateResource format 21 pool 2 64x64x0", "Blt 0:0 0,0-64,64 to 0:0 0,0-64,64",
               "Blt 0:0 8,8-24,16 to 1:0 4,2-20,10", "DestroyResource");
  samples->Release();
  combined->Release();
  for (IUnknown *object :
       {static_cast<IUnknown *>(image), static_cast<IUnknown *>(other), static_cast<IUnknown *>(target),
        static_cast<IUnknown *>(level), static_cast<IUnknown *>(texture)})
    object->Release();
  fake().clear();
}

// test_refcount in Wine's dlls/d3d8/tests/device.c: levels count as their texture does, handles count nothing.
TEST_CASE(references) {
  const Device8Test device;
  const auto count = [](IUnknown *object) {
    object->AddRef();
    return object->Release();
  };
  IDirect3DTexture8 *texture = nullptr;
  IDirect3DBaseTexture8 *bound = nullptr;
  device->CreateTexture(16, 16, 2, 0, D3DFMT_X8R8G8B8, D3DPOOL_MANAGED, &texture);
  EXPECT(count(device.device) == 2);
  IDirect3DSurface8 *level = nullptr;
  texture->GetSurfaceLevel(1, &level);
  EXPECT(count(texture) == 2 && count(level) == 2 && count(device.device) == 2);
  IUnknown *container = nullptr;
  EXPECT(level->GetContainer(IID_IDirect3DTexture8, reinterpret_cast<void **>(&container)) == D3D_OK);
  EXPECT(container == texture);
  container->Release();
  level->Release();
  device->SetTexture(0, texture);
  EXPECT(device->GetTexture(0, &bound) == D3D_OK && bound == texture);
  bound->Release();
  EXPECT(texture->Release() == 0);
  EXPECT(device->GetTexture(0, &bound) == D3D_OK && bound == texture);  // the device keeps it
  device->SetTexture(0, nullptr);
  bound->Release();
  DWORD block = 0, shader = 0;
  const DWORD code[] = {D3DPS_VERSION(1, 1), 1, 0x800F0000, 0xA0E40000, 0xFFFF};
  EXPECT(device->CreateStateBlock(D3DSBT_ALL, &block) == D3D_OK);
  EXPECT(device->CreatePixelShader(code, &shader) == D3D_OK && device->SetPixelShader(shader) == D3D_OK);
  EXPECT(count(device.device) == 1);
  fake().clear();
}
