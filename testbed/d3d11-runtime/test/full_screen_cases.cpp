// SPDX-License-Identifier: MIT
// A swap chain on the full screen. The fake's display has modes of 640x480 and 1024x768.
#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

DXGI_SWAP_CHAIN_DESC chainOf(HWND window, bool windowed) {
  DXGI_SWAP_CHAIN_DESC description = swapChainOf(window);
  description.BufferDesc.Width = 640;
  description.BufferDesc.Height = 480;
  description.BufferDesc.Format = DXGI_FORMAT_B8G8R8A8_UNORM;
  description.BufferCount = 2;
  description.Windowed = windowed;
  description.Flags = DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH;
  return description;
}

bool isFull(IDXGISwapChain *chain) {
  WINBOOL full = FALSE;
  DXGI_SWAP_CHAIN_DESC description{};
  EXPECT(chain->GetFullscreenState(&full, nullptr) == S_OK && chain->GetDesc(&description) == S_OK);
  EXPECT(!full == (description.Windowed != 0));
  return full;
}

/// A chain with its window.
struct Shown {
  Shown(ID3D11Device *device, DXGI_SWAP_CHAIN_DESC (*describe)(HWND, bool), bool windowed)
      : window(makeWindow(200, 100)) {
    DXGI_SWAP_CHAIN_DESC description = describe(window, windowed);
    EXPECT(createFactory(&factory) == S_OK);
    result = factory->CreateSwapChain(device, &description, chain.put());
  }
  ~Shown() {
    chain.reset();
    factory->Release();
    DestroyWindow(window);
  }
  HWND window;
  IDXGIFactory1 *factory = nullptr;
  Com<IDXGISwapChain> chain;
  HRESULT result = S_OK;
};

constexpr const char *kPrimary =
    "CreateResource kind 3 640x480 format 87 usage 0 bind 0xa0 map 0x0 levels 1 data 0 primary flags 0 source 0 mode "
    "640x480 format 87 60/1 Hz";

}  // namespace

void fillScreen() {
  ID3D11Device *device = nullptr;
  ID3D11DeviceContext *context = nullptr;
  if (FAILED(createDevice(nullptr, 0, 0, &device, &context))) return;
  {
    Shown shown(device, chainOf, false);
    if (shown.chain.get()) shown.chain->Present(0, 0);
  }
  context->Release();
  device->Release();
}

TEST_CASE(fullScreenAndBack) {
  TestDevice device;
  Shown shown(device.device, chainOf, true);
  EXPECT(shown.result == S_OK && !isFull(shown.chain.get()));
  EXPECT_CALLS("CreateResource kind 3 640x480 format 87 usage 0 bind 0xa0 map 0x0 levels 1 data 0",
               "CreateResource kind 3 640x480");
  // The buffers are none that can be scanned out: proxies are.
  EXPECT(shown.chain->SetFullscreenState(TRUE, nullptr) == S_OK && isFull(shown.chain.get()));
  EXPECT_CALLS(kPrimary, kPrimary, "SetDisplayMode subresource 0");
  EXPECT(shown.chain->Present(1, 0) == S_OK);
  EXPECT_CALLS("ResourceCopy object object", "Present blt 0 flip 1 interval 1 surface 1 target 0",
               "RotateResourceIdentities 2");
  // New ones can.
  EXPECT(shown.chain->ResizeBuffers(0, 640, 480, DXGI_FORMAT_UNKNOWN, DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH) == S_OK);
  EXPECT_CALLS("DestroyResource object", "DestroyResource object", kPrimary, kPrimary, "DestroyResource object",
               "DestroyResource object", "SetDisplayMode subresource 0");
  EXPECT(shown.chain->Present(2, 0) == S_OK);
  const std::vector<std::string> flip = calls(true);
  EXPECT(flip.size() == 4 && flip[0] == "Present blt 0 flip 1 interval 2 surface 1 target 0" &&
         flip[2] == "kmt Present flip interval 2 count 2" && flip[3] == "RotateResourceIdentities 2");
  EXPECT(shown.chain->SetFullscreenState(FALSE, nullptr) == S_OK && !isFull(shown.chain.get()));
  EXPECT(calls(true) == std::vector<std::string>{"kmt SetVidPnSourceOwner count 0 type 0"});
  EXPECT(shown.chain->Present(0, 0) == S_OK);
  EXPECT_CALLS("Present blt 1 flip 0", "RotateResourceIdentities 2");
  // The buffers still fit.
  EXPECT(shown.chain->SetFullscreenState(TRUE, nullptr) == S_OK);
  EXPECT_CALLS("SetDisplayMode subresource 0");
}

TEST_CASE(beginsOnTheFullScreen) {
  TestDevice device;
  Shown shown(device.device, chainOf, false);
  EXPECT(shown.result == S_OK && isFull(shown.chain.get()));
  EXPECT_CALLS(kPrimary, kPrimary, "SetDisplayMode subresource 0");
  Com<IDXGIOutput> output, target;
  EXPECT(shown.chain->GetContainingOutput(output.put()) == S_OK &&
         shown.chain->GetFullscreenState(nullptr, target.put()) == S_OK && output.get() == target.get());
  EXPECT(shown.chain->SetFullscreenState(FALSE, output.get()) == DXGI_ERROR_INVALID_CALL && isFull(shown.chain.get()));
  // After an odd number of flips each buffer has what the other one was made with.
  EXPECT(shown.chain->Present(0, 0) == S_OK);
  EXPECT_CALLS("Present blt 0 flip 1", "RotateResourceIdentities 2");
  // Another mode: frames are stretched.
  DXGI_MODE_DESC mode{};
  mode.Width = 1024;
  mode.Height = 768;
  EXPECT(shown.chain->ResizeTarget(&mode) == S_OK);
  EXPECT_CALLS("CreateResource kind 3 1024x768 format 87 usage 0 bind 0xa0 map 0x0 levels 1 data 0 primary flags 0",
               "CreateResource kind 3 1024x768", "SetDisplayMode subresource 0");
  EXPECT(shown.chain->Present(0, 0) == S_OK);
  EXPECT_CALLS("Blt to 0,0-1024,768 flags 0x4 rotate 1", "Present blt 0 flip 1", "RotateResourceIdentities 2");
  // A window that is hidden has no full screen.
  ShowWindow(shown.window, SW_MINIMIZE);
  EXPECT(shown.chain->Present(0, 0) == DXGI_STATUS_OCCLUDED && !isFull(shown.chain.get()));
}

TEST_CASE(screensThatTheDriverRefuses) {
  TestDevice device;
  fake().misbehave("no scanout");
  Shown shown(device.device, chainOf, false);
  EXPECT(shown.result == DXGI_STATUS_OCCLUDED && !isFull(shown.chain.get()));
  EXPECT(shown.chain->SetFullscreenState(TRUE, nullptr) == DXGI_ERROR_NOT_CURRENTLY_AVAILABLE);
  fake().misbehave(nullptr);
  calls();
  EXPECT(shown.chain->SetFullscreenState(TRUE, nullptr) == S_OK);
  shown.chain->SetFullscreenState(FALSE, nullptr);
}

TEST_CASE(anotherFormatThanTheScreen) {
  TestDevice device;
  Shown shown(
      device.device,
      [](HWND window, bool windowed) {
        DXGI_SWAP_CHAIN_DESC description = chainOf(window, windowed);
        description.BufferDesc.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
        description.BufferCount = 1;
        return description;
      },
      false);
  EXPECT(shown.result == S_OK && isFull(shown.chain.get()));
  EXPECT_CALLS("CreateResource kind 3 640x480 format 28", kPrimary, kPrimary, "SetDisplayMode subresource 0");
  EXPECT(shown.chain->Present(0, 0) == S_OK);
  EXPECT_CALLS("Blt to 0,0-640,480 flags 0x2 rotate 1", "Present blt 0 flip 1 interval 0 surface 1 target 0");
}

}  // namespace aerogpu::test
