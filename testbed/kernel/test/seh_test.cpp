// SPDX-License-Identifier: MIT
// Tests the loader and exception handling with an image that clang compiled (seh_driver.c). Argument 1: its
// path.
#include "testbed/kernel/core/seh.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "testbed/kernel/core/exports.h"
#include "testbed/kernel/core/fault.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"

namespace aerogpu::host {
namespace {

std::string s_path;
std::atomic<uint64_t> s_irql{0};

__attribute__((ms_abi)) void* testMemcpy(void* to, const void* from, uint64_t bytes) {
  return std::memcpy(to, from, bytes);
}
__attribute__((ms_abi)) void testRaise(int32_t status) {
  raiseFromExport(static_cast<uint32_t>(status));
}

const Export kExports[] = {
    exportRow("memcpy", testMemcpy, kHighLevel, kExportMayRaise),
    exportRow("ExRaiseStatus", testRaise, kPassiveLevel, kExportMayRaise),
    exportRow("__C_specific_handler", cSpecificHandler, kHighLevel),
};

void* resolve(const char* dll, const char* name) {
  if (std::strcmp(dll, "ntoskrnl.exe") != 0) return nullptr;
  for (const Export& e : kExports)
    if (std::strcmp(e.name, name) == 0) return exportThunk(e);
  return nullptr;
}

struct Tests {
  uint32_t(__attribute__((ms_abi)) * read)(const uint32_t*, uint32_t*);
  uint32_t(__attribute__((ms_abi)) * copy)(void*, const void*, uint64_t);
  uint32_t(__attribute__((ms_abi)) * nested)(const uint32_t*, uint32_t*);
  uint32_t(__attribute__((ms_abi)) * filtered)(const uint32_t*, uint32_t);
  uint32_t(__attribute__((ms_abi)) * raised)(uint32_t);
  uint32_t(__attribute__((ms_abi)) * divided)(uint32_t);
  uint32_t(__attribute__((ms_abi)) * preserved)(const uint32_t*);
  uint32_t(__attribute__((ms_abi)) * breakpoint)();
  uint64_t(__attribute__((ms_abi)) * irql)(uint64_t);
  uint32_t(__attribute__((ms_abi)) * unhandled)(const uint32_t*);
  uint64_t(__attribute__((ms_abi)) * sharedData)(uint32_t*);
  uint32_t(__attribute__((ms_abi)) * jump)(const void*);
  uint32_t(__attribute__((ms_abi)) * big)(const uint32_t*, uint32_t*);
  uint32_t(__attribute__((ms_abi)) * guardedCopy)(void*, const void*, uint64_t);
};

class Seh : public testing::Test {
protected:
  void SetUp() override {
    const Status status = m_image.loadFile(s_path, resolve);
    ASSERT_TRUE(status.ok()) << status.text();
    setDriverImage(&m_image);
    attachThread("test");
    installFaultHandlers({[] { return static_cast<uint8_t>(s_irql.load()); }, [](uint64_t v) { s_irql = v; },
                          [](uint32_t offset, unsigned bytes) -> uint64_t {
                            return offset == 8 && bytes == 8 ? 0x123456789A : offset == 0x270 ? 1 : 0;
                          }});
    using Entry = int32_t(__attribute__((ms_abi))*)(Tests*, void*);
    ASSERT_EQ(reinterpret_cast<Entry>(m_image.entry())(&m_tests, nullptr), 0);
  }
  void TearDown() override { setDriverImage(nullptr); }

  static const uint32_t* bad() { return reinterpret_cast<const uint32_t*>(0x5000); }

  PeImage m_image;
  Tests m_tests{};
};

TEST_F(Seh, FaultInALeafBelowTry) {
  uint32_t value = 0;
  const uint32_t source = 42;
  EXPECT_EQ(m_tests.read(&source, &value), 0u);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(m_tests.read(bad(), &value), kStatusAccessViolation);
}

TEST_F(Seh, FaultInsideOfAnExport) {
  char to[64];
  EXPECT_EQ(m_tests.copy(to, "text", 5), 0u);
  EXPECT_EQ(m_tests.copy(to, bad(), 64), kStatusAccessViolation);
  EXPECT_EQ(currentCaller(), 0u);  // the export was left
}

TEST_F(Seh, FiltersRunBeforeTermination) {
  uint32_t log = 0;
  EXPECT_EQ(m_tests.nested(bad(), &log), 1324u);
}

TEST_F(Seh, FilterFunctionDecides) {
  EXPECT_EQ(m_tests.filtered(bad(), kStatusAccessViolation), 1u);
  EXPECT_EQ(m_tests.filtered(bad(), kStatusBreakpoint), 2u);
}

TEST_F(Seh, RaisedStatus) {
  EXPECT_EQ(m_tests.raised(0xC000009A), 0xC000009Au);
}

TEST_F(Seh, OtherFaults) {
  EXPECT_EQ(m_tests.divided(0), kStatusIntegerDivideByZero);
  EXPECT_EQ(m_tests.divided(10), 100u);
  EXPECT_EQ(m_tests.breakpoint(), kStatusBreakpoint);
}

TEST_F(Seh, NonVolatileRegistersComeBack) {
  uint64_t rbx = 0x1111, r12 = 0x2222;
  const uint32_t result = m_tests.preserved(bad());
  EXPECT_EQ(result, 7u);
  EXPECT_EQ(rbx, 0x1111u);
  EXPECT_EQ(r12, 0x2222u);
}

TEST_F(Seh, LargeFrameWithFramePointer) {
  uint32_t value = 0;
  const uint32_t source = 41;
  EXPECT_EQ(m_tests.big(&source, &value), 0u);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(m_tests.big(bad(), &value), kStatusAccessViolation + 1);
}

// kmd/user_copy_x64.c as it ships; the x86 one has a separate program (kmd/user_copy_x86_test.c).
TEST_F(Seh, GuardedCopyOfTheDriver) {
  constexpr size_t kPage = 4096;
  auto* const pages =
      static_cast<uint8_t*>(mmap(reinterpret_cast<void*>(0x10000000), 2 * kPage, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  for (size_t i = 0; i < 2 * kPage; ++i) pages[i] = static_cast<uint8_t>(i * 7 + 1);
  std::vector<uint8_t> to(2 * kPage, 0xEE);
  EXPECT_EQ(m_tests.guardedCopy(to.data(), pages, to.size()), 0u);
  EXPECT_EQ(std::memcmp(to.data(), pages, to.size()), 0);
  EXPECT_EQ(m_tests.guardedCopy(to.data(), bad(), 8), kStatusAccessViolation);
  EXPECT_EQ(m_tests.guardedCopy(reinterpret_cast<void*>(0x5000), pages, 8), kStatusAccessViolation);
  EXPECT_EQ(m_tests.guardedCopy(to.data(), bad(), 0), 0u);

  // Half of it is mapped: the bytes before the gap are copied, none after it.
  ASSERT_EQ(mprotect(pages + kPage, kPage, PROT_NONE), 0);
  for (const size_t lead : {size_t{1}, size_t{100}, kPage}) {
    std::fill(to.begin(), to.end(), 0xEE);
    EXPECT_EQ(m_tests.guardedCopy(to.data(), pages + kPage - lead, lead + 50), kStatusAccessViolation);
    EXPECT_EQ(std::memcmp(to.data(), pages + kPage - lead, lead), 0);
    EXPECT_EQ(std::count(to.begin(), to.end(), 0xEE) >= static_cast<ptrdiff_t>(to.size() - lead), true);
    EXPECT_EQ(to[lead], 0xEE);
  }
  // Another thread unmaps it and maps it again: the copy is whole or a prefix, at any moment.
  std::atomic<bool> stop{false};
  std::thread flipper([&] {
    while (!stop)
      for (const int access : {PROT_NONE, PROT_READ | PROT_WRITE}) mprotect(pages + kPage, kPage, access);
  });
  unsigned whole = 0, cut = 0;
  for (int i = 0; i < 500000 && (whole < 200 || cut < 200); ++i) {
    std::fill(to.begin(), to.end(), 0xEE);
    const uint32_t status = m_tests.guardedCopy(to.data(), pages, to.size());
    ASSERT_TRUE(status == 0 || status == kStatusAccessViolation) << std::hex << status;
    ++(status == 0 ? whole : cut);
    size_t copied = 0;
    while (copied < to.size() && to[copied] == static_cast<uint8_t>(copied * 7 + 1)) ++copied;
    if (status == 0) {
      ASSERT_EQ(copied, to.size());
    } else {
      ASSERT_GE(copied, kPage);
    }
  }
  stop = true;
  flipper.join();
  EXPECT_GT(whole, 0u);
  EXPECT_GT(cut, 0u);
  munmap(pages, 2 * kPage);
}

TEST_F(Seh, IrqlRegisterIsEmulated) {
  s_irql = 1;
  EXPECT_EQ(m_tests.irql(2), 1u);
  EXPECT_EQ(s_irql, 2u);
}

TEST_F(Seh, SharedUserDataIsEmulated) {
  uint32_t minor = 0;
  EXPECT_EQ(m_tests.sharedData(&minor), 0x123456789Au);
  EXPECT_EQ(minor, 1u);
}

TEST_F(Seh, HandlersWorkOnEveryThread) {
  std::thread([&] {
    attachThread("second");
    uint32_t value = 0;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(m_tests.read(bad(), &value), kStatusAccessViolation);
  }).join();
}

using SehDeath = Seh;

TEST_F(SehDeath, UnhandledIsABugCheck) {
  EXPECT_EXIT(m_tests.unhandled(bad()), testing::ExitedWithCode(kBugCheckExit), "");
}

TEST_F(SehDeath, KernelAddressesAreNotForgiven) {
  uint32_t value = 0;
  void* gone = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EXIT(m_tests.read(static_cast<uint32_t*>(gone), &value), testing::ExitedWithCode(kBugCheckExit), "");
}

TEST_F(SehDeath, NoPageFaultsAtDispatchLevel) {
  uint32_t value = 0;
  currentThread()->block.irql = kDispatchLevel;
  EXPECT_EXIT(m_tests.read(bad(), &value), testing::ExitedWithCode(kBugCheckExit), "");
  currentThread()->block.irql = kPassiveLevel;
}

TEST_F(SehDeath, CallOfNothing) {
  EXPECT_EXIT(m_tests.jump(bad()), testing::ExitedWithCode(kBugCheckExit), "");
}

std::vector<uint8_t> fileBytes() {
  std::vector<uint8_t> bytes;
  std::FILE* file = std::fopen(s_path.c_str(), "rb");
  if (!file) return bytes;
  for (int c; (c = std::fgetc(file)) != EOF;) bytes.push_back(static_cast<uint8_t>(c));
  std::fclose(file);
  return bytes;
}

std::string loadError(const std::vector<uint8_t>& bytes, const PeImage::Resolver& resolver = resolve) {
  PeImage image;
  return image.load(bytes, "test.sys", resolver).text();
}

void fixChecksum(std::vector<uint8_t>& bytes) {
  uint32_t nt;
  std::memcpy(&nt, bytes.data() + 0x3C, 4);
  const uint32_t sum = peChecksum(bytes, nt + 88);
  std::memcpy(bytes.data() + nt + 88, &sum, 4);
}

TEST(PeImage, EveryMissingImportIsNamed) {
  const std::string text = loadError(fileBytes(), [](const char*, const char*) -> void* { return nullptr; });
  EXPECT_NE(text.find("ntoskrnl.exe!memcpy"), std::string::npos);
  EXPECT_NE(text.find("ntoskrnl.exe!ExRaiseStatus"), std::string::npos);
  EXPECT_NE(text.find("ntoskrnl.exe!__C_specific_handler"), std::string::npos);
}

TEST(PeImage, RefusesWhatWindowsRefuses) {
  const std::vector<uint8_t> good = fileBytes();
  ASSERT_EQ(loadError(good), "");
  uint32_t nt;
  std::memcpy(&nt, good.data() + 0x3C, 4);

  std::vector<uint8_t> bytes = good;
  bytes[good.size() / 2] ^= 1;
  EXPECT_NE(loadError(bytes).find("checksum"), std::string::npos);

  bytes = good;
  bytes[nt + 24 + 68] = 2;
  fixChecksum(bytes);
  EXPECT_NE(loadError(bytes).find("subsystem"), std::string::npos);

  bytes = good;
  bytes[nt + 4] = 0x4C, bytes[nt + 5] = 1;
  fixChecksum(bytes);
  EXPECT_NE(loadError(bytes).find("machine"), std::string::npos);

  bytes = good;
  bytes[nt + 24 + 240 + 39] |= 0x80;  // .text writable too
  fixChecksum(bytes);
  EXPECT_NE(loadError(bytes).find("writable and executable"), std::string::npos);

  EXPECT_NE(loadError({good.begin(), good.begin() + 300}), "");
  EXPECT_NE(loadError({}), "");
}

TEST(PeImage, TruncatedAndBrokenFilesAreErrors) {
  const std::vector<uint8_t> good = fileBytes();
  for (size_t size = 0; size < good.size(); size += 97) {
    std::vector<uint8_t> bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    if (size > 512) fixChecksum(bytes);
    PeImage image;
    const Status status = image.load(bytes, "cut.sys", resolve);  // any answer, no fault
    (void)status.ok();
  }
}

}  // namespace
}  // namespace aerogpu::host

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  if (argc != 2) return 2;
  aerogpu::host::s_path = argv[1];
  return RUN_ALL_TESTS();
}
