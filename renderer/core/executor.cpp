// SPDX-License-Identifier: MIT
#include "renderer/core/executor.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "aerogpu/aerogpu_spaces.h"
#include "renderer/base/error_text.h"
#include "renderer/cmd/decode.h"
#include "renderer/cmd/names.h"

namespace aerogpu::core {

Executor::Executor(const Environment& env)
    : m_env(env),
      m_shared(env.hostMemory),
      m_spaces(env.hostMemory, env.spaceMemory),
      m_space(&m_spaces.kernel()),
      m_pageLists(env.hostMemory) {}

Executor::~Executor() {
  reset();
}

void Executor::noteError(const Error& error, uint32_t offset, uint32_t opcode, uint64_t fence) {
  ++m_report.errorCount;
  m_report.lastError = error.code;
  m_env.stats.errors.fetch_add(1, std::memory_order_relaxed);
  if (m_mustNotFail) hold();
  const auto level = error.code == ErrorCode::Backend || error.code == ErrorCode::Internal
                         ? AEROGPU_LOG_ERROR
                         : AEROGPU_LOG_GUEST;
  if (!m_env.log.admits(level)) return;
  m_env.log.pass(level, "fence " + std::to_string(fence) + ", byte " + std::to_string(offset) + ", " +
                            cmd::opcodeName(opcode) + ": " + textOf(error));
}

Result<void> Executor::selectContext(uint32_t contextId) {
  if (m_state && m_contextId == contextId) return {};
  auto& contexts = m_space->contexts;
  auto known = contexts.find(contextId);
  if (known == contexts.end()) {
    if (m_contextCount >= (m_inSpace ? Spaces::kMaxContexts : Spaces::kMaxContextsAlone) ||
        (m_space->number != 0 && contexts.size() >= Spaces::kMaxContextsOfOne) ||
        (m_space->account && m_space->account->contexts >= Spaces::kMaxContextsOfProcess))
      return refused(ErrorCode::Backend, "too many contexts",
                     {{"context_id", contextId},
                      {"contexts", m_contextCount},
                      {"limit", m_inSpace ? Spaces::kMaxContexts : Spaces::kMaxContextsAlone},
                      {"of this space", contexts.size()},
                      {"of its process", m_space->account ? m_space->account->contexts : contexts.size()}});
    HostMemoryCharge charge = HostMemoryCharge::take(m_env.hostMemory, sizeof(Context));
    if (!charge.ok())
      return refused(ErrorCode::Backend, "no host memory for a context",
                     {{"context_id", contextId}, {"bytes", sizeof(Context)}});
    auto context = std::make_unique<Context>();
    context->charge = std::move(charge);
    known = contexts.emplace(contextId, std::move(context)).first;
    ++m_contextCount;
    if (m_space->account) ++m_space->account->contexts;
  }
  pauseQueries();
  m_contextId = contextId;
  m_context = known->second.get();
  if (m_context->queries) m_context->queries->resume();
  m_state = &m_context->state;
  markAllDirty();
  return {};
}

Error Executor::tooMuch(Work work, uint64_t amount) const {
  static constexpr std::array<const char*, WorkBudget::kLimits.size()> kNames = {"vertices", "pixels",
                                                                                 "groups", "bytes"};
  return refused(ErrorCode::Backend, "the submission asks for too much work",
                 {{kNames[static_cast<size_t>(work)], amount},
                  {"before it", m_work.used(work)},
                  {"limit", WorkBudget::limit(work).submission}});
}

void Executor::noteContextChange(bool changed) {
  if (m_context->changed == changed) return;
  m_context->changed = changed;
  if (changed)
    ++m_changedContexts;
  else
    --m_changedContexts;
}

uint64_t Executor::features() const {
  return uint64_t{AEROGPU_FEATURE_TRANSFER} |
         uint64_t{AEROGPU_EXT_FEATURE_HI_SCATTER | AEROGPU_EXT_FEATURE_HI_CAPS |
                  AEROGPU_EXT_FEATURE_HI_FORMATS | AEROGPU_EXT_FEATURE_HI_AGAIN | AEROGPU_CMD_FEATURES_HI}
             << 32;
}

void Executor::markAllDirty() {
  m_state->dirty = kDirtyAll;
  m_state->dirtyResourceStages = (1u << kStageCount) - 1;
}

bool Executor::mustNotFail(const aerogpu_submission& submission) {
  return (submission.flags & AEROGPU_SUBMIT_FLAG_EXT_HOLD) != 0 &&
         (!submission.in_space || (submission.space_flags & AEROGPU_EXT_SPACE_FLAG_KERNEL) != 0);
}

ExecutionReport Executor::execute(const aerogpu_submission& submission) {
  m_report = {};
  m_frameTaken = false;
  m_values = m_queries = 0;
  m_work.beginSubmission();
  const uint32_t space = submission.in_space != 0 ? submission.space : 0;
  m_env.backend.setOwner(space == m_space->number ? m_space->owner() : m_spaces.ownerOf(space));
  m_pendingWrites.begin();
  m_pageLists.forget();
  m_env.stats.submissions.add(1);
  const auto fail = [&](const Error& error) {
    noteError(error, 0, cmd::kNoOpcode, submission.signal_fence);
    return m_report;
  };
  m_mustNotFail = mustNotFail(submission);
  if (m_env.interrupted.load(std::memory_order_acquire) || m_held.load(std::memory_order_relaxed)) {
    m_report.dropped = true;
    return m_report;
  }
  if (submission.descriptor_error != AEROGPU_ERROR_NONE)
    return fail(refused(static_cast<ErrorCode>(submission.descriptor_error), "bad submission descriptor",
                        {{"error", submission.descriptor_error}}));
  if (auto loaded =
          m_allocs.load({static_cast<const uint8_t*>(submission.alloc_table), submission.alloc_table_size});
      !loaded)
    return fail(loaded.error());
  // With spaces a texture is shown by its allocation, wherever that lies.
  if (!submission.in_space) m_backings.locate(m_allocs);
  if (auto entered = enterSpace(submission); !entered) return fail(entered.error());
  if (submission.cmd_size == 0) return m_report;
  const uint64_t draws = m_env.stats.draws.value();
  m_packets = m_neutralPackets = m_hostPackets = m_memoryPackets = 0;
  m_slices = 0;
  m_began = std::chrono::steady_clock::now();
  m_work.setShift(m_space->pace.shift());
  m_env.hostMemory.setShare(m_space->share);
  if (auto selected = selectContext(submission.context_id); selected || needsNoContext(submission))
    executePackets(submission);
  else
    fail(selected.error());
  m_env.hostMemory.setShare(nullptr);
  noteSpace(draws);
  return m_report;
}

void Executor::noteSpace(uint64_t drawsBefore) {
  SpaceCounters& counters = m_space->counters;
  counters.submissions.add(1);
  counters.packets.add(m_packets);
  counters.draws.add(m_env.stats.draws.value() - drawsBefore);
  counters.errors.add(m_report.errorCount);
  counters.objects.set(m_handles.count());
  counters.contexts.set(m_space->contexts.size());
}

void Executor::executePackets(const aerogpu_submission& submission) {
  auto reader = cmd::PacketReader::open({static_cast<const uint8_t*>(submission.cmd), submission.cmd_size});
  if (!reader) return noteError(reader.error(), 0, cmd::kNoOpcode, submission.signal_fence);
  m_minor = reader->minor();
  m_env.stats.commandBytes.add(reader->sizeBytes());
  const bool again = (submission.flags & AEROGPU_SUBMIT_FLAG_EXT_AGAIN) != 0;
  bool stopped = false;
  while (!reader->atEnd()) {
    if (m_env.interrupted.load(std::memory_order_relaxed)) {
      m_report.dropped = true;
      m_report.executedBytes = reader->offset();
      break;
    }
    const uint32_t at = reader->offset();
    const Result<cmd::Packet> packet = reader->next();
    if (!packet) {
      noteError(packet.error(), at, cmd::kNoOpcode, submission.signal_fence);
      break;
    }
    // Who waits for a value is not left waiting (VALUE-5).
    if (stopped && packet->opcode != AEROGPU_CMD_EXT_WRITE_VALUE) continue;
    if (auto done = cmd::decode(*packet, *this); !done) {
      if (done.error().code == ErrorCode::Interrupted) {  // it has seen the interruption before we did
        m_report.dropped = true;
        m_report.executedBytes = at;
        break;
      }
      // What it names may be there already, or gone, since it ran before (RING-10).
      if (!again || done.error().code != ErrorCode::CmdDecode)
        noteError(done.error(), at, packet->opcode, submission.signal_fence);
      if (m_mustNotFail && m_report.errorCount != 0) {
        ++m_packets;
        m_report.stopped = true;
        break;
      }
    }
    ++m_packets;
    if (!m_work.needsLook()) [[likely]]
      continue;
    if (m_work.takeAsked()) {
      const uint64_t pipelines = m_env.stats.pipelinesCreated.load(std::memory_order_relaxed);
      if (m_pipelines != kShaderMade) notePipeline();
      m_pipelines = pipelines;
      if (outOfTime()) {
        noteError(refused(ErrorCode::Backend, "the rest of the submission does not run: others wait",
                          {{"packet", m_packets}}),
                  at, packet->opcode, submission.signal_fence);
        stopped = true;
      }
    }
    if (m_work.sliceFull() && !endSlice()) {
      noteError(refused(ErrorCode::Backend, "the rest of the submission does not run: its work was stopped",
                        {{"packet", m_packets}}),
                at, packet->opcode, submission.signal_fence);
      stopped = true;
    }
    if (stopped && m_mustNotFail) {
      m_report.stopped = true;
      break;
    }
  }
  if (m_report.stopped)
    m_report.executedBytes = reader->offset();
  else if (!m_report.dropped)
    m_report.executedBytes = reader->sizeBytes();
  // It runs without a context where one could not be had (MEM-8).
  if (m_packets != m_neutralPackets && m_context && m_contextId == submission.context_id)
    noteContextChange(true);
  m_report.needsGpu = m_memoryPackets == 0 || m_packets != m_hostPackets;
  m_env.stats.packets.add(m_packets);
}

bool Executor::outOfTime() const {
  const Sharing& sharing = m_env.sharing;
  const std::chrono::nanoseconds time(Sharing::kBatchesOfSubmission * sharing.maxBatchNs);
  return std::chrono::steady_clock::now() - m_began >= time && sharing.othersWait &&
         sharing.othersWait(sharing.opaque, m_space->owner());
}

void Executor::notePipeline() {
  // Compiling says nothing of how large slices may be.
  m_slices = 0;
  if (++m_newPipelines % kPipelinesOfSlice == 0) m_work.fillSlice();
}

bool Executor::endSlice() {
  m_work.beginSlice();
  const auto begin = std::chrono::steady_clock::now();
  const bool goesOn = m_env.backend.throttle();
  const auto waited =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
  // The first wait is for work of before this submission, the second one for this one's and what that waited
  // for.
  m_space->pace.waited(static_cast<uint64_t>(waited.count()), ++m_slices > 2);
  m_work.setShift(m_space->pace.shift());
  return goesOn;
}

void Executor::setScanout(const aerogpu_scanout_config& config) {
  m_scanout = config;
}

Texture* Executor::scanoutTexture() const {
  if (!m_scanout.enable) return nullptr;
  return m_scanout.by_allocation ? m_backings.newestOf(m_scanout.alloc_id)
                                 : m_backings.newestAt(m_scanout.fb_gpa);
}

bool Executor::scanoutIsTexture() {
  return scanoutTexture() != nullptr;
}

Result<void> Executor::snapshotScanout() {
  Texture* texture = scanoutTexture();
  if (!texture) return {};
  m_work.beginSubmission();  // it counts for itself
  m_env.backend.setOwner({});
  return captureFrame(*texture, {});
}

void Executor::reset() {
  goOn();
  m_state = nullptr;
  m_context = nullptr;
  m_pageLists.forget();
  m_pendingWrites.clear();
  selectSpace(m_spaces.kernel());
  while (auto space = m_spaces.takeFirst()) destroySpace(std::move(space));
  m_spaces.kernel().contexts.clear();
  m_spaces.kernel().grants.clear();
  m_contextCount = m_changedContexts = 0;
  m_shared.clear();
  m_backings.clear();
  m_framed = {};
  m_handles.clear();
  m_env.stats.resources.set(0);
}

}  // namespace aerogpu::core
