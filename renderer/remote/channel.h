// SPDX-License-Identifier: MIT
// The shared memory of a client and a server, and the ends of rings and lines in it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "renderer/remote/line.h"
#include "renderer/remote/protocol.h"
#include "renderer/remote/ring.h"
#include "renderer/remote/shared_memory.h"

namespace aerogpu::remote {

/// What both sides map and hold. The control socket hangs up when the other side has ended.
struct Channel {
  Descriptor socket;
  SharedMemory memory;
  SharedMemory frames;  ///< the server writes it, the client reads
  /// This side's ends, and until the greeting the other side's. The client keeps that of Bell::EventsMore, to
  /// wake its own thread.
  std::array<Descriptor, static_cast<size_t>(Bell::Count)> bells, others;

  /// Makes the client's; `frameBytes` are rounded up to pages. Null and a message on failure.
  static std::unique_ptr<Channel> make(Descriptor socket, uint64_t frameBytes, std::string& error);
  /// Sends the greeting and takes the answer, until `untilNs`. False with a message.
  bool greet(uint64_t untilNs, uint32_t& processId, std::string& error);
  /// Takes a greeting from the socket and answers it: the server's. Null and a message on failure.
  static std::unique_ptr<Channel> take(Descriptor socket, std::string& error);

  /// What the channel's memory holds, for tests that spoil it.
  enum class Area { Control, Calls, Replies, Events, Urgent, MemoryAsks, Staging, End };
  /// Where that begins: of a ring or a line with its words, a page before its bytes.
  static uint64_t offsetOf(Area area);

  ControlWords& control() const;
  uint8_t* staging() const;

  RingWriter callsWriter() const;
  RingReader callsReader() const;
  RingWriter repliesWriter() const;
  RingReader repliesReader() const;
  RingWriter eventsWriter() const;
  RingReader eventsReader() const;
  LineCaller urgentCaller() const;
  LineServer urgentServer() const;
  LineCaller memoryCaller() const;
  LineServer memoryServer() const;

private:
  struct RingPlace;
  struct LinePlace;
  template <class End>
  End ringEnd(const RingPlace& place, bool writes) const;
  template <class End>
  End lineEnd(const LinePlace& place, bool calls) const;
  Doorbell bell(Bell which, std::atomic<uint32_t>& asleep) const;
};

}  // namespace aerogpu::remote
