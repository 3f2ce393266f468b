// SPDX-License-Identifier: MIT
// save-times: how long savevm and loadvm take for a machine that holds 256 MiB of contents, 2000 textures,
// 500 shaders and 8 spaces, more than for one with renderer=null. Beside it, by turns: what QEMU takes for as
// many bytes of guest memory, and a copy of them. `scripts/save-times` runs it. usage: save-times [ROUNDS]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "aerogpu/d3d9/assembler.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kSpaces = 8, kTextures = 2000, kShaders = 500;
constexpr uint32_t kSide = 256, kRows = 131, kPitch = kSide * 4, kTextureBytes = kPitch * kRows;
constexpr uint64_t kContents = uint64_t{kTextures} * kTextureBytes;

double milliseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

constexpr size_t kMachines = 3;
using Times = std::array<std::vector<double>, kMachines>;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void fill(AeroGpuDev& dev) {
  dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
  dev.startRing({.stride = 80});  // room for a space
  // All textures read the same guest memory; a saved state does not know.
  Bytes texels(kTextureBytes);
  uint32_t word = 1;
  for (size_t at = 0; at < texels.size(); at += 4) {
    word = word * 1664525 + 1013904223;
    std::memcpy(&texels[at], &word, 4);
  }
  dev.qemu.write(kSurfaceGpa, texels);
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, kTextureBytes, 0}};
  const std::vector<uint8_t> table = AeroGpuDev::allocTable(entries);
  uint32_t handle = 0;
  for (uint32_t space = 1; space <= kSpaces; ++space) {
    CommandWriter w;
    const auto submit = [&] {
      dev.waitFence(dev.submit(w, {.table = table, .space = aerogpu_submit_space{space, 0, 0}}));
      if (dev.errorCount() != 0) throw QemuError("the machine cannot be filled: " + dev.qemu.output());
      w.reset();
    };
    for (uint32_t i = 0; i < kTextures / kSpaces; ++i) {
      packets::createTexture(w, {.handle = ++handle,
                                 .format = AEROGPU_FORMAT_B8G8R8A8_UNORM,
                                 .width = kSide,
                                 .height = kRows,
                                 .rowPitch = kPitch,
                                 .allocId = 1});
      packets::dirtyRange(w, handle, 0, kTextureBytes);
    }
    submit();
    for (uint32_t i = space - 1; i < kShaders; i += kSpaces) {
      const auto shader =
          aerogpu::d3d9::assemble("ps_2_0\ndef c0, " + std::to_string(i) + ", 0, 0, 1\nmov oC0, c0\n");
      packets::createShader(w, ++handle, AEROGPU_SHADER_STAGE_PIXEL, shader.tokens);
    }
    submit();
  }
}

void order(AeroGpuDev& dev, const char* command) {
  const std::string answer = dev.qemu.monitor(command);
  if (answer.find("rror") != std::string::npos) throw QemuError(answer);
}

void copy(const Bytes& from) {
  const std::unique_ptr<uint8_t[]> to(new uint8_t[from.size()]);
  std::memcpy(to.get(), from.data(), from.size());
  if (to[from.size() / 2] != from[from.size() / 2]) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  if (rounds <= 0) {
    std::fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
    return 2;
  }
  try {
    const std::vector<std::string> memory = {"-m", "400"};
    StateOnDisk vulkan("renderer=vulkan", memory), null("renderer=null", memory),
        full("renderer=null", memory);
    std::fprintf(stderr, "filling two machines\n");
    fill(vulkan.dev);
    full.dev.qemu.fill(uint64_t{32} << 20, kContents, 0x55);
    const Bytes bytes(kContents, 1);
    Times saves, loads, copies;
    for (int round = 0; round <= rounds; ++round) {
      for (size_t i = 0; i < kMachines; ++i) {
        AeroGpuDev& dev = (i == 0 ? vulkan : i == 1 ? null : full).dev;
        const double save = milliseconds([&] { order(dev, "savevm one"); });
        const double load = milliseconds([&] { order(dev, "loadvm one"); });
        order(dev, "delvm one");
        if (round == 0) continue;  // caches and files are cold
        saves[i].push_back(save);
        loads[i].push_back(load);
      }
      const double copied = milliseconds([&] { copy(bytes); });
      if (round != 0) copies[0].push_back(copied);
      std::fprintf(stderr, "round %d of %d\n", round, rounds);
    }
    const double one = median(copies[0]);
    const auto say = [&](const char* what, const Times& times) {
      const double ours = median(times[0]) - median(times[1]), ram = median(times[2]) - median(times[1]);
      std::printf(
          "%s: %.0f ms over renderer=null (%.0f ms); as many bytes of guest memory %.0f ms, a copy of them "
          "%.0f ms: %.2f and %.2f times\n",
          what, ours, median(times[1]), ram, one, ours / ram, ours / one);
    };
    say("savevm", saves);
    say("loadvm", loads);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "save-times: %s\n", failure.what());
    return 1;
  }
}
