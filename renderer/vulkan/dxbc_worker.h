// SPDX-License-Identifier: MIT
// Runs a translation of guest code in a child process: libvkd3d-shader asserts on some malformed shaders, and
// an abort there must not take the virtual machine with it. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::vk {

/// What a worker writes; the bytes come back to the caller.
class WorkerOutput {
public:
  explicit WorkerOutput(int fd) : m_fd(fd) {}
  /// False when the reader is gone.
  bool write(const void* bytes, size_t size);
  bool writeWord(uint32_t word) { return write(&word, sizeof word); }

private:
  int m_fd;
};

/// Calls `work` in a forked child with bounded time and memory and returns what it wrote. CmdDecode when the
/// child was killed or wrote more than `maxBytes`; Backend when there can be no child (no processes, or a
/// sandbox forbids them).
Result<std::vector<uint8_t>> runInChild(size_t maxBytes, const std::function<void(WorkerOutput&)>& work);

}  // namespace aerogpu::vk
