// SPDX-License-Identifier: MIT
#include "renderer/vulkan/objects/query.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::vk {
namespace {

/// Adds the numbers of slots, a row each.
void addRows(core::QueryNumbers& sum, const uint8_t* src, uint64_t pitch, uint64_t rows) {
  for (uint64_t row = 0; row < rows; ++row) {
    core::QueryNumbers slot{};
    std::memcpy(slot.data(), src + row * pitch, std::min<uint64_t>(pitch, sizeof slot));
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += slot[i];
  }
}

/// Makes the numbers of a query from the slots that it used.
class SlotSink final : public core::ByteSink {
public:
  SlotSink(std::unique_ptr<core::ByteSink> sink, std::shared_ptr<core::QueryNumbers> earlier, uint64_t slots,
           double scale)
      : m_sink(std::move(sink)), m_earlier(std::move(earlier)), m_slots(slots), m_scale(scale) {}

  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t, uint64_t) override {
    core::QueryNumbers sum = m_earlier ? *m_earlier : core::QueryNumbers{};
    addRows(sum, src, srcPitch, m_slots);
    if (m_scale != 1) sum[0] = static_cast<uint64_t>(static_cast<long double>(sum[0]) * m_scale);
    return m_sink->write(reinterpret_cast<const uint8_t*>(sum.data()), srcPitch, srcPitch, 1);
  }

private:
  const std::unique_ptr<core::ByteSink> m_sink;
  const std::shared_ptr<core::QueryNumbers> m_earlier;
  const uint64_t m_slots;
  const double m_scale;  ///< nanoseconds of a tick
};

/// Adds slots to a query's counts.
class AddingSink final : public core::ByteSink {
public:
  explicit AddingSink(std::shared_ptr<core::QueryNumbers> sum) : m_sum(std::move(sum)) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t, uint64_t rows) override {
    addRows(*m_sum, src, srcPitch, rows);
    return {};
  }

private:
  const std::shared_ptr<core::QueryNumbers> m_sum;
};

Readback slotReadback(const MemoryRange& memory, const QuerySum& sum, std::unique_ptr<core::ByteSink> sink) {
  Readback readback;
  readback.sink = std::move(sink);
  readback.memory = memory;
  readback.pixels = memory.mapped();
  readback.pitch = readback.rowBytes = sum.slotBytes();
  readback.rows = sum.slots.size();
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
  if (kind == core::QueryKind::Streams && m_gpu.device->caps().streamBytes == 0)
    return Error{ErrorCode::Backend, "this GPU counts no stream output", {}};
  return std::unique_ptr<core::GpuQuery>(std::make_unique<QueryObject>(*this, kind));
}

void Queries::beginSlot(Counting& counting) {
  auto slot = counting.slots.take();
  if (!slot) {
    for (QuerySum* sum : counting.sums) sum->failed = true;
    return;
  }
  counting.slot = std::move(*slot);
  const bool exact = &counting == &m_samples && m_gpu.device->caps().exactOcclusion;
  const VkQueryControlFlags flags = exact ? VkQueryControlFlags{VK_QUERY_CONTROL_PRECISE_BIT} : 0u;
  m_gpu.device->vk().CmdBeginQuery(m_gpu.recorder->commands(), counting.slot->pool, counting.slot->index,
                                   flags);
  for (QuerySum* sum : counting.sums) sum->slots.push_back(counting.slot);
}

void Queries::endSlot(Counting& counting) {
  m_gpu.device->vk().CmdEndQuery(m_gpu.recorder->commands(), counting.slot->pool, counting.slot->index);
  counting.slot.reset();
}

void Queries::start(QuerySum& sum) {
  drawsEnd();
  countingOf(sum.kind).sums.push_back(&sum);
}

void Queries::stop(QuerySum& sum) {
  drawsEnd();
  std::erase(countingOf(sum.kind).sums, &sum);
}

void Queries::copyLater(const QuerySum& sum, const MemoryRange& memory) {
  for (size_t i = 0; i < sum.slots.size(); ++i)
    m_copies.push_back({sum.slots[i], memory.buffer(), memory.at() + i * sum.slotBytes(), sum.slotBytes()});
}

Result<void> Queries::fold(QuerySum& sum) {
  auto range = m_gpu.fromDevice->allocate(sum.slots.size() * sum.slotBytes(), 256);
  if (!range) return range.error();
  copyLater(sum, *range);
  if (!sum.earlier) sum.earlier = std::make_shared<core::QueryNumbers>();
  m_gpu.recorder->addReadback(slotReadback(*range, sum, std::make_unique<AddingSink>(sum.earlier)));
  m_gpu.recorder->retire(*m_gpu.fromDevice, *range);
  sum.slots.clear();
  return {};
}

void Queries::batchEnds() {
  for (const Counting* counting : {&m_samples, &m_streams})
    for (QuerySum* sum : counting->sums) {
      if (sum->slots.size() < kManySlots || sum->failed) continue;
      if (!fold(*sum)) sum->failed = true;
    }
  if (m_copies.empty()) return;
  for (const Copy& copy : m_copies)
    m_gpu.device->vk().CmdCopyQueryPoolResults(m_gpu.recorder->commands(), copy.slot->pool, copy.slot->index,
                                               1, copy.buffer, copy.offset, copy.bytes,
                                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  m_copies.clear();
  m_gpu.recorder->hostReads();
}

Result<void> QueryObject::begin(const core::QueryNumbers& counted) {
  if (m_kind == core::QueryKind::Timestamp) return {};
  if (m_begun) return Error{ErrorCode::CmdDecode, "the query has begun already", {}};
  m_sum = {m_kind, {}, {}, false};
  if (counted != core::QueryNumbers{}) m_sum.earlier = std::make_shared<core::QueryNumbers>(counted);
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
    m_sum = {m_kind, {}, {}, false};
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
  auto staged = recorder.stageReadback(std::max<uint64_t>(slots, 1) * m_sum.slotBytes());
  if (!staged) return staged.error();
  m_queries.copyLater(m_sum, *staged);
  const double tick =
      m_kind == core::QueryKind::Timestamp ? double{gpu.device->limits().timestampPeriod} : 1.0;
  recorder.addReadback(
      slotReadback(*staged, m_sum, std::make_unique<SlotSink>(std::move(sink), m_sum.earlier, slots, tick)));
  return {};
}

}  // namespace aerogpu::vk
