// SPDX-License-Identifier: MIT
// The choice of a device, and the message if there is none: with no driver, one, two, a broken one, an old
// one. The loader reads VK_DRIVER_FILES at each vkCreateInstance.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "aerogpu/vulkan_devices.h"
#include "renderer/test/drivers.h"
#include "renderer/test/vulkan_double.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

class DeviceChoiceTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() { keepDriversLoaded(); }
  void SetUp() override {
    char pattern[] = "/tmp/aerogpu-drivers-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    m_folder = pattern;
    if (const char* files = std::getenv("VK_DRIVER_FILES")) m_before = files;
    driver("one", m_library);
    driver("two", m_library);
    driver("broken", m_folder + "/missing.so");
    std::ofstream(m_folder + "/damaged.json") << "{ \"ICD\": ";
  }
  void TearDown() override {
    ageDevices(false);
    for (const char* name : {"one", "two", "broken", "damaged"})
      unlink((m_folder + "/" + name + ".json").c_str());
    rmdir(m_folder.c_str());
    if (m_before.empty())
      unsetenv("VK_DRIVER_FILES");
    else
      setenv("VK_DRIVER_FILES", m_before.c_str(), 1);
  }
  void driver(const char* name, const std::string& library) {
    std::ofstream(m_folder + "/" + name + ".json")
        << R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" << library
        << R"(", "api_version": "1.3.0"}})";
  }
  void drivers(std::initializer_list<const char*> names) {
    std::string list;
    for (const char* name : names) list += (list.empty() ? "" : ":") + m_folder + "/" + name + ".json";
    setenv("VK_DRIVER_FILES", list.c_str(), 1);
  }
  /// Returns the message of a failed creation; empty if it succeeds.
  static std::string tryDevice(const char* device, const char* backend = "vulkan") {
    Harness::Options options;
    options.backend = backend;
    options.vulkanDevice = device;
    const Harness harness(options);
    return harness.createError();
  }
  std::string m_folder, m_before;
  /// lavapipe, which the loader finds by this name.
  const std::string m_library = "libvulkan_lvp.so";
};

/// Returns one line a device: index, whether it is the default, why it is unfit.
std::string listed() {
  std::string text;
  char error[128] = "";
  const auto each = [](void* opaque, const aerogpu_vulkan_device* device) {
    *static_cast<std::string*>(opaque) += std::to_string(device->index) + (device->chosen ? " default" : "") +
                                          (device->unfit ? std::string(" ") + device->unfit : "") + "\n";
  };
  return aerogpu_list_vulkan_devices(each, &text, error, sizeof error) ? text : error;
}

TEST_F(DeviceChoiceTest, TheListSaysWhichIsFit) {
  drivers({"one", "two"});
  EXPECT_EQ(listed(), "0 default\n1\n");
  ageDevices(true);
  EXPECT_TRUE(std::regex_search(listed(), std::regex("^0 no Vulkan 1.1\\b.*\n1 no Vulkan 1.1\\b")))
      << listed();
  ageDevices(false);
  refuseDevices(true);
  const std::string refused = listed();
  refuseDevices(false);
  EXPECT_EQ(refused.rfind("0 default vkCreateDevice", 0), 0u) << refused;
  EXPECT_EQ(devicesAlive(), 0);
  drivers({"broken"});
  EXPECT_EQ(listed().rfind("no Vulkan", 0), 0u) << listed();
}

TEST_F(DeviceChoiceTest, NoDriver) {
  drivers({"damaged"});
  const std::string said = tryDevice("");
  EXPECT_NE(said.find("no Vulkan driver can be loaded"), std::string::npos) << said;
  EXPECT_EQ(tryDevice("", "auto"), "") << "auto goes on without a GPU";
}

TEST_F(DeviceChoiceTest, ABrokenDriverIsLikeNone) {
  drivers({"broken"});
  for (const char* device : {"", "0"}) {
    const std::string said = tryDevice(device);
    EXPECT_TRUE(std::regex_search(said, std::regex("no Vulkan (driver|device)"))) << said;
  }
  drivers({"broken", "one"});
  EXPECT_EQ(tryDevice(""), "");
}

TEST_F(DeviceChoiceTest, ByIndexAndByName) {
  drivers({"one", "two"});
  for (const char* device : {"", "0", "1", "llvmpipe", "LLVMpipe"})
    EXPECT_EQ(tryDevice(device), "") << device;
  for (const char* device : {"2", "999", "GeForce"}) {
    const std::string said = tryDevice(device);
    // Lists the devices by number and name.
    EXPECT_TRUE(
        std::regex_search(said, std::regex("\"" + std::string(device) + "\".*0 = llvmpipe.*1 = llvmpipe")))
        << said;
  }
  drivers({"two"});
  EXPECT_EQ(tryDevice("0"), "");
  EXPECT_NE(tryDevice("1"), "");
}

TEST_F(DeviceChoiceTest, AnOldDeviceIsNamed) {
  drivers({"one"});
  ageDevices(true);
  for (const char* device : {"", "0", "llvmpipe"}) {
    const std::string said = tryDevice(device);
    EXPECT_TRUE(std::regex_search(said, std::regex("0 = llvmpipe.*no Vulkan 1.1"))) << said;
  }
}

// What docs/use/install.md says that a GPU of Vulkan 1.1 needs, and one of 1.2.
constexpr const char* kNeeded11[] = {"VK_KHR_timeline_semaphore", "VK_KHR_create_renderpass2",
                                     "VK_KHR_depth_stencil_resolve"};
constexpr const char* kNeeded[] = {"VK_KHR_dynamic_rendering",       "VK_KHR_synchronization2",
                                   "VK_KHR_copy_commands2",          "VK_EXT_extended_dynamic_state",
                                   "VK_EXT_extended_dynamic_state2", "VK_KHR_maintenance4",
                                   "VK_EXT_image_robustness"};

TEST_F(DeviceChoiceTest, ALackingExtensionIsNamed) {
  drivers({"one"});
  const std::string before = deviceProfile() ? deviceProfile()->name : "";
  for (const char* profile : {"old", "old12"}) {
    SCOPED_TRACE(profile);
    playProfile(profile);
    EXPECT_EQ(listed(), "0 default\n");
    EXPECT_EQ(tryDevice(""), "");
    const auto lacking = [&](const char* extension, bool needed) {
      hideExtension(extension);
      const std::string lack = std::string("no ") + extension;
      EXPECT_EQ(listed(), needed ? "0 " + lack + "\n" : "0 default\n") << extension;
      if (!needed) return;
      for (const char* device : {"", "0"}) {
        const std::string said = tryDevice(device);
        EXPECT_TRUE(std::regex_search(said, std::regex("0 = llvmpipe.* \\(" + lack + "\\)"))) << said;
      }
    };
    for (const char* extension : kNeeded) lacking(extension, true);
    for (const char* extension : kNeeded11) lacking(extension, std::strcmp(profile, "old") == 0);
    hideExtension("");
  }
  playProfile("amd");
  hideExtension("VK_KHR_synchronization2");
  EXPECT_EQ(listed(), "0 default\n") << "part of Vulkan 1.3";
  hideExtension("");
  playProfile(before.c_str());
  EXPECT_EQ(takeBrokenRules(), std::vector<std::string>());
}

}  // namespace
}  // namespace aerogpu::test
