// SPDX-License-Identifier: MIT
#include "testbed/programs/program10.h"

#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/fail.h"

namespace programs {

bool Shown10::open(const Options11 &options, uint32_t width, uint32_t height, DXGI_FORMAT format, UINT flags) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (!window.open(options.x, options.y, width, height)) return false;
  // mingw-w64 has no library for it.
  const HMODULE module = LoadLibraryA("d3d10_1.dll");
  if (!module) return fail("there is no d3d10_1.dll");
  FARPROC symbol = GetProcAddress(module, "D3D10CreateDeviceAndSwapChain1");
  if (!symbol) return fail("d3d10_1.dll has no D3D10CreateDeviceAndSwapChain1");
  decltype(&D3D10CreateDeviceAndSwapChain1) create = nullptr;
  static_assert(sizeof create == sizeof symbol);
  std::memcpy(&create, &symbol, sizeof create);
  DXGI_SWAP_CHAIN_DESC description = swapChainOf(window.handle(), width, height);
  description.BufferDesc.Format = format;
  HRESULT result = E_FAIL;
  for (const D3D10_FEATURE_LEVEL1 level : {D3D10_FEATURE_LEVEL_10_1, D3D10_FEATURE_LEVEL_10_0}) {
    result = create(nullptr, D3D10_DRIVER_TYPE_HARDWARE, nullptr, flags, level, D3D10_1_SDK_VERSION, &description,
                    chain.put(), device.put());
    if (SUCCEEDED(result)) break;
  }
  if (!ok(result, "D3D10CreateDeviceAndSwapChain1")) return false;
  std::printf("level 0x%x\n", device->GetFeatureLevel());
  return ok(chain->GetBuffer(0, __uuidof(ID3D10Texture2D), reinterpret_cast<void **>(buffer.put())), "GetBuffer");
}

bool Shown10::finish(const Options11 &options, const Picture &expectation) {
  return ok(device->GetDeviceRemovedReason(), "GetDeviceRemovedReason") && finishProgram(options, expectation);
}

bool readTexture(ID3D10Device *device, ID3D10Texture2D *texture, Picture &picture) {
  D3D10_TEXTURE2D_DESC description{};
  texture->GetDesc(&description);
  const bool bgra = description.Format == DXGI_FORMAT_B8G8R8A8_UNORM;
  description.Usage = D3D10_USAGE_STAGING;
  description.BindFlags = description.MiscFlags = 0;
  description.CPUAccessFlags = D3D10_CPU_ACCESS_READ;
  ComPtr<ID3D10Texture2D> staging;
  D3D10_MAPPED_TEXTURE2D mapped{};
  if (!ok(device->CreateTexture2D(&description, nullptr, staging.put()), "CreateTexture2D for reading")) return false;
  device->CopyResource(staging.get(), texture);
  if (!ok(staging->Map(0, D3D10_MAP_READ, 0, &mapped), "Map")) return false;
  picture = Picture(description.Width, description.Height);
  for (UINT y = 0; y < picture.height; ++y) {
    const auto *row = static_cast<const uint8_t *>(mapped.pData) + size_t{y} * mapped.RowPitch;
    for (UINT x = 0; x < picture.width; ++x, row += 4)
      picture.at(x, y) = argb(row[3], row[bgra ? 2 : 0], row[1], row[bgra ? 0 : 2]);
  }
  staging->Unmap(0);
  return true;
}

}  // namespace programs
