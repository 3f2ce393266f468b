// SPDX-License-Identifier: MIT
// Pools: ExAllocatePoolWithTag and its relatives (wdm documentation pages of those names). A block ends where
// a page without access begins, and a freed block loses its pages, so overruns and use after free fault in
// the driver.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "testbed/kernel/core/page.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

constexpr uint64_t kAlignment = byWidth(16, 8);  // MEMORY_ALLOCATION_ALIGNMENT
constexpr size_t kQuarantineBlocks = 2048;
constexpr uint8_t kFresh = 0xA5;
/// The size of a DMA buffer, and a little more: no list or buffer of a process, whatever its stated length,
/// may take more at a time.
constexpr uint64_t kMostForARequest = (256 << 10) + 4096;

struct Block {
  uint64_t bytes, mapped;
  uint8_t* base;
  uint32_t tag;
  bool paged;
  uint64_t caller;
};

std::mutex s_poolMutex;
std::map<uint64_t, Block> s_liveBlocks;
std::map<uint64_t, Block> s_freed;
std::deque<uint64_t> s_freedOrder;
uint64_t s_bytes, s_poolCount;
unsigned s_failIn;
bool s_guarded = true;

std::string tagText(uint32_t tag) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i) {
    const char c = static_cast<char>(tag >> 8 * i);
    text += c >= 32 && c < 127 ? c : '?';
  }
  return text;
}

/// True if the thread is in a call whose arguments come from a process.
bool servesAProcess() {
  const char* ddi = currentThread()->ddi;
  for (const char* name : {"DxgkDdiPresent", "DxgkDdiRender", "DxgkDdiRenderKm", "DxgkDdiEscape",
                           "DxgkDdiCreateAllocation", "DxgkDdiOpenAllocation"})
    if (ddi && std::strcmp(ddi, name) == 0) return true;
  return false;
}

void* allocate(uint32_t type, uint64_t bytes, uint32_t tag) {
  const bool paged = type & 1;
  if (paged && currentThread()->irql() > kApcLevel)
    brokenRule("paged pool at %s: %s", irqlName(currentThread()->irql()), currentCall().c_str());
  if (bytes == 0) {
    brokenRule("an allocation of 0 bytes: %s", currentCall().c_str());
    bytes = 1;
  }
  if (tag == 0) brokenRule("an allocation without a tag: %s", currentCall().c_str());
  if (bytes > kMostForARequest && servesAProcess())
    brokenRule("%llu bytes of pool for what one process asks: %s", static_cast<unsigned long long>(bytes),
               currentCall().c_str());
  std::lock_guard lock(s_poolMutex);
  ++s_poolCount;
  if (s_failIn && --s_failIn == 0) return nullptr;
  if (bytes > (uint64_t{1} << 30)) return nullptr;
  if (!s_guarded && bytes < kPage) {
    void* packed = std::malloc(bytes);
    if (!packed) return nullptr;
    std::memset(packed, kFresh, bytes);
    s_liveBlocks[reinterpret_cast<uintptr_t>(packed)] = {bytes, 0, nullptr, tag, paged, currentCaller()};
    s_bytes += bytes;
    return packed;
  }
  const uint64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const uint64_t pages = (rounded + kPage - 1) / kPage * kPage, mapped = pages + (s_guarded ? kPage : 0);
  void* memory =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* base = static_cast<uint8_t*>(memory);
  uint8_t* block = base;
  if (s_guarded) {
    mprotect(base + pages, kPage, PROT_NONE);
    if (bytes < kPage) block = base + (pages - rounded);  // blocks of a page or more begin at a page
  }
  std::memset(block, kFresh, bytes);
  s_liveBlocks[reinterpret_cast<uintptr_t>(block)] = {bytes, mapped, base, tag, paged, currentCaller()};
  s_bytes += bytes;
  return block;
}

void release(void* address, uint32_t tag, bool checkTag) {
  std::unique_lock lock(s_poolMutex);
  const uint64_t key = reinterpret_cast<uintptr_t>(address);
  const auto found = s_liveBlocks.find(key);
  if (found == s_liveBlocks.end()) {
    const bool twice = s_freed.count(key) != 0;
    lock.unlock();
    bugCheck(0xC2, {twice ? 7u : 0x46u, key, tag, 0},  // BAD_POOL_CALLER
             std::string("#   ") + (twice ? "a block is freed twice: " : "not a block of pool: ") +
                 currentCall() + "\n");
  }
  Block block = found->second;
  if (checkTag && tag != 0 && tag != block.tag)
    brokenRule("a block with tag '%s' is freed with '%s': %s", tagText(block.tag).c_str(),
               tagText(tag).c_str(), currentCall().c_str());
  if (block.paged && currentThread()->irql() > kApcLevel)
    brokenRule("paged pool freed at %s: %s", irqlName(currentThread()->irql()), currentCall().c_str());
  s_bytes -= block.bytes;
  s_liveBlocks.erase(found);
  if (!block.base) {
    std::free(address);
    return;
  }
  if (!s_guarded) {
    munmap(block.base, block.mapped);
    return;
  }
  mprotect(block.base, block.mapped, PROT_NONE);
  madvise(block.base, block.mapped, MADV_DONTNEED);
  s_freed[key] = block;
  s_freedOrder.push_back(key);
  while (s_freedOrder.size() > kQuarantineBlocks) {
    const auto oldest = s_freed.find(s_freedOrder.front());
    munmap(oldest->second.base, oldest->second.mapped);
    s_freed.erase(oldest);
    s_freedOrder.pop_front();
  }
}

HOST_API void* exAllocatePoolWithTag(uint32_t type, size_t bytes, uint32_t tag) {
  return allocate(type, bytes, tag);
}
HOST_API void exFreePoolWithTag(void* address, uint32_t tag) {
  release(address, tag, true);
}
HOST_API void exFreePool(void* address) {
  release(address, 0, false);
}

const Export kPoolExports[] = {
    exportRow("ExAllocatePoolWithTag", exAllocatePoolWithTag, kDispatchLevel, kExportAnyTime),
    exportRow("ExFreePoolWithTag", exFreePoolWithTag, kDispatchLevel, kExportAnyTime),
    exportRow("ExFreePool", exFreePool, kDispatchLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> poolExports() {
  return kPoolExports;
}

void* allocatePool(size_t bytes, uint32_t tag) {
  return allocate(0, bytes, tag);
}

void setGuardedPool(bool guarded) {
  s_guarded = guarded;
}

uint64_t poolBytes() {
  std::lock_guard lock(s_poolMutex);
  return s_bytes;
}

uint64_t poolAllocations() {
  std::lock_guard lock(s_poolMutex);
  return s_poolCount;
}

void failPoolAllocation(unsigned n) {
  std::lock_guard lock(s_poolMutex);
  s_failIn = n;
}

unsigned reportPoolLeaks(unsigned shown) {
  std::lock_guard lock(s_poolMutex);
  unsigned count = 0;
  for (const auto& [address, block] : s_liveBlocks)
    if (count++ < shown) {
      const PeImage* image = driverImage();
      brokenRule("leak: %llu bytes with tag '%s', allocated at %s",
                 static_cast<unsigned long long>(block.bytes), tagText(block.tag).c_str(),
                 image ? image->describe(block.caller).c_str() : "?");
    }
  if (count > shown) brokenRule("leak: %u blocks in all", count);
  return count;
}

}  // namespace aerogpu::host
