// SPDX-License-Identifier: MIT
// flip11.exe: Direct3D 11 on the full screen. A swap chain of two buffers goes from its window to the full screen and
// back, flips there, and changes the display's mode; a second one begins on the full screen. Each frame has its own
// colour and its number as eight bars. What the screen shows is asked of whoever started the program, on standard
// output: `look N size=WxH X,Y=RRGGBB ...`, which standard input answers with `yes` or something else.
//
//   flip11.exe [--rgba]     --rgba: in R8G8B8A8, which the driver does not scan out, so that frames are copied
#include <cstdio>
#include <cstring>
#include <string>

#include "guest-drivers/programs/fail.h"
#include "testbed/programs/stages11.h"

namespace programs {
namespace {

constexpr UINT kWidth = 800, kHeight = 600, kX = 40, kY = 30;  // the window, and the first mode
constexpr UINT kOtherWidth = 640, kOtherHeight = 480;          // the other modes
constexpr UINT kBars = 8;
constexpr uint32_t kZero = argb(255, 0, 0, 0), kOne = argb(255, 255, 255, 255);

/** The colour of a frame; consecutive frames differ in every channel. */
uint32_t colourOf(UINT frame) {
  return argb(255, frame * 83 % 256, 255 - frame * 47 % 256, 64 + frame * 29 % 128);
}

bool isOne(UINT frame, UINT bar) {
  return frame >> bar & 1;
}

class Flips {
public:
  explicit Flips(DXGI_FORMAT format) : format_(format) {}

  bool create() {
    const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
    std::vector<Vertex11> corners;
    for (UINT bar = 0; bar < kBars; ++bar)
      appendRectangle(corners, left(bar) - 0.5f, 0.5f, left(bar + 1) - 0.5f, 1.5f, 0.5f);
    ComPtr<IDXGIDevice> dxgi;
    ComPtr<IDXGIAdapter> adapter;
    return ok(D3D11CreateDevice(nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, D3D11_CREATE_DEVICE_BGRA_SUPPORT, levels, 3,
                                D3D11_SDK_VERSION, device_.put(), nullptr, context_.put()),
              "D3D11CreateDevice") &&
           ok(device_->QueryInterface(__uuidof(IDXGIDevice), reinterpret_cast<void **>(dxgi.put())),
              "QueryInterface") &&
           ok(dxgi->GetAdapter(adapter.put()), "GetAdapter") &&
           ok(adapter->GetParent(__uuidof(IDXGIFactory), reinterpret_cast<void **>(factory_.put())), "GetParent") &&
           makeBuffer(device_.get(), static_cast<uint32_t>(corners.size() * sizeof corners[0]), D3D11_USAGE_IMMUTABLE,
                      D3D11_BIND_VERTEX_BUFFER, corners.data(), vertices_) &&
           stage_.create(device_.get()) && plain_.createPlain(device_.get()) &&
           !factory_->MakeWindowAssociation(nullptr, DXGI_MWA_NO_ALT_ENTER | DXGI_MWA_NO_WINDOW_CHANGES);
  }

  /** From the window to the full screen, through modes, and back. */
  bool runWindow() {
    Window window;
    ComPtr<IDXGIOutput> output, target;
    WINBOOL full = TRUE;
    return window.open(kX, kY, kWidth, kHeight) && makeChain(window.handle(), kWidth, kHeight, true) && frame() &&
           lookAtWindow() &&
           // The buffers were not made for the screen: frames are copied.
           ok(chain_->SetFullscreenState(TRUE, nullptr), "SetFullscreenState(TRUE)") && isFull(true) &&
           frames(3, kWidth, kHeight) && ok(chain_->GetContainingOutput(output.put()), "GetContainingOutput") &&
           ok(chain_->GetFullscreenState(&full, target.put()), "GetFullscreenState") &&
           (output.get() == target.get() || fail("the full screen is not on the containing output")) &&
           resize(kWidth, kHeight) && frames(5, kWidth, kHeight) &&
           // Another mode: stretched at first.
           changeMode(kOtherWidth, kOtherHeight) && frames(2, kOtherWidth, kOtherHeight) &&
           resize(kOtherWidth, kOtherHeight) && frames(4, kOtherWidth, kOtherHeight) &&
           ok(chain_->SetFullscreenState(FALSE, nullptr), "SetFullscreenState(FALSE)") && isFull(false) &&
           (chain_->SetFullscreenState(FALSE, target.get()) == DXGI_ERROR_INVALID_CALL ||
            fail("SetFullscreenState(FALSE) takes an output")) &&
           resize(kWidth, kHeight) && frame() && lookAtWindow() && close();
  }

  /** Begins on the full screen, and loses the window. */
  bool runFullScreen() {
    Window window;
    if (!window.open(kX, kY, kOtherWidth, kOtherHeight) ||
        !makeChain(window.handle(), kOtherWidth, kOtherHeight, false) || !isFull(true) ||
        !frames(3, kOtherWidth, kOtherHeight))
      return false;
    ShowWindow(window.handle(), SW_MINIMIZE);
    const HRESULT result = chain_->Present(1, 0);
    return (result == DXGI_STATUS_OCCLUDED || fail("Present of a hidden window gave 0x%08lx", result)) &&
           isFull(false) && look("size=1024x768") && close();
  }

private:
  static float left(UINT bar) { return static_cast<float>(bar + 1) / (kBars + 2); }

  bool makeChain(HWND window, UINT width, UINT height, bool windowed) {
    DXGI_SWAP_CHAIN_DESC description = swapChainOf(window, width, height);
    description.BufferDesc.Format = format_;
    description.BufferCount = 2;
    description.Windowed = windowed;
    description.SwapEffect = DXGI_SWAP_EFFECT_SEQUENTIAL;
    description.Flags = DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH;
    const HRESULT result = factory_->CreateSwapChain(device_.get(), &description, chain_.put());
    return (result == S_OK || fail("CreateSwapChain gave 0x%08lx", result)) && takeBuffer();
  }
  bool takeBuffer() {
    ComPtr<ID3D11Texture2D> buffer;
    D3D11_TEXTURE2D_DESC description{};
    if (!ok(chain_->GetBuffer(0, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(buffer.put())), "GetBuffer") ||
        !ok(device_->CreateRenderTargetView(buffer.get(), nullptr, view_.put()), "CreateRenderTargetView"))
      return false;
    buffer->GetDesc(&description);
    width_ = description.Width;
    height_ = description.Height;
    return true;
  }
  bool resize(UINT width, UINT height) {
    context_->ClearState();
    view_.reset();
    return ok(chain_->ResizeBuffers(2, width, height, DXGI_FORMAT_UNKNOWN, DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH),
              "ResizeBuffers") &&
           takeBuffer();
  }
  bool changeMode(UINT width, UINT height) {
    ComPtr<IDXGIOutput> output;
    DXGI_MODE_DESC wanted{}, mode{};
    wanted.Width = width;
    wanted.Height = height;
    wanted.Format = format_;
    return ok(chain_->GetContainingOutput(output.put()), "GetContainingOutput") &&
           ok(output->FindClosestMatchingMode(&wanted, &mode, nullptr), "FindClosestMatchingMode") &&
           ((mode.Width == width && mode.Height == height) || fail("there is no mode of %ux%u", width, height)) &&
           ok(chain_->ResizeTarget(&mode), "ResizeTarget");
  }
  bool close() {
    context_->ClearState();
    view_.reset();
    chain_.reset();
    return ok(device_->GetDeviceRemovedReason(), "GetDeviceRemovedReason");
  }
  bool isFull(bool expected) {
    WINBOOL full = !expected;
    DXGI_SWAP_CHAIN_DESC description{};
    return ok(chain_->GetFullscreenState(&full, nullptr), "GetFullscreenState") &&
           ok(chain_->GetDesc(&description), "GetDesc") &&
           ((!full == !expected && !description.Windowed == expected) ||
            fail("the chain is %s", full ? "on the full screen" : "in a window"));
  }

  bool frame() {
    takeMessages();
    ID3D11RenderTargetView *view = view_.get();
    ++frame_;
    context_->ClearState();
    clearTarget(context_.get(), view, colourOf(frame_));
    // A target of 1x3: the bars are its middle third.
    stage_.bind(context_.get(), vertices_.get(), 1, 3);
    const D3D11_VIEWPORT viewport = {0, 0, static_cast<float>(width_), static_cast<float>(height_), 0, 1};
    context_->RSSetViewports(1, &viewport);
    plain_.bind(context_.get());
    context_->OMSetRenderTargets(1, &view, nullptr);
    for (UINT bar = 0; bar < kBars; ++bar) {
      const std::array<float, 4> colour = rgbaOf(isOne(frame_, bar) ? kOne : kZero);
      float values[8] = {};
      std::memcpy(values, colour.data(), sizeof colour);
      if (!plain_.setConstants(context_.get(), values)) return false;
      context_->Draw(6, 6 * bar);
    }
    const HRESULT result = chain_->Present(1, 0);
    return result == S_OK || fail("Present gave 0x%08lx", result);
  }
  /** Shows frames on a screen of this size, and looks at each. */
  bool frames(UINT count, UINT width, UINT height) {
    for (UINT i = 0; i < count; ++i)
      if (!frame() || !look("size=%ux%u", width, height, 0, 0, width, height)) return false;
    return true;
  }
  bool lookAtWindow() { return look("size=%ux%u", 1024, 768, kX, kY, kWidth, kHeight); }

  /** Has the last frame looked for at a place of the screen: its corners, and the middle of each bar. */
  bool look(const char *size, UINT screenWidth, UINT screenHeight, UINT x, UINT y, UINT width, UINT height) {
    char text[96];
    std::snprintf(text, sizeof text, size, screenWidth, screenHeight);
    std::string what = text;
    const auto add = [&](UINT atX, UINT atY, uint32_t colour) {
      std::snprintf(text, sizeof text, " %u,%u=%06x", x + atX, y + atY, colour & 0xFFFFFF);
      what += text;
    };
    add(0, 0, colourOf(frame_));
    add(width - 1, height - 1, colourOf(frame_));
    for (UINT bar = 0; bar < kBars; ++bar)
      add(static_cast<UINT>((static_cast<double>(left(bar)) + 0.5 / (kBars + 2)) * width), height / 2,
          isOne(frame_, bar) ? kOne : kZero);
    return look(what.c_str());
  }
  bool look(const char *what) {
    std::printf("look %u %s\n", ++looks_, what);
    char answer[16]{};
    return (std::fgets(answer, sizeof answer, stdin) && std::strncmp(answer, "yes", 3) == 0) ||
           fail("the screen does not show %s", what);
  }

  const DXGI_FORMAT format_;
  ComPtr<ID3D11Device> device_;
  ComPtr<ID3D11DeviceContext> context_;
  ComPtr<IDXGIFactory> factory_;
  ComPtr<ID3D11Buffer> vertices_;
  VertexStage stage_;
  PixelStage plain_;
  ComPtr<IDXGISwapChain> chain_;
  ComPtr<ID3D11RenderTargetView> view_;
  UINT width_ = 0, height_ = 0, frame_ = 0, looks_ = 0;
};

int run(int argc, char **argv) {
  speaker = "flip11";
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const bool rgba = argc == 2 && std::strcmp(argv[1], "--rgba") == 0;
  if (argc > 1 && !rgba) {
    fail("what is '%s'?", argv[1]);
    return 2;
  }
  Flips flips(rgba ? DXGI_FORMAT_R8G8B8A8_UNORM : DXGI_FORMAT_B8G8R8A8_UNORM);
  const bool right = flips.create() && flips.runWindow() && flips.runFullScreen();
  std::printf("flip11: %s\n", right ? "ok" : "not ok");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
