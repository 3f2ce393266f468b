// SPDX-License-Identifier: MIT
// Occlusion and timestamp queries. Render thread only.
//
// Vulkan has one occlusion query at a time, within one render pass; Direct3D has any number, over any. So one
// slot of a pool counts at a time. It begins with the first draw that must be counted, and ends when a query
// begins or ends, before a command that is no draw, or with the pass. A query's result is the sum of the
// slots that counted meanwhile. Slots are reset ahead of the command buffer and their results copied at its
// end, so that no render pass ends because of a query.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "renderer/core/gpu_objects.h"
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

/// Slots of one kind of query. A slot is reused in a later batch, in the order of submission, so no one waits
/// for the GPU.
class QuerySlots {
public:
  QuerySlots(Gpu& gpu, VkQueryType type) : m_gpu(gpu), m_type(type) {}
  ~QuerySlots();

  struct Slot {
    VkQueryPool pool = VK_NULL_HANDLE;
    uint32_t index = 0;
    QuerySlots* owner = nullptr;
    ~Slot() { owner->m_free.push_back({pool, index, owner->m_gpu.recorder->batch()}); }
  };
  /// Takes a slot, reset before everything in the open batch, until the last reference goes.
  Result<std::shared_ptr<Slot>> take();

private:
  struct Free {
    VkQueryPool pool;
    uint32_t index;
    uint64_t batch;  ///< the last one that may use the slot
  };
  static constexpr uint32_t kPerPool = 64;
  Gpu& m_gpu;
  const VkQueryType m_type;
  std::vector<VkQueryPool> m_pools;
  std::vector<HostMemoryCharge> m_charges;
  std::deque<Free> m_free;  ///< oldest first
};

/// A query's count, or its time.
struct QuerySum {
  std::vector<std::shared_ptr<QuerySlots::Slot>> slots;
  /// The count of earlier batches, once there were many slots. Used by the completion thread.
  std::shared_ptr<uint64_t> earlier;
  bool failed = false;  ///< a slot was not available
};

/// The queries of one GPU; outlives them.
class Queries final : private DrawCounter {
public:
  explicit Queries(Gpu& gpu)
      : m_gpu(gpu), m_samples(gpu, VK_QUERY_TYPE_OCCLUSION), m_times(gpu, VK_QUERY_TYPE_TIMESTAMP) {
    m_gpu.recorder->add(*this);
  }
  ~Queries() override { m_gpu.recorder->remove(*this); }
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;

  Result<std::unique_ptr<core::GpuQuery>> create(core::QueryKind kind);

private:
  friend class QueryObject;
  /// More slots of one query than this are summed up when their batch ends.
  static constexpr size_t kManySlots = 64;

  void drawComes() override {
    if (!m_counting.empty() && !m_slot) beginSlot();
  }
  void drawsEnd() override {
    if (m_slot) endSlot();
  }
  void batchEnds() override;
  void start(QuerySum& sum);
  void stop(QuerySum& sum);
  void beginSlot();
  void endSlot();
  /// Copies the result of `slot` to `buffer` at the end of this batch.
  void copyLater(std::shared_ptr<QuerySlots::Slot> slot, VkBuffer buffer, VkDeviceSize offset) {
    m_copies.push_back({std::move(slot), buffer, offset});
  }
  /// Copies all of `sum` to its own memory and adds it to `earlier`, when the open batch is done.
  Result<void> fold(QuerySum& sum);

  struct Copy {
    std::shared_ptr<QuerySlots::Slot> slot;
    VkBuffer buffer;
    VkDeviceSize offset;
  };
  Gpu& m_gpu;
  QuerySlots m_samples, m_times;
  std::vector<QuerySum*> m_counting;
  std::vector<Copy> m_copies;                ///< of the open batch
  std::shared_ptr<QuerySlots::Slot> m_slot;  ///< counts in the open pass
};

class QueryObject final : public core::GpuQuery {
public:
  QueryObject(Queries& queries, core::QueryKind kind) : m_queries(queries), m_kind(kind) {}
  ~QueryObject() override { pause(); }

  Result<void> begin(uint64_t counted) override;
  Result<void> end() override;
  void pause() override;
  void resume() override;
  Result<void> result(std::unique_ptr<core::ByteSink> sink) override;

private:
  Queries& m_queries;
  const core::QueryKind m_kind;
  QuerySum m_sum;
  bool m_begun = false;   ///< between begin() and end()
  bool m_counts = false;  ///< and not paused
};

}  // namespace aerogpu::vk
