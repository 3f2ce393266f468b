// SPDX-License-Identifier: MIT
// The contents of buffers and textures in pieces, and how these are read. Render thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aerogpu/cmd_writer.hpp"
#include "renderer/base/result.h"
#include "renderer/core/backend.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::snapshot {

/// The allocation that the packets of pieces read, from its start.
inline constexpr uint32_t kPieceAllocation = 1;

struct Piece {
  CommandWriter packet;                                               ///< brings it
  uint64_t bytes = 0;                                                 ///< at most 4 MiB
  std::function<Result<void>(std::unique_ptr<core::ByteSink>)> read;  ///< asks the GPU for it
};
using PieceVisitor = std::function<Result<void>(Piece&&)>;

/// Calls `visit` with each piece of a buffer or texture, always in the same order. `number`: of the object,
/// for the packets. `resource` outlives the pieces. Stops at an error.
Result<void> forEachPiece(const core::Resource& resource, uint32_t number, const PieceVisitor& visit);

/// Returns the bytes of the contents, zeros included.
uint64_t bytesOf(const core::Resource& resource);

/// True if all bytes are zero.
bool isZero(std::span<const uint8_t> bytes);

/// Reads pieces, some at a time.
class PieceReader {
public:
  /// Gets each piece that was read, in their order.
  using Take = std::function<void(const CommandWriter& packet, std::span<const uint8_t> bytes)>;
  PieceReader(core::Backend& backend, Take take) : m_backend(backend), m_take(std::move(take)) {}

  Result<void> add(Piece&& piece);
  /// Reads what was added; call it at the end. Backend if the GPU fails.
  Result<void> flush();

private:
  struct Read {
    CommandWriter packet;
    std::span<uint8_t> bytes;  ///< in m_memory
    uint64_t read = 0;         ///< bytes that came
  };
  core::Backend& m_backend;
  const Take m_take;
  std::unique_ptr<uint8_t[]>
      m_memory;  ///< of all reads; the same for each turn, for new pages cost as much as a copy
  std::vector<std::unique_ptr<Read>> m_reads;
  uint64_t m_bytes = 0;
};

}  // namespace aerogpu::snapshot
