// SPDX-License-Identifier: MIT
// libFuzzer target: a hostile snapshot, loaded over the null back end. What was loaded can be described, and
// its description loads.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "aerogpu/renderer.h"

namespace {

constexpr uint64_t kMaxHostmem = uint64_t{64} << 20;

int onMap(void*, uint64_t, uint64_t, bool, aerogpu_guest_mapping*) {
  __builtin_trap();  // a load touches no guest memory
}
void onUnmap(void*, const aerogpu_guest_mapping*, uint64_t) {}
void onDone(void*, const aerogpu_submission_result*) {}
void onLog(void*, aerogpu_log_level, const char*) {}

aerogpu_renderer* makeRenderer() {
  const aerogpu_renderer_callbacks callbacks{sizeof callbacks, onMap,  onUnmap, onDone, onLog,
                                             nullptr,          nullptr};
  aerogpu_renderer_config config{};
  config.struct_size = sizeof config;
  config.backend = "null";
  config.max_hostmem = kMaxHostmem;
  config.callbacks = &callbacks;
  return aerogpu_renderer_create(&config, nullptr, 0);
}

/// Returns whether the bytes were loaded. Every refusal says why.
bool load(aerogpu_renderer* renderer, const uint8_t* bytes, size_t size) {
  char error[256] = "";
  bool good = aerogpu_renderer_load_bytes(renderer, bytes, size, error, sizeof error);
  if (!good && error[0] == '\0') __builtin_trap();
  if (!aerogpu_renderer_load_finish(renderer, nullptr, error, sizeof error)) good = false;
  if (!good && error[0] == '\0') __builtin_trap();
  return good;
}

bool append(void* opaque, const void* bytes, size_t size) {
  auto& all = *static_cast<std::vector<uint8_t>*>(opaque);
  all.insert(all.end(), static_cast<const uint8_t*>(bytes), static_cast<const uint8_t*>(bytes) + size);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static aerogpu_renderer* const renderer = makeRenderer();
  if (!renderer || !load(renderer, data, size)) return 0;
  std::vector<uint8_t> bytes;
  const aerogpu_bytes_sink sink{sizeof sink, append, &bytes};
  char error[256] = "";
  if (!aerogpu_renderer_save(renderer, &sink, error, sizeof error)) __builtin_trap();
  if (!load(renderer, bytes.data(), bytes.size())) __builtin_trap();
  aerogpu_renderer_stats stats{};
  stats.struct_size = sizeof stats;
  aerogpu_renderer_get_stats(renderer, &stats);
  if (stats.host_memory_peak_bytes > kMaxHostmem) __builtin_trap();
  return 0;
}
