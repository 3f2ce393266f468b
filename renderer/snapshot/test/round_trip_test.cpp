// SPDX-License-Identifier: MIT
// A renderer that was made again from a snapshot is described by the same bytes, and each packet of these is
// needed for that.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "renderer/cmd/packet_fields.h"
#include "renderer/cmd/stream.h"
#include "renderer/core/test/spaces_fixture.h"
#include "renderer/snapshot/test/everything.h"
#include "renderer/trace/reader.h"

namespace aerogpu::test {
namespace {

using namespace handles;
using trace::RecordType;

TEST(SnapshotRoundTrip, DescribesTheSameAgain) {
  Harness made, again;
  makeEverything(made);
  const Snapshot first = takeSnapshot(made.renderer());
  ASSERT_EQ(first.error, "");
  for (const size_t step : {size_t{1} << 20, size_t{7}}) {
    aerogpu_scanout_config scanout{};
    scanout.struct_size = sizeof scanout;
    ASSERT_EQ(loadSnapshot(again.renderer(), first.bytes, step, &scanout), "");
    aerogpu_renderer_set_scanout(again.renderer(), &scanout);
    const Snapshot second = takeSnapshot(again.renderer());
    ASSERT_EQ(second.error, "");
    EXPECT_TRUE(first.bytes == second.bytes) << step;
  }
}

/// The records of a snapshot, to write it anew without some packets.
struct Records {
  std::vector<uint8_t> head;
  struct One {
    RecordType type;
    std::vector<uint8_t> payload;
  };
  std::vector<One> records;

  explicit Records(std::span<const uint8_t> file) {
    trace::Reader reader;
    std::string error;
    EXPECT_TRUE(reader.open(file, error)) << error;
    head.assign(reader.head().begin(), reader.head().end());
    trace::Reader::Record record;
    while (reader.next(record, error))
      records.push_back({record.type, {record.payload.begin(), record.payload.end()}});
  }
  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> out = head;
    for (const One& one : records) {
      const trace::RecordHeader header{static_cast<uint8_t>(one.type), 0, 0,
                                       static_cast<uint32_t>(one.payload.size())};
      const auto* first = reinterpret_cast<const uint8_t*>(&header);
      out.insert(out.end(), first, first + sizeof header);
      out.insert(out.end(), one.payload.begin(), one.payload.end());
    }
    return out;
  }
};

/// A packet of a snapshot: the record of its stream, its place in that record, its bytes.
struct Place {
  size_t record, offset, size;
  uint32_t opcode;
};

std::vector<Place> packetsOf(const Records& all) {
  std::vector<Place> places;
  for (size_t i = 0; i < all.records.size(); ++i) {
    const auto& [type, payload] = all.records[i];
    trace::BlobHeader blob;
    if (type != RecordType::Blob) continue;
    std::memcpy(&blob, payload.data(), sizeof blob);
    if (blob.kind != AEROGPU_TRACE_BLOB_COMMAND_STREAM) continue;
    auto reader = cmd::PacketReader::open(std::span<const uint8_t>(payload).subspan(sizeof blob));
    while (!reader->atEnd()) {
      const auto packet = reader->next();
      places.push_back({i, sizeof blob + packet->offset, packet->bytes.size(), packet->opcode});
    }
  }
  return places;
}

/// Returns the snapshot without one packet.
std::vector<uint8_t> without(const Records& all, const Place& place) {
  Records other = all;
  std::vector<uint8_t>& payload = other.records[place.record].payload;
  payload.erase(payload.begin() + static_cast<ptrdiff_t>(place.offset),
                payload.begin() + static_cast<ptrdiff_t>(place.offset + place.size));
  uint32_t size;
  constexpr size_t kSize = sizeof(trace::BlobHeader) + offsetof(aerogpu_cmd_stream_header, size_bytes);
  std::memcpy(&size, payload.data() + kSize, sizeof size);
  size -= static_cast<uint32_t>(place.size);
  std::memcpy(payload.data() + kSize, &size, sizeof size);
  return other.bytes();
}

TEST(SnapshotRoundTrip, NeedsEachPacket) {
  Harness made;
  makeEverything(made);
  made.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 8, 32, 0, false);
  const Snapshot whole = takeSnapshot(made.renderer());
  ASSERT_EQ(whole.error, "");
  const Records records(whole.bytes);
  Harness again;
  std::set<uint32_t> opcodes;
  for (const Place& place : packetsOf(records)) {
    opcodes.insert(place.opcode);
    if (!loadSnapshot(again.renderer(), without(records, place), size_t{1} << 20).empty()) continue;
    EXPECT_FALSE(takeSnapshot(again.renderer()).bytes == whole.bytes)
        << cmd::packetFields(place.opcode).name << " at byte " << place.offset << " of record "
        << place.record << " says nothing";
  }
  // Everything that a snapshot may hold is in this one.
  EXPECT_EQ(opcodes.size(), 55u);
}

TEST(SnapshotRoundTrip, NeedsAddressesOfAllocations) {
  Harness made, again;
  makeEverything(made);
  made.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 8, 32, 0, false);
  const Snapshot whole = takeSnapshot(made.renderer());
  Records records(whole.bytes);
  const auto isTableAlone = [](const Records::One& one) {
    trace::LoadRecord load;
    if (one.type != RecordType::Load) return false;
    std::memcpy(&load, one.payload.data(), sizeof load);
    return load.command_blob == 0;
  };
  EXPECT_EQ(std::erase_if(records.records, isTableAlone), 1u);
  ASSERT_EQ(loadSnapshot(again.renderer(), records.bytes()), "");
  EXPECT_FALSE(takeSnapshot(again.renderer()).bytes == whole.bytes);
}

}  // namespace
}  // namespace aerogpu::test
