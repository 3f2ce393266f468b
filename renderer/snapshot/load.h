// SPDX-License-Identifier: MIT
// Makes again what a snapshot describes, while its bytes come. They are hostile: each length is checked
// against what came, and each packet as a guest's. Render thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/core/guest_read_observer.h"
#include "renderer/snapshot/ahead_memory.h"
#include "renderer/snapshot/loading.h"
#include "renderer/snapshot/wait.h"
#include "renderer/trace/container.h"

namespace aerogpu::snapshot {

class Loader final : private core::GuestReadObserver {
public:
  /// Calls `drop` when the snapshot begins, so that `parts` are at rest then and hold nothing; before, they
  /// may be used as ever. Nobody observes their reads. `features`: those of the renderer's packets.
  Loader(core::Submission& parts, uint64_t features, std::function<void()> drop);
  /// After a failure parts of a state are left, to be dropped.
  ~Loader() override;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// How long draws ahead of a snapshot may take; tests that count them give more.
  static inline std::chrono::milliseconds drawsMayTake{1000};

  /// Takes the next bytes of a trace file that begins with a snapshot. Bytes after its end are ignored.
  /// Before the snapshot the file may begin again, and what came ahead is void then: a saver that has died is
  /// followed by another one.
  Outcome bytes(std::span<const uint8_t> bytes);
  /// Ends the load: fails if bytes are missing, or if work of the GPU failed.
  Outcome finish();
  /// True from the beginning of the snapshot on.
  bool begun() const { return m_loading.has_value(); }
  /// Returns how the snapshot begins, once it has.
  const trace::SnapshotRecord& snapshot() const { return m_snapshot; }

private:
  enum class Stage : uint8_t { Header, Metadata, Begin, Loads, Done };
  /// Returns the bytes of the element that comes next, or 0 if more are needed to tell.
  Result<uint64_t, std::string> needed() const;
  Outcome element();
  /// True if a file's header comes in place of a record ahead of the snapshot.
  bool beginsAgain() const;
  void forgetAhead();
  Outcome header();
  Outcome record();
  Outcome begin(std::span<const uint8_t> payload);
  Outcome keepAhead(std::span<const uint8_t> payload);
  Outcome keepDraws(std::span<const uint8_t> payload);
  /// Does the draws that came ahead of the snapshot, and drops all that they made but the pipelines. They are
  /// no part of the guest's state: nothing is lost if they fail.
  void warmUp();
  Outcome keepBlob();
  /// Returns the memory of a load, valid until the next.
  Result<std::span<const uint8_t>, std::string> memoryOf(const trace::LoadRecord& record);
  Outcome load(std::span<const uint8_t> payload);
  Outcome end(std::span<const uint8_t> payload);
  /// What may be in a stream.
  enum class Packets : uint8_t { OfLoad, OfDraws };
  Outcome run(std::span<const uint8_t> stream, std::span<const uint8_t> memory,
              Packets allowed = Packets::OfLoad);
  core::ByteSource* onGuestRead(const core::AllocTable::Entry& entry, const core::ByteRows& rows,
                                std::span<const core::GuestRun> runs) override;
  /// Returns the bytes of a blob; none for 0.
  Result<std::span<const uint8_t>, std::string> blob(uint64_t id) const;

  /// Rows of the memory that a load brings.
  struct Rows final : core::ByteSource {
    bool read(uint64_t offset, void* dst, uint64_t size) override;
    const uint8_t* contiguous() override { return bytes.empty() ? nullptr : bytes.data(); }
    std::span<const uint8_t> bytes;  ///< empty: they are not there
  };

  core::Submission& m_parts;
  std::optional<Loading> m_loading;  ///< from the beginning of the snapshot on
  const uint64_t m_features;
  const std::function<void()> m_drop;
  Stage m_stage = Stage::Header;
  uint64_t m_metadataBytes = 0;
  std::vector<uint8_t> m_element;                    ///< what came of the next header, metadata or record
  std::map<uint64_t, std::vector<uint8_t>> m_blobs;  ///< whole records by their id, until the next load
  uint64_t m_blobBytes = 0;                          ///< with what each costs beside its bytes
  bool m_hasAhead = false;                           ///< memory comes ahead of the snapshot
  AheadMemory m_ahead;
  std::vector<uint8_t> m_draws;  ///< a stream; empty: none came, or they are done
  std::vector<uint8_t> m_taken;  ///< from it, for the load that runs
  trace::SnapshotRecord m_snapshot{};
  std::span<const uint8_t> m_memory;  ///< of the load that runs
  Rows m_rows;
  uint64_t m_loads = 0;       ///< that ran
  uint64_t m_handedOver = 0;  ///< bytes of contents since the last wait
};

}  // namespace aerogpu::snapshot
