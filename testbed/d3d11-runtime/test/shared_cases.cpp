// SPDX-License-Identifier: MIT
// IDXGIResource, and resources that devices share.
#include <algorithm>

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

/// True if these are the beginnings of the calls.
bool begin(const std::vector<std::string> &calls, std::initializer_list<const char *> rows) {
  return std::equal(calls.begin(), calls.end(), rows.begin(), rows.end(),
                    [](const std::string &call, const char *row) { return call.rfind(row, 0) == 0; });
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
                "kmt CreateAllocation count 1 resource 1 shared 1 runtime data 52"}));
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

TEST_CASE(keyedMutexes) {
  for (const char *version : {"a0006", static_cast<const char *>(nullptr)}) {
    TestDevice device(version ? D3D_FEATURE_LEVEL_10_0 : D3D_FEATURE_LEVEL_11_0, version);
    D3D11_TEXTURE2D_DESC description = sharedTexture(), found{};
    description.MiscFlags = D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX;
    Com<ID3D11Texture2D> texture, opened;
    Com<IDXGIResource> resource;
    Com<IDXGIKeyedMutex> mutex, other;
    EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
    EXPECT(calls(true) ==
           std::vector<std::string>(
               {"kmt CreateKeyedMutex key 0",
                "CreateResource kind 3 64x32 format 87 usage 0 bind 0x20 map 0x0 levels 1 data 0 misc 0x2 object",
                "kmt CreateAllocation count 1 resource 1 shared 1 runtime data 52"}));
    query(texture.get(), mutex);
    query(texture.get(), resource);
    HANDLE handle = nullptr;
    EXPECT(resource->GetSharedHandle(&handle) == S_OK && openTexture(device.device, handle, opened) == S_OK);
    EXPECT(begin(calls(true), {"kmt OpenResource", "kmt OpenKeyedMutex", "OpenResource allocations 1"}));
    opened->GetDesc(&found);
    EXPECT(found.MiscFlags == D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX);
    query(opened.get(), other);
    // Another key, no key of its own, and twice by one device.
    EXPECT(mutex->AcquireSync(1, 20) == static_cast<HRESULT>(WAIT_TIMEOUT) && mutex->ReleaseSync(0) == E_FAIL);
    EXPECT(mutex->AcquireSync(0, INFINITE) == S_OK);
    EXPECT(calls(true) == std::vector<std::string>({"kmt AcquireKeyedMutex key 1 timeout -200000",
                                                    "kmt AcquireKeyedMutex key 0 timeout 1"}));
    EXPECT(mutex->AcquireSync(0, 0) == E_FAIL && other->AcquireSync(0, 0) == E_FAIL && other->ReleaseSync(1) == E_FAIL);
    EXPECT(calls(true).empty());
    // The release takes the texture from the pipeline and submits.
    Com<ID3D11RenderTargetView> view, bound;
    EXPECT(device->CreateRenderTargetView(texture.get(), nullptr, view.put()) == S_OK);
    ID3D11RenderTargetView *target = view.get();
    device.context->OMSetRenderTargets(1, &target, nullptr);
    calls(true);
    EXPECT(mutex->ReleaseSync(~0ull) == S_OK);
    EXPECT(begin(calls(true), {"SetRenderTargets 1 0 none", "Flush", "kmt Render ",
                               "kmt ReleaseKeyedMutex key 18446744073709551615 fence 1"}));
    device.context->OMGetRenderTargets(1, bound.put(), nullptr);
    EXPECT(!bound.get());
    EXPECT(other->AcquireSync(~0ull, 0) == S_OK && other->ReleaseSync(7) == S_OK);
    EXPECT(begin(calls(true), {"kmt AcquireKeyedMutex key 18446744073709551615 timeout 0", "Flush", "kmt Render ",
                               "kmt ReleaseKeyedMutex key 7 fence 2"}));
    fake().misbehave("abandoned mutex");
    EXPECT(mutex->AcquireSync(7, 0) == static_cast<HRESULT>(WAIT_ABANDONED) && mutex->ReleaseSync(0) == E_FAIL);
    fake().misbehave(nullptr);
    view.reset();
    other.reset();
    calls(true);
    opened.reset();
    EXPECT(calls(true) == std::vector<std::string>(
                              {"DestroyResource object", "kmt DestroyAllocation resource", "kmt DestroyKeyedMutex"}));
  }
  // Nothing of the kind has a texture that is shared without one.
  TestDevice device;
  Com<ID3D11Texture2D> texture;
  Com<IDXGIKeyedMutex> mutex;
  D3D11_TEXTURE2D_DESC description = sharedTexture();
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == S_OK);
  EXPECT(texture->QueryInterface(__uuidof(IDXGIKeyedMutex), reinterpret_cast<void **>(mutex.put())) == E_NOINTERFACE);
  description.MiscFlags = D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX | D3D11_RESOURCE_MISC_GDI_COMPATIBLE;
  EXPECT(device->CreateTexture2D(&description, nullptr, texture.put()) == E_INVALIDARG);
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
