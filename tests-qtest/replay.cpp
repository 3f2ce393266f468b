// SPDX-License-Identifier: MIT
#include "tests-qtest/replay.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace aerogpu::qtest {

std::string capturePath(const std::string& name) {
  return (std::filesystem::temp_directory_path() /
          ("aerogpu-qtest-" + name + "-" + std::to_string(::getpid())))
      .string();
}

std::vector<uint8_t> replayedFrame(const std::string& trace, const std::string& backend) {
  // The build passes the programs; libpng, not our writer, turns a PNG's pixels back into plain bytes.
  const std::string png = trace + ".png", raw = trace + ".rgb";
  const auto run = [](const std::string& command) { return std::system(command.c_str()); };
  const auto program = [](const char* variable) {
    const char* path = std::getenv(variable);
    EXPECT_NE(path, nullptr) << variable << " is not set";
    return std::string(path ? path : "false");
  };
  EXPECT_EQ(run(program("AEROGPU_REPLAY") + " --backend " + backend + " --png " + png + " " + trace +
                " >/dev/null"),
            0);
  EXPECT_EQ(run(program("AEROGPU_PNG_RGB") + " " + png + " " + raw), 0);
  std::ifstream file(raw, std::ios::binary);
  std::vector<uint8_t> rgb(std::istreambuf_iterator<char>(file), {});
  for (const std::string& path : {trace, png, raw}) std::filesystem::remove(path);
  return rgb;
}

}  // namespace aerogpu::qtest
