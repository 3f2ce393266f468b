// SPDX-License-Identifier: MIT
#include "tests-qtest/renderer_process.h"

#include <gtest/gtest.h>

#include <regex>

namespace aerogpu::qtest {

std::vector<std::string> sharedRam() {
  return {"-object", "memory-backend-memfd,id=ram,size=64M,share=on", "-machine", "memory-backend=ram"};
}

std::string aboutProcess(AeroGpuDev& dev, const std::string& member) {
  const std::string status =
      dev.qemu.qmp("qom-get", R"({"path": "/machine/peripheral/gpu0", "property": "status"})");
  std::smatch found;
  const std::regex wanted("\"renderer-process\": \\{[^}]*\"" + member + "\": \"?([^,\"}]*)");
  EXPECT_TRUE(std::regex_search(status, found, wanted)) << member << " in " << status;
  return found.empty() ? "" : found[1].str();
}

pid_t renderersProcess(AeroGpuDev& dev) {
  return static_cast<pid_t>(std::stol("0" + aboutProcess(dev, "id")));
}

}  // namespace aerogpu::qtest
