// SPDX-License-Identifier: MIT
// Executor: handle spaces (docs/abi/spaces.md).
#include "aerogpu/aerogpu_spaces.h"
#include "renderer/core/executor.h"
#include "renderer/core/space_end.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_ext_grant& c) {
  if (auto allowed = m_space.needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  if (auto named = m_resources.shared.find(c.share_token); !named) return named.error();
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  auto charged = m_env.hostMemory.share();
  m_env.hostMemory.setShare((*space)->share);
  auto granted = m_resources.shared.grant(c.share_token, (*space)->grants);
  m_env.hostMemory.setShare(std::move(charged));
  return granted;
}

Result<void> Executor::run(const aerogpu_cmd_ext_name_space& c) {
  if (auto allowed = m_space.needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  m_spaces.setName(**space, c.process_id, c.image_name);
  m_env.log.line(AEROGPU_LOG_INFO, m_spaces.describe(**space) + ": begins");
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_charge_space& c) {
  if (auto allowed = m_space.needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  m_env.hostMemory.setShare((*space)->share);  // execute() ends it
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_space_process& c) {
  if (auto allowed = m_space.needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  const auto space = m_spaces.need(c.space);
  if (!space) return space.error();
  return m_spaces.setProcess(**space, c.process);
}

Result<void> Executor::run(const aerogpu_cmd_ext_destroy_space& c) {
  if (auto allowed = m_space.needSpaces(); !allowed) return allowed;
  ++m_neutralPackets;
  // Not the selected one: that is 0, which no packet ends.
  if (Space* space = m_spaces.find(c.space)) {
    m_env.log.line(AEROGPU_LOG_INFO, m_spaces.describe(*space) + ": ends");
    endSpace(m_spaces.take(*space), m_space, m_contexts, m_resources, m_env.backend);
  }
  return {};
}

}  // namespace aerogpu::core
