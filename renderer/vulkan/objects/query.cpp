// SPDX-License-Identifier: MIT
#include "renderer/vulkan/objects/query.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::vk {
namespace {

uint64_t sumOf(const uint8_t* src, uint64_t pitch, uint64_t rows) {
  uint64_t sum = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t slot = 0;
    std::memcpy(&slot, src + row * pitch, sizeof slot);
    sum += slot;
  }
  return sum;
}

/// Makes one number from the slots that a query used.
class SlotSink final : public core::ByteSink {
public:
  SlotSink(std::unique_ptr<core::ByteSink> sink, std::shared_ptr<uint64_t> earlier, uint64_t slots,
           double scale)
      : m_sink(std::move(sink)), m_earlier(std::move(earlier)), m_slots(slots), m_scale(scale) {}

  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t, uint64_t) override {
    uint64_t sum = sumOf(src, srcPitch, m_slots);
    if (m_earlier) sum += *m_earlier;
    if (m_scale != 1) sum = static_cast<uint64_t>(static_cast<long double>(sum) * m_scale);
    return m_sink->write(reinterpret_cast<const uint8_t*>(&sum), sizeof sum, sizeof sum, 1);
  }

private:
  const std::unique_ptr<core::ByteSink> m_sink;
  const std::shared_ptr<uint64_t> m_earlier;
  const uint64_t m_slots;
  const double m_scale;  ///< nanoseconds of a tick
};

/// Adds slots to a query's count.
class AddingSink final : public core::ByteSink {
public:
  explicit AddingSink(std::shared_ptr<uint64_t> sum) : m_sum(std::move(sum)) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t, uint64_t rows) override {
    *m_sum += sumOf(src, srcPitch, rows);
    return {};
  }

private:
  const std::shared_ptr<uint64_t> m_sum;
};

Readback slotReadback(const MemoryRange& memory, uint64_t slots, std::unique_ptr<core::ByteSink> sink) {
  Readback readback;
  readback.sink = std::move(sink);
  readback.memory = memory;
  readback.pixels = memory.mapped();
  readback.pitch = readback.rowBytes = sizeof(uint64_t);
  readback.rows = slots;
  return readback;
}

}  // namespace

QuerySlots::~QuerySlots() {
  for (VkQueryPool pool : m_pools) m_gpu.recorder->retire(Retired::Kind::QueryPool, pool);
}

Result<std::shared_ptr<QuerySlots::Slot>> QuerySlots::take() {
  const uint64_t batch = m_gpu.recorder->batch();
  if (m_free.empty() || m_free.front().batch >= batch) {
    HostMemoryCharge charge =
        HostMemoryCharge::take(m_gpu.hostMemory, kPerPool * sizeof(Slot) * 4, HostMemoryKind::Queries);
    if (!charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by queries", {}};
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = m_type;
    info.queryCount = kPerPool;
    VkQueryPool pool = VK_NULL_HANDLE;
    const VkResult result = m_gpu.device->vk().CreateQueryPool(m_gpu.device->handle(), &info, nullptr, &pool);
    if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateQueryPool");
    m_pools.push_back(pool);
    m_charges.push_back(std::move(charge));
    for (uint32_t i = kPerPool; i-- > 0;) m_free.push_front({pool, i, 0});
  }
  auto slot = std::make_shared<Slot>();
  slot->pool = m_free.front().pool;
  slot->index = m_free.front().index;
  slot->owner = this;
  m_free.pop_front();
  m_gpu.device->vk().CmdResetQueryPool(m_gpu.recorder->early(), slot->pool, slot->index, 1);
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
  m_gpu.device->vk().CmdEndQuery(m_gpu.recorder->commands(), m_slot->pool, m_slot->index);
  m_slot.reset();
}

void Queries::start(QuerySum& sum) {
  drawsEnd();
  m_counting.push_back(&sum);
}

void Queries::stop(QuerySum& sum) {
  drawsEnd();
  std::erase(m_counting, &sum);
}

Result<void> Queries::fold(QuerySum& sum) {
  const uint64_t bytes = sum.slots.size() * sizeof(uint64_t);
  auto range = m_gpu.fromDevice->allocate(bytes, 256);
  if (!range) return range.error();
  for (size_t i = 0; i < sum.slots.size(); ++i)
    copyLater(sum.slots[i], range->buffer(), range->offset + i * sizeof(uint64_t));
  if (!sum.earlier) sum.earlier = std::make_shared<uint64_t>(0);
  m_gpu.recorder->addReadback(
      slotReadback(*range, sum.slots.size(), std::make_unique<AddingSink>(sum.earlier)));
  m_gpu.recorder->retire(*m_gpu.fromDevice, *range);
  sum.slots.clear();
  return {};
}

void Queries::batchEnds() {
  for (QuerySum* sum : m_counting) {
    if (sum->slots.size() < kManySlots || sum->failed) continue;
    if (!fold(*sum)) sum->failed = true;
  }
  if (m_copies.empty()) return;
  for (const Copy& copy : m_copies)
    m_gpu.device->vk().CmdCopyQueryPoolResults(m_gpu.recorder->commands(), copy.slot->pool, copy.slot->index,
                                               1, copy.buffer, copy.offset, sizeof(uint64_t),
                                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  m_copies.clear();
  m_gpu.recorder->hostReads();
}

Result<void> QueryObject::begin(uint64_t counted) {
  if (m_kind == core::QueryKind::Timestamp) return {};
  if (m_begun) return Error{ErrorCode::CmdDecode, "the query has begun already", {}};
  m_sum = {};
  if (counted != 0) m_sum.earlier = std::make_shared<uint64_t>(counted);
  m_begun = true;
  resume();
  return {};
}

void QueryObject::pause() {
  if (m_counts) m_queries.stop(m_sum);
  m_counts = false;
}

void QueryObject::resume() {
  if (!m_begun || m_counts) return;
  m_counts = true;
  m_queries.start(m_sum);
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
  if (!m_begun) return Error{ErrorCode::CmdDecode, "the query has not begun", {}};
  pause();
  m_begun = false;
  return {};
}

Result<void> QueryObject::result(std::unique_ptr<core::ByteSink> sink) {
  if (m_begun) return Error{ErrorCode::CmdDecode, "the query has not ended", {}};
  if (m_kind == core::QueryKind::Timestamp && m_sum.slots.empty())
    return Error{ErrorCode::CmdDecode, "the query has no time", {}};
  if (m_sum.failed) return Error{ErrorCode::Backend, "the query could not count all of its draws", {}};
  const Gpu& gpu = m_queries.m_gpu;
  Recorder& recorder = *gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  const uint64_t slots = m_sum.slots.size();
  auto staged = recorder.stageReadback(std::max<uint64_t>(slots, 1) * sizeof(uint64_t));
  if (!staged) return staged.error();
  for (uint64_t i = 0; i < slots; ++i)
    m_queries.copyLater(m_sum.slots[i], staged->buffer(), staged->offset + i * sizeof(uint64_t));
  const double tick =
      m_kind == core::QueryKind::Timestamp ? double{gpu.device->limits().timestampPeriod} : 1.0;
  recorder.addReadback(
      slotReadback(*staged, slots, std::make_unique<SlotSink>(std::move(sink), m_sum.earlier, slots, tick)));
  return {};
}

}  // namespace aerogpu::vk
