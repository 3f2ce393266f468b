// SPDX-License-Identifier: MIT
// Tests a guest's shader that loops for ever, from QEMU's side: while the GPU runs it the monitor answers, a
// reset makes the device usable again, and QEMU can exit.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/test/dxbc_builder.h"
#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using namespace aerogpu::test::dxbc;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kLoop = 0x30, kEndLoop = 0x16, kIadd = 0x1E;  // d3d10TokenizedProgramFormat.hpp
/// llvmpipe ends an invocation's loops after 65535 rounds: this many of them take minutes.
constexpr uint32_t kGroups = 65535;

Tokens endlessCompute() {
  Tokens t;
  op(t, 0x9D, {handle(kUav, 0)});  // dcl_uav_raw
  op(t, 0x68, {{1}});              // dcl_temps
  op(t, 0x9B, {{4, 1, 1}});        // dcl_thread_group
  op(t, kMov, {dst(kTemp, 0, 1), immediate(0)});
  op(t, kLoop, {});
  op(t, kIadd, {dst(kTemp, 0, 1), scalar(kTemp, 0, 0), immediate(1)});
  op(t, kEndLoop, {});
  op(t, 0xA6, {dst(kUav, 0, 1), immediate(0), scalar(kTemp, 0, 0)});  // store_raw
  op(t, kRet, {});
  return container(kCs50, t, {}, {});
}

class Endless : public testing::Test {
protected:
  AeroGpuDev dev{"renderer=vulkan"};

  uint64_t submit() {
    constexpr uint32_t kShader = 1, kBuffer = 2;
    CommandWriter w;
    packets::createShader(w, kShader, AEROGPU_SHADER_STAGE_COMPUTE, endlessCompute());
    packets::createBuffer(w, kBuffer, 64, AEROGPU_RESOURCE_USAGE_STORAGE);
    packets::dispatch(w, kShader, kBuffer, kGroups);
    return dev.submit(w);
  }
  /// Submits the endless shader and waits until the GPU runs it; queries the monitor meanwhile.
  void begin() {
    dev.startRing();
    const uint64_t fence = submit();
    dev.waitUntil([&] { return dev.qemu.property("dispatches") > 0; }, "the dispatch");
    EXPECT_NE(dev.qemu.qmp("query-status").find("running"), std::string::npos);
    EXPECT_LT(dev.completedFence(), fence);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(dev.qemu.property("resting"), 0) << "the GPU is at work";
    EXPECT_EQ(dev.errorCount(), 0u);
  }
};

// PCI-8
TEST_F(Endless, ResetGivesTheDeviceBack) {
  begin();
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  dev.startRing();
  dev.setNextFence(1);
  CommandWriter w;
  packets::createBuffer(w, 2, 64);
  packets::upload(w, 2, 0, pattern(64, 1));
  dev.waitFence(dev.submit(w));
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
}

TEST_F(Endless, QemuEndsMeanwhile) {
  begin();
  // Before QEMU exits it stops the VM, for which it waits two seconds.
  EXPECT_EQ(dev.qemu.quit(), 0) << dev.qemu.output();
}

/// While the GPU works for one program, another one's work waits: in the ring, because the render thread
/// waits for the GPU too.
class EndlessWithSpaces : public testing::Test {
protected:
  static constexpr uint32_t kMaxBatchMs = 100, kShader = 1, kBuffer = 2;

  AeroGpuDev dev{"renderer=vulkan,max_batch_ms=" + std::to_string(kMaxBatchMs)};
  uint64_t looping = 0, streams = 0;  ///< fence; streams that were submitted

  void SetUp() override {
    dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
    dev.startRing({.stride = 80});
  }
  uint64_t submitIn(const CommandWriter& w, aerogpu_submit_space space) {
    return dev.submit(w, {.commandGpa = kSurfaceGpa + 0x10000 * streams++, .space = space});
  }
  void begin(uint32_t space) {
    CommandWriter w;
    packets::createShader(w, kShader, AEROGPU_SHADER_STAGE_COMPUTE, endlessCompute());
    packets::createBuffer(w, kBuffer, 64, AEROGPU_RESOURCE_USAGE_STORAGE);
    // Each fills a slice, and the render thread waits for the last but one.
    for (int i = 0; i < 8; ++i) packets::dispatch(w, kShader, kBuffer, kGroups);
    looping = submitIn(w, {space, 0, 0});
    dev.waitUntil([&] { return dev.qemu.property("dispatches") >= 2; }, "the dispatches");
  }
  uint64_t workOf(uint32_t space) {
    CommandWriter w;
    packets::createBuffer(w, kBuffer, 64);
    return submitIn(w, {space, 0, 0});
  }
  void expectStoppedFor(uint32_t space) {
    const auto begin = std::chrono::steady_clock::now();
    dev.waitFence(workOf(space));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8)) << "alone it has 10 s";
    EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), looping);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
    EXPECT_NE(dev.qemu.output().find("was stopped"), std::string::npos) << dev.qemu.output();
  }
};

// LIM-15
TEST_F(EndlessWithSpaces, IsStoppedForWhatWaitsInTheRing) {
  begin(1);
  expectStoppedFor(2);
}

// LIM-15, SPACE-25
TEST_F(EndlessWithSpaces, IsNotStoppedForWorkOfItsOwnProcessInTheRing) {
  CommandWriter kernel;
  for (const auto& [space, process] : {std::pair{1u, 7u}, {2u, 7u}, {3u, 8u}})
    kernel.packet(aerogpu_cmd_ext_space_process{.space = space, .process = process});
  dev.waitFence(submitIn(kernel, {0, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0}));
  begin(1);
  (void)workOf(2);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10 * kMaxBatchMs);
  while (std::chrono::steady_clock::now() < end) ASSERT_LT(dev.completedFence(), looping);
  expectStoppedFor(3);
}

/// Two programs. One does the heaviest legal work, of a new kind each time; the other one draws a frame after
/// it.
class Beside : public testing::Test {
protected:
  static constexpr uint64_t kHeavyGpa = 0x1000000, kFrameGpa = 0x2000000, kStreamRoom = 0x100000;
  static constexpr uint32_t kSide = 64, kPicture = 10, kHeavyTarget = 10, kHeavyTexture = 11,
                            kHeavySide = 1024;
  static constexpr aerogpu_submit_space kHeavySpace{1, 0, 0}, kFrameSpace{2, 0, 0};

  AeroGpuDev dev{"renderer=vulkan,max_batch_ms=300"};
  std::array<aerogpu_alloc_entry, 1> entries{};
  uint32_t nextShader = 100;

  static std::vector<uint32_t> assembled(const std::string& source) {
    const aerogpu::d3d9::Assembly assembly = aerogpu::d3d9::assemble(source);
    EXPECT_TRUE(assembly.ok()) << assembly.errorText();
    return assembly.tokens;
  }
  /// Draws a triangle over all of the target, from the buffer that usePlainPipeline() makes for `first`.
  static void coverAll(CommandWriter& w, uint32_t first) {
    const float corners[] = {-1, 3, 0, -1, -1, 0, 3, -1, 0};
    packets::upload(w, first, 0, {reinterpret_cast<const uint8_t*>(corners), sizeof corners});
    packets::renderState(w, 22, 1);  // D3DRS_CULLMODE, D3DCULL_NONE
  }
  void SetUp() override {
    dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
    dev.startRing({.stride = 80});
    entries[0] = {.alloc_id = 1, .gpa = kSurfaceGpa, .size_bytes = kSide * kSide * 4};
    CommandWriter heavy, frame;
    packets::createTexture(heavy, {.handle = kHeavyTarget,
                                   .width = kHeavySide,
                                   .height = kHeavySide,
                                   .usage = AEROGPU_RESOURCE_USAGE_RENDER_TARGET});
    packets::createTexture(
        heavy,
        {.handle = kHeavyTexture, .width = 256, .height = 256, .usage = AEROGPU_RESOURCE_USAGE_TEXTURE});
    packets::setTarget(heavy, kHeavyTarget);
    usePlainPipeline(heavy, 1);
    coverAll(heavy, 1);
    packets::setTexture(heavy, 0, kHeavyTexture);
    packets::samplerState(heavy, 0, 10, 16);  // D3DSAMP_MAXANISOTROPY
    packets::createTexture(
        frame,
        {.handle = kPicture, .width = kSide, .height = kSide, .usage = AEROGPU_RESOURCE_USAGE_RENDER_TARGET});
    packets::setTarget(frame, kPicture);
    usePlainPipeline(frame, 1);
    coverAll(frame, 1);
    dev.waitFence(dev.submit(heavy, {.commandGpa = kHeavyGpa, .space = kHeavySpace}));
    dev.waitFence(dev.submit(frame, {.commandGpa = kFrameGpa, .space = kFrameSpace}));
    ASSERT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  }

  /// Returns a shader with the most slots of model 3. `salt` makes it a different program.
  static std::string longest(const std::string& body, uint32_t times, uint32_t salt) {
    std::string code =
        "ps_3_0\ndcl_2d s0\ndef c9, 0.01, 0.02, 0.03, 0." + std::to_string(salt) + "\nmov r0, c9\n";
    for (uint32_t i = 0; i < times; ++i) code += body;
    return code + "mov oC0, r0\n";
  }
  static std::string samples(uint32_t count) {
    std::string code;
    for (uint32_t i = 0; i < count; ++i) code += "texld r1, r0, s0\nadd r0, r0, r1\n";
    for (uint32_t i = 2 * count; i < 508; ++i) code += "mad r0, r0, c9, r1\n";
    return code;
  }
  void use(CommandWriter& w, const std::string& pixel) {
    const uint32_t vs = nextShader++, ps = nextShader++;
    packets::createShader(w, vs, AEROGPU_SHADER_STAGE_VERTEX,
                          assembled("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n"));
    packets::createShader(w, ps, AEROGPU_SHADER_STAGE_PIXEL, assembled(pixel));
    packets::bindShaders(w, vs, ps);
  }
  /// Minutes of work, if nothing stopped it.
  CommandWriter heavyWork(uint32_t kind) {
    CommandWriter w;
    packets::samplerState(w, 0, 6, kind == 0 ? 3 : 2);  // D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC or _LINEAR
    switch (kind) {
      case 0:  // samples, and the whole target repeatedly (llvmpipe generates separate code for each
               // anisotropic sample: only a few.)
        use(w, longest(samples(8), 1, 1));
        for (int i = 0; i < 200; ++i) packets::draw(w, 3);
        break;
      case 1:  // nested loops
        use(w,
            "ps_3_0\ndefi i0, 255, 0, 0, 0\nmov r0, c0\nrep i0\nrep i0\nadd r0, r0, c0\nendrep\nendrep\n"
            "mov oC0, r0\n");
        for (int i = 0; i < 200; ++i) packets::draw(w, 3);
        break;
      default:  // pipelines
        packets::setViewport(w, {0, 0, 1, 1, 0, 1});
        for (uint32_t i = 0; i < 40; ++i) {
          use(w, longest("texld r1, r0, s0\nadd r0, r0, r1\n", 254, 100 + i));
          packets::draw(w, 3);
        }
        packets::setViewport(w, {0, 0, kHeavySide, kHeavySide, 0, 1});
        break;
    }
    return w;
  }
  /// Fills the picture with a colour and writes it to guest memory.
  CommandWriter frameOf(uint8_t level) {
    CommandWriter w;
    packets::clearColor(w, {0, 0, 0});
    const float color[4] = {level / 255.0f, 0, 1, 1};
    packets::setConstantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, color);
    packets::draw(w, 3);
    w.packet(aerogpu_cmd_ext_read_texture{.texture = kPicture,
                                          .width = kSide,
                                          .height = kSide,
                                          .depth = 1,
                                          .dst_alloc_id = 1,
                                          .dst_row_pitch_bytes = kSide * 4});
    return w;
  }
};

/// Each frame is right, and comes long before Windows' time-out of 10 s (install.cmd's TdrDelay).
// LIM-9, LIM-15, LIM-11
TEST_F(Beside, AProgramDrawsOnBesideTheHeaviestLegalWork) {
  constexpr std::chrono::seconds kTdrDelay(10);
  const auto table = AeroGpuDev::allocTable(entries);
  for (uint32_t round = 0; round < 6; ++round) {
    dev.submit(heavyWork(round % 3), {.commandGpa = kHeavyGpa + round * kStreamRoom, .space = kHeavySpace});
    const auto level = static_cast<uint8_t>(20 * round + 10);
    const auto begin = std::chrono::steady_clock::now();
    dev.waitFence(
        dev.submit(frameOf(level),
                   {.commandGpa = kFrameGpa + round * kStreamRoom, .table = table, .space = kFrameSpace}));
    const auto time = std::chrono::steady_clock::now() - begin;
    std::printf("frame %u behind work of kind %u: %lld ms\n", round, round % 3,
                static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
    EXPECT_LT(time, kTdrDelay);
    const std::vector<uint8_t> pixels = dev.qemu.read(kSurfaceGpa, kSide * kSide * 4);
    for (size_t i = 0; i < pixels.size(); i += 4)
      ASSERT_TRUE(pixels[i] == 255 && pixels[i + 1] == 0 && pixels[i + 2] == level)
          << "frame " << round << ", pixel " << i / 4 << ": " << +pixels[i] << ", " << +pixels[i + 1] << ", "
          << +pixels[i + 2];
  }
}

}  // namespace
