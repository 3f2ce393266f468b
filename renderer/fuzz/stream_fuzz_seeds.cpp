// SPDX-License-Identifier: MIT
// Writes the seed corpus and the dictionary of stream_fuzz: one stream per opcode of the command table, some
// that work together, and every opcode as a dictionary word.  Usage: stream_fuzz-seeds FOLDER
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_writer.hpp"
#include "renderer/testing/harness.h"

namespace {

using aerogpu::CommandWriter;
using aerogpu::test::Harness;

/// Allocation 1 is linear, or scattered over pages whose list lies at 0x400 (zero unless a stream writes it: page 0,
/// many times) or, so that what is read as addresses is anything, inside the allocation itself.
enum class Layout { Linear, Scattered, OwnList };

std::vector<uint8_t> table(Layout layout) {
  aerogpu_alloc_table_header header{
      AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32, 0, 2, sizeof(aerogpu_alloc_entry), 0};
  aerogpu_alloc_entry entries[] = {{1, 0, 0x1000, 0x4000, 0},
                                   {2, AEROGPU_ALLOC_FLAG_READONLY, 0x8000, 0x1000, 0}};
  if (layout != Layout::Linear) {
    entries[0].flags = AEROGPU_ALLOC_FLAG_EXT_SCATTER;
    entries[0].gpa = layout == Layout::OwnList ? 0 : 0x400;
  }
  header.size_bytes = sizeof header + sizeof entries;
  std::vector<uint8_t> bytes(header.size_bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, entries, sizeof entries);
  return bytes;
}

void write(const std::string& folder, const std::string& name, const CommandWriter& w,
           Layout layout = Layout::Linear) {
  const std::vector<uint8_t> t = table(layout);
  const auto size = static_cast<uint32_t>(t.size());
  std::ofstream out(folder + "/" + name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out.write(reinterpret_cast<const char*>(t.data()), static_cast<std::streamsize>(t.size()));
  out.write(reinterpret_cast<const char*>(w.data()), static_cast<std::streamsize>(w.size()));
}

void everythingTogether(const std::string& folder) {
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1,
                         1, 1, 64);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 16, 16,
                         AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  Harness::createTexture(w, 3, AEROGPU_FORMAT_BC1_RGBA_UNORM, 16, 16, AEROGPU_RESOURCE_USAGE_TEXTURE, 3, 2);
  Harness::createBuffer(w, 4, 256, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, 1);
  Harness::dirty(w, 1, 0, 1024);
  Harness::dirty(w, 4, 4, 100);
  const std::vector<uint8_t> bytes(128, 0x5A);
  Harness::upload(w, 3, 0, bytes);
  const uint32_t color = 1;
  Harness::setTargets(w, {&color, 1}, 2);
  Harness::clear(w, 7, 1, 0, 0, 1);
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = 5;
  view.texture_handle = 1;
  view.format = AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB;
  view.mip_level_count = view.array_layer_count = 1;
  w.packet(AEROGPU_CMD_CREATE_TEXTURE_VIEW, view);
  aerogpu_cmd_copy_texture2d copy{};
  copy.dst_texture = copy.src_texture = 1;
  copy.dst_x = 8;
  copy.width = copy.height = 8;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(AEROGPU_CMD_COPY_TEXTURE2D, copy);
  aerogpu_cmd_export_shared_surface share{};
  share.resource_handle = 1;
  share.share_token = 77;
  w.packet(AEROGPU_CMD_EXPORT_SHARED_SURFACE, share);
  aerogpu_cmd_import_shared_surface import{};
  import.out_resource_handle = 6;
  import.share_token = 77;
  w.packet(AEROGPU_CMD_IMPORT_SHARED_SURFACE, import);
  w.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
  Harness::destroy(w, 1);
  write(folder, "together", w);
  write(folder, "together-scattered", w, Layout::Scattered);
  write(folder, "together-own-list", w, Layout::OwnList);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  const uint8_t tail[64] = {};
#define SEED_FIXED(NAME, STRUCT)                                                              \
  {                                                                                           \
    CommandWriter w;                                                                          \
    w.packetWithTail(AEROGPU_CMD_##NAME, (struct aerogpu_cmd_##STRUCT){}, tail, sizeof tail); \
    write(folder, #NAME, w);                                                                  \
  }
#define SEED_TAIL(NAME, STRUCT, ELEM, COUNT)                        \
  {                                                                 \
    CommandWriter w;                                                \
    struct aerogpu_cmd_##STRUCT fixed = {};                         \
    fixed.COUNT = sizeof tail / sizeof(ELEM);                       \
    w.packetWithTail(AEROGPU_CMD_##NAME, fixed, tail, sizeof tail); \
    write(folder, #NAME, w);                                        \
  }
  AEROGPU_CMD_TABLE(SEED_FIXED, SEED_TAIL, SEED_FIXED)
  everythingTogether(folder);

  std::ofstream dictionary(std::string(argv[0]).substr(0, std::string(argv[0]).rfind("-seeds")) + ".dict");
#define WORD(NAME, STRUCT)                                                                      \
  {                                                                                             \
    char line[64];                                                                              \
    std::snprintf(line, sizeof line, "\"\\x%02x\\x%02x\\x00\\x00\"", AEROGPU_CMD_##NAME & 0xFF, \
                  AEROGPU_CMD_##NAME >> 8);                                                     \
    dictionary << #NAME "=" << line << "\n";                                                    \
  }
#define WORD_TAIL(NAME, STRUCT, ELEM, COUNT) WORD(NAME, STRUCT)
  AEROGPU_CMD_TABLE(WORD, WORD_TAIL, WORD)
  return dictionary.good() ? 0 : 1;
}
