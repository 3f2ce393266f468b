// SPDX-License-Identifier: MIT
#include "renderer/core/executor/executor.h"

#include <string>
#include <utility>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "aerogpu/aerogpu_spaces.h"
#include "renderer/base/error_text.h"
#include "renderer/cmd/names.h"
#include "renderer/cmd/stream.h"
#include "renderer/core/commands/dispatch.h"
#include "renderer/core/commands/memory.h"
#include "renderer/core/space_end.h"

namespace aerogpu::core {

Executor::Executor(const Environment& env)
    : m_env(env),
      m_spaces(env.hostMemory, env.spaceMemory),
      m_space(m_spaces),
      m_contexts(env.hostMemory),
      m_resources(env.hostMemory, env.stats),
      m_guest({env.backend, env.hostMemory, env.stats, env.guest, env.interrupted}),
      m_work(env.backend, env.stats, env.sharing),
      m_presents({env.backend, env.stats, m_work, m_resources.backings, env.presentColorTarget}),
      m_submission{env.backend, env.announced, env.hostMemory,    env.stats,  env.log,     env.interrupted,
                   m_spaces,    m_space,       m_space.handles(), m_contexts, m_resources, m_guest,
                   m_presents,  m_work,        m_scratch,         m_writes,   m_clock} {}

Executor::~Executor() {
  reset();
}

void Executor::noteError(const Error& error, uint32_t offset, uint32_t opcode, uint64_t fence) {
  ++m_submission.report.errorCount;
  m_submission.report.lastError = error.code;
  m_env.stats.errors.fetch_add(1, std::memory_order_relaxed);
  if (m_mustNotFail) hold();
  const aerogpu_log_level level = levelOf(error.code);
  if (!m_env.log.admits(level)) return;
  m_env.log.pass(level, "fence " + std::to_string(fence) + ", byte " + std::to_string(offset) + ", " +
                            cmd::opcodeName(opcode) + ": " + textOf(error));
}

uint64_t Executor::features() const {
  return uint64_t{AEROGPU_FEATURE_TRANSFER} |
         uint64_t{AEROGPU_EXT_FEATURE_HI_SCATTER | AEROGPU_EXT_FEATURE_HI_CAPS |
                  AEROGPU_EXT_FEATURE_HI_FORMATS | AEROGPU_EXT_FEATURE_HI_D3D10 |
                  AEROGPU_EXT_FEATURE_HI_AGAIN | AEROGPU_CMD_FEATURES_HI}
             << 32;
}

bool Executor::mustNotFail(const aerogpu_submission& submission) {
  return (submission.flags & AEROGPU_SUBMIT_FLAG_EXT_HOLD) != 0 &&
         (!submission.in_space || (submission.space_flags & AEROGPU_EXT_SPACE_FLAG_KERNEL) != 0);
}

ExecutionReport Executor::execute(const aerogpu_submission& submission) {
  ExecutionReport& report = m_submission.report;
  report = {};
  m_submission.counts = {};
  m_presents.beginSubmission();
  m_work.beginSubmission();
  const uint32_t space = submission.in_space != 0 ? submission.space : 0;
  m_env.backend.setOwner(space == m_space->number ? m_space->owner() : m_spaces.ownerOf(space));
  m_guest.beginSubmission();
  m_env.stats.submissions.add(1);
  const auto fail = [&](const Error& error) {
    noteError(error, 0, cmd::kNoOpcode, submission.signal_fence);
    return report;
  };
  m_mustNotFail = mustNotFail(submission);
  if (m_env.interrupted.load(std::memory_order_acquire) || m_held.load(std::memory_order_relaxed)) {
    report.dropped = true;
    return report;
  }
  if (submission.descriptor_error != AEROGPU_ERROR_NONE)
    return fail(refused(static_cast<ErrorCode>(submission.descriptor_error), "bad submission descriptor",
                        {{"error", submission.descriptor_error}}));
  if (auto loaded = m_guest.allocations().load(
          {static_cast<const uint8_t*>(submission.alloc_table), submission.alloc_table_size});
      !loaded)
    return fail(loaded.error());
  // With spaces a texture is shown by its allocation, wherever that lies.
  if (!submission.in_space) m_resources.backings.locate(m_guest.allocations());
  m_resources.shared.setForgets(submission.in_space != 0);
  const auto entered = m_space.enter(submission);
  if (!entered) return fail(entered.error());
  selectSpace(**entered);
  if (submission.cmd_size == 0) return report;
  const uint64_t draws = m_env.stats.draws.value();
  m_work.beginPackets(m_space->pace);
  m_env.hostMemory.setShare(m_space->share);
  if (auto selected = m_contexts.select(*m_space, m_space.enabled(), submission.context_id);
      selected || needsNoContext({static_cast<const uint8_t*>(submission.cmd), submission.cmd_size}))
    executePackets(submission);
  else
    fail(selected.error());
  m_env.hostMemory.setShare(nullptr);
  noteSpace(draws);
  return report;
}

void Executor::noteSpace(uint64_t drawsBefore) {
  SpaceCounters& counters = m_space->counters;
  counters.submissions.add(1);
  counters.packets.add(m_submission.counts.packets);
  counters.draws.add(m_env.stats.draws.value() - drawsBefore);
  counters.errors.add(m_submission.report.errorCount);
  counters.objects.set(m_space.handles().count());
  counters.contexts.set(m_space->contexts.size());
}

void Executor::executePackets(const aerogpu_submission& submission) {
  auto reader = cmd::PacketReader::open({static_cast<const uint8_t*>(submission.cmd), submission.cmd_size});
  if (!reader) return noteError(reader.error(), 0, cmd::kNoOpcode, submission.signal_fence);
  ExecutionReport& report = m_submission.report;
  Submission::Counts& counts = m_submission.counts;
  m_submission.minor = reader->minor();
  m_env.stats.commandBytes.add(reader->sizeBytes());
  const bool again = (submission.flags & AEROGPU_SUBMIT_FLAG_EXT_AGAIN) != 0;
  bool stopped = false;
  while (!reader->atEnd()) {
    if (m_env.interrupted.load(std::memory_order_relaxed)) {
      report.dropped = true;
      report.executedBytes = reader->offset();
      break;
    }
    const uint32_t at = reader->offset();
    const Result<cmd::Packet> packet = reader->next();
    if (!packet) {
      noteError(packet.error(), at, cmd::kNoOpcode, submission.signal_fence);
      break;
    }
    // Values are written even then, so that nobody waits for them for ever (VALUE-5).
    if (stopped && packet->opcode != AEROGPU_CMD_EXT_WRITE_VALUE) continue;
    if (auto done = dispatch(m_submission, *packet); !done) {
      if (done.error().code == ErrorCode::Interrupted) {  // the command has noticed the interruption first
        report.dropped = true;
        report.executedBytes = at;
        break;
      }
      // A submission may run a second time: objects that it names may exist already, or no longer (RING-10).
      if (!again || done.error().code != ErrorCode::CmdDecode)
        noteError(done.error(), at, packet->opcode, submission.signal_fence);
      if (m_mustNotFail && report.errorCount != 0) {
        ++counts.packets;
        report.stopped = true;
        break;
      }
      // A draw may have translated a shader in vain.
      m_work.noteShaderMade();
    }
    ++counts.packets;
    if (!m_work.needsLook()) [[likely]]
      continue;
    if (m_work.outOfTime(m_space->owner())) {
      noteError(refused(ErrorCode::Backend, "the rest of the submission does not run: others wait",
                        {{"packet", counts.packets}}),
                at, packet->opcode, submission.signal_fence);
      stopped = true;
    }
    if (!m_work.paceSlices(m_space->pace)) {
      noteError(refused(ErrorCode::Backend, "the rest of the submission does not run: its work was stopped",
                        {{"packet", counts.packets}}),
                at, packet->opcode, submission.signal_fence);
      stopped = true;
    }
    if (stopped && m_mustNotFail) {
      report.stopped = true;
      break;
    }
  }
  if (report.stopped)
    report.executedBytes = reader->offset();
  else if (!report.dropped)
    report.executedBytes = reader->sizeBytes();
  // No context may be selected: a stream that needs none runs even if its context cannot be made (MEM-8).
  if (counts.packets != counts.neutralPackets && m_contexts.isSelected(submission.context_id))
    m_contexts.noteChange(true);
  report.needsGpu = counts.memoryPackets == 0 || counts.packets != counts.hostPackets;
  m_env.stats.packets.add(counts.packets);
}

void Executor::selectSpace(Space& space) {
  if (&space == &*m_space) return;
  m_contexts.leave();
  m_space.select(space);
}

void Executor::reset() {
  goOn();
  m_contexts.deselect();
  m_guest.reset();
  selectSpace(m_spaces.kernel());
  while (auto space = m_spaces.takeFirst())
    endSpace(std::move(space), m_space, m_contexts, m_resources, m_env.backend);
  m_contexts.dropAll(m_spaces.kernel());
  m_spaces.kernel().grants.clear();
  m_resources.shared.clear();
  m_resources.backings.clear();
  m_presents.forgetFrame();
  m_space.handles().clear();
  m_env.stats.resources.set(0);
}

}  // namespace aerogpu::core
