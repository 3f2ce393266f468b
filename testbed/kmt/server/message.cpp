// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/message.h"

namespace aerogpu::host {

RequestFramer::State RequestFramer::next() {
  if (m_have < kmt::kHeaderBytes) return State::Incomplete;
  std::memcpy(&m_header, m_bytes.data(), sizeof m_header);
  m_fault = kmt::requestFault(m_header);
  if (!m_fault && m_have > m_header.length) m_fault = "followed by more before it was answered";
  if (m_fault) return State::Fault;
  return m_have == m_header.length ? State::Request : State::Incomplete;
}

}  // namespace aerogpu::host
