// SPDX-License-Identifier: MIT
// DXGI's factories, adapter, output and surfaces.
#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

bool isSame(const DXGI_MODE_DESC &a, const DXGI_MODE_DESC &b) {
  return a.Width == b.Width && a.Height == b.Height && a.Format == b.Format &&
         a.RefreshRate.Numerator * b.RefreshRate.Denominator == b.RefreshRate.Numerator * a.RefreshRate.Denominator;
}

/// Calls an export of dxgi.dll that makes a factory.
HRESULT make(const char *name, REFIID id, void **out) {
  const FARPROC function = GetProcAddress(GetModuleHandleA("dxgi.dll"), name);
  using Create = HRESULT(WINAPI *)(REFIID id, void **out);
  return function ? reinterpret_cast<Create>(reinterpret_cast<void *>(function))(id, out) : E_FAIL;
}

}  // namespace

TEST_CASE(factories) {
  Com<IDXGIFactory> old, current;
  Com<IDXGIFactory1> factory1;
  Com<IDXGIFactory2> factory2;
  EXPECT(make("CreateDXGIFactory", __uuidof(IDXGIFactory1), reinterpret_cast<void **>(factory1.put())) ==
         E_NOINTERFACE);
  EXPECT(make("CreateDXGIFactory", __uuidof(IDXGIFactory), reinterpret_cast<void **>(old.put())) == S_OK);
  EXPECT(old->QueryInterface(__uuidof(IDXGIFactory1), reinterpret_cast<void **>(factory1.put())) == E_NOINTERFACE);
  // The newer one it is (test_create_factory in Wine's dlls/dxgi/tests/dxgi.c).
  EXPECT(make("CreateDXGIFactory", __uuidof(IDXGIFactory2), reinterpret_cast<void **>(factory2.put())) == S_OK);
  EXPECT(make("CreateDXGIFactory1", __uuidof(IDXGIFactory), reinterpret_cast<void **>(current.put())) == S_OK);
  EXPECT(current->QueryInterface(__uuidof(IDXGIFactory1), reinterpret_cast<void **>(factory1.put())) == S_OK);
}

TEST_CASE(adapterAndModes) {
  IDXGIFactory1 *factory = nullptr;
  EXPECT(createFactory(&factory) == S_OK);
  {
    Com<IDXGIAdapter1> adapter;
    Com<IDXGIOutput> output;
    EXPECT(factory->EnumAdapters1(0, adapter.put()) == S_OK);
    DXGI_ADAPTER_DESC1 about{};
    EXPECT(adapter->GetDesc1(&about) == S_OK && about.VendorId == 0xA3A0 && about.DeviceId == 1 &&
           about.SubSysId == 0x1A3A0);
    LARGE_INTEGER version{};
    EXPECT(adapter->CheckInterfaceSupport(__uuidof(IDXGIDevice), &version) == S_OK);
    EXPECT(adapter->CheckInterfaceSupport(__uuidof(ID3D10Device), nullptr) == S_OK);
    EXPECT(adapter->CheckInterfaceSupport(__uuidof(ID3D11Device), nullptr) == DXGI_ERROR_UNSUPPORTED);
    EXPECT(adapter->EnumOutputs(0, output.put()) == S_OK);
    UINT count = 0;
    EXPECT(output->GetDisplayModeList(DXGI_FORMAT_R8G8B8A8_UNORM, 0, &count, nullptr) == S_OK && count);
    std::vector<DXGI_MODE_DESC> modes(count);
    EXPECT(output->GetDisplayModeList(DXGI_FORMAT_R8G8B8A8_UNORM, 0, &count, modes.data()) == S_OK);
    UINT tooFew = count - 1;
    EXPECT(output->GetDisplayModeList(DXGI_FORMAT_R8G8B8A8_UNORM, 0, &tooFew, modes.data()) == DXGI_ERROR_MORE_DATA);
    DXGI_MODE_DESC wanted{}, found{};
    for (const DXGI_MODE_DESC &mode : modes) {
      wanted = mode;
      EXPECT(output->FindClosestMatchingMode(&wanted, &found, nullptr) == S_OK && isSame(mode, found));
      wanted = {};
      wanted.Width = mode.Width + 1;
      wanted.Height = mode.Height - 1;
      wanted.Format = mode.Format;
      EXPECT(output->FindClosestMatchingMode(&wanted, &found, nullptr) == S_OK && found.Width == mode.Width &&
             found.Height == mode.Height && found.RefreshRate.Numerator && found.ScanlineOrdering);
    }
    // A size of which one half is missing, and a format that no device could tell.
    wanted = modes[0];
    wanted.Width = 0;
    EXPECT(output->FindClosestMatchingMode(&wanted, &found, nullptr) == DXGI_ERROR_INVALID_CALL);
    wanted.Height = 0;
    EXPECT(output->FindClosestMatchingMode(&wanted, &found, nullptr) == S_OK && found.Width && found.Height);
    wanted.Format = DXGI_FORMAT_UNKNOWN;
    EXPECT(output->FindClosestMatchingMode(&wanted, &found, nullptr) == DXGI_ERROR_INVALID_CALL);
    wanted.Format = DXGI_FORMAT_R32_FLOAT;
    EXPECT(output->FindClosestMatchingMode(&wanted, &found, nullptr) == DXGI_ERROR_NOT_FOUND);
  }
  EXPECT(factory->Release() == 0);
  calls();
}

TEST_CASE(surfaces) {
  TestDevice device;
  Com<IDXGIDevice> dxgi;
  EXPECT(device->QueryInterface(__uuidof(IDXGIDevice), reinterpret_cast<void **>(dxgi.put())) == S_OK);
  const DXGI_SURFACE_DESC desc = {64, 32, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}};
  IDXGISurface *made[2] = {};
  EXPECT(dxgi->CreateSurface(&desc, 2, DXGI_USAGE_RENDER_TARGET_OUTPUT, nullptr, made) == S_OK && made[0] && made[1]);
  EXPECT_CALLS("CreateResource kind 3 64x32 format 28 usage 0 bind 0x20 map 0x0 levels 1 data 0",
               "CreateResource kind 3 64x32 format 28 usage 0 bind 0x20");
  Com<IDXGIDevice> parent;
  Com<ID3D11Texture2D> texture;
  EXPECT(made[0]->GetParent(__uuidof(IDXGIDevice), reinterpret_cast<void **>(parent.put())) == S_OK &&
         parent.get() == dxgi.get());
  EXPECT(made[0]->QueryInterface(__uuidof(ID3D11Texture2D), reinterpret_cast<void **>(texture.put())) == S_OK);
  texture.reset();
  for (IDXGISurface *surface : made) EXPECT(surface->Release() == 0);
  EXPECT_CALLS("DestroyResource object", "DestroyResource object");
  EXPECT(dxgi->CreateSurface(nullptr, 1, DXGI_USAGE_RENDER_TARGET_OUTPUT, nullptr, made) == E_INVALIDARG);
  EXPECT(dxgi->CreateSurface(&desc, 1, 0, nullptr, made) == E_INVALIDARG && !made[0]);
}

TEST_CASE(surfacesForGdi) {
  TestDevice device;
  D3D11_TEXTURE2D_DESC description = {64,
                                      32,
                                      1,
                                      1,
                                      DXGI_FORMAT_B8G8R8A8_UNORM,
                                      {1, 0},
                                      D3D11_USAGE_DEFAULT,
                                      D3D11_BIND_RENDER_TARGET,
                                      0,
                                      D3D11_RESOURCE_MISC_GDI_COMPATIBLE};
  Com<ID3D11Texture2D> texture;
  Com<IDXGISurface1> surface;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
  EXPECT(texture->QueryInterface(__uuidof(IDXGISurface1), reinterpret_cast<void **>(surface.put())) == S_OK);
  calls();
  HDC dc = nullptr, second = nullptr;
  EXPECT(surface->ReleaseDC(nullptr) == DXGI_ERROR_INVALID_CALL);
  EXPECT(surface->GetDC(FALSE, &dc) == S_OK && GetObjectType(dc) == OBJ_MEMDC);
  EXPECT_CALLS("CreateResource kind 3 64x32 format 87 usage 3", "ResourceCopy object object", "StagingResourceMap",
               "map 0 type 1", "StagingResourceUnmap", "DestroyResource object");
  EXPECT(surface->GetDC(FALSE, &second) == DXGI_ERROR_INVALID_CALL && !second);
  RECT dirty{8, 4, 100, 16};
  EXPECT(surface->ReleaseDC(&dirty) == S_OK);
  EXPECT_CALLS("ResourceUpdateSubresourceUP object 0 box 8,4,0-64,16,1");
  // What is discarded is not read, and what is not drawn is not written.
  EXPECT(surface->GetDC(TRUE, &dc) == S_OK);
  dirty = {};
  EXPECT(surface->ReleaseDC(&dirty) == S_OK);
  EXPECT(calls().empty());
  surface.reset();
  description.MiscFlags = 0;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
  EXPECT(texture->QueryInterface(__uuidof(IDXGISurface1), reinterpret_cast<void **>(surface.put())) == S_OK);
  EXPECT(surface->GetDC(FALSE, &second) == DXGI_ERROR_INVALID_CALL && !second);
  surface.reset();
  description.MiscFlags = D3D11_RESOURCE_MISC_GDI_COMPATIBLE;
  description.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == E_INVALIDARG);
}

}  // namespace aerogpu::test
