// SPDX-License-Identifier: MIT
#include "renderer/remote/test/hostile.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "renderer/remote/descriptors.h"

namespace aerogpu::remote::test {
namespace {

constexpr uint64_t kLookNs = 10'000;
constexpr uint64_t kPage = 4096;
/// How far the time goes on if both sides wait.
constexpr uint64_t kStepNs = 250'000'000;

thread_local uint64_t t_seen = 0, t_missed = 0;

/// For the handler of the watchdog's signal.
std::atomic<uint64_t> g_seed{0}, g_round{0};
const char* g_test = "";

void tooLong(int) {
  char text[200];
  const int size = std::snprintf(text, sizeof text, "%s: round %llu of seed %llu does not end\n", g_test,
                                 static_cast<unsigned long long>(g_round.load()),
                                 static_cast<unsigned long long>(g_seed.load()));
  (void)!write(STDERR_FILENO, text, static_cast<size_t>(size));
  std::abort();
}

}  // namespace

uint64_t Dice::number() {
  static constexpr uint64_t kNumbers[] = {0,
                                          1,
                                          2,
                                          7,
                                          8,
                                          64,
                                          kPage,
                                          kFrameSlots - 1,
                                          kFrameSlots,
                                          kStagingPiece,
                                          kStagingPiece * kStagingPieces,
                                          kRepliesBytes,
                                          kEventsBytes,
                                          kCallsBytes,
                                          kGuestBase,
                                          kGuestBase + kGuestBytes,
                                          kMostMapped,
                                          INT32_MAX,
                                          UINT32_MAX,
                                          uint64_t{1} << 32,
                                          uint64_t{1} << 63,
                                          UINT64_MAX};
  switch (below(4)) {
    case 0:
      return oneOf(kNumbers);
    case 1:
      return oneOf(kNumbers) + below(3) - 1;
    case 2:
      return below(200);
    default:
      return next() >> below(64);
  }
}

void Dice::mutate(std::vector<uint8_t>& bytes) {
  for (uint64_t times = below(3) + 1; times != 0; --times) {
    if (bytes.empty() || chance(8)) {
      bytes.resize(chance(50) ? below(bytes.size() + 1) : bytes.size() + below(32));
      continue;
    }
    const size_t width = oneOf({size_t{1}, size_t{4}, size_t{4}, size_t{8}});
    if (bytes.size() < width) continue;
    const size_t at =
        below((bytes.size() - width) / std::min<size_t>(width, 4) + 1) * std::min<size_t>(width, 4);
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, width);
    switch (below(4)) {
      case 0:
        value ^= uint64_t{1} << below(width * 8);
        break;
      case 1:
        value += chance(50) ? 1 : -1;
        break;
      default:
        value = number();
    }
    std::memcpy(bytes.data() + at, &value, width);
  }
}

std::vector<uint8_t> Dice::bytes(size_t most) {
  std::vector<uint8_t> all(below(most + 1));
  for (uint8_t& byte : all) byte = static_cast<uint8_t>(next());
  return all;
}

std::string Dice::text(size_t most) {
  const std::vector<uint8_t> all = bytes(most);
  return {all.begin(), all.end()};
}

QuickClock::QuickClock(int stuckMs) : m_stuckMs(stuckMs), m_wakes(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  set = this;
}

QuickClock::~QuickClock() {
  set = nullptr;
}

uint64_t QuickClock::nowNs() {
  const uint64_t now = m_now.fetch_add(kLookNs, std::memory_order_relaxed);
  if (t_seen != 0 && now > t_seen + kStepNs) t_missed += now - t_seen;
  t_seen = now;
  return now;
}

uint64_t QuickClock::missedNs() {
  return t_missed;
}

int QuickClock::poll(std::span<pollfd> polled, uint64_t untilNs) {
  std::array<pollfd, 4> all{};
  std::copy(polled.begin(), polled.end(), all.begin());
  all[polled.size()] = {m_wakes.get(), POLLIN, 0};
  const bool limited = untilNs != kForever;
  for (;;) {
    const bool late = limited && nowNs() >= untilNs;
    const int ready = ::poll(all.data(), polled.size() + (limited ? 1 : 0),
                             late      ? 0
                             : limited ? m_stuckMs
                                       : -1);
    if (ready < 0) return ready;
    std::copy_n(all.begin(), polled.size(), polled.begin());
    const int mine =
        static_cast<int>(std::ranges::count_if(polled, [](const pollfd& p) { return p.revents != 0; }));
    t_seen = std::max(t_seen, std::min(peek(), untilNs));  // as long it has waited
    if (mine != 0 || late) return mine;
    if (m_asleep.load(std::memory_order_acquire) != 0)
      goTo(untilNs);
    else if (ready == 0)
      goTo(std::min(untilNs, peek() + kStepNs));
  }
}

void QuickClock::wait(CondVar& changed, Mutex& mutex, uint64_t untilNs) {
  if (untilNs != kForever && m_asleep.load(std::memory_order_acquire) != 0) goTo(untilNs);
  if (untilNs == kForever)
    changed.wait(mutex);
  else
    changed.waitUntil(mutex, std::chrono::steady_clock::now() + std::chrono::microseconds(200));
  t_seen = std::max(t_seen, std::min(peek(), untilNs));
}

void QuickClock::goTo(uint64_t untilNs) {
  uint64_t now = peek();
  while (now < untilNs && !m_now.compare_exchange_weak(now, untilNs)) {
  }
}

void QuickClock::setAsleep(bool asleep) {
  uint64_t value = 1;
  Lock lock(m_mutex);
  const int before = m_asleep.fetch_add(asleep ? 1 : -1, std::memory_order_acq_rel);
  if (asleep && before == 0) (void)!write(m_wakes.get(), &value, sizeof value);
  if (!asleep && before == 1) (void)!read(m_wakes.get(), &value, sizeof value);
}

void spoilWords(const Channel& channel, Dice& dice, Channel::Area area) {
  const bool control = area == Channel::Area::Control;
  const uint64_t bytes = control ? sizeof(ControlWords) : std::max(sizeof(RingWords), sizeof(LineWords));
  uint8_t* begin = channel.memory.bytes() + Channel::offsetOf(area);
  for (uint64_t times = dice.below(3) + 1; times != 0; --times) {
    const uint64_t most = control && dice.chance(70) ? 256 : bytes;
    auto* word = reinterpret_cast<std::atomic<uint32_t>*>(begin + dice.below(most / 4) * 4);
    const uint32_t value = dice.chance(40) ? word->load() + static_cast<uint32_t>(dice.below(65) * 8) - 256
                                           : static_cast<uint32_t>(dice.number());
    word->store(value, std::memory_order_release);
  }
}

void spoilBytes(const Channel& channel, Dice& dice, Channel::Area area) {
  using Area = Channel::Area;
  const uint64_t lead = area == Area::Staging ? 0 : kPage;
  const uint64_t begin = Channel::offsetOf(area) + lead;
  const uint64_t end = Channel::offsetOf(static_cast<Area>(static_cast<int>(area) + 1));
  // Near its begin, where there is something, and few new pages are made.
  const uint64_t most = std::min(end - begin, kPage * 16);
  for (uint64_t times = dice.below(64) + 1; times != 0; --times)
    reinterpret_cast<std::atomic<uint8_t>*>(channel.memory.bytes() + begin + dice.below(most))
        ->store(static_cast<uint8_t>(dice.next()), std::memory_order_relaxed);
}

void spoilFiles(const Channel& channel, Dice& dice) {
  const SharedMemory& memory = dice.chance(50) ? channel.memory : channel.frames;
  const auto at = static_cast<off_t>(dice.below(memory.size() / kPage) * kPage);
  if (ftruncate(memory.fd(), at) == 0 && at != static_cast<off_t>(memory.size())) std::abort();
  if (fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_WRITE) == 0) std::abort();
  if (dice.chance(20)) fallocate(memory.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, kPage);
}

void spoilBells(Channel& channel, Dice& dice) {
  Descriptor& bell = channel.bells[dice.below(channel.bells.size())];
  switch (dice.below(4)) {
    case 0:
      for (const Descriptor& each : channel.bells)
        fcntl(each.get(), F_SETFL, fcntl(each.get(), F_GETFL) & ~O_NONBLOCK);
      break;
    case 1: {
      uint8_t all[512] = {};
      for (int i = 0; i < 2000 && send(bell.get(), all, sizeof all, MSG_DONTWAIT | MSG_NOSIGNAL) > 0; ++i) {
      }
      break;
    }
    case 2: {
      uint8_t taken[512];
      while (recv(bell.get(), taken, sizeof taken, MSG_DONTWAIT) > 0) {
      }
      break;
    }
    default:
      if (dice.chance(25)) shutdown(bell.get(), SHUT_RDWR);
  }
}

void sendStrangers(int socket, Dice& dice) {
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::vector<int> many(dice.below(kMostDescriptors + 1), null.get());
  std::vector<uint8_t> bytes = dice.bytes(64);
  bytes.push_back(1);  // an empty one is an end
  (void)sendDescriptors(socket, bytes, many);
}

void spoil(Channel& channel, Dice& dice) {
  constexpr Channel::Area kAreas[] = {
      Channel::Area::Control, Channel::Area::Calls,      Channel::Area::Replies, Channel::Area::Events,
      Channel::Area::Urgent,  Channel::Area::MemoryAsks, Channel::Area::Staging};
  switch (dice.below(9)) {
    case 0:
    case 1:
      spoilWords(channel, dice, dice.oneOf(kAreas));
      break;
    case 2:
      spoilWords(channel, dice, Channel::Area::Control);
      break;
    case 3:
    case 4:
      spoilBytes(channel, dice, kAreas[dice.below(std::size(kAreas) - 1) + 1]);
      break;
    case 5:
      spoilFiles(channel, dice);
      break;
    case 6:
    case 7:
      spoilBells(channel, dice);
      break;
    default:
      sendStrangers(channel.socket.get(), dice);
  }
}

bool hungUp(int socket) {
  pollfd polled{socket, 0, 0};
  return ::poll(&polled, 1, 0) > 0;
}

uint64_t rounds(const char* name, uint64_t otherwise) {
  const char* asked = std::getenv(name);
  return asked ? std::strtoull(asked, nullptr, 10) : otherwise;
}

uint64_t firstSeed() {
  return rounds("AEROGPU_TEST_SEED", 1);
}

Watchdog::Watchdog(const char* test) : m_test(test) {
  g_test = m_test;
  signal(SIGALRM, tooLong);
}

Watchdog::~Watchdog() {
  alarm(0);
}

void Watchdog::begin(uint64_t seed, uint64_t round) {
  g_seed = seed;
  g_round = round;
  alarm(60);
}

uint64_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * kPage;
}

size_t countIn(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace aerogpu::remote::test
