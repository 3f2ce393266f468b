// SPDX-License-Identifier: MIT
#include "renderer/snapshot/pieces.h"

#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_cmd_loader.h"
#include "renderer/core/format.h"
#include "renderer/core/texel_planes.h"
#include "renderer/core/texture_layout.h"
#include "renderer/snapshot/wait.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;
/// Pieces of this many bytes are read at a time, or one more.
constexpr uint64_t kBatchBytes = uint64_t{16} << 20;

/// Collects what is read; the owner of the bytes waits for it.
class Collect final : public ByteSink {
public:
  Collect(std::span<uint8_t> bytes, uint64_t& read) : m_bytes(bytes), m_at(read) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
    for (uint64_t i = 0; i < rows && rowBytes <= m_bytes.size() - m_at; ++i, m_at += rowBytes)
      std::memcpy(m_bytes.data() + m_at, src + i * srcPitch, rowBytes);
    return {};
  }

private:
  const std::span<uint8_t> m_bytes;
  uint64_t& m_at;
};

template <class Packet, class Read>
Piece pieceOf(const Packet& packet, uint64_t bytes, Read read) {
  Piece piece;
  piece.packet.packet(packet);
  piece.bytes = bytes;
  piece.read = std::move(read);
  return piece;
}

Result<void> addBuffer(const Buffer& buffer, uint32_t number, const PieceVisitor& visit) {
  for (uint64_t at = 0; at < buffer.desc.sizeBytes; at += kPieceBytes) {
    aerogpu_cmd_ext_update_buffer c{};
    c.buffer = number;
    c.dst_offset_bytes = at;
    c.size_bytes = std::min(kPieceBytes, buffer.desc.sizeBytes - at);
    c.src_alloc_id = kPieceAllocation;
    const auto read = [&buffer, at, size = c.size_bytes](std::unique_ptr<ByteSink> sink) {
      return buffer.gpu->read(at, size, std::move(sink));
    };
    if (auto added = visit(pieceOf(c, c.size_bytes, read)); !added) return added;
  }
  return {};
}

Result<void> addBox(const Texture& texture, uint32_t number, Subresource sub, const Box& box,
                    const PieceVisitor& visit) {
  const BoxRows part(*findFormat(texture.desc.format), box);
  aerogpu_cmd_ext_update_texture c{};
  c.texture = number;
  c.mip_level = sub.mip;
  c.array_layer = sub.layer;
  c.x = box.x;
  c.y = box.y;
  c.z = box.z;
  c.width = box.width;
  c.height = box.height;
  c.depth = box.depth;
  c.src_alloc_id = kPieceAllocation;
  c.src_row_pitch_bytes = static_cast<uint32_t>(part.rowBytes);
  c.src_slice_pitch_bytes = part.rowBytes * part.perSlice;
  return visit(pieceOf(c, part.rowBytes * part.rows, [&texture, sub, box](std::unique_ptr<ByteSink> sink) {
    return texture.gpu->read(sub, box, std::move(sink));
  }));
}

/// Reads a subresource in boxes of whole slices, or of rows of blocks of one slice.
Result<void> addSubresource(const Texture& texture, uint32_t number, Subresource sub,
                            const PieceVisitor& visit) {
  const TextureLayout::Mip mip = texture.layout.mip(sub.mip);
  const uint32_t block = findFormat(texture.desc.format)->blockPixels;
  const uint64_t sliceBytes = mip.rowBytes * mip.rows;
  const auto slices = static_cast<uint32_t>(std::clamp<uint64_t>(kPieceBytes / sliceBytes, 1, mip.depth));
  const auto rows = static_cast<uint32_t>(std::clamp<uint64_t>(kPieceBytes / mip.rowBytes, 1, mip.rows));
  for (uint32_t z = 0; z < mip.depth; z += slices) {
    for (uint32_t row = 0; row < mip.rows; row += rows) {
      const uint32_t y = row * block;
      const Box box{
          0, y, z, mip.width, std::min(rows * block, mip.height - y), std::min(slices, mip.depth - z)};
      if (auto added = addBox(texture, number, sub, box, visit); !added) return added;
    }
  }
  return {};
}

/// Visits a plane of a subresource in boxes of rows.
Result<void> addPlane(const Texture& texture, uint32_t number, const TexelPart& part,
                      const PieceVisitor& visit) {
  const TextureLayout::Mip mip = texture.layout.mip(part.sub.mip);
  const uint64_t rowBytes = uint64_t{mip.width} * planeBytes(*findFormat(texture.desc.format), part.plane);
  // Back ends may hold copies of all samples of a piece.
  const uint64_t most = kPieceBytes / texture.desc.samples;
  const auto rows = static_cast<uint32_t>(std::clamp<uint64_t>(most / rowBytes, 1, mip.height));
  for (uint32_t y = 0; y < mip.height; y += rows) {
    const Box box{0, y, 0, mip.width, std::min(rows, mip.height - y)};
    const aerogpu_cmd_load_texels c{{},
                                    number,
                                    part.sub.mip,
                                    part.sub.layer,
                                    part.sample,
                                    static_cast<uint32_t>(part.plane),
                                    kPieceAllocation,
                                    box.x,
                                    box.y,
                                    box.width,
                                    box.height};
    const auto read = [&texture, part, box](std::unique_ptr<ByteSink> sink) {
      return texture.gpu->readPlane(part, box, std::move(sink));
    };
    if (auto added = visit(pieceOf(c, rowBytes * box.height, read)); !added) return added;
  }
  return {};
}

/// Visits all planes of a subresource.
Result<void> addPlanes(const Texture& texture, uint32_t number, Subresource sub, const PieceVisitor& visit) {
  const FormatInfo& format = *findFormat(texture.desc.format);
  for (uint32_t sample = 0; sample < texture.desc.samples; ++sample) {
    for (const TexelPlane plane : {TexelPlane::Color, TexelPlane::Depth, TexelPlane::Stencil}) {
      if (!hasPlane(format, plane)) continue;
      if (auto added = addPlane(texture, number, {sub, sample, plane}, visit); !added) return added;
    }
  }
  return {};
}

}  // namespace

Result<void> forEachPiece(const Resource& resource, uint32_t number, const PieceVisitor& visit) {
  if (!resource.isTexture) return addBuffer(static_cast<const Buffer&>(resource), number, visit);
  const auto& texture = static_cast<const Texture&>(resource);
  const auto add = texture.gpu->needsPlanes() ? addPlanes : addSubresource;
  for (uint32_t layer = 0; layer < texture.desc.arrayLayers; ++layer)
    for (uint32_t mip = 0; mip < texture.desc.mipLevels; ++mip)
      if (auto added = add(texture, number, {mip, layer}, visit); !added) return added;
  return {};
}

uint64_t bytesOf(const Resource& resource) {
  if (!resource.isTexture) return static_cast<const Buffer&>(resource).desc.sizeBytes;
  const auto& texture = static_cast<const Texture&>(resource);
  uint64_t bytes = 0;
  for (uint32_t level = 0; level < texture.desc.mipLevels; ++level) {
    const TextureLayout::Mip mip = texture.layout.mip(level);
    bytes += mip.rowBytes * mip.rows * mip.depth * texture.desc.arrayLayers * texture.desc.samples;
  }
  return bytes;
}

bool isZero(std::span<const uint8_t> bytes) {
  // Each byte equals the one before it.
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

Result<void> PieceReader::add(Piece&& piece) {
  if (piece.bytes > kPieceBytes) return Error{ErrorCode::Internal, "a piece of contents is too large"};
  if (!m_memory) m_memory.reset(new uint8_t[kBatchBytes + kPieceBytes]);
  auto read = std::make_unique<Read>();
  read->packet = std::move(piece.packet);
  read->bytes = {m_memory.get() + m_bytes, piece.bytes};
  auto asked = piece.read(std::make_unique<Collect>(read->bytes, read->read));
  m_reads.push_back(std::move(read));  // the sink refers to it even then
  if (!asked) {
    (void)finishWork(m_backend);
    return asked;
  }
  m_bytes += piece.bytes;
  return m_bytes < kBatchBytes ? Result<void>{} : flush();
}

Result<void> PieceReader::flush() {
  if (auto done = finishWork(m_backend); !done) return done;
  // Work that was interrupted ends without an error, and without its bytes.
  for (const auto& read : m_reads)
    if (read->read != read->bytes.size())
      return Error{ErrorCode::Backend, "the reading of contents was interrupted"};
  for (const auto& read : m_reads) m_take(read->packet, read->bytes);
  m_reads.clear();
  m_bytes = 0;
  return {};
}

}  // namespace aerogpu::snapshot
