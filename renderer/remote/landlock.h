// SPDX-License-Identifier: MIT
// Limits by which files a process can be reached and what it reaches outside of itself: Linux' Landlock
// (Documentation/userspace-api/landlock.rst). Rules last until the process ends, and only become more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aerogpu::remote {

/// Files and folders, with all below them. Those that do not exist are left out.
struct FileRules {
  std::vector<std::string> reads;    ///< files are read, folders listed
  std::vector<std::string> devices;  ///< files are read and written, and get ioctls
  std::vector<std::string> writes;   ///< folders in which files and folders are made, changed and removed
};

/// The newest version of Landlock's interface whose rights are used here.
inline constexpr uint32_t kMostLandlock = 7;

/// Refuses from now on: files beyond `rules`, all programs, and, as far as the kernel knows of it, TCP
/// (version 4), ioctls of other devices (5), abstract sockets and signals of other processes (6). For this
/// thread and those that it starts: call it while the process has one. `most`: newer versions are not used.
/// Returns the version in force, 0 where the kernel has no Landlock; none if the kernel refuses it.
std::optional<uint32_t> limitFiles(const FileRules& rules, uint32_t most = kMostLandlock);

}  // namespace aerogpu::remote
