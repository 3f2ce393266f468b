// SPDX-License-Identifier: MIT
// main() of the test programs that hold a folder's tests: `--file=NAME` runs those of NAME.cpp alone, which
// is how each file stays one test for meson. A filter beside it can only leave tests out
// (--gtest_filter=-...).
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "renderer/test/move_mode.h"

namespace {

/// GoogleTest's filter for the tests that stand in `stem`.cpp; empty if there are none.
std::string testsOfFile(const std::string& stem) {
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (std::filesystem::path(test.file()).stem() != stem) continue;
      filter += (filter.empty() ? "" : ":") + std::string(suite.name()) + "." + test.name();
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  aerogpu::test::runningTest = [] {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    return test ? std::string(test->test_suite_name()) + "." + test->name() : std::string();
  };
  constexpr std::string_view kFile = "--file=";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") continue;  // GoogleTest's too, which it leaves here
    if (!argument.starts_with(kFile)) {
      std::fprintf(stderr, "%s: '%s' is no option; --file=NAME and GoogleTest's are (--help)\n", argv[0],
                   argv[i]);
      return 2;
    }
    const std::string filter = testsOfFile(argument.substr(kFile.size()));
    if (filter.empty()) {
      std::fprintf(stderr, "%s: no test stands in a file '%s.cpp'\n", argv[0],
                   argument.substr(kFile.size()).c_str());
      return 2;
    }
    const std::string others = GTEST_FLAG_GET(filter);
    if (others != "*" && !others.starts_with('-')) {
      std::fprintf(stderr, "%s: beside --file, a filter begins with '-'; this one is '%s'\n", argv[0],
                   others.c_str());
      return 2;
    }
    GTEST_FLAG_SET(filter, others == "*" ? filter : filter + others);
  }
  return RUN_ALL_TESTS();
}
