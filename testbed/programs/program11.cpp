// SPDX-License-Identifier: MIT
#include "testbed/programs/program11.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/fail.h"

namespace programs {

bool readOptions(int argc, char **argv, Options11 &options) {
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    if (!std::strcmp(name, "--hold")) {
      options.hold = true;
      continue;
    }
    const char *value = i + 1 < argc ? argv[++i] : nullptr;
    if (value && !std::strcmp(name, "--expectation"))
      options.expectation = value;
    else if (!value || std::strcmp(name, "--at") != 0 || std::sscanf(value, "%d,%d", &options.x, &options.y) != 2)
      return fail("what is '%s'?", name);
  }
  return true;
}

DXGI_SWAP_CHAIN_DESC swapChainOf(HWND window, uint32_t width, uint32_t height) {
  DXGI_SWAP_CHAIN_DESC description{};
  description.BufferDesc.Width = width;
  description.BufferDesc.Height = height;
  description.BufferDesc.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  description.SampleDesc.Count = 1;
  description.BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT;
  description.BufferCount = 1;
  description.OutputWindow = window;
  description.Windowed = TRUE;
  return description;
}

bool Shown11::open(const Options11 &options, uint32_t width, uint32_t height) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (!window.open(options.x, options.y, width, height)) return false;
  const DXGI_SWAP_CHAIN_DESC description = swapChainOf(window.handle(), width, height);
  const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
  if (!ok(D3D11CreateDeviceAndSwapChain(nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, 0, levels, 3, D3D11_SDK_VERSION,
                                        &description, chain.put(), device.put(), &level, context.put()),
          "D3D11CreateDeviceAndSwapChain"))
    return false;
  std::printf("level 0x%x\n", level);
  return ok(chain->GetBuffer(0, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(buffer.put())), "GetBuffer") &&
         ok(device->CreateRenderTargetView(buffer.get(), nullptr, view.put()), "CreateRenderTargetView of the buffer");
}

bool Shown11::finish(const Options11 &options, const Picture &expectation) {
  return ok(device->GetDeviceRemovedReason(), "GetDeviceRemovedReason") && finishProgram(options, expectation);
}

bool finishProgram(const Options11 &options, const Picture &expectation) {
  if (options.expectation && !writePpm(options.expectation, expectation)) return false;
  if (options.hold) holdPicture();
  std::printf("%s: ok\n", speaker);
  return true;
}

std::array<float, 4> rgbaOf(uint32_t pixel) {
  const auto channel = [pixel](int shift) { return static_cast<float>(pixel >> shift & 255) / 255; };
  return {channel(16), channel(8), channel(0), channel(24)};
}

void clearTarget(ID3D11DeviceContext *context, ID3D11RenderTargetView *view, uint32_t pixel) {
  context->ClearRenderTargetView(view, rgbaOf(pixel).data());
}

bool makeTarget(ID3D11Device *device, uint32_t width, uint32_t height, ComPtr<ID3D11Texture2D> &texture,
                ComPtr<ID3D11RenderTargetView> &view, uint32_t samples) {
  const D3D11_TEXTURE2D_DESC description = {
      width, height, 1, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {samples, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_RENDER_TARGET,
      0,     0};
  return ok(device->CreateTexture2D(&description, nullptr, texture.put()), "CreateTexture2D of a target") &&
         ok(device->CreateRenderTargetView(texture.get(), nullptr, view.put()), "CreateRenderTargetView");
}

bool readTexture(ID3D11Device *device, ID3D11DeviceContext *context, ID3D11Texture2D *texture, uint32_t subresource,
                 Picture &picture) {
  D3D11_TEXTURE2D_DESC description{};
  texture->GetDesc(&description);
  const uint32_t level = subresource % description.MipLevels;
  description.Width = std::max(1u, description.Width >> level);
  description.Height = std::max(1u, description.Height >> level);
  description.MipLevels = description.ArraySize = 1;
  description.Usage = D3D11_USAGE_STAGING;
  description.BindFlags = description.MiscFlags = 0;
  description.CPUAccessFlags = D3D11_CPU_ACCESS_READ;
  ComPtr<ID3D11Texture2D> staging;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!ok(device->CreateTexture2D(&description, nullptr, staging.put()), "CreateTexture2D for reading")) return false;
  context->CopySubresourceRegion(staging.get(), 0, 0, 0, 0, texture, subresource, nullptr);
  if (!ok(context->Map(staging.get(), 0, D3D11_MAP_READ, 0, &mapped), "Map")) return false;
  picture = Picture(description.Width, description.Height);
  for (UINT y = 0; y < picture.height; ++y) {
    const auto *row = static_cast<const uint8_t *>(mapped.pData) + size_t{y} * mapped.RowPitch;
    for (UINT x = 0; x < picture.width; ++x, row += 4) picture.at(x, y) = argb(row[3], row[0], row[1], row[2]);
  }
  context->Unmap(staging.get(), 0);
  return true;
}

}  // namespace programs
