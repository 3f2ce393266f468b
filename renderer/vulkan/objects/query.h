// SPDX-License-Identifier: MIT
// Queries of draws and of times. Render thread only.
//
// Vulkan has one query of a kind at a time, within one render pass; Direct3D has any number, over any. So one
// slot of a pool counts at a time for each kind. It begins with the first draw that must be counted, and ends
// when a query begins or ends, before a command that is no draw, or with the pass. A query's result is the
// sum of the slots that counted meanwhile. Slots are reset ahead of the command buffer and their results
// copied at its end, so that no render pass ends because of a query.
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

/// A query's counts, or its time.
struct QuerySum {
  core::QueryKind kind = core::QueryKind::Occlusion;
  std::vector<std::shared_ptr<QuerySlots::Slot>> slots;
  /// The counts of earlier batches, once there were many slots. Used by the completion thread.
  std::shared_ptr<core::QueryNumbers> earlier;
  bool failed = false;  ///< a slot was not available

  /// Returns the bytes of one slot's numbers.
  uint64_t slotBytes() const { return core::numbersOf(kind) * sizeof(uint64_t); }
};

/// The queries of one GPU; outlives them.
class Queries final : private DrawCounter {
public:
  explicit Queries(Gpu& gpu)
      : m_gpu(gpu),
        m_samples{{gpu, VK_QUERY_TYPE_OCCLUSION}, {}, {}},
        m_streams{{gpu, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT}, {}, {}},
        m_times(gpu, VK_QUERY_TYPE_TIMESTAMP) {
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

  /// The queries of one kind that count draws.
  struct Counting {
    QuerySlots slots;
    std::vector<QuerySum*> sums;
    std::shared_ptr<QuerySlots::Slot> slot;  ///< counts in the open pass
  };

  void drawComes() override {
    for (Counting* counting : {&m_samples, &m_streams})
      if (!counting->sums.empty() && !counting->slot) beginSlot(*counting);
  }
  void drawsEnd() override {
    for (Counting* counting : {&m_samples, &m_streams})
      if (counting->slot) endSlot(*counting);
  }
  void batchEnds() override;
  void start(QuerySum& sum);
  void stop(QuerySum& sum);
  Counting& countingOf(core::QueryKind kind) {
    return kind == core::QueryKind::Streams ? m_streams : m_samples;
  }
  void beginSlot(Counting& counting);
  void endSlot(Counting& counting);
  /// Copies the results of all slots of `sum` to `memory`, one after the other, at the end of this batch.
  void copyLater(const QuerySum& sum, const MemoryRange& memory);
  /// Copies all of `sum` to its own memory and adds it to `earlier`, when the open batch is done.
  Result<void> fold(QuerySum& sum);

  struct Copy {
    std::shared_ptr<QuerySlots::Slot> slot;
    VkBuffer buffer;
    VkDeviceSize offset, bytes;
  };
  Gpu& m_gpu;
  Counting m_samples, m_streams;
  QuerySlots m_times;
  std::vector<Copy> m_copies;  ///< of the open batch
};

class QueryObject final : public core::GpuQuery {
public:
  QueryObject(Queries& queries, core::QueryKind kind) : m_queries(queries), m_kind(kind) {
    m_sum.kind = kind;
  }
  ~QueryObject() override { pause(); }

  Result<void> begin(const core::QueryNumbers& counted) override;
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
