// SPDX-License-Identifier: MIT
// Host-visible images that captureFrame fills and the embedder reads. Frames are handed out on the render
// thread and come back on any thread; memory is freed on the render thread only.
#pragma once

#include <memory>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/host_memory.h"
#include "renderer/base/mutex.h"
#include "renderer/vulkan/device/memory.h"

namespace aerogpu::vk {

class FramePool;

struct Frame {
  aerogpu_frame image{};  ///< first member: the embedder's pointer is this address
  FramePool* pool = nullptr;
  MemoryRange range;
  HostMemoryCharge charge;
};

class FramePool {
public:
  FramePool(MemoryPool& memory, HostMemory& account, HostMemory& reserve)
      : m_memory(memory), m_account(account), m_reserve(reserve) {}
  ~FramePool();

  /// Render thread. Returns a frame of at least `bytes`; a Backend error if neither account nor reserve has
  /// room. The frame keeps the image of its last use.
  Result<Frame*> take(uint64_t bytes);
  /// Render thread. Returns the idle frame whose image has that number, or null.
  Frame* takeImage(uint64_t sequence);
  /// Gives a frame back to its pool, which may be that of a GPU that was used before. Any thread.
  static void release(aerogpu_frame* frame);
  /// Render thread. True if no frame is out.
  bool allHome();
  /// Render thread. Frees all idle frames.
  void dropIdle() { trim(0); }

private:
  static constexpr size_t kKept = 4;  ///< idle frames that are kept for reuse
  /// Frees idle frames beyond `kept`, the oldest first.
  void trim(size_t kept);

  MemoryPool& m_memory;
  HostMemory& m_account;
  HostMemory& m_reserve;
  std::vector<std::unique_ptr<Frame>> m_all;  // render thread
  Mutex m_mutex;
  std::vector<Frame*> m_idle GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::vk
