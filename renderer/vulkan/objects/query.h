// SPDX-License-Identifier: MIT
// Occlusion and timestamp queries. Render thread only.
//
// Vulkan has one occlusion query at a time, within one command buffer; Direct3D has any number, over any. So
// one slot of a pool counts at a time, and ends where a query begins or ends, or the batch does. A query's
// result is the sum of the slots that counted meanwhile.
#pragma once

#include <memory>
#include <vector>

#include "renderer/core/gpu_objects.h"
#include "renderer/vulkan/device/gpu.h"

namespace aerogpu::vk {

/// Slots of one kind of query. One is used again in the order of submission, so nothing waits for the GPU.
class QuerySlots {
public:
  QuerySlots(Gpu& gpu, VkQueryType type) : m_gpu(gpu), m_type(type) {}
  ~QuerySlots();

  struct Slot {
    VkQueryPool pool = VK_NULL_HANDLE;
    uint32_t index = 0;
    QuerySlots* owner = nullptr;
    ~Slot() { owner->m_free.push_back({pool, index}); }
  };
  /// A slot, reset in the command buffer outside of any render pass, until the last reference goes.
  Result<std::shared_ptr<Slot>> take();

private:
  struct Free {
    VkQueryPool pool;
    uint32_t index;
  };
  static constexpr uint32_t kPerPool = 64;
  Gpu& m_gpu;
  const VkQueryType m_type;
  std::vector<VkQueryPool> m_pools;
  std::vector<HostMemoryCharge> m_charges;
  std::vector<Free> m_free;
};

/// What a query counted, or its time.
struct QuerySum {
  std::vector<std::shared_ptr<QuerySlots::Slot>> slots;
  bool failed = false;  ///< a slot could not be had
};

/// The queries of one GPU; outlives them.
class Queries final : private BatchUser {
public:
  explicit Queries(Gpu& gpu)
      : m_gpu(gpu), m_samples(gpu, VK_QUERY_TYPE_OCCLUSION), m_times(gpu, VK_QUERY_TYPE_TIMESTAMP) {}

  Result<std::unique_ptr<core::GpuQuery>> create(core::QueryKind kind);

private:
  friend class QueryObject;
  void batchEnds() override { endSlot(); }
  void batchBegins() override { beginSlot(); }
  /// Starts or stops to count into `sum`; a batch is open for the former.
  void start(QuerySum& sum);
  void stop(QuerySum& sum);
  void beginSlot();
  void endSlot();

  Gpu& m_gpu;
  QuerySlots m_samples, m_times;
  std::vector<QuerySum*> m_counting;
  std::shared_ptr<QuerySlots::Slot> m_slot;  ///< that counts in the open batch
};

class QueryObject final : public core::GpuQuery {
public:
  QueryObject(Queries& queries, core::QueryKind kind) : m_queries(queries), m_kind(kind) {}
  ~QueryObject() override {
    if (m_counts) m_queries.stop(m_sum);
  }

  Result<void> begin() override;
  Result<void> end() override;
  Result<void> result(std::unique_ptr<core::ByteSink> sink) override;

private:
  Queries& m_queries;
  const core::QueryKind m_kind;
  QuerySum m_sum;
  bool m_counts = false;  ///< between begin() and end()
};

}  // namespace aerogpu::vk
