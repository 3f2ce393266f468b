// SPDX-License-Identifier: MIT
// Memory with a physical address: contiguous blocks, device memory, MDLs, and user memory. Source: the wdm
// page of each export's name. Physical addresses are those of the VM that the host runs in.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/core/fault.h"
#include "testbed/kernel/core/page.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

struct Mapping {
  uint8_t* base;
  uint64_t bytes, physical;
  std::string owner;
  std::function<void(void*, uint64_t)> unmap;
};
struct Contiguous {
  guest::Block block;
  uint64_t requested, caller;
};

std::mutex s_memoryMutex;
std::vector<PhysicalRange> s_physicalRanges;
struct Alias {
  uint64_t gpa, bytes;
};
std::map<uint64_t, Alias> s_aliases;     // by first address
std::map<uint64_t, Mapping> s_mappings;  // by address handed out
std::map<uint64_t, Contiguous> s_contiguous;
std::set<MDL*> s_mdls;
guest::Memory* s_memory;
uint64_t s_userNext = 0x20000000;
// On x86 reserveUserMemory() has reserved all of user mode's addresses.
constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
              kFixed = kIs64 ? MAP_FIXED_NOREPLACE : MAP_FIXED;

std::string caller(uint64_t address) {
  const PeImage* image = driverImage();
  return image ? image->describe(address) : std::string("?");
}

HOST_API void* mmMapIoSpace(uint64_t address, size_t bytes, uint32_t cache) {
  if (cache > 2) brokenRule("MmMapIoSpace with caching type %u: %s", cache, currentCall().c_str());
  void* mapped = mapPhysical(address, bytes, currentCall().c_str());
  if (!mapped)
    brokenRule("0x%llx bytes at 0x%llx are no device's memory: %s", static_cast<unsigned long long>(bytes),
               static_cast<unsigned long long>(address), currentCall().c_str());
  return mapped;
}
HOST_API void mmUnmapIoSpace(void* address, size_t bytes) {
  {
    std::lock_guard lock(s_memoryMutex);
    const auto found = s_mappings.find(reinterpret_cast<uintptr_t>(address));
    if (found != s_mappings.end() && found->second.bytes != bytes)
      brokenRule("%llu bytes are unmapped of a mapping of %llu: %s", static_cast<unsigned long long>(bytes),
                 static_cast<unsigned long long>(found->second.bytes), currentCall().c_str());
  }
  if (!unmapPhysical(address)) brokenRule("what is unmapped was not mapped: %s", currentCall().c_str());
}

HOST_API void* mmAllocateContiguousMemorySpecifyCache(size_t bytes, uint64_t lowest, uint64_t highest,
                                                      uint64_t boundary, uint32_t) {
  std::lock_guard lock(s_memoryMutex);
  if (!s_memory || bytes == 0) return nullptr;
  guest::Block block;
  if (!s_memory->allocate(bytes, block).ok()) return nullptr;
  const uint64_t last = block.gpa + bytes - 1;
  if (block.gpa < lowest || last > highest || (boundary && block.gpa / boundary != last / boundary)) {
    s_memory->release(block);
    return nullptr;
  }
  std::memset(block.cpu, 0xA5, block.size);
  s_contiguous[reinterpret_cast<uintptr_t>(block.cpu)] = {block, bytes, currentCaller()};
  return block.cpu;
}
HOST_API void* mmAllocateContiguousMemory(size_t bytes, uint64_t highest) {
  return mmAllocateContiguousMemorySpecifyCache(bytes, 0, highest, 0, 1);
}
void freeContiguous(void* address, uint64_t bytes) {
  std::lock_guard lock(s_memoryMutex);
  const auto found = s_contiguous.find(reinterpret_cast<uintptr_t>(address));
  if (found == s_contiguous.end())
    bugCheck(0x1A, {reinterpret_cast<uintptr_t>(address), 0, 0, 0},
             "#   not a block of contiguous memory: " + currentCall() + "\n");
  if (bytes && bytes != found->second.requested)
    brokenRule("%llu bytes of a contiguous block of %llu are freed: %s",
               static_cast<unsigned long long>(bytes),
               static_cast<unsigned long long>(found->second.requested), currentCall().c_str());
  s_memory->release(found->second.block);
  s_contiguous.erase(found);
}
HOST_API void mmFreeContiguousMemorySpecifyCache(void* address, size_t bytes, uint32_t) {
  freeContiguous(address, bytes);
}
HOST_API void mmFreeContiguousMemory(void* address) {
  freeContiguous(address, 0);
}
HOST_API uint64_t mmGetPhysicalAddress(void* address) {
  uint64_t physical = 0;
  if (!physicalAddress(address, physical))
    brokenRule("MmGetPhysicalAddress of 0x%llx, which has none: %s",
               static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(address)), currentCall().c_str());
  return physical;
}

HOST_API MDL* ioAllocateMdl(void* address, uint32_t bytes, uint8_t secondary, uint8_t, void* irp) {
  if (secondary || irp) brokenRule("IoAllocateMdl for an IRP: %s", currentCall().c_str());
  const uint64_t start = reinterpret_cast<uintptr_t>(address);
  const uint64_t pages = (start % kPage + bytes + kPage - 1) / kPage;
  auto* mdl = static_cast<MDL*>(std::calloc(1, sizeof(MDL) + pages * sizeof(uintptr_t)));
  mdl->Size = static_cast<int16_t>(sizeof(MDL) + pages * sizeof(uintptr_t));
  mdl->StartVa = pointerTo(start & ~(kPage - 1));
  mdl->ByteOffset = static_cast<uint32_t>(start % kPage);
  mdl->ByteCount = bytes;
  std::lock_guard lock(s_memoryMutex);
  s_mdls.insert(mdl);
  return mdl;
}
HOST_API void ioFreeMdl(MDL* mdl) {
  std::lock_guard lock(s_memoryMutex);
  if (s_mdls.erase(mdl) == 0) {
    brokenRule("an MDL that was not allocated is freed: %s", currentCall().c_str());
    return;
  }
  if (mdl->MdlFlags & kMdlPagesLocked)
    brokenRule("an MDL with locked pages is freed: %s", currentCall().c_str());
  std::free(mdl);
}
bool fillPages(MDL* mdl) {
  const uint64_t pages = (mdl->ByteOffset + uint64_t{mdl->ByteCount} + kPage - 1) / kPage;
  for (uint64_t i = 0; i < pages; ++i) {
    uint64_t physical = 0;
    if (!physicalAddress(static_cast<uint8_t*>(mdl->StartVa) + i * kPage, physical)) return false;
    mdlPages(mdl)[i] = static_cast<uintptr_t>(physical / kPage);
  }
  return true;
}
HOST_API void mmBuildMdlForNonPagedPool(MDL* mdl) {
  if (!fillPages(mdl)) brokenRule("an MDL over memory without pages: %s", currentCall().c_str());
  mdl->MappedSystemVa = static_cast<uint8_t*>(mdl->StartVa) + mdl->ByteOffset;
  mdl->MdlFlags |= kMdlNonPagedPool;
}
HOST_API void mmProbeAndLockPages(MDL* mdl, int8_t mode, uint32_t) {
  const uint64_t start = reinterpret_cast<uintptr_t>(mdl->StartVa) + mdl->ByteOffset;
  if (mode && start + mdl->ByteCount > kUserProbeAddress)
    raiseFromExport(kStatusAccessViolation, 2, 0, start);
  for (uint64_t at = start & ~(kPage - 1); at < start + mdl->ByteCount; at += kPage)
    (void)*pointerTo<volatile uint8_t>(at);  // faults become the driver's exception
  mlock(mdl->StartVa, mdl->ByteOffset + mdl->ByteCount);
  if (!fillPages(mdl)) raiseFromExport(kStatusAccessViolation, 2, 0, start);
  mdl->MdlFlags |= kMdlPagesLocked;
}
HOST_API void mmUnlockPages(MDL* mdl) {
  if (!(mdl->MdlFlags & kMdlPagesLocked))
    brokenRule("pages are unlocked that were not locked: %s", currentCall().c_str());
  mdl->MdlFlags = static_cast<int16_t>(mdl->MdlFlags & ~(kMdlPagesLocked | kMdlMapped));
}

// Ordinary memory is mapped by its addresses: from contiguous memory if the pages are consecutive there;
// otherwise mapping page by page through /dev/mem is not possible, and the mapping fails.
HOST_API void* mmMapLockedPagesSpecifyCache(MDL* mdl, int8_t mode, uint32_t, void*,
                                            uint32_t bugCheckOnFailure, uint32_t) {
  if (mode == 0 && bugCheckOnFailure)
    brokenRule("MmMapLockedPagesSpecifyCache with BugCheckOnFailure: %s", currentCall().c_str());
  if (mdl->MdlFlags & (kMdlMapped | kMdlNonPagedPool)) return mdl->MappedSystemVa;
  std::lock_guard lock(s_memoryMutex);
  const uint64_t pages = (mdl->ByteOffset + uint64_t{mdl->ByteCount} + kPage - 1) / kPage;
  void* target = mmap(nullptr, pages * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (target == MAP_FAILED) return nullptr;
  auto* base = static_cast<uint8_t*>(target);
  for (uint64_t i = 0; i < pages; ++i) {
    uint8_t* from = s_memory ? s_memory->at(mdlPages(mdl)[i] * kPage) : nullptr;
    if (!from && (mdl->MdlFlags & kMdlPagesLocked)) from = static_cast<uint8_t*>(mdl->StartVa) + i * kPage;
    // A second mapping of a shared page: mremap with an old size of 0 (mremap(2)).
    if (!from || mremap(from, 0, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, base + i * kPage) == MAP_FAILED) {
      munmap(base, pages * kPage);
      // Huge pages cannot be mapped in part; a single run is used in place.
      uint8_t* run = s_memory ? s_memory->at(mdlPages(mdl)[0] * kPage) : nullptr;
      for (uint64_t k = 0; run && k < pages; ++k)
        if (s_memory->at(mdlPages(mdl)[k] * kPage) != run + k * kPage) run = nullptr;
      if (!run) return nullptr;
      mdl->MappedSystemVa = run + mdl->ByteOffset;
      mdl->MdlFlags |= kMdlMapped;
      return mdl->MappedSystemVa;
    }
  }
  mdl->MappedSystemVa = base + mdl->ByteOffset;
  mdl->MdlFlags |= kMdlMapped;
  return mdl->MappedSystemVa;
}
HOST_API void mmUnmapLockedPages(void* address, MDL* mdl) {
  if (!(mdl->MdlFlags & kMdlMapped) || mdl->MappedSystemVa != address)
    brokenRule("MmUnmapLockedPages of what is not mapped: %s", currentCall().c_str());
  mdl->MdlFlags = static_cast<int16_t>(mdl->MdlFlags & ~kMdlMapped);
  std::lock_guard lock(s_memoryMutex);
  auto* first = static_cast<uint8_t*>(address) - mdl->ByteOffset;
  if (s_memory && s_memory->at(mdlPages(mdl)[0] * kPage) == first) return;  // it is used in place
  munmap(first, (mdl->ByteOffset + uint64_t{mdl->ByteCount} + kPage - 1) & ~(kPage - 1));
}

void probe(uint64_t address, uint64_t bytes, uint32_t alignment, bool write) {
  if (bytes == 0) return;
  if (address & (alignment - 1)) raiseFromExport(kStatusDatatypeMisalignment);
  if (address + bytes < address || address + bytes > kUserProbeAddress)
    raiseFromExport(kStatusAccessViolation, 2, write, address);
  // ProbeForRead checks the range only; ProbeForWrite touches every page.
  for (uint64_t at = address; write && at < address + bytes; at = (at & ~(kPage - 1)) + kPage) {
    auto* byte = pointerTo<volatile uint8_t>(at);
    *byte = *byte;
  }
}
HOST_API void probeForRead(uintptr_t address, size_t bytes, uint32_t alignment) {
  probe(address, bytes, alignment, false);
}
HOST_API void probeForWrite(uintptr_t address, size_t bytes, uint32_t alignment) {
  probe(address, bytes, alignment, true);
}

uintptr_t s_userProbeAddress = kUserProbeAddress, s_highestUserAddress = kUserProbeAddress - 1,
          s_systemRangeStart = byWidth(0xFFFF080000000000, 0x80000000);

const Export kMemoryExports[] = {
    exportRow("MmMapIoSpace", mmMapIoSpace, kDispatchLevel),
    exportRow("MmUnmapIoSpace", mmUnmapIoSpace, kDispatchLevel),
    exportRow("MmAllocateContiguousMemorySpecifyCache", mmAllocateContiguousMemorySpecifyCache,
              kDispatchLevel, kExportAnyTime),
    exportRow("MmAllocateContiguousMemory", mmAllocateContiguousMemory, kDispatchLevel, kExportAnyTime),
    exportRow("MmFreeContiguousMemorySpecifyCache", mmFreeContiguousMemorySpecifyCache, kDispatchLevel,
              kExportAnyTime),
    exportRow("MmFreeContiguousMemory", mmFreeContiguousMemory, kApcLevel, kExportAnyTime),
    exportRow("MmGetPhysicalAddress", mmGetPhysicalAddress, kHighLevel, kExportAnyTime),
    exportRow("IoAllocateMdl", ioAllocateMdl, kDispatchLevel, kExportAnyTime),
    exportRow("IoFreeMdl", ioFreeMdl, kDispatchLevel, kExportAnyTime),
    exportRow("MmBuildMdlForNonPagedPool", mmBuildMdlForNonPagedPool, kDispatchLevel, kExportAnyTime),
    exportRow("MmProbeAndLockPages", mmProbeAndLockPages, kApcLevel, kExportMayRaise),
    exportRow("MmUnlockPages", mmUnlockPages, kDispatchLevel, kExportAnyTime),
    exportRow("MmMapLockedPagesSpecifyCache", mmMapLockedPagesSpecifyCache, kDispatchLevel),
    exportRow("MmUnmapLockedPages", mmUnmapLockedPages, kDispatchLevel),
    exportRow("ProbeForRead", probeForRead, kApcLevel, kExportMayRaise),
    exportRow("ProbeForWrite", probeForWrite, kApcLevel, kExportMayRaise),
    {"MmUserProbeAddress", &s_userProbeAddress, 0, kHighLevel, kExportData, nullptr},
    {"MmHighestUserAddress", &s_highestUserAddress, 0, kHighLevel, kExportData, nullptr},
    {"MmSystemRangeStart", &s_systemRangeStart, 0, kHighLevel, kExportData, nullptr},
};

}  // namespace

std::span<const Export> memoryExports() {
  return kMemoryExports;
}

void addPhysicalRange(const PhysicalRange& range) {
  std::lock_guard lock(s_memoryMutex);
  s_physicalRanges.push_back(range);
}

void removePhysicalRanges() {
  std::lock_guard lock(s_memoryMutex);
  s_physicalRanges.clear();
}

void setContiguousMemory(guest::Memory* memory) {
  std::lock_guard lock(s_memoryMutex);
  s_memory = memory;
}

guest::Memory* contiguousMemory() {
  return s_memory;
}

void addMemoryAlias(const void* view, uint64_t gpa, uint64_t bytes) {
  std::lock_guard lock(s_memoryMutex);
  s_aliases[reinterpret_cast<uintptr_t>(view)] = {gpa, bytes};
}

void removeMemoryAlias(const void* view) {
  std::lock_guard lock(s_memoryMutex);
  s_aliases.erase(reinterpret_cast<uintptr_t>(view));
}

bool physicalAddress(const void* address, uint64_t& out) {
  const uint64_t at = reinterpret_cast<uintptr_t>(address);
  {
    std::lock_guard lock(s_memoryMutex);
    auto next = s_contiguous.upper_bound(at);
    if (next != s_contiguous.begin()) {
      const guest::Block& block = std::prev(next)->second.block;
      const uint64_t offset = at - reinterpret_cast<uintptr_t>(block.cpu);
      if (offset < block.size) {
        out = block.gpa + offset;
        return true;
      }
    }
    for (const auto& [start, alias] : s_aliases)
      if (at - start < alias.bytes) {
        out = alias.gpa + (at - start);
        return true;
      }
    for (const auto& [start, mapping] : s_mappings)
      if (at - start < mapping.bytes) {
        out = mapping.physical + (at - start);
        return true;
      }
    if (s_memory && s_memory->addressOf(address, out)) return true;
  }
  // Documentation/admin-guide/mm/pagemap.rst
  static const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  uint64_t entry = 0;
  if (pagemap < 0 || pread(pagemap, &entry, 8, static_cast<off_t>(at / kPage * 8)) != 8) return false;
  const uint64_t frame = entry & ((uint64_t{1} << 55) - 1);
  if (!(entry >> 63) || frame == 0) return false;
  out = frame * kPage + at % kPage;
  return true;
}

void* mapPhysical(uint64_t address, uint64_t bytes, const char* owner) {
  std::lock_guard lock(s_memoryMutex);
  for (const PhysicalRange& range : s_physicalRanges) {
    if (bytes == 0 || address < range.address || bytes > range.bytes ||
        address - range.address > range.bytes - bytes)
      continue;
    const uint64_t offset = address - range.address, start = offset & ~(kPage - 1);
    const uint64_t length = (offset - start + bytes + kPage - 1) & ~(kPage - 1);
    void* base = range.map(start, length);
    if (!base) return nullptr;
    uint8_t* result = static_cast<uint8_t*>(base) + (offset - start);
    s_mappings[reinterpret_cast<uintptr_t>(result)] = {result, bytes, address, owner, range.unmap};
    return result;
  }
  return nullptr;
}

bool unmapPhysical(void* address) {
  std::lock_guard lock(s_memoryMutex);
  const auto found = s_mappings.find(reinterpret_cast<uintptr_t>(address));
  if (found == s_mappings.end()) return false;
  const uint64_t start = reinterpret_cast<uintptr_t>(address) & ~(kPage - 1);
  const uint64_t length =
      (reinterpret_cast<uintptr_t>(address) - start + found->second.bytes + kPage - 1) & ~(kPage - 1);
  found->second.unmap(pointerTo(start), length);
  s_mappings.erase(found);
  return true;
}

unsigned reportMappings() {
  std::vector<uint64_t> left;
  {
    std::lock_guard lock(s_memoryMutex);
    for (const auto& [address, mapping] : s_mappings) {
      brokenRule("device memory is still mapped: 0x%llx bytes at 0x%llx by %s",
                 static_cast<unsigned long long>(mapping.bytes),
                 static_cast<unsigned long long>(mapping.physical), mapping.owner.c_str());
      left.push_back(address);
    }
  }
  for (const uint64_t address : left) unmapPhysical(pointerTo(address));
  return static_cast<unsigned>(left.size());
}

void detachMappings() {
  std::lock_guard lock(s_memoryMutex);
  for (const auto& [address, mapping] : s_mappings) {
    const uint64_t start = address & ~(kPage - 1);
    const uint64_t length = (address - start + mapping.bytes + kPage - 1) & ~(kPage - 1);
    mapping.unmap(pointerTo(start), length);
    void* memory = mmap(pointerTo(start), length, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (memory != MAP_FAILED) std::memset(memory, 0xFF, length);
  }
}

std::vector<const uint8_t*> contiguousBlocks(uint64_t bytes) {
  std::lock_guard lock(s_memoryMutex);
  std::vector<const uint8_t*> blocks;
  for (const auto& [address, block] : s_contiguous)
    if (block.requested == bytes) blocks.push_back(block.block.cpu);
  return blocks;
}

unsigned reportContiguousLeaks() {
  std::lock_guard lock(s_memoryMutex);
  for (const auto& [address, block] : s_contiguous) {
    brokenRule("leak: %llu bytes of contiguous memory, allocated at %s",
               static_cast<unsigned long long>(block.requested), caller(block.caller).c_str());
    s_memory->release(block.block);
  }
  const auto count = static_cast<unsigned>(s_contiguous.size());
  s_contiguous.clear();
  return count;
}

static void* mapBelowProbeAddress(uint64_t bytes, int flags, int file) {
  std::lock_guard lock(s_memoryMutex);
  const uint64_t length = (bytes + kPage - 1) & ~(kPage - 1);
  if (length > kUserProbeAddress - s_userNext) return nullptr;
  void* memory = mmap(pointerTo(s_userNext), length, PROT_READ | PROT_WRITE, flags | kFixed, file, 0);
  s_userNext += length + kPage;  // leaves a gap after each block
  return memory == MAP_FAILED ? nullptr : memory;
}

void* allocateUserMemory(uint64_t bytes) {
  return mapBelowProbeAddress(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

void* mapUserMemory(int file, uint64_t bytes) {
  return mapBelowProbeAddress(bytes, MAP_SHARED, file);
}

void freeUserMemory(void* address, uint64_t bytes) {
  const uint64_t length = (bytes + kPage - 1) & ~(kPage - 1);
  if (kIs64)
    munmap(address, length);
  else
    (void)mmap(address, length, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
}

bool reserveUserMemory() {
  if (kIs64) return true;
  constexpr uint64_t kFirst = 0x10000;  // vm.mmap_min_addr
  return mmap(pointerTo(kFirst), kUserProbeAddress - kFirst, PROT_NONE, kReserved | MAP_FIXED_NOREPLACE, -1,
              0) != MAP_FAILED;
}

MDL* makeMdl(const std::vector<uint64_t>& frames, uint64_t bytes) {
  auto* mdl = static_cast<MDL*>(std::calloc(1, sizeof(MDL) + frames.size() * sizeof(uintptr_t)));
  // Size is 16 bits wide and only valid for small MDLs; MDLs of 4 GiB exist nevertheless.
  mdl->Size = static_cast<int16_t>(sizeof(MDL) + frames.size() * sizeof(uintptr_t));
  mdl->ByteCount = static_cast<uint32_t>(bytes);
  mdl->MdlFlags = kMdlPagesLocked;
  std::copy(frames.begin(), frames.end(), mdlPages(mdl));
  return mdl;
}

void destroyMdl(MDL* mdl) {
  std::free(mdl);
}

unsigned reportMdlLeaks() {
  std::lock_guard lock(s_memoryMutex);
  const auto count = static_cast<unsigned>(s_mdls.size());
  if (count) brokenRule("leak: %u MDLs", count);
  s_mdls.clear();
  return count;
}

}  // namespace aerogpu::host
