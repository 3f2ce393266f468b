// SPDX-License-Identifier: MIT
// Tests how QEMU starts with the device: each property's values, the ways to request the device, machines,
// other cards.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;

/// Expects that QEMU exits by itself with status 1 and names `named`; a crash would be a signal.
void expectRefused(const Refusal& refusal, const std::string& what, const std::string& named) {
  EXPECT_EQ(refusal.status, 1) << what << "\n" << refusal.output;
  EXPECT_NE(refusal.output.find(named), std::string::npos) << what << "\n" << refusal.output;
}

TEST(Properties, ValuesOutsideTheirRangesAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"renderer=", "renderer"},
      {"renderer=NULL", "unknown back end 'NULL' (auto, vulkan or null)"},
      {"renderer=vulkan,vulkan-device=99", "99"},
      {"vulkan-device=no-such-gpu,renderer=vulkan", "no-such-gpu"},
      {"renderer=null,xres=63", "xres=63"},
      {"renderer=null,xres=16385", "xres=16385"},
      {"renderer=null,xres=-1", "xres"},
      {"renderer=null,xres=wide", "xres"},
      {"renderer=null,xres=4294967296", "xres"},
      {"renderer=null,yres=63", "yres=63"},
      {"renderer=null,yres=16385", "yres=16385"},
      {"renderer=null,yres=1.5", "yres"},
      {"renderer=null,refresh_rate=9", "refresh_rate=9"},
      {"renderer=null,refresh_rate=501", "refresh_rate=501"},
      {"renderer=null,refresh_rate=9999", "refresh_rate=9999"},
      {"renderer=null,refresh_rate=500001", "refresh_rate=500001"},
      {"renderer=null,refresh_rate=fast", "refresh_rate"},
      {"renderer=null,refresh_rate=4294967295", "refresh_rate"},
      {"renderer=null,vgamem_mb=8", "vgamem_mb=8"},
      {"renderer=null,vgamem_mb=48", "vgamem_mb=48"},
      {"renderer=null,vgamem_mb=1024", "vgamem_mb=1024"},
      {"renderer=null,vgamem_mb=big", "vgamem_mb"},
      {"renderer=null,max_batch_ms=19", "max_batch_ms is 19"},
      {"renderer=null,max_batch_ms=60001", "max_batch_ms is 60001"},
      {"renderer=null,max_batch_ms=long", "max_batch_ms"},
      {"renderer=null,max_hostmem=1048575", "max_hostmem"},
      {"renderer=null,max_hostmem=-1", "max_hostmem"},
      {"renderer=null,max_hostmem=99999999999999999999", "max_hostmem"},
      {"renderer=null,max_hostmem=much", "max_hostmem"},
      {"renderer=null,capture=", "capture"},
      {"renderer=null,capture=/no/such/folder/file", "/no/such/folder/file"},
      {"renderer=null,capture=/", "'/'"},
      {"renderer=null,romfile=/no/such/rom", "/no/such/rom"},
      {"renderer=null,errors=3", "errors"},
      {"renderer=null,accept=all", "accept is 'all': it is announced or used"},
      {"renderer=null,compress_state=maybe", "compress_state"},
      {"renderer=null,no-such-property=1", "no-such-property"},
      {"renderer=null,addr=40", "addr"},
  };
  for (const auto& [options, named] : cases) expectRefused(startRefused(options), options, named);
}

// PCI-1
TEST(Properties, TheEndsOfTheirRangesWork) {
  for (const char* options :
       {"renderer=null,xres=64,yres=64,refresh_rate=10,vgamem_mb=16,max_hostmem=1M",
        "renderer=null,xres=16384,yres=16384,refresh_rate=500,vgamem_mb=512,max_hostmem=64G",
        "renderer=null,refresh_rate=10000", "renderer=null,refresh_rate=500000",
        "renderer=null,accept=announced", "renderer=null,accept=used,compress_state=off",
        "renderer=null,romfile=", "renderer=null,rombar=0"}) {
    AeroGpuDev dev(options);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC}) << options;
    dev.startRing();
    dev.waitFence(dev.submitEmpty());
    // VESA E-EDID 3.2: each block's bytes add up to 0.
    const uint32_t size = dev.reg(AEROGPU_EXT_REG_EDID_SIZE);
    ASSERT_TRUE(size >= 128 && size % 128 == 0) << options;
    const auto edid = dev.qemu.read(AeroGpuDev::kBar0 + AEROGPU_EXT_REG_EDID, size);
    for (uint32_t block = 0; block < size; block += 128) {
      uint8_t sum = 0;
      for (uint32_t i = 0; i < 128; ++i) sum = static_cast<uint8_t>(sum + edid[block + i]);
      EXPECT_EQ(sum, 0) << options << " block " << block / 128;
    }
    EXPECT_EQ(dev.qemu.readl(AeroGpuDev::kBar0 + AEROGPU_EXT_REG_EDID + size), 0u) << "behind its end";
    EXPECT_EQ(dev.qemu.quit(), 0) << options;
  }
}

/// Returns the cells of a line of a Markdown table, without blanks and backquotes around them.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  for (size_t at = line.find('|'); at != std::string::npos;) {
    const size_t end = line.find('|', at + 1);
    if (end == std::string::npos) break;
    std::string cell = line.substr(at + 1, end - at - 1);
    cell.erase(0, cell.find_first_not_of(" `"));
    cell.erase(cell.find_last_not_of(" `") + 1);
    all.push_back(cell);
    at = end;
  }
  return all;
}

/// The documented table of properties matches the device's own help.
TEST(Properties, HelpNamesEachAsTheManualDoes) {
  const Refusal help = runToExit({"-device", "aerogpu,help"});
  EXPECT_EQ(help.status, 0) << help.output;
  std::ifstream manual(AEROGPU_SOURCE_ROOT "/docs/use/command-line.md");
  int rows = 0;
  bool inTable = false;
  for (std::string line; std::getline(manual, line);) {
    if (line == "| property | default | meaning |") inTable = true;
    if (!inTable || line.rfind("| `", 0) != 0) {
      if (rows) break;
      continue;
    }
    const std::vector<std::string> row = cells(line);
    ASSERT_EQ(row.size(), 3u) << line;
    const size_t at = help.output.find("  " + row[0] + "=<");
    ASSERT_NE(at, std::string::npos) << row[0] << "\n" << help.output;
    const std::string said = help.output.substr(at, help.output.find('\n', at) - at);
    // QEMU prints the default of a number or switch; the renderer chooses the default of a text.
    const bool number = !row[1].empty() && row[1].find_first_not_of("0123456789") == std::string::npos;
    const bool choice = said.find("=<OnOffAuto>") != std::string::npos;
    const std::string value = choice ? '"' + row[1] + '"' : row[1] == "on" ? "true" : number ? row[1] : "";
    EXPECT_TRUE(said.ends_with("- " + row[2] + (value.empty() ? "" : " (default: " + value + ")")))
        << said << "\n"
        << line;
    ++rows;
  }
  EXPECT_EQ(rows, 21);
  for (const char* counter : {"submissions=<uint64>   - read-only: ", "backend=<string>       - read-only: "})
    EXPECT_NE(help.output.find(counter), std::string::npos) << counter << "\n" << help.output;
  const Refusal list = runToExit({"-device", "help"});
  EXPECT_NE(list.output.find("name \"aerogpu\", bus PCI, desc \"AeroGPU display controller\""),
            std::string::npos);
}

/// vulkan-device=help works like QEMU's own options: lists the devices, marks the default, and exits.
TEST(Properties, VulkanDeviceHelpListsDevices) {
  const Refusal help = runToExit(
      {"-accel", "tcg", "-nodefaults", "-display", "none", "-device", "aerogpu,vulkan-device=help"});
  EXPECT_EQ(help.status, 0) << help.output;
  // A sanitizer's runtime prints something before it.
  EXPECT_NE(("\n" + help.output).find("\n0 = "), std::string::npos) << help.output;
  EXPECT_NE(help.output.find(": the default\n"), std::string::npos) << help.output;
  ::setenv("VK_DRIVER_FILES", "/no/such/driver", 1);
  ::setenv("VK_ICD_FILENAMES", "/no/such/driver", 1);
  const Refusal none = runToExit(
      {"-accel", "tcg", "-nodefaults", "-display", "none", "-device", "aerogpu,vulkan-device=help"});
  ::unsetenv("VK_DRIVER_FILES");
  ::unsetenv("VK_ICD_FILENAMES");
  expectRefused(none, "no driver", "aerogpu: no Vulkan");
}

TEST(Start, AsJson) {
  AeroGpuDev dev("renderer=null",
                 {"-device", R"({"driver": "aerogpu", "renderer": "null", "xres": 1600, "id": "second"})"});
  EXPECT_EQ(
      qmpNumber(dev.qemu.qmp("qom-get", R"({"path": "/machine/peripheral/second", "property": "xres"})")),
      1600);
}

TEST(Start, SetAndGlobalChangeProperties) {
  AeroGpuDev dev("renderer=null", {"-set", "device.gpu0.xres=1600", "-global", "aerogpu.yres=900"});
  EXPECT_EQ(dev.qemu.property("xres"), 1600);
  EXPECT_EQ(dev.qemu.property("yres"), 900);
  expectRefused(runToExit({"-nodefaults", "-display", "none", "-device", "aerogpu,id=a,renderer=null", "-set",
                           "device.a.xres=7"}),
                "-set", "xres=7");
}

/// The launcher omits QEMU's default VGA if a configuration file requests the device.
TEST(Start, FromAConfigurationFile) {
  const auto path = std::filesystem::temp_directory_path() / ("aerogpu-config-" + std::to_string(::getpid()));
  std::ofstream(path) << "[device \"card\"]\n  driver = \"aerogpu\"\n  renderer = \"null\"\n  xres = \"7\"\n";
  const Refusal refusal =
      runToExit({"-display", "none", "-accel", "qtest", "-nic", "none", "-readconfig", path.string()});
  std::filesystem::remove(path);
  expectRefused(refusal, "-readconfig", "xres=7");
  EXPECT_EQ(refusal.output.find("another VGA card"), std::string::npos) << refusal.output;
}

TEST(Start, MachinesWithoutPciRefuseIt) {
  for (const char* machine : {"none", "microvm", "isapc"})
    expectRefused(runToExit({"-machine", machine, "-accel", "qtest", "-nodefaults", "-display", "none",
                             "-device", "aerogpu,renderer=null"}),
                  machine, "No 'PCI' bus found for device 'aerogpu'");
}

TEST(Start, OnlyMigratableAcceptsIt) {
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    AeroGpuDev dev(options, {"-only-migratable"});
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
  }
}

TEST(Start, AMoveIsOfObjects) {
  expectRefused(startRefused("renderer=null,x-move=process:5"), "x-move",
                "aerogpu: x-move is 'process:5', only objects:N and device:N are known");
  expectRefused(startRefused("renderer=null,x-move=objects:0"), "x-move",
                "only objects:N and device:N are known");
  expectRefused(startRefused("renderer=null,x-move=device:"), "x-move",
                "only objects:N and device:N are known");
}

TEST(Start, WithoutPropertiesABackEndIsFound) {
  AeroGpuDev dev("");
  EXPECT_EQ(dev.qemu.stringProperty("renderer"), "auto");
  const std::string backend = dev.qemu.stringProperty("backend");
  EXPECT_TRUE(backend == "vulkan" || backend == "null") << backend;
  EXPECT_EQ(dev.qemu.stringProperty("gpu").empty(), backend == "null");
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
}

std::filesystem::path makeFolder(const char* name) {
  auto path =
      std::filesystem::temp_directory_path() / ("aerogpu-" + std::string(name) + std::to_string(::getpid()));
  std::filesystem::create_directories(path / "hw-aerogpu");
  return path;
}

/// Starts a module without its share/ folder next to it.
TEST(Start, WithoutTheVideoBiosSaysWhatToDo) {
  if (std::getenv("AEROGPU_QEMU_TREE")) GTEST_SKIP() << "the device is no module of ours";
  const char* folderOfBuild = std::getenv("AEROGPU_BUILD_DIR");
  ASSERT_NE(folderOfBuild, nullptr);
  const std::string build = folderOfBuild;
  const auto folder = makeFolder("rom");
  for (const char* part : {"hw-aerogpu/aerogpu-qemu.so", "hw-aerogpu/aerogpu-device.so"})
    std::filesystem::create_symlink(build + "/" + part, folder / part);
  ::setenv("AEROGPU_BUILD_DIR", folder.c_str(), 1);
  const Refusal refusal =
      runToExit({"-accel", "tcg", "-nodefaults", "-display", "none", "-device", "aerogpu,renderer=null"});
  ::setenv("AEROGPU_BUILD_DIR", build.c_str(), 1);
  std::filesystem::remove_all(folder);
  expectRefused(refusal, "no video BIOS", "video BIOS vgabios-aerogpu.bin not found");
}

/// Programs that QEMU starts do not get the device preloaded, whatever else the user preloads.
TEST(Start, ChildrenDoNotInheritTheDevice) {
  if (std::getenv("AEROGPU_QEMU_TREE") || std::getenv("AEROGPU_SANITIZER_RUNTIME"))
    GTEST_SKIP() << "nothing is preloaded, or a sanitizer's runtime is";
  const auto folder = makeFolder("child");
  const auto environmentOfAChild = [&] {
    const auto file = folder / "environment";
    std::filesystem::remove(file);
    runToExit({"-accel", "tcg", "-nodefaults", "-display", "none", "-incoming",
               "exec:env >" + file.string() + "; echo no state", "-device", "aerogpu,renderer=null"});
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  std::string text = environmentOfAChild();
  EXPECT_NE(text.find("PATH="), std::string::npos) << text;
  EXPECT_EQ(text.find("LD_PRELOAD"), std::string::npos) << text;
  ::setenv("LD_PRELOAD", "libm.so.6", 1);
  text = environmentOfAChild();
  ::unsetenv("LD_PRELOAD");
  EXPECT_NE(text.find("LD_PRELOAD=libm.so.6\n"), std::string::npos) << text;
  std::filesystem::remove_all(folder);
}

/// True if the VGA ports reach the device: sets a 64x8 mode through them, and looks whether the device's
/// console gets that size.
bool portsReachTheDevice(AeroGpuDev& dev, const std::string& console = "gpu0") {
  const std::pair<uint16_t, uint16_t> registers[] = {{4, 0}, {1, 64}, {2, 8}, {3, 32}, {4, 0x41}};
  for (const auto& [index, value] : registers) {
    dev.qemu.outw(0x1CE, index);
    dev.qemu.outw(0x1CF, value);
  }
  dev.qemu.outb(0x3C0, 0x20);
  const auto path = dev.qemu.folder() / "which.ppm";
  dev.qemu.qmp("screendump", R"({"filename": ")" + path.string() + R"(", "device": ")" + console + "\"}");
  std::ifstream file(path);
  std::string magic;
  uint32_t width = 0, height = 0;
  file >> magic >> width >> height;
  return width == 64 && height == 8;
}

/// PCI-5: VGA is decoded while the device is the boot display, so a second card leaves it to the first.
// PCI-5
TEST(Start, TheFirstVgaCardHasTheLegacyPorts) {
  {
    AeroGpuDev alone;
    EXPECT_TRUE(portsReachTheDevice(alone));
  }
  {
    AeroGpuDev dev("renderer=null", {"-device", "aerogpu,renderer=null,id=second,addr=5"});
    EXPECT_NE(dev.qemu.output().find("another VGA card"), std::string::npos);
    EXPECT_TRUE(portsReachTheDevice(dev));
    EXPECT_FALSE(portsReachTheDevice(dev, "second"));
  }
  {
    AeroGpuDev dev("renderer=null", {"-vga", "std"});
    EXPECT_FALSE(portsReachTheDevice(dev));
    // The device's own half, without VGA, works anyway, through resets too.
    for (int round = 0; round < 2; ++round) {
      dev.startRing();
      dev.waitFence(dev.submitEmpty());
      dev.setScanout({});
      dev.setReg(AEROGPU_EXT_REG_VGA, 1);
      dev.qemu.qmp("system_reset");
      dev.setUpPci();
      dev.setNextFence(1);
    }
  }
}

/// Two devices work side by side: separate registers, rings, and fences.
TEST(Start, TwoDevicesWork) {
  AeroGpuDev dev("renderer=null", {"-device", "aerogpu,renderer=null,id=second,addr=5"});
  constexpr uint64_t kSecond = 0xFD000000;
  const auto config = [&](uint32_t offset, uint32_t value) {
    dev.qemu.outl(0xCF8, 0x80000000u | 5u << 11 | offset);
    dev.qemu.outl(0xCFC, value);
  };
  config(0x10, kSecond);
  config(0x14, 0xD0000000);
  config(0x04, 0x0007);
  EXPECT_EQ(dev.qemu.readl(kSecond), uint32_t{AEROGPU_MMIO_MAGIC});
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(dev.qemu.readl(kSecond + AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 0u);
  EXPECT_EQ(dev.qemu.readl(kSecond + AEROGPU_MMIO_REG_RING_CONTROL), 0u);
  EXPECT_EQ(qmpNumber(dev.qemu.qmp("qom-get",
                                   R"({"path": "/machine/peripheral/second", "property": "submissions"})")),
            0);
}

struct Place {
  const char* name;
  std::vector<std::string> before;
  std::string options;
  std::vector<std::string> extra;
  std::optional<AeroGpuDev::Behind> behind;
};

class Places : public ::testing::TestWithParam<Place> {};

/// Identity, a submission by DMA, MSI, VGA's ports and a scanout work wherever the device is plugged in.
TEST_P(Places, TheDeviceWorks) {
  const Place& place = GetParam();
  AeroGpuDev dev("renderer=null" + place.options, place.extra, place.before, place.behind);
  ASSERT_EQ(dev.config(0) & 0xFFFF, uint32_t{AEROGPU_PCI_VENDOR_ID}) << dev.qemu.output();
  ASSERT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
  EXPECT_TRUE(portsReachTheDevice(dev));
  constexpr uint64_t kMailbox = 0x600000;
  dev.enableMsi(kMailbox, 0x4321);
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.qemu.readl(kMailbox) == 0x4321; }, "MSI");
  dev.qemu.write(AeroGpuDev::kBar1 + 0x100000, std::vector<uint8_t>(256 * 48, 0x5A));
  for (const uint64_t gpa : {kSurfaceGpa, AeroGpuDev::kBar1 + 0x100000}) {
    dev.qemu.write(gpa, std::vector<uint8_t>(256 * 48, 0x5A));
    dev.setScanout({.gpa = gpa});
    EXPECT_EQ(dev.qemu.screendump().at(63, 47), 0x5A5A5Au) << std::hex << gpa;
    dev.setReg(AEROGPU_EXT_REG_VGA, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Start, Places,
    ::testing::Values(Place{"Pc", {}, "", {}, {}}, Place{"Q35", {}, "", {"-machine", "q35"}, {}},
                      Place{"RootPort",
                            {"-machine", "q35", "-device", "pcie-root-port,id=rp0,addr=5,chassis=1"},
                            ",bus=rp0,addr=0",
                            {},
                            AeroGpuDev::Behind{5, 0}},
                      Place{"PciBridge",
                            {"-machine", "pc", "-device", "pci-bridge,id=bridge,addr=5,chassis_nr=1"},
                            ",bus=bridge,addr=4",
                            {},
                            AeroGpuDev::Behind{5, 4}},
                      Place{"IommuThatIsOff", {"-machine", "q35", "-device", "intel-iommu"}, "", {}, {}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
