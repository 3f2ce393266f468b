// SPDX-License-Identifier: MIT
#include "renderer/trace/replay.h"

#include <chrono>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aerogpu/aerogpu_cmd.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "renderer/base/mutex.h"
#include "renderer/trace/sparse_memory.h"

namespace aerogpu::trace {

namespace {

constexpr uint64_t kReplayMemoryBytes = uint64_t{8} << 30;

/// The state that the renderer's callbacks need. Completions come one at a time.
struct Session {
  explicit Session(const ReplayOptions& replayOptions) : options(replayOptions), memory(kReplayMemoryBytes) {}
  const ReplayOptions& options;
  SparseMemory memory;
  /// Ranges that the next submission must not be able to read: start -> end. Changed only while no work is
  /// under way.
  std::map<uint64_t, uint64_t> unreadable;
  aerogpu_renderer* renderer = nullptr;
  std::atomic<uint64_t> frames{0}, errors{0};
};

int onMap(void* opaque, uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping* out) {
  auto& session = *static_cast<Session*>(opaque);
  if (!write && !session.unreadable.empty()) {
    const auto after = session.unreadable.upper_bound(gpa);
    if (after != session.unreadable.begin() && gpa < std::prev(after)->second) return -1;
  }
  return session.memory.map(gpa, size, out);
}
void onUnmap(void*, const aerogpu_guest_mapping*, uint64_t) {}
void onDone(void* opaque, const aerogpu_submission_result* result) {
  auto& session = *static_cast<Session*>(opaque);
  session.errors += result->error_count;
  if (!result->frame) return;
  ++session.frames;
  if (session.options.onFrame) session.options.onFrame(*result->frame);
  aerogpu_renderer_frame_release(session.renderer, result->frame);
}
void onLog(void* opaque, enum aerogpu_log_level level, const char* line) {
  const auto& session = *static_cast<Session*>(opaque);
  if (session.options.onLog) session.options.onLog(level, line);
}

/// Owns the renderer of a session.
struct RendererDeleter {
  void operator()(aerogpu_renderer* renderer) const { aerogpu_renderer_destroy(renderer); }
};

class Player {
public:
  Player(const ReplayOptions& options, ReplayResult& result)
      : m_options(options), m_result(result), m_session(options) {}

  bool start(std::string& error) {
    if (!m_options.execute) return true;
    const aerogpu_renderer_callbacks callbacks{sizeof callbacks, onMap,  onUnmap, onDone, onLog,
                                               nullptr,          nullptr};
    aerogpu_renderer_config config{};
    config.struct_size = sizeof config;
    config.flags = AEROGPU_RENDERER_PRESENT_COLOR_TARGET;
    if (m_options.validation) config.flags |= AEROGPU_RENDERER_VALIDATION;
    config.backend = m_options.backend.c_str();
    config.vulkan_device = m_options.vulkanDevice.c_str();
    config.max_hostmem = m_options.maxHostmem;
    config.callbacks = &callbacks;
    config.opaque = &m_session;
    char text[512] = "";
    m_renderer.reset(aerogpu_renderer_create(&config, text, sizeof text));
    if (!m_renderer) {
      error = text;
      return false;
    }
    m_session.renderer = m_renderer.get();
    m_result.backend = aerogpu_renderer_backend_name(m_renderer.get());
    m_result.device = aerogpu_renderer_device_name(m_renderer.get());
    return true;
  }

  bool play(Reader& reader, std::string& error) {
    Reader::Record record;
    m_head = reader.head();
    const auto begin = std::chrono::steady_clock::now();
    while (reader.next(record, error))
      if (!one(record, error)) return false;
    if (!error.empty()) return false;
    flushPackets();
    if (m_renderer) {
      aerogpu_renderer_wait_idle(m_renderer.get(), UINT64_MAX);
      m_result.stats.struct_size = sizeof m_result.stats;
      aerogpu_renderer_get_stats(m_renderer.get(), &m_result.stats);
    }
    m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    m_result.frames = m_session.frames;
    m_result.errors = m_session.errors;
    return true;
  }

private:
  bool one(const Reader::Record& record, std::string& error) {
    const auto broken = [&](const char* what) {
      error = "record at byte " + std::to_string(record.offset) + ": " + what;
      return false;
    };
    switch (record.type) {
      case RecordType::BeginFrame:
        return true;
      case RecordType::Present:
        flushPackets();
        return true;
      case RecordType::Packet:
        return packet(record.payload);
      case RecordType::Blob: {
        BlobHeader header;
        if (record.payload.size() < sizeof header) return broken("blob is cut short");
        std::memcpy(&header, record.payload.data(), sizeof header);
        m_blobs[header.id] = record.payload.subspan(sizeof header);
        return !m_loading || feed(record.whole, error);
      }
      case RecordType::Submission: {
        SubmissionRecord header;
        if (record.payload.size() < sizeof header) return broken("submission is cut short");
        std::memcpy(&header, record.payload.data(), sizeof header);
        if (header.version != AEROGPU_TRACE_SUBMISSION_VERSION || header.fixed_size < sizeof header ||
            header.fixed_size > record.payload.size())
          return broken("submission is of an unknown version or size");
        const auto rest = record.payload.subspan(header.fixed_size);
        if (header.range_count > rest.size() / sizeof(MemoryRange))
          return broken("memory ranges are cut short");
        for (uint32_t i = 0; i < header.range_count; ++i) {
          MemoryRange range;
          std::memcpy(&range, rest.data() + i * sizeof range, sizeof range);
          const auto blob = m_blobs.find(range.blob);
          if (blob == m_blobs.end()) return broken("memory range names a blob that is not there");
          if (blob->second.size() > range.size_bytes) return broken("memory range is smaller than its blob");
          if (!m_session.memory.write(range.gpa, blob->second.data(), blob->second.size()))
            return broken("memory range cannot be placed");
        }
        const auto stream = m_blobs.find(header.command_blob);
        if (header.command_blob != 0 && stream == m_blobs.end())
          return broken("command stream blob is not there");
        const auto table = m_blobs.find(header.alloc_table_blob);
        if (header.alloc_table_blob != 0 && table == m_blobs.end())
          return broken("allocation table blob is not there");
        submit(header, header.command_blob ? stream->second : std::span<const uint8_t>{},
               header.alloc_table_blob ? table->second : std::span<const uint8_t>{});
        return true;
      }
      case RecordType::DeviceReset:
        flushPackets();
        return reset(error);
      case RecordType::UnreadableMemory:
        return unreadable(record.payload) || broken("unreadable range wraps");
      case RecordType::Ahead:
      case RecordType::Draws:
      case RecordType::Snapshot:
        return beginLoad(error) && feed(record.whole, error);
      case RecordType::Load: {
        LoadRecord load;
        if (record.payload.size() < sizeof load) return broken("load is cut short");
        std::memcpy(&load, record.payload.data(), sizeof load);
        const auto stream = m_blobs.find(load.command_blob);
        if (m_options.onStream && stream != m_blobs.end()) m_options.onStream(stream->second);
        return feed(record.whole, error);
      }
      case RecordType::SnapshotEnd:
        return feed(record.whole, error) && endLoad(error);
      case RecordType::Space: {
        SpaceRecord space;
        if (record.payload.size() < sizeof space) return broken("space is cut short");
        std::memcpy(&space, record.payload.data(), sizeof space);
        m_space = space;
        return true;
      }
    }
    return true;  // record types of later versions are skipped
  }

  bool reset(std::string& error) {
    ++m_result.resets;
    if (m_options.onReset) m_options.onReset();
    if (!m_renderer) return true;
    aerogpu_renderer_wait_idle(m_renderer.get(), UINT64_MAX);  // a reset stops running work
    if (aerogpu_renderer_reset(m_renderer.get())) return true;
    error = "the back end did not come back from a device reset";
    return false;
  }

  /// Begins a load with the file's head, unless one has begun.
  bool beginLoad(std::string& error) {
    if (m_loading) return true;
    flushPackets();
    m_loading = true;
    return feed(m_head, error);
  }

  /// Gives the bytes to the renderer's loader.
  bool feed(std::span<const uint8_t> bytes, std::string& error) {
    if (!m_renderer) return true;
    char text[512] = "";
    if (aerogpu_renderer_load_bytes(m_renderer.get(), bytes.data(), bytes.size(), text, sizeof text))
      return true;
    error = text;
    return false;
  }

  /// Ends a load and shows what the screen showed.
  bool endLoad(std::string& error) {
    m_loading = false;
    if (!m_renderer) return true;
    char text[512] = "";
    aerogpu_scanout_config scanout{};
    scanout.struct_size = sizeof scanout;
    if (!aerogpu_renderer_load_finish(m_renderer.get(), &scanout, text, sizeof text)) {
      error = text;
      return false;
    }
    aerogpu_renderer_set_scanout(m_renderer.get(), &scanout);
    aerogpu_renderer_snapshot_scanout(m_renderer.get(), 0);
    aerogpu_renderer_wait_idle(m_renderer.get(), UINT64_MAX);
    scanout.enable = 0;
    aerogpu_renderer_set_scanout(m_renderer.get(), &scanout);
    m_shown.reset();
    return true;
  }

  bool unreadable(std::span<const uint8_t> payload) {
    for (; payload.size() >= sizeof(UnreadableRange); payload = payload.subspan(sizeof(UnreadableRange))) {
      UnreadableRange range;
      std::memcpy(&range, payload.data(), sizeof range);
      const uint64_t end = range.gpa + range.size_bytes;
      if (end < range.gpa) return false;
      // Kept free of overlaps: one look-up then decides about an address.
      uint64_t from = range.gpa, to = end;
      auto at = m_session.unreadable.upper_bound(from);
      if (at != m_session.unreadable.begin() && std::prev(at)->second >= from) --at;
      while (at != m_session.unreadable.end() && at->first <= to) {
        from = std::min(from, at->first);
        to = std::max(to, at->second);
        at = m_session.unreadable.erase(at);
      }
      m_session.unreadable.emplace(from, to);
    }
    return true;
  }

  bool packet(std::span<const uint8_t> bytes) {
    uint32_t magic = 0;
    if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
    if (magic == AEROGPU_CMD_STREAM_MAGIC) {
      flushPackets();
      submit(SubmissionRecord{}, bytes, {});
      return true;
    }
    if (m_packets.empty()) m_packets.resize(sizeof(aerogpu_cmd_stream_header));
    m_packets.insert(m_packets.end(), bytes.begin(), bytes.end());
    return true;
  }

  void flushPackets() {
    if (m_packets.empty()) return;
    aerogpu_cmd_stream_header header{};
    header.magic = AEROGPU_CMD_STREAM_MAGIC;
    header.abi_version = AEROGPU_ABI_VERSION_U32;
    header.size_bytes = static_cast<uint32_t>(m_packets.size());
    std::memcpy(m_packets.data(), &header, sizeof header);
    submit(SubmissionRecord{}, m_packets, {});
    m_packets.clear();
  }

  void submit(const SubmissionRecord& record, std::span<const uint8_t> stream,
              std::span<const uint8_t> table) {
    if (m_options.onStream) m_options.onStream(stream);
    ++m_result.submissions;
    if (!m_renderer) return;
    const std::optional<SpaceRecord> space = std::exchange(m_space, std::nullopt);
    showAllocation(space ? std::optional(space->scanout_alloc) : std::nullopt);
    aerogpu_submission submission{};
    submission.struct_size = sizeof submission;
    // A stopped ring never resumes in a replay: there is no driver to resume it.
    submission.flags = record.flags & ~AEROGPU_SUBMIT_FLAG_EXT_HOLD;
    submission.context_id = record.context_id;
    submission.engine_id = record.engine_id;
    submission.cookie = m_result.submissions;
    submission.signal_fence = record.signal_fence;
    submission.cmd = stream.empty() ? nullptr : stream.data();
    submission.cmd_size = stream.size();
    submission.alloc_table = table.empty() ? nullptr : table.data();
    submission.alloc_table_size = table.size();
    submission.in_space = space.has_value();
    submission.space = space ? space->space : 0;
    submission.space_flags = space ? space->flags : 0;
    aerogpu_renderer_submit(m_renderer.get(), &submission);
    // The file's memory ranges for the next submission may overwrite bytes that this one's GPU work still
    // reads.
    aerogpu_renderer_wait_idle(m_renderer.get(), UINT64_MAX);
    m_session.unreadable.clear();
  }

  /// Sets the picture of presents: the texture of an allocation, or the usual one in a trace without spaces.
  void showAllocation(std::optional<uint32_t> allocation) {
    if (allocation == m_shown) return;
    m_shown = allocation;
    aerogpu_scanout_config scanout{};
    scanout.struct_size = sizeof scanout;
    scanout.enable = scanout.by_allocation = allocation.has_value();
    scanout.alloc_id = allocation.value_or(0);
    aerogpu_renderer_set_scanout(m_renderer.get(), &scanout);
  }

  const ReplayOptions& m_options;
  ReplayResult& m_result;
  Session m_session;
  std::optional<SpaceRecord> m_space;  ///< of the next submission
  std::optional<uint32_t> m_shown;
  std::unique_ptr<aerogpu_renderer, RendererDeleter> m_renderer;
  std::unordered_map<uint64_t, std::span<const uint8_t>> m_blobs;
  std::vector<uint8_t> m_packets;
  std::span<const uint8_t> m_head;  ///< of the file
  bool m_loading = false;           ///< between the first and the last record of a snapshot
};

}  // namespace

bool replay(std::span<const uint8_t> file, const ReplayOptions& options, ReplayResult& result,
            std::string& error) {
  Reader reader;
  if (!(options.cutShort ? reader.openCut(file, error) : reader.open(file, error))) return false;
  result.lostBytes = reader.lostBytes();
  Player player(options, result);
  return player.start(error) && player.play(reader, error);
}

}  // namespace aerogpu::trace
