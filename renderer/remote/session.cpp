// SPDX-License-Identifier: MIT
#include "renderer/remote/session.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "renderer/core/made_frames.h"
#include "renderer/remote/descriptors.h"

namespace aerogpu::remote {
namespace {

/// How long submit waits for the end of a submission that has nothing to do: less than a sleep and its end
/// take.
constexpr uint64_t kSoonNs = 60'000;
/// How long a process whose socket has hung up may take to end.
constexpr uint64_t kHowNs = 500'000'000;
/// How often a wait looks for progress.
constexpr uint64_t kLookNs = 250'000'000;

/// Events that are taken before the thread looks at the server again, or goes on with what it does.
constexpr int kAtOnce = 256;
/// Events that the ring can hold.
constexpr uint64_t kMostEvents = kEventsBytes / sizeof(MessageHeader);
/// Lines of the log in a second. Those of errors have a limit of their own, with others of this process.
constexpr uint32_t kMostLines = 256;
constexpr uint64_t kLinesNs = 1'000'000'000;

/// Most bytes of one call's part of a save: what sent ahead and then changed goes twice, and all else is
/// smaller than what the guest may hold.
constexpr uint64_t mostSaved(uint64_t frameBytes) {
  return 2 * frameBytes + (uint64_t{1} << 30);
}

constexpr const char* kEnded = "the renderer's process has ended";
constexpr const char* kEndless = "the renderer's process says that it works, never ends, and was ended";
constexpr const char* kNonsense = "the renderer's process has answered what no one asked and was ended";
constexpr const char* kSpoilt = "the renderer's process has spoilt its ring and was ended";
constexpr const char* kSilent = "the renderer's process has been silent for too long and was ended";

bool isLate(Sent sent) {
  return sent == Sent::Late;
}
bool isLate(Received received) {
  return received == Received::Late;
}

std::span<const uint8_t> spanOf(const std::vector<uint8_t>& bytes) {
  return bytes;
}

}  // namespace

Session::Session(std::shared_ptr<Channel> channel, std::unique_ptr<Process> process, const Embedder& embedder)
    : m_channel(std::move(channel)),
      m_process(std::move(process)),
      m_embedder(embedder),
      m_calls(m_channel->callsWriter()),
      m_replies(m_channel->repliesReader()),
      m_events(m_channel->eventsReader()),
      m_urgent(m_channel->urgentCaller()),
      m_memory(m_channel->memoryServer()),
      m_mostSaved(mostSaved(m_channel->frames.size())),
      m_sinceMs(std::chrono::duration_cast<std::chrono::milliseconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count()),
      m_failures(*embedder.failures) {}

std::unique_ptr<Session> Session::start(const std::string& program, const Embedder& embedder,
                                        std::span<const uint8_t> config, uint64_t frameBytes,
                                        Created& created, std::string& error) {
  std::shared_ptr<Channel> channel;
  auto process = Process::start(program, frameBytes, channel, error);
  if (!process) return nullptr;
  std::unique_ptr<Session> session(new Session(std::move(channel), std::move(process), embedder));
  session->m_eventsThread = std::thread([s = session.get()] { s->takeEvents(); });
  const CallEnd done = session->call(Call::Create, {config});
  if (!done.ok) {
    error = done.error.empty() ? "the renderer's process makes no renderer and does not say why" : done.error;
    return nullptr;
  }
  auto described = Created::unpack(Unpacker(done.more));
  if (!described) {
    error = "the renderer's process describes itself wrongly";
    return nullptr;
  }
  created = std::move(*described);
  // Only now: the embedder is not asked for memory before it has a renderer.
  session->m_memoryThread = std::thread([s = session.get()] { s->serveMemory(); });
  return session;
}

Session::~Session() {
  close();
}

void Session::close() {
  if (!m_eventsThread.joinable()) return;
  {
    Lock lock(m_mutex);
    m_leaves.store(true, std::memory_order_release);
    m_changed.notifyAll();
  }
  shutdown(m_channel->socket.get(), SHUT_RDWR);  // tells the server, and wakes the threads here
  m_eventsThread.join();
  if (m_memoryThread.joinable()) m_memoryThread.join();
  if (!m_process->waitForEnd(nowNs() + farewellNs.load(std::memory_order_relaxed))) m_process->kill();
}

bool Session::gpuLost() const {
  return ended() || m_channel->control().gpuLost.load(std::memory_order_acquire) != 0;
}

Session::Death Session::death() const {
  Lock lock(m_mutex);
  return m_death;
}

void Session::end(std::string why) {
  {
    Lock lock(m_mutex);
    if (m_ended.load(std::memory_order_relaxed)) {
      while (!m_isDead) m_changed.wait(m_mutex);
      return;
    }
    m_ended.store(true, std::memory_order_release);
  }
  if (why == kEnded && !m_leaves.load(std::memory_order_acquire))
    if (const std::string how = m_process->howItEnded(nowNs() + kHowNs); !how.empty()) why += ": " + how;
  {
    Lock lock(m_mutex);
    if (!m_leaves.load(std::memory_order_relaxed)) m_death = {why, nowNs()};
  }
  shutdown(m_channel->socket.get(), SHUT_RDWR);  // wakes the threads here
  if (!m_leaves.load(std::memory_order_acquire)) {
    m_process->kill();
    m_embedder.log->line(AEROGPU_LOG_ERROR, why);
  }
  Lock lock(m_mutex);
  m_isDead = true;
  m_changed.notifyAll();
}

Session::Taken::Taken() : sinceNs(nowNs()) {}

bool Session::Taken::tooLong() const {
  return nowNs() - sinceNs > patienceNs.load(std::memory_order_relaxed) + bytes * kNsPerByte;
}

/// Calls `attempt` with limits until it is not late; while the server works, the limit moves.
template <class Try>
auto Session::patiently(const Taken& taken, Try attempt) {
  const uint64_t begin = nowNs();
  auto result = attempt(begin + kLookNs);
  if (!isLate(result)) return result;  // the usual case, which reads no word of the server's
  for (uint64_t seen = progress(), since = begin;; result = attempt(nowNs() + kLookNs)) {
    if (!isLate(result)) return result;
    if (taken.tooLong()) {
      end(kEndless);
      return result;
    }
    if (const uint64_t now = progress(); now != seen) {
      seen = now;
      since = nowNs();
    } else if (nowNs() - since > silenceNs.load(std::memory_order_relaxed)) {
      end(kSilent);
      return result;
    }
  }
}

Sent Session::send(Call call, std::initializer_list<std::span<const uint8_t>> parts, Taken& taken) {
  if (ended()) {
    end(kEnded);
    return Sent::Gone;
  }
  const auto write = [&](Call kind, std::initializer_list<std::span<const uint8_t>> bytes) {
    const Sent sent = patiently(
        taken, [&](uint64_t untilNs) { return m_calls.write(static_cast<uint32_t>(kind), bytes, untilNs); });
    if (sent == Sent::Gone) end(kEnded);
    if (sent == Sent::Broken) end(kSpoilt);
    return sent;
  };
  size_t size = 0;
  for (const auto part : parts) size += part.size();
  taken.bytes += size;
  if (size <= m_calls.mostBytes()) return write(call, parts);
  const size_t most = m_calls.mostBytes();
  for (const auto part : parts) {  // all of it goes as parts, and the call after them is empty
    for (auto rest = part; !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), most));
      if (const Sent sent = write(Call::Part, {piece}); sent != Sent::Yes) return sent;
      rest = rest.subspan(piece.size());
    }
  }
  return write(call, {});
}

void Session::post(Call call, std::initializer_list<std::span<const uint8_t>> parts) {
  Taken taken;
  (void)send(call, parts, taken);
}

bool Session::takeBytes(Taken& taken, const Meanwhile& meanwhile, bool& sinkTakes) {
  const size_t size = m_message.bytes.size();
  taken.bytes += size;
  taken.streamed += size;
  if (size == 0 || !meanwhile.bytes || taken.streamed > m_mostSaved) return false;
  if (!sinkTakes) return true;
  const uint64_t begin = nowNs();
  sinkTakes = meanwhile.bytes(m_message.bytes);
  taken.sinceNs += nowNs() - begin;
  if (!sinkTakes) m_channel->control().sinkRefuses.store(1, std::memory_order_relaxed);
  return true;
}

bool Session::takeAnswer(const std::vector<uint8_t>& whole, CallEnd& done) const {
  Unpacker from(whole);
  done.ok = from.value<uint32_t>() != 0;
  done.error = shownText(from.block());
  const auto more = from.rest();
  done.more.assign(more.begin(), more.end());
  return from.ok();
}

CallEnd Session::call(Call call, std::initializer_list<std::span<const uint8_t>> parts,
                      const Meanwhile& meanwhile) {
  std::vector<uint8_t> whole;
  CallEnd failed{false, kEnded, {}};
  CallEnd done;
  Taken taken;
  m_channel->control().sinkRefuses.store(0, std::memory_order_relaxed);
  if (send(call, parts, taken) != Sent::Yes) return failed;
  for (bool sinkTakes = true, known = true; known;) {
    const Received received =
        patiently(taken, [&](uint64_t untilNs) { return m_replies.read(m_message, untilNs); });
    if (received == Received::Gone) end(kEnded);
    if (received == Received::Broken) end(kSpoilt);
    if (received != Received::Yes) return failed;
    if (taken.tooLong()) {  // what comes without end is no answer
      end(kEndless);
      return failed;
    }
    const auto kind = static_cast<Reply>(m_message.kind);
    if (kind == Reply::Bytes) {
      known = takeBytes(taken, meanwhile, sinkTakes);
      continue;
    }
    known = (kind == Reply::Done || (kind == Reply::Part && !m_message.bytes.empty())) &&
            whole.size() + m_message.bytes.size() <= kMostAnswer;
    if (!known) break;
    whole.insert(whole.end(), m_message.bytes.begin(), m_message.bytes.end());
    if (kind == Reply::Part) continue;
    known = takeAnswer(whole, done);
    if (!known) break;
    // The server may have written all of it before it could see that.
    if (!sinkTakes && done.ok) done = {false, "the snapshot cannot be written", {}};
    return done;
  }
  end(kNonsense);
  return failed;
}

void Session::submit(uint64_t cookie, uint64_t signalFence, std::optional<uint32_t> space, Call call,
                     std::initializer_list<std::span<const uint8_t>> parts) {
  uint64_t size = 0;
  for (const auto part : parts) size += part.size();
  // Before it is sent, or the server would wake the events' thread. What waits for room does not poll.
  const bool polls = expect(cookie, signalFence, space) && m_calls.hasRoom(size);
  if (polls) m_events.beginPolling();
  post(call, parts);
  if (polls) takeSoon();
}

bool Session::expect(uint64_t cookie, uint64_t signalFence, std::optional<uint32_t> space) {
  bool wakes, isAlone;
  {
    Lock lock(m_mutex);
    while (m_expected.size() >= kMaxInFlight) waitUntil(m_changed, m_mutex, kForever);
    m_expected.push_back({cookie, signalFence, space});
    isAlone = m_expected.size() == 1;
    // After the end of the session the events' thread finishes it.
    m_changed.notifyAll();
    wakes = std::exchange(m_isUnwatched, false);
  }
  if (wakes) {
    m_isNudged.store(true, std::memory_order_release);
    m_events.wakeReader();
  }
  return isAlone;
}

bool Session::isIdle() const {
  Lock lock(m_mutex);
  return m_expected.empty();
}

bool Session::waitIdle(uint64_t untilNs) {
  Lock lock(m_mutex);
  while (!m_expected.empty()) {
    if (untilNs != kForever && nowNs() >= untilNs) return false;
    waitUntil(m_changed, m_mutex, untilNs);
  }
  return true;
}

bool Session::urgent(const LineCall& call, uint64_t& result, std::vector<uint8_t>* answer) {
  if (ended()) {
    end(kEnded);
    return false;
  }
  if (m_urgent.call(call, result, answer, urgentNs.load(std::memory_order_relaxed))) return true;
  end("the renderer's process does not answer and was ended");
  return false;
}

void Session::readStats(aerogpu_renderer_stats& out) {
  uint64_t told = 0;
  std::vector<uint8_t> bytes;
  if (urgent({static_cast<uint32_t>(Urgent::Stats), {}}, told, &bytes) && told != 0 &&
      bytes.size() == sizeof out)
    std::memcpy(&out, bytes.data(), sizeof out);
}

void Session::deliver(const aerogpu_submission_result& result) {
  m_embedder.callbacks.submission_done(m_embedder.opaque, &result);
  Lock lock(m_mutex);
  m_expected.pop_front();  // only now: whoever waits for it may go on
  ++m_finished;
  m_changed.notifyAll();
}

bool Session::takeThem() {
  for (int i = 0; i < kAtOnce; ++i) {
    const Received received = m_events.readNow(m_event);
    if (received == Received::Late) return true;
    m_seen.fetch_add(1, std::memory_order_relaxed);
    bool known = received == Received::Yes;
    switch (static_cast<Event>(known ? m_event.kind : 0)) {
      case Event::Finished:
        known = takeFinished(m_event.bytes);
        break;
      case Event::Write:
        known = takeWrite(m_event.bytes);
        break;
      case Event::Failure:
        known = m_failures.take(m_event.bytes, *m_embedder.log);
        break;
      case Event::Log:
        takeLog(m_event.bytes);
        break;
      default:
        known = false;
    }
    if (known) continue;
    end("the renderer's process has reported nonsense and was ended");
    return false;
  }
  return true;
}

uint64_t Session::progress() const {
  return m_channel->control().progress.load(std::memory_order_relaxed) +
         m_seen.load(std::memory_order_relaxed);
}

/// Returns when to look at the server again, and ends the session if it was silent for too long. A pair that
/// has nothing to do is not looked at, and then the next submission wakes the thread that looks.
uint64_t Session::watch(Watch& watch) {
  const uint64_t now = nowNs(), seen = progress();
  bool isBusy;
  uint64_t finished;
  {
    Lock lock(m_mutex);
    isBusy = !m_expected.empty();
    finished = m_finished;
    if (isBusy) watch.busyNs = now;
    m_isUnwatched = now - watch.busyNs > unwatchedNs.load(std::memory_order_relaxed);
    if (m_isUnwatched) {
      watch.slept = true;
      return kForever;
    }
  }
  if (std::exchange(watch.slept, false)) watch.sinceNs = watch.finishedNs = now;  // that was no silence
  if (!isBusy || finished != watch.finished) {
    watch.finished = finished;
    watch.finishedNs = now;
  } else if (now - watch.finishedNs > patienceNs.load(std::memory_order_relaxed)) {
    end(kEndless);
  }
  if (!isBusy || seen != watch.seen) {
    watch.seen = seen;
    watch.sinceNs = now;
  } else if (now - watch.sinceNs > silenceNs.load(std::memory_order_relaxed)) {
    end(kSilent);
  }
  return now + kLookNs;
}

void Session::takeEvents() {
  Watch now;
  now.sinceNs = now.finishedNs = nowNs();
  // Once this side leaves, what is there is still taken, but not what comes without end.
  uint64_t left = kMostEvents / kAtOnce;
  for (bool known = true; known && !ended() && (!m_leaves.load(std::memory_order_acquire) || left-- != 0);) {
    const Received received = m_events.waitForMore(watch(now), m_isNudged);
    if (received == Received::Late) continue;
    if (received != Received::Yes) break;
    m_isNudged.store(false, std::memory_order_relaxed);
    Lock lock(m_takeMutex);
    known = takeThem();
  }
  end(kEnded);
  {
    Lock lock(m_takeMutex);
    takeLeft();
    // Some of it may have been written.
    m_writes.takeAll([this](uint64_t gpa, uint64_t size) { announceWrite(gpa, size); });
  }
  finishAll();
}

/// Takes what the server said of its writes before it ended, or this side left: as many events as the ring
/// can hold, and no more, since it may go on meanwhile. Others count no longer.
void Session::takeLeft() {
  for (uint64_t i = 0; i < kMostEvents && m_events.readNow(m_event) == Received::Yes; ++i)
    if (static_cast<Event>(m_event.kind) == Event::Write && !takeWrite(m_event.bytes)) return;
}

void Session::takeSoon() {
  if (m_takeMutex.tryLock()) {
    const uint64_t until = nowNs() + kSoonNs;
    while (!ended() && m_events.pollForMore(until) && takeThem() && !isIdle() && nowNs() < until) {
    }
    m_takeMutex.unlock();
  }
  m_events.endPolling();
}

bool Session::takeWrite(std::span<const uint8_t> bytes) {
  Unpacker from(bytes);
  const auto event = from.value<WriteEvent>();
  if (!from.whole() || event.size > kMostMapped || event.size > UINT64_MAX - event.gpa) return false;
  if (event.ended == 0)
    return m_writes.begin(event.gpa, event.size) && m_writable.holds(event.gpa, event.size);
  if (!m_writes.end(event.gpa, event.size)) return false;
  if (event.size != 0) announceWrite(event.gpa, event.size);
  return true;
}

void Session::announceWrite(uint64_t gpa, uint64_t size) const {
  for (uint64_t done = 0; done < size;) {
    aerogpu_guest_mapping mapping{};
    if (m_embedder.callbacks.guest_map(m_embedder.opaque, gpa + done, size - done, true, &mapping) != 0) {
      constexpr uint64_t kPage = 4096;
      done = std::min(size, ((gpa + done) / kPage + 1) * kPage - gpa);  // a page that is none any more
      continue;
    }
    const uint64_t step = std::min(mapping.size, size - done);
    m_embedder.callbacks.guest_unmap(m_embedder.opaque, &mapping, step);
    done += step;
  }
}

bool Session::sendFiles(std::span<const int> files) const {
  const uint32_t tag = 0;
  return !ended() && sendDescriptors(m_channel->socket.get(), bytesOf(tag), files);
}

CallEnd Session::startCapture(const char* path, int file) {
  if (!sendFiles(std::span(&file, 1))) return {false, kEnded, {}};
  Packer name;
  name.text(path);
  return call(Call::CaptureStart, {name.bytes()});
}

bool Session::setRegions(std::span<const RegionRecord> records, std::span<const int> files) {
  if (!sendFiles(files)) return false;
  m_writable.add(records);
  return call(Call::SetRegions, {{reinterpret_cast<const uint8_t*>(records.data()), records.size_bytes()}})
      .ok;
}

void Session::finishAll() {
  for (;;) {
    aerogpu_submission_result result{};
    {
      Lock lock(m_mutex);
      while (m_expected.empty() && !m_leaves.load(std::memory_order_acquire)) m_changed.wait(m_mutex);
      if (m_expected.empty()) return;
      result.cookie = m_expected.front().cookie;
      result.signal_fence = m_expected.front().signalFence;
    }
    result.struct_size = sizeof result;
    result.error_count = 1;
    result.last_error_code = static_cast<uint32_t>(ErrorCode::Backend);
    result.gpu_lost = true;
    deliver(result);
  }
}

void Session::takeLog(std::span<const uint8_t> bytes) {
  Unpacker from(bytes);
  const auto level =
      static_cast<aerogpu_log_level>(std::min<uint32_t>(from.value<uint32_t>(), AEROGPU_LOG_DEBUG));
  if (level > AEROGPU_LOG_GUEST) {
    if (const uint64_t now = nowNs(); now - m_linesSinceNs >= kLinesNs) m_linesSinceNs = now, m_lines = 0;
    if (m_lines == kMostLines) return;
    ++m_lines;
  }
  m_embedder.log->line(level, shownText(from.rest()));
}

std::unique_ptr<SessionFrame> Session::frameOf(const FinishedEvent& event) const {
  const uint64_t bytes = uint64_t{event.strideBytes} * event.height;
  if (event.slot >= kFrameSlots || event.damageCount > AEROGPU_FRAME_DAMAGE_MAX || event.offset % 64 != 0 ||
      bytes > m_channel->frames.size() || event.offset > m_channel->frames.size() - bytes)
    return nullptr;
  auto frame = std::make_unique<SessionFrame>();
  frame->struct_size = sizeof(aerogpu_frame);
  frame->width = event.width;
  frame->height = event.height;
  frame->stride_bytes = event.strideBytes;
  frame->format = event.format;
  frame->pixels = m_channel->frames.bytes() + event.offset;
  if (core::frameRowBytes(*frame) == 0) return nullptr;
  frame->sequence = event.sequence;
  frame->damage_since = event.damageSince;
  frame->damage_count = event.damageCount;
  for (uint32_t i = 0; i < event.damageCount; ++i) {
    const aerogpu_frame_rect& r = event.damage[i];
    if (r.left >= r.right || r.right > event.width || r.top >= r.bottom || r.bottom > event.height)
      return nullptr;
    frame->damage[i] = r;
  }
  frame->channel = m_channel;
  frame->slot = event.slot;
  return frame;
}

bool Session::takeFinished(std::span<const uint8_t> bytes) {
  FinishedEvent event{};
  if (bytes.empty() || bytes.size() > sizeof event) return false;
  std::memcpy(&event, bytes.data(), bytes.size());
  if (bytes.size() != event.bytes()) return false;
  {
    Lock lock(m_mutex);
    if (m_expected.empty() || m_expected.front().cookie != event.cookie) return false;
  }
  aerogpu_submission_result result{};
  result.struct_size = sizeof result;
  result.error_count = event.errorCount;
  result.last_error_code = event.lastErrorCode;
  result.present_count = event.presentCount;
  result.cookie = event.cookie;
  result.signal_fence = event.signalFence;
  const auto flag = [&](FinishedEvent::Flags which) { return (event.flags & which) != 0; };
  result.present_vsync = flag(FinishedEvent::PresentVsync);
  result.dropped = flag(FinishedEvent::Dropped);
  result.scanout_is_texture = flag(FinishedEvent::ScanoutIsTexture);
  result.frame_unchanged = flag(FinishedEvent::FrameUnchanged);
  result.gpu_lost = flag(FinishedEvent::GpuLost);
  result.scanout_changed = flag(FinishedEvent::ScanoutChanged);
  if (flag(FinishedEvent::HasFrame)) {
    auto frame = frameOf(event);
    if (!frame) return false;
    result.frame = frame.release();
  }
  deliver(result);
  return true;
}

void Session::serveMemory() {
  LineServer::Asked call;
  std::vector<uint8_t> answer;
  while (m_memory.wait(call, kForever) == Woken::Ready && !ended()) {
    m_seen.fetch_add(1, std::memory_order_relaxed);
    answer.clear();
    const uint64_t result = answerMemory(call, answer);
    m_memory.answer(result, spanOf(answer));
  }
}

void Session::waitingSpaces(uint64_t taken, std::vector<uint32_t>& spaces, size_t most) const {
  Lock lock(m_mutex);
  const uint64_t first = std::clamp<uint64_t>(taken, m_finished, m_finished + m_expected.size()) - m_finished;
  for (size_t i = first; i < m_expected.size() && spaces.size() < most; ++i)
    if (m_expected[i].space) spaces.push_back(*m_expected[i].space);
}

uint64_t Session::answerMemory(const LineServer::Asked& call, std::vector<uint8_t>& answer) const {
  const aerogpu_renderer_callbacks& callbacks = m_embedder.callbacks;
  if (static_cast<MemoryAsk>(call.kind) == MemoryAsk::WaitingSpaces) {
    const size_t most = std::min<uint64_t>(call.values[0], kMemoryAskBytes / sizeof(uint32_t));
    std::vector<uint32_t> numbers;
    waitingSpaces(call.values[1], numbers, most);
    if (callbacks.waiting_spaces) {
      const size_t mine = numbers.size(), room = most - mine;
      numbers.resize(most);
      numbers.resize(
          mine + std::min(callbacks.waiting_spaces(m_embedder.opaque, numbers.data() + mine, room), room));
    }
    answer.resize(numbers.size() * sizeof(uint32_t));
    if (!answer.empty()) std::memcpy(answer.data(), numbers.data(), answer.size());
    return numbers.size();
  }
  const bool maps = static_cast<MemoryAsk>(call.kind) == MemoryAsk::Map;
  if (!maps && static_cast<MemoryAsk>(call.kind) != MemoryAsk::Write) return 0;
  const uint64_t gpa = call.values[0], size = call.values[1], place = call.values[maps ? 3 : 2];
  constexpr uint64_t kStagingBytes = kStagingPiece * kStagingPieces;
  if (size == 0 || size > kStagingPiece || place > kStagingBytes - size || gpa > UINT64_MAX - size) return 0;
  const bool writes = !maps || call.values[2] != 0;
  uint8_t* staging = m_channel->staging() + place;
  for (uint64_t done = 0;;) {  // regions of memory may end within what was one when it was mapped
    aerogpu_guest_mapping mapping{};
    if (callbacks.guest_map(m_embedder.opaque, gpa + done, size - done, writes, &mapping) != 0) return 0;
    const uint64_t bytes = std::min(mapping.size, size - done);
    if (maps) {
      if (!writes) std::memcpy(staging, mapping.host, bytes);
      callbacks.guest_unmap(m_embedder.opaque, &mapping, 0);
      return bytes;
    }
    if (bytes == sizeof(uint64_t) && reinterpret_cast<uintptr_t>(mapping.host) % sizeof(uint64_t) == 0) {
      uint64_t value;  // a fence or a value: the guest sees all of it or nothing
      std::memcpy(&value, staging + done, sizeof value);
      std::atomic_ref<uint64_t>(*static_cast<uint64_t*>(mapping.host))
          .store(value, std::memory_order_release);
    } else {
      std::memcpy(mapping.host, staging + done, bytes);
    }
    callbacks.guest_unmap(m_embedder.opaque, &mapping, bytes);
    done += bytes;
    if (done >= size || bytes == 0) return done >= size;
  }
}

}  // namespace aerogpu::remote
