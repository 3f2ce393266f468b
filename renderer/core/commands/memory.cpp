// SPDX-License-Identifier: MIT
// Copies and fills of guest memory, on this thread. They take nothing that can run out: no object, no memory
// that grows with what is copied, no context, no GPU. MEM-1 to MEM-9.
#include "renderer/core/commands/memory.h"

#include <algorithm>
#include <span>

#include "renderer/cmd/stream.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/page_walk.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"
#include "renderer/core/write_gate.h"

namespace aerogpu::core {

namespace {

constexpr uint64_t kMemoryPiece = WriteGate::kPieceBytes;  ///< between two looks at an interruption

/// Begins a packet that works on memory alone.
Result<void> beginMemory(Submission& s, uint64_t bytes) {
  if (auto taken = s.work.takeDone(Work::Bytes, bytes); !taken) return taken;
  // Nothing more is recorded while the packet runs: waiting once is enough.
  return s.guest.settleUnknown();
}

/// Returns the next piece of the walk. Waits for writes to the words of the page list that it reads.
Result<GuestRun> nextPiece(Submission& s, PageWalk& walk) {
  if (s.interrupted.load(std::memory_order_acquire))
    return Error{ErrorCode::Interrupted, "interrupted while memory was copied"};
  if (const GuestRun words = walk.wordsNeeded(); words.size != 0)
    if (auto settled = s.guest.settleIfWritten(words); !settled) return settled.error();
  return walk.piece(s.guest.memory());
}

/// Copies what is left of `from`, which is as much as `to` has left.
Result<void> copyMemory(Submission& s, PageWalk& to, PageWalk& from, bool fromEnd) {
  while (to.left() != 0) {
    const auto target = nextPiece(s, to);
    if (!target) return target.error();
    const auto source = nextPiece(s, from);
    if (!source) {
      if (source.error().code == ErrorCode::OutOfBounds)
        s.guest.observeRead(from.entry(), {from.offsetOf(4), 4, 4, 1}, {});
      return source.error();
    }
    const uint64_t step = std::min({target->size, source->size, kMemoryPiece});
    const auto part = [&](const GuestRun& run) {
      return GuestRun{fromEnd ? run.gpa + run.size - step : run.gpa, step};
    };
    const GuestRun dst = part(*target), src = part(*source);
    if (auto settled = s.guest.settleIfWritten(src); !settled) return settled;
    if (auto settled = s.guest.settleIfWritten(dst); !settled) return settled;
    s.guest.observeRead(from.entry(), {from.offsetOf(step), step, step, 1}, {&src, 1});
    const uint64_t done = s.guest.memory().move(dst.gpa, src.gpa, step, fromEnd);
    if (done == 0)
      return s.guest.memory().refusal(refused(ErrorCode::OutOfBounds, "copy of what is no guest memory",
                                              {{"src", src.gpa}, {"dst", dst.gpa}, {"bytes", step}}));
    to.advance(done);
    from.advance(done);
  }
  return {};
}

}  // namespace

bool needsNoContext(std::span<const uint8_t> stream) {
  auto reader = cmd::PacketReader::open(stream);
  if (!reader) return false;
  while (!reader->atEnd()) {
    const auto packet = reader->next();
    if (!packet ||
        (packet->opcode != AEROGPU_CMD_EXT_COPY_MEMORY && packet->opcode != AEROGPU_CMD_EXT_FILL_MEMORY &&
         packet->opcode != AEROGPU_CMD_NOP && packet->opcode != AEROGPU_CMD_DEBUG_MARKER))
      return false;
  }
  return true;
}

Result<void> runExtCopyMemory(Submission& s, const aerogpu_cmd_ext_copy_memory& c) {
  ++s.counts.neutralPackets;
  ++s.counts.hostPackets;
  ++s.counts.memoryPackets;
  if (auto allowed = s.space.needKernel(); !allowed) return allowed;
  const auto source = s.guest.sourceEntry(c.src_alloc_id, c.src_offset_bytes, c.size_bytes);
  if (!source) return source.error();
  const auto target = s.guest.writableEntry(c.dst_alloc_id, c.dst_offset_bytes, c.size_bytes);
  if (!target) return target.error();
  if (c.size_bytes == 0) return {};
  if (auto begun = beginMemory(s, c.size_bytes); !begun) return begun;
  // Copies from the end if the target begins inside the source (MEM-5).
  const bool linear = !(*source)->scattered && !(*target)->scattered;
  const uint64_t at = linear ? (*source)->gpa + c.src_offset_bytes : c.src_offset_bytes;
  const uint64_t to = linear ? (*target)->gpa + c.dst_offset_bytes : c.dst_offset_bytes;
  const bool fromEnd = (linear || *source == *target) && at < to && to - at < c.size_bytes;
  const auto from = fromEnd ? PageWalk::From::End : PageWalk::From::Begin;
  PageWalk targetWalk(**target, c.dst_offset_bytes, c.size_bytes, from);
  PageWalk sourceWalk(**source, c.src_offset_bytes, c.size_bytes, from);
  return copyMemory(s, targetWalk, sourceWalk, fromEnd);
}

Result<void> runExtFillMemory(Submission& s, const aerogpu_cmd_ext_fill_memory& c) {
  ++s.counts.neutralPackets;
  ++s.counts.hostPackets;
  ++s.counts.memoryPackets;
  if (auto allowed = s.space.needKernel(); !allowed) return allowed;
  const auto target = s.guest.writableEntry(c.alloc_id, c.offset_bytes, c.size_bytes);
  if (!target) return target.error();
  if (c.size_bytes == 0) return {};
  if (auto begun = beginMemory(s, c.size_bytes); !begun) return begun;
  PageWalk walk(**target, c.offset_bytes, c.size_bytes, PageWalk::From::Begin);
  while (walk.left() != 0) {
    const auto piece = nextPiece(s, walk);
    if (!piece) return piece.error();
    const GuestRun dst{piece->gpa, std::min(piece->size, kMemoryPiece)};
    if (auto settled = s.guest.settleIfWritten(dst); !settled) return settled;
    const auto phase = static_cast<uint32_t>((c.size_bytes - walk.left()) % sizeof c.pattern);
    const uint64_t done = s.guest.memory().fill(dst.gpa, dst.size, c.pattern, phase);
    if (done == 0)
      return s.guest.memory().refusal(refused(ErrorCode::OutOfBounds, "fill of what is no guest memory",
                                              {{"dst", dst.gpa}, {"bytes", dst.size}}));
    walk.advance(done);
  }
  return {};
}

}  // namespace aerogpu::core
