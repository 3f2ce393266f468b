// SPDX-License-Identifier: MIT
#include "renderer/snapshot/contents.h"

#include "renderer/snapshot/ahead.h"
#include "renderer/snapshot/pieces.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

/// Calls `visit` with each buffer and texture that may have been written.
template <class Visit>
Result<void> forEachWritten(const Inventory& all, Visit visit) {
  for (const Buffer* buffer : all.buffers)
    if (buffer->written != 0)
      if (auto visited = visit(*buffer); !visited) return visited;
  for (const Texture* texture : all.textures)
    if (texture->written != 0)
      if (auto visited = visit(*texture); !visited) return visited;
  return {};
}

}  // namespace

uint64_t contentBytes(const Inventory& all) {
  uint64_t bytes = 0;
  for (const Buffer* buffer : all.buffers) bytes += bytesOf(*buffer);
  for (const Texture* texture : all.textures) bytes += bytesOf(*texture);
  return bytes;
}

Result<void> writeContents(Backend& backend, const Inventory& all, const Ahead* ahead, Steps& steps) {
  backend.setOwner({});
  PieceReader reader(backend, [&](const CommandWriter& packet, std::span<const uint8_t> bytes) {
    if (isZero(bytes)) return;
    steps.packets = packet;
    steps.allocations.push_back({kPieceAllocation, false, false, 0, bytes.size()});
    steps.write(bytes);
  });
  auto done = forEachWritten(all, [&](const Resource& resource) {
    const std::vector<uint64_t>* keys = ahead ? ahead->keysOf(resource) : nullptr;
    size_t index = 0;
    return forEachPiece(resource, all.numberOf(&resource), [&](Piece&& piece) -> Result<void> {
      if (!keys) return reader.add(std::move(piece));
      const uint64_t key = (*keys)[index++];
      if (key == 0) return {};
      steps.packets = std::move(piece.packet);
      steps.allocations.push_back({kPieceAllocation, false, false, 0, piece.bytes});
      steps.writeAhead(key);
      return {};
    });
  });
  if (!done) return done;
  return reader.flush();
}

}  // namespace aerogpu::snapshot
