// SPDX-License-Identifier: MIT
// IDXGIResource, and resources that devices share.
#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

D3D11_TEXTURE2D_DESC sharedTexture() {
  return {64,
          32,
          1,
          1,
          DXGI_FORMAT_B8G8R8A8_UNORM,
          {1, 0},
          D3D11_USAGE_DEFAULT,
          D3D11_BIND_RENDER_TARGET,
          0,
          D3D11_RESOURCE_MISC_SHARED};
}

template <class T, class From> void query(From *object, Com<T> &out) {
  EXPECT(object->QueryInterface(__uuidof(T), reinterpret_cast<void **>(out.put())) == S_OK);
}

HRESULT openTexture(ID3D11Device *device, HANDLE handle, Com<ID3D11Texture2D> &out) {
  return device->OpenSharedResource(handle, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(out.put()));
}

}  // namespace

void shareTextures() {
  ID3D11Device *device = nullptr;
  ID3D11DeviceContext *context = nullptr;
  if (FAILED(createDevice(nullptr, 0, 0, &device, &context))) return;
  const D3D11_TEXTURE2D_DESC description = sharedTexture();
  {
    Com<ID3D11Texture2D> texture, opened;
    Com<IDXGIResource> resource;
    HANDLE handle = nullptr;
    if (SUCCEEDED(device->CreateTexture2D(&description, nullptr, texture.put())) &&
        SUCCEEDED(texture->QueryInterface(__uuidof(IDXGIResource), reinterpret_cast<void **>(resource.put()))) &&
        SUCCEEDED(resource->GetSharedHandle(&handle)))
      openTexture(device, handle, opened);
  }
  context->Flush();
  context->Release();
  device->Release();
}

TEST_CASE(sharedTextures) {
  for (const char *version : {"a0006", static_cast<const char *>(nullptr)}) {
    TestDevice device(version ? D3D_FEATURE_LEVEL_10_0 : D3D_FEATURE_LEVEL_11_0, version);
    D3D11_TEXTURE2D_DESC description = sharedTexture(), found{};
    Com<ID3D11Texture2D> texture, opened;
    Com<IDXGIResource> resource;
    EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
    EXPECT(calls(true) ==
           std::vector<std::string>(
               {"CreateResource kind 3 64x32 format 87 usage 0 bind 0x20 map 0x0 levels 1 data 0 misc 0x2 object",
                "kmt CreateAllocation count 1 resource 1 shared 1 runtime data 48"}));
    query(texture.get(), resource);
    HANDLE handle = nullptr;
    DXGI_USAGE usage = 0;
    EXPECT(resource->GetSharedHandle(&handle) == S_OK && handle);
    EXPECT(resource->GetUsage(&usage) == S_OK && usage == (DXGI_USAGE_SHARED | DXGI_USAGE_RENDER_TARGET_OUTPUT));
    EXPECT(openTexture(device.device, handle, opened) == S_OK && opened.get() != texture.get());
    EXPECT_CALLS("OpenResource allocations 1 with 4 bytes, resource 1 with 0 bytes object");
    opened->GetDesc(&found);
    EXPECT(found.Width == 64 && found.Height == 32 && found.MipLevels == 1 && found.ArraySize == 1 &&
           found.Format == DXGI_FORMAT_B8G8R8A8_UNORM && found.BindFlags == D3D11_BIND_RENDER_TARGET &&
           found.MiscFlags == D3D11_RESOURCE_MISC_SHARED && found.SampleDesc.Count == 1);
    // The runtime closes what it has opened, the driver frees what it has made.
    opened.reset();
    EXPECT(calls(true) == std::vector<std::string>({"DestroyResource object", "kmt DestroyAllocation resource"}));
    resource.reset();
    texture.reset();
    EXPECT(calls(true) == std::vector<std::string>({"DestroyResource object", "kmt DestroyAllocation resource"}));
  }
}

TEST_CASE(whatIsShared) {
  TestDevice device;
  Com<ID3D11Texture2D> texture;
  Com<IDXGIResource> resource;
  HANDLE handle = device.device;
  D3D11_TEXTURE2D_DESC description = sharedTexture();
  description.MipLevels = 2;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == E_INVALIDARG);
  description.MipLevels = 1;
  description.MiscFlags |= D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == E_INVALIDARG);
  description = sharedTexture();
  description.Usage = D3D11_USAGE_DYNAMIC;
  description.BindFlags = D3D11_BIND_SHADER_RESOURCE;
  description.CPUAccessFlags = D3D11_CPU_ACCESS_WRITE;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == E_INVALIDARG);
  description = sharedTexture();
  description.BindFlags = 0;  // for copies
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
  description.MiscFlags = 0;
  description.BindFlags = D3D11_BIND_SHADER_RESOURCE;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
  query(texture.get(), resource);
  EXPECT(resource->GetSharedHandle(&handle) == E_INVALIDARG && !handle);
  EXPECT(resource->GetSharedHandle(nullptr) == E_INVALIDARG);
  EXPECT(openTexture(device.device, nullptr, texture) == E_INVALIDARG);
  EXPECT(FAILED(openTexture(device.device, reinterpret_cast<HANDLE>(UINT_PTR{0x1234}), texture)) && !texture.get());
}

TEST_CASE(resourcesOfDxgi) {
  TestDevice device;
  const D3D11_TEXTURE2D_DESC description = {
      64, 32, 2, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE, 0, 0};
  Com<ID3D11Texture2D> texture;
  Com<IDXGIResource> resource;
  Com<IDXGIObject> object;
  Com<IDXGISurface> surface;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
  query(texture.get(), resource);
  query(texture.get(), object);
  EXPECT(static_cast<IDXGIObject *>(resource.get()) == object.get());
  EXPECT(texture->QueryInterface(__uuidof(IDXGISurface), reinterpret_cast<void **>(surface.put())) == E_NOINTERFACE);
  UINT priority = 0;
  EXPECT(resource->GetEvictionPriority(&priority) == S_OK && priority == DXGI_RESOURCE_PRIORITY_NORMAL);
  calls();
  EXPECT(resource->SetEvictionPriority(DXGI_RESOURCE_PRIORITY_LOW) == S_OK);
  EXPECT(texture->GetEvictionPriority() == DXGI_RESOURCE_PRIORITY_LOW);
  EXPECT_CALLS("another function of DXGI");
}

}  // namespace aerogpu::test
