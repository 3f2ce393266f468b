// SPDX-License-Identifier: MIT
// Structures of the C interface from an embedder built with another version of the header: `struct_size`
// tells how much of them exists (aerogpu/renderer.h, "Versions").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "aerogpu/renderer.h"

namespace aerogpu {

/// Copies a message, cut to `size` with its terminator; `out` may be null.
inline void copyText(char* out, size_t size, const std::string& text) {
  if (!out || size == 0) return;
  const size_t n = std::min(size - 1, text.size());
  std::memcpy(out, text.data(), n);
  out[n] = '\0';
}

/// Bytes of the first version of each structure: fewer make no sense. Later members are 0 if they are
/// missing.
template <class T>
inline constexpr size_t kFirstSize = 0;
template <>
inline constexpr size_t kFirstSize<aerogpu_renderer_callbacks> = offsetof(aerogpu_renderer_callbacks, log) +
                                                                 sizeof(aerogpu_renderer_callbacks::log);
template <>
inline constexpr size_t kFirstSize<aerogpu_renderer_config> = offsetof(aerogpu_renderer_config, opaque) +
                                                              sizeof(aerogpu_renderer_config::opaque);
template <>
inline constexpr size_t kFirstSize<aerogpu_submission> = offsetof(aerogpu_submission, descriptor_error);
template <>
inline constexpr size_t kFirstSize<aerogpu_scanout_config> = offsetof(aerogpu_scanout_config, fb_gpa) +
                                                             sizeof(aerogpu_scanout_config::fb_gpa);
template <>
inline constexpr size_t kFirstSize<aerogpu_bytes_sink> = sizeof(aerogpu_bytes_sink);
template <>
inline constexpr size_t kFirstSize<aerogpu_guest_region> = sizeof(aerogpu_guest_region);
template <>
inline constexpr size_t kFirstSize<aerogpu_renderer_stats> = offsetof(aerogpu_renderer_stats, submissions);
template <>
inline constexpr size_t kFirstSize<aerogpu_renderer_space_limits> = sizeof(aerogpu_renderer_space_limits);
template <>
inline constexpr size_t kFirstSize<aerogpu_renderer_process> = offsetof(aerogpu_renderer_process, landlock);
template <>
inline constexpr size_t kFirstSize<aerogpu_renderer_space> = sizeof(aerogpu_renderer_space);

/// Returns the bytes of `given` that may be accessed, at most those that we know.
template <class T>
size_t sizeGiven(const T& given) {
  return std::min<size_t>(given.struct_size, sizeof given);
}

/// Copies the existing bytes; false if they are fewer than the first version's.
template <class T>
bool takeStruct(const T& given, T& out) {
  static_assert(kFirstSize<T> != 0 && offsetof(T, struct_size) == 0);
  out = {};
  if (given.struct_size < kFirstSize<T>) return false;
  std::memcpy(&out, &given, sizeGiven(given));
  out.struct_size = sizeof out;
  return true;
}

/// Returns "NAME.struct_size is N, at least M is needed".
template <class T>
std::string tooSmall(const char* name, const T& given) {
  return std::string(name) + ".struct_size is " + std::to_string(given.struct_size) + ", at least " +
         std::to_string(kFirstSize<T>) + " is needed";
}

}  // namespace aerogpu
