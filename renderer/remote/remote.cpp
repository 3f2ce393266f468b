// SPDX-License-Identifier: MIT
#include "renderer/remote/remote.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "renderer/base/cache_dir.h"
#include "renderer/core/caps.h"
#include "renderer/core/frame_memory.h"
#include "renderer/core/spaces.h"
#include "renderer/interface/structs.h"
#include "renderer/remote/config.h"
#include "renderer/remote/descriptors.h"
#include "renderer/trace/recent.h"

namespace aerogpu {

using remote::Call;
using remote::Created;
using remote::Meanwhile;
using remote::Packer;
using remote::Session;
using remote::Unpacker;
using remote::Urgent;

namespace {

/// Not among the render thread's calls: another thread may say this, while nothing is under way.
bool adoptIn(Session& session, std::span<const uint8_t> caps, bool partly) {
  const uint64_t given = caps.data() != nullptr;
  uint64_t taken = 0;
  return caps.size() <= remote::kUrgentBytes &&
         session.urgent({static_cast<uint32_t>(Urgent::AdoptCaps), {partly, given}, caps}, taken) &&
         taken != 0;
}

std::span<const uint8_t> memoryOf(const void* bytes, size_t size) {
  return {static_cast<const uint8_t*>(bytes), size};
}

}  // namespace

RemoteRenderer::RemoteRenderer(const aerogpu_renderer_config& config, std::string program)
    : m_callbacks(*config.callbacks),
      m_opaque(config.opaque),
      m_program(std::move(program)),
      m_mostDeaths(config.process_deaths),
      m_log(config.callbacks->log, config.opaque),
      m_hostMemory(config.max_hostmem),
      m_frameReserve(core::frameReserveBytes(config.max_hostmem)),
      m_madeFrames(m_hostMemory, m_frameReserve),
      m_frameBytes(config.max_hostmem + core::frameReserveBytes(config.max_hostmem)) {
  if (config.recent_trace) m_failures.path = config.recent_trace;
  const uint64_t recentBytes = config.recent_bytes != 0 ? config.recent_bytes : trace::Recent::kDefaultBytes;
  m_failures.mostBytes = recentBytes * 2 + (uint64_t{1} << 20);  // records and frames beside what is kept
  aerogpu_renderer_config whole = config;
  const std::string cache = cacheDirOf(config.vm_uuid);  // as this process's environment says
  if (!whole.cache_dir) whole.cache_dir = cache.c_str();
  remote::packConfig(m_config, whole);
}

std::unique_ptr<RemoteRenderer> RemoteRenderer::create(const aerogpu_renderer_config& config,
                                                       std::string& error) {
  std::unique_ptr<RemoteRenderer> renderer(new RemoteRenderer(config, config.process));
  if (!renderer->start(error)) return nullptr;
  return renderer;
}

RemoteRenderer::~RemoteRenderer() {
  const auto now = session();
  if (!now) return;
  now->waitIdle(remote::kForever);
  now->close();  // a thread that still holds it for a moment would otherwise end it
}

std::shared_ptr<Session> RemoteRenderer::begin(const Packer& config, Created& made, std::string& error) {
  std::shared_ptr<Session> begun = Session::start(m_program, {m_callbacks, m_opaque, &m_log, &m_failures},
                                                  config.bytes(), m_frameBytes, made, error);
  if (!begun) return nullptr;
  Lock lock(m_mutex);
  if (m_lives.size() < kMostLives || std::find(m_lives.begin(), m_lives.end(), made) != m_lives.end())
    return begun;
  error = "the renderer's process describes another GPU each time";
  return nullptr;
}

void RemoteRenderer::use(const std::shared_ptr<Session>& begun, Created made) {
  std::shared_ptr<Session> before;
  uint32_t faults;
  {
    Lock lock(m_mutex);
    if (m_lives.empty()) m_promised = made.caps;
    const auto known = std::find(m_lives.begin(), m_lives.end(), made);
    m_life = known != m_lives.end() ? &*known : &m_lives.emplace_back(std::move(made));
    before = std::exchange(m_session, begun);
    m_isCounted = false;
    begun->holdValues(m_holdsValues);
    faults = m_faults;
  }
  uint64_t ignored = 0;
  if (faults != 0) begun->urgent({static_cast<uint32_t>(Urgent::PlayFaults), {faults}}, ignored);
  if (before) before->close();
}

bool RemoteRenderer::start(std::string& error) {
  Created made;
  std::shared_ptr<Session> begun = begin(m_config, made, error);
  if (!begun) return false;
  use(begun, std::move(made));
  m_capture.follow(*begun, m_log);
  return true;
}

std::shared_ptr<Session> RemoteRenderer::session() const {
  Lock lock(m_mutex);
  return m_session;
}

const Created& RemoteRenderer::life() const {
  Lock lock(m_mutex);
  return *m_life;
}

uint32_t RemoteRenderer::processId() const {
  const auto now = session();
  return now->ended() ? 0 : now->processId();
}

uint64_t RemoteRenderer::urgent(Urgent kind, uint64_t value, uint64_t otherwise,
                                std::vector<uint8_t>* answer) const {
  uint64_t result = 0;
  return session()->urgent({static_cast<uint32_t>(kind), {value}}, result, answer) ? result : otherwise;
}

Outcome RemoteRenderer::callFor(Call call, std::initializer_list<std::span<const uint8_t>> parts,
                                const Meanwhile& meanwhile) {
  auto done = session()->call(call, parts, meanwhile);
  if (!done.ok) return std::move(done.error);
  return {};
}

Outcome RemoteRenderer::callAtRest(Call call, const Meanwhile& meanwhile) {
  Outcome done = callFor(call, {}, meanwhile);
  session()->waitIdle(remote::kForever);  // the process has come to rest; the last ends are on their way
  return done;
}

void RemoteRenderer::logLine(enum aerogpu_log_level level, const std::string& line) const {
  m_log.line(level, line);
}

std::string RemoteRenderer::missing(std::span<const uint8_t> caps) const {
  return core::missingCaps(caps, life().caps);
}

bool RemoteRenderer::adoptCaps(std::span<const uint8_t> caps, bool partly) {
  if (!adoptIn(*session(), caps, partly)) return false;
  const std::span<const uint8_t> promised = caps.data() ? caps : life().caps;
  Lock lock(m_mutex);
  m_promised.assign(promised.begin(), promised.end());
  m_takesPart = partly;
  return true;
}

std::pair<std::vector<uint8_t>, bool> RemoteRenderer::promise() const {
  Lock lock(m_mutex);
  return {m_promised, m_takesPart};
}

void RemoteRenderer::submit(const aerogpu_submission& given) {
  aerogpu_submission submission;
  if (!takeStruct(given, submission)) {
    const bool named = given.struct_size >= offsetof(aerogpu_submission, cookie) + sizeof given.cookie;
    m_log.line(AEROGPU_LOG_ERROR, tooSmall("aerogpu_submission", given));
    submission = {};
    submission.cookie = named ? given.cookie : 0;
    submission.descriptor_error = static_cast<uint32_t>(ErrorCode::Internal);
  }
  remote::SubmitCall call{};
  call.flags = submission.flags;
  call.contextId = submission.context_id;
  call.engineId = submission.engine_id;
  call.descriptorError = submission.descriptor_error;
  call.cookie = submission.cookie;
  call.signalFence = submission.signal_fence;
  call.streamBytes = submission.cmd ? submission.cmd_size : 0;
  call.tableBytes = submission.alloc_table ? submission.alloc_table_size : 0;
  call.inSpace = submission.in_space;
  call.space = submission.space;
  call.spaceFlags = submission.space_flags;
  session()->submit(call.cookie, call.signalFence, call.inSpace ? call.space : 0, Call::Submit,
                    {remote::bytesOf(call), memoryOf(submission.cmd, call.streamBytes),
                     memoryOf(submission.alloc_table, call.tableBytes)});
}

void RemoteRenderer::setScanout(const aerogpu_scanout_config& config) {
  m_scanout = config;
  session()->post(Call::SetScanout, {remote::bytesOf(config)});
}

void RemoteRenderer::snapshotScanout(uint64_t cookie) {
  session()->submit(cookie, 0, {}, Call::SnapshotScanout, {remote::bytesOf(cookie)});
}

void RemoteRenderer::releaseFrame(aerogpu_frame* frame) {
  if (m_madeFrames.release(frame)) return;
  const std::unique_ptr<remote::SessionFrame> released(static_cast<remote::SessionFrame*>(frame));
  remote::ControlWords& words = released->channel->control();
  words.framesReleased[released->slot].fetch_add(1, std::memory_order_release);
  words.framesBack.fetch_add(1, std::memory_order_release);
}

void RemoteRenderer::interrupt() {
  urgent(Urgent::Interrupt, 0, 0);
}

void RemoteRenderer::shutdown() {
  urgent(Urgent::Shutdown, 0, 0);
}

uint32_t RemoteRenderer::leftovers() const {
  return static_cast<uint32_t>(urgent(Urgent::Leftovers, 0, 0));
}

bool RemoteRenderer::waitIdle(uint64_t timeoutNs) {
  const uint64_t begin = remote::nowNs();
  const uint64_t until = timeoutNs < remote::kForever - begin ? begin + timeoutNs : remote::kForever;
  const auto now = session();
  const bool idle = now->call(Call::WaitIdle, {remote::bytesOf(timeoutNs)}).ok;
  // Its last events are on their way; a session that has ended finishes everything by itself. What it says
  // before the time is over is not the end of the wait.
  return now->waitIdle(idle || now->ended() ? remote::kForever : until);
}

void RemoteRenderer::resume() {
  (void)callFor(Call::Resume, {});
}

bool RemoteRenderer::reset() {
  if (const auto now = session(); !now->ended()) {
    interrupt();  // what waits in the ring to the process is not executed first
    const bool recovered = callAtRest(Call::Reset).ok();
    if (!now->ended()) return recovered;
  }
  session()->waitIdle(remote::kForever);
  std::string error;
  if (!mayStart()) {
    m_log.line(AEROGPU_LOG_ERROR, "the renderer's process has ended " + std::to_string(m_lateDeaths.size()) +
                                      " times within a minute, and is not started again");
    return false;
  }
  if (!start(error)) {
    m_log.line(AEROGPU_LOG_ERROR, error);
    return false;
  }
  const Outcome told = tellAll(*session());
  if (!told) m_log.line(AEROGPU_LOG_ERROR, told.error());
  return told.ok();
}

Outcome RemoteRenderer::tellAll(Session& to) {
  tellRegions(to);
  if (m_scanout.struct_size != 0) to.post(Call::SetScanout, {remote::bytesOf(m_scanout)});
  const auto [promised, partly] = promise();
  if (adoptIn(to, promised, partly)) return {};
  return "the renderer's new process lacks what the guest was told of: " + missing(promised);
}

bool RemoteRenderer::mayStart() {
  const Session::Death death = session()->death();
  const uint64_t now = remote::nowNs(), span = deathsNs.load(std::memory_order_relaxed);
  Lock lock(m_mutex);
  if (!std::exchange(m_isCounted, true)) {
    ++m_deaths;
    m_lastDeath = death.why;
    m_lateDeaths.push_back(death.atNs);
  }
  while (!m_lateDeaths.empty() && now - m_lateDeaths.front() >= span) m_lateDeaths.pop_front();
  return m_mostDeaths == 0 || m_lateDeaths.size() < m_mostDeaths;
}

bool RemoteRenderer::readProcess(aerogpu_renderer_process& out) const {
  Lock lock(m_mutex);
  const Session::Death death = m_session->death();
  const bool isNew = !death.why.empty() && !m_isCounted;
  if (!m_session->ended()) out.id = m_session->processId();
  out.since_ms = m_session->sinceMs();
  out.landlock = m_life->rights.landlock;
  out.calls = m_life->rights.calls;
  out.deaths = m_deaths + isNew;
  copyText(out.last_death, sizeof out.last_death, isNew ? death.why : m_lastDeath);
  m_next.read(out);
  return true;
}

void RemoteRenderer::holdValues(bool hold) {
  Lock lock(m_mutex);
  m_holdsValues = hold;
  m_session->holdValues(hold);
}

bool RemoteRenderer::gpuLost() const {
  return session()->gpuLost();
}

void RemoteRenderer::lose() {
  (void)callFor(Call::Lose, {});
}

void RemoteRenderer::playFaults(uint32_t faults) {
  {
    Lock lock(m_mutex);
    m_faults = faults;
  }
  urgent(Urgent::PlayFaults, faults, 0);
}

void RemoteRenderer::readStats(aerogpu_renderer_stats& out) const {
  session()->readStats(out);
}

bool RemoteRenderer::nextSpace(uint32_t from, aerogpu_renderer_space& out) const {
  // Whoever walks them comes to an end, and not after each number that there is.
  static thread_local uint32_t steps = 0;
  if (from == 0) steps = 0;
  if (steps++ > core::Spaces::kMaxSpaces) return false;
  std::vector<uint8_t> bytes;
  if (urgent(Urgent::NextSpace, from, 0, &bytes) == 0 || bytes.size() != sizeof out) return false;
  std::memcpy(&out, bytes.data(), sizeof out);
  out.image_name[sizeof out.image_name - 1] = '\0';
  return out.space >= from;
}

Outcome RemoteRenderer::save(const aerogpu_bytes_sink& sink) {
  return callAtRest(Call::Save, remote::into(sink));
}

void RemoteRenderer::saveBegin(const aerogpu_bytes_sink& sink) {
  m_save.begin(session(), sink);
}

Result<SaveLeft, std::string> RemoteRenderer::saveAhead(uint64_t budgetBytes) {
  return m_save.ahead(session(), budgetBytes);
}

Outcome RemoteRenderer::saveEnd() {
  Outcome done = m_save.end(session());
  session()->waitIdle(remote::kForever);  // as callAtRest()
  return done;
}

void RemoteRenderer::saveCancel() {
  m_save.cancel(session());
}

Outcome RemoteRenderer::loadBytes(std::span<const uint8_t> bytes) {
  m_loads = true;
  return callFor(Call::LoadBytes, {bytes});
}

Outcome RemoteRenderer::loadFinish(aerogpu_scanout_config* scanout) {
  m_loads = false;
  auto done = session()->call(Call::LoadFinish, {});
  if (!done.ok) return std::move(done.error);
  Unpacker from(done.more);
  const auto shown = from.value<aerogpu_scanout_config>();
  if (!from.whole()) return std::string("the renderer's process tells of no scanout");
  if (scanout) *scanout = shown;
  return {};
}

Outcome RemoteRenderer::move(bool& kept) {
  auto done = session()->call(Call::Move, {});
  session()->waitIdle(remote::kForever);
  Unpacker from(done.more);
  kept = from.value<uint32_t>() != 0;
  if (!done.ok) return std::move(done.error);
  return {};
}

void RemoteRenderer::setRegions(std::span<const aerogpu_guest_region> regions) {
  std::map<std::pair<dev_t, ino_t>, uint32_t> files;  // one descriptor for each
  m_regions.clear();
  m_files.clear();
  for (const aerogpu_guest_region& region : regions) {
    const int seals = fcntl(region.fd, F_GET_SEALS);
    struct stat about {};
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(region.fd, &about) != 0) continue;
    if ((region.gpa | region.size | region.offset) % remote::kRegionAlign != 0) continue;
    const auto [file, isNew] =
        files.emplace(std::pair(about.st_dev, about.st_ino), static_cast<uint32_t>(m_files.size()));
    if (isNew) m_files.emplace_back(fcntl(region.fd, F_DUPFD_CLOEXEC, 0));
    m_regions.push_back({region.gpa, region.size, region.offset, file->second, region.writable});
  }
  std::sort(m_regions.begin(), m_regions.end(), [](const auto& a, const auto& b) { return a.gpa < b.gpa; });
  if (m_regions.size() > remote::kMostRegions || m_files.size() > remote::kMostDescriptors) {
    m_regions.clear();
    m_files.clear();
  }
  tellRegions(*session());
}

void RemoteRenderer::tellRegions(Session& to) {
  std::vector<int> files;
  for (const remote::Descriptor& file : m_files) files.push_back(file.get());
  if (!to.setRegions(m_regions, files) && !to.ended())
    m_log.line(AEROGPU_LOG_ERROR, "the renderer's process cannot map the guest's memory, and asks for it");
}

Outcome RemoteRenderer::captureStart(const char* path) {
  return m_capture.start(*session(), path);
}

Outcome RemoteRenderer::captureStop() {
  return m_capture.stop(*session());
}

}  // namespace aerogpu
