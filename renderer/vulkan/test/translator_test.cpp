// SPDX-License-Identifier: MIT
// The renderer with a translator process that is missing, that lies, and that dies: what the guest is told,
// and that all but DXBC shaders works. The process is chosen once, so these tests run in this order, in their
// own program.
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "aerogpu/renderer.h"
#include "renderer/test/dxbc_builder.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr const char* kMissing = "/nonexistent/aerogpu-translator";

class TranslatorTest : public DrawTest {
protected:
  static void SetUpTestSuite() {
    setenv("AEROGPU_TRANSLATOR", kMissing, 1);
    DrawTest::SetUpTestSuite();
  }
  void SetUp() override {
    if (++s_tests == 1) {
      const auto lines = gpu().takeErrorLines();
      ASSERT_EQ(lines.size(), 1u);
      EXPECT_NE(lines[0].find("DXBC shaders are refused"), std::string::npos) << lines[0];
      EXPECT_NE(lines[0].find(kMissing), std::string::npos) << lines[0];
    }
    DrawTest::SetUp();
  }
  uint32_t create(CommandWriter& w, uint32_t stage, const dxbc::Tokens& bytes) {
    aerogpu_cmd_create_shader_dxbc c{};
    c.shader_handle = gpu().handle();
    c.stage = stage;
    w.packet(c, bytes.data(), bytes.size() * 4);
    return c.shader_handle;
  }
  void expectD3d9Draws() {
    CommandWriter w;
    drawVertices(w, quad(0, 0, kSize, kSize, 0xFF336699));
    run(w);
    EXPECT_EQ(result(3, 3), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  }
  uint32_t codeOfDxbc() {
    CommandWriter w;
    create(w, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexCode());
    return runForError(w);
  }

  static int s_tests;
};
int TranslatorTest::s_tests = 0;

/// Returns the only process that runs `name` (its first 15 characters) and is a child of init.
pid_t processNamed(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    std::ifstream comm(entry.path() / "comm");
    std::string line;
    if (pid > 0 && std::getline(comm, line) && line == name) return pid;
  }
  return -1;
}

TEST_F(TranslatorTest, Missing) {
  EXPECT_EQ(codeOfDxbc(), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(gpu().takeErrorLines().size(), 1u);
  expectD3d9Draws();
}

TEST_F(TranslatorTest, LyingThenDead) {
  const char* program = std::getenv("AEROGPU_TEST_JOBS");
  ASSERT_TRUE(program);
  const std::string name = "xt" + std::to_string(getpid());
  const auto path = std::filesystem::temp_directory_path() / name;
  std::filesystem::create_symlink(program, path);
  char error[256] = "";
  const bool started = aerogpu_renderer_prepare_process(path.c_str(), error, sizeof error);
  std::filesystem::remove(path);
  ASSERT_TRUE(started) << error;

  // It answers with the request: that says 0 resources for a vertex shader, and too many for a pixel shader.
  EXPECT_EQ(codeOfDxbc(), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  CommandWriter w;
  create(w, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelCode());
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  expectD3d9Draws();

  const pid_t pid = processNamed(name);
  ASSERT_GT(pid, 0);
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  EXPECT_EQ(codeOfDxbc(), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(codeOfDxbc(), uint32_t{AEROGPU_ERROR_BACKEND});
  int told = 0;
  for (const std::string& line : gpu().takeErrorLines())
    told += line.find("translator process has ended") != std::string::npos;
  EXPECT_EQ(told, 1);
  expectD3d9Draws();
}

}  // namespace
}  // namespace aerogpu::test
