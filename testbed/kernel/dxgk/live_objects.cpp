// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/live_objects.h"

#include <mutex>
#include <set>

namespace aerogpu::host {

namespace {

std::mutex s_liveMutex;
std::set<const void*> s_live;

}  // namespace

bool isLiveObject(const void* object, uint64_t magic) {
  std::lock_guard lock(s_liveMutex);
  return s_live.count(object) && *static_cast<const uint64_t*>(object) == magic;
}
void addLiveObject(const void* object) {
  std::lock_guard lock(s_liveMutex);
  s_live.insert(object);
}
void removeLiveObject(const void* object) {
  std::lock_guard lock(s_liveMutex);
  s_live.erase(object);
}

}  // namespace aerogpu::host
