// SPDX-License-Identifier: MIT
// The side of shared11.exe that is a device of Direct3D 10.1. It fills the texture with one colour, and copies it.
#include <windows.h>

#include <d3d10_1.h>

#include <cstring>

#include "guest-drivers/programs/com_ptr.h"
#include "guest-drivers/programs/fail.h"
#include "guest-drivers/programs/result.h"
#include "testbed/programs/shared11.h"

namespace programs {
namespace {

class Side10 final : public Side {
public:
  /** With d3d10_1.dll, for which mingw-w64 has no library. */
  bool create() {
    const HMODULE module = LoadLibraryA("d3d10_1.dll");
    FARPROC symbol = module ? GetProcAddress(module, "D3D10CreateDevice1") : nullptr;
    if (!symbol) return fail("there is no D3D10CreateDevice1 of d3d10_1.dll");
    decltype(&D3D10CreateDevice1) create = nullptr;
    static_assert(sizeof create == sizeof symbol);
    std::memcpy(&create, &symbol, sizeof create);
    return ok(create(nullptr, D3D10_DRIVER_TYPE_HARDWARE, nullptr, D3D10_CREATE_DEVICE_BGRA_SUPPORT,
                     D3D10_FEATURE_LEVEL_10_1, D3D10_1_SDK_VERSION, device_.put()),
              "D3D10CreateDevice1");
  }
  bool make(DXGI_FORMAT format, HANDLE *handle) override {
    D3D10_TEXTURE2D_DESC description = describe(format);
    description.BindFlags = D3D10_BIND_RENDER_TARGET | D3D10_BIND_SHADER_RESOURCE;
    description.MiscFlags = handle ? UINT{D3D10_RESOURCE_MISC_SHARED} : 0;
    ComPtr<IDXGIResource> resource;
    return ok(device_->CreateTexture2D(&description, nullptr, texture_.put()), "ID3D10Device::CreateTexture2D") &&
           (!handle || (ok(texture_->QueryInterface(__uuidof(IDXGIResource), reinterpret_cast<void **>(resource.put())),
                           "QueryInterface(IDXGIResource)") &&
                        ok(resource->GetSharedHandle(handle), "GetSharedHandle")));
  }
  bool open(DXGI_FORMAT format, HANDLE handle) override {
    D3D10_TEXTURE2D_DESC found{};
    if (!ok(device_->OpenSharedResource(handle, __uuidof(ID3D10Texture2D), reinterpret_cast<void **>(texture_.put())),
            "ID3D10Device::OpenSharedResource"))
      return false;
    texture_->GetDesc(&found);
    return (found.Width == kSharedSize && found.Height == kSharedSize && found.Format == format) ||
           fail("the open texture is %ux%u, format %d", found.Width, found.Height, found.Format);
  }
  bool draw(bool second) override {
    ComPtr<ID3D10RenderTargetView> view;
    const uint32_t colour = second ? kSecondFill : kFirstFill;
    const auto channel = [colour](int shift) { return static_cast<float>(colour >> shift & 255) / 255; };
    const float rgba[4] = {channel(16), channel(8), channel(0), channel(24)};
    if (!ok(device_->CreateRenderTargetView(texture_.get(), nullptr, view.put()), "CreateRenderTargetView"))
      return false;
    device_->ClearRenderTargetView(view.get(), rgba);
    const D3D10_QUERY_DESC description = {D3D10_QUERY_EVENT, 0};
    ComPtr<ID3D10Query> done;
    if (!ok(device_->CreateQuery(&description, done.put()), "ID3D10Device::CreateQuery")) return false;
    done->End();
    device_->Flush();
    HRESULT result = S_FALSE;
    while ((result = done->GetData(nullptr, 0, 0)) == S_FALSE) Sleep(0);
    return ok(result, "ID3D10Query::GetData");
  }
  bool read(Picture &picture) override { return readTexture(texture_.get(), picture); }
  bool drawWith(Picture &picture) override {
    D3D10_TEXTURE2D_DESC description{};
    texture_->GetDesc(&description);
    description = describe(description.Format);
    description.BindFlags = D3D10_BIND_SHADER_RESOURCE;
    ComPtr<ID3D10Texture2D> copy;
    if (!ok(device_->CreateTexture2D(&description, nullptr, copy.put()), "CreateTexture2D of a copy")) return false;
    device_->CopyResource(copy.get(), texture_.get());
    return readTexture(copy.get(), picture);
  }

private:
  static D3D10_TEXTURE2D_DESC describe(DXGI_FORMAT format) {
    return {kSharedSize, kSharedSize, 1, 1, format, {1, 0}, D3D10_USAGE_DEFAULT, 0, 0, 0};
  }
  bool readTexture(ID3D10Texture2D *texture, Picture &picture) {
    D3D10_TEXTURE2D_DESC description{};
    texture->GetDesc(&description);
    const bool blueFirst = description.Format == DXGI_FORMAT_B8G8R8A8_UNORM;
    description = describe(description.Format);
    description.Usage = D3D10_USAGE_STAGING;
    description.CPUAccessFlags = D3D10_CPU_ACCESS_READ;
    ComPtr<ID3D10Texture2D> staging;
    D3D10_MAPPED_TEXTURE2D mapped{};
    if (!ok(device_->CreateTexture2D(&description, nullptr, staging.put()), "CreateTexture2D for reading"))
      return false;
    device_->CopyResource(staging.get(), texture);
    if (!ok(staging->Map(0, D3D10_MAP_READ, 0, &mapped), "ID3D10Texture2D::Map")) return false;
    picture = Picture(kSharedSize, kSharedSize);
    for (uint32_t y = 0; y < kSharedSize; ++y) {
      const auto *row = static_cast<const uint8_t *>(mapped.pData) + size_t{y} * mapped.RowPitch;
      for (uint32_t x = 0; x < kSharedSize; ++x, row += 4)
        picture.at(x, y) = argb(row[3], row[blueFirst ? 2 : 0], row[1], row[blueFirst ? 0 : 2]);
    }
    staging->Unmap(0);
    return true;
  }

  ComPtr<ID3D10Device1> device_;
  ComPtr<ID3D10Texture2D> texture_;
};

}  // namespace

std::unique_ptr<Side> makeSide10() {
  auto side = std::make_unique<Side10>();
  if (!side->create()) return nullptr;
  return side;
}

}  // namespace programs
