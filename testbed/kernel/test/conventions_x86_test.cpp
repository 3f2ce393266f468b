// SPDX-License-Identifier: MIT
// Compares how many bytes each export pops on x86 with the decorated names in mingw-w64's import libraries:
// _stdcall@bytes, @fastcall@bytes, _cdecl. Argument 1: the libraries' symbols as listed by nm.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string_view>

#include "testbed/kernel/nt/nt.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {
namespace {

std::string s_symbols;

std::string decorated(const Export& row) {
  const std::string bytes = "@" + std::to_string(row.convention.argumentBytes);
  switch (row.convention.kind) {
    case Convention::Stdcall:
      return std::string("_") + row.name + bytes;
    case Convention::Fastcall:
      return std::string("@") + row.name + bytes;
    default:
      return std::string("_") + row.name;
  }
}

TEST(Conventions, AreThoseOfTheImportLibraries) {
  std::ifstream file(s_symbols);
  std::set<std::string> symbols;
  for (std::string line; std::getline(file, line);)
    if (const size_t at = line.find(" T "); at != std::string::npos) symbols.insert(line.substr(at + 3));
  ASSERT_GT(symbols.size(), 1000u);
  unsigned functions = 0;
  for (const auto table : {poolExports(), irqlExports(), waitExports(), deferredExports(), memoryExports(),
                           registryExports(), runtimeExports(), ioExports()})
    for (const Export& row : table) {
      if (row.flags & kExportData) continue;
      ++functions;
      EXPECT_TRUE(symbols.count(decorated(row))) << decorated(row) << " is not there";
    }
  EXPECT_GT(functions, 100u);
}

// The clock's interrupt keeps this count (page KeQueryInterruptTime), and an x64 driver reads it in
// KUSER_SHARED_DATA: two different counts could seem to run backwards.
TEST(Time, TheInterruptTimeMovesByTicks) {
  for (const Export& row : irqlExports()) {
    if (std::string_view(row.name) != "KeQueryInterruptTime") continue;
    const auto query = reinterpret_cast<uint64_t(HOST_API*)()>(reinterpret_cast<uintptr_t>(row.function));
    const uint64_t before = interruptTime(), now = query();
    EXPECT_EQ(now % static_cast<uint64_t>(kDefaultClockTick), 0u);
    EXPECT_GE(now, before);
    return;
  }
  FAIL() << "there is no KeQueryInterruptTime";
}

}  // namespace
}  // namespace aerogpu::host

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2) return 2;
  aerogpu::host::s_symbols = argv[1];
  return RUN_ALL_TESTS();
}
