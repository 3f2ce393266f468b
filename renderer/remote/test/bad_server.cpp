// SPDX-License-Identifier: MIT
#include "renderer/remote/test/bad_server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "aerogpu/aerogpu.h"
#include "renderer/remote/config.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/start_protocol.h"

namespace aerogpu::remote::test {
namespace {

using Area = Channel::Area;

Descriptor pairWith(Descriptor& here) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  here = Descriptor(ends[0]);
  return Descriptor(ends[1]);
}

}  // namespace

BadServer::BadServer(Seat seat, QuickClock* clock, unsigned percent)
    : m_seat(std::move(seat)), m_clock(clock), m_percent(percent), m_dice(m_seat.seed) {
  m_isStubborn = m_dice.chance(percent / 8);
}

bool BadServer::killed() {
  if (!m_ends && m_seat.life && hungUp(m_seat.life.get())) m_ends = true;
  return m_ends;
}

bool BadServer::left() const {
  return m_channel && hungUp(m_channel->socket.get());
}

void BadServer::sleep() {
  if (m_clock) m_clock->setAsleep(true);
  pollfd life{m_seat.life.get(), 0, 0};
  // A stubborn one is not killed within its limit, which comes at once while it sleeps. A process is killed.
  const uint64_t begin = m_clock ? m_clock->peek() : 0;
  while (!killed() && ::poll(&life, 1, 50) == 0 && (m_clock || m_isStubborn || !left())) {
  }
  for (int i = 0; m_clock && m_isStubborn && i < 200 && m_clock->peek() - begin < 200'000'000'000; ++i)
    std::this_thread::yield();
  if (m_clock) m_clock->setAsleep(false);
}

void BadServer::rest() {
  m_channel->control().progress.fetch_add(1);
  const auto words = [&](Area area) { return m_channel->memory.bytes() + Channel::offsetOf(area); };
  reinterpret_cast<RingWords*>(words(Area::Calls))->readerSleeps = 1;
  reinterpret_cast<LineWords*>(words(Area::Urgent))->serverSleeps = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto bell = [&](Bell which) { return m_channel->bells[static_cast<size_t>(which)].get(); };
  pollfd polled[] = {{bell(Bell::CallsMore), POLLIN, 0},
                     {bell(Bell::UrgentAsked), POLLIN, 0},
                     {m_channel->socket.get(), 0, 0},
                     {m_seat.life ? m_seat.life.get() : -1, 0, 0}};
  if (::poll(polled, std::size(polled), 1) == 0 && m_clock) {
    m_clock->setAsleep(true);  // both may wait
    ::poll(polled, std::size(polled), 1);
    m_clock->setAsleep(false);
  }
  for (const pollfd& p : {polled[0], polled[1]}) {
    uint8_t rung[64];
    if (p.revents != 0) (void)recv(p.fd, rung, sizeof rung, MSG_DONTWAIT);
  }
}

bool BadServer::greets() {
  std::string error;
  if (m_dice.chance(m_percent / 8)) {
    ++m_deeds;
    GreetingAnswer answer;
    answer.layout = kLayout;
    switch (m_dice.below(5)) {
      case 0:
        if (m_clock) sleep();  // a start has a limit of its own, which is long in real time
        return false;
      case 1:
        return false;
      case 2:
        sendStrangers(m_seat.control.get(), m_dice);
        break;
      case 3:
        answer.version = static_cast<uint32_t>(m_dice.number());
        (void)send(m_seat.control.get(), &answer, m_dice.below(sizeof answer) + 1, MSG_NOSIGNAL);
        break;
      default:
        answer.processId = static_cast<uint32_t>(m_dice.number());
        (void)send(m_seat.control.get(), &answer, sizeof answer, MSG_NOSIGNAL);
    }
  }
  m_channel = Channel::take(std::move(m_seat.control), error);
  return m_channel != nullptr;
}

void BadServer::live() {
  if (greets()) {
    m_calls = m_channel->callsReader();
    m_replies = m_channel->repliesWriter();
    m_events = m_channel->eventsWriter();
    m_urgent = std::unique_ptr<LineServer>(new LineServer(m_channel->urgentServer()));
    m_memory = std::unique_ptr<LineCaller>(new LineCaller(m_channel->memoryCaller()));
    Message call;
    LineServer::Asked asked;
    while (!killed() && !left()) {
      bool idle = true;
      if (m_calls.read(call, 0) == Received::Yes) answerCall(call), idle = false;
      if (m_urgent->wait(asked, 0) == Woken::Ready) answerUrgent(asked), idle = false;
      if (idle) rest();
    }
    if (m_isStubborn && m_seat.life) sleep();
  }
  if (m_seat.life && m_dice.chance(50)) {
    EndNotice notice;
    notice.status = static_cast<int32_t>(m_dice.number());
    (void)send(m_seat.life.get(), &notice, sizeof notice, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

void BadServer::emit(RingWriter& ring, uint32_t kind, std::vector<uint8_t> bytes) {
  if (std::exchange(m_drops, false)) return;
  if (std::exchange(m_mutates, false)) m_dice.mutate(bytes);
  if (std::exchange(m_mistakes, false))
    kind = static_cast<uint32_t>(m_dice.chance(50) ? m_dice.below(6) : m_dice.number());
  const int times = std::exchange(m_repeats, false) ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    std::span<const uint8_t> rest(bytes);
    if (rest.size() > ring.mostBytes()) rest = rest.first(ring.mostBytes());
    for (int tries = 0; ring.write(kind, {rest}, 0) == Sent::Late && tries < 50 && !killed() && !left();
         ++tries) {
      pollfd life{m_channel->socket.get(), 0, 0};
      ::poll(&life, 1, 1);
    }
  }
}

void BadServer::done(std::span<const uint8_t> more) {
  Packer head;
  head.value(uint32_t{!m_dice.chance(10)})
      .text(m_dice.chance(10) ? m_dice.text(6000) : "it failed")
      .raw(more);
  if (m_dice.chance(2)) {  // in parts
    const size_t cut = m_dice.below(head.bytes().size() + 1);
    const auto middle = head.bytes().begin() + static_cast<ptrdiff_t>(cut);
    emit(m_replies, static_cast<uint32_t>(Reply::Part), {head.bytes().begin(), middle});
    emit(m_replies, static_cast<uint32_t>(Reply::Done), {middle, head.bytes().end()});
    return;
  }
  emit(m_replies, static_cast<uint32_t>(Reply::Done), head.bytes());
}

void BadServer::finish(uint64_t cookie, uint64_t fence) {
  FinishedEvent event{};
  event.cookie = cookie;
  event.signalFence = fence;
  event.errorCount = m_dice.chance(10) ? static_cast<uint32_t>(m_dice.number()) : 0;
  event.flags = static_cast<uint32_t>(m_dice.next()) & (FinishedEvent::HasFrame * 2 - 1);
  event.slot = static_cast<uint32_t>(m_dice.below(kFrameSlots));
  event.width = static_cast<uint32_t>(m_dice.below(64)) + 1;
  event.height = static_cast<uint32_t>(m_dice.below(64)) + 1;
  event.strideBytes = event.width * 4 + static_cast<uint32_t>(m_dice.below(3)) * 4;
  event.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  const uint64_t bytes = uint64_t{event.strideBytes} * event.height, room = m_channel->frames.size() - bytes;
  event.offset = (m_dice.chance(20) ? room : m_dice.below(room + 1)) / 64 * 64;
  event.sequence = ++m_sequence;
  event.damageSince = m_dice.chance(50) ? m_sequence - 1 : m_dice.number();
  event.damageCount = static_cast<uint32_t>(m_dice.below(3));
  for (uint32_t i = 0; i < event.damageCount; ++i)
    event.damage[i] = {static_cast<uint32_t>(m_dice.below(event.width)),
                       static_cast<uint32_t>(m_dice.below(event.height)), event.width, event.height};
  const auto all = bytesOf(event).first(event.bytes());
  emit(m_events, static_cast<uint32_t>(Event::Finished), {all.begin(), all.end()});
}

void BadServer::finishOwed() {
  for (; !m_owed.empty(); m_owed.pop_front()) finish(m_owed.front().cookie, m_owed.front().fence);
}

void BadServer::answerCreate() {
  Created made;
  made.backendName = "bad";
  made.deviceName = m_dice.chance(3) ? m_dice.text(100'000) : "device";
  made.driverName = "driver";
  made.caps = std::vector<uint8_t>(m_dice.chance(3) ? m_dice.below(2 * kMostCaps) : 200, 7);
  Packer to;
  made.pack(to);
  done(to.bytes());
}

void BadServer::answerSave() {
  for (uint64_t pieces = m_dice.below(4); pieces != 0; --pieces) {
    if (m_channel->control().sinkRefuses != 0) break;
    emit(m_replies, static_cast<uint32_t>(Reply::Bytes), m_dice.bytes(300));
  }
}

void BadServer::answerCall(const Message& call) {
  const auto kind = static_cast<Call>(call.kind);
  const bool bad = m_dice.chance(m_percent);
  if (bad) {
    ++m_deeds;
    switch (m_dice.below(10)) {
      case 0:
      case 1:
      case 2:
        m_mutates = true;
        break;
      case 3:
        m_drops = true;
        break;
      case 4:
        m_repeats = true;
        break;
      case 5:
        m_mistakes = true;
        break;
      default:
        misbehave();
    }
    if (killed()) return;
  }
  Packer more;
  switch (kind) {
    case Call::Part:
      return;
    case Call::Create:
      if (!m_clock) {  // the seed of a process is the name of its machine
        Unpacker from(call.bytes);
        ConfigTexts texts;
        (void)unpackConfig(from, texts);
        m_dice = Dice(std::strtoull(texts.vmName.value_or("").c_str(), nullptr, 10));
      }
      answerCreate();
      break;
    case Call::Submit: {
      Unpacker from(call.bytes);
      const auto submit = from.value<SubmitCall>();
      m_owed.push_back({submit.cookie, submit.signalFence});
      if (m_dice.chance(20)) askMemory();
      if (m_dice.chance(20)) writeMemory();
      if (m_owed.size() > 20 || !m_dice.chance(20)) finishOwed();
      return;
    }
    case Call::SnapshotScanout: {
      Unpacker from(call.bytes);
      m_owed.push_back({from.value<uint64_t>(), 0});
      finishOwed();
      return;
    }
    case Call::SetScanout:
      return;
    case Call::SetRegions: {
      std::vector<Descriptor> files;
      uint32_t tag = 0;
      if (waitForInput(m_channel->socket.get(), 0))
        receiveDescriptors(m_channel->socket.get(), {reinterpret_cast<uint8_t*>(&tag), sizeof tag}, files);
      m_hasRegions = !call.bytes.empty();
      done();
      return;
    }
    case Call::SaveAhead:
      answerSave();
      more.value(m_dice.number()).value(m_dice.number());
      break;
    case Call::Save:
    case Call::SaveBegin:
    case Call::SaveEnd:
      answerSave();
      break;
    case Call::LoadFinish: {
      aerogpu_scanout_config scanout{};
      scanout.struct_size = static_cast<uint32_t>(m_dice.number());
      more.value(scanout);
      break;
    }
    case Call::Move:
    case Call::Holds:
      more.value(static_cast<uint32_t>(m_dice.below(3)));
      break;
    default:
      break;
  }
  if (m_dice.chance(5)) report();
  if (!bad || m_dice.chance(50)) finishOwed();
  if (kind != Call::Create) done(more.bytes());
}

void BadServer::answerUrgent(const LineServer::Asked& call) {
  if (m_dice.chance(m_percent)) {
    ++m_deeds;
    if (m_dice.chance(10)) return;  // no answer
    misbehave();
    if (killed()) return;
  }
  std::vector<uint8_t> bytes;
  const auto take = [&](const auto& value) {
    const auto all = bytesOf(value);
    bytes.assign(all.begin(), all.end());
  };
  uint64_t result = 1;
  if (static_cast<Urgent>(call.kind) == Urgent::Stats) {
    aerogpu_renderer_stats stats{};
    stats.struct_size = static_cast<uint32_t>(m_dice.number());
    take(stats);
  } else if (static_cast<Urgent>(call.kind) == Urgent::NextSpace) {
    aerogpu_renderer_space space{};
    space.space = static_cast<uint32_t>(call.values[0]) + static_cast<uint32_t>(m_dice.below(2));
    std::memset(space.image_name, 'x', sizeof space.image_name);  // without its end
    take(space);
    result = m_dice.chance(70);
  }
  const bool lies = m_dice.chance(m_percent / 4);
  if (lies) {
    result = m_dice.number();
    if (m_dice.chance(50)) bytes.resize(m_dice.below(kUrgentBytes * 2));
  }
  m_urgent->answer(result, bytes);
  if (lies) spoilWords(*m_channel, m_dice, Area::Urgent);
}

void BadServer::askMemory() {
  LineCall call{static_cast<uint32_t>(m_dice.below(3) + 1), {}, {}};
  const uint64_t place = m_dice.below(kStagingPieces) * kStagingPiece;
  const uint64_t gpa = kGuestBase + m_dice.below(kGuestBytes - 8),
                 size = m_dice.chance(30) ? 8 : m_dice.below(70'000);
  if (static_cast<MemoryAsk>(call.kind) == MemoryAsk::Map) {
    const uint64_t values[] = {gpa, size, m_dice.below(2), place};
    std::copy(std::begin(values), std::end(values), call.values);
  } else if (static_cast<MemoryAsk>(call.kind) == MemoryAsk::Write) {
    const uint64_t values[] = {m_dice.chance(50) ? gpa / 8 * 8 : gpa, size, place};
    std::copy(std::begin(values), std::end(values), call.values);
  } else {
    call.values[0] = m_dice.chance(50) ? 4096 : m_dice.number();
    call.values[1] = m_dice.chance(50) ? m_sequence : m_dice.number();
  }
  if (m_dice.chance(m_percent)) {
    call.values[m_dice.below(4)] = m_dice.number();
    if (m_dice.chance(10)) call.kind = static_cast<uint32_t>(m_dice.number());
    if (m_dice.chance(10)) spoilWords(*m_channel, m_dice, Area::MemoryAsks);
  }
  const std::vector<uint8_t> bytes = m_dice.bytes(16);
  call.bytes = bytes;
  uint64_t result = 0;
  std::vector<uint8_t> answer;
  // In a process of its own its client has no reason to be late; here time stands still meanwhile.
  if (m_memory->call(call, result, &answer, 1'000'000'000)) return;
  m_memory =
      std::unique_ptr<LineCaller>(new LineCaller(m_channel->memoryCaller()));  // and out of step from now on
}

void BadServer::writeMemory() {
  WriteEvent event{kGuestBase + m_dice.below(kGuestBytes), 0, 0};
  event.size = m_dice.below(kGuestBase + kGuestBytes - event.gpa) + 1;
  if (!m_hasRegions && !m_dice.chance(m_percent / 8)) return;
  const auto say = [this](const WriteEvent& e) {
    const auto all = bytesOf(e);
    emit(m_events, static_cast<uint32_t>(Event::Write), {all.begin(), all.end()});
  };
  say(event);
  if (m_dice.chance(20)) return;  // it dies before the end
  event.ended = 1;
  event.size = m_dice.below(event.size + 1);
  say(event);
}

void BadServer::report() {
  if (m_dice.chance(20)) {  // the file of the newest submissions, mostly in its order
    const uint32_t step = m_dice.chance(90) ? m_failureStep : static_cast<uint32_t>(m_dice.number());
    m_failureStep = step == 1 ? 2 : step == 2 && m_dice.chance(70) ? 2 : step == 2 ? 3 + m_dice.below(2) : 1;
    Packer piece;
    emit(m_events, static_cast<uint32_t>(Event::Failure), piece.value(step).raw(m_dice.bytes(100)).bytes());
    return;
  }
  Packer log;
  log.value(static_cast<uint32_t>(m_dice.below(5))).raw(m_dice.bytes(m_dice.chance(5) ? 20'000 : 60));
  emit(m_events, static_cast<uint32_t>(Event::Log), log.bytes());
}

/// Much of one kind, or without end.
void BadServer::flood() {
  const uint64_t kind = m_dice.below(6);
  const bool endless = m_dice.chance(20);
  const uint64_t times = endless ? UINT64_MAX : 300;
  if (m_clock && kind == 4) m_clock->setAsleep(true);
  for (uint64_t i = 0; i < times && !killed() && !left(); ++i) {
    if (m_clock && endless) m_clock->advance(400'000'000);
    for (int j = 0; j < 16; ++j) switch (kind) {
        case 0:
          report();
          break;
        case 1:
          emit(m_replies, static_cast<uint32_t>(Reply::Bytes), m_dice.bytes(16));
          break;
        case 2:
          emit(m_replies, static_cast<uint32_t>(Reply::Part), std::vector<uint8_t>(m_dice.below(4000)));
          break;
        case 3:
          writeMemory();
          break;
        case 4:
          m_channel->control().progress.fetch_add(1);
          break;
        default: {
          // A question without the wait for its answer.
          spoilWords(*m_channel, m_dice, Area::MemoryAsks);
          const auto words = m_channel->memory.bytes() + Channel::offsetOf(Area::MemoryAsks);
          reinterpret_cast<LineWords*>(words)->asked.fetch_add(1);
          (void)send(m_channel->bells[static_cast<size_t>(Bell::MemoryAsked)].get(), "", 1,
                     MSG_DONTWAIT | MSG_NOSIGNAL);
        }
      }
    if (kind == 4) std::this_thread::yield();
  }
  if (m_clock && kind == 4) m_clock->setAsleep(false);
}

void BadServer::misbehave() {
  switch (m_dice.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      spoil(*m_channel, m_dice);
      break;
    case 9:
      sleep();
      break;
    case 10:
      flood();
      break;
    case 11:
      shutdown(m_channel->socket.get(), SHUT_RDWR);
      break;
    case 12:
      m_ends = true;  // dies
      break;
    case 13:
      finish(m_dice.number(), m_dice.number());
      break;
    case 14:
      done();
      break;
    case 15:
    case 16:
      askMemory();
      break;
    case 17:
      writeMemory();
      break;
    case 18:
      report();
      break;
    default:
      emit(m_dice.chance(50) ? m_replies : m_events, static_cast<uint32_t>(m_dice.below(5)),
           m_dice.bytes(300));
  }
}

BadServers::BadServers(QuickClock& clock, unsigned percent) : m_clock(clock), m_percent(percent) {
  g_servers = this;
  for (std::thread& thread : m_threads) thread = std::thread([this] { run(); });
  Process::startsInstead = start;
}

BadServers::~BadServers() {
  Process::startsInstead = nullptr;
  {
    Lock lock(m_mutex);
    m_ends = true;
    m_changed.notifyAll();
  }
  for (std::thread& thread : m_threads) thread.join();
}

bool BadServers::start(uint64_t, Started& started, std::string&) {
  BadServers& self = *g_servers;
  Seat seat;
  seat.control = pairWith(started.control);
  seat.life = pairWith(started.life);
  seat.handle = pairWith(started.handle);
  seat.seed = self.m_seed.fetch_add(1);
  Lock lock(self.m_mutex);
  self.m_seats.push_back(std::move(seat));
  self.m_changed.notifyAll();
  return true;
}

void BadServers::run() {
  for (;;) {
    Seat seat;
    {
      Lock lock(m_mutex);
      while (m_seats.empty() && !m_ends) m_changed.wait(m_mutex);
      if (m_seats.empty()) return;
      seat = std::move(m_seats.front());
      m_seats.pop_front();
    }
    BadServer server(std::move(seat), &m_clock, m_percent);
    server.live();
    m_deeds += server.deeds();
    ++m_lives;
  }
}

}  // namespace aerogpu::remote::test
