// SPDX-License-Identifier: MIT
// DXGI 1.2, as Windows 7 has it with its Platform Update: IDXGIFactory2 and IDXGISwapChain1.
#include <cstring>

#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

/// A chain of two buffers, 64x32, of the flip model; what SDL 2 asks for.
DXGI_SWAP_CHAIN_DESC1 flipChain() {
  DXGI_SWAP_CHAIN_DESC1 out{};
  out.Width = 64;
  out.Height = 32;
  out.Format = DXGI_FORMAT_B8G8R8A8_UNORM;
  out.SampleDesc.Count = 1;
  out.BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT;
  out.BufferCount = 2;
  out.SwapEffect = DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL;
  return out;
}

/// A device, a window and a factory for chains.
struct Stage {
  Stage() {
    Com<IDXGIFactory1> first;
    EXPECT(createFactory(first.put()) == S_OK);
    EXPECT(first->QueryInterface(__uuidof(IDXGIFactory2), reinterpret_cast<void **>(factory.put())) == S_OK);
  }
  ~Stage() { DestroyWindow(window); }
  HRESULT make(const DXGI_SWAP_CHAIN_DESC1 &description, Com<IDXGISwapChain1> &out, IDXGIOutput *restrictTo = nullptr) {
    return factory->CreateSwapChainForHwnd(device.device, window, &description, nullptr, restrictTo, out.put());
  }

  TestDevice device;
  HWND window = makeWindow(200, 100);
  Com<IDXGIFactory2> factory;
};

}  // namespace

TEST_CASE(whatFactory2DoesNotHave) {
  Stage stage;
  const DXGI_SWAP_CHAIN_DESC1 description = flipChain();
  IDXGISwapChain1 *chain = nullptr;
  DWORD cookie = 0;
  LUID luid{};
  EXPECT(!stage.factory->IsWindowedStereoEnabled());
  EXPECT(stage.factory->CreateSwapChainForComposition(stage.device.device, &description, nullptr, &chain) == E_NOTIMPL);
  EXPECT(stage.factory->CreateSwapChainForCoreWindow(stage.device.device, stage.device.device, &description, nullptr,
                                                     &chain) == E_NOTIMPL);
  EXPECT(stage.factory->GetSharedResourceAdapterLuid(nullptr, &luid) == E_NOTIMPL);
  EXPECT(stage.factory->RegisterOcclusionStatusWindow(stage.window, WM_USER, &cookie) == E_NOTIMPL);
  EXPECT(stage.factory->RegisterStereoStatusEvent(stage.window, &cookie) == E_NOTIMPL);
}

TEST_CASE(chainsOfWindows) {
  Stage stage;
  Com<IDXGISwapChain1> chain;
  const auto refuses = [&](auto change) {
    DXGI_SWAP_CHAIN_DESC1 wrong = flipChain();
    change(wrong);
    return stage.make(wrong, chain) == DXGI_ERROR_INVALID_CALL && !chain.get();
  };
  EXPECT(refuses([](auto &d) { d.Scaling = DXGI_SCALING_NONE; }));
  EXPECT(refuses([](auto &d) { d.Stereo = TRUE; }));
  EXPECT(refuses([](auto &d) { d.AlphaMode = DXGI_ALPHA_MODE_PREMULTIPLIED; }));
  EXPECT(refuses([](auto &d) { d.BufferCount = 1; }));
  EXPECT(refuses([](auto &d) { d.BufferCount = 17; }));
  EXPECT(refuses([](auto &d) { d.SampleDesc.Count = 4; }));
  EXPECT(refuses([](auto &d) { d.Format = DXGI_FORMAT_B8G8R8A8_UNORM_SRGB; }));
  EXPECT(refuses([](auto &d) { d.Format = DXGI_FORMAT_R10G10B10A2_UNORM; }));
  EXPECT(refuses([](auto &d) { d.SwapEffect = DXGI_SWAP_EFFECT_FLIP_DISCARD; }));
  DXGI_SWAP_CHAIN_DESC1 description = flipChain(), found{};
  description.Format = DXGI_FORMAT_BC5_UNORM;
  EXPECT(stage.make(description, chain) == E_INVALIDARG && calls().empty());
  description = flipChain();
  const DXGI_SWAP_CHAIN_FULLSCREEN_DESC wanted = {
      {75, 1}, DXGI_MODE_SCANLINE_ORDER_PROGRESSIVE, DXGI_MODE_SCALING_CENTERED, TRUE};
  DXGI_SWAP_CHAIN_FULLSCREEN_DESC full{};
  EXPECT(stage.factory->CreateSwapChainForHwnd(stage.device.device, nullptr, &description, nullptr, nullptr,
                                               chain.put()) == DXGI_ERROR_INVALID_CALL);
  EXPECT(stage.factory->CreateSwapChainForHwnd(stage.device.device, stage.window, &description, &wanted, nullptr,
                                               chain.put()) == S_OK);
  EXPECT_CALLS("CreateResource kind 3 64x32 format 87 usage 0 bind 0xa0 map 0x0 levels 1 data 0",
               "CreateResource kind 3 64x32");
  HWND window = nullptr;
  EXPECT(chain->GetDesc1(&found) == S_OK && !std::memcmp(&found, &description, sizeof found));
  EXPECT(chain->GetFullscreenDesc(&full) == S_OK && full.RefreshRate.Numerator == 75 && full.Windowed &&
         full.ScanlineOrdering == wanted.ScanlineOrdering && full.Scaling == wanted.Scaling);
  EXPECT(chain->GetHwnd(&window) == S_OK && window == stage.window);
  EXPECT(chain->GetDesc1(nullptr) == E_INVALIDARG && chain->GetFullscreenDesc(nullptr) == E_INVALIDARG);
  EXPECT(!chain->IsTemporaryMonoSupported());
  EXPECT(chain->SetRotation(DXGI_MODE_ROTATION_IDENTITY) == DXGI_ERROR_INVALID_CALL);
  const DXGI_RGBA red = {1, 0, 0, 1}, bright = {1.5F, 0, 0, 1};
  DXGI_RGBA color{};
  EXPECT(chain->GetBackgroundColor(&color) == S_OK && color.r == 0 && color.a == 1);
  EXPECT(chain->SetBackgroundColor(&bright) == E_INVALIDARG && chain->SetBackgroundColor(&red) == S_OK);
  EXPECT(chain->GetBackgroundColor(&color) == S_OK && color.r == 1);
  EXPECT(chain->ResizeBuffers(1, 0, 0, DXGI_FORMAT_UNKNOWN, 0) == DXGI_ERROR_INVALID_CALL);
  Com<ID3D11Texture2D> second;
  EXPECT(chain->GetBuffer(1, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(second.put())) == S_OK);
  second.reset();
  chain.reset();
  // A chain of DXGI 1.0 has the interface too.
  DXGI_SWAP_CHAIN_DESC old = swapChainOf(stage.window);
  Com<IDXGISwapChain> plain;
  EXPECT(stage.factory->CreateSwapChain(stage.device.device, &old, plain.put()) == S_OK);
  EXPECT(plain->QueryInterface(__uuidof(IDXGISwapChain1), reinterpret_cast<void **>(chain.put())) == S_OK);
  EXPECT(chain->GetDesc1(&found) == S_OK && found.AlphaMode == DXGI_ALPHA_MODE_IGNORE && found.Width == 200);
}

TEST_CASE(presentsOfTheFlipModel) {
  Stage stage;
  Com<IDXGISwapChain1> chain;
  Com<ID3D11Texture2D> buffer;
  Com<ID3D11RenderTargetView> view;
  EXPECT(stage.make(flipChain(), chain) == S_OK);
  EXPECT(chain->GetBuffer(0, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(buffer.put())) == S_OK);
  EXPECT(stage.device->CreateRenderTargetView(buffer.get(), nullptr, view.put()) == S_OK);
  ID3D11RenderTargetView *target = view.get();
  stage.device.context->OMSetRenderTargets(1, &target, nullptr);
  calls();
  DXGI_PRESENT_PARAMETERS all{}, part{};
  RECT dirty{0, 0, 8, 8};
  part.DirtyRectsCount = 1;
  part.pDirtyRects = &dirty;
  EXPECT(chain->Present1(0, 0, nullptr) == DXGI_ERROR_INVALID_CALL);
  EXPECT(chain->Present1(0, 0, &part) == DXGI_ERROR_INVALID_CALL);
  EXPECT(chain->Present1(0, DXGI_PRESENT_RESTRICT_TO_OUTPUT, &all) == DXGI_ERROR_INVALID_CALL);
  EXPECT(chain->Present1(0, DXGI_PRESENT_STEREO_PREFER_RIGHT, &all) == DXGI_ERROR_INVALID_CALL);
  EXPECT(calls().empty());
  // A frame that stays the buffer's leaves it bound, another one does not.
  EXPECT(chain->Present1(0, DXGI_PRESENT_DO_NOT_SEQUENCE, &all) == S_OK);
  EXPECT_CALLS("Present blt 1 flip 0 interval 0 surface 1 target 0");
  EXPECT(chain->Present1(0, 0, &all) == S_OK);
  EXPECT_CALLS("Present blt 1 flip 0 interval 0 surface 1 target 0", "SetRenderTargets 1 0 none",
               "RotateResourceIdentities 2");
  Com<ID3D11RenderTargetView> bound;
  stage.device.context->OMGetRenderTargets(1, bound.put(), nullptr);
  EXPECT(!bound.get());
  UINT count = 0;
  EXPECT(chain->GetLastPresentCount(&count) == S_OK && count == 2);
}

TEST_CASE(presentsThatDoNotWait) {
  Stage stage;
  Com<IDXGIDevice1> dxgi;
  UINT latency = 0;
  EXPECT(stage.device->QueryInterface(__uuidof(IDXGIDevice1), reinterpret_cast<void **>(dxgi.put())) == S_OK);
  EXPECT(dxgi->GetMaximumFrameLatency(&latency) == S_OK && latency == 3);
  EXPECT(dxgi->SetMaximumFrameLatency(17) == DXGI_ERROR_INVALID_CALL);
  calls(true);
  EXPECT(dxgi->SetMaximumFrameLatency(2) == S_OK);
  EXPECT(calls(true) == std::vector<std::string>{"kmt SetQueuedLimit 2"});
  Com<IDXGISwapChain1> chain;
  EXPECT(stage.make(flipChain(), chain) == S_OK);
  DXGI_PRESENT_PARAMETERS all{};
  const auto present = [&](UINT interval) { return chain->Present1(interval, DXGI_PRESENT_DO_NOT_WAIT, &all); };
  // One in a refresh; two may be under way, and the fake kernel side shows none.
  EXPECT(present(1) == S_OK);
  EXPECT(present(1) == DXGI_ERROR_WAS_STILL_DRAWING);
  EXPECT(present(0) == S_OK);
  EXPECT(present(0) == DXGI_ERROR_WAS_STILL_DRAWING);
  UINT count = 0;
  EXPECT(chain->GetLastPresentCount(&count) == S_OK && count == 2);
  EXPECT(chain->Present1(1, 0, &all) == S_OK);
}

TEST_CASE(chainsOfOneOutput) {
  Stage stage;
  Com<IDXGIAdapter1> adapter;
  Com<IDXGIOutput> output, found;
  Com<IDXGISwapChain1> chain;
  DXGI_PRESENT_PARAMETERS all{};
  EXPECT(stage.factory->EnumAdapters1(0, adapter.put()) == S_OK && adapter->EnumOutputs(0, output.put()) == S_OK);
  EXPECT(stage.make(flipChain(), chain, output.get()) == S_OK);
  EXPECT(chain->GetRestrictToOutput(found.put()) == S_OK && found.get() == output.get());
  EXPECT(chain->Present1(0, DXGI_PRESENT_RESTRICT_TO_OUTPUT, &all) == S_OK);
}

}  // namespace aerogpu::test
