// SPDX-License-Identifier: MIT
// Tests saved machines whose 3D is alive: at each stage one machine is saved and goes on, and another one
// loads the state and goes on likewise. Registers, pictures and what is read back are equal.
#include <gtest/gtest.h>

#include <bit>
#include <memory>

#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4, kBytes = kPitch * kHeight;
constexpr uint32_t kShown = 1, kOther = 2, kBack = 3;  // textures
constexpr uint64_t kOtherGpa = kSurfaceGpa + 0x10000, kBackGpa = kSurfaceGpa + 0x20000,
                   kWordGpa = kSurfaceGpa + 0x30000;
constexpr uint64_t kPeriod = 16'666'667, kKey = 0x123456789ABCDEF0;
constexpr aerogpu_submit_space kKernel{0, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0};

class SavedObjects : public testing::TestWithParam<const char*> {
protected:
  /// Begins with a shown texture, a texture that was read from guest memory, and one to read back.
  void start(const AeroGpuDev::Ring& ring = AeroGpuDev::Ring{}) {
    dev().startRing(ring);
    dev().useFencePage();
    dev().setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
    dev().qemu.write(kOtherGpa, bytes);
    CommandWriter w;
    packets::createShown(w, kShown, kWidth, kHeight, 1);
    packets::createShown(w, kOther, kWidth, kHeight, 2);
    packets::createShown(w, kBack, kWidth, kHeight, 3);
    packets::dirtyRange(w, kOther, 0, kBytes);
    packets::setTarget(w, kShown);
    submit(dev(), w);
    dev().qemu.write(kOtherGpa, std::vector<uint8_t>(kBytes, 0));
  }
  AeroGpuDev& dev() { return *m_source; }
  AeroGpuDev& loaded() { return *m_target; }
  /// Begins with another machine.
  void renew() {
    m_target.reset();
    m_source = std::make_unique<AeroGpuDev>(options());
    m_clock = 0;
  }

  static std::vector<uint8_t> table() {
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0},
                                           {2, 0, kOtherGpa, 0x1000, 0},
                                           {3, 0, kBackGpa, 0x1000, 0},
                                           {4, 0, kWordGpa, 0x1000, 0}};
    return AeroGpuDev::allocTable(entries);
  }
  uint64_t push(AeroGpuDev& on, const CommandWriter& w) {
    if (m_inSpaces) return on.submit(w, {.table = table(), .space = kKernel});
    return on.submit(w, {.table = table()});
  }
  void submit(AeroGpuDev& on, const CommandWriter& w) {
    on.waitFence(push(on, w));
    EXPECT_EQ(on.errorCount(), 0u) << on.qemu.output();
  }
  void clock(uint64_t ns) {
    dev().qemu.clockStep(ns);
    m_clock += ns;
  }

  /// Saves the machine, loads it elsewhere, and lets both go on. `shows`: the screen is drawn and compared;
  /// not where it is VGA's, whose size is open while it is blank.
  void saveAndLoad(bool shows = true) {
    const auto file = dev().qemu.folder() / "state";
    const Seen before = look(dev());
    const Bytes picture = shows ? dev().qemu.screendump().rgb : Bytes{};
    migrateTo(dev(), file);
    m_target = std::make_unique<AeroGpuDev>(options(), std::vector<std::string>{"-incoming", "defer"});
    if (m_clock) loaded().qemu.clockStep(m_clock);
    loaded().loadFrom(file);
    loaded().goOnFrom(dev());
    dev().qemu.qmp("cont");
    EXPECT_TRUE(look(loaded()) == before) << loaded().qemu.output();
    if (shows) {
      EXPECT_EQ(loaded().qemu.screendump().rgb, picture);
    }
    EXPECT_EQ(loaded().qemu.property("held-objects"), dev().qemu.property("held-objects"));
    EXPECT_EQ(loaded().qemu.property("resources"), dev().qemu.property("resources"));
  }
  /// Reads a texture back on both machines.
  void expectEqualTexels(uint32_t texture) { EXPECT_EQ(read(loaded(), texture), read(dev(), texture)); }
  Bytes read(AeroGpuDev& on, uint32_t texture) {
    CommandWriter w;
    packets::copyTexture(w, kBack, texture, kWidth, kHeight);
    submit(on, w);
    return on.qemu.read(kBackGpa, kBytes);
  }
  /// B8G8R8X8: the fourth byte is nobody's.
  void expectBytes(const Bytes& back) {
    for (size_t i = 0; i < back.size(); ++i) ASSERT_TRUE(i % 4 == 3 || back[i] == bytes[i]) << i;
  }
  void expectEqualPictures() { EXPECT_EQ(loaded().qemu.screendump().rgb, dev().qemu.screendump().rgb); }
  uint32_t pixel(AeroGpuDev& on) { return on.qemu.screendump().at(kWidth / 2, kHeight / 2); }
  /// Does the same on both machines.
  void onBoth(const std::function<void(AeroGpuDev&)>& step) {
    step(dev());
    step(loaded());
  }

  std::string options() const { return std::string("renderer=") + GetParam(); }
  bool draws() const { return std::string(GetParam()) != "null"; }
  const std::vector<uint8_t> bytes = pattern(kBytes, 5);
  bool m_inSpaces = false;
  uint64_t m_clock = 0;

private:
  std::unique_ptr<AeroGpuDev> m_source = std::make_unique<AeroGpuDev>(options()), m_target;
};

/// A triangle over the left half of the target, in the colour of constant 0.
void drawHalf(CommandWriter& w, float red, float blue) {
  const float corners[] = {-1, -1, 0, -1, 3, 0, 0, -1, 0}, color[] = {red, 0, blue, 1};
  packets::upload(w, 10, 0, {reinterpret_cast<const uint8_t*>(corners), sizeof corners});
  packets::setConstantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, color);
  packets::renderState(w, 22, 1);  // D3DRS_CULLMODE: none
  packets::draw(w, 3);
}

TEST_P(SavedObjects, Idle) {
  start();
  CommandWriter w;
  packets::present(w);
  submit(dev(), w);
  saveAndLoad();
  expectEqualTexels(kOther);
  expectBytes(read(loaded(), kOther));
  EXPECT_GT(loaded().qemu.property("load-bytes"), int64_t{kBytes});
  EXPECT_EQ(dev().qemu.property("save-bytes"), loaded().qemu.property("load-bytes") + 16)
      << "the picture has a head";
  EXPECT_EQ(dev().qemu.property("save-objects"), 4);
  EXPECT_GT(dev().qemu.property("save-ns"), dev().qemu.property("save-rest-ns"));
  EXPECT_NE(dev().qemu.output().find("aerogpu: saved 4 objects"), std::string::npos) << dev().qemu.output();
  EXPECT_NE(loaded().qemu.output().find("aerogpu: loaded "), std::string::npos);
}

TEST_P(SavedObjects, BetweenTwoSubmissionsOfAFrame) {
  start();
  CommandWriter w;
  usePlainPipeline(w, 10);
  packets::setViewport(w, {0, 0, kWidth, kHeight});
  packets::clearColor(w, {0, 1, 0});
  drawHalf(w, 1, 0);
  submit(dev(), w);
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    // Everything is bound still; only the vertices and a constant change.
    CommandWriter rest;
    const float corners[] = {-1, 1, 0, 1, 1, 0, 1, -3, 0}, color[] = {0, 0, 1, 1};
    packets::upload(rest, 10, 0, {reinterpret_cast<const uint8_t*>(corners), sizeof corners});
    packets::setConstantsF(rest, AEROGPU_SHADER_STAGE_PIXEL, 0, color);
    packets::draw(rest, 3);
    packets::present(rest);
    submit(on, rest);
  });
  expectEqualPictures();
  expectEqualTexels(kShown);
  if (!draws()) return;
  const Picture picture = loaded().qemu.screendump();
  EXPECT_EQ(picture.at(1, kHeight - 2), 0xFF0000u);
  EXPECT_EQ(picture.at(kWidth - 2, 1), 0x0000FFu);
}

TEST_P(SavedObjects, OpenQuery) {
  start();
  CommandWriter w;
  usePlainPipeline(w, 10);
  packets::setViewport(w, {0, 0, kWidth, kHeight});
  w.packet(aerogpu_cmd_ext_query_begin{{}, 3, AEROGPU_EXT_QUERY_OCCLUSION});
  drawHalf(w, 1, 0);
  submit(dev(), w);
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    CommandWriter rest;
    packets::draw(rest, 3);
    aerogpu_cmd_ext_query_end end{};
    end.slot = 3;
    end.type = AEROGPU_EXT_QUERY_OCCLUSION;
    end.alloc_id = 4;
    rest.packet(end);
    submit(on, rest);
  });
  const uint64_t count = dev().qemu.readq(kWordGpa);
  EXPECT_EQ(loaded().qemu.readq(kWordGpa), count);
  EXPECT_EQ(count != 0, draws());
  EXPECT_EQ(count % 2, 0u) << "the same triangle twice";
}

TEST_P(SavedObjects, PresentWaits) {
  start();
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  submit(dev(), w);
  clock(kPeriod + kPeriod / 2);
  w.reset();
  packets::clearColor(w, {0, 1, 0});
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  const uint64_t waits = push(dev(), w);
  dev().waitUntil([&] { return dev().qemu.property("presents-done") == 2; }, "the present's work");
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    EXPECT_EQ(pixel(on), 0xFF0000u);
    EXPECT_LT(on.completedFence(), waits);
    on.qemu.clockStep(kPeriod);
    on.waitFence(waits);
    EXPECT_EQ(pixel(on), 0x00FF00u) << "the frame that came along";
    EXPECT_EQ(on.errorCount(), 0u);
  });
}

// PRES-3: what was shown stays, although the texture holds something else.
TEST_P(SavedObjects, TextureRedrawnAfterItWasShown) {
  start();
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  submit(dev(), w);
  w.reset();
  packets::clearColor(w, {0, 1, 0});
  submit(dev(), w);
  EXPECT_EQ(pixel(dev()), 0xFF0000u);
  saveAndLoad();
  EXPECT_EQ(pixel(loaded()), 0xFF0000u);
  expectEqualTexels(kShown);
  onBoth([&](AeroGpuDev& on) {
    CommandWriter show;
    packets::present(show);
    submit(on, show);
    EXPECT_EQ(pixel(on), 0x00FF00u);
  });
}

/// What a flip shows where the save came in the middle of it: before the flip, behind it, and before its
/// picture.
// PRES-2, SPACE-18
TEST_P(SavedObjects, FlipToAnotherTexture) {
  for (const bool inSpaces : {false, true}) {
    for (const bool before : {false, true}) {
      SCOPED_TRACE(std::string(inSpaces ? "spaces" : "no spaces") + (before ? ", before the save" : ""));
      renew();
      m_inSpaces = inSpaces;
      if (inSpaces) dev().setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
      if (inSpaces) dev().setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 1);
      start({.stride = inSpaces ? 80u : 64u});
      CommandWriter w;
      packets::clearColor(w, {1, 0, 0});
      packets::present(w);
      packets::setTarget(w, kOther);
      packets::clearColor(w, {0, 1, 0});
      submit(dev(), w);
      EXPECT_EQ(pixel(dev()), 0xFF0000u);
      const auto flip = [&](AeroGpuDev& on) {
        if (inSpaces) on.setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 2);
        on.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, kOtherGpa);
      };
      if (before) flip(dev());
      saveAndLoad(false);
      onBoth([&](AeroGpuDev& on) {
        if (!before) flip(on);
        EXPECT_EQ(pixel(on), 0x00FF00u);
      });
    }
  }
}

// PRES-11: FOLLOW shows what no present has shown; it does so elsewhere too.
TEST_P(SavedObjects, FollowedTexture) {
  start();
  dev().setReg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 1);
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  submit(dev(), w);
  EXPECT_EQ(pixel(dev()), 0xFF0000u);
  w.reset();
  packets::clearColor(w, {0, 1, 0});
  submit(dev(), w);
  saveAndLoad(false);  // nobody has drawn since
  onBoth([&](AeroGpuDev& on) { EXPECT_EQ(pixel(on), 0x00FF00u); });
}

// TOK-10
TEST_P(SavedObjects, UsedUpToken) {
  start();
  constexpr uint64_t kAlive = 0x1234, kUsedUp = 0x77;
  const auto exported = [&](AeroGpuDev& on, uint64_t token) {
    CommandWriter w;
    aerogpu_cmd_export_shared_surface c{};
    c.resource_handle = kOther;
    c.share_token = token;
    w.packet(c);
    const uint32_t before = on.errorCount();
    on.waitFence(push(on, w));
    return on.errorCount() == before;
  };
  EXPECT_TRUE(exported(dev(), kAlive));
  EXPECT_TRUE(exported(dev(), kUsedUp));
  CommandWriter w;
  aerogpu_cmd_release_shared_surface release{};
  release.share_token = kUsedUp;
  w.packet(release);
  submit(dev(), w);
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    CommandWriter import;
    aerogpu_cmd_import_shared_surface c{};
    c.out_resource_handle = 20;
    c.share_token = kAlive;
    import.packet(c);
    submit(on, import);
    EXPECT_FALSE(exported(on, kUsedUp));
  });
}

// SPACE-18: an importer's object outlives the space that made it.
TEST_P(SavedObjects, EndedSpaceWithImportsAlive) {
  m_inSpaces = true;
  dev().setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
  dev().setReg(AEROGPU_EXT_REG_SCANOUT0_ALLOC, 1);
  start({.stride = 80});
  const auto in = [&](AeroGpuDev& on, uint32_t space, const CommandWriter& w) {
    on.waitFence(on.submit(w, {.table = table(), .space = aerogpu_submit_space{space, 0, 0}}));
    EXPECT_EQ(on.errorCount(), 0u) << on.qemu.output();
  };
  CommandWriter begin, make, take, end;
  packets::createBuffer(begin, 1, 16);
  in(dev(), 3, begin);
  dev().qemu.write(kOtherGpa, bytes);
  aerogpu_cmd_ext_charge_space charge{};
  charge.space = 3;
  make.packet(charge);
  packets::createShown(make, 5, kWidth, kHeight, 2);
  packets::dirtyRange(make, 5, 0, kBytes);
  aerogpu_cmd_export_shared_surface share{};
  share.resource_handle = 5;
  share.share_token = 100;
  make.packet(share);
  aerogpu_cmd_ext_grant grant{};
  grant.share_token = 100;
  grant.space = 4;
  make.packet(grant);
  submit(dev(), make);
  aerogpu_cmd_import_shared_surface import{};
  import.out_resource_handle = 9;
  import.share_token = 100;
  take.packet(import);
  in(dev(), 4, take);
  packets::destroyResource(end, 5);
  aerogpu_cmd_ext_destroy_space destroy{};
  destroy.space = 3;
  end.packet(destroy);
  submit(dev(), end);
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    CommandWriter back;
    packets::createShown(back, 6, kWidth, kHeight, 3);
    packets::copyTexture(back, 6, 9, kWidth, kHeight);
    in(on, 4, back);
    expectBytes(on.qemu.read(kBackGpa, kBytes));
  });
}

// LIST-2
TEST_P(SavedObjects, ScatteredBacking) {
  start();
  constexpr uint64_t kList = 0x500000, kPages[] = {0x702000, 0x700000};
  for (size_t i = 0; i < 2; ++i) dev().qemu.writeq(kList + 8 * i, kPages[i]);
  const aerogpu_alloc_entry entries[] = {{9, AEROGPU_ALLOC_FLAG_EXT_SCATTER, kList, 8192, 0}};
  const auto list = AeroGpuDev::allocTable(entries);
  const auto two = pattern(8192, 9);
  CommandWriter w;
  packets::createBuffer(w, 30, 8192, 0, 9);
  packets::createBuffer(w, 31, 8192);
  packets::upload(w, 31, 0, two);
  dev().waitFence(dev().submit(w, {.table = list}));
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    CommandWriter back;
    packets::copyBuffer(back, 30, 31, 8192);
    on.waitFence(on.submit(back, {.table = list}));
    EXPECT_EQ(on.errorCount(), 0u) << on.qemu.output();
    Bytes got = on.qemu.read(kPages[0], 4096);
    const Bytes second = on.qemu.read(kPages[1], 4096);
    got.insert(got.end(), second.begin(), second.end());
    EXPECT_EQ(got, two);
  });
}

void sleepAndWake(AeroGpuDev& dev) {
  suspend(dev);
  wakeUp(dev);
}

void setKeep(AeroGpuDev& dev, uint32_t value) {
  dev.setReg64(AEROGPU_EXT_REG_KEEP_KEY_LO, kKey);
  dev.setReg(AEROGPU_EXT_REG_KEEP, value);
}

/// Claims kept objects: the texture holds what it held, and is bound still.
void expectClaimed(AeroGpuDev& on) {
  EXPECT_EQ(on.reg(AEROGPU_EXT_REG_KEEP), uint32_t{AEROGPU_EXT_KEEP_HELD});
  const uint32_t generation = on.reg(AEROGPU_EXT_REG_GPU_GENERATION);
  setKeep(on, AEROGPU_EXT_KEEP_CLAIM);
  EXPECT_EQ(on.reg(AEROGPU_EXT_REG_KEEP), uint32_t{AEROGPU_EXT_KEEP_NO});
  EXPECT_EQ(on.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation);
  on.startRing();
  on.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  EXPECT_EQ(on.qemu.screendump().at(kWidth / 2, kHeight / 2), 0xFF0000u);
}

// KEEP-4, KEEP-8
TEST_P(SavedObjects, HeldObjects) {
  start();
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  submit(dev(), w);
  setKeep(dev(), AEROGPU_EXT_KEEP_WILL);
  sleepAndWake(dev());
  saveAndLoad(false);
  onBoth(expectClaimed);
}

// KEEP-2, KEEP-8: a machine that is saved after the driver asked, and sleeps afterwards.
TEST_P(SavedObjects, Sleep) {
  start();
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  submit(dev(), w);
  setKeep(dev(), AEROGPU_EXT_KEEP_WILL);
  saveAndLoad();
  onBoth([&](AeroGpuDev& on) {
    EXPECT_EQ(on.reg(AEROGPU_EXT_REG_KEEP), uint32_t{AEROGPU_EXT_KEEP_WILL});
    sleepAndWake(on);
    expectClaimed(on);
  });
}

/// A machine that sleeps. QEMU 7.2 begins to wake it when it is saved (its migration_completion()), so
/// nothing of this is left to test there.
// KEEP-2, KEEP-8
TEST_P(SavedObjects, Asleep) {
  if (dev().qemu.qmp("query-version").find("\"major\": 7") != std::string::npos) return;
  start();
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  submit(dev(), w);
  setKeep(dev(), AEROGPU_EXT_KEEP_WILL);
  suspend(dev());
  const auto file = dev().qemu.folder() / "state";
  migrateTo(dev(), file);
  AeroGpuDev target(options(), {"-incoming", "defer"});
  target.loadFrom(file, "suspended");
  wakeUp(target);
  expectClaimed(target);
}

// LOSS-3, LOSS-4, LOSS-11
TEST_P(SavedObjects, LostGpu) {
  start();
  dev().setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  submit(dev(), w);
  dev().qemu.setProperty("x-gpu-fault", 1);
  const uint64_t lost = push(dev(), w);
  dev().waitUntil([&] { return dev().reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_LOST; }, "the loss");
  const uint32_t generation = dev().reg(AEROGPU_EXT_REG_GPU_GENERATION);
  const auto file = dev().qemu.folder() / "state";
  const Seen before = look(dev());
  migrateTo(dev(), file);
  AeroGpuDev target(options(), {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(dev());
  EXPECT_TRUE(look(target) == before);
  EXPECT_EQ(pixel(target), 0xFF0000u) << "the picture stays";
  EXPECT_EQ(target.completedFence(), lost - 1);
  EXPECT_EQ(target.qemu.property("resources"), 0);
  target.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  target.waitUntil([&] { return target.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS; },
                   "the GPU's return");
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation + 1);
  CommandWriter again;
  packets::createShown(again, kShown, kWidth, kHeight, 1);
  packets::setTarget(again, kShown);
  packets::clearColor(again, {0, 1, 0});
  packets::present(again);
  target.waitFence(push(target, again));
  EXPECT_EQ(pixel(target), 0x00FF00u);
}

/// The save itself finds that the GPU is lost.
// LOSS-11
TEST_P(SavedObjects, GpuLostWhileItIsSaved) {
  start();
  dev().setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  dev().qemu.setProperty("x-gpu-fault", 1);
  const auto file = dev().qemu.folder() / "state";
  migrateTo(dev(), file);
  AeroGpuDev target(options(), {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(dev());
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  EXPECT_EQ(target.errorCount(), 1u) << "the driver is told";
  EXPECT_EQ(target.qemu.property("resources"), 0);
  // Nobody waits any more: such a machine is refused too.
  target.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 0);
  EXPECT_NE(migrate(target, exec("cat >/dev/null")).find("no driver waits for one"), std::string::npos);
  target.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  target.waitUntil([&] { return target.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS; },
                   "the GPU's return");
}

// LOSS-8: nobody waits for a GPU, so a machine that lost it would fail elsewhere in another way.
TEST_P(SavedObjects, LostGpuThatNobodyWaitsFor) {
  start();
  dev().qemu.setProperty("x-gpu-fault", 1);
  CommandWriter w;
  packets::clearColor(w, {1, 0, 0});
  dev().waitFence(push(dev(), w));
  EXPECT_NE(migrate(dev(), exec("cat >/dev/null")).find("failed"), std::string::npos);
  waitStatus(dev(), "running");
  waitSaid(dev(), "cannot be saved: its GPU is lost, and no driver waits for one: reset the machine first");
  dev().waitFence(dev().submitEmpty());
}

/// Half of the samples are drawn before, the other half after; then both machines resolve them.
TEST_P(SavedObjects, HalfDrawnMultisampledTarget) {
  constexpr uint32_t kSamples = 40;
  start();
  CommandWriter w;
  aerogpu_cmd_ext_create_texture c{};
  c.texture_handle = kSamples;
  c.usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  c.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  c.width = kWidth;
  c.height = kHeight;
  c.depth = c.mip_levels = c.array_layers = 1;
  c.sample_count = 4;
  w.packet(c);
  packets::setTarget(w, kSamples);
  packets::clearColor(w, {1, 0, 0});
  submit(dev(), w);
  saveAndLoad(false);
  onBoth([&](AeroGpuDev& on) {
    CommandWriter rest;
    aerogpu_cmd_ext_fill fill{};
    fill.texture = kSamples;
    fill.flags = AEROGPU_EXT_FILL_COLOR;
    fill.color_rgba_f32[2] = std::bit_cast<uint32_t>(1.0f);
    fill.rect_count = 1;
    const aerogpu_ext_rect right{kWidth / 2, 0, kWidth, kHeight};
    rest.packet(fill, &right, 1);
    aerogpu_cmd_ext_blit resolve{};
    resolve.dst_texture = kOther;
    resolve.src_texture = kSamples;
    resolve.rect_count = 1;
    const aerogpu_ext_blit_rect all{{0, 0, kWidth, kHeight}, {0, 0, kWidth, kHeight}};
    rest.packet(resolve, &all, 1);
    submit(on, rest);
  });
  const Bytes texels = read(loaded(), kOther);
  EXPECT_EQ(texels, read(dev(), kOther));
  if (!draws()) return;
  const auto at = [&](uint32_t x) { return Bytes(texels.begin() + x * 4, texels.begin() + x * 4 + 3); };
  EXPECT_EQ(at(kWidth / 4), (Bytes{0, 0, 0xFF})) << "drawn before";
  EXPECT_EQ(at(kWidth * 3 / 4), (Bytes{0xFF, 0, 0})) << "drawn after";
}

INSTANTIATE_TEST_SUITE_P(BackEnds, SavedObjects, testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

/// A GPU that ends none of its work: the save is refused in time, and the machine goes on.
TEST(SavedBusy, AGpuThatDoesNotEndItsWork) {
  AeroGpuDev dev("renderer=vulkan");
  dev.startRing();
  dev.qemu.setProperty("x-gpu-fault", 8);
  CommandWriter w;
  packets::createTexture(w, {.handle = kShown, .width = kWidth, .height = kHeight, .usage = packets::kShown});
  packets::setTarget(w, kShown);
  packets::clearColor(w, {1, 0, 0});
  const uint64_t fence = dev.submit(w);
  dev.waitUntil([&] { return dev.qemu.property("submissions") == 1; }, "the fetch");
  const std::string state = migrate(dev, exec("cat >/dev/null"));
  EXPECT_NE(state.find("aerogpu: the machine cannot be saved: the renderer has not come to rest within 10 s, "
                       "try again later"),
            std::string::npos)
      << state << dev.qemu.output();
  waitStatus(dev, "running");
  // The render thread may not have seen yet that the first save was given up: the second one waits for it.
  dev.qemu.setProperty("x-gpu-fault", 0);
  const auto file = dev.qemu.folder() / "state";
  migrateTo(dev, file);
  dev.waitFence(fence);
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  EXPECT_EQ(dev.qemu.property("save-objects"), 2);
}

/// What saves a machine moves a running one: nobody sees it, a reset of the ring in the middle included.
TEST(Moves, NobodySeesThem) {
  for (const std::string options :
       {"x-move=objects:1,renderer=null", "x-move=objects:1,renderer=vulkan",
        "x-move=device:4,renderer=vulkan", "x-move=device:4,renderer=vulkan,process=on"}) {
    AeroGpuDev dev(options);
    const bool anew = options.find("device") != std::string::npos;
    dev.startRing();
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    CommandWriter w;
    packets::createShown(w, kShown, kWidth, kHeight, 1);
    packets::setTarget(w, kShown);
    dev.waitFence(dev.submit(w, {.table = table}));
    for (int i = 0; i < 20; ++i) {
      w.reset();
      packets::clearColor(w, {i % 2 ? 1.0f : 0.0f, 0, 1});
      dev.waitFence(dev.submit(w, {.table = table}));
      if (i % 5 == 4)
        dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
      w.reset();
      packets::present(w);
      dev.waitFence(dev.submit(w, {.table = table}));
      EXPECT_EQ(dev.qemu.screendump().at(1, 1), i % 2 ? 0xFF00FFu : 0x0000FFu) << options << i;
    }
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
    EXPECT_GT(dev.qemu.property("moves"), anew ? 7 : 30);
    EXPECT_EQ(dev.qemu.property("gpu-moves"), anew ? dev.qemu.property("moves") : 0);
    EXPECT_GE(dev.qemu.property("gpu-move-longest-ns"), dev.qemu.property("gpu-move-ns"));
    EXPECT_EQ(dev.qemu.output().find("aerogpu: x-move"), std::string::npos) << dev.qemu.output();
  }
}

}  // namespace
