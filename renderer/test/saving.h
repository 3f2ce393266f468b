// SPDX-License-Identifier: MIT
// Snapshots in memory, for tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"

namespace aerogpu::test {

/// Adds bytes to a vector: aerogpu_bytes_sink::write, trace::TraceFileWriter::Sink.
inline bool appendBytes(void* vector, const void* bytes, size_t size) {
  const auto* first = static_cast<const uint8_t*>(bytes);
  auto& all = *static_cast<std::vector<uint8_t>*>(vector);
  all.insert(all.end(), first, first + size);
  return true;
}

/// Returns a sink that adds to `bytes`, which outlives it.
inline aerogpu_bytes_sink sinkTo(std::vector<uint8_t>& bytes) {
  return {sizeof(aerogpu_bytes_sink), appendBytes, &bytes};
}

/// Takes a snapshot. Returns why that failed, or nothing.
inline std::string save(aerogpu_renderer* renderer, std::vector<uint8_t>& bytes) {
  const aerogpu_bytes_sink sink = sinkTo(bytes);
  char error[16384] = "";
  return aerogpu_renderer_save(renderer, &sink, error, sizeof error) ? "" : error;
}

/// Loads a snapshot. Returns why that failed, or nothing.
inline std::string load(aerogpu_renderer* renderer, std::span<const uint8_t> bytes) {
  char error[16384] = "";
  const bool loaded =
      aerogpu_renderer_load_bytes(renderer, bytes.data(), bytes.size(), error, sizeof error) &&
      aerogpu_renderer_load_finish(renderer, nullptr, error, sizeof error);
  return loaded ? "" : error;
}

}  // namespace aerogpu::test
