// SPDX-License-Identifier: MIT
// Writes the seed corpus of load_fuzz: a snapshot of one of everything, with draws ahead of it. Usage:
// load_fuzz-seeds FOLDER
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "renderer/snapshot/test/everything.h"
#include "renderer/test/saving.h"
#include "renderer/trace/writer.h"

using namespace aerogpu;
using namespace aerogpu::test;

/// Returns the snapshot with draws ahead: a renderer without a GPU sends none.
static std::vector<uint8_t> withDraws(const std::vector<uint8_t>& snapshot) {
  std::vector<uint8_t> bytes;
  const auto file = trace::Writer::create(appendBytes, &bytes, {});
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 4, 4, AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
  packets::createShader(w, 2, AEROGPU_SHADER_STAGE_VERTEX, std::array<uint32_t, 2>{0xFFFE0200, 0x0000FFFF});
  w.packet(aerogpu_cmd_ext_reset_context{});
  packets::bindShaders(w, 2, 0);
  packets::setTargets(w, std::array{1u}, 0);
  packets::draw(w, 6);
  file->draws(
      {sizeof(trace::DrawsRecord), 0, file->blob(trace::BlobKind::CommandStream, {w.data(), w.size()})});
  trace::Header header;
  std::memcpy(&header, snapshot.data(), sizeof header);
  const auto first = snapshot.begin() + static_cast<ptrdiff_t>(sizeof header + header.metadata_length);
  bytes.insert(bytes.end(), first, snapshot.end());
  return bytes;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  Harness h;
  makeEverything(h);
  const Snapshot snapshot = takeSnapshot(h.renderer());
  if (!snapshot.error.empty()) {
    std::fprintf(stderr, "%s\n", snapshot.error.c_str());
    return 1;
  }
  std::FILE* file = std::fopen((std::string(argv[1]) + "/everything").c_str(), "wb");
  const std::vector<uint8_t> bytes = withDraws(snapshot.bytes);
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file && std::fclose(file) == 0 && written) return 0;
  std::perror(argv[1]);
  return 1;
}
