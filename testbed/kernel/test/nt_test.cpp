// SPDX-License-Identifier: MIT
// Tests the ntoskrnl side, called as a driver calls it: through the generated entry code. Argument 1: the
// list of Windows 7's exports (guest-drivers/package/win7-exports.txt).
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <set>

#include "testbed/kernel/core/fault.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/ddi_call.h"
#include "testbed/kernel/dxgk/vidpn.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {
namespace {

std::string s_exportList;

/// Returns the function imported by this name.
template <class F>
auto* import(const char* name) {
  void* address = resolveNtImport("ntoskrnl.exe", name);
  EXPECT_NE(address, nullptr) << name;
  return reinterpret_cast<F*>(address);
}
#define NT(result, name, ...) import <result HOST_API(__VA_ARGS__)>(name)

class Nt : public testing::Test {
protected:
  void SetUp() override {
    attachThread("test");
    startDeferredThreads();
    resetBrokenRules();
  }
  void TearDown() override {
    currentThread()->block.irql = kPassiveLevel;
    currentThread()->heldSpinLocks = 0;
  }
};

void* allocate(uint64_t bytes, uint32_t tag = 0x31736554, uint32_t type = 0) {
  return NT(void*, "ExAllocatePoolWithTag", uint32_t, uint64_t, uint32_t)(type, bytes, tag);
}
void release(void* block, uint32_t tag = 0x31736554) {
  NT(void, "ExFreePoolWithTag", void*, uint32_t)(block, tag);
}

TEST_F(Nt, EveryNameIsAnExportOfWindows7) {
  std::ifstream file(s_exportList);
  ASSERT_TRUE(file.good());
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    names.insert(line.substr(0, line.find_first_of(" \t")));
  }
  std::set<std::string> seen;
  for (const auto table : {poolExports(), irqlExports(), waitExports(), deferredExports(), memoryExports(),
                           registryExports(), runtimeExports(), ioExports(), etwExports()})
    for (const Export& row : table) {
      EXPECT_TRUE(seen.insert(row.name).second) << row.name << " is there twice";
      EXPECT_TRUE(names.count(row.name)) << row.name << " is in no Windows 7 kernel";
    }
}

TEST_F(Nt, PoolBlocksEndAtAFault) {
  auto* block = static_cast<uint8_t*>(allocate(48));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0u);
  EXPECT_EQ((reinterpret_cast<uintptr_t>(block) + 48) % 4096, 0u);
  block[47] = 1;
  release(block);
  EXPECT_EQ(brokenRules(), 0u);
  auto* page = allocate(8192);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(page) % 4096, 0u);
  release(page);
}

TEST_F(Nt, PoolMistakesAreSeen) {
  void* block = allocate(16);
  release(block, 0x32736554);
  EXPECT_EQ(brokenRules(), 1u);  // the tag
  currentThread()->block.irql = kDispatchLevel;
  void* paged = allocate(16, 0x31736554, 1);
  EXPECT_EQ(brokenRules(), 2u);
  currentThread()->block.irql = kPassiveLevel;
  release(paged);
  void* leak = allocate(24);
  EXPECT_EQ(reportPoolLeaks(), 1u);
  release(leak);
  EXPECT_EQ(reportPoolLeaks(), 0u);
  failPoolAllocation(2);
  void* first = allocate(16);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(allocate(16), nullptr);
  void* third = allocate(16);
  EXPECT_NE(third, nullptr);
  release(first);
  release(third);
}

TEST_F(Nt, DoubleFreeIsABugCheck) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        void* block = allocate(16);
        release(block);
        release(block);
      },
      testing::ExitedWithCode(kBugCheckExit), "");
}

TEST_F(Nt, SpinLocksRaiseTheIrql) {
  uint64_t lock = 0;
  NT(void, "KeInitializeSpinLock", uint64_t*)(&lock);
  const uint8_t old = NT(uint8_t, "KeAcquireSpinLockRaiseToDpc", uint64_t*)(&lock);
  EXPECT_EQ(old, kPassiveLevel);
  EXPECT_EQ(currentThread()->irql(), kDispatchLevel);
  NT(void, "KeReleaseSpinLock", uint64_t*, uint8_t)(&lock, old);
  EXPECT_EQ(currentThread()->irql(), kPassiveLevel);
  EXPECT_EQ(brokenRules(), 0u);
  NT(void, "KeAcquireSpinLockAtDpcLevel", uint64_t*)(&lock);  // not at DISPATCH_LEVEL
  EXPECT_EQ(brokenRules(), 1u);
  checkThreadBalanced("a test", kPassiveLevel);
  EXPECT_EQ(brokenRules(), 2u);  // held
  NT(void, "KeReleaseSpinLockFromDpcLevel", uint64_t*)(&lock);
}

TEST_F(Nt, IrqlOfEachRowIsChecked) {
  currentThread()->block.irql = kDispatchLevel;
  NtObjectAttributes attributes{};
  attributes.Length = sizeof attributes;
  void* handle;
  NT(NTSTATUS, "ZwOpenKey", void**, uint32_t, NtObjectAttributes*)(&handle, 0, &attributes);
  EXPECT_GE(brokenRules(), 1u);
}

TEST_F(Nt, EventsAndTimeouts) {
  NtEvent event;
  NT(void, "KeInitializeEvent", NtEvent*, uint32_t, uint8_t)(&event, 1, 0);
  auto* wait = NT(NTSTATUS, "KeWaitForSingleObject", void*, uint32_t, int8_t, uint8_t, LARGE_INTEGER*);
  LARGE_INTEGER none{};
  EXPECT_EQ(wait(&event, 0, 0, 0, &none), kTimeout);
  EXPECT_EQ(NT(int32_t, "KeSetEvent", NtEvent*, int32_t, uint8_t)(&event, 0, 0), 0);
  EXPECT_EQ(wait(&event, 0, 0, 0, nullptr), kSuccess);
  EXPECT_EQ(wait(&event, 0, 0, 0, &none), kTimeout);  // a synchronization event resets itself
  LARGE_INTEGER relative{};
  relative.QuadPart = -200'000;
  const uint64_t before = interruptTime();
  EXPECT_EQ(wait(&event, 0, 0, 0, &relative), kTimeout);
  EXPECT_GE(interruptTime() - before, 20u * 10'000);
  EXPECT_EQ(brokenRules(), 0u);
  currentThread()->block.irql = kDispatchLevel;
  EXPECT_EQ(wait(&event, 0, 0, 0, &none), kTimeout);
  EXPECT_EQ(brokenRules(), 0u);  // a timeout of 0 is allowed there
  wait(&event, 0, 0, 0, &relative);
  EXPECT_EQ(brokenRules(), 1u);
}

TEST_F(Nt, MutexesAreOwned) {
  NtMutex mutex;
  NT(void, "KeInitializeMutex", NtMutex*, uint32_t)(&mutex, 0);
  auto* wait = NT(NTSTATUS, "KeWaitForSingleObject", void*, uint32_t, int8_t, uint8_t, LARGE_INTEGER*);
  auto* give = NT(int32_t, "KeReleaseMutex", NtMutex*, uint8_t);
  EXPECT_EQ(wait(&mutex, 0, 0, 0, nullptr), kSuccess);
  EXPECT_EQ(wait(&mutex, 0, 0, 0, nullptr), kSuccess);  // recursive
  give(&mutex, 0);
  give(&mutex, 0);
  EXPECT_EQ(mutex.Header.SignalState, 1);
  EXPECT_EQ(brokenRules(), 0u);
  give(&mutex, 0);
  EXPECT_EQ(brokenRules(), 1u);
}

std::atomic<int> s_ran{0}, s_irqlSeen{-1};
HOST_API void dpcRoutine(NtDpc*, void* context, void*, void*) {
  s_irqlSeen = currentThread()->irql();
  s_ran += static_cast<int>(reinterpret_cast<intptr_t>(context));
}

TEST_F(Nt, DpcsAndTimers) {
  NtDpc dpc;
  NT(void, "KeInitializeDpc", NtDpc*, void*, void*)
  (&dpc, reinterpret_cast<void*>(dpcRoutine), reinterpret_cast<void*>(1));
  EXPECT_EQ(NT(uint8_t, "KeInsertQueueDpc", NtDpc*, void*, void*)(&dpc, nullptr, nullptr), 1);
  NT(void, "KeFlushQueuedDpcs")();
  EXPECT_EQ(s_ran, 1);
  EXPECT_EQ(s_irqlSeen, kDispatchLevel);
  NtTimer timer;
  NT(void, "KeInitializeTimer", NtTimer*)(&timer);
  NT(uint8_t, "KeSetTimer", NtTimer*, int64_t, NtDpc*)(&timer, -10'000, &dpc);
  EXPECT_TRUE(waitForObject(&timer, 5000));
  NT(void, "KeFlushQueuedDpcs")();
  EXPECT_EQ(s_ran, 2);
  NT(uint8_t, "KeSetTimer", NtTimer*, int64_t, NtDpc*)(&timer, -100'000'000, &dpc);
  EXPECT_EQ(reportPendingWork(), 1u);
  EXPECT_EQ(NT(uint8_t, "KeCancelTimer", NtTimer*)(&timer), 0);
}

TEST_F(Nt, RegistryValues) {
  const char* key = "\\Registry\\Machine\\Software\\Test";
  setRegistryDword(key, "Number", 77);
  const char16_t path[] = u"\\registry\\MACHINE\\software\\test";
  UNICODE_STRING name{sizeof path - 2, sizeof path, const_cast<char16_t*>(path)};
  NtObjectAttributes attributes{};
  attributes.Length = sizeof attributes;
  attributes.ObjectName = &name;
  attributes.Attributes = 0x240;
  void* handle = nullptr;
  ASSERT_EQ(NT(NTSTATUS, "ZwOpenKey", void**, uint32_t, NtObjectAttributes*)(&handle, 0x20019, &attributes),
            kSuccess);
  const char16_t valueName[] = u"NUMBER";
  UNICODE_STRING value{sizeof valueName - 2, sizeof valueName, const_cast<char16_t*>(valueName)};
  uint32_t out[4] = {}, needed = 0;
  auto* query = NT(NTSTATUS, "ZwQueryValueKey", void*, UNICODE_STRING*, uint32_t, void*, uint32_t, uint32_t*);
  EXPECT_EQ(query(handle, &value, 2, out, sizeof out, &needed), kSuccess);
  EXPECT_EQ(out[1], 4u);
  EXPECT_EQ(out[3], 77u);
  EXPECT_EQ(query(handle, &value, 2, out, 4, &needed), kBufferTooSmall);
  EXPECT_EQ(needed, 16u);
  EXPECT_EQ(reportOpenKeys(), 1u);
}

TEST_F(Nt, PrintsMicrosoftsFormats) {
  char out[128];
  const int n = NT(int, "_snprintf", char*, uint64_t, const char*, ...)(
      out, sizeof out, "%d %08x %I64x %s %S %ws %u%%", -5, 0xBEEFu, 0x123456789ABCull, "a", u"b", u"c", 7u);
  EXPECT_STREQ(out, "-5 0000beef 123456789abc a b c 7%");
  EXPECT_EQ(n, static_cast<int>(std::strlen(out)));
  char small[4];
  EXPECT_EQ(NT(int, "_snprintf", char*, uint64_t, const char*, ...)(small, sizeof small, "%s", "longer"), -1);
}

TEST_F(Nt, DeviceMemoryOnlyByItsRanges) {
  EXPECT_EQ(NT(void*, "MmMapIoSpace", uint64_t, uint64_t, uint32_t)(0xFEB00000, 4096, 0), nullptr);
  EXPECT_EQ(brokenRules(), 1u);
}

// The VidPN manager's objects, as a driver walks and builds them.
TEST_F(Nt, VidPnModeSets) {
  VidPn vidPn;
  vidPn.addPath(0, 9);
  const DXGK_VIDPN_INTERFACE* interface = nullptr;
  ASSERT_EQ(queryVidPnInterface(vidPn.handle(), DXGK_VIDPN_INTERFACE_VERSION_V1, &interface), kSuccess);
  D3DKMDT_HVIDPNSOURCEMODESET set;
  const DXGK_VIDPNSOURCEMODESET_INTERFACE* modes;
  EXPECT_EQ(interface->pfnAcquireSourceModeSet(vidPn.handle(), 3, &set, &modes), kInvalidSource);
  ASSERT_EQ(interface->pfnAcquireSourceModeSet(vidPn.handle(), 0, &set, &modes), kSuccess);
  const D3DKMDT_VIDPN_SOURCE_MODE* mode = reinterpret_cast<D3DKMDT_VIDPN_SOURCE_MODE*>(1);
  EXPECT_EQ(modes->pfnAcquireFirstModeInfo(set, &mode), kDatasetIsEmpty);
  EXPECT_EQ(mode, nullptr);
  EXPECT_EQ(interface->pfnReleaseSourceModeSet(vidPn.handle(), set), kSuccess);
  ASSERT_EQ(interface->pfnCreateNewSourceModeSet(vidPn.handle(), 0, &set, &modes), kSuccess);
  for (UINT i = 0; i < 2; ++i) {
    D3DKMDT_VIDPN_SOURCE_MODE* fresh;
    ASSERT_EQ(modes->pfnCreateNewModeInfo(set, &fresh), kSuccess);
    fresh->Type = D3DKMDT_RMT_GRAPHICS;
    fresh->Format.Graphics = {{640 + 160 * i, 480 + 120 * i},
                              {640 + 160 * i, 480 + 120 * i},
                              4 * (640 + 160 * i),
                              D3DDDIFMT_X8R8G8B8,
                              D3DKMDT_CB_SRGB,
                              D3DKMDT_PVAM_DIRECT};
    EXPECT_EQ(modes->pfnAddMode(set, fresh), kSuccess);
  }
  EXPECT_EQ(interface->pfnAssignSourceModeSet(vidPn.handle(), 0, set), kSuccess);
  EXPECT_EQ(brokenRules(), 0u);
  ASSERT_EQ(interface->pfnAcquireSourceModeSet(vidPn.handle(), 0, &set, &modes), kSuccess);
  ASSERT_EQ(modes->pfnAcquireFirstModeInfo(set, &mode), kSuccess);
  const D3DKMDT_VIDPN_SOURCE_MODE* next;
  ASSERT_EQ(modes->pfnAcquireNextModeInfo(set, mode, &next), kSuccess);
  EXPECT_EQ(next->Format.Graphics.PrimSurfSize.cx, 800u);
  EXPECT_EQ(modes->pfnReleaseModeInfo(set, mode), kSuccess);
  EXPECT_EQ(modes->pfnAcquireNextModeInfo(set, next, &mode), kNoMoreElements);
  EXPECT_EQ(brokenRules(), 0u);
  runAfterDdiCheck("DxgkDdiIsSupportedVidPn");  // one mode and the set are still acquired
  EXPECT_EQ(brokenRules(), 2u);
  EXPECT_EQ(modes->pfnReleaseModeInfo(set, next), kInvalidParameter);
}

TEST_F(Nt, VidPnTopologyIsKept) {
  VidPn vidPn;
  vidPn.addPath(0, 9);
  const DXGK_VIDPN_INTERFACE* interface = nullptr;
  queryVidPnInterface(vidPn.handle(), DXGK_VIDPN_INTERFACE_VERSION_V1, &interface);
  D3DKMDT_HVIDPNTOPOLOGY topology;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* functions;
  ASSERT_EQ(interface->pfnGetTopology(vidPn.handle(), &topology, &functions), kSuccess);
  SIZE_T count = 0;
  EXPECT_EQ(functions->pfnGetNumPaths(topology, &count), kSuccess);
  EXPECT_EQ(count, 1u);
  const D3DKMDT_VIDPN_PRESENT_PATH* path;
  ASSERT_EQ(functions->pfnAcquireFirstPathInfo(topology, &path), kSuccess);
  EXPECT_EQ(path->VidPnTargetId, 9u);
  const D3DKMDT_VIDPN_PRESENT_PATH* next;
  EXPECT_EQ(functions->pfnAcquireNextPathInfo(topology, path, &next), kNoMoreElements);
  EXPECT_EQ(functions->pfnReleasePathInfo(topology, path), kSuccess);
  EXPECT_EQ(functions->pfnRemovePath(topology, 0, 9), kTopologyChangesNotAllowed);
  EXPECT_EQ(brokenRules(), 0u);
}

}  // namespace
}  // namespace aerogpu::host

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  aerogpu::host::s_exportList = argv[1];
  const int result = RUN_ALL_TESTS();
  std::fflush(nullptr);
  _exit(result);  // the deferred threads still wait; no destructor may run on the objects that they wait for
}
