// SPDX-License-Identifier: MIT
#include "renderer/vulkan/objects/query.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::vk {
namespace {

/// Makes one number of the slots that a query used.
class SlotSink final : public core::ByteSink {
public:
  SlotSink(std::unique_ptr<core::ByteSink> sink, double scale) : m_sink(std::move(sink)), m_scale(scale) {}

  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
    uint64_t sum = 0;
    for (uint64_t row = 0; row < rows; ++row) {
      uint64_t slot = 0;
      std::memcpy(&slot, src + row * srcPitch, std::min<uint64_t>(rowBytes, sizeof slot));
      sum += slot;
    }
    if (m_scale != 1) sum = static_cast<uint64_t>(static_cast<long double>(sum) * m_scale);
    return m_sink->write(reinterpret_cast<const uint8_t*>(&sum), sizeof sum, sizeof sum, 1);
  }

private:
  const std::unique_ptr<core::ByteSink> m_sink;
  const double m_scale;  ///< nanoseconds of a tick
};

}  // namespace

QuerySlots::~QuerySlots() {
  for (VkQueryPool pool : m_pools) m_gpu.recorder->retire(Retired::Kind::QueryPool, pool);
}

Result<std::shared_ptr<QuerySlots::Slot>> QuerySlots::take() {
  if (m_free.empty()) {
    HostMemoryCharge charge = HostMemoryCharge::take(m_gpu.hostMemory, kPerPool * sizeof(Slot) * 4);
    if (!charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by queries", {}};
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = m_type;
    info.queryCount = kPerPool;
    VkQueryPool pool = VK_NULL_HANDLE;
    const VkResult result = m_gpu.device->vk().CreateQueryPool(m_gpu.device->handle(), &info, nullptr, &pool);
    if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateQueryPool");
    m_pools.push_back(pool);
    m_charges.push_back(std::move(charge));
    for (uint32_t i = kPerPool; i-- > 0;) m_free.push_back({pool, i});
  }
  auto slot = std::make_shared<Slot>();
  slot->pool = m_free.back().pool;
  slot->index = m_free.back().index;
  slot->owner = this;
  m_free.pop_back();
  m_gpu.device->vk().CmdResetQueryPool(m_gpu.recorder->outsidePass(), slot->pool, slot->index, 1);
  return slot;
}

Result<std::unique_ptr<core::GpuQuery>> Queries::create(core::QueryKind kind) {
  if (kind == core::QueryKind::Timestamp && !m_gpu.device->limits().timestampComputeAndGraphics)
    return Error{ErrorCode::Backend, "this GPU has no timestamps", {}};
  return std::unique_ptr<core::GpuQuery>(std::make_unique<QueryObject>(*this, kind));
}

void Queries::beginSlot() {
  auto slot = m_samples.take();
  if (!slot) {
    for (QuerySum* sum : m_counting) sum->failed = true;
    return;
  }
  m_slot = std::move(*slot);
  const VkQueryControlFlags flags =
      m_gpu.device->caps().exactOcclusion ? VkQueryControlFlags{VK_QUERY_CONTROL_PRECISE_BIT} : 0u;
  m_gpu.device->vk().CmdBeginQuery(m_gpu.recorder->commands(), m_slot->pool, m_slot->index, flags);
  for (QuerySum* sum : m_counting) sum->slots.push_back(m_slot);
}

void Queries::endSlot() {
  if (!m_slot) return;
  m_gpu.device->vk().CmdEndQuery(m_gpu.recorder->outsidePass(), m_slot->pool, m_slot->index);
  m_slot.reset();
}

void Queries::start(QuerySum& sum) {
  endSlot();
  if (m_counting.empty()) m_gpu.recorder->add(*this);
  m_counting.push_back(&sum);
  beginSlot();
}

void Queries::stop(QuerySum& sum) {
  endSlot();  // if no batch is open, the last one ended it
  std::erase(m_counting, &sum);
  if (m_counting.empty())
    m_gpu.recorder->remove(*this);
  else if (m_gpu.recorder->isOpen())
    beginSlot();
}

Result<void> QueryObject::begin() {
  if (m_kind == core::QueryKind::Timestamp) return {};
  if (m_counts) return Error{ErrorCode::CmdDecode, "the query has begun already", {}};
  if (auto opened = m_queries.m_gpu.recorder->open(); !opened) return opened;
  m_sum = {};
  m_counts = true;
  m_queries.start(m_sum);
  return {};
}

Result<void> QueryObject::end() {
  if (m_kind == core::QueryKind::Timestamp) {
    const Gpu& gpu = m_queries.m_gpu;
    if (auto opened = gpu.recorder->open(); !opened) return opened;
    m_sum = {};
    auto slot = m_queries.m_times.take();
    if (!slot) return slot.error();
    m_sum.slots.push_back(*slot);
    gpu.device->vk().CmdWriteTimestamp2(gpu.recorder->commands(), VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                        (*slot)->pool, (*slot)->index);
    return {};
  }
  if (!m_counts) return Error{ErrorCode::CmdDecode, "the query has not begun", {}};
  m_counts = false;
  m_queries.stop(m_sum);
  return {};
}

Result<void> QueryObject::result(std::unique_ptr<core::ByteSink> sink) {
  if (m_counts || (m_sum.slots.empty() && !m_sum.failed))
    return Error{ErrorCode::CmdDecode, "the query has not ended", {}};
  if (m_sum.failed) return Error{ErrorCode::Backend, "the query could not count all of its draws", {}};
  const Gpu& gpu = m_queries.m_gpu;
  Recorder& recorder = *gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  auto staged = recorder.stageReadback(m_sum.slots.size() * sizeof(uint64_t));
  if (!staged) return staged.error();
  uint64_t offset = staged->offset;
  for (const auto& slot : m_sum.slots) {
    gpu.device->vk().CmdCopyQueryPoolResults(recorder.outsidePass(), slot->pool, slot->index, 1,
                                             staged->buffer(), offset, sizeof(uint64_t),
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    offset += sizeof(uint64_t);
  }
  recorder.hostReads();
  const double tick =
      m_kind == core::QueryKind::Timestamp ? double{gpu.device->limits().timestampPeriod} : 1.0;
  Readback readback;
  readback.sink = std::make_unique<SlotSink>(std::move(sink), tick);
  readback.memory = *staged;
  readback.pixels = staged->mapped();
  readback.pitch = readback.rowBytes = sizeof(uint64_t);
  readback.rows = m_sum.slots.size();
  recorder.addReadback(std::move(readback));
  return {};
}

}  // namespace aerogpu::vk
