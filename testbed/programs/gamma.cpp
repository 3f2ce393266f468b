// SPDX-License-Identifier: MIT
// gamma.exe: a full-screen device of 1024x768 with a gamma ramp, which gets every value of red, green and blue.
#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/scene.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768;
constexpr uint32_t kValues = 256, kColumn = kWidth / kValues, kBand = kHeight / 3;

/** Returns a ramp of a curve for each colour, as brightness sliders make them, with a step in blue. */
D3DGAMMARAMP makeRamp() {
  D3DGAMMARAMP ramp;
  for (uint32_t i = 0; i < kValues; ++i) {
    ramp.red[i] = static_cast<WORD>(i * i * 65535 / (255 * 255));
    ramp.green[i] = static_cast<WORD>(65535 - i * 200);
    ramp.blue[i] = static_cast<WORD>(i < 128 ? i * 100 : 30000 + i * 130);
  }
  return ramp;
}

/** Returns the number of the ramp in eight bits. */
uint32_t shownAs(WORD number) {
  return (static_cast<uint32_t>(number) * 255 + 32767) / 65535;
}

class GammaScene : public Scene {
public:
  bool create(IDirect3DDevice9 *device) override {
    device->SetGammaRamp(0, D3DSGR_NO_CALIBRATION, &m_ramp);
    D3DGAMMARAMP got = {};
    device->GetGammaRamp(0, &got);
    const bool same = std::memcmp(&got, &m_ramp, sizeof got) == 0;
    if (!same) std::printf("GetGammaRamp: another ramp\n");
    return same;
  }

  bool draw(IDirect3DDevice9 *device, uint32_t frame, uint32_t) override {
    for (uint32_t band = 0; band < 3; ++band)
      for (uint32_t value = 0; value < kValues; ++value) {
        const D3DRECT rect{static_cast<LONG>(value * kColumn), static_cast<LONG>(band * kBand),
                           static_cast<LONG>((value + 1) * kColumn), static_cast<LONG>((band + 1) * kBand)};
        if (!ok(device->Clear(1, &rect, D3DCLEAR_TARGET, colour(frame, band, value), 1, 0), "Clear")) return false;
      }
    return true;
  }

  Picture expectation(uint32_t frame) const override { return picture(frame, false); }
  Picture shown(uint32_t frame) const override { return picture(frame, true); }

private:
  static uint32_t colour(uint32_t frame, uint32_t band, uint32_t value) {
    const uint32_t other = (frame * 16 + value / 2) & 255;
    return argb(255, band == 0 ? value : other, band == 1 ? value : other, band == 2 ? value : other);
  }
  Picture picture(uint32_t frame, bool ramped) const {
    Picture out(kWidth, kHeight, 0);
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x) {
        const uint32_t plain = colour(frame, y / kBand, x / kColumn);
        out.at(x, y) = ramped ? argb(255, shownAs(m_ramp.red[plain >> 16 & 255]),
                                     shownAs(m_ramp.green[plain >> 8 & 255]), shownAs(m_ramp.blue[plain & 255]))
                              : plain;
      }
    return out;
  }

  D3DGAMMARAMP m_ramp = makeRamp();
};

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  programs::GammaScene scene;
  return programs::runScene("gamma", "gamma.exe: full screen at 1024x768, through a gamma ramp.", argc, argv,
                            {.width = programs::kWidth, .height = programs::kHeight, .fullScreen = true}, &scene);
}
