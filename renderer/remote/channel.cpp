// SPDX-License-Identifier: MIT
#include "renderer/remote/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "renderer/remote/descriptors.h"

namespace aerogpu::remote {
namespace {

constexpr uint64_t kPage = 4096;

constexpr uint64_t pages(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

/// Where everything lies in the channel's memory.
constexpr uint64_t kControl = 0;
constexpr uint64_t kCalls = kControl + pages(sizeof(ControlWords));
constexpr uint64_t kReplies = kCalls + kPage + kCallsBytes;
constexpr uint64_t kEvents = kReplies + kPage + kRepliesBytes;
constexpr uint64_t kUrgent = kEvents + kPage + kEventsBytes;
constexpr uint64_t kMemory = kUrgent + kPage + kUrgentBytes;
constexpr uint64_t kStaging = kMemory + kPage + kMemoryAskBytes;
constexpr uint64_t kAll = kStaging + kStagingPiece * kStagingPieces;
static_assert(sizeof(RingWords) <= kPage && sizeof(LineWords) <= kPage);

template <class T>
T& at(const SharedMemory& memory, uint64_t offset) {
  return *reinterpret_cast<T*>(memory.bytes() + offset);
}

}  // namespace

std::unique_ptr<Channel> Channel::make(Descriptor socket, uint64_t frameBytes, std::string& error) {
  auto channel = std::make_unique<Channel>();
  channel->socket = std::move(socket);
  channel->memory = SharedMemory::make("aerogpu-channel", kAll, error);
  if (!channel->memory) return nullptr;
  channel->frames = SharedMemory::make("aerogpu-frames", pages(frameBytes), error);
  if (!channel->frames) return nullptr;
  for (size_t i = 0; i < channel->bells.size(); ++i) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
      error = std::string("no sockets: ") + std::strerror(errno);
      return nullptr;
    }
    channel->bells[i] = Descriptor(ends[0]);
    channel->others[i] = Descriptor(ends[1]);
  }
  return channel;
}

bool Channel::greet(uint64_t untilNs, uint32_t& processId, std::string& error) {
  int descriptors[kDescriptors] = {memory.fd(), frames.fd()};
  for (size_t i = 0; i < others.size(); ++i) descriptors[2 + i] = others[i].get();
  Greeting greeting;
  greeting.layout = kLayout;
  greeting.channelBytes = memory.size();
  greeting.frameBytes = frames.size();
  GreetingAnswer answer{};
  if (!sendDescriptors(socket.get(), bytesOf(greeting), descriptors) ||
      !waitForInput(socket.get(), untilNs) ||
      recv(socket.get(), &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer || answer.magic != kMagic) {
    error = "the renderer's process does not answer";
    return false;
  }
  if (answer.version != kVersion || answer.layout != kLayout) {
    error = "the renderer's process is of another build, which speaks another protocol: " +
            std::to_string(answer.version) + " in place of " + std::to_string(kVersion);
    return false;
  }
  for (size_t i = 0; i < others.size(); ++i)
    if (static_cast<Bell>(i) != Bell::EventsMore) others[i] = {};
  processId = answer.processId;
  return true;
}

std::unique_ptr<Channel> Channel::take(Descriptor socket, std::string& error) {
  Greeting greeting{};
  std::vector<Descriptor> taken;
  GreetingAnswer answer;
  answer.layout = kLayout;
  answer.processId = static_cast<uint32_t>(getpid());
  const auto sendAnswer = [&] {
    return send(socket.get(), &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
  };
  if (!receiveDescriptors(socket.get(), {reinterpret_cast<uint8_t*>(&greeting), sizeof greeting}, taken) ||
      taken.size() != kDescriptors || greeting.magic != kMagic || greeting.version != kVersion ||
      greeting.layout != kLayout || greeting.channelBytes != kAll) {
    sendAnswer();  // so that the client can say what is wrong
    error = "the greeting is of another build";
    return nullptr;
  }
  auto channel = std::make_unique<Channel>();
  channel->memory = SharedMemory::take(std::move(taken[0]), kAll, true, error);
  if (!channel->memory) return nullptr;
  channel->frames = SharedMemory::take(std::move(taken[1]), greeting.frameBytes, true, error);
  if (!channel->frames) return nullptr;
  for (size_t i = 0; i < channel->bells.size(); ++i) channel->bells[i] = std::move(taken[2 + i]);
  if (!sendAnswer()) {
    error = "nobody takes the answer to the greeting";
    return nullptr;
  }
  channel->socket = std::move(socket);
  return channel;
}

uint64_t Channel::offsetOf(Area area) {
  static constexpr uint64_t kOffsets[] = {kControl, kCalls,  kReplies, kEvents,
                                          kUrgent,  kMemory, kStaging, kAll};
  return kOffsets[static_cast<size_t>(area)];
}

ControlWords& Channel::control() const {
  return at<ControlWords>(memory, kControl);
}

uint8_t* Channel::staging() const {
  return memory.bytes() + kStaging;
}

Doorbell Channel::bell(Bell which, std::atomic<uint32_t>& asleep) const {
  const auto copy = [](const Descriptor& end) {
    return end ? Descriptor(fcntl(end.get(), F_DUPFD_CLOEXEC, 0)) : Descriptor();
  };
  const auto i = static_cast<size_t>(which);
  return {asleep, copy(bells[i]), socket.get(), copy(others[i])};
}

/// The place of a ring, and its bells.
struct Channel::RingPlace {
  uint64_t offset, bytes;
  Bell more, room;
  static const RingPlace calls, replies, events;
};
constexpr Channel::RingPlace Channel::RingPlace::calls{kCalls, kCallsBytes, Bell::CallsMore, Bell::CallsRoom};
constexpr Channel::RingPlace Channel::RingPlace::replies{kReplies, kRepliesBytes, Bell::RepliesMore,
                                                         Bell::RepliesRoom};
constexpr Channel::RingPlace Channel::RingPlace::events{kEvents, kEventsBytes, Bell::EventsMore,
                                                        Bell::EventsRoom};

/// The place of a line, and its bells.
struct Channel::LinePlace {
  uint64_t offset;
  uint32_t bytes;
  Bell asked, answered;
  static const LinePlace urgent, memory;
};
constexpr Channel::LinePlace Channel::LinePlace::urgent{kUrgent, kUrgentBytes, Bell::UrgentAsked,
                                                        Bell::UrgentAnswered};
constexpr Channel::LinePlace Channel::LinePlace::memory{kMemory, kMemoryAskBytes, Bell::MemoryAsked,
                                                        Bell::MemoryAnswered};

template <class End>
End Channel::ringEnd(const RingPlace& place, bool writes) const {
  auto& words = at<RingWords>(memory, place.offset);
  Doorbell more = bell(place.more, words.readerSleeps), room = bell(place.room, words.writerSleeps);
  uint8_t* bytes = memory.bytes() + place.offset + kPage;
  return writes ? End(words, bytes, place.bytes, std::move(room), std::move(more))
                : End(words, bytes, place.bytes, std::move(more), std::move(room));
}

template <class End>
End Channel::lineEnd(const LinePlace& place, bool calls) const {
  auto& words = at<LineWords>(memory, place.offset);
  Doorbell asked = bell(place.asked, words.serverSleeps), answered = bell(place.answered, words.callerSleeps);
  uint8_t* area = memory.bytes() + place.offset + kPage;
  return calls ? End(words, area, place.bytes, std::move(answered), std::move(asked))
               : End(words, area, place.bytes, std::move(asked), std::move(answered));
}

RingWriter Channel::callsWriter() const {
  return ringEnd<RingWriter>(RingPlace::calls, true);
}
RingReader Channel::callsReader() const {
  return ringEnd<RingReader>(RingPlace::calls, false);
}
RingWriter Channel::repliesWriter() const {
  return ringEnd<RingWriter>(RingPlace::replies, true);
}
RingReader Channel::repliesReader() const {
  return ringEnd<RingReader>(RingPlace::replies, false);
}
RingWriter Channel::eventsWriter() const {
  return ringEnd<RingWriter>(RingPlace::events, true);
}
RingReader Channel::eventsReader() const {
  return ringEnd<RingReader>(RingPlace::events, false);
}
LineCaller Channel::urgentCaller() const {
  return lineEnd<LineCaller>(LinePlace::urgent, true);
}
LineServer Channel::urgentServer() const {
  return lineEnd<LineServer>(LinePlace::urgent, false);
}
LineCaller Channel::memoryCaller() const {
  return lineEnd<LineCaller>(LinePlace::memory, true);
}
LineServer Channel::memoryServer() const {
  return lineEnd<LineServer>(LinePlace::memory, false);
}

}  // namespace aerogpu::remote
