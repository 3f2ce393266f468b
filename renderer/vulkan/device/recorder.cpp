// SPDX-License-Identifier: MIT
// Recording and handing over of batches (see recorder.h).
#include "renderer/vulkan/device/recorder.h"

#include <algorithm>
#include <utility>

#include "renderer/vulkan/device/vk_result.h"

namespace aerogpu::vk {

Recorder::Recorder(Device& device, MemoryPool& toDevice, MemoryPool& fromDevice, StopWords& stopWords,
                   const core::BackendConfig& config)
    : m_device(device),
      m_stopWords(stopWords),
      m_config(config),
      m_batches(device, stopWords),
      m_toDevice(toDevice),
      m_fromDevice(fromDevice),
      m_retired(device) {}

Result<void> Recorder::create() {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  const VkResult result = m_device.vk().CreateSemaphore(m_device.handle(), &info, nullptr, &m_timeline);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateSemaphore");
  m_completion = std::make_unique<CompletionThread>(m_device, m_timeline, m_config);
  return {};
}

Recorder::~Recorder() {
  m_completion.reset();  // processes what is queued
  m_device.vk().DeviceWaitIdle(m_device.handle());
  m_retired.collect(UINT64_MAX);
  if (m_current) m_batches.giveBack(std::move(m_current));
  for (auto& batch : m_inFlight) m_batches.giveBack(std::move(batch));
  if (m_timeline) m_device.vk().DestroySemaphore(m_device.handle(), m_timeline, nullptr);
}

void Recorder::collect() {
  const uint64_t done = completed();
  m_retired.collect(done);
  while (!m_inFlight.empty() && m_inFlight.front()->number <= done) {
    m_batches.giveBack(std::move(m_inFlight.front()));
    m_inFlight.pop_front();
  }
  m_toDevice.collect(done);
  m_fromDevice.collect(done);
}

void Recorder::drain() {
  m_completion->waitFor(m_numbers.submitted);
  collect();
}

Result<std::unique_ptr<Batch>> Recorder::freeBatch() {
  collect();
  if (m_inFlight.size() >= Batches::kMax) {
    m_completion->waitFor(m_inFlight.front()->number);
    collect();
  }
  return m_batches.take();
}

Result<void> Recorder::begin(VkCommandBuffer commands) {
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  const VkResult result = m_device.vk().BeginCommandBuffer(commands, &info);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkBeginCommandBuffer");
  return {};
}

Result<void> Recorder::open() {
  if (m_current && m_current->writesGuest)
    if (auto flushed = flush(); !flushed) return flushed;
  return openToRead();
}

Result<void> Recorder::openToRead() {
  if (m_current) return {};
  if (m_device.lost()) return Error{ErrorCode::Backend, "the GPU is lost", {}};
  auto batch = freeBatch();
  if (!batch) return batch.error();
  Result<void> begun = begin((*batch)->early[0]);
  if (begun) begun = begin((*batch)->main);
  if (!begun) {
    m_batches.giveBack(std::move(*batch));
    return begun;
  }
  m_current = std::move(*batch);
  m_current->number = m_numbers.submitted + 1;
  m_current->firstPass = m_pass.id;
  ++m_numbers.opened;
  return {};
}

VkCommandBuffer Recorder::outsidePass() {
  if (m_pass.open) {
    noDrawComes();
    m_device.vk().CmdEndRendering(m_current->main);
    m_pass.open = m_pass.leftOpen = false;
  }
  return m_current->main;
}

VkCommandBuffer Recorder::early() {
  m_current->hasEarly = true;
  return m_current->early[m_current->earlySent];
}

void Recorder::sendEarly() {
  Batch& batch = *m_current;
  if (!batch.hasEarly || batch.sent != VK_SUCCESS || batch.earlySent == kMaxSent ||
      completed() != m_numbers.submitted)
    return;
  if (batch.early.size() == batch.earlySent + 1 && m_batches.addEarly(batch) != VK_SUCCESS) return;
  if (!begin(batch.early[batch.earlySent + 1])) return;
  VkCommandBufferSubmitInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
  commands.commandBuffer = batch.early[batch.earlySent];
  VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  if (batch.earlySent == 0) batch.sentNs = nowNs();
  batch.sent = m_device.vk().EndCommandBuffer(commands.commandBuffer);
  if (batch.sent == VK_SUCCESS)
    batch.sent = m_device.vk().QueueSubmit2(m_device.queue(), 1, &info, VK_NULL_HANDLE);
  ++batch.earlySent;
  batch.hasEarly = false;
}

void Recorder::beginInterlude() {
  outsidePass();
}

void Recorder::endInterlude() {
  outsidePass();
  ++m_interludes;
}

void Recorder::leaveInterludeOpen() {
  m_pass.leftOpen = true;
  ++m_interludes;
}

void Recorder::beginPass(const VkRenderingInfo& info) {
  outsidePass();
  m_device.vk().CmdBeginRendering(m_current->main, &info);
  m_pass.open = true;
  ++m_pass.id;
}

Result<MemoryRange> Recorder::stageIn(Staging& staging, uint64_t size) {
  size = (size + 255) & ~uint64_t{255};
  if (const auto range = staging.cut(size)) return *range;
  collect();
  const uint64_t staged = m_toDevice.bytes() + m_fromDevice.bytes();
  if (staged + std::max(size, Staging::kChunkBytes) > kStagingLimit && staged > 0) {
    // Too much is under way: let the GPU take it before more is added.
    if (auto flushed = flush(); !flushed) return flushed.error();
    m_completion->waitFor(m_numbers.submitted);
    collect();
    if (auto opened = open(); !opened) return opened.error();
    if (staging.hasChunk()) return stageIn(staging, size);
  }
  return staging.cutAnother(size, batch());
}

void Recorder::keepTarget(std::unique_ptr<HostImport> import) {
  m_atEnd.imports.push_back(std::move(import));
  m_current->writesGuest = true;
}

void Recorder::orderHostCopies() {
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  m_device.vk().CmdPipelineBarrier2(outsidePass(), &dependency);
}

bool Recorder::AtEnd::readsOnly() const {
  return !readbacks.empty() && imports.empty() &&
         std::none_of(readbacks.begin(), readbacks.end(),
                      [](const Readback& each) { return each.value.has_value(); });
}

void Recorder::recordHostBarrier() {
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  if (m_device.caps().transformFeedback)
    barrier.srcAccessMask |=
        VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  m_device.vk().CmdPipelineBarrier2(m_current->main, &dependency);
}

VkResult Recorder::queue() {
  const DeviceTable& vk = m_device.vk();
  VkCommandBufferSubmitInfo buffers[2] = {{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO},
                                          {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO}};
  VkResult result = m_current->sent;
  buffers[0].commandBuffer = m_current->early[m_current->earlySent];
  if (result == VK_SUCCESS) result = vk.EndCommandBuffer(buffers[0].commandBuffer);
  if (result == VK_SUCCESS) result = vk.EndCommandBuffer(m_current->main);
  buffers[1].commandBuffer = m_current->main;
  VkSemaphoreSubmitInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
  signal.semaphore = m_timeline;
  signal.value = m_current->number;
  signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
  info.commandBufferInfoCount = m_current->hasEarly ? 2 : 1;
  info.pCommandBufferInfos = m_current->hasEarly ? buffers : buffers + 1;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  if (result == VK_SUCCESS) result = vk.QueueSubmit2(m_device.queue(), 1, &info, VK_NULL_HANDLE);
  return result;
}

Result<void> Recorder::submit(std::unique_ptr<core::Completion> completion, Frame* frame) {
  outsidePass();
  for (DrawCounter* counter : m_counters) counter->batchEnds();
  for (EarlyUser* user : std::exchange(m_atEnd.earlyUsers, {})) user->endEarly();
  if (std::exchange(m_atEnd.hostReads, false)) recordHostBarrier();
  // The GPU has but copies to do, so that it is worth waiting for it here.
  const bool soon = completion && !frame && m_atEnd.readsOnly() && m_current->firstPass == m_pass.id &&
                    m_current->stoppable == 0;
  WorkItem item;
  item.owner = m_owner;
  item.startNs = m_current->earlySent ? m_current->sentNs : nowNs();
  const VkResult result = queue();
  item.completion = std::move(completion);
  item.frame = frame;
  item.readbacks = std::exchange(m_atEnd.readbacks, {});
  item.imports = std::exchange(m_atEnd.imports, {});
  item.stoppable = m_current->stoppable;
  if (item.stoppable) item.stopWord = m_stopWords.word(m_current->stopWord);
  if (result != VK_SUCCESS) {
    // The device never saw the batch: its number is used again, its read-backs have nothing to read. Copies
    // that went ahead end soon, since the GPU had nothing before them.
    if (m_current->earlySent) m_device.vk().DeviceWaitIdle(m_device.handle());
    item.error = m_device.fail(result, "vkQueueSubmit2");
    item.batch = m_numbers.submitted;
    item.startNs = 0;
    const Error error = *item.error;
    m_batches.giveBack(std::move(m_current));
    m_completion->push(std::move(item));
    return error;
  }
  m_numbers.submitted = m_current->number;
  if (!onlyCopies(*m_current)) m_numbers.lastWork = m_numbers.submitted;
  item.batch = m_numbers.submitted;
  m_inFlight.push_back(std::move(m_current));
  // Staged bytes belong to one batch: chunks are not shared between batches.
  m_toDevice.batchEnds(m_numbers.submitted);
  m_fromDevice.batchEnds(m_numbers.submitted);
  if (!soon || !m_completion->finishSoon(item)) m_completion->push(std::move(item));
  return {};
}

Result<void> Recorder::writeValue(const core::ValueWrite& value) {
  if (!m_current && m_completion->idle() && !m_device.lost()) return value.write();
  Readback readback;
  readback.value = value;
  if (m_current) {
    m_atEnd.readbacks.push_back(std::move(readback));
    return {};
  }
  WorkItem item;
  item.owner = m_owner;
  item.batch = m_numbers.submitted;
  item.readbacks.push_back(std::move(readback));
  if (m_device.lost()) item.error = Error{ErrorCode::Backend, "the GPU is lost", {}};
  m_completion->push(std::move(item));
  return {};
}

Result<void> Recorder::flush() {
  if (!m_current) return {};
  return submit(nullptr, nullptr);
}

bool Recorder::throttle() {
  (void)flush();  // its failure travels with the work item
  m_completion->waitFor(std::exchange(m_numbers.throttled, m_numbers.submitted));
  return m_completion->stopped() <= m_numbers.lastFinished && !m_device.hung();
}

void Recorder::abandon() {
  m_completion.reset();
}

bool Recorder::drained() {
  if (m_config.playsHang()) return false;
  VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  wait.semaphoreCount = 1;
  wait.pSemaphores = &m_timeline;
  wait.pValues = &m_numbers.submitted;
  return m_device.vk().WaitSemaphores(m_device.handle(), &wait, 0) != VK_TIMEOUT;
}

void Recorder::finish(std::unique_ptr<core::Completion> completion, Frame* frame, bool needsGpu) {
  if (m_current) {
    (void)submit(std::move(completion), frame);  // its failure travels with the completion
    m_numbers.lastFinished = m_numbers.submitted;
    return;
  }
  m_numbers.lastFinished = m_numbers.submitted;
  const bool missesGpu = needsGpu && m_device.lost();
  if (!frame && m_completion->idle() && !missesGpu) {
    completion->completed(m_completion->takeError(), nullptr);
    return;
  }
  WorkItem item;
  item.owner = m_owner;
  // What comes before it is finished before it: there is nothing else to wait for.
  item.batch = needsGpu ? m_numbers.submitted : 0;
  item.completion = std::move(completion);
  item.frame = frame;
  if (missesGpu) item.error = Error{ErrorCode::Backend, "the GPU is lost", {}};
  m_completion->push(std::move(item));
}

}  // namespace aerogpu::vk
