// SPDX-License-Identifier: MIT
#include "renderer/snapshot/ahead.h"

#include <algorithm>
#include <utility>

#include "renderer/core/write_clock.h"
#include "renderer/snapshot/ahead_memory.h"

namespace aerogpu::snapshot {

using namespace core;

Ahead::Ahead(Submission& parts, trace::Writer& file)
    : m_parts(parts), m_file(file), m_restedUntil(parts.writes.now()), m_spanBegan(parts.writes.now()) {
  m_file.ahead({sizeof(trace::AheadRecord), 0, 0, 0});
}

void Ahead::nextSpan() {
  m_restedUntil = m_spanBegan;
  m_spanBegan = m_parts.writes.now();
}

const std::vector<uint64_t>* Ahead::keysOf(const Resource& resource) const {
  const auto found = m_sent.find(&resource);
  if (found == m_sent.end() || !found->second.whole || found->second.written != resource.written)
    return nullptr;
  return &found->second.keys;
}

void Ahead::forget(const Sent& sent) {
  for (const uint64_t key : sent.keys) {
    if (key == 0) continue;
    m_file.ahead({sizeof(trace::AheadRecord), 0, key, 0});
    --m_keysKept;
  }
}

void Ahead::forgetOld(const Inventory& all) {
  std::erase_if(m_sent, [&](const auto& entry) {
    // No two objects have the same time, so another one in the place of a gone one is found out too.
    if (all.has(entry.first) && entry.first->written == entry.second.written) return false;
    forget(entry.second);
    return true;
  });
}

Result<void> Ahead::sendObject(const Resource& resource, uint64_t& budget) {
  Sent& sent = m_sent[&resource];
  sent.written = resource.written;
  PieceReader reader(m_parts.backend, [&](const CommandWriter&, std::span<const uint8_t> bytes) {
    if (isZero(bytes)) {
      sent.keys.push_back(0);
      return;
    }
    m_file.ahead(
        {sizeof(trace::AheadRecord), 0, m_nextKey, m_file.blob(trace::BlobKind::AllocMemory, bytes)});
    sent.keys.push_back(m_nextKey++);
    ++m_keysKept;
    m_sentBytes += bytes.size();
  });
  size_t index = 0, added = sent.keys.size();
  bool whole = true;
  const auto add = [&](Piece&& piece) -> Result<void> {
    if (index++ < added) return {};
    if (budget == 0 || m_keysKept + (index - added) > AheadMemory::kMostPieces) {
      whole = false;
      return {};
    }
    budget -= std::min(budget, piece.bytes);
    return reader.add(std::move(piece));
  };
  if (auto read = forEachPiece(resource, 0, add); !read) return read;
  if (auto read = reader.flush(); !read) return read;
  sent.whole = whole;
  return {};
}

Result<Ahead::Left> Ahead::send(uint64_t budget) {
  m_parts.backend.setOwner({});
  const Inventory all(m_parts);
  forgetOld(all);
  std::vector<const Resource*> rested;
  Left left;
  const auto look = [&](const Resource& resource) {
    if (resource.written == 0 || keysOf(resource)) return;
    if (resource.written <= m_restedUntil)
      rested.push_back(&resource);
    else
      left.written += bytesOf(resource);
  };
  for (const Buffer* buffer : all.buffers) look(*buffer);
  for (const Texture* texture : all.textures) look(*texture);
  std::ranges::sort(rested, {}, &Resource::written);
  budget = std::max<uint64_t>(budget, 1);
  for (const Resource* resource : rested) {
    if (budget != 0)
      if (auto sent = sendObject(*resource, budget); !sent) return sent.error();
    if (!keysOf(*resource)) left.rested += bytesOf(*resource);
  }
  // What finds no keys any more is not waited for.
  if (m_keysKept >= AheadMemory::kMostPieces) left.written += std::exchange(left.rested, 0);
  return left;
}

}  // namespace aerogpu::snapshot
