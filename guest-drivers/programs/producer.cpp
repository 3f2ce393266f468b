// SPDX-License-Identifier: MIT
// producer.exe: a program that draws a window's content into a shared surface and shows nothing itself: the counterpart
// of compositor.exe and of sharing.exe, which start it. It reports on standard output and reads commands from standard
// input:
//
//   surface HANDLE   (said) the shared surface, when there is one or a new one
//   draw N           draws frame N; drawn N is said when the GPU is done with it
//   new              another surface in place of the one that is there
//   close            no surface; closed is said
//
// The end of its input ends it.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guest-drivers/programs/contents_draw.h"

namespace programs {

namespace {

constexpr uint32_t kLeast = 2 * kBubbleSize, kMost = 4096;

class Producer {
public:
  bool open(ContentKind kind, uint32_t width, uint32_t height) {
    width_ = width;
    height_ = height;
    Options options;
    options.ex = true;
    return window_.open(0, 0, 16, 16, false) &&
           device_.create(options, {.width = 16, .height = 16}, window_.handle()) &&
           content_.create(device_.device.get(), kind, width, height) && renew();
  }

  bool command(const char *line) {
    if (std::strcmp(line, "new") == 0) return renew();
    if (std::strcmp(line, "close") == 0) {
      if (!close()) return false;
      std::printf("closed\n");
      return true;
    }
    unsigned frame = 0;
    if (std::sscanf(line, "draw %u", &frame) != 1) return fail("what is '%s'?", line);
    if (!surface_) return fail("there is no surface to draw to");
    if (!content_.draw(surface_.get(), frame) || !finish(device_.device.get())) return false;
    std::printf("drawn %u\n", frame);
    return true;
  }

private:
  /** When this returns the surface is gone, on the device too. */
  bool close() {
    if (!surface_) return true;
    ComPtr<IDirect3DSurface9> back;
    if (!ok(device_->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, back.put()), "GetBackBuffer") ||
        !ok(device_->SetRenderTarget(0, back.get()), "SetRenderTarget"))
      return false;
    surface_.reset();
    return finish(device_.device.get());
  }

  bool renew() {
    HANDLE handle = nullptr;
    if (!close() || !ok(device_->CreateTexture(width_, height_, 1, D3DUSAGE_RENDERTARGET, D3DFMT_X8R8G8B8,
                                               D3DPOOL_DEFAULT, surface_.put(), &handle),
                        "CreateTexture(shared)"))
      return false;
    if (!handle) return fail("CreateTexture(shared) gave no handle: this Direct3D does not share");
    std::printf("surface %" PRIxPTR "\n", reinterpret_cast<uintptr_t>(handle));
    return true;
  }

  uint32_t width_ = 0, height_ = 0;
  Window window_;
  Device device_;
  ContentDrawer content_;
  ComPtr<IDirect3DTexture9> surface_;
};

int run(int argc, char **argv) {
  begin("producer");
  ContentKind kind = ContentKind::kWaves;
  unsigned width = 0, height = 0;
  if (argc != 3 || !contentKind(argv[1], &kind) || std::sscanf(argv[2], "%ux%u", &width, &height) != 2 ||
      width < kLeast || height < kLeast || width > kMost || height > kMost) {
    std::printf(
        "usage: producer.exe torus|waves|bubbles|chart|life WIDTHxHEIGHT (%u to %u); compositor.exe starts it\n",
        kLeast, kMost);
    return 2;
  }
  Producer producer;
  if (!producer.open(kind, width, height)) return 1;
  char line[64];
  while (std::fgets(line, sizeof line, stdin)) {
    line[std::strcspn(line, "\r\n")] = 0;
    if (!producer.command(line)) return 1;
    takeMessages();
  }
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
