// SPDX-License-Identifier: MIT
#include "renderer/test/harness.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "renderer/core/format.h"
#include "renderer/local/local.h"
#include "renderer/test/drivers.h"
#include "renderer/test/emptied.h"
#include "renderer/test/move.h"

namespace aerogpu::test {

Harness::Harness(const Options& options) : m_memoryBytes(options.guestBytes), m_moves(options.moves) {
  const uint64_t wholePages = (options.guestBytes + 4095) & ~uint64_t{4095};
  const char* process = std::getenv("AEROGPU_TEST_PROCESS");
  const bool sharesMemory = process && std::strcmp(process, "shared") == 0;
  if (sharesMemory) {
    m_shared = remote::SharedMemory::make("guest", wholePages, m_createError);
    m_bytes = m_shared.bytes();
  } else {
    m_private.reset(static_cast<uint8_t*>(std::aligned_alloc(4096, wholePages)));
    m_bytes = m_private.get();
  }
  std::memset(m_bytes, 0, m_memoryBytes);
  const bool isNull = std::strcmp(options.backend, "null") == 0;
  if (!isNull) keepDriversLoaded();
  // If it fails, the renderer's log says so. The starter of processes shares it with all that it starts, so
  // it must be there before the first, whatever its back end is.
  if (!isNull || isRemote()) aerogpu_renderer_prepare_process(nullptr, nullptr, 0);
  const aerogpu_renderer_callbacks callbacks{sizeof callbacks, onMap,  onUnmap, onDone, onLog,
                                             onWaitingSpaces,  nullptr};
  aerogpu_renderer_config config{};
  config.struct_size = sizeof config;
  config.flags = options.flags;
  config.backend = options.backend;
  config.cache_dir = options.cacheDir;
  config.max_hostmem = options.maxHostmem;
  config.max_space_hostmem = options.maxSpaceHostmem;
  config.vulkan_device = options.vulkanDevice;
  config.vm_name = options.vmName;
  config.vm_uuid = options.vmUuid;
  config.recent_trace = options.recentTrace;
  config.recent_bytes = options.recentBytes;
  config.max_batch_ms = options.maxBatchMs;
  config.caps = options.caps;
  config.process = isRemote() ? "" : nullptr;
  config.process_deaths = options.processDeaths;
  config.callbacks = &callbacks;
  config.opaque = this;
  char error[512] = "";
  m_renderer = aerogpu_renderer_create(&config, error, sizeof error);
  m_createError = error;
  if (!m_renderer || !sharesMemory) return;
  const aerogpu_guest_region region{sizeof region, true, 0, wholePages, 0, m_shared.fd()};
  aerogpu_renderer_set_regions(m_renderer, &region, 1);
}

Harness::~Harness() {
  if (m_renderer) {
    waitIdle();
    releaseFrames();
  }
  aerogpu_renderer_destroy(m_renderer);
}

LocalRenderer& Harness::local() {
  return *static_cast<LocalRenderer*>(m_renderer);
}

int Harness::onMap(void* opaque, uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping* out) {
  auto& self = *static_cast<Harness*>(opaque);
  if (self.onGuestAccess) self.onGuestAccess(gpa, write);
  if (gpa >= self.m_memoryBytes) return -1;
  out->host = self.m_bytes + gpa;
  const uint64_t limit = self.mappingLimit.load();
  out->size = std::min({size, self.m_memoryBytes - gpa, limit - gpa % limit});
  out->cookie = nullptr;
  self.m_mappings.fetch_add(1);
  return 0;
}

size_t Harness::onWaitingSpaces(void* opaque, uint32_t* spaces, size_t room) {
  const auto& self = *static_cast<Harness*>(opaque);
  if (!self.waitingSpaces) return 0;
  const std::vector<uint32_t> waiting = self.waitingSpaces();
  return static_cast<size_t>(std::copy_n(waiting.begin(), std::min(room, waiting.size()), spaces) - spaces);
}

void Harness::onUnmap(void* opaque, const aerogpu_guest_mapping*, uint64_t) {
  static_cast<Harness*>(opaque)->m_mappings.fetch_sub(1);
}

void Harness::onDone(void* opaque, const aerogpu_submission_result* result) {
  auto& self = *static_cast<Harness*>(opaque);
  FinishedSubmission finished{*result, result->frame && self.keepsFrames};
  finished.result.frame = nullptr;
  Frame copy;
  if (const aerogpu_frame* frame = result->frame; finished.hasFrame) {
    const auto* pixels = static_cast<const uint8_t*>(frame->pixels);
    copy = {frame->width,
            frame->height,
            frame->stride_bytes,
            frame->format,
            {pixels, pixels + size_t{frame->stride_bytes} * frame->height},
            frame->sequence,
            frame->damage_since};
    for (uint32_t i = 0; i < frame->damage_count; ++i) {
      const aerogpu_frame_rect& r = frame->damage[i];
      copy.damage.push_back({r.left, r.top, r.right, r.bottom});
    }
  }
  const bool holds = self.holdsFrames;
  if (result->frame && !holds) aerogpu_renderer_frame_release(self.m_renderer, result->frame);
  Lock lock(self.m_mutex);
  if (result->frame && holds) self.m_held.push_back(result->frame);
  self.m_finished.push_back(finished);
  if (finished.hasFrame) self.m_frames.push_back(std::move(copy));
  self.m_doneCookie = result->cookie;
  self.m_changed.notifyAll();
}

void Harness::onLog(void* opaque, enum aerogpu_log_level level, const char* line) {
  auto& self = *static_cast<Harness*>(opaque);
  constexpr size_t kGuestLines = 100;
  Lock lock(self.m_mutex);
  if (level == AEROGPU_LOG_ERROR) self.m_errorLines.emplace_back(line);
  if (level != AEROGPU_LOG_GUEST) return;
  if (onGuestLine) onGuestLine(line);
  if (self.m_guestLines.size() == kGuestLines) self.m_guestLines.erase(self.m_guestLines.begin());
  self.m_guestLines.emplace_back(line);
}

Allocation Harness::allocate(uint64_t size, uint32_t flags) {
  const Allocation allocation = name(m_nextGpa, size, flags);
  m_nextGpa += (size + 0xFFF) & ~uint64_t{0xFFF};
  return allocation;
}

Allocation Harness::name(uint64_t gpa, uint64_t size, uint32_t flags) {
  m_allocations.push_back({m_nextAlloc++, flags, gpa, size});
  return m_allocations.back();
}

Allocation Harness::allocateScattered(uint64_t size, uint32_t flags) {
  const uint64_t pages = (size - 1) / 4096 + 1;
  const uint64_t list = m_nextGpa, first = list + ((pages * 8 + 0xFFF) & ~uint64_t{0xFFF});
  m_nextGpa = first + pages * 4096;
  const Allocation allocation = name(list, size, flags | AEROGPU_ALLOC_FLAG_EXT_SCATTER);
  for (uint64_t i = 0; i < pages; ++i) setScatteredPage(allocation, i, first + (pages - 1 - i) * 4096);
  return allocation;
}

void Harness::setScatteredPage(const Allocation& allocation, uint64_t page, uint64_t gpa) {
  std::memcpy(&memory()[allocation.gpa + page * 8], &gpa, sizeof gpa);
}

uint8_t& Harness::scatteredByte(const Allocation& allocation, uint64_t offset) {
  uint64_t page;
  std::memcpy(&page, &memory()[allocation.gpa + offset / 4096 * 8], sizeof page);
  return memory()[page + offset % 4096];
}

void Harness::forget(const Allocation& allocation) {
  std::erase_if(m_allocations, [&](const Allocation& a) { return a.id == allocation.id; });
}

std::vector<uint8_t> Harness::allocTable() const {
  aerogpu_alloc_table_header header{};
  header.magic = AEROGPU_ALLOC_TABLE_MAGIC;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.entry_count = static_cast<uint32_t>(m_allocations.size());
  header.entry_stride_bytes = sizeof(aerogpu_alloc_entry);
  header.size_bytes =
      static_cast<uint32_t>(sizeof header + m_allocations.size() * sizeof(aerogpu_alloc_entry));
  std::vector<uint8_t> table(header.size_bytes);
  std::memcpy(table.data(), &header, sizeof header);
  for (size_t i = 0; i < m_allocations.size(); ++i) {
    const Allocation& a = m_allocations[i];
    const aerogpu_alloc_entry entry{a.id, a.flags, a.gpa, a.size, 0};
    std::memcpy(table.data() + sizeof header + i * sizeof entry, &entry, sizeof entry);
  }
  return table;
}

FinishedSubmission Harness::waitFor(uint64_t cookie) {
  Lock lock(m_mutex);
  while (m_doneCookie < cookie) m_changed.wait(m_mutex);
  const auto found = std::find_if(m_finished.begin(), m_finished.end(),
                                  [&](const FinishedSubmission& o) { return o.result.cookie == cookie; });
  return *found;
}

aerogpu_submission Harness::next(std::span<const uint8_t> stream, std::span<const uint8_t> table,
                                 uint32_t context) {
  if (const std::string_view rules = emptiedByEnvironment(); !rules.empty())
    stream = m_emptied = emptied(stream, rules);
  aerogpu_submission submission{};
  submission.struct_size = sizeof submission;
  submission.flags = submitFlags;
  submission.context_id = context;
  submission.cookie = m_nextCookie++;
  submission.signal_fence = m_nextFence++;
  submission.cmd = stream.empty() ? nullptr : stream.data();
  submission.cmd_size = stream.size();
  submission.alloc_table = table.empty() ? nullptr : table.data();
  submission.alloc_table_size = table.size();
  submission.in_space = space.has_value();
  submission.space = space ? space->space : 0;
  submission.space_flags = space ? space->flags : 0;
  return submission;
}

FinishedSubmission Harness::submitRaw(std::span<const uint8_t> stream, std::span<const uint8_t> table,
                                      uint32_t context, uint32_t descriptorError) {
  aerogpu_submission submission = next(stream, table, context);
  submission.descriptor_error = descriptorError;
  aerogpu_renderer_submit(m_renderer, &submission);
  const FinishedSubmission finished = waitFor(submission.cookie);
  if (!isRemote() && m_moves) moveIfAsked(local(), submission.cookie);
  return finished;
}

FinishedSubmission Harness::submit(const CommandWriter& writer, uint32_t context) {
  const std::vector<uint8_t> table = m_allocations.empty() ? std::vector<uint8_t>{} : allocTable();
  return submitRaw({writer.data(), writer.size()}, table, context);
}

void Harness::submitAsync(const CommandWriter& writer, uint32_t context) {
  const std::vector<uint8_t> table = m_allocations.empty() ? std::vector<uint8_t>{} : allocTable();
  const aerogpu_submission submission = next({writer.data(), writer.size()}, table, context);
  aerogpu_renderer_submit(m_renderer, &submission);
}

void Harness::releaseFrames() {
  Lock lock(m_mutex);
  for (aerogpu_frame* frame : std::exchange(m_held, {})) aerogpu_renderer_frame_release(m_renderer, frame);
}

void Harness::waitIdle() {
  aerogpu_renderer_wait_idle(m_renderer, UINT64_MAX);
}

void Harness::setScanout(uint32_t format, uint32_t width, uint32_t height, uint32_t pitch, uint64_t gpa,
                         bool enable) {
  const aerogpu_scanout_config config{sizeof config, enable, width, height, format, pitch, gpa, 0, 0};
  aerogpu_renderer_set_scanout(m_renderer, &config);
}

void Harness::showAllocation(uint32_t id) {
  aerogpu_scanout_config config{};
  config.struct_size = sizeof config;
  config.enable = config.by_allocation = 1;
  config.alloc_id = id;
  aerogpu_renderer_set_scanout(m_renderer, &config);
}

std::optional<aerogpu_renderer_space> Harness::spaceInfo(uint32_t number) const {
  aerogpu_renderer_space info{};
  info.struct_size = sizeof info;
  if (!aerogpu_renderer_next_space(m_renderer, number, &info) || info.space != number) return {};
  return info;
}

FinishedSubmission Harness::snapshotScanout() {
  const uint64_t cookie = m_nextCookie++;
  aerogpu_renderer_snapshot_scanout(m_renderer, cookie);
  return waitFor(cookie);
}

aerogpu_renderer_stats Harness::stats() const {
  aerogpu_renderer_stats stats{};
  stats.struct_size = sizeof stats;
  aerogpu_renderer_get_stats(m_renderer, &stats);
  return stats;
}

std::vector<Frame> Harness::takeFrames() {
  Lock lock(m_mutex);
  return std::exchange(m_frames, {});
}

std::vector<FinishedSubmission> Harness::takeFinished() {
  Lock lock(m_mutex);
  return std::exchange(m_finished, {});
}

std::vector<std::string> Harness::takeErrorLines() {
  Lock lock(m_mutex);
  return std::exchange(m_errorLines, {});
}

std::vector<std::string> Harness::takeGuestLines() {
  Lock lock(m_mutex);
  return std::exchange(m_guestLines, {});
}

std::vector<uint8_t> Harness::takeStaging(CommandWriter& w, uint32_t staging, const Allocation& allocation) {
  packets::destroyResource(w, staging);
  const FinishedSubmission finished = submit(w);
  std::vector<uint8_t> out;
  if (finished.result.error_count == 0) out.assign(bytes(allocation).begin(), bytes(allocation).end());
  forget(allocation);
  return out;
}

std::vector<uint8_t> Harness::readTexture(uint32_t texture, aerogpu_format format, uint32_t width,
                                          uint32_t height, uint32_t mip, uint32_t layer) {
  const core::FormatInfo& info = *core::findFormat(format);
  const uint32_t columns = (width - 1) / info.blockPixels + 1, rows = (height - 1) / info.blockPixels + 1;
  const uint32_t pitch = columns * info.blockBytes;
  const Allocation allocation = allocate(uint64_t{pitch} * rows);
  const uint32_t staging = handle();
  CommandWriter w;
  createTexture(w, staging, format, width, height, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, allocation.id,
                pitch);
  packets::copyTexture(w, staging, texture, width, height, AEROGPU_COPY_FLAG_WRITEBACK_DST, mip, layer);
  return takeStaging(w, staging, allocation);
}

std::vector<uint8_t> Harness::readBuffer(uint32_t buffer, uint64_t size) {
  const Allocation allocation = allocate(size);
  const uint32_t staging = handle();
  CommandWriter w;
  packets::createBuffer(w, staging, size, 0, allocation.id);
  packets::copyBuffer(w, staging, buffer, size);
  return takeStaging(w, staging, allocation);
}

void Harness::createTexture(CommandWriter& w, uint32_t handle, aerogpu_format format, uint32_t width,
                            uint32_t height, uint32_t usage, uint32_t mips, uint32_t layers, uint32_t allocId,
                            uint32_t rowPitch, uint32_t allocOffset) {
  packets::createTexture(w, {handle, static_cast<uint32_t>(format), width, height, usage, mips, layers,
                             rowPitch, allocId, allocOffset});
}

}  // namespace aerogpu::test
