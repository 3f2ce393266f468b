// SPDX-License-Identifier: MIT
// Tests the device under the sandbox that libvirt gives every QEMU (seccomp: no new processes, no other
// users, no scheduling): shaders of both kinds are translated, drawn and shown, and QEMU survives the end of
// the translator.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/test/dxbc_builder.h"
#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace d3d9 = aerogpu::d3d9;
namespace dxbc = aerogpu::test::dxbc;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 64, kHeight = 48, kPitch = kWidth * 4;
constexpr uint32_t kTarget = 1, kLeft = 2, kRight = 3, kLayout = 4, kVs9 = 5, kPs9 = 6, kVs10 = 7, kPs10 = 8;

struct Vertex {
  float x, y, z;
  uint32_t color;  ///< D3DCOLOR
};
struct Element {  // D3DVERTEXELEMENT9
  uint16_t stream, offset;
  uint8_t type, method, usage, index;
};

std::span<const uint8_t> bytesOf(const auto& items) {
  return {reinterpret_cast<const uint8_t*>(items.data()), items.size() * sizeof items[0]};
}

/// Returns two triangles over half of the target, from x to x + 1 in clip space.
std::vector<Vertex> half(float x, uint32_t color) {
  const Vertex a{x, 1, 0.5f, color}, b{x + 1, 1, 0.5f, color}, c{x, -1, 0.5f, color},
      d{x + 1, -1, 0.5f, color};
  return {a, b, c, c, b, d};
}

std::string statusLine(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name + ":\t", 0) == 0) return line.substr(name.size() + 2);
  return "0";
}

pid_t processNamed(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && statusLine(pid, "Name") == name) return pid;
  }
  return -1;
}

class Sandbox : public testing::Test {
protected:
  void SetUp() override {
    // A unique name, so that this QEMU's translator can be told from those of other tests.
    const char* program = std::getenv("AEROGPU_TRANSLATOR_PROGRAM");
    ASSERT_TRUE(program);
    m_name = "sb" + std::to_string(getpid());
    m_link = std::filesystem::temp_directory_path() / m_name;
    std::filesystem::remove(m_link);
    std::filesystem::create_symlink(program, m_link);
    setenv("AEROGPU_TRANSLATOR", m_link.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove(m_link); }

  static void createDxbc(CommandWriter& w, uint32_t handle, uint32_t stage, const dxbc::Tokens& code) {
    packets::createShader(w, handle, stage, code);
  }
  static void createD3d9(CommandWriter& w, uint32_t handle, uint32_t stage, const char* source) {
    const d3d9::Assembly assembly = d3d9::assemble(source);
    ASSERT_TRUE(assembly.ok()) << assembly.errorText();
    packets::createShader(w, handle, stage, assembly.tokens);
  }

  std::string m_name;
  std::filesystem::path m_link;
};

/// True if this QEMU was built with a sandbox; a QEMU without one exits at the option. Here the translator
/// keeps its ordinary name: it may outlive QEMU for a moment, and tests look for a translator by its name.
bool hasSandbox() {
  const std::string translator = std::getenv("AEROGPU_TRANSLATOR");
  unsetenv("AEROGPU_TRANSLATOR");
  const bool has = runToExit({"-sandbox", "on", "-machine", "help"}).status == 0;
  setenv("AEROGPU_TRANSLATOR", translator.c_str(), 1);
  return has;
}

TEST_F(Sandbox, OfLibvirtLeavesTheDeviceWhole) {
  if (!hasSandbox()) GTEST_SKIP() << "this QEMU was built without seccomp: it has no -sandbox";
  AeroGpuDev dev("renderer=vulkan",
                 {"-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"});
  // Its filters were added to those that this process has.
  ASSERT_GT(std::stoi(statusLine(dev.qemu.pid(), "Seccomp_filters")),
            std::stoi(statusLine(getpid(), "Seccomp_filters")));
  dev.startRing();
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, uint64_t{kPitch} * kHeight, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  const auto submit = [&](const CommandWriter& w, uint32_t flags = 0) {
    dev.waitFence(dev.submit(w, {.flags = flags, .table = table}));
  };

  CommandWriter w;
  packets::createTexture(w, {.handle = kTarget,
                             .width = kWidth,
                             .height = kHeight,
                             .usage = packets::kShown,
                             .rowPitch = kPitch,
                             .allocId = 1});
  const auto left = half(-1, 0xFFFF0000), right = half(0, 0xFF00FF00);
  for (const auto& [handle, vertices] : {std::pair(kLeft, left), std::pair(kRight, right)}) {
    packets::createBuffer(w, handle, bytesOf(vertices).size(), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
    packets::upload(w, handle, 0, bytesOf(vertices));
  }
  const std::vector<Element> elements = {
      {0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}, {0xFF, 0, 17, 0, 0, 0}};  // FLOAT3 position, D3DCOLOR, end
  packets::useInputLayout(w, kLayout, bytesOf(elements));
  createD3d9(w, kVs9, AEROGPU_SHADER_STAGE_VERTEX,
             "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\n");
  createD3d9(w, kPs9, AEROGPU_SHADER_STAGE_PIXEL, "ps_2_0\ndcl v0\nmov oC0, v0\n");
  createDxbc(w, kVs10, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexCode());
  createDxbc(w, kPs10, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelCode());
  packets::setTarget(w, kTarget);
  packets::clearColor(w, {0, 0, 1, 1});
  aerogpu_cmd_set_viewport viewport{};
  viewport.width_f32 = std::bit_cast<uint32_t>(float{kWidth});
  viewport.height_f32 = std::bit_cast<uint32_t>(float{kHeight});
  viewport.max_depth_f32 = std::bit_cast<uint32_t>(1.0f);
  w.packet(viewport);
  aerogpu_cmd_set_render_state noCulling{};
  noCulling.state = 22;  // D3DRS_CULLMODE
  noCulling.value = 1;
  w.packet(noCulling);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  packets::bindShaders(w, kVs9, kPs9);
  packets::setVertexBuffer(w, 0, kLeft, sizeof(Vertex));
  packets::draw(w, 6);
  packets::bindShaders(w, kVs10, kPs10);
  packets::setVertexBuffer(w, 0, kRight, sizeof(Vertex));
  packets::draw(w, 6);
  packets::present(w);
  submit(w, AEROGPU_SUBMIT_FLAG_PRESENT);
  ASSERT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  const Picture picture = dev.qemu.screendump();
  ASSERT_EQ(picture.width, kWidth);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x)
      ASSERT_EQ(picture.at(x, y), x < kWidth / 2 ? 0xFF0000u : 0x00FF00u) << x << "," << y;

  // Without its translator it continues, and logs that once.
  const pid_t translator = processNamed(m_name);
  ASSERT_GT(translator, 0);
  ASSERT_EQ(kill(translator, SIGKILL), 0);
  for (uint32_t i = 0; i < 2; ++i) {
    CommandWriter more;
    dxbc::Tokens other = dxbc::pixelCode();
    other.push_back(i);  // after the container, but with other bytes
    createDxbc(more, 20 + i, AEROGPU_SHADER_STAGE_PIXEL, other);
    submit(more);
    EXPECT_EQ(dev.errorCount(), i + 1);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  }
  const std::string output = dev.qemu.output();
  const std::string told = "the shader translator process has ended";
  const size_t first = output.find(told);
  ASSERT_NE(first, std::string::npos) << output;
  EXPECT_EQ(output.find(told, first + 1), std::string::npos) << output;
  EXPECT_EQ(dev.qemu.quit(), 0);
}

TEST_F(Sandbox, TranslatorEndsWithQemu) {
  const auto gone = [&] {
    for (int i = 0; i < 20'000 && processNamed(m_name) > 0; ++i) usleep(1000);
    return processNamed(m_name) < 0;
  };
  {
    AeroGpuDev dev;
    EXPECT_GT(processNamed(m_name), 0);
    EXPECT_EQ(dev.qemu.quit(), 0);
  }
  EXPECT_TRUE(gone());
  {
    AeroGpuDev killed;  // by the destructor, with SIGKILL
    EXPECT_GT(processNamed(m_name), 0);
  }
  EXPECT_TRUE(gone());
  startRefused("renderer=none");
  EXPECT_TRUE(gone());
}

}  // namespace
