// SPDX-License-Identifier: MIT
// Objects that wait for the GPU before they die. Render thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/memory.h"

namespace aerogpu::vk {

/// An object that is used again once the GPU has finished with it.
class Returning {
public:
  virtual ~Returning() = default;
  /// Called when the GPU has finished with the object, which then keeps or destroys itself.
  virtual void finished() = 0;
};

/// A Vulkan object or memory range that dies when the GPU has finished a batch.
struct Retired {
  enum class Kind : uint8_t {
    Range,
    Image,  ///< a Returning
    ImageView,
    BufferView,
    Sampler,
    DescriptorPool,
    Pipeline,
    SetLayout,
    PipelineLayout,
    QueryPool
  };
  uint64_t batch = 0;
  Kind kind = Kind::Range;
  uint64_t handle = 0;
  MemoryPool* pool = nullptr;
  MemoryRange range;
};

/// Retired objects in the order of their batches. Destroys the rest at its own end; the GPU must have
/// finished.
class RetiredObjects {
public:
  explicit RetiredObjects(Device& device) : m_device(device) {}
  RetiredObjects(const RetiredObjects&) = delete;
  RetiredObjects& operator=(const RetiredObjects&) = delete;

  /// Adds an object. Its batch is no older than the batch of any object that was added before.
  void add(const Retired& object) {
    m_objects.push_back(object);
    m_pools += object.kind == Retired::Kind::DescriptorPool;
  }
  /// Destroys the objects of batches up to `done`.
  void collect(uint64_t done) {
    while (!m_objects.empty() && m_objects.front().batch <= done) {
      destroy(m_objects.front());
      m_objects.pop_front();
    }
  }
  /// True if so many objects wait that a guest may be piling them up without end.
  bool crowded() const { return m_objects.size() > kMax || m_pools > kMaxPools; }

private:
  static constexpr size_t kMax = 32768;     ///< objects and ranges
  static constexpr size_t kMaxPools = 128;  ///< of descriptor sets

  void destroy(const Retired& retired);

  Device& m_device;
  std::deque<Retired> m_objects;
  size_t m_pools = 0;  ///< of descriptor sets, among them
};

}  // namespace aerogpu::vk
