// SPDX-License-Identifier: MIT
#include "renderer/snapshot/load.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <variant>

#include "renderer/base/error_text.h"
#include "renderer/cmd/packet_fields.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/backend.h"
#include "renderer/core/commands/dispatch.h"
#include "renderer/core/context_table.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/work_meter.h"
#include "renderer/snapshot/load_dispatch.h"

namespace aerogpu::snapshot {

using trace::RecordType;

namespace {

/// The longest stream that a guest can send (SUB-4), which may be one shader, and its record.
constexpr uint64_t kMostRecord = (uint64_t{64} << 20) + (uint64_t{64} << 10);
/// All blobs of one load: a stream, a table for it and its contents.
constexpr uint64_t kMostBlobs = uint64_t{72} << 20;
/// A piece of memory that comes ahead. Together with the blobs of its load it is held once more.
constexpr uint64_t kMostPiece = uint64_t{8} << 20;
/// The stream of the draws ahead of a snapshot.
constexpr uint64_t kMostDraws = uint64_t{4} << 20;
constexpr uint64_t kMostMetadata = uint64_t{1} << 20;
/// Work of this many bytes of contents may be under way.
constexpr uint64_t kBytesUnderWay = uint64_t{16} << 20;

/// Copies a structure that may be longer in the file than we know; false if it is shorter.
template <class T>
bool take(std::span<const uint8_t> payload, T& out) {
  if (payload.size() < sizeof out) return false;
  std::memcpy(&out, payload.data(), sizeof out);
  return true;
}

std::string tooNew(const char* what, uint64_t is, uint64_t known) {
  return std::string(what) + " is " + std::to_string(is) + ", " + std::to_string(known) + " is known";
}

/// True for the packets that draws ahead of a snapshot have beside those of snapshots.
bool isOfDraws(uint32_t opcode) {
  return opcode == AEROGPU_CMD_EXT_RESET_CONTEXT || opcode == AEROGPU_CMD_DRAW;
}

/// Returns the packet's name, the object that it makes, and whose that or the context is.
std::string describePacket(const Loading& loading, const cmd::Packet& packet) {
  const cmd::PacketFields fields = cmd::packetFields(packet.opcode);
  if (!fields.name) return "unknown packet";
  std::string text = fields.name;
  if (text.starts_with("LOAD_")) return text;  // they name what they mean
  const bool makes = text.starts_with("CREATE_") || text.starts_with("EXT_CREATE_");
  if (!makes && loading.contexts == 0) return text;  // all objects are there, and no context yet
  uint32_t object = 0;                               // the first field of packets that make something
  if (makes && packet.bytes.size() >= sizeof(aerogpu_cmd_hdr) + sizeof object) {
    std::memcpy(&object, packet.bytes.data() + sizeof(aerogpu_cmd_hdr), sizeof object);
    text += ", object " + std::to_string(object);
  }
  if (const core::Space* space = loading.parts.spaces.find(loading.space))
    text += ", " + loading.parts.spaces.describe(*space);
  return text;
}

std::string tooManyBlobs() {
  return "the blobs of a load have more than " + std::to_string(kMostBlobs) + " bytes";
}

}  // namespace

Loader::Loader(core::Submission& parts, uint64_t features, std::function<void()> drop)
    : m_parts(parts), m_features(features), m_drop(std::move(drop)), m_ahead(parts.hostMemory.capBytes()) {}

Loader::~Loader() = default;

Outcome Loader::bytes(std::span<const uint8_t> bytes) {
  while (m_stage != Stage::Done) {
    const auto whole = needed();
    if (!whole) return whole.error();
    if (m_element.size() < *whole) {
      m_element.reserve(*whole);
      const size_t part = std::min<uint64_t>(*whole - m_element.size(), bytes.size());
      m_element.insert(m_element.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(part));
      bytes = bytes.subspan(part);
      if (m_element.size() < *whole) return {};
      continue;  // a record's header tells how long it is
    }
    if (auto done = element(); !done) return done;
    m_element.clear();
  }
  return {};
}

Result<uint64_t, std::string> Loader::needed() const {
  if (m_stage == Stage::Header) return uint64_t{sizeof(trace::Header)};
  if (m_stage == Stage::Metadata) return m_metadataBytes;
  trace::RecordHeader header;
  if (!take(m_element, header)) return uint64_t{sizeof header};
  if (beginsAgain()) return uint64_t{sizeof(trace::Header)};
  if (header.payload_length > kMostRecord)
    return "a record of a snapshot has " + std::to_string(header.payload_length) + " bytes, " +
           std::to_string(kMostRecord) + " are allowed";
  if (m_blobBytes + header.payload_length > kMostBlobs) return tooManyBlobs();
  return sizeof header + header.payload_length;
}

Outcome Loader::element() {
  switch (m_stage) {
    case Stage::Header:
      return header();
    case Stage::Metadata:
      m_stage = Stage::Begin;
      return {};
    default:
      if (!beginsAgain()) return record();
      forgetAhead();
      return header();
  }
}

bool Loader::beginsAgain() const {
  constexpr size_t kMagic = sizeof trace::Header::magic;
  static_assert(kMagic <= sizeof(trace::RecordHeader) &&
                sizeof(trace::RecordHeader) <= sizeof(trace::Header));
  return m_stage == Stage::Begin && std::memcmp(m_element.data(), AEROGPU_TRACE_HEADER_MAGIC, kMagic) == 0;
}

void Loader::forgetAhead() {
  m_ahead.dropAll();
  m_hasAhead = false;
  m_draws.clear();
  m_blobs.clear();
  m_blobBytes = 0;
}

Outcome Loader::header() {
  trace::Header header;
  std::memcpy(&header, m_element.data(), sizeof header);
  if (std::memcmp(header.magic, AEROGPU_TRACE_HEADER_MAGIC, sizeof header.magic) != 0 ||
      header.header_size != sizeof header)
    return std::string("not a trace file");
  if (header.container_version != AEROGPU_TRACE_CONTAINER_VERSION)
    return tooNew("the container version", header.container_version, AEROGPU_TRACE_CONTAINER_VERSION);
  if (header.metadata_length > kMostMetadata) return std::string("too much metadata");
  m_metadataBytes = header.metadata_length;
  m_stage = Stage::Metadata;
  return {};
}

Outcome Loader::record() {
  trace::RecordHeader header;
  std::memcpy(&header, m_element.data(), sizeof header);
  const auto payload = std::span<const uint8_t>(m_element).subspan(sizeof header);
  const auto type = static_cast<RecordType>(header.type);
  if (type == RecordType::Blob) return keepBlob();
  if (m_stage == Stage::Begin) {
    if (type == RecordType::Snapshot) return begin(payload);
    if (type == RecordType::Ahead) return keepAhead(payload);
    if (type == RecordType::Draws) return keepDraws(payload);
    return std::string("the file does not begin with a snapshot");
  }
  switch (type) {
    case RecordType::Load:
      return load(payload);
    case RecordType::SnapshotEnd:
      return end(payload);
    default:
      return "a snapshot has no records of type " + std::to_string(header.type);
  }
}

Outcome Loader::begin(std::span<const uint8_t> payload) {
  if (!take(payload, m_snapshot) || m_snapshot.fixed_size < sizeof m_snapshot ||
      m_snapshot.fixed_size > payload.size())
    return std::string("the snapshot's first record is cut short");
  if (m_snapshot.format == 0 || m_snapshot.format > AEROGPU_TRACE_SNAPSHOT_FORMAT)
    return tooNew("the snapshot's format", m_snapshot.format, AEROGPU_TRACE_SNAPSHOT_FORMAT);
  if (m_snapshot.features & ~m_features)
    return "the snapshot needs features " + std::to_string(m_snapshot.features) + ", here are " +
           std::to_string(m_features);
  const uint64_t most = m_parts.hostMemory.capBytes();
  if (m_snapshot.content_bytes > most)
    return "the snapshot's contents have " + std::to_string(m_snapshot.content_bytes) +
           " bytes, max_hostmem is " + std::to_string(most);
  m_drop();
  warmUp();
  m_loading.emplace(m_parts, static_cast<core::GuestReadObserver&>(*this));
  // State packets before the first LOAD_CONTEXT need a context too.
  if (auto selected = m_parts.contexts.select(m_loading->objects, true, 0); !selected)
    return textOf(selected.error());
  m_stage = Stage::Loads;
  return {};
}

Outcome Loader::keepDraws(std::span<const uint8_t> payload) {
  trace::DrawsRecord record;
  if (!take(payload, record) || record.fixed_size < sizeof record || record.fixed_size > payload.size())
    return std::string("draws ahead of a snapshot are cut short");
  const auto stream = blob(record.command_blob);
  if (!stream) return stream.error();
  if (stream->size() > kMostDraws)
    return "draws ahead of a snapshot have " + std::to_string(stream->size()) + " bytes, " +
           std::to_string(kMostDraws) + " are allowed";
  m_draws.assign(stream->begin(), stream->end());
  m_blobs.clear();
  m_blobBytes = 0;
  // A machine that arrives has nothing yet, and does not wait for this.
  if (m_parts.handles.count() == 0 && m_parts.spaces.all().size() == 1) warmUp();
  return {};
}

void Loader::warmUp() {
  const std::vector<uint8_t> stream = std::exchange(m_draws, {});
  if (stream.empty()) return;
  m_loading.emplace(m_parts, static_cast<core::GuestReadObserver&>(*this));
  if (m_parts.contexts.select(m_loading->objects, true, 0)) (void)run(stream, {}, Packets::OfDraws);
  m_loading.reset();
  m_drop();
}

Outcome Loader::keepBlob() {
  constexpr uint64_t kHeaders = sizeof(trace::RecordHeader) + sizeof(trace::BlobHeader);
  if (m_element.size() < kHeaders) return std::string("a blob is cut short");
  trace::BlobHeader header;
  std::memcpy(&header, m_element.data() + sizeof(trace::RecordHeader), sizeof header);
  // Each costs some memory beside its bytes.
  m_blobBytes += m_element.size() + 256;
  if (m_blobBytes > kMostBlobs) return tooManyBlobs();
  if (header.id == 0 || m_blobs.contains(header.id))
    return "blob " + std::to_string(header.id) + " is there twice, or 0";
  m_blobs.emplace(header.id, std::move(m_element));
  m_element = {};
  return {};
}

Result<std::span<const uint8_t>, std::string> Loader::blob(uint64_t id) const {
  if (id == 0) return std::span<const uint8_t>{};
  const auto found = m_blobs.find(id);
  if (found == m_blobs.end()) return "a record names blob " + std::to_string(id) + ", which is not there";
  return std::span<const uint8_t>(found->second)
      .subspan(sizeof(trace::RecordHeader) + sizeof(trace::BlobHeader));
}

Outcome Loader::keepAhead(std::span<const uint8_t> payload) {
  trace::AheadRecord record;
  if (!take(payload, record) || record.fixed_size < sizeof record || record.fixed_size > payload.size())
    return std::string("memory ahead of a snapshot is cut short");
  if (record.key == 0) {
    m_hasAhead = true;
    return {};
  }
  if (!m_hasAhead) return std::string("memory is ahead of no snapshot");
  if (record.memory_blob == 0) {
    m_ahead.drop(record.key);
  } else {
    const auto memory = blob(record.memory_blob);
    if (!memory) return memory.error();
    if (memory->size() > kMostPiece)
      return "a piece ahead of a snapshot has " + std::to_string(memory->size()) + " bytes, " +
             std::to_string(kMostPiece) + " are allowed";
    if (auto kept = m_ahead.keep(record.key, *memory); !kept) return kept;
  }
  m_blobs.clear();
  m_blobBytes = 0;
  return {};
}

Result<std::span<const uint8_t>, std::string> Loader::memoryOf(const trace::LoadRecord& record) {
  if (record.flags & ~uint32_t{AEROGPU_TRACE_LOAD_AHEAD})
    return "load " + std::to_string(m_loads) + " has flags " + std::to_string(record.flags) + ", " +
           std::to_string(AEROGPU_TRACE_LOAD_AHEAD) + " are known";
  if (record.flags == 0) return blob(record.memory_blob);
  auto taken = m_ahead.take(record.memory_blob);
  if (!taken) return taken.error();
  m_taken = std::move(*taken);
  return std::span<const uint8_t>(m_taken);
}

Outcome Loader::load(std::span<const uint8_t> payload) {
  trace::LoadRecord record;
  if (!take(payload, record) || record.fixed_size < sizeof record || record.fixed_size > payload.size())
    return std::string("a load is cut short");
  ++m_loads;
  const auto stream = blob(record.command_blob);
  if (!stream) return stream.error();
  const auto table = blob(record.alloc_table_blob);
  if (!table) return table.error();
  const auto memory = memoryOf(record);
  if (!memory) return memory.error();
  core::Submission& parts = m_parts;
  core::AllocTable& allocations = parts.guest.allocations();
  if (auto loaded = allocations.load(*table); !loaded)
    return "load " + std::to_string(m_loads) + ": " + textOf(loaded.error());
  Outcome done;
  if (record.command_blob == 0) {
    parts.resources.backings.locate(allocations);
  } else if (std::ranges::any_of(allocations.entries(), [](const auto& entry) { return entry.scattered; })) {
    done = std::string("load " + std::to_string(m_loads) + ": the table of a stream has a page list");
  } else {
    done = run(*stream, *memory);
  }
  (void)allocations.load({});
  m_blobs.clear();
  m_blobBytes = 0;
  return done;
}

Outcome Loader::run(std::span<const uint8_t> stream, std::span<const uint8_t> memory, Packets allowed) {
  core::Submission& parts = m_parts;
  const auto failed = [&](uint32_t at, const std::string& packet, const Error& error) {
    return "load " + std::to_string(m_loads) + ", byte " + std::to_string(at) + ", " + packet + ": " +
           textOf(error);
  };
  parts.work.beginSubmission();
  parts.work.beginPackets(m_loading->objects.pace);
  parts.guest.beginSubmission();
  parts.guest.submissionFinished();  // nothing in it writes guest memory
  m_memory = memory;
  // A record's payload may begin anywhere, and packets are read as 32-bit words.
  std::vector<uint32_t> words((stream.size() + 3) / 4);
  std::memcpy(words.data(), stream.data(), stream.size());
  auto reader = cmd::PacketReader::open({reinterpret_cast<const uint8_t*>(words.data()), stream.size()});
  if (!reader) return failed(0, "stream", reader.error());
  parts.minor = reader->minor();
  const auto end = std::chrono::steady_clock::now() + drawsMayTake;
  while (!reader->atEnd()) {
    const uint32_t at = reader->offset();
    const Result<cmd::Packet> packet = reader->next();
    if (!packet) return failed(at, "packet", packet.error());
    const bool draws = allowed == Packets::OfDraws && isOfDraws(packet->opcode);
    if (auto done = draws ? core::dispatch(parts, *packet) : dispatch(*m_loading, *packet); !done)
      return failed(at, describePacket(*m_loading, *packet), done.error());
    if (draws && packet->opcode == AEROGPU_CMD_DRAW) {
      // The GPU may compile when it draws, so its time counts too.
      if (auto waited = finishWork(parts.backend); !waited) return failed(at, "DRAW", waited.error());
      if (std::chrono::steady_clock::now() > end) return {};
    }
    if (!parts.work.needsLook()) continue;
    (void)parts.work.outOfTime({});  // the machine does not run: nobody waits
    if (!parts.work.paceSlices(m_loading->objects.pace))
      return failed(at, "stream", Error{ErrorCode::Backend, "its work was stopped"});
  }
  m_memory = {};
  m_handedOver += memory.size();
  if (m_handedOver < kBytesUnderWay) return {};
  m_handedOver = 0;
  if (auto waited = finishWork(parts.backend); !waited) return failed(0, "stream", waited.error());
  return {};
}

core::ByteSource* Loader::onGuestRead(const core::AllocTable::Entry& entry, const core::ByteRows& rows,
                                      std::span<const core::GuestRun>) {
  // The table's sums do not wrap, and the rows lie in the entry.
  const uint64_t first = entry.gpa + rows.offset;
  const bool there = first <= m_memory.size() && rows.span() <= m_memory.size() - first;
  m_rows.bytes = there ? m_memory.subspan(first, rows.span()) : std::span<const uint8_t>{};
  return &m_rows;
}

bool Loader::Rows::read(uint64_t offset, void* dst, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return false;
  std::memcpy(dst, bytes.data() + offset, size);
  return true;
}

Outcome Loader::end(std::span<const uint8_t> payload) {
  trace::SnapshotEndRecord record;
  if (!take(payload, record) || record.fixed_size < sizeof record || record.fixed_size > payload.size())
    return std::string("the snapshot's last record is cut short");
  if (record.objects != m_parts.handles.count())
    return tooNew("the number of objects", record.objects, m_parts.handles.count());
  if (record.names != m_loading->names)
    return tooNew("the number of handles", record.names, m_loading->names);
  if (record.contexts != m_loading->contexts)
    return tooNew("the number of contexts", record.contexts, m_loading->contexts);
  m_stage = Stage::Done;
  return {};
}

Outcome Loader::finish() {
  if (m_stage != Stage::Done) return std::string("the snapshot is cut short");
  if (auto waited = finishWork(m_parts.backend); !waited) return textOf(waited.error());
  return {};
}

}  // namespace aerogpu::snapshot
