// SPDX-License-Identifier: MIT
// Creation of devices, the choice of an interface, swap chains, and what a misbehaving driver meets.
#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

constexpr FLOAT kColor[4] = {0.25f, 0.5f, 0.75f, 1};
constexpr D3D11_TEXTURE2D_DESC kTarget = {
    64, 32, 1, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_RENDER_TARGET, 0, 0};

bool contains(const std::vector<std::string> &lines, const char *start) {
  for (const std::string &line : lines)
    if (line.rfind(start, 0) == 0) return true;
  return false;
}

/// Creates a device of a level and an interface, clears a target, and ends.
void clearWith(D3D_FEATURE_LEVEL level, const char *interfaceNumber, const char *created) {
  TestDevice device(level, interfaceNumber);
  EXPECT(contains(device.creation, created));
  EXPECT(device->GetFeatureLevel() == level);
  Com<ID3D11Texture2D> texture;
  Com<ID3D11RenderTargetView> view;
  EXPECT(device->CreateTexture2D(&kTarget, nullptr, texture.put()) == S_OK);
  EXPECT(device->CreateRenderTargetView(texture.get(), nullptr, view.put()) == S_OK);
  device.context->ClearRenderTargetView(view.get(), kColor);
  EXPECT_CALLS("CreateResource kind 3 64x32 format 28 usage 0 bind 0x20 map 0x0 levels 1 data 0",
               "CreateRenderTargetView kind 3 format 28 mip 0 slices 0+1 object",
               "ClearRenderTargetView object (0.25 0.5 0.75 1)");
  view.reset();
  texture.reset();
  EXPECT_CALLS("DestroyRenderTargetView object", "DestroyResource object");
}

}  // namespace

TEST_CASE(creation) {
  std::vector<std::string> end;
  {
    TestDevice device;
    static constexpr const char *kRows[] = {"kmt OpenAdapter",
                                            "kmt UMDRIVERNAME version 2",
                                            "OpenAdapter10_2",
                                            "GetSupportedVersions count",
                                            "GetSupportedVersions list",
                                            "GetCaps 130 size 4",
                                            "GetCaps 129 size 4",
                                            "GetCaps 128 size 4",
                                            "kmt CreateDevice",
                                            "CalcPrivateDeviceSize interface 0xb000a version 0x21db1 flags 0x4",
                                            "CreateDevice interface 0xb000a flags 0x4",
                                            "kmt CreateContext hint"};
    bool right = device.creation.size() >= std::size(kRows);
    for (size_t i = 0; right && i < std::size(kRows); ++i) right = device.creation[i].rfind(kRows[i], 0) == 0;
    EXPECT(right);
    if (!right)
      for (const std::string &line : device.creation) std::printf("# %s\n", line.c_str());
    // Looked at before the record is cleared.
    device.context->AddRef();
    device.device->AddRef();
    device.context->Release();
    device.device->Release();
  }
}

TEST_CASE(destruction) {
  const D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_11_0;
  ID3D11Device *device = nullptr;
  ID3D11DeviceContext *context = nullptr;
  EXPECT(createDevice(&level, 1, 0, &device, &context) == S_OK);
  context->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  calls();
  EXPECT(context->Release() == 0);
  EXPECT(device->Release() == 0);
  EXPECT_CALLS("IaSetTopology 0", "SetBlendState none (1 1 1 1) 4294967295", "SetDepthStencilState none 0",
               "SetRasterizerState none", "DestroyRasterizerState object", "DestroyDepthStencilState object",
               "DestroyBlendState object", "Flush", "DestroyDevice", "CloseAdapter");
  EXPECT(fake().alive() == 0);
}

TEST_CASE(interfaces) {
  clearWith(D3D_FEATURE_LEVEL_11_0, "b000a", "CreateDevice interface 0xb000a flags 0x4");
  clearWith(D3D_FEATURE_LEVEL_10_1, "b000a", "CreateDevice interface 0xb000a flags 0x2");
  clearWith(D3D_FEATURE_LEVEL_10_0, "b000a", "CreateDevice interface 0xb000a flags 0x0");
  clearWith(D3D_FEATURE_LEVEL_10_1, "a0007", "CreateDevice interface 0xa0007 flags 0x0");
  clearWith(D3D_FEATURE_LEVEL_10_1, "a0002", "CreateDevice interface 0xa0002 flags 0x0");
  clearWith(D3D_FEATURE_LEVEL_10_0, "a0006", "CreateDevice interface 0xa0006 flags 0x0");
  clearWith(D3D_FEATURE_LEVEL_10_0, "a0001", "CreateDevice interface 0xa0001 flags 0x0");
}

TEST_CASE(olderDrivers) {
  // Without OpenAdapter10_2 there is 10.0 only.
  fake().misbehave("old driver");
  ID3D11Device *device = nullptr;
  const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
  EXPECT(createDevice(levels, 2, 0, &device, nullptr) == DXGI_ERROR_UNSUPPORTED && !device);
  EXPECT(createDevice(levels, 3, 0, &device, nullptr) == S_OK);
  EXPECT(device && device->GetFeatureLevel() == D3D_FEATURE_LEVEL_10_0);
  if (device) device->Release();
  // Versions without the extended formats have no BGRA.
  fake().misbehave("plain versions");
  EXPECT(createDevice(levels, 3, 0, &device, nullptr) == S_OK);
  if (!device) return;
  EXPECT(device->GetFeatureLevel() == D3D_FEATURE_LEVEL_10_1);
  UINT support = 0;
  EXPECT(device->CheckFormatSupport(DXGI_FORMAT_B8G8R8A8_UNORM, &support) == E_FAIL);
  D3D11_TEXTURE2D_DESC bgra = kTarget;
  bgra.Format = DXGI_FORMAT_B8G8R8A8_UNORM;
  Com<ID3D11Texture2D> texture;
  EXPECT(device->CreateTexture2D(&bgra, nullptr, texture.put()) == E_INVALIDARG);
  device->Release();
  device = nullptr;
  EXPECT(createDevice(levels, 3, D3D11_CREATE_DEVICE_BGRA_SUPPORT, &device, nullptr) == DXGI_ERROR_UNSUPPORTED);
}

TEST_CASE(formats) {
  TestDevice device;
  UINT support = 0;
  EXPECT(device->CheckFormatSupport(DXGI_FORMAT_R8G8B8A8_UNORM, &support) == S_OK);
  EXPECT((support & D3D11_FORMAT_SUPPORT_RENDER_TARGET) && (support & D3D11_FORMAT_SUPPORT_IA_VERTEX_BUFFER));
  EXPECT(device->CheckFormatSupport(DXGI_FORMAT_B5G6R5_UNORM, &support) == E_FAIL);
  EXPECT(device->CheckFormatSupport(DXGI_FORMAT_B8G8R8A8_UNORM, &support) == S_OK);
  UINT qualities = 7;
  EXPECT(device->CheckMultisampleQualityLevels(DXGI_FORMAT_R8G8B8A8_UNORM, 4, &qualities) == S_OK && qualities == 1);
  EXPECT(device->CheckMultisampleQualityLevels(DXGI_FORMAT_R8G8B8A8_UNORM, 2, &qualities) == S_OK && !qualities);
}

TEST_CASE(notOfferedYet) {
  TestDevice device;
  D3D11_TEXTURE3D_DESC volume = {4, 4, 4, 1, DXGI_FORMAT_R8_UNORM, D3D11_USAGE_DEFAULT, D3D11_BIND_UNORDERED_ACCESS,
                                 0, 0};
  Com<ID3D11Texture3D> texture;
  EXPECT(device->CreateTexture3D(&volume, nullptr, texture.put()) == E_NOTIMPL);
  device.context->HSSetShader(nullptr, nullptr, 0);
  device.context->Dispatch(1, 1, 1);
  EXPECT_CALLS();
}

TEST_CASE(swapChain) {
  TestDevice device;
  const HWND window = makeWindow(200, 100);
  IDXGIFactory1 *factory = nullptr;
  EXPECT(createFactory(&factory) == S_OK);
  Com<IDXGIAdapter1> adapter;
  EXPECT(factory->EnumAdapters1(0, adapter.put()) == S_OK);
  EXPECT(factory->EnumAdapters1(1, adapter.put()) == DXGI_ERROR_NOT_FOUND);
  DXGI_SWAP_CHAIN_DESC description = swapChainOf(window);
  description.BufferCount = 2;
  IDXGISwapChain *chain = nullptr;
  description.BufferDesc.Format = DXGI_FORMAT_R32_FLOAT;
  EXPECT(factory->CreateSwapChain(device.device, &description, &chain) == DXGI_ERROR_INVALID_CALL);
  description.BufferDesc.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  calls();
  EXPECT(factory->CreateSwapChain(device.device, &description, &chain) == S_OK);
  EXPECT_CALLS("CreateResource kind 3 200x100 format 28 usage 0 bind 0xa0 map 0x0 levels 1 data 0",
               "CreateResource kind 3 200x100 format 28 usage 0 bind 0xa0");
  {
    Com<ID3D11Texture2D> buffer;
    Com<IDXGISurface1> surface;
    Com<ID3D11RenderTargetView> view;
    EXPECT(chain->GetBuffer(0, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(buffer.put())) == S_OK);
    EXPECT(chain->GetBuffer(0, __uuidof(IDXGISurface1), reinterpret_cast<void **>(surface.put())) == S_OK);
    EXPECT(chain->GetBuffer(1, __uuidof(IDXGISurface1), reinterpret_cast<void **>(surface.put())) ==
           DXGI_ERROR_INVALID_CALL);
    // Buffers of a swap chain can be cast.
    const D3D11_RENDER_TARGET_VIEW_DESC srgb = {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, D3D11_RTV_DIMENSION_TEXTURE2D, {}};
    EXPECT(device->CreateRenderTargetView(buffer.get(), &srgb, view.put()) == S_OK);
    EXPECT(chain->ResizeBuffers(0, 0, 0, DXGI_FORMAT_UNKNOWN, 0) == DXGI_ERROR_INVALID_CALL);
    calls();
    EXPECT(chain->Present(0, 0) == S_OK);
    const std::vector<std::string> present = calls(true);
    EXPECT(present.size() == 4 && present[0] == "Present blt 1 flip 0 interval 0 surface 1 target 0" &&
           present[1].rfind("kmt Render", 0) == 0 &&
           present[2].rfind("kmt Present blt 0,0-200,100 to 0,0 size 200x100 count 1 source 1", 0) == 0 &&
           present[3] == "RotateResourceIdentities 2");
    for (const std::string &line : present) std::printf("# %s\n", line.c_str());
  }
  calls();
  MoveWindow(window, 0, 0, 120, 90, FALSE);
  EXPECT(chain->ResizeBuffers(1, 0, 0, DXGI_FORMAT_UNKNOWN, 0) == S_OK);
  EXPECT_CALLS("DestroyResource object", "DestroyResource object",
               "CreateResource kind 3 120x90 format 28 usage 0 bind 0xa0");
  UINT presents = 0;
  EXPECT(chain->GetLastPresentCount(&presents) == S_OK && presents == 1);
  EXPECT(chain->Release() == 0);
  EXPECT_CALLS("DestroyResource object");
  adapter.reset();
  factory->Release();
  DestroyWindow(window);
}

TEST_CASE(lostDevice) {
  fake().misbehave("removed");
  TestDevice device;
  EXPECT(device->GetDeviceRemovedReason() == S_OK);
  device.context->Draw(3, 0);
  EXPECT(device->GetDeviceRemovedReason() == DXGI_ERROR_DRIVER_INTERNAL_ERROR);
  calls();
  device.context->Draw(3, 0);
  Com<ID3D11Texture2D> texture;
  EXPECT(device->CreateTexture2D(&kTarget, nullptr, texture.put()) == DXGI_ERROR_DEVICE_REMOVED);
  EXPECT_CALLS();
}

TEST_CASE(failedCreations) {
  fake().misbehave("no memory");
  TestDevice device;
  Com<ID3D11Texture2D> texture;
  EXPECT(device->CreateTexture2D(&kTarget, nullptr, texture.put()) == E_OUTOFMEMORY && !texture.get());
  EXPECT_CALLS("CreateResource");  // no destruction follows
}

TEST_CASE(sizesFromAnotherThread) {
  TestDevice device;
  fake().misbehave("note threads");
  Com<ID3D11Texture2D> textures[8];
  for (Com<ID3D11Texture2D> &texture : textures)
    EXPECT(device->CreateTexture2D(&kTarget, nullptr, texture.put()) == S_OK);
  EXPECT(contains(calls(), "another thread asks"));
}

TEST_CASE(relocation) {
  TestDevice device;
  for (int i = 0; i < 300; ++i) device.context->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_POINTLIST);
  device.context->Draw(1, 0);
  EXPECT(calls().size() == 301);
}

}  // namespace aerogpu::test
