// SPDX-License-Identifier: MIT
// sharing.exe: makes, shares, opens, composes and closes surfaces of many programs, again and again. In each round
// every producer makes a surface, draws into it and is told to close it; this program opens it, draws with it and
// closes it, alternately before and after its maker. One picture of each round is compared.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "guest-drivers/programs/child.h"
#include "guest-drivers/programs/contents.h"
#include "guest-drivers/programs/painter.h"
#include "guest-drivers/programs/texture.ps.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 160, kHeight = 144;
constexpr uint32_t kFirst = 100;  // cycles, after which nothing may grow

constexpr char kHelp[] =
    "sharing.exe: surfaces of several programs, made, shared, opened, composed and closed. Always through "
    "IDirect3D9Ex;\n"
    "--frames, --draws and --expectation mean nothing here. With --hold it waits for a line after the first hundred "
    "cycles\n"
    "and after the last.\n"
    "  --producers N       programs (default 20)\n"
    "  --cycles N          cycles of all of them together (default 2000)\n"
    "  --other PROGRAM     every second one is this: producer.exe for the other kind of processor";

class Sharing {
public:
  explicit Sharing(IDirect3DDevice9 *device) : device_(device) {}

  bool create(const Options &options) {
    char own[MAX_PATH], arguments[32];
    if (!neighbour("producer", own, sizeof own)) return false;
    std::snprintf(arguments, sizeof arguments, "waves %ux%u", kWidth, kHeight);
    // One after the other: the number of programs that may start before the first has made its device is limited.
    for (uint32_t i = 0; i < options.producers; ++i) {
      producers_.push_back(std::make_unique<Child>());
      if (!producers_.back()->start(options.other && i % 2 ? options.other : own, arguments)) return false;
    }
    char text[32];
    for (const auto &producer : producers_)  // the first surface is not one of the cycles
      if (!producer->hear("surface", text, sizeof text) || !producer->tell("close") ||
          !producer->hear("closed", nullptr, 0))
        return false;
    return painter_.create(device_) &&
           ok(device_->CreatePixelShader(reinterpret_cast<const DWORD *>(texturePs), shader_.put()),
              "CreatePixelShader") &&
           ok(device_->CreateTexture(kWidth, kHeight, 1, D3DUSAGE_RENDERTARGET, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT,
                                     composed_.put(), nullptr),
              "CreateTexture(RENDERTARGET)");
  }

  /** Runs one cycle of each producer. */
  bool round(uint32_t number) {
    std::vector<ComPtr<IDirect3DTexture9>> opened(producers_.size());
    const uint32_t checked = number % static_cast<uint32_t>(producers_.size());
    for (const auto &producer : producers_)
      if (!producer->tell("new") || !producer->tell("draw %u", number)) return false;
    for (size_t i = 0; i < producers_.size(); ++i)
      if (!open(*producers_[i], &opened[i])) return false;
    for (size_t i = 0; i < opened.size(); ++i)
      if (!compose(opened[i].get()) || (i == checked && !compare(number))) return false;
    const auto closeOurs = [&] {
      opened.clear();
      return painter_.texture(0, nullptr) && finish(device_);
    };
    const auto closeTheirs = [&] {
      for (const auto &producer : producers_)
        if (!producer->tell("close")) return false;
      for (const auto &producer : producers_)
        if (!producer->hear("closed", nullptr, 0)) return false;
      return true;
    };
    return number % 2 ? closeOurs() && closeTheirs() : closeTheirs() && closeOurs();
  }

  bool finishProducers() {
    bool right = true;
    for (const auto &producer : producers_) right = producer->finish() && right;
    return right;
  }

private:
  bool open(Child &producer, ComPtr<IDirect3DTexture9> *texture) {
    char text[32];
    if (!producer.hear("surface", text, sizeof text)) return false;
    HANDLE handle = reinterpret_cast<HANDLE>(static_cast<uintptr_t>(std::strtoull(text, nullptr, 16)));
    return producer.hear("drawn", nullptr, 0) &&
           ok(device_->CreateTexture(kWidth, kHeight, 1, D3DUSAGE_RENDERTARGET, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT,
                                     texture->put(), &handle),
              "CreateTexture(a program's surface)");
  }

  bool compose(IDirect3DTexture9 *texture) {
    return painter_.begin(composed_.get(), kWidth, kHeight) && painter_.pixelShader(shader_.get()) &&
           painter_.texture(0, texture) && painter_.filter(0, D3DTEXF_POINT) &&
           painter_.quad({0, 0, static_cast<int>(kWidth), static_cast<int>(kHeight)}) && painter_.end();
  }

  bool compare(uint32_t frame) {
    ComPtr<IDirect3DSurface9> surface;
    Picture got;
    return ok(composed_->GetSurfaceLevel(0, surface.put()), "GetSurfaceLevel") &&
           readTarget(device_, surface.get(), &got) &&
           samePicture("sharing: a surface", got, contentPicture(ContentKind::kWaves, kWidth, kHeight, frame),
                       kContentTolerance, false);
  }

  IDirect3DDevice9 *device_;
  Painter painter_;
  ComPtr<IDirect3DPixelShader9> shader_;
  ComPtr<IDirect3DTexture9> composed_;
  std::vector<std::unique_ptr<Child>> producers_;
};

bool cycles(Sharing &sharing, const Options &options) {
  bool first = true;
  uint32_t done = 0;
  const double start = now();
  for (uint32_t round = 0; done < options.cycles; ++round) {
    if (!sharing.round(round)) return false;
    done += options.producers;
    takeMessages();
    if (!first || done < kFirst) continue;
    first = false;
    std::printf("cycles %u\n", done);
    if (options.hold) holdPicture();
  }
  std::printf("all cycles %u in %.1f s\n", done, now() - start);
  if (options.hold) holdPicture();
  return true;
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "sharing", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  Window window;
  Device device;
  if (!openDevice(options, kWidth, kHeight, &window, &device)) return 1;
  Sharing sharing(device.device.get());
  if (!sharing.create(options) || !cycles(sharing, options) || !sharing.finishProducers()) return 1;
  std::printf("sharing: ok cycles=%u producers=%u\n", options.cycles, options.producers);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
