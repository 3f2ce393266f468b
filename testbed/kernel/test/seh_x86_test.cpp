// SPDX-License-Identifier: MIT
// Tests the loader and exception handling with an x86 image (seh_driver_x86.c). Argument 1: its path.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "testbed/kernel/core/exports.h"
#include "testbed/kernel/core/fault.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/core/seh.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {
namespace {

std::string s_path;

HOST_API void testRaise(int32_t status) {
  raiseFromExport(static_cast<uint32_t>(status));
}

const Export kExports[] = {exportRow("ExRaiseStatus", testRaise, kPassiveLevel, kExportMayRaise)};

void* resolve(const char* dll, const char* name) {
  if (std::strcmp(dll, "ntoskrnl.exe") != 0) return nullptr;
  for (const Export& e : kExports)
    if (std::strcmp(e.name, name) == 0) return exportThunk(e);
  return nullptr;
}

struct Tests {
  uint32_t(HOST_API* guardedCopy)(void*, const void*, size_t);
  uint32_t(HOST_API* nested)(const uint32_t*, uint32_t*, uint32_t*);
  uint32_t(HOST_API* raised)(uint32_t);
  uint32_t(HOST_API* unhandled)(const uint32_t*);
  uint32_t(HOST_API* broken)(const uint32_t*, void*, uint32_t);
  void(HOST_API* forgetful)();
};

std::vector<uint8_t> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SehX86 : public testing::Test {
protected:
  void SetUp() override {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const Status status = m_image.loadFile(s_path, resolve);
    ASSERT_TRUE(status.ok()) << status.text();
    start(m_image);
    resetBrokenRules();
  }
  void TearDown() override { setDriverImage(nullptr); }

  void start(PeImage& image) {
    setDriverImage(&image);
    attachThread("test");
    installFaultHandlers({});
    using Entry = int32_t(HOST_API*)(Tests*, void*);
    ASSERT_EQ(reinterpret_cast<Entry>(image.entry())(&m_tests, nullptr), 0);
  }
  static const uint32_t* bad() { return reinterpret_cast<const uint32_t*>(0x5000); }

  PeImage m_image;
  Tests m_tests{};
};

TEST_F(SehX86, TheGuardedCopyThatShips) {
  char to[64] = {};
  EXPECT_EQ(m_tests.guardedCopy(to, "text", 5), 0u);
  EXPECT_STREQ(to, "text");
  EXPECT_EQ(m_tests.guardedCopy(to, bad(), 64), kStatusAccessViolation);
  EXPECT_EQ(m_tests.guardedCopy(const_cast<uint32_t*>(bad()), to, 64), kStatusAccessViolation);
  // The bytes before the fault have been copied; the list ends where it did.
  auto* page = static_cast<char*>(allocateUserMemory(4096));
  ASSERT_NE(page, nullptr);
  const char last[] = {'l', 'a', 's', 't'};
  std::memcpy(page + 4092, last, sizeof last);
  EXPECT_EQ(m_tests.guardedCopy(to, page + 4092, 8), kStatusAccessViolation);
  EXPECT_EQ(std::memcmp(to, last, sizeof last), 0);
  EXPECT_EQ(currentThread()->block.exceptionList, kSehChainEnd);
  freeUserMemory(page, 4096);
}

TEST_F(SehX86, HandlersFromTheInnermostOut) {
  uint32_t order = 0, kept = 0;
  EXPECT_EQ(m_tests.nested(bad(), &order, &kept), 0x600Du);
  EXPECT_EQ(order, 12u);
  EXPECT_EQ(kept, 0xB5Du);  // registers
}

TEST_F(SehX86, WhatAnExportRaisesIsNotContinued) {
  EXPECT_EXIT(m_tests.raised(0xC0000123), testing::ExitedWithCode(kBugCheckExit), "");
}

TEST_F(SehX86, EveryThreadHasItsOwnList) {
  uint32_t results[2] = {};
  currentThread()->block.exceptionList = nullptr;  // outside the driver's calls
  std::thread other([&] {
    attachThread("other");
    for (unsigned i = 0; i < 1000; ++i) {
      char to[4];
      results[0] += m_tests.guardedCopy(to, bad(), 4) == kStatusAccessViolation;
    }
  });
  currentThread()->block.exceptionList = kSehChainEnd;
  for (unsigned i = 0; i < 1000; ++i) {
    char to[4];
    results[1] += m_tests.guardedCopy(to, bad(), 4) == kStatusAccessViolation;
  }
  other.join();
  EXPECT_EQ(results[0], 1000u);
  EXPECT_EQ(results[1], 1000u);
}

TEST_F(SehX86, WhatEndsInABugCheck) {
  char to[4];
  EXPECT_EXIT(m_tests.unhandled(bad()), testing::ExitedWithCode(kBugCheckExit), "");
  EXPECT_EXIT(m_tests.guardedCopy(to, reinterpret_cast<void*>(kUserProbeAddress), 4),
              testing::ExitedWithCode(kBugCheckExit), "");
  EXPECT_EXIT(
      {
        currentThread()->block.irql = kDispatchLevel;
        m_tests.guardedCopy(to, bad(), 4);
      },
      testing::ExitedWithCode(kBugCheckExit), "");
  // A handler outside the driver's code; a record outside the stack.
  EXPECT_EXIT(m_tests.broken(bad(), nullptr, 0x1234), testing::ExitedWithCode(kBugCheckExit), "");
  static uint32_t elsewhere[2];
  EXPECT_EXIT(m_tests.broken(bad(), elsewhere, 0), testing::ExitedWithCode(kBugCheckExit), "");
}

TEST_F(SehX86, AnImageWithoutSehHandlesNothing) {
  std::vector<uint8_t> file = readFile(s_path);
  uint32_t nt;
  std::memcpy(&nt, file.data() + 0x3C, 4);
  file[nt + 24 + 71] |= 4;  // IMAGE_DLLCHARACTERISTICS_NO_SEH
  const uint32_t sum = peChecksum(file, nt + 24 + 64);
  std::memcpy(file.data() + nt + 24 + 64, &sum, 4);
  PeImage image;
  const Status status = image.load(file, "noseh", resolve);
  ASSERT_TRUE(status.ok()) << status.text();
  start(image);
  char to[4];
  EXPECT_EXIT(m_tests.guardedCopy(to, bad(), 4), testing::ExitedWithCode(kBugCheckExit), "");
}

TEST_F(SehX86, AHandlerThatStaysRegisteredIsABrokenRule) {
  currentThread()->driverEntryRsp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  m_tests.forgetful();
  checkThreadBalanced("a test", kPassiveLevel);
  EXPECT_EQ(brokenRules(), 1u);
  EXPECT_EQ(currentThread()->block.exceptionList, kSehChainEnd);
}

TEST_F(SehX86, OtherMachinesAreRefused) {
  std::vector<uint8_t> file = readFile(s_path);
  uint32_t nt;
  std::memcpy(&nt, file.data() + 0x3C, 4);
  file[nt + 4] = 0x64, file[nt + 5] = 0x86;
  PeImage image;
  EXPECT_EQ(image.load(file, "x64.sys", resolve).text(), "x64.sys: machine 0x8664, not 0x14c");
}

}  // namespace
}  // namespace aerogpu::host

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2 || !aerogpu::host::reserveUserMemory()) return 2;
  aerogpu::host::s_path = argv[1];
  return RUN_ALL_TESTS();
}
