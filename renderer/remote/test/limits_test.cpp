// SPDX-License-Identifier: MIT
// What a process can say or do so that its client waits, grows or reads too much, one thing at a time, on a
// clock on which limits come at once.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/core/spaces.h"
#include "renderer/remote/guest_regions.h"
#include "renderer/remote/remote.h"
#include "renderer/remote/test/hostile.h"

namespace aerogpu::remote::test {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

/// A server's side that a test writes.
struct Script {
  Channel& channel;
  RingReader calls;
  RingWriter replies, events;

  explicit Script(Channel& of)
      : channel(of), calls(of.callsReader()), replies(of.repliesWriter()), events(of.eventsWriter()) {}

  /// Of the ring of events: its words, and its bytes.
  RingWords& eventWords() const {
    return *reinterpret_cast<RingWords*>(channel.memory.bytes() + Channel::offsetOf(Channel::Area::Events));
  }
  uint8_t* eventBytes() const {
    return channel.memory.bytes() + Channel::offsetOf(Channel::Area::Events) + 4096;
  }
  bool lives() const { return !hungUp(channel.socket.get()); }
  bool say(Event kind, std::span<const uint8_t> bytes) {
    return events.write(static_cast<uint32_t>(kind), {bytes}, kForever) == Sent::Yes;
  }
  bool write(uint64_t gpa, uint64_t size, uint64_t ended) {
    return say(Event::Write, bytesOf(WriteEvent{gpa, size, ended}));
  }
  bool reply(Reply kind, std::span<const uint8_t> bytes) {
    return replies.write(static_cast<uint32_t>(kind), {bytes}, kForever) == Sent::Yes;
  }
  bool done(std::span<const uint8_t> more = {}) {
    Packer head;
    return reply(Reply::Done, head.value(uint32_t{1}).text("").raw(more).bytes());
  }
  bool finish(const Message& submit) {
    Unpacker from(submit.bytes);
    FinishedEvent event{};
    event.cookie = from.value<SubmitCall>().cookie;
    return say(Event::Finished, bytesOf(event).first(event.bytes()));
  }
};

/// Its answers to a call; false: as an honest one answers.
using Answers = std::function<bool(Script&, const Message&)>;

class Limits : public testing::Test {
protected:
  void SetUp() override {
    s_self = this;
    made.backendName = "script";
    made.caps = {1, 2, 3};
    Process::startsInstead = [](uint64_t, Started& started, std::string&) {
      s_self->serve(started);
      return true;
    };
  }
  void TearDown() override {
    renderer.reset();
    Process::startsInstead = nullptr;
    for (std::thread& thread : threads) thread.join();
  }

  void serve(Started& started) {
    std::array<std::array<int, 2>, 3> pairs;
    for (auto& pair : pairs) ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()), 0);
    started.control = Descriptor(pairs[0][0]);
    started.life = Descriptor(pairs[1][0]);
    started.handle = Descriptor(pairs[2][0]);
    threads.emplace_back([this, pairs] {
      const Descriptor life(pairs[1][1]), handle(pairs[2][1]);
      std::string error;
      const auto channel = Channel::take(Descriptor(pairs[0][1]), error);
      ASSERT_TRUE(channel) << error;
      Script script(*channel);
      std::thread urgent([&] {
        LineServer line(channel->urgentServer());
        LineServer::Asked asked;
        while (line.wait(asked, kForever) == Woken::Ready) {
          aerogpu_renderer_space space{};
          space.space = static_cast<uint32_t>(asked.values[0]);  // one of each number
          line.answer(1, bytesOf(space));
        }
      });
      Message call;
      while (script.calls.read(call, kForever) == Received::Yes) {
        if (answers && answers(script, call)) continue;
        Packer more;
        const auto kind = static_cast<Call>(call.kind);
        if (kind == Call::Create) made.pack(more);
        if (kind == Call::Submit)
          script.finish(call);
        else if (kind >= Call::WaitIdle || kind == Call::Create)
          script.done(more.bytes());
      }
      urgent.join();
    });
  }

  bool create() {
    const aerogpu_renderer_callbacks callbacks{
        sizeof callbacks,
        [](void* self, uint64_t gpa, uint64_t size, bool, aerogpu_guest_mapping* out) {
          auto& limits = *static_cast<Limits*>(self);
          ++limits.maps;
          if (gpa < kGuestBase || gpa - kGuestBase >= kGuestBytes) return -1;
          out->host = limits.guest.data() + (gpa - kGuestBase);
          out->size = std::min(size, kGuestBytes - (gpa - kGuestBase));
          return 0;
        },
        [](void* self, const aerogpu_guest_mapping* mapping, uint64_t written) {
          auto& limits = *static_cast<Limits*>(self);
          if (written != 0)
            limits.written.emplace_back(
                static_cast<uint8_t*>(mapping->host) - limits.guest.data() + kGuestBase, written);
        },
        [](void* self, const aerogpu_submission_result* result) {
          static_cast<Limits*>(self)->lost.push_back(result->gpu_lost);
        },
        [](void* self, enum aerogpu_log_level, const char* line) {
          static_cast<Limits*>(self)->lines.emplace_back(line);
        },
        nullptr,
        nullptr};
    aerogpu_renderer_config config{};
    config.struct_size = sizeof config;
    config.max_hostmem = uint64_t{1} << 20;
    config.callbacks = &callbacks;
    config.opaque = this;
    config.process = "";
    renderer = RemoteRenderer::create(config, error);
    return renderer != nullptr;
  }
  void submit() {
    aerogpu_submission submission{};
    submission.struct_size = sizeof submission;
    submission.cookie = ++cookie;
    renderer->submit(submission);
  }
  /// Tells of the guest's memory, but for its first page.
  void tellRegions() {
    const SharedMemory memory = SharedMemory::make("guest", kGuestBytes, error);
    const aerogpu_guest_region region{sizeof region,      1,    kGuestBase + 4096,
                                      kGuestBytes - 4096, 4096, memory.fd()};
    renderer->setRegions({&region, 1});
  }
  std::string death() const {
    aerogpu_renderer_process process{};
    renderer->readProcess(process);
    return process.last_death;
  }

  static inline Limits* s_self = nullptr;
  QuickClock clock;
  Answers answers;
  Created made;
  std::vector<uint8_t> guest = std::vector<uint8_t>(kGuestBytes);
  std::atomic<int> maps{0};
  std::vector<std::pair<uint64_t, uint64_t>> written;  ///< read once the session has ended
  std::vector<bool> lost;
  std::vector<std::string> lines;
  std::string error;
  uint64_t cookie = 0;
  std::vector<std::thread> threads;
  std::unique_ptr<RemoteRenderer> renderer;
};

constexpr const char* kNever = "the renderer's process says that it works, never ends, and was ended";
constexpr const char* kSilent = "the renderer's process has been silent for too long and was ended";
constexpr const char* kNonsense = "the renderer's process has reported nonsense and was ended";
constexpr const char* kUnasked = "the renderer's process has answered what no one asked and was ended";

// A save that never ends, however fast its bytes come.
TEST_F(Limits, ASaveEnds) {
  for (const size_t size : {0, 1, 100'000}) {
    answers = [&](Script& script, const Message& call) {
      if (static_cast<Call>(call.kind) != Call::Save) return false;
      const std::vector<uint8_t> piece(size);
      for (uint64_t sent = 0; script.reply(Reply::Bytes, piece); ++sent)
        if (size == 1) clock.advance(kSecond / 10);
      return true;
    };
    ASSERT_TRUE(create()) << error;
    uint64_t bytes = 0;
    const aerogpu_bytes_sink sink{sizeof sink,
                                  [](void* all, const void*, size_t count) {
                                    *static_cast<uint64_t*>(all) += count;
                                    return true;
                                  },
                                  &bytes};
    EXPECT_FALSE(renderer->save(sink).ok());
    EXPECT_EQ(death(), size == 1 ? kNever : kUnasked);
    EXPECT_LT(bytes, uint64_t{2} << 30);
    renderer.reset();
  }
}

// A short save has ended before its server can see that the sink takes no more.
TEST_F(Limits, ASaveWhoseSinkRefusesBytesFails) {
  answers = [](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Save) return false;
    return script.reply(Reply::Bytes, std::vector<uint8_t>(100)) && script.done({});
  };
  ASSERT_TRUE(create()) << error;
  for (const bool takes : {true, false, true}) {
    struct Taker {
      bool takes;
      int times = 0;
    } taker{takes};
    const aerogpu_bytes_sink sink{sizeof sink,
                                  [](void* opaque, const void*, size_t) {
                                    auto& self = *static_cast<Taker*>(opaque);
                                    ++self.times;
                                    return self.takes;
                                  },
                                  &taker};
    EXPECT_EQ(renderer->save(sink).ok(), takes);
    EXPECT_EQ(taker.times, 1);
  }
}

TEST_F(Limits, AnAnswerEnds) {
  for (const size_t size : {0, 100'000}) {
    uint64_t sent = 0;
    answers = [&](Script& script, const Message& call) {
      if (static_cast<Call>(call.kind) != Call::Lose) return false;
      for (const std::vector<uint8_t> piece(size); script.reply(Reply::Part, piece);) ++sent;
      return true;
    };
    ASSERT_TRUE(create()) << error;
    renderer->lose();
    EXPECT_EQ(death(), kUnasked);
    renderer.reset();
    for (std::thread& thread : std::exchange(threads, {})) thread.join();
    EXPECT_LT(sent * size, 3 * kMostAnswer);
  }
}

// What comes without end keeps no one from looking at the clock.
TEST_F(Limits, EventsWithoutEndAreNoProgress) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    const std::vector<uint8_t> line(8);
    while (script.say(Event::Log, line)) {
      script.channel.control().progress.fetch_add(1);  // nor is it silent
      clock.advance(kSecond / 100);
    }
    return true;
  };
  ASSERT_TRUE(create()) << error;
  submit();
  renderer->waitIdle(kForever);
  EXPECT_EQ(lost, std::vector<bool>{true});
  // Its thread may stand still while this clock goes on: then it was silent.
  const std::string why = death();
  EXPECT_TRUE(why == kNever || why == kSilent) << why;
}

// The count of what was read is this side's own: else a word of shared memory could keep its thread awake,
// which would not see the end.
TEST_F(Limits, AMessageThatNeverComesIsNoMessage) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    script.finish(call);
    while (script.eventWords().read != script.eventWords().written) std::this_thread::yield();
    script.eventWords().read += 8;
    return true;
  };
  ASSERT_TRUE(create()) << error;
  submit();
  renderer->waitIdle(kForever);
  renderer.reset();
  EXPECT_EQ(lost.size(), 1u);
}

// Who leaves does not wait for the last of events that come without end.
TEST_F(Limits, EventsWithoutEndDoNotKeepWhoLeaves) {
  std::atomic<bool> left{false};
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    script.finish(call);
    // A writer that does not look whether anyone is there.
    const MessageHeader header{static_cast<uint32_t>(Event::Log), 0};
    for (uint64_t at = 0; at < kEventsBytes; at += sizeof header)
      std::memcpy(script.eventBytes() + at, &header, sizeof header);
    while (!left) script.eventWords().written = script.eventWords().read + kEventsBytes / 2;
    return true;
  };
  ASSERT_TRUE(create()) << error;
  submit();
  clock.setAsleep(true);  // it does not end by itself
  renderer.reset();
  clock.setAsleep(false);
  left = true;
  for (std::thread& thread : std::exchange(threads, {})) thread.join();
}

TEST_F(Limits, LinesOfTheLogAreCountedAndShown) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    Packer line;
    line.value(uint32_t{AEROGPU_LOG_INFO}).raw(bytesOf("\x1b[2Ja\nb\x7f"));
    for (int i = 0; i < 2000; ++i) script.say(Event::Log, line.bytes());
    script.finish(call);
    return true;
  };
  ASSERT_TRUE(create()) << error;
  submit();
  renderer->waitIdle(kForever);
  EXPECT_EQ(lost, std::vector<bool>{false});
  EXPECT_GE(lines.size(), 256u);
  EXPECT_LE(lines.size(), 512u);  // the clock goes on meanwhile
  for (const std::string& line : lines) EXPECT_EQ(line, "?[2Ja?b?");
}

// Only memory that it was told of can have been written.
TEST_F(Limits, WritesElsewhereAreNonsense) {
  for (const auto& [gpa, size] :
       {std::pair(kGuestBase, uint64_t{8}), std::pair(kGuestBase + kGuestBytes, uint64_t{8}),
        std::pair(kGuestBase + 4096, kGuestBytes), std::pair(uint64_t{1} << 60, uint64_t{8})}) {
    answers = [&, gpa = gpa, size = size](Script& script, const Message& call) {
      return static_cast<Call>(call.kind) == Call::Submit && script.write(gpa, size, 0);
    };
    ASSERT_TRUE(create()) << error;
    tellRegions();
    submit();
    renderer->waitIdle(kForever);
    EXPECT_EQ(death(), kNonsense) << gpa;
    renderer.reset();
  }
}

TEST_F(Limits, WritesUnderWayAreAnnouncedOnceAtItsEnd) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    for (uint64_t i = 0; i < 1000; ++i) script.write(kGuestBase + 4096 + i, kGuestBytes - 8192, 0);
    script.write(kGuestBase + kGuestBytes - 100, 100, 0);
    return script.write(kGuestBase, 1, 0);  // the end
  };
  ASSERT_TRUE(create()) << error;
  tellRegions();
  submit();
  renderer->waitIdle(kForever);
  renderer.reset();
  const std::vector<std::pair<uint64_t, uint64_t>> both{{kGuestBase, 1},  // of the one that was nonsense
                                                        {kGuestBase + 4096, kGuestBytes - 8192 + 999},
                                                        {kGuestBase + kGuestBytes - 100, 100}};
  EXPECT_EQ(written, both);
}

// Also those that no one had heard of when the process was ended.
TEST_F(Limits, WritesSaidLastAreAnnounced) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    // Both at once, so that the process is ended before the second one is seen.
    const WriteEvent write{kGuestBase + 8192, 4096, 0};
    const std::array<MessageHeader, 2> headers{
        {{0xFFFF, 0}, {static_cast<uint32_t>(Event::Write), sizeof write}}};
    uint8_t* bytes = script.eventBytes() + script.eventWords().written;
    std::memcpy(bytes, headers.data(), sizeof headers);
    std::memcpy(bytes + sizeof headers, &write, sizeof write);
    script.eventWords().written += sizeof headers + sizeof write;
    clock.setAsleep(true);  // no bell: the thread looks again
    return true;
  };
  ASSERT_TRUE(create()) << error;
  tellRegions();
  submit();
  renderer->waitIdle(kForever);
  clock.setAsleep(false);
  EXPECT_EQ(death(), kNonsense);
  renderer.reset();
  const std::vector<std::pair<uint64_t, uint64_t>> all{{kGuestBase + 8192, 4096}};
  EXPECT_EQ(written, all);
}

TEST_F(Limits, WritesAtOneAddressHaveTheirEnds) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Submit) return false;
    for (const uint64_t size : {8, 100}) script.write(kGuestBase + 4096, size, 0);
    for (const uint64_t size : {90, 8}) script.write(kGuestBase + 4096, size, 1);
    script.finish(call);
    return true;
  };
  ASSERT_TRUE(create()) << error;
  tellRegions();
  submit();
  renderer->waitIdle(kForever);
  EXPECT_EQ(lost, std::vector<bool>{false});
  renderer.reset();
  const std::vector<std::pair<uint64_t, uint64_t>> both{{kGuestBase + 4096, 90}, {kGuestBase + 4096, 8}};
  EXPECT_EQ(written, both);
}

TEST_F(Limits, AWalkOverSpacesEnds) {
  ASSERT_TRUE(create()) << error;
  for (int i = 0; i < 2; ++i) {
    uint32_t from = 0, steps = 0;
    for (aerogpu_renderer_space space{}; steps < 10'000 && renderer->nextSpace(from, space); ++steps)
      from = space.space + 1;
    EXPECT_EQ(steps, core::Spaces::kMaxSpaces + 1);
  }
}

TEST_F(Limits, WhatItIsCalledIsShort) {
  made.deviceName = std::string(100'000, 'x') + "\n";
  made.driverName = "a\nb";
  ASSERT_TRUE(create()) << error;
  EXPECT_EQ(renderer->deviceName(), std::string(kMostName, 'x'));
  EXPECT_STREQ(renderer->driverName(), "a?b");
  renderer.reset();
  made.caps.resize(kMostCaps + 1);
  EXPECT_FALSE(create());
  EXPECT_EQ(error, "the renderer's process describes itself wrongly");
}

// Of no bytes at all, which the sanitizers look at.
TEST_F(Limits, AnEventIsNotEmpty) {
  for (const Event kind : {Event::Finished, Event::Write, Event::Failure}) {
    answers = [kind](Script& script, const Message& call) {
      return static_cast<Call>(call.kind) == Call::Submit && script.say(kind, {});
    };
    ASSERT_TRUE(create()) << error;
    submit();
    renderer->waitIdle(kForever);
    EXPECT_EQ(death(), kNonsense);
    renderer.reset();
  }
}

// Whoever reads that there is no GPU is told why.
TEST_F(Limits, ARefusalHasAReason) {
  answers = [](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Create) return false;
    Packer head;
    return script.reply(Reply::Done, head.value(uint32_t{0}).text("").bytes());
  };
  EXPECT_FALSE(create());
  EXPECT_EQ(error, "the renderer's process makes no renderer and does not say why");
}

TEST_F(Limits, DescriptionsDoNotPileUp) {
  ASSERT_TRUE(create()) << error;
  const char* first = renderer->deviceName();
  const auto restart = [this] {
    answers = [](Script& script, const Message& call) {
      if (static_cast<Call>(call.kind) == Call::Submit) shutdown(script.channel.socket.get(), SHUT_RDWR);
      return static_cast<Call>(call.kind) == Call::Submit;
    };
    submit();
    renderer->waitIdle(kForever);
    return renderer->reset();
  };
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(restart());
  EXPECT_EQ(renderer->deviceName(), first);  // one that is the same needs no other place
  size_t starts = 1;
  for (;; ++starts) {
    made.driverName = std::to_string(starts);
    if (!restart()) break;
    ASSERT_LE(starts, 200u);
  }
  EXPECT_EQ(starts, RemoteRenderer::kMostLives);
  made.driverName = "1";  // a known one starts again
  EXPECT_TRUE(renderer->reset());
}

TEST_F(Limits, NoMemoryIsAskedForBeforeThereIsARenderer) {
  answers = [&](Script& script, const Message& call) {
    if (static_cast<Call>(call.kind) != Call::Create) return false;
    auto& words = *reinterpret_cast<LineWords*>(script.channel.memory.bytes() +
                                                Channel::offsetOf(Channel::Area::MemoryAsks));
    words.kind = static_cast<uint32_t>(MemoryAsk::Map);
    words.values[0] = kGuestBase;
    words.values[1] = 8;
    words.asked = 1;
    (void)send(script.channel.bells[static_cast<size_t>(Bell::MemoryAsked)].get(), "", 1, MSG_NOSIGNAL);
    pollfd nothing{-1, 0, 0};
    for (int i = 0; i < 20 && maps == 0; ++i) ::poll(&nothing, 1, 1);  // a client that is wrong answers now
    EXPECT_EQ(maps, 0);
    return false;
  };
  ASSERT_TRUE(create()) << error;
  renderer.reset();
  for (std::thread& thread : std::exchange(threads, {})) thread.join();
}

// The server's side: what lies past the end of a file cannot be read.
TEST(LimitsOfRegions, EndWithTheirFile) {
  std::string error;
  const auto channel = Channel::make(Descriptor(), 4096, error);
  ASSERT_TRUE(channel) << error;
  GuestRegions regions(*channel, [](const WriteEvent&) {});
  const SharedMemory memory = SharedMemory::make("guest", 8192, error);
  const auto set = [&](uint64_t size, uint64_t offset, uint64_t gpa = kGuestBase) {
    std::vector<Descriptor> files;
    files.emplace_back(dup(memory.fd()));
    const RegionRecord record{gpa, size, offset, 0, 1};
    return regions.set({&record, 1}, std::move(files));
  };
  EXPECT_TRUE(set(8192, 0));
  EXPECT_TRUE(set(4096, 4096));
  EXPECT_FALSE(set(8193, 0));
  EXPECT_FALSE(set(8192, 4096));
  EXPECT_FALSE(set(4096, 8192));
  EXPECT_FALSE(set(4096, UINT64_MAX - 4095));
  // Whole pages: a value of 8 bytes at an aligned address is written at once.
  EXPECT_FALSE(set(4096, 0, kGuestBase + 9));
  EXPECT_FALSE(set(4000, 0));
}

}  // namespace
}  // namespace aerogpu::remote::test
