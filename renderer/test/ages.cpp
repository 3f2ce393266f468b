// SPDX-License-Identifier: MIT
#include "renderer/test/ages.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "renderer/local/local.h"
#include "renderer/snapshot/inventory.h"
#include "renderer/snapshot/pieces.h"

namespace aerogpu::test {

namespace {

struct Seen {
  uint64_t written, hash;
};
/// What an object was like; no two writes of one renderer have the same time.
struct Ages {
  uint64_t submission = 0;
  std::unordered_map<const core::Resource*, Seen> seen;
};

struct Contents {
  uint64_t hash = 0xCBF29CE484222325u;
  bool zero = true;
};
/// Nothing if the GPU is lost or was stopped.
std::optional<Contents> contentsOf(core::Backend& backend, const core::Resource& resource) {
  Contents contents;
  snapshot::PieceReader reader(backend, [&](const CommandWriter&, std::span<const uint8_t> bytes) {
    const std::hash<std::string_view> one;
    contents.hash =
        (contents.hash ^ one({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) * 0x100000001B3u;
    contents.zero = contents.zero && snapshot::isZero(bytes);
  });
  const auto add = [&](snapshot::Piece&& piece) { return reader.add(std::move(piece)); };
  if (!snapshot::forEachPiece(resource, 1, add) || !reader.flush()) return {};
  return contents;
}

}  // namespace

void compareAges(LocalRenderer& renderer, uint64_t submission) {
  static std::unordered_map<const LocalRenderer*, Ages> all;
  Ages& ages = all[&renderer];
  if (submission <= ages.submission) ages.seen.clear();  // another renderer in the same place
  ages.submission = submission;
  if (renderer.backend->lost()) return;
  const snapshot::Inventory held(renderer.executor->parts());
  std::unordered_map<const core::Resource*, Seen> now;
  const auto look = [&](const core::Resource& resource) {
    const auto contents = contentsOf(*renderer.backend, resource);
    if (!contents) return;
    const Seen is{resource.written, contents->hash};
    const auto was = ages.seen.find(&resource);
    const bool isAsBefore = is.written == 0 ? contents->zero
                                            : was == ages.seen.end() || was->second.written != is.written ||
                                                  was->second.hash == is.hash;
    if (!isAsBefore) {
      std::fprintf(
          stderr,
          "AEROGPU_TEST_MOVE: submission %llu changed the bytes of %s %u, and not the time of its last "
          "write, %llu\n",
          static_cast<unsigned long long>(submission), resource.isTexture ? "texture" : "buffer",
          held.numberOf(&resource), static_cast<unsigned long long>(is.written));
      std::abort();
    }
    now.emplace(&resource, is);
  };
  for (const core::Buffer* buffer : held.buffers) look(*buffer);
  for (const core::Texture* texture : held.textures) look(*texture);
  ages.seen = std::move(now);
}

}  // namespace aerogpu::test
