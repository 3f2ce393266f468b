// SPDX-License-Identifier: MIT
// Tests the property "status" (docs/use/monitoring.md): whose device it is, what it holds, its errors and
// their times; the VM's name in log lines and trace files.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr char kUuid[] = "4c4c4544-0042-3910-8054-b7c04f4b4431";
const std::vector<std::string> kNamed = {"-name", "guest=win \"7\",debug-threads=on", "-uuid", kUuid};

std::string status(AeroGpuDev& dev) {
  return dev.qemu.qmp("qom-get", R"({"path": "/machine/peripheral/gpu0", "property": "status"})");
}

/// Returns the first number after `"name": ` in the status.
uint64_t number(const std::string& text, const std::string& name) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, std::regex('"' + name + "\": ([0-9]+)")))
      << name << " in " << text;
  return found.empty() ? 0 : std::stoull(found[1]);
}

uint64_t nowUs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

/// The status has exactly the members that docs/use/monitoring.md lists.
TEST(Status, MembersAreThoseOfThePage) {
  std::ifstream page(AEROGPU_SOURCE_ROOT "/docs/use/monitoring.md");
  std::vector<std::string> names;
  for (std::string line; std::getline(page, line);) {
    std::smatch found;
    if (std::regex_search(line, found, std::regex("^\\| `([a-z-]+)` \\|"))) names.push_back(found[1]);
  }
  ASSERT_GT(names.size(), 30u);
  AeroGpuDev dev("renderer=null", kNamed);
  dev.startRing();
  CommandWriter w;
  packets::destroyResource(w, 1);
  packets::createBuffer(w, 1, 3);  // no multiple of 4
  dev.waitFence(dev.submit(w));
  const std::string text = status(dev);
  std::string rest = text;
  for (const std::string& name : names)
    EXPECT_NE(text.find('"' + name + "\": "), std::string::npos) << name << " in " << text;
  for (std::smatch found; std::regex_search(rest, found, std::regex("\"([a-z-]+)\": "));
       rest = found.suffix())
    EXPECT_TRUE(found[1] == "return" || std::find(names.begin(), names.end(), found[1]) != names.end())
        << found[1];
}

TEST(Status, NamesVmAndGpu) {
  AeroGpuDev dev("renderer=vulkan", kNamed);
  const std::string text = status(dev);
  EXPECT_NE(text.find(R"("vm-name": "win \"7\"")"), std::string::npos) << text;
  EXPECT_NE(text.find(std::string("\"vm-uuid\": \"") + kUuid), std::string::npos) << text;
  EXPECT_NE(text.find("\"gpu\": \"" + dev.qemu.stringProperty("gpu") + '"'), std::string::npos) << text;
  EXPECT_NE(text.find("\"version\": \"" + dev.qemu.stringProperty("version") + '"'), std::string::npos)
      << text;
  EXPECT_EQ(text.find("\"gpu-driver\": \"\""), std::string::npos) << text;
  AeroGpuDev nobody("renderer=null");
  const std::string without = status(nobody);
  for (const char* name : {"vm-name", "vm-uuid", "gpu", "gpu-driver"})
    EXPECT_NE(without.find('"' + std::string(name) + "\": \"\""), std::string::npos)
        << name << " in " << without;
}

TEST(Status, CountsWhatIsHeld) {
  AeroGpuDev dev;
  dev.startRing();
  const std::string before = status(dev);
  CommandWriter make, drop;
  packets::createBuffer(make, 1, 1 << 20);
  dev.waitFence(dev.submit(make, {.context = 5}));
  const std::string with = status(dev);
  EXPECT_GE(number(with, "buffers"), number(before, "buffers") + (1 << 20));
  EXPECT_EQ(number(with, "held"), static_cast<uint64_t>(dev.qemu.property("host-memory")));
  EXPECT_EQ(number(with, "limit"), static_cast<uint64_t>(dev.qemu.property("max_hostmem")));
  EXPECT_EQ(number(with, "objects"), 1u);
  EXPECT_EQ(number(with, "contexts"), 1u);
  EXPECT_EQ(number(with, "submissions-unfinished"), 0u);
  // Without spaces everything belongs to space 0.
  const std::string processes = with.substr(with.find("\"processes\""));
  EXPECT_EQ(number(processes, "host-memory"), number(with, "held"));
  packets::destroyResource(drop, 1);
  dev.waitFence(dev.submit(drop, {.context = 5}));
  EXPECT_EQ(number(status(dev), "objects"), 0u);
  EXPECT_EQ(number(status(dev), "buffers"), number(before, "buffers"));
}

/// The status has the newest 16 errors, with fence and time; the log has a line that says what was wrong.
TEST(Status, LastErrorsWithTheirTime) {
  AeroGpuDev dev("renderer=null,process=off");  // which has nothing else to say
  dev.startRing();
  CommandWriter bad;
  packets::createBuffer(bad, 1, 3);
  const uint64_t begin = nowUs();
  uint64_t fence = 0;
  for (int i = 0; i < 20; ++i) dev.waitFence(fence = dev.submit(bad));
  const uint64_t end = nowUs();
  std::string text = status(dev);
  EXPECT_EQ(number(text, "errors-ever"), 20u);
  std::vector<uint64_t> fences;
  const std::regex entry(R"re(\{([^{}]*"fence": [^{}]*)\})re");
  for (std::smatch found; std::regex_search(text, found, entry); text = found.suffix()) {
    const std::string one = found[1];
    fences.push_back(number(one, "fence"));
    EXPECT_GE(number(one, "time-us"), begin);
    EXPECT_LE(number(one, "time-us"), end);
    EXPECT_EQ(number(one, "count"), 1u);
    EXPECT_NE(one.find("\"error\": \"cmd-decode\""), std::string::npos) << one;
  }
  ASSERT_EQ(fences.size(), 16u);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(fences[i], fence - 15 + i);
  EXPECT_NE(status(dev).find("\"fault-of\": \"guest\""), std::string::npos) << status(dev);
  EXPECT_EQ(dev.qemu.output().find("aerogpu: "), std::string::npos) << dev.qemu.output();
}

TEST(Status, LogLinesSayWhoseTheyAre) {
  std::vector<std::string> options = kNamed;
  options.insert(options.end(), {"-d", "guest_errors"});
  AeroGpuDev dev("renderer=null", options);
  dev.startRing();
  CommandWriter bad;
  packets::createBuffer(bad, 1, 3);
  dev.waitFence(dev.submit(bad));
  EXPECT_NE(dev.qemu.output().find(std::string("aerogpu [win \"7\" ") + kUuid + "]: "), std::string::npos)
      << dev.qemu.output();
}

// TRACE-11
TEST(Status, FailureCaptureHasTheCulprit) {
  AeroGpuDev dev("renderer=null,failure_capture=recent.aerogputrace", kNamed);
  const std::filesystem::path file =
      std::filesystem::read_symlink("/proc/" + std::to_string(dev.qemu.pid()) + "/cwd") /
      "recent.aerogputrace";
  std::filesystem::remove(file);
  dev.startRing();
  CommandWriter good, bad;
  packets::createBuffer(good, 1, 256);
  packets::createBuffer(bad, 2, 3);
  dev.waitFence(dev.submit(good));
  EXPECT_FALSE(std::filesystem::exists(file));
  dev.waitFence(dev.submit(bad));
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(bytes.find("\"vm_name\":\"win \\\"7\\\"\""), std::string::npos);
  EXPECT_NE(bytes.find(kUuid), std::string::npos);
  for (const CommandWriter* w : {&good, &bad})
    EXPECT_NE(bytes.find(std::string(reinterpret_cast<const char*>(w->data()), w->size())),
              std::string::npos);
  EXPECT_NE(status(dev).find("recent.aerogputrace"), std::string::npos) << "it is a message of the host's";
  std::filesystem::remove(file);
}

TEST(Status, FailureCaptureIsBounded) {
  for (const char* size : {"1k", "2G"}) {
    const Refusal refusal =
        startRefused(std::string("renderer=null,failure_capture=/tmp/x,failure_capture_mem=") + size);
    EXPECT_NE(refusal.status, 0);
    EXPECT_NE(refusal.output.find("64 KiB to 1 GiB"), std::string::npos) << refusal.output;
  }
}

}  // namespace
