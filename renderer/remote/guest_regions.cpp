// SPDX-License-Identifier: MIT
#include "renderer/remote/guest_regions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

namespace aerogpu::remote {
namespace {

/// Mappings of the staging have odd cookies (asked_memory.cpp). Those of a region are its address, and 2 if
/// they are for writing.
constexpr uintptr_t kAsked = 1, kWrites = 2;

uintptr_t numberOf(const aerogpu_guest_mapping& mapping) {
  return reinterpret_cast<uintptr_t>(mapping.cookie);
}

}  // namespace

GuestRegions::Region::~Region() {
  if (bytes) munmap(bytes, size);
}

GuestRegions::~GuestRegions() = default;

bool GuestRegions::set(std::span<const RegionRecord> records, std::vector<Descriptor> files) {
  std::vector<std::unique_ptr<Region>> made;
  uint64_t end = 0;
  for (const RegionRecord& record : records) {
    auto region = std::make_unique<Region>();
    // In order and apart: then a look-up has one answer.
    if ((record.gpa | record.size | record.offset) % kRegionAlign != 0 || record.size == 0 ||
        record.gpa < end || record.size > UINT64_MAX - record.gpa || record.file >= files.size())
      return false;
    end = record.gpa + record.size;
    const int fd = files[record.file].get();
    const int seals = fcntl(fd, F_GET_SEALS);
    struct stat about {};
    // What lies past the end of a file, or is cut off later, is SIGBUS here.
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &about) != 0) return false;
    const auto bytesThere = static_cast<uint64_t>(about.st_size);
    if (record.offset > bytesThere || record.size > bytesThere - record.offset) return false;
    void* bytes = mmap(nullptr, record.size, record.writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                       fd, static_cast<off_t>(record.offset));
    if (bytes == MAP_FAILED) return false;
    region->gpa = record.gpa;
    region->size = record.size;
    region->bytes = static_cast<uint8_t*>(bytes);
    region->writable = record.writable != 0;
    made.push_back(std::move(region));
  }
  std::vector<std::unique_ptr<Region>> free;  // unmapped without the lock
  Lock lock(m_mutex);
  std::swap(m_regions, made);
  for (auto& region : made) {
    region->retired = true;
    (region->users != 0 ? m_retired : free).push_back(std::move(region));
  }
  return true;
}

GuestRegions::Region* GuestRegions::find(uint64_t gpa) const {
  const auto after = std::upper_bound(m_regions.begin(), m_regions.end(), gpa,
                                      [](uint64_t a, const auto& region) { return a < region->gpa; });
  if (after == m_regions.begin()) return nullptr;
  Region* region = std::prev(after)->get();
  return gpa - region->gpa < region->size ? region : nullptr;
}

int GuestRegions::map(uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping& out) {
  Region* region;
  {
    Lock lock(m_mutex);
    region = find(gpa);
    if (region && write && !region->writable) return -1;
    if (region) ++region->users;
  }
  if (!region) return m_asked.map(gpa, size, write, out);
  out.host = region->bytes + (gpa - region->gpa);
  out.size = std::min({size, region->size - (gpa - region->gpa), kMostMapped});
  out.cookie = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(region) | (write ? kWrites : 0));
  if (write) m_note({gpa, out.size, 0});
  return 0;
}

void GuestRegions::unmap(const aerogpu_guest_mapping& mapping, uint64_t bytesWritten) {
  if (numberOf(mapping) & kAsked) {
    m_asked.unmap(mapping, bytesWritten);
    return;
  }
  auto* region = reinterpret_cast<Region*>(numberOf(mapping) & ~kWrites);
  const auto at = static_cast<uint64_t>(static_cast<uint8_t*>(mapping.host) - region->bytes);
  if (numberOf(mapping) & kWrites) m_note({region->gpa + at, bytesWritten, 1});
  leave(region);
}

void GuestRegions::leave(Region* region) {
  std::unique_ptr<Region> free;
  Lock lock(m_mutex);
  if (--region->users != 0 || !region->retired) return;
  const auto it =
      std::find_if(m_retired.begin(), m_retired.end(), [=](const auto& r) { return r.get() == region; });
  free = std::move(*it);
  m_retired.erase(it);
}

bool GuestRegions::lends(uint64_t gpa, uint64_t size) {
  Lock lock(m_mutex);
  const Region* region = find(gpa);
  return region && size <= region->size - (gpa - region->gpa);
}

}  // namespace aerogpu::remote
