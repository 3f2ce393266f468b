// SPDX-License-Identifier: MIT
// compositor.exe: a desktop, composed with Direct3D 9Ex. Each window is a separate program (producer.exe) that draws
// into a shared surface; the compositor opens the surfaces and draws wallpaper, shadows, glass over the blurred scene,
// and frames. Full screen, at interval one, with the counts and times of all presents checked.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "guest-drivers/programs/child.h"
#include "guest-drivers/programs/painter.h"
#include "guest-drivers/programs/present_counts.h"
#include "guest-drivers/programs/texture.ps.h"
#include "testbed/programs/blur.ps.h"
#include "testbed/programs/desktop_model.h"
#include "testbed/programs/glass.ps.h"
#include "testbed/programs/reduce.ps.h"

namespace programs {

namespace {

constexpr uint32_t kBackBuffers = 2;
constexpr uint32_t kSmallWidth = kDesktopWidth / kReduce, kSmallHeight = kDesktopHeight / kReduce;

constexpr char kHelp[] =
    "compositor.exe: a desktop at 1024x768 of five programs' windows, by Direct3D 9Ex; all frames' presents "
    "are "
    "checked,\n"
    "and the last picture. --draws, --samples, --ex, --immediate and --at mean nothing here.\n"
    "  --producer PROGRAM  the windows' program, in place of the producer.exe beside this one\n"
    "  --other PROGRAM     two of the windows are this program's: producer.exe for the other kind of "
    "processor";

Box boxOf(const DesktopBox &box) {
  return {box.x, box.y, box.width, box.height};
}

/** Returns where a box of the screen is in a texture that covers the screen. */
Span onScreen(const DesktopBox &box) {
  constexpr float kU = 1.0f / kDesktopWidth, kV = 1.0f / kDesktopHeight;
  return {static_cast<float>(box.x) * kU, static_cast<float>(box.y) * kV, static_cast<float>(box.x + box.width) * kU,
          static_cast<float>(box.y + box.height) * kV};
}

/** A window's program, its surface as opened here, and the still pictures around it. */
struct WindowParts {
  Child program;
  ComPtr<IDirect3DTexture9> surface, glass, frame, shadow;
};

class Compositor {
public:
  explicit Compositor(IDirect3DDevice9 *device) : device_(device) {}

  bool create(const Options &options) {
    char beside[MAX_PATH];
    if (!options.producer && !neighbour("producer", beside, sizeof beside)) return false;
    const char *own = options.producer ? options.producer : beside;
    const char *other = options.other ? options.other : own;
    const int ownBits = programBits(own), otherBits = programBits(other);
    if (!ownBits || !otherBits) return false;
    titles_ = desktopTitles(ownBits, otherBits);
    for (uint32_t i = 0; i < kDesktopWindows; ++i) {
      const DesktopWindow &window = desktopWindows[i];
      char arguments[64];
      std::snprintf(arguments, sizeof arguments, "%s %ux%u", window.kind, window.width, window.height);
      if (!windows_[i].program.start(window.other ? other : own, arguments)) return false;
    }
    const DesktopBox taskbar = taskbarBox();
    if (!painter_.create(device_) || !shaders() || !target(kDesktopWidth, kDesktopHeight, &scene_) ||
        !target(kSmallWidth, kSmallHeight, &small_[0]) || !target(kSmallWidth, kSmallHeight, &small_[1]) ||
        !uploadPicture(device_, wallpaperPicture(), &wallpaper_) ||
        !uploadPicture(device_, glassPicture(taskbar.width, taskbar.height, false), &taskbarGlass_) ||
        !uploadPicture(device_, taskbarPicture(titles_), &taskbar_))
      return false;
    for (uint32_t i = 0; i < kDesktopWindows; ++i)
      if (!openWindow(i)) return false;
    return true;
  }

  /** Makes all programs draw a frame, and composes it when they are done. */
  bool compose(uint32_t frame) {
    char said[32];
    for (WindowParts &window : windows_)
      if (!window.program.tell("draw %u", frame)) return false;
    for (WindowParts &window : windows_) {
      if (!window.program.hear("drawn", said, sizeof said)) return false;
      if (std::strtoul(said, nullptr, 10) != frame) return fail("a program drew frame %s, not %u", said, frame);
    }
    if (!onto(scene_) || !draw(wallpaper_, {0, 0, kDesktopWidth, kDesktopHeight})) return false;
    for (uint32_t i = 0; i < kDesktopWindows; ++i) {
      const WindowParts &window = windows_[i];
      const DesktopBox box = frameBox(i, frame);
      if (!over() || !draw(window.shadow, shadowBox(box)) || !glass(box, window.glass, kWindowTint) ||
          !painter_.opaque() || !draw(window.surface, clientBox(i, frame)) || !over() || !draw(window.frame, box))
        return false;
    }
    return glass(taskbarBox(), taskbarGlass_, kTaskbarTint) && over() && draw(taskbar_, taskbarBox()) &&
           painter_.end() && toBackBuffer();
  }

  /** Ends the programs and reads their last lines. */
  bool finish() {
    bool right = true;
    for (WindowParts &window : windows_) right = window.program.finish() && right;
    return right;
  }

  const std::vector<std::string> &titles() const { return titles_; }

private:
  bool shaders() {
    const struct {
      const uint32_t *code;
      ComPtr<IDirect3DPixelShader9> *shader;
      const char *call;
    } rows[] = {{texturePs, &texture_, "CreatePixelShader(texture)"},
                {reducePs, &reduce_, "CreatePixelShader(reduce)"},
                {blurPs, &blur_, "CreatePixelShader(blur)"},
                {glassPs, &glass_, "CreatePixelShader(glass)"}};
    for (const auto &row : rows)
      if (!ok(device_->CreatePixelShader(reinterpret_cast<const DWORD *>(row.code), row.shader->put()), row.call))
        return false;
    return true;
  }

  bool target(uint32_t width, uint32_t height, ComPtr<IDirect3DTexture9> *texture) {
    return ok(device_->CreateTexture(width, height, 1, D3DUSAGE_RENDERTARGET, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT,
                                     texture->put(), nullptr),
              "CreateTexture(RENDERTARGET)");
  }

  bool openWindow(uint32_t i) {
    WindowParts &window = windows_[i];
    const DesktopWindow &about = desktopWindows[i];
    const DesktopBox box = frameBox(i, 0);
    char text[32];
    if (!window.program.hear("surface", text, sizeof text)) return false;
    HANDLE handle = reinterpret_cast<HANDLE>(static_cast<uintptr_t>(std::strtoull(text, nullptr, 16)));
    return ok(device_->CreateTexture(about.width, about.height, 1, D3DUSAGE_RENDERTARGET, D3DFMT_X8R8G8B8,
                                     D3DPOOL_DEFAULT, window.surface.put(), &handle),
              "CreateTexture(a program's surface)") &&
           uploadPicture(device_, glassPicture(box.width, box.height, true), &window.glass) &&
           uploadPicture(device_, framePicture(i, titles_[i]), &window.frame) &&
           uploadPicture(device_, shadowPicture(box.width, box.height), &window.shadow);
  }

  bool onto(const ComPtr<IDirect3DTexture9> &target) {
    const bool scene = &target == &scene_;
    return painter_.begin(target.get(), scene ? kDesktopWidth : kSmallWidth, scene ? kDesktopHeight : kSmallHeight);
  }

  bool over() { return painter_.blend(D3DBLEND_ONE, D3DBLEND_INVSRCALPHA); }

  /** Draws pixel by pixel. */
  bool draw(const ComPtr<IDirect3DTexture9> &texture, const DesktopBox &box) {
    return painter_.pixelShader(texture_.get()) && painter_.texture(0, texture.get()) &&
           painter_.filter(0, D3DTEXF_POINT) && painter_.quad(boxOf(box));
  }

  /** Draws a pass from one texture to another. */
  bool pass(const ComPtr<IDirect3DTexture9> &from, const ComPtr<IDirect3DTexture9> &to, IDirect3DPixelShader9 *shader,
            const float *constants, UINT count, D3DTEXTUREFILTERTYPE filter) {
    return painter_.end() && onto(to) && painter_.pixelShader(shader) && painter_.texture(0, from.get()) &&
           painter_.filter(0, filter) &&
           ok(device_->SetPixelShaderConstantF(0, constants, count), "SetPixelShaderConstantF") &&
           painter_.quad({0, 0, kSmallWidth, kSmallHeight});
  }

  bool blurPass(const ComPtr<IDirect3DTexture9> &from, const ComPtr<IDirect3DTexture9> &to, float stepX, float stepY) {
    float steps[kBlurReach][4] = {};
    for (int i = 0; i < kBlurReach; ++i) {
      steps[i][0] = stepX * static_cast<float>(i + 1);
      steps[i][1] = stepY * static_cast<float>(i + 1);
    }
    return pass(from, to, blur_.get(), steps[0], kBlurReach, D3DTEXF_POINT);
  }

  bool glass(const DesktopBox &box, const ComPtr<IDirect3DTexture9> &surface, const Tint &tint) {
    constexpr float kU = 1.0f / kDesktopWidth, kV = 1.0f / kDesktopHeight;
    constexpr float kCorners[8] = {kU, kV, 0, 0, kU, -kV, 0, 0};
    return pass(scene_, small_[0], reduce_.get(), kCorners, 2, D3DTEXF_LINEAR) &&
           blurPass(small_[0], small_[1], 1.0f / kSmallWidth, 0) &&
           blurPass(small_[1], small_[0], 0, 1.0f / kSmallHeight) && painter_.end() && onto(scene_) &&
           painter_.blend(D3DBLEND_SRCALPHA, D3DBLEND_INVSRCALPHA) && painter_.pixelShader(glass_.get()) &&
           painter_.texture(0, small_[0].get()) && painter_.texture(1, surface.get()) &&
           painter_.filter(1, D3DTEXF_POINT) &&
           ok(device_->SetPixelShaderConstantF(0, &tint.r, 1), "SetPixelShaderConstantF(tint)") &&
           painter_.quad(boxOf(box), onScreen(box)) && painter_.texture(1, nullptr);
  }

  bool toBackBuffer() {
    ComPtr<IDirect3DSurface9> scene, back;
    return ok(scene_->GetSurfaceLevel(0, scene.put()), "GetSurfaceLevel") &&
           ok(device_->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, back.put()), "GetBackBuffer") &&
           ok(device_->StretchRect(scene.get(), nullptr, back.get(), nullptr, D3DTEXF_NONE), "StretchRect");
  }

  IDirect3DDevice9 *device_;
  Painter painter_;
  ComPtr<IDirect3DPixelShader9> texture_, reduce_, blur_, glass_;
  ComPtr<IDirect3DTexture9> wallpaper_, scene_, small_[2], taskbarGlass_, taskbar_;
  std::vector<std::string> titles_;
  std::array<WindowParts, kDesktopWindows> windows_;
};

bool present(Device &device) {
  return ok(device.deviceEx->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx");
}

bool frames(Device &device, Compositor &compositor, const Options &options) {
  PresentCounts counts;
  if (!counts.begin(device.deviceEx.get())) return false;
  uint32_t frame = 0;
  const double start = now();
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame) {
    if (!compositor.compose(frame) || !present(device) || !counts.step(frame)) return false;
    takeMessages();
  }
  std::printf("frames %u in %.3f s\n", frame, now() - start);
  if (!counts.checkPace(frame, kBackBuffers)) return false;
  // The last frame is composed and read back, then shown.
  const Picture expected = desktopPicture(frame, compositor.titles());
  ComPtr<IDirect3DSurface9> target;
  Picture got;
  if (options.expectation && !writePpm(options.expectation, expected)) return false;
  if (!compositor.compose(frame) ||
      !ok(device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, target.put()), "GetBackBuffer") ||
      !readTarget(device.device.get(), target.get(), &got))
    return false;
  const bool same = samePicture("the desktop", got, expected, kDesktopTolerance, false);
  return present(device) && programs::finish(device.device.get()) && same;
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "compositor", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  options.immediate = false;
  Window window;
  Device device;
  if (!window.open(0, 0, kDesktopWidth, kDesktopHeight) ||
      !device.create(
          options, {.width = kDesktopWidth, .height = kDesktopHeight, .backBuffers = kBackBuffers, .fullScreen = true},
          window.handle()))
    return 1;
  Compositor compositor(device.device.get());
  if (!compositor.create(options) || !frames(device, compositor, options)) return 1;
  if (options.hold) holdPicture();
  if (!compositor.finish()) return 1;
  std::printf("compositor: ok\n");
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
