// SPDX-License-Identifier: MIT
#include "renderer/remote/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "renderer/base/result.h"
#include "renderer/local/local.h"
#include "renderer/remote/call_filter.h"
#include "renderer/remote/config.h"
#include "renderer/remote/confine.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/driver_files.h"

namespace aerogpu::remote {
namespace {

/// Waits are cut into pieces of this length, so that the client sees progress.
constexpr uint64_t kWaitNs = 1'000'000'000;
/// Bytes of a failure's file that are sent at once.
constexpr size_t kFailurePiece = size_t{64} << 10;

}  // namespace

/// What a call that waits is answered with.
struct Server::Answer {
  bool ok = true;
  std::string error = {};
  Packer more = {};

  static Answer of(bool ok, const char* error) { return {ok, ok ? "" : error, {}}; }
};

Server::Server(std::unique_ptr<Channel> channel)
    : m_channel(std::move(channel)),
      m_frames(*m_channel),
      m_memory(*m_channel, [this](const WriteEvent& event) { post(Event::Write, {bytesOf(event)}, false); }),
      m_calls(m_channel->callsReader()),
      m_replies(m_channel->repliesWriter()),
      m_events(m_channel->eventsWriter()),
      m_urgent(m_channel->urgentServer()) {}

Server::~Server() {
  shutdown(m_channel->socket.get(), SHUT_RDWR);  // ends the thread, even if the client has not ended
  if (m_urgentThread.joinable()) m_urgentThread.join();
  if (!m_renderer) return;
  m_alone.store(true, std::memory_order_release);
  aerogpu_renderer_shutdown(m_renderer);
  aerogpu_renderer_wait_idle(m_renderer, kForever);
  for (aerogpu_frame* frame : m_frames.takeAll()) aerogpu_renderer_frame_release(m_renderer, frame);
  aerogpu_renderer_destroy(m_renderer);
}

void Server::noteProgress() const {
  m_channel->control().progress.fetch_add(1, std::memory_order_relaxed);
}

void Server::noteLoss() const {
  m_channel->control().gpuLost.store(aerogpu_renderer_gpu_lost(m_renderer), std::memory_order_release);
}

void Server::run() {
  for (;;) {
    // While the GPU works, this thread says that it lives: how long that may take is the renderer's to judge.
    const bool works = m_unfinished.load(std::memory_order_relaxed) != 0;
    const Received received = m_calls.read(m_message, works ? nowNs() + kWaitNs : kForever);
    noteProgress();
    if (received == Received::Late) continue;
    if (received != Received::Yes) return;
    if (m_message.kind == static_cast<uint32_t>(Call::Part)) {
      if (m_parts.size() + m_message.bytes.size() > kMostBytes) return;
      m_parts.insert(m_parts.end(), m_message.bytes.begin(), m_message.bytes.end());
      continue;
    }
    Message message;
    std::swap(message, m_message);  // the call may read others
    std::vector<uint8_t> whole = std::exchange(m_parts, {});
    if (!whole.empty()) whole.insert(whole.end(), message.bytes.begin(), message.bytes.end());
    const bool known =
        serve(static_cast<Call>(message.kind),
              whole.empty() ? std::span<const uint8_t>(message.bytes) : std::span<const uint8_t>(whole));
    std::swap(message, m_message);
    if (!known) return;
    tellRefusals();
    if (m_renderer) noteLoss();
  }
}

bool Server::serve(Call call, std::span<const uint8_t> bytes) {
  Unpacker from(bytes);
  if (call == Call::Create) return !m_renderer && create(from);
  if (!m_renderer) return false;
  // A reset, for example, would free what the load holds (aerogpu_renderer_load_bytes()).
  if (static_cast<LocalRenderer*>(m_renderer)->loads() && call != Call::LoadBytes &&
      call != Call::LoadFinish && call != Call::SetRegions)
    return false;
  Lock lock(m_mutex);
  releaseFrames();
  if (const bool holds = m_channel->control().holdsValues.load(std::memory_order_acquire) != 0;
      holds != m_holdsValues) {
    aerogpu_renderer_hold_values(m_renderer, holds);
    m_holdsValues = holds;
  }
  switch (call) {
    case Call::Submit:
      return submit(from);
    case Call::SetScanout: {
      const auto config = from.value<aerogpu_scanout_config>();
      if (from.whole()) aerogpu_renderer_set_scanout(m_renderer, &config);
      return from.whole();
    }
    case Call::SnapshotScanout: {
      const auto cookie = from.value<uint64_t>();
      if (!from.whole()) return false;
      begin();
      aerogpu_renderer_snapshot_scanout(m_renderer, cookie);
      return true;
    }
    default:
      break;
  }
  if (call < Call::WaitIdle || call > Call::SetRegions) return false;
  Answer done = called(call, from);
  if (!from.ok()) return false;
  noteLoss();  // before the answer
  answer(done);
  return true;
}

bool Server::create(Unpacker& from) {
  ConfigTexts texts;
  aerogpu_renderer_config config = unpackConfig(from, texts);
  if (!from.whole()) return false;
  const aerogpu_renderer_callbacks callbacks{
      sizeof callbacks,
      [](void* self, uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping* out) {
        return static_cast<Server*>(self)->m_memory.map(gpa, size, write, *out);
      },
      [](void* self, const aerogpu_guest_mapping* mapping, uint64_t written) {
        static_cast<Server*>(self)->m_memory.unmap(*mapping, written);
      },
      [](void* self, const aerogpu_submission_result* result) {
        static_cast<Server*>(self)->finished(*result);
      },
      [](void* self, enum aerogpu_log_level level, const char* line) {
        static_cast<Server*>(self)->log(level, line);
      },
      [](void* self, uint32_t* spaces, size_t room) {
        return static_cast<Server*>(self)->waitingSpaces(spaces, room);
      },
      [](void* self, uint64_t gpa, uint64_t size) {
        return static_cast<Server*>(self)->m_memory.lends(gpa, size);
      }};
  config.callbacks = &callbacks;
  config.opaque = this;
  char error[512] = "";
  Answer done;
  done.ok = limitDriver(config, done.error);
  if (done.ok) {
    m_renderer = aerogpu_renderer_create(&config, error, sizeof error);
    done = Answer::of(m_renderer != nullptr, error);
  }
  // Only now: some drivers start with a socket. Nothing of a guest was read yet.
  if (m_renderer && !limitCalls()) done = Answer::of(false, "this kernel has no seccomp filters");
  if (m_renderer) {
    if (auto& recent = static_cast<LocalRenderer*>(m_renderer)->recent) recent->writeTo(m_failures);
    packCreated(done.more);
    m_urgentThread = std::thread([this] { serveUrgent(); });
  }
  answer(done);
  return true;
}

bool Server::limitDriver(const aerogpu_renderer_config& config, std::string& error) {
  if (!kIsConfined) return true;
  const std::string cache = config.cache_dir ? config.cache_dir : "";
  leadCaches(cache);
  const std::optional<uint32_t> version = limitFiles(driverFiles(cache));
  if (version)
    m_rights.landlock = *version;
  else
    error = "this kernel has Landlock, and does not limit the files of the renderer's process";
  return version.has_value();
}

bool Server::limitCalls() {
  if (!kIsConfined) return true;
  const Calls calls = callsFor(static_cast<LocalRenderer*>(m_renderer)->backend->driverKind());
  m_rights.calls = calls == Calls::Refused ? AEROGPU_RENDERER_CALLS_REFUSED : AEROGPU_RENDERER_CALLS_LISTED;
  return filterCalls(calls);
}

void Server::tellRefusals() {
  for (const std::string& line : takeRefusals()) log(AEROGPU_LOG_ERROR, line.c_str());
}

bool Server::FailurePieces::begin() {
  m_piece.clear();
  m_server.post(Event::Failure, {bytesOf(FailureStep::Begin)}, false);
  return true;
}

void Server::FailurePieces::sendPiece() {
  m_server.post(Event::Failure, {bytesOf(FailureStep::Bytes), m_piece}, false);
  m_piece.clear();
}

bool Server::FailurePieces::add(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kFailurePiece - m_piece.size()));
    m_piece.insert(m_piece.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (m_piece.size() == kFailurePiece) sendPiece();
  }
  return true;
}

void Server::FailurePieces::end(bool whole, uint32_t count, const std::string& why) {
  sendPiece();
  if (whole)
    m_server.post(Event::Failure,
                  {bytesOf(FailureStep::End), bytesOf(count), bytesOf(std::string_view(why))});
  else
    m_server.post(Event::Failure, {bytesOf(FailureStep::Drop)});
  m_piece = {};
}

void Server::packCreated(Packer& to) const {
  Created made;
  made.backendName = aerogpu_renderer_backend_name(m_renderer);
  made.deviceName = aerogpu_renderer_device_name(m_renderer);
  made.driverName = aerogpu_renderer_driver_name(m_renderer);
  made.features = aerogpu_renderer_features(m_renderer);
  size_t size = 0;
  const auto* caps = static_cast<const uint8_t*>(aerogpu_renderer_caps(m_renderer, &size));
  made.caps.assign(caps, caps + size);
  made.limits.struct_size = sizeof made.limits;
  aerogpu_renderer_get_space_limits(m_renderer, &made.limits);
  made.rights = m_rights;
  made.pack(to);
}

void Server::begin() {
  m_taken.fetch_add(1, std::memory_order_relaxed);
  m_unfinished.fetch_add(1, std::memory_order_relaxed);
}

bool Server::submit(Unpacker& from) {
  const auto call = from.value<SubmitCall>();
  const auto stream = from.raw(call.streamBytes), table = from.raw(call.tableBytes);
  if (!from.whole()) return false;
  aerogpu_submission submission{};
  submission.struct_size = sizeof submission;
  submission.flags = call.flags;
  submission.context_id = call.contextId;
  submission.engine_id = call.engineId;
  submission.cookie = call.cookie;
  submission.signal_fence = call.signalFence;
  submission.cmd = stream.empty() ? nullptr : stream.data();
  submission.cmd_size = stream.size();
  submission.alloc_table = table.empty() ? nullptr : table.data();
  submission.alloc_table_size = table.size();
  submission.descriptor_error = call.descriptorError;
  submission.in_space = call.inSpace;
  submission.space = call.space;
  submission.space_flags = call.spaceFlags;
  begin();
  aerogpu_renderer_submit(m_renderer, &submission);
  return true;
}

/// In pieces, until the client has ended.
bool Server::waitIdle(uint64_t timeoutNs) {
  for (uint64_t left = timeoutNs;;) {
    const uint64_t step = std::min(left, kWaitNs);
    if (aerogpu_renderer_wait_idle(m_renderer, step)) return true;
    left -= left == UINT64_MAX ? 0 : step;
    noteProgress();
    pollfd client{m_channel->socket.get(), 0, 0};
    if (left == 0 || pollUntil({&client, 1}, 0) != 0) return false;
  }
}

Server::Answer Server::called(Call call, Unpacker& from) {
  char error[kMostText] = "";
  bool kept = false;
  Answer done;
  const auto end = [&](bool ok) { done.ok = ok, done.error = ok ? "" : error; };
  switch (call) {
    case Call::WaitIdle:
      end(waitIdle(from.value<uint64_t>()));
      break;
    case Call::Resume:
      aerogpu_renderer_resume(m_renderer);
      break;
    case Call::Reset:
      end(aerogpu_renderer_reset(m_renderer));
      break;
    case Call::Lose:
      aerogpu_renderer_lose(m_renderer);
      break;
    case Call::Save: {
      const aerogpu_bytes_sink to = sink();
      end(aerogpu_renderer_save(m_renderer, &to, error, sizeof error));
      break;
    }
    case Call::SaveBegin: {
      const aerogpu_bytes_sink to = sink();
      end(aerogpu_renderer_save_begin(m_renderer, &to, error, sizeof error));
      break;
    }
    case Call::SaveAhead: {
      uint64_t rested = 0, written = 0;
      end(aerogpu_renderer_save_ahead(m_renderer, from.value<uint64_t>(), &rested, &written, error,
                                      sizeof error));
      done.more.value(rested).value(written);
      break;
    }
    case Call::SaveEnd:
      end(aerogpu_renderer_save_end(m_renderer, error, sizeof error));
      break;
    case Call::SaveCancel:
      aerogpu_renderer_save_cancel(m_renderer);
      break;
    case Call::LoadBytes: {
      const auto bytes = from.rest();
      end(aerogpu_renderer_load_bytes(m_renderer, bytes.data(), bytes.size(), error, sizeof error));
      break;
    }
    case Call::LoadFinish: {
      aerogpu_scanout_config scanout{};
      scanout.struct_size = sizeof scanout;
      end(aerogpu_renderer_load_finish(m_renderer, &scanout, error, sizeof error));
      done.more.value(scanout);
      break;
    }
    case Call::Move:
      end(aerogpu_renderer_move(m_renderer, &kept, error, sizeof error));
      done.more.value(uint32_t{kept});
      break;
    case Call::Holds:
      done.more.value(uint32_t{static_cast<LocalRenderer*>(m_renderer)->executor->holds()});
      break;
    case Call::Hold:
      static_cast<LocalRenderer*>(m_renderer)->executor->hold();
      break;
    case Call::CaptureStart:
      if (auto started = startCapture(from.text()); !started) done = {false, started.error(), {}};
      break;
    case Call::CaptureStop:
      end(aerogpu_renderer_capture_stop(m_renderer, error, sizeof error));
      break;
    case Call::SetRegions:
      end(setRegions(from.rest()));
      break;
    default:
      end(false);
      break;
  }
  return done;
}

bool Server::takeFiles(std::vector<Descriptor>& files) const {
  uint32_t tag = 0;
  return waitForInput(m_channel->socket.get(), 0) &&  // they were sent before the call
         receiveDescriptors(m_channel->socket.get(), {reinterpret_cast<uint8_t*>(&tag), sizeof tag}, files);
}

Outcome Server::startCapture(const std::string& path) {
  std::vector<Descriptor> files;
  if (!takeFiles(files) || files.size() != 1) return std::string("there is no file");
  const int copy = fcntl(files[0].get(), F_DUPFD_CLOEXEC, 0);
  std::FILE* file = copy >= 0 ? fdopen(copy, "wb") : nullptr;
  if (!file) {
    if (copy >= 0) close(copy);
    return "cannot write '" + path + "'";
  }
  auto* local = static_cast<LocalRenderer*>(m_renderer);
  return local->captureInto(trace::Writer::create(file, path, local->origin));
}

bool Server::setRegions(std::span<const uint8_t> bytes) {
  std::vector<Descriptor> files;
  std::vector<RegionRecord> records(bytes.size() / sizeof(RegionRecord));
  if (bytes.size() % sizeof(RegionRecord) != 0 || records.size() > kMostRegions || !takeFiles(files))
    return false;
  if (!records.empty()) std::memcpy(records.data(), bytes.data(), bytes.size());
  return m_memory.set(records, std::move(files));
}

bool Server::reply(Reply kind, std::initializer_list<std::span<const uint8_t>> parts) {
  return m_replies.write(static_cast<uint32_t>(kind), parts, kForever) == Sent::Yes;
}

void Server::answer(const Answer& answer) {
  Packer head;
  head.value(uint32_t{answer.ok}).text(answer.error).raw(answer.more.bytes());
  std::span<const uint8_t> rest = head.bytes();
  for (; rest.size() > m_replies.mostBytes(); rest = rest.subspan(m_replies.mostBytes()))
    if (!reply(Reply::Part, {rest.first(m_replies.mostBytes())})) return;
  (void)reply(Reply::Done, {rest});
}

aerogpu_bytes_sink Server::sink() {
  const auto write = [](void* opaque, const void* bytes, size_t size) {
    auto& self = *static_cast<Server*>(opaque);
    std::span<const uint8_t> rest(static_cast<const uint8_t*>(bytes), size);
    while (!rest.empty()) {
      if (self.m_channel->control().sinkRefuses.load(std::memory_order_relaxed) != 0) return false;
      const auto piece = rest.first(std::min(rest.size(), self.m_replies.mostBytes() / 2));
      if (!self.reply(Reply::Bytes, {piece})) return false;
      self.noteProgress();
      rest = rest.subspan(piece.size());
    }
    return true;
  };
  return {sizeof(aerogpu_bytes_sink), write, this};
}

void Server::serveUrgent() {
  LineServer::Asked call;
  while (m_urgent.wait(call, kForever) == Woken::Ready) answerUrgent(call);
}

void Server::answerUrgent(const LineServer::Asked& call) {
  switch (static_cast<Urgent>(call.kind)) {
    case Urgent::Interrupt:
      aerogpu_renderer_interrupt(m_renderer);
      break;
    case Urgent::Shutdown:
      aerogpu_renderer_shutdown(m_renderer);
      break;
    case Urgent::Leftovers:
      m_urgent.answer(aerogpu_renderer_leftovers(m_renderer));
      return;
    case Urgent::PlayFaults:
      aerogpu_renderer_play_faults(m_renderer, static_cast<uint32_t>(call.values[0]));
      break;
    case Urgent::AdoptCaps: {
      static constexpr uint8_t kNone = 0;
      const void* block = call.bytes.empty() ? &kNone : call.bytes.data();
      const bool given = call.values[1] != 0;
      Lock lock(m_mutex);
      m_urgent.answer(aerogpu_renderer_adopt_caps(m_renderer, given ? block : nullptr, call.bytes.size(),
                                                  call.values[0] != 0));
      return;
    }
    case Urgent::Stats: {
      releaseFrames();
      aerogpu_renderer_stats stats{};
      stats.struct_size = sizeof stats;
      aerogpu_renderer_get_stats(m_renderer, &stats);
      m_urgent.answer(1, bytesOf(stats));
      return;
    }
    case Urgent::NextSpace: {
      aerogpu_renderer_space space{};
      space.struct_size = sizeof space;
      const bool found =
          aerogpu_renderer_next_space(m_renderer, static_cast<uint32_t>(call.values[0]), &space);
      m_urgent.answer(found, bytesOf(space));
      return;
    }
  }
  m_urgent.answer(1);
}

void Server::post(Event kind, std::initializer_list<std::span<const uint8_t>> parts, bool wakes) {
  noteProgress();
  Lock lock(m_eventsMutex);
  // Without a client, nobody waits for it.
  (void)m_events.write(static_cast<uint32_t>(kind), parts, kForever, wakes);
}

void Server::log(enum aerogpu_log_level level, const char* line) {
  const auto number = static_cast<uint32_t>(level);
  post(Event::Log, {bytesOf(number), bytesOf(std::string_view(line).substr(0, kMostText))});
}

void Server::releaseFrames() {
  for (aerogpu_frame* frame : m_frames.takeBack()) aerogpu_renderer_frame_release(m_renderer, frame);
}

void Server::finished(const aerogpu_submission_result& result) {
  FinishedEvent event{};
  event.cookie = result.cookie;
  event.signalFence = result.signal_fence;
  event.errorCount = result.error_count;
  event.lastErrorCode = result.last_error_code;
  event.presentCount = result.present_count;
  const auto flag = [&](bool set, FinishedEvent::Flags which) {
    if (set) event.flags |= which;
  };
  flag(result.present_vsync, FinishedEvent::PresentVsync);
  flag(result.dropped, FinishedEvent::Dropped);
  flag(result.scanout_is_texture, FinishedEvent::ScanoutIsTexture);
  flag(result.frame_unchanged, FinishedEvent::FrameUnchanged);
  flag(result.gpu_lost, FinishedEvent::GpuLost);
  flag(result.scanout_changed, FinishedEvent::ScanoutChanged);
  if (const aerogpu_frame* frame = result.frame) {
    if (m_alone.load(std::memory_order_acquire)) {
      aerogpu_renderer_frame_release(m_renderer, result.frame);
    } else if (const auto place = m_frames.give(result.frame)) {
      event.flags |= FinishedEvent::HasFrame;
      event.slot = place->slot;
      event.offset = place->offset;
      event.width = frame->width;
      event.height = frame->height;
      event.strideBytes = frame->stride_bytes;
      event.format = frame->format;
      event.sequence = frame->sequence;
      event.damageSince = frame->damage_since;
      event.damageCount = frame->damage_count;
      std::copy(std::begin(frame->damage), std::end(frame->damage), event.damage);
    } else {
      // As if the memory for frames were used up.
      ++event.errorCount;
      event.lastErrorCode = static_cast<uint32_t>(ErrorCode::Backend);
      log(AEROGPU_LOG_ERROR, "no room for a frame: too many are with the display");
      aerogpu_renderer_frame_release(m_renderer, result.frame);
    }
  }
  if (result.gpu_lost) m_channel->control().gpuLost.store(1, std::memory_order_release);  // before the event
  m_unfinished.fetch_sub(1, std::memory_order_relaxed);
  post(Event::Finished, {bytesOf(event).first(event.bytes())});
}

}  // namespace aerogpu::remote
