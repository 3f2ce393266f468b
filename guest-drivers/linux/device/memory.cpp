// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <string>

namespace aerogpu::guest {

namespace {

uint64_t roundUp(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Documentation/admin-guide/mm/pagemap.rst: one 64-bit word a page, bits 0-54 the frame number, bit 63
// present.
Status physicalAddress(int pagemap, const uint8_t* address, uint64_t& out) {
  uint64_t entry = 0;
  const auto page = reinterpret_cast<uintptr_t>(address) / kPageBytes;
  if (pread(pagemap, &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)) != sizeof entry)
    return Status::systemFailure("reading pagemap");
  const uint64_t frame = entry & ((uint64_t{1} << 55) - 1);
  if (!(entry >> 63) || frame == 0) return Status::failure("pagemap hides physical addresses (not root?)");
  out = frame * kPageBytes;
  return {};
}

}  // namespace

PageAllocator::PageAllocator(uint64_t bytes) {
  if (bytes >= kPageBytes) m_free[0] = bytes / kPageBytes * kPageBytes;
}

uint64_t PageAllocator::allocate(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0 || bytes > UINT64_MAX - kPageBytes) return kNone;
  bytes = roundUp(bytes, kPageBytes);
  for (auto it = m_free.begin(); it != m_free.end(); ++it) {
    const uint64_t begin = it->first, size = it->second, skipped = roundUp(begin, alignment) - begin;
    if (size < skipped || size - skipped < bytes) continue;
    const uint64_t offset = begin + skipped, left = size - skipped - bytes;
    m_free.erase(it);
    if (skipped) m_free[begin] = skipped;
    if (left) m_free[offset + bytes] = left;
    return offset;
  }
  return kNone;
}

void PageAllocator::release(uint64_t offset, uint64_t bytes) {
  bytes = roundUp(bytes, kPageBytes);
  auto next = m_free.lower_bound(offset);
  if (next != m_free.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = m_free.erase(next);
  }
  if (next != m_free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  m_free[offset] = bytes;
}

uint64_t PageAllocator::freeBytes() const {
  uint64_t sum = 0;
  for (const auto& [offset, bytes] : m_free) sum += bytes;
  return sum;
}

uint64_t PageAllocator::largestFree() const {
  uint64_t largest = 0;
  for (const auto& [offset, bytes] : m_free) largest = std::max(largest, bytes);
  return largest;
}

void Memory::addExtent(uint8_t* cpu, uint64_t gpa, uint64_t size) {
  m_extents.push_back({cpu, gpa, size, PageAllocator(size)});
}

Status Memory::allocate(uint64_t bytes, Block& out, uint64_t alignment) {
  uint64_t largest = 0;
  for (Extent& extent : m_extents) {
    const uint64_t offset = extent.pages.allocate(bytes, alignment);
    if (offset != PageAllocator::kNone) {
      out = {extent.cpu + offset, extent.gpa + offset, roundUp(bytes, kPageBytes)};
      std::memset(out.cpu, 0, out.size);
      return {};
    }
    largest = std::max(largest, extent.pages.largestFree());
  }
  return Status::failure("no %llu bytes of contiguous memory (largest piece %llu, free %llu)",
                         static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(largest),
                         static_cast<unsigned long long>(freeBytes()));
}

void Memory::release(const Block& block) {
  for (Extent& extent : m_extents)
    if (block.cpu >= extent.cpu && block.cpu < extent.cpu + extent.size)
      extent.pages.release(static_cast<uint64_t>(block.cpu - extent.cpu), block.size);
}

uint64_t Memory::freeBytes() const {
  uint64_t sum = 0;
  for (const Extent& extent : m_extents) sum += extent.pages.freeBytes();
  return sum;
}

uint8_t* Memory::at(uint64_t gpa) const {
  for (const Extent& extent : m_extents)
    if (gpa >= extent.gpa && gpa - extent.gpa < extent.size) return extent.cpu + (gpa - extent.gpa);
  return nullptr;
}

bool Memory::addressOf(const void* cpu, uint64_t& gpa) const {
  for (const Extent& extent : m_extents) {
    const uint64_t offset = reinterpret_cast<uintptr_t>(cpu) - reinterpret_cast<uintptr_t>(extent.cpu);
    if (offset >= extent.size) continue;
    gpa = extent.gpa + offset;
    return true;
  }
  return false;
}

PageRuns sortIntoRuns(const std::vector<uint64_t>& physical, uint64_t pageBytes) {
  PageRuns runs;
  runs.order.resize(physical.size());
  std::iota(runs.order.begin(), runs.order.end(), size_t{0});
  std::sort(runs.order.begin(), runs.order.end(),
            [&](size_t a, size_t b) { return physical[a] < physical[b]; });
  for (size_t i = 0; i < runs.order.size(); ++i)
    if (i == 0 || physical[runs.order[i]] != physical[runs.order[i - 1]] + pageBytes)
      runs.begins.push_back(i);
  return runs;
}

HugePageMemory::~HugePageMemory() {
  if (m_base) munmap(m_base, m_bytes);
  if (m_file >= 0) close(m_file);
}

std::string HugePageMemory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(m_file);
}

bool HugePageMemory::fileOffset(uint64_t gpa, uint64_t& offset) const {
  const auto found = m_fileOffsets.find(gpa / kHugePageBytes * kHugePageBytes);
  if (found == m_fileOffsets.end()) return false;
  offset = found->second + gpa % kHugePageBytes;
  return true;
}

/// Returns a new, nameless file of `bytes` huge-page bytes, or -1.
static int makeFile(const char* mountPoint, size_t bytes) {
  const std::string path = std::string(mountPoint) + "/aerogpu";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  unlink(path.c_str());
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

/// Finds the physical addresses of the huge pages in a mapping; they must be present.
static Status physicalAddresses(uint8_t* view, std::vector<uint64_t>& physical) {
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  Status status;
  for (size_t i = 0; status.ok() && i < physical.size(); ++i) {
    *const_cast<volatile uint8_t*>(view + i * kHugePageBytes) = 0;
    status = physicalAddress(pagemap, view + i * kHugePageBytes, physical[i]);
  }
  if (pagemap >= 0) close(pagemap);
  return status;
}

/// Moves pages from one file to the other, in the order `order`: frees each page and allocates one, relying
/// on the kernel to hand out the page that was freed last. If it does not, the order is another.
static Status movePages(int from, int to, const std::vector<size_t>& order) {
  constexpr off_t kPage = kHugePageBytes;
  for (size_t i = 0; i < order.size(); ++i)
    if (fallocate(from, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(order[i]) * kPage,
                  kPage) < 0 ||
        fallocate(to, 0, static_cast<off_t>(i) * kPage, kPage) < 0)
      return Status::systemFailure("ordering huge page %zu", i);
  return {};
}

Status HugePageMemory::create(unsigned pages, const char* mountPoint) {
  m_bytes = size_t{pages} * kHugePageBytes;
  // The first file yields the pages' addresses. The second has them in order of address, so that memory that
  // is contiguous for the device is contiguous for any process that maps the file.
  const int unordered = makeFile(mountPoint, m_bytes), file = makeFile(mountPoint, m_bytes);
  m_file = file;
  std::vector<uint64_t> physical(pages);
  void *first = MAP_FAILED, *second = MAP_FAILED;
  Status status;
  if (unordered < 0 || file < 0) status = Status::systemFailure("cannot create a file in %s", mountPoint);
  if (status.ok()) {
    first = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, unordered, 0);
    if (first == MAP_FAILED)
      status = Status::systemFailure("no %u huge pages (kernel parameter hugepages=)", pages);
  }
  if (status.ok()) status = physicalAddresses(static_cast<uint8_t*>(first), physical);
  if (status.ok()) status = movePages(unordered, file, sortIntoRuns(physical, kHugePageBytes).order);
  if (first != MAP_FAILED) munmap(first, m_bytes);
  if (unordered >= 0) close(unordered);
  if (status.ok()) {
    second = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (second == MAP_FAILED) status = Status::systemFailure("mapping huge pages");
  }
  if (status.ok()) status = physicalAddresses(static_cast<uint8_t*>(second), physical);
  for (unsigned i = 0; status.ok() && i < pages; ++i) m_fileOffsets[physical[i]] = i * kHugePageBytes;
  if (second != MAP_FAILED) munmap(second, m_bytes);
  const PageRuns runs = sortIntoRuns(physical, kHugePageBytes);
  // Reserves room for alignment: the file must be mapped at multiples of its page size.
  void* reserve = MAP_FAILED;
  if (status.ok()) {
    reserve = mmap(nullptr, m_bytes + kHugePageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (reserve == MAP_FAILED) status = Status::systemFailure("reserving address space");
  }
  if (status.ok()) {
    const auto aligned = roundUp(reinterpret_cast<uintptr_t>(reserve), kHugePageBytes);
    m_base = reinterpret_cast<uint8_t*>(aligned);
    for (unsigned i = 0; status.ok() && i < pages; ++i)
      if (mmap(m_base + i * kHugePageBytes, kHugePageBytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
               static_cast<off_t>(runs.order[i] * kHugePageBytes)) == MAP_FAILED)
        status = Status::systemFailure("mapping huge page %u", i);
  }
  if (status.ok())
    for (size_t r = 0; r < runs.begins.size(); ++r) {
      const size_t begin = runs.begins[r], end = r + 1 < runs.begins.size() ? runs.begins[r + 1] : pages;
      addExtent(m_base + begin * kHugePageBytes, physical[runs.order[begin]], (end - begin) * kHugePageBytes);
    }
  return status;
}

void HostMemory::Free::operator()(uint8_t* p) const {
  std::free(p);
}

HostMemory::HostMemory(uint64_t gpa, uint64_t bytes) {
  bytes = roundUp(bytes, kPageBytes);
  m_bytes.reset(static_cast<uint8_t*>(std::aligned_alloc(kPageBytes, bytes)));
  if (m_bytes) addExtent(m_bytes.get(), gpa, bytes);
}

}  // namespace aerogpu::guest
