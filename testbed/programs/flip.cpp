// SPDX-License-Identifier: MIT
// flip.exe: a full-screen device of 1024x768 with three back buffers that flips; each frame has its own colour and its
// number as sixteen bars.
#include "guest-drivers/programs/scene.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768;
constexpr uint32_t kBars = 16;
constexpr LONG kBarWidth = kWidth / kBars;
constexpr LONG kBarTop = 256, kBarBottom = 512;
constexpr uint32_t kZero = argb(255, 0, 0, 0), kOne = argb(255, 255, 255, 255);

/** Returns the colour of a frame; consecutive frames differ in every channel. */
uint32_t frameColour(uint32_t frame) {
  return argb(255, frame * 83 % 256, 255 - frame * 47 % 256, 64 + frame * 29 % 128);
}

class Flips : public Scene {
public:
  bool create(IDirect3DDevice9 *) override { return true; }

  bool draw(IDirect3DDevice9 *device, uint32_t frame, uint32_t) override {
    if (!ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, frameColour(frame), 1, 0), "Clear")) return false;
    D3DRECT zeros[kBars], ones[kBars];
    DWORD zeroCount = 0, oneCount = 0;
    for (uint32_t bar = 0; bar < kBars; ++bar) {
      const LONG left = static_cast<LONG>(bar) * kBarWidth;
      const D3DRECT rect{left, kBarTop, left + kBarWidth, kBarBottom};
      if (isOne(frame, bar)) {
        ones[oneCount++] = rect;
      } else {
        zeros[zeroCount++] = rect;
      }
    }
    return (!oneCount || ok(device->Clear(oneCount, ones, D3DCLEAR_TARGET, kOne, 1, 0), "Clear(ones)")) &&
           (!zeroCount || ok(device->Clear(zeroCount, zeros, D3DCLEAR_TARGET, kZero, 1, 0), "Clear(zeros)"));
  }

  Picture expectation(uint32_t frame) const override {
    Picture picture(kWidth, kHeight, frameColour(frame));
    for (uint32_t y = kBarTop; y < kBarBottom; ++y)
      for (uint32_t x = 0; x < kWidth; ++x) picture.at(x, y) = isOne(frame, x / kBarWidth) ? kOne : kZero;
    return picture;
  }

private:
  /** True if the bar is set; the leftmost bar is the highest bit of the frame number. */
  static bool isOne(uint32_t frame, uint32_t bar) { return (frame >> (kBars - 1 - bar) & 1) != 0; }
};

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  programs::Flips scene;
  return programs::runScene(
      "flip", "flip.exe: full screen at 1024x768, three back buffers, a colour a frame.", argc, argv,
      {.width = programs::kWidth, .height = programs::kHeight, .backBuffers = 3, .fullScreen = true}, &scene);
}
