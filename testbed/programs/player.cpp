// SPDX-License-Identifier: MIT
// player.exe: shows frames of a video as players do that follow Media Foundation's enhanced video renderer (Microsoft's
// sample EVRPresenter): by Direct3D 9Ex, three swap chains of one window with D3DPRESENTFLAG_VIDEO, one for each sample
// in turn. A frame is a YUY2 surface, which is scaled into the sample's back buffer and presented.
#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 320, kHeight = 240, kSamples = 3;
constexpr D3DFORMAT kVideo = D3DFMT_YUY2;

constexpr char kHelp[] =
    "player.exe: frames of a video in a window, by swap chains that are for video. --draws, --ex and --immediate mean\n"
    "nothing here.";

/** The colours of a pixel in BT.601: 16 to 235 from black to white, 128 for no colour (page "Recommended 8-Bit YUV
 * Formats for Video Rendering"). Wine's own Direct3D is up to 15 of 255 steps off. */
struct Yuv {
  uint32_t y, u, v;
};

/** Returns a pixel of a frame. Two neighbours share U and V. */
Yuv pixelOf(uint32_t frame, uint32_t x, uint32_t y) {
  return {16 + (x + frame * 5) % 220, 40 + (x / 2 + y + frame) % 176, 216 - (y + frame * 3) % 176};
}

uint32_t colourOf(const Yuv &yuv) {
  const double y = (yuv.y - 16.0) / 219, u = (yuv.u - 128.0) / 224, v = (yuv.v - 128.0) / 224;
  return argb(255, unorm8(y + 1.402 * v), unorm8(y - 0.344136 * u - 0.714136 * v), unorm8(y + 1.772 * u));
}

Picture expectation(uint32_t frame) {
  Picture picture(kWidth, kHeight);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) picture.at(x, y) = colourOf(pixelOf(frame, x, y));
  return picture;
}

bool writeFrame(IDirect3DSurface9 *surface, uint32_t frame) {
  D3DLOCKED_RECT locked{};
  if (!ok(surface->LockRect(&locked, nullptr, 0), "LockRect")) return false;
  for (uint32_t y = 0; y < kHeight; ++y) {
    auto *row = static_cast<uint8_t *>(locked.pBits) + static_cast<ptrdiff_t>(y) * locked.Pitch;
    for (uint32_t x = 0; x < kWidth; x += 2) {
      const Yuv left = pixelOf(frame, x, y), right = pixelOf(frame, x + 1, y);
      const uint8_t pair[4] = {static_cast<uint8_t>(left.y), static_cast<uint8_t>(left.u),
                               static_cast<uint8_t>(right.y), static_cast<uint8_t>(left.v)};
      std::memcpy(row + size_t{x} * 2, pair, sizeof pair);
    }
  }
  return ok(surface->UnlockRect(), "UnlockRect");
}

class Player {
public:
  bool create(IDirect3DDevice9 *device, HWND window) {
    m_device = device;
    D3DPRESENT_PARAMETERS parameters{};
    parameters.BackBufferWidth = kWidth;
    parameters.BackBufferHeight = kHeight;
    parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
    parameters.BackBufferCount = 1;
    parameters.SwapEffect = D3DSWAPEFFECT_COPY;
    parameters.hDeviceWindow = window;
    parameters.Windowed = TRUE;
    parameters.Flags = D3DPRESENTFLAG_VIDEO;
    parameters.PresentationInterval = D3DPRESENT_INTERVAL_DEFAULT;
    for (Sample &sample : m_samples) {
      if (!ok(device->CreateAdditionalSwapChain(&parameters, sample.chain.put()), "CreateAdditionalSwapChain(VIDEO)") ||
          !ok(sample.chain->GetBackBuffer(0, D3DBACKBUFFER_TYPE_MONO, sample.buffer.put()), "GetBackBuffer") ||
          !ok(device->ColorFill(sample.buffer.get(), nullptr, argb(255, 0, 0, 0)), "ColorFill"))
        return false;
    }
    return ok(device->CreateOffscreenPlainSurface(kWidth, kHeight, kVideo, D3DPOOL_DEFAULT, m_frame.put(), nullptr),
              "CreateOffscreenPlainSurface(YUY2)");
  }
  bool draw(uint32_t frame) {
    return writeFrame(m_frame.get(), frame) &&
           ok(m_device->StretchRect(m_frame.get(), nullptr, sample(frame).buffer.get(), nullptr, D3DTEXF_LINEAR),
              "StretchRect");
  }
  bool show(uint32_t frame) {
    return ok(sample(frame).chain->Present(nullptr, nullptr, nullptr, nullptr, 0), "Present");
  }
  bool check(uint32_t frame) {
    Picture got;
    return readTarget(m_device, sample(frame).buffer.get(), &got) &&
           samePicture("the frame", got, expectation(frame), 1, false);
  }

private:
  struct Sample {
    ComPtr<IDirect3DSwapChain9> chain;
    ComPtr<IDirect3DSurface9> buffer;
  };

  Sample &sample(uint32_t frame) { return m_samples[frame % kSamples]; }

  IDirect3DDevice9 *m_device = nullptr;
  Sample m_samples[kSamples];
  ComPtr<IDirect3DSurface9> m_frame;
};

bool play(Device &device, HWND window, const Options &options) {
  Player player;
  if (!player.create(device.device.get(), window)) return false;
  uint32_t frame = 0;
  const double start = now();
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame) {
    if (!player.draw(frame) || !player.show(frame)) return false;
    takeMessages();
  }
  if (options.expectation && !writePpm(options.expectation, expectation(frame))) return false;
  return player.draw(frame) && player.check(frame) && player.show(frame) && finish(device.device.get());
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "player", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  Window window;
  Device device;
  if (!openDevice(options, kWidth, kHeight, &window, &device) || !play(device, window.handle(), options)) return 1;
  std::printf("player: ok\n");
  if (options.hold) holdPicture();
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
