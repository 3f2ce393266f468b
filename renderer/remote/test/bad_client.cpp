// SPDX-License-Identifier: MIT
#include "renderer/remote/test/bad_client.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_packets.hpp"
#include "renderer/remote/config.h"
#include "renderer/remote/descriptors.h"

namespace aerogpu::remote::test {
namespace {

using Area = Channel::Area;
using Clock = std::chrono::steady_clock;

/// How long a server may take for an answer before the test gives up; far less is usual.
constexpr std::chrono::seconds kPatience(20);
constexpr uint32_t kBackedAllocation = 1, kScanoutAllocation = 2;

LineWords& wordsOf(const Channel& channel, Area area) {
  return *reinterpret_cast<LineWords*>(channel.memory.bytes() + Channel::offsetOf(area));
}

}  // namespace

BadClient::BadClient(std::unique_ptr<Channel> channel, Dice& dice, unsigned percent)
    : m_channel(std::move(channel)),
      m_dice(dice),
      m_percent(percent),
      m_calls(m_channel->callsWriter()),
      m_replies(m_channel->repliesReader()),
      m_events(m_channel->eventsReader()),
      m_memory(m_channel->memoryServer()),
      m_urgent(wordsOf(*m_channel, Area::Urgent)) {}

void BadClient::leave() {
  shutdown(m_channel->socket.get(), SHUT_RDWR);
}

void BadClient::takeEvent() {
  switch (static_cast<Event>(m_message.kind)) {
    case Event::Finished: {
      ++m_finished;
      FinishedEvent event{};
      std::memcpy(&event, m_message.bytes.data(), std::min(m_message.bytes.size(), sizeof event));
      if ((event.flags & FinishedEvent::HasFrame) == 0 || event.slot >= kFrameSlots || m_dice.chance(30))
        break;
      ControlWords& words = m_channel->control();
      const int times = m_dice.chance(m_percent) ? 2 : 1;
      for (int i = 0; i < times; ++i) words.framesReleased[event.slot].fetch_add(1);
      words.framesBack.fetch_add(1);
      break;
    }
    default:
      break;
  }
}

void BadClient::answerMemory() {
  ++m_asks;
  const bool bad = m_dice.chance(m_percent);
  uint64_t result = m_asked.values[1];
  std::vector<uint8_t> bytes;
  if (static_cast<MemoryAsk>(m_asked.kind) == MemoryAsk::Write) result = 1;
  if (static_cast<MemoryAsk>(m_asked.kind) == MemoryAsk::WaitingSpaces)
    bytes = m_dice.bytes(64), result = bytes.size() / 4;
  if (static_cast<MemoryAsk>(m_asked.kind) == MemoryAsk::Map) {
    if (m_asked.values[0] >= kGuestBase + kGuestBytes) result = 0;
    if (m_dice.chance(50)) spoilBytes(*m_channel, m_dice, Area::Staging);
  }
  if (bad) {
    result = m_dice.chance(50) ? result - 1 : m_dice.number();
    if (m_dice.chance(20)) bytes = m_dice.bytes(2 * kMemoryAskBytes);
  }
  m_memory.answer(result, bytes);
}

template <class IsThere>
bool BadClient::pump(IsThere isThere) {
  const auto until = Clock::now() + kPatience;
  const auto bell = [&](Bell which) { return m_channel->bells[static_cast<size_t>(which)].get(); };
  const auto ringOf = [&](Area area) -> RingWords& {
    return *reinterpret_cast<RingWords*>(m_channel->memory.bytes() + Channel::offsetOf(area));
  };
  for (;;) {
    if (isThere()) return true;
    bool idle = true;
    if (m_events.hasMore() && m_events.read(m_message, 0) == Received::Yes) takeEvent(), idle = false;
    if (m_replies.hasMore() && m_replies.read(m_message, 0) == Received::Yes) {
      idle = false;
      if (static_cast<Reply>(m_message.kind) == Reply::Bytes) {
        if (m_saved.size() < (1u << 20))
          m_saved.insert(m_saved.end(), m_message.bytes.begin(), m_message.bytes.end());
        if (m_dice.chance(m_percent / 4)) m_channel->control().sinkRefuses = 1;
      } else if (static_cast<Reply>(m_message.kind) == Reply::Done) {
        ++m_answers;
      }
    }
    if (m_memory.wait(m_asked, 0) == Woken::Ready) answerMemory(), idle = false;
    if (!idle) continue;
    if (hungUp(m_channel->socket.get())) return false;
    if (Clock::now() > until) {
      if (m_isStrict) m_complaint = "no answer to a call";
      return false;
    }
    ringOf(Area::Replies).readerSleeps = 1;
    ringOf(Area::Events).readerSleeps = 1;
    wordsOf(*m_channel, Area::MemoryAsks).serverSleeps = 1;
    wordsOf(*m_channel, Area::Urgent).callerSleeps = 1;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    pollfd polled[] = {{bell(Bell::RepliesMore), POLLIN, 0}, {bell(Bell::EventsMore), POLLIN, 0},
                       {bell(Bell::MemoryAsked), POLLIN, 0}, {bell(Bell::UrgentAnswered), POLLIN, 0},
                       {bell(Bell::CallsRoom), POLLIN, 0},   {m_channel->socket.get(), 0, 0}};
    if (isThere()) return true;
    ::poll(polled, std::size(polled), m_isStrict ? 20 : 1);
    if (!m_isStrict && Clock::now() > until - kPatience + std::chrono::milliseconds(20)) {
      m_givesUp = true;  // it has spoilt what it waits for
      return false;
    }
    for (size_t i = 0; i + 1 < std::size(polled); ++i) {
      uint8_t rung[64];
      if (polled[i].revents != 0) (void)recv(polled[i].fd, rung, sizeof rung, MSG_DONTWAIT);
    }
  }
}

void BadClient::send(Call call, std::vector<uint8_t> bytes, bool isAnswered) {
  if (std::exchange(m_mutates, false)) m_dice.mutate(bytes);
  auto kind = static_cast<uint32_t>(call);
  if (std::exchange(m_mistakes, false)) {
    kind =
        m_dice.chance(80) ? static_cast<uint32_t>(m_dice.below(26)) : static_cast<uint32_t>(m_dice.number());
    isAnswered =
        kind >= static_cast<uint32_t>(Call::WaitIdle) && kind <= static_cast<uint32_t>(Call::SetRegions);
  }
  std::span<const uint8_t> rest(bytes);
  const auto write = [&](uint32_t which, std::span<const uint8_t> part) {
    return pump([&] { return m_calls.write(which, {part}, 0) != Sent::Late; });
  };
  const uint64_t answers = m_answers;
  const size_t most = m_dice.chance(5) ? 100 : m_calls.mostBytes();
  for (; rest.size() > most; rest = rest.subspan(most))
    if (!write(static_cast<uint32_t>(Call::Part), rest.first(most))) return;
  if (!write(kind, rest) || !isAnswered) return;
  (void)pump([&] { return m_answers != answers; });
}

void BadClient::create() {
  aerogpu_renderer_config config{};
  config.struct_size = sizeof config;
  config.backend = "null";
  config.cache_dir = "";
  config.max_hostmem = uint64_t{16} << 20;
  Packer to;
  packConfig(to, config);
  m_created = true;
  const uint64_t answers = m_answers;
  send(Call::Create, to.bytes(), false);
  (void)pump([&] { return m_answers != answers; });
}

std::vector<uint8_t> BadClient::table() {
  const aerogpu_alloc_entry entries[] = {{kBackedAllocation, 0, kGuestBase, 0x8000, 0},
                                         {kScanoutAllocation, 0, kGuestBase + 0x10000, 0x10000, 0}};
  const aerogpu_alloc_table_header header{
      AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32,     uint32_t{sizeof header + sizeof entries},
      std::size(entries),        sizeof(aerogpu_alloc_entry), 0};
  std::vector<uint8_t> bytes(sizeof header + sizeof entries);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, entries, sizeof entries);
  return bytes;
}

std::vector<uint8_t> BadClient::stream() {
  CommandWriter w;
  for (uint64_t packets = m_dice.below(6) + 1; packets != 0; --packets) {
    const auto buffer = static_cast<uint32_t>(m_dice.below(4)) + 1, texture = buffer + 4;
    switch (m_dice.below(10)) {
      case 0:
        packets::createBuffer(w, buffer, 4096, 0, m_dice.chance(50) ? kBackedAllocation : 0);
        break;
      case 1:
        packets::createTexture(w, {texture, AEROGPU_FORMAT_B8G8R8X8_UNORM, 64, 64, packets::kShown, 1, 1, 256,
                                   kScanoutAllocation, 0});
        break;
      case 2:
        packets::destroyResource(w, m_dice.chance(50) ? buffer : texture);
        break;
      case 3:
        packets::dirtyRange(w, buffer, 0, 4096);
        break;
      case 4:
        packets::upload(w, buffer, 0, m_dice.bytes(1000));
        break;
      case 5:
        packets::copyBuffer(w, buffer, static_cast<uint32_t>(m_dice.below(4)) + 1, 4096);
        break;
      case 6:
        packets::writeValue(w, kBackedAllocation, m_dice.below(100) * 8, m_dice.next());
        break;
      case 7: {
        const uint32_t colors[] = {texture};
        packets::setTargets(w, colors);
        packets::clearColor(w, {1, 0, 1, 1});
        break;
      }
      default:
        packets::present(w);
    }
  }
  std::vector<uint8_t> bytes(w.data(), w.data() + w.size());
  if (m_dice.chance(m_percent)) m_dice.mutate(bytes);
  return bytes;
}

void BadClient::submit() {
  const std::vector<uint8_t> commands = stream(), allocations = table();
  SubmitCall call{};
  if (m_dice.chance(10)) call.flags = static_cast<uint32_t>(m_dice.next());
  call.contextId = static_cast<uint32_t>(m_dice.below(3));
  call.cookie = call.signalFence = ++m_cookie;
  call.streamBytes = commands.size();
  call.tableBytes = allocations.size();
  call.inSpace = m_dice.chance(30);
  call.space = static_cast<uint32_t>(m_dice.below(4));
  call.spaceFlags = static_cast<uint32_t>(m_dice.below(4));
  Packer to;
  to.value(call).raw(commands).raw(allocations);
  send(Call::Submit, to.bytes(), false);
}

void BadClient::setRegions() {
  std::string error;
  const uint32_t tag = 0;
  const SharedMemory memory = SharedMemory::make("guest", kGuestBytes, error);
  RegionRecord record{kGuestBase, kGuestBytes, 0, 0, 1};
  if (m_dice.chance(m_percent)) {
    record.size = m_dice.chance(50) ? kGuestBytes + 4096 : m_dice.number();  // past the file's end
    record.offset = m_dice.chance(50) ? 0 : m_dice.number();
  }
  std::vector<int> files{memory.fd()};
  if (m_dice.chance(m_percent / 4)) files = {m_channel->socket.get()};
  if (!m_dice.chance(m_percent / 4)) (void)sendDescriptors(m_channel->socket.get(), bytesOf(tag), files);
  const auto all = bytesOf(record);
  send(Call::SetRegions, {all.begin(), all.end()}, true);
}

void BadClient::callOne() {
  Packer to;
  const auto kind = static_cast<Call>(m_dice.below(20) + static_cast<uint64_t>(Call::SetScanout));
  switch (kind) {
    case Call::SetScanout: {
      const aerogpu_scanout_config config{sizeof config,        1, 64, 64, AEROGPU_FORMAT_B8G8R8X8_UNORM, 256,
                                          kGuestBase + 0x10000, 0, 0};
      send(kind, to.value(config).bytes(), false);
      return;
    }
    case Call::SnapshotScanout:
      send(kind, to.value(++m_cookie).bytes(), false);
      return;
    case Call::WaitIdle:
      to.value(m_dice.chance(50) ? uint64_t{1'000'000} : uint64_t{0});
      break;
    case Call::Save:
    case Call::SaveBegin:
      m_saved.clear();
      break;
    case Call::SaveAhead:
      to.value(uint64_t{100'000});
      break;
    case Call::LoadBytes: {
      std::vector<uint8_t> bytes = m_saved;
      if (m_dice.chance(m_percent)) m_dice.mutate(bytes);
      to.raw(bytes);
      break;
    }
    case Call::CaptureStart: {
      const Descriptor memory(memfd_create("capture", MFD_CLOEXEC));
      const int files[] = {memory.get()};
      const uint32_t tag = 0;
      if (!m_dice.chance(m_percent / 4)) (void)sendDescriptors(m_channel->socket.get(), bytesOf(tag), files);
      to.text("a capture");
      break;
    }
    case Call::SetRegions:
      setRegions();
      return;
    default:
      break;
  }
  send(kind, to.bytes(), true);
  // Any other call ends the server now.
  if (kind == Call::LoadBytes && m_dice.chance(80)) send(Call::LoadFinish, {}, true);
}

void BadClient::urgent() {
  std::vector<uint8_t> bytes = m_dice.chance(50) ? m_dice.bytes(300) : std::vector<uint8_t>();
  m_urgent.kind = static_cast<uint32_t>(m_dice.chance(90) ? m_dice.below(8) + 1 : m_dice.number());
  m_urgent.askedBytes = static_cast<uint32_t>(m_dice.chance(90) ? bytes.size() : m_dice.number());
  for (auto& value : m_urgent.values) value = m_dice.chance(50) ? m_dice.below(2) : m_dice.number();
  if (m_urgent.kind == static_cast<uint32_t>(Urgent::PlayFaults)) m_urgent.values[0] = 0;
  if (m_urgent.kind == static_cast<uint32_t>(Urgent::Shutdown) && m_dice.chance(80))
    m_urgent.kind = static_cast<uint32_t>(Urgent::Interrupt);
  if (!bytes.empty())
    std::memcpy(m_channel->memory.bytes() + Channel::offsetOf(Area::Urgent) + 4096, bytes.data(),
                bytes.size());
  m_urgent.asked.store(++m_urgentCount);
  const auto bell = m_channel->bells[static_cast<size_t>(Bell::UrgentAsked)].get();
  (void)::send(bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  (void)pump([&] { return m_urgent.answered.load() == m_urgentCount; });
}

void BadClient::misbehave() {
  // After that an answer may be lost: it is this side that has spoilt it.
  const bool keepsStrict = m_isStrict;
  m_isStrict = false;
  switch (m_dice.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
      spoil(*m_channel, m_dice);
      break;
    case 8:
      (void)pump([&] {
        return m_calls.write(static_cast<uint32_t>(m_dice.number()), {m_dice.bytes(200)}, 0) != Sent::Late;
      });
      break;
    case 9:
      for (int i = 0; i < 200; ++i)
        (void)m_calls.write(static_cast<uint32_t>(Call::Part), {m_dice.bytes(100)}, 0);
      break;
    default:  // nothing is spoilt by what the next call says
      m_isStrict = keepsStrict;
      (m_dice.chance(70) ? m_mutates : m_mistakes) = true;
  }
}

bool BadClient::round() {
  if (!m_created) create();
  if (m_dice.chance(m_percent)) misbehave();
  if (m_dice.chance(10))
    urgent();
  else if (m_dice.chance(50))
    submit();
  else
    callOne();
  (void)pump([] { return true; });
  return !m_givesUp && m_complaint.empty() && !hungUp(m_channel->socket.get());
}

}  // namespace aerogpu::remote::test
