// SPDX-License-Identifier: MIT
// A client that misbehaves towards a server, which must answer or end, and go on within its memory: calls as
// QEMU makes them, in any order, of which some are spoilt.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "renderer/remote/protocol.h"
#include "renderer/remote/ring.h"
#include "renderer/remote/test/hostile.h"

namespace aerogpu::remote::test {

class BadClient {
public:
  /// `channel`: greeted. `percent`: how many of its deeds are bad ones.
  BadClient(std::unique_ptr<Channel> channel, Dice& dice, unsigned percent);

  /// One call, and the wait for what must come of it. False if the server has ended.
  bool round();
  /// Leaves, as if it had died.
  void leave();
  uint64_t answers() const { return m_answers; }
  uint64_t finished() const { return m_finished; }
  /// Why a server that lives has not answered; empty: it has.
  const std::string& complaint() const { return m_complaint; }

private:
  void create();
  void submit();
  void callOne();
  void urgent();
  void misbehave();
  void send(Call call, std::vector<uint8_t> bytes, bool isAnswered);
  void setRegions();
  std::vector<uint8_t> stream();
  static std::vector<uint8_t> table();
  /// Takes what comes and answers questions, until `isThere` or the end of the server.
  template <class IsThere>
  bool pump(IsThere isThere);
  void takeEvent();
  void answerMemory();

  const std::unique_ptr<Channel> m_channel;
  Dice& m_dice;
  const unsigned m_percent;
  RingWriter m_calls;
  RingReader m_replies, m_events;
  LineServer m_memory;
  LineWords& m_urgent;
  Message m_message;
  LineServer::Asked m_asked;
  uint64_t m_cookie = 0, m_answers = 0, m_finished = 0, m_asks = 0;
  uint32_t m_urgentCount = 0;
  std::vector<uint8_t> m_saved;  ///< bytes of the last save
  std::string m_complaint;
  bool m_created = false;
  bool m_givesUp = false;
  bool m_isStrict = true;  ///< nothing was spoilt that could keep an answer back
  // Of what it sends next.
  bool m_mutates = false, m_mistakes = false;
};

}  // namespace aerogpu::remote::test
