// SPDX-License-Identifier: MIT
// Executor: handle spaces (docs/abi/spaces.md).
#include "aerogpu/aerogpu_spaces.h"
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::enterSpace(const aerogpu_submission& submission) {
  m_inSpace = submission.in_space != 0;
  m_shared.setForgets(m_inSpace);
  const uint32_t number = m_inSpace ? submission.space : 0;
  const uint32_t flags = m_inSpace ? submission.space_flags : AEROGPU_EXT_SPACE_FLAG_KERNEL;
  m_kernel = (flags & AEROGPU_EXT_SPACE_FLAG_KERNEL) != 0;
  if ((flags & ~AEROGPU_EXT_SPACE_FLAG_KERNEL) != 0)
    return refused(ErrorCode::CmdDecode, "unknown space flags", {{"space_flags", flags}});
  if (m_kernel && number != 0)
    return refused(ErrorCode::CmdDecode, "the kernel driver's packets in a space that is not 0",
                   {{"space", number}});
  if (number == m_space->number || submission.cmd_size == 0) return {};
  auto space = m_spaces.need(number);
  if (!space) return space.error();
  selectSpace(**space);
  return {};
}

void Executor::selectSpace(Space& space) {
  if (&space == m_space) return;
  pauseQueries();
  m_otherHandles += m_handles.count();
  if (m_space->account) m_space->account->otherObjects += m_handles.count();
  m_space->handles.swap(m_handles);
  m_space = &space;
  m_space->handles.swap(m_handles);
  m_otherHandles -= m_handles.count();
  if (m_space->account) m_space->account->otherObjects -= m_handles.count();
  m_state = nullptr;  // context numbers count inside the space
  m_context = nullptr;
}

Result<void> Executor::needSpaces() const {
  if (!m_inSpace) return refused(ErrorCode::CmdDecode, "spaces are not enabled", {{"SPACE_ENABLE", 0u}});
  return needKernel();
}

Result<void> Executor::run(const aerogpu_cmd_ext_grant& c) {
  if (auto allowed = needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  if (auto named = m_shared.find(c.share_token); !named) return named.error();
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  auto charged = m_env.hostMemory.share();
  m_env.hostMemory.setShare((*space)->share);
  auto granted = m_shared.grant(c.share_token, (*space)->grants);
  m_env.hostMemory.setShare(std::move(charged));
  return granted;
}

Result<void> Executor::run(const aerogpu_cmd_ext_name_space& c) {
  if (auto allowed = needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  m_spaces.setName(**space, c.process_id, c.image_name);
  m_env.log.line(AEROGPU_LOG_INFO, m_spaces.describe(**space) + ": begins");
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_charge_space& c) {
  if (auto allowed = needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  m_env.hostMemory.setShare((*space)->share);  // execute() ends it
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_space_process& c) {
  if (auto allowed = needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  return m_spaces.setProcess(**space, c.process);
}

Result<void> Executor::run(const aerogpu_cmd_ext_destroy_space& c) {
  if (auto allowed = needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  // Not the selected one: that is 0, which no packet ends.
  if (Space* space = m_spaces.find(c.space)) {
    m_env.log.line(AEROGPU_LOG_INFO, m_spaces.describe(*space) + ": ends");
    destroySpace(m_spaces.take(*space));
  }
  return {};
}

void Executor::destroySpace(std::unique_ptr<Space> space) {
  for (const auto& [number, context] : space->contexts)
    if (context->changed) --m_changedContexts;
  m_contextCount -= space->contexts.size();
  m_otherHandles -= space->handles.count();
  ProcessAccount* account = space->account.get();
  if (account) {
    account->contexts -= space->contexts.size();
    account->otherObjects -= space->handles.count();
  }
  space->contexts.clear();
  space->grants.clear();
  space->handles.drain([this](Object& object) {
    if (auto* buffer = std::get_if<Ref<Buffer>>(&object)) dropReference(**buffer);
    if (auto* texture = std::get_if<Ref<Texture>>(&object)) dropReference(**texture);
  });
  if (!account || --account->spaces == 0) m_env.backend.processEnds(space->share->owner());
}

}  // namespace aerogpu::core
