// SPDX-License-Identifier: MIT
// Rules of docs/abi/ at their edges, with the error code that each names, over the null back end: the cases
// that the tests of valid use do not reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"
#include "renderer/test/harness.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::Harness;
using test::pattern;

constexpr uint32_t kNone = AEROGPU_ERROR_NONE, kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB,
                   kBackend = AEROGPU_ERROR_BACKEND;
constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kVertex = AEROGPU_SHADER_STAGE_VERTEX, kPixel = AEROGPU_SHADER_STAGE_PIXEL,
                   kCompute = AEROGPU_SHADER_STAGE_COMPUTE;

uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

/// Returns the error of a stream with only this packet.
template <class T>
uint32_t codeOf(Harness& h, uint32_t opcode, const T& packet, uint32_t context = 0) {
  CommandWriter w;
  w.packet(opcode, packet);
  return h.submit(w, context).result.last_error_code;
}
template <class T, class Element>
uint32_t codeOf(Harness& h, uint32_t opcode, const T& packet, const std::vector<Element>& tail) {
  CommandWriter w;
  w.packetWithTail(opcode, packet, tail.data(), tail.size() * sizeof(Element));
  return h.submit(w).result.last_error_code;
}
uint32_t codeOf(Harness& h, const CommandWriter& w) {
  return h.submit(w).result.last_error_code;
}

uint32_t makeShader(Harness& h, uint32_t stage, uint32_t stageEx = 0) {
  const uint32_t handle = h.handle();
  const std::vector<uint32_t> code = {stage == kPixel ? 0xFFFF0200 : 0xFFFE0200, 0x0000FFFF};
  aerogpu_cmd_create_shader_dxbc c{};
  c.shader_handle = handle;
  c.stage = stage;
  c.dxbc_size_bytes = 8;
  c.reserved0 = stageEx;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_CREATE_SHADER_DXBC, c, code), kNone);
  return handle;
}
uint32_t makeBuffer(Harness& h, uint64_t size, uint32_t allocId = 0) {
  const uint32_t handle = h.handle();
  CommandWriter w;
  packets::createBuffer(w, handle, size, 0, allocId);
  EXPECT_EQ(codeOf(h, w), kNone);
  return handle;
}
uint32_t makeTexture(Harness& h, aerogpu_format format, uint32_t side, uint32_t mips = 1,
                     uint32_t layers = 1) {
  const uint32_t handle = h.handle();
  CommandWriter w;
  Harness::createTexture(w, handle, format, side, side, 0, mips, layers);
  EXPECT_EQ(codeOf(h, w), kNone);
  return handle;
}

// ALLOC-1, ALLOC-2, ALLOC-3, ALLOC-4, ALLOC-5, SUB-6
TEST(AllocationTables, EachDefectHasItsCodeAndNothingRuns) {
  struct Table {
    aerogpu_alloc_table_header header{
        AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32, sizeof(Table), 2, sizeof(aerogpu_alloc_entry), 0};
    aerogpu_alloc_entry entries[2] = {{1, 0, 0, 4096, 0}, {2, 0, 4096, 4096, 0}};
  };
  static_assert(sizeof(Table) == 88);
  Harness h;
  const auto code = [&](auto change, size_t bytes = sizeof(Table)) {
    Table table;
    change(table);
    CommandWriter w;
    const uint32_t handle = h.handle();
    packets::createBuffer(w, handle, 16, 0);
    const auto* first = reinterpret_cast<const uint8_t*>(&table);
    const auto result = h.submitRaw({w.data(), w.size()}, {first, bytes}).result;
    CommandWriter destroy;
    packets::destroyResource(destroy, handle);
    EXPECT_EQ(codeOf(h, destroy), result.last_error_code == kNone ? kNone : kDecode)
        << "what was refused ran";
    return result.last_error_code;
  };
  EXPECT_EQ(code([](Table&) {}), kNone);
  EXPECT_EQ(code([](Table& t) { t.entries[0].gpa = 0; }), kNone);
  EXPECT_EQ(code([](Table& t) { t.header.abi_version = 0x10099; }), kNone);
  EXPECT_EQ(code([](Table&) {}, 20), kDecode);
  EXPECT_EQ(code([](Table& t) { t.header.magic ^= 1; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.header.abi_version = 0x20000; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.header.size_bytes = 23; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.header.size_bytes = sizeof(Table) + 1; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.header.entry_stride_bytes = 31; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.header.entry_count = 3; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.entries[1].alloc_id = 0; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.entries[1].alloc_id = 1; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.entries[1].size_bytes = 0; }), kDecode);
  EXPECT_EQ(code([](Table& t) { t.entries[1].gpa = UINT64_MAX - 4094; }), kOob);
}

// ALLOC-3, ALLOC-6, ALLOC-9, COPY-1, OBJ-11
TEST(Backings, AreLookedAtWhenTheyAreUsed) {
  Harness h;
  const Allocation memory = h.allocate(4096);
  std::ranges::fill(h.bytes(memory), uint8_t{0xAB});
  const uint32_t buffer = makeBuffer(h, 256, memory.id), plain = makeBuffer(h, 256);
  EXPECT_EQ(h.readBuffer(buffer, 256), std::vector<uint8_t>(256)) << "creation copies nothing";
  CommandWriter dirty;
  packets::dirtyRange(dirty, buffer, 0, 16);
  const auto with = [&](uint64_t gpa, uint64_t size) {
    struct {
      aerogpu_alloc_table_header header{AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32, 56, 1, 32, 0};
      aerogpu_alloc_entry entry;
    } table;
    table.entry = {memory.id, 0, gpa, size, 0};
    const auto* first = reinterpret_cast<const uint8_t*>(&table);
    return h.submitRaw({dirty.data(), dirty.size()}, {first, 56}).result.last_error_code;
  };
  EXPECT_EQ(with(memory.gpa, 256), kNone);
  EXPECT_EQ(with(memory.gpa, 15), kOob) << "the allocation does not hold the range any more";
  EXPECT_EQ(with(uint64_t{1} << 40, 256), kOob) << "no memory";
  EXPECT_EQ(h.submitRaw({dirty.data(), dirty.size()}, {}).result.last_error_code, kDecode) << "not listed";
  CommandWriter unbacked;
  packets::dirtyRange(unbacked, plain, 0, 16);
  EXPECT_EQ(codeOf(h, unbacked), kDecode);
  CommandWriter past;
  packets::dirtyRange(past, buffer, 250, 16);
  EXPECT_EQ(codeOf(h, past), kOob);
}

// OBJ-1, OBJ-2, OBJ-3, OBJ-10
TEST(Objects, BoundOnesOutliveTheirHandles) {
  Harness h;
  const uint32_t shader = makeShader(h, kVertex), indices = makeBuffer(h, 64);
  CommandWriter bind;
  aerogpu_cmd_bind_shaders shaders{};
  shaders.vs = shader;
  bind.packet(AEROGPU_CMD_BIND_SHADERS, shaders);
  aerogpu_cmd_set_index_buffer index{};
  index.buffer = indices;
  bind.packet(AEROGPU_CMD_SET_INDEX_BUFFER, index);
  packets::destroyResource(bind, indices);
  aerogpu_cmd_destroy_shader gone{};
  gone.shader_handle = shader;
  bind.packet(AEROGPU_CMD_DESTROY_SHADER, gone);
  aerogpu_cmd_draw_indexed draw{};
  draw.index_count = 32;
  draw.instance_count = 1;
  bind.packet(AEROGPU_CMD_DRAW_INDEXED, draw);
  EXPECT_EQ(codeOf(h, bind), kNone);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_INDEX_BUFFER, index), kDecode);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, shaders), kDecode);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DESTROY_SHADER, gone), kDecode);

  const uint32_t buffer = makeBuffer(h, 64);
  aerogpu_cmd_destroy_sampler sampler{};
  sampler.sampler_handle = buffer;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DESTROY_SAMPLER, sampler), kDecode) << "another kind";
  aerogpu_cmd_destroy_texture_view view{};
  view.view_handle = buffer;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, view), kNone) << "ignored";
  EXPECT_EQ(h.readBuffer(buffer, 64).size(), 64u);
  CommandWriter zero;
  packets::createBuffer(zero, 0, 16, 0);
  EXPECT_EQ(codeOf(h, zero), kDecode) << "0 is no handle";
}

// OBJ-5, OBJ-6
TEST(Objects, SizesThatTheGpuDoesNotHave) {
  Harness h;
  CommandWriter large, odd;
  packets::createBuffer(large, h.handle(), (uint64_t{1} << 30) + 4, 0);
  EXPECT_EQ(codeOf(h, large), kOob);
  packets::createBuffer(odd, h.handle(), 18, 0);
  EXPECT_EQ(codeOf(h, odd), kDecode);
  for (const auto& [width, layers, code] :
       {std::tuple{16384u, 1u, kNone}, {16385u, 1u, kOob}, {4u, 2048u, kNone}, {4u, 2049u, kOob}}) {
    CommandWriter w;
    Harness::createTexture(w, h.handle(), kRgba, width, 1, 0, 1, layers);
    EXPECT_EQ(codeOf(h, w), code) << width << " wide, " << layers << " layers";
  }
}

// OBJ-8
TEST(Views, RangesAndFormats) {
  Harness h;
  const uint32_t texture = makeTexture(h, kRgba, 8, 4, 3);
  const auto code = [&](auto change) {
    aerogpu_cmd_create_texture_view c{};
    c.view_handle = h.handle();
    c.texture_handle = texture;
    c.format = kRgba;
    c.mip_level_count = 4;
    c.array_layer_count = 3;
    change(c);
    return codeOf(h, AEROGPU_CMD_CREATE_TEXTURE_VIEW, c);
  };
  using C = aerogpu_cmd_create_texture_view;
  EXPECT_EQ(code([](C&) {}), kNone);
  EXPECT_EQ(code([](C& c) { c.format = AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB; }), kNone);
  EXPECT_EQ(code([](C& c) { c.format = AEROGPU_FORMAT_R8G8B8X8_UNORM; }), kNone);
  EXPECT_EQ(code([](C& c) { c.format = AEROGPU_FORMAT_B8G8R8A8_UNORM; }), kDecode);
  EXPECT_EQ(code([](C& c) { c.mip_level_count = 0; }), kDecode);
  EXPECT_EQ(code([](C& c) { c.array_layer_count = 0; }), kDecode);
  EXPECT_EQ(code([](C& c) { c.base_mip_level = 1; }), kOob);
  EXPECT_EQ(code([](C& c) { c.base_array_layer = UINT32_MAX; }), kOob);
  EXPECT_EQ(code([](C& c) { c.texture_handle = 7777; }), kDecode);
}

// COPY-3, COPY-5, COPY-6, CMD-7
TEST(BufferCopies, RangesAndWriteBacks) {
  Harness h;
  const uint32_t src = makeBuffer(h, 64), dst = makeBuffer(h, 64);
  const auto bytes = pattern(64);
  CommandWriter fill;
  packets::upload(fill, src, 0, bytes);
  ASSERT_EQ(codeOf(h, fill), kNone);
  const auto code = [&](auto change) {
    aerogpu_cmd_copy_buffer c{};
    c.dst_buffer = dst;
    c.src_buffer = src;
    c.size_bytes = 64;
    change(c);
    return codeOf(h, AEROGPU_CMD_COPY_BUFFER, c);
  };
  using C = aerogpu_cmd_copy_buffer;
  EXPECT_EQ(code([](C& c) { c.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST; }), kDecode) << "no backing";
  EXPECT_EQ(h.readBuffer(dst, 64), std::vector<uint8_t>(64)) << "nothing was copied";
  EXPECT_EQ(code([](C& c) { c.dst_offset_bytes = 4; }), kOob);
  EXPECT_EQ(code([](C& c) { c.src_offset_bytes = UINT64_MAX - 3; }), kOob);
  EXPECT_EQ(code([](C& c) { c.size_bytes = 0; }), kNone);
  EXPECT_EQ(code([](C& c) { c.size_bytes = 0, c.dst_offset_bytes = 68; }), kOob) << "of nothing, but checked";
  const auto within = [&](uint64_t from, uint64_t to) {
    return code([&](C& c) {
      c.dst_buffer = src, c.src_offset_bytes = from, c.dst_offset_bytes = to, c.size_bytes = 16;
    });
  };
  EXPECT_EQ(within(0, 12), kDecode);
  EXPECT_EQ(within(12, 0), kDecode);
  EXPECT_EQ(within(0, 16), kNone);
}

// COPY-4, COPY-5, COPY-6
TEST(TextureCopies, RectanglesAndFormats) {
  Harness h;
  const uint32_t src = makeTexture(h, kRgba, 8), dst = makeTexture(h, kRgba, 8, 2);
  const uint32_t blocks = makeTexture(h, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10),
                 otherBlocks = makeTexture(h, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10);
  const uint32_t twin = makeTexture(h, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 8);
  const auto code = [&](auto change) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = dst;
    c.src_texture = src;
    c.width = c.height = 8;
    change(c);
    return codeOf(h, AEROGPU_CMD_COPY_TEXTURE2D, c);
  };
  using C = aerogpu_cmd_copy_texture2d;
  EXPECT_EQ(code([](C&) {}), kNone);
  EXPECT_EQ(code([&](C& c) { c.src_texture = twin; }), kDecode) << "formats differ";
  EXPECT_EQ(code([](C& c) { c.dst_x = 1; }), kOob);
  EXPECT_EQ(code([](C& c) { c.src_y = UINT32_MAX; }), kOob);
  EXPECT_EQ(code([](C& c) { c.dst_mip_level = 2; }), kOob);
  EXPECT_EQ(code([](C& c) { c.src_array_layer = 1; }), kOob);
  EXPECT_EQ(code([](C& c) { c.dst_mip_level = 1; }), kOob) << "mip 1 is smaller";
  EXPECT_EQ(code([](C& c) { c.width = 0; }), kNone);
  EXPECT_EQ(code([](C& c) { c.width = 0, c.dst_x = 9; }), kOob);
  EXPECT_EQ(code([](C& c) { c.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST; }), kDecode) << "no backing";
  EXPECT_EQ(code([&](C& c) { c.src_texture = dst, c.width = 5, c.dst_x = 3; }), kDecode) << "overlap";
  EXPECT_EQ(code([&](C& c) { c.src_texture = dst, c.width = 4, c.dst_x = 4; }), kNone);
  const auto block = [&](uint32_t x, uint32_t width) {
    return code([&](C& c) {
      c.dst_texture = blocks, c.src_texture = otherBlocks, c.src_x = c.dst_x = x, c.width = width,
      c.height = 4;
    });
  };
  EXPECT_EQ(block(4, 4), kNone);
  EXPECT_EQ(block(8, 2), kNone) << "up to the edge";
  EXPECT_EQ(block(2, 4), kDecode);
  EXPECT_EQ(block(4, 5), kDecode);
}

// SHADER-1, SHADER-13
TEST(Shaders, StagesAndSizes) {
  Harness h;
  for (const auto& [stage, code] :
       {std::pair{0u, kNone}, {1u, kNone}, {2u, kNone}, {3u, kNone}, {4u, kDecode}}) {
    aerogpu_cmd_set_texture c{};
    c.shader_stage = stage;
    EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_TEXTURE, c), code) << "stage " << stage;
  }
  for (const auto& [bytes, code] : {std::pair{4u, kDecode}, {8u, kNone}, {10u, kDecode}, {12u, kNone}}) {
    aerogpu_cmd_create_shader_dxbc c{};
    c.shader_handle = h.handle();
    c.dxbc_size_bytes = bytes;
    EXPECT_EQ(codeOf(h, AEROGPU_CMD_CREATE_SHADER_DXBC, c,
                     std::vector<uint32_t>{0xFFFE0200, 0x0000FFFF, 0x0000FFFF}),
              code)
        << bytes << " bytes";
  }
}

// SHADER-8, CMD-5, CMD-7, DRAW-2
TEST(Shaders, BindingsAreTakenTogetherOrNotAtAll) {
  Harness h;
  const uint32_t vs = makeShader(h, kVertex), ps = makeShader(h, kPixel),
                 gs = makeShader(h, kCompute, AEROGPU_SHADER_STAGE_EX_GEOMETRY),
                 hs = makeShader(h, kCompute, AEROGPU_SHADER_STAGE_EX_HULL);
  aerogpu_cmd_bind_shaders bind{};
  aerogpu_cmd_draw draw{};
  draw.vertex_count = 3;
  draw.instance_count = 1;
  bind.vs = vs;
  bind.ps = vs;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, bind), kDecode) << "a vertex shader as pixel shader";
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DRAW, draw), kDecode) << "the vertex shader was bound all the same";
  bind.ps = ps;
  bind.reserved0 = gs;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, bind), kNone) << "24 bytes: gs";
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DRAW, draw), kNone);
  bind.reserved0 = ps;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, bind), kDecode) << "24 bytes: gs is a pixel shader";
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, bind, std::vector<uint32_t>{gs, hs, 0}), kNone)
      << "36 bytes: reserved0 is ignored";
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, bind, std::vector<uint32_t>{gs, gs, 0}), kDecode);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, aerogpu_cmd_bind_shaders{}), kNone);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DRAW, draw), kDecode) << "0 unbinds";
}

// SHADER-10
TEST(Constants, FilesEndWhereDirect3DsDo) {
  Harness h;
  const auto floats = [&](uint32_t stage, uint32_t start, uint32_t count) {
    aerogpu_cmd_set_shader_constants_f c{};
    c.stage = stage;
    c.start_register = start;
    c.vec4_count = count;
    return codeOf(h, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, c, std::vector<aerogpu_constant_register>(count));
  };
  EXPECT_EQ(floats(kVertex, 0, 256), kNone);
  EXPECT_EQ(floats(kVertex, 255, 2), kOob);
  EXPECT_EQ(floats(kVertex, UINT32_MAX, 1), kOob);
  EXPECT_EQ(floats(kPixel, 0, 224), kNone);
  EXPECT_EQ(floats(kPixel, 224, 1), kOob);
  EXPECT_EQ(floats(kCompute, 0, 1), kDecode);
  EXPECT_EQ(floats(AEROGPU_SHADER_STAGE_GEOMETRY, 0, 1), kDecode);
}

// STATE-9
TEST(Targets, FormatsAndCounts) {
  Harness h;
  const uint32_t color = makeTexture(h, kRgba, 8), depth = makeTexture(h, AEROGPU_FORMAT_D32_FLOAT, 8),
                 blocks = makeTexture(h, AEROGPU_FORMAT_BC1_RGBA_UNORM, 8), buffer = makeBuffer(h, 64);
  const auto code = [&](uint32_t first, uint32_t depthStencil, uint32_t count = 1) {
    aerogpu_cmd_set_render_targets c{};
    c.color_count = count;
    c.colors[0] = first;
    c.depth_stencil = depthStencil;
    return codeOf(h, AEROGPU_CMD_SET_RENDER_TARGETS, c);
  };
  EXPECT_EQ(code(color, depth), kNone);
  EXPECT_EQ(code(color, 0, 8), kNone);
  EXPECT_EQ(code(color, 0, 9), kDecode);
  EXPECT_EQ(code(depth, 0), kDecode);
  EXPECT_EQ(code(blocks, 0), kDecode);
  EXPECT_EQ(code(buffer, 0), kDecode);
  EXPECT_EQ(code(0, color), kDecode);
}

// STATE-10
TEST(Viewports, FiniteAndNotNegative) {
  Harness h;
  const auto code = [&](float x, float width) {
    aerogpu_cmd_set_viewport c{};
    c.x_f32 = bitsOf(x);
    c.width_f32 = bitsOf(width);
    c.height_f32 = bitsOf(8);
    c.max_depth_f32 = bitsOf(1);
    return codeOf(h, AEROGPU_CMD_SET_VIEWPORT, c);
  };
  EXPECT_EQ(code(-4, 8), kNone);
  EXPECT_EQ(code(0, 0), kNone);
  EXPECT_EQ(code(0, -1), kDecode);
  EXPECT_EQ(code(0, INFINITY), kDecode);
  EXPECT_EQ(code(NAN, 8), kDecode);
  aerogpu_cmd_set_scissor scissor{};
  scissor.x = -8;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_SCISSOR, scissor), kNone);
  scissor.height = -1;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_SCISSOR, scissor), kDecode);
}

// STATE-11, STATE-12, STATE-13
TEST(Bindings, SlotsAndRanges) {
  Harness h;
  const uint32_t buffer = makeBuffer(h, 64);
  aerogpu_cmd_set_texture texture{};
  texture.slot = 127;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_TEXTURE, texture), kNone);
  texture.slot = 128;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_TEXTURE, texture), kOob);
  texture = {};
  texture.texture = buffer;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_SET_TEXTURE, texture), kDecode) << "a buffer";
  const auto constants = [&](uint32_t slot, uint32_t offset, uint32_t size) {
    aerogpu_cmd_set_constant_buffers c{};
    c.start_slot = slot;
    c.buffer_count = 1;
    return codeOf(h, AEROGPU_CMD_SET_CONSTANT_BUFFERS, c,
                  std::vector<aerogpu_constant_buffer_binding>{{buffer, offset, size, 0}});
  };
  EXPECT_EQ(constants(13, 0, 64), kNone);
  EXPECT_EQ(constants(14, 0, 64), kOob);
  EXPECT_EQ(constants(0, 16, 0), kNone) << "to the end";
  EXPECT_EQ(constants(0, 16, 64), kOob);
  EXPECT_EQ(constants(0, 64, 0), kOob) << "empty";
  const auto stream = [&](uint32_t slot, uint32_t stride, uint32_t offset) {
    aerogpu_cmd_set_vertex_buffers c{};
    c.start_slot = slot;
    c.buffer_count = 1;
    return codeOf(h, AEROGPU_CMD_SET_VERTEX_BUFFERS, c,
                  std::vector<aerogpu_vertex_buffer_binding>{{buffer, stride, offset, 0}});
  };
  EXPECT_EQ(stream(31, 2048, 64), kNone);
  EXPECT_EQ(stream(32, 16, 0), kOob);
  EXPECT_EQ(stream(0, 2049, 0), kOob);
  EXPECT_EQ(stream(0, 16, 65), kOob);
  const auto indices = [&](uint32_t format, uint32_t offset) {
    aerogpu_cmd_set_index_buffer c{};
    c.buffer = buffer;
    c.format = format;
    c.offset_bytes = offset;
    return codeOf(h, AEROGPU_CMD_SET_INDEX_BUFFER, c);
  };
  EXPECT_EQ(indices(AEROGPU_INDEX_FORMAT_UINT16, 2), kNone);
  EXPECT_EQ(indices(AEROGPU_INDEX_FORMAT_UINT32, 2), kDecode);
  EXPECT_EQ(indices(AEROGPU_INDEX_FORMAT_UINT16, 66), kOob);
  EXPECT_EQ(indices(2, 0), kDecode);
}

// DRAW-2, DRAW-3, DRAW-19, DRAW-8, DRAW-17, LIM-1
TEST(Draws, CountsAndWhatTheyNeed) {
  Harness h;
  const uint32_t vs = makeShader(h, kVertex), cs = makeShader(h, kCompute), indices = makeBuffer(h, 64);
  const auto draw = [&](uint32_t vertices, uint32_t instances, uint32_t first = 0) {
    aerogpu_cmd_draw c{};
    c.vertex_count = vertices;
    c.instance_count = instances;
    c.first_vertex = first;
    return codeOf(h, AEROGPU_CMD_DRAW, c);
  };
  const auto drawIndexed = [&](uint32_t count, uint32_t first) {
    aerogpu_cmd_draw_indexed c{};
    c.index_count = count;
    c.instance_count = 1;
    c.first_index = first;
    return codeOf(h, AEROGPU_CMD_DRAW_INDEXED, c);
  };
  const auto dispatch = [&](uint32_t x, uint32_t y, uint32_t z) {
    aerogpu_cmd_dispatch c{};
    c.group_count_x = x;
    c.group_count_y = y;
    c.group_count_z = z;
    return codeOf(h, AEROGPU_CMD_DISPATCH, c);
  };
  EXPECT_EQ(draw(0, 1), kNone) << "nothing, also without a shader";
  EXPECT_EQ(draw(3, 0), kNone);
  EXPECT_EQ(draw(3, 1), kDecode);
  EXPECT_EQ(dispatch(1, 1, 1), kDecode);
  aerogpu_cmd_bind_shaders bind{};
  bind.vs = vs;
  bind.cs = cs;
  ASSERT_EQ(codeOf(h, AEROGPU_CMD_BIND_SHADERS, bind), kNone);
  EXPECT_EQ(drawIndexed(3, 0), kDecode) << "no index buffer";
  aerogpu_cmd_set_index_buffer index{};
  index.buffer = indices;
  ASSERT_EQ(codeOf(h, AEROGPU_CMD_SET_INDEX_BUFFER, index), kNone);
  EXPECT_EQ(drawIndexed(32, 0), kNone);
  EXPECT_EQ(drawIndexed(32, 1), kNone) << "31 of them are there";
  EXPECT_EQ(drawIndexed(1, UINT32_MAX), kNone) << "none is";
  EXPECT_EQ(draw(3, 1, UINT32_MAX - 2), kOob);
  EXPECT_EQ(draw(1u << 28, 1), kNone);
  EXPECT_EQ(draw((1u << 28) + 1, 1), kOob);
  EXPECT_EQ(draw(1u << 20, (1u << 8) + 1), kOob);
  EXPECT_EQ(dispatch(0, 7, 7), kNone);
  EXPECT_EQ(dispatch(65535, 256, 1), kNone);
  EXPECT_EQ(dispatch(1, 65536, 1), kOob);
  EXPECT_EQ(dispatch(1, 4097, 4096), kOob);
}

// DRAW-7
TEST(Clears, FlagsAndDepth) {
  Harness h;
  const uint32_t color = makeTexture(h, kRgba, 8), depth = makeTexture(h, AEROGPU_FORMAT_D32_FLOAT, 8);
  const auto clear = [&](uint32_t flags, float value) {
    aerogpu_cmd_clear c{};
    c.flags = flags;
    c.depth_f32 = bitsOf(value);
    return codeOf(h, AEROGPU_CMD_CLEAR, c);
  };
  EXPECT_EQ(clear(AEROGPU_CLEAR_COLOR, 7), kNone) << "without a target nothing is cleared";
  EXPECT_EQ(clear(AEROGPU_CLEAR_DEPTH, 1), kDecode);
  EXPECT_EQ(clear(AEROGPU_CLEAR_STENCIL, 1), kDecode);
  aerogpu_cmd_set_render_targets targets{};
  targets.color_count = 1;
  targets.colors[0] = color;
  targets.depth_stencil = depth;
  ASSERT_EQ(codeOf(h, AEROGPU_CMD_SET_RENDER_TARGETS, targets), kNone);
  EXPECT_EQ(clear(AEROGPU_CLEAR_DEPTH, 1), kNone);
  EXPECT_EQ(clear(AEROGPU_CLEAR_DEPTH, 1.5f), kDecode);
  EXPECT_EQ(clear(AEROGPU_CLEAR_DEPTH, -0.5f), kDecode);
  EXPECT_EQ(clear(AEROGPU_CLEAR_DEPTH, NAN), kDecode);
  EXPECT_EQ(clear(8, 1), kDecode);
}

// PRES-8
TEST(Flush, HandsOverWhatCameBeforeIt) {
  test::FakeExecutor f;
  CommandWriter w;
  const std::vector<uint32_t> code = {0xFFFE0200, 0x0000FFFF};
  aerogpu_cmd_create_shader_dxbc create{};
  create.shader_handle = 1;
  create.dxbc_size_bytes = 8;
  w.packetWithTail(AEROGPU_CMD_CREATE_SHADER_DXBC, create, code.data(), 8);
  aerogpu_cmd_bind_shaders bind{};
  bind.vs = 1;
  w.packet(AEROGPU_CMD_BIND_SHADERS, bind);
  aerogpu_cmd_draw draw{};
  draw.vertex_count = 3;
  draw.instance_count = 1;
  for (int i = 0; i < 3; ++i) {
    w.packet(AEROGPU_CMD_DRAW, draw);
    if (i != 1) w.packet(AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{});
  }
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  EXPECT_EQ(f.backend.drawsAtFlush, (std::vector<uint64_t>{1, 3}));
}

uint32_t exportOf(Harness& h, uint32_t handle, uint64_t token) {
  aerogpu_cmd_export_shared_surface c{};
  c.resource_handle = handle;
  c.share_token = token;
  return codeOf(h, AEROGPU_CMD_EXPORT_SHARED_SURFACE, c);
}
uint32_t importOf(Harness& h, uint32_t handle, uint64_t token) {
  aerogpu_cmd_import_shared_surface c{};
  c.out_resource_handle = handle;
  c.share_token = token;
  return codeOf(h, AEROGPU_CMD_IMPORT_SHARED_SURFACE, c);
}

// TOK-1, TOK-2, TOK-3, TOK-4, TOK-6
TEST(Tokens, SeveralOfOneResourceAndNoneOfOthers) {
  Harness h;
  const uint32_t texture = makeTexture(h, kRgba, 4), buffer = makeBuffer(h, 64), alias = h.handle();
  EXPECT_EQ(exportOf(h, texture, 0), kDecode);
  EXPECT_EQ(exportOf(h, h.handle(), 5), kDecode) << "no such resource";
  EXPECT_EQ(exportOf(h, texture, 5), kNone);
  EXPECT_EQ(exportOf(h, texture, 6), kNone) << "a second token";
  EXPECT_EQ(exportOf(h, buffer, 6), kDecode);
  EXPECT_EQ(importOf(h, alias, 0), kDecode);
  EXPECT_EQ(importOf(h, alias, 7), kDecode);
  EXPECT_EQ(importOf(h, buffer, 5), kDecode) << "the handle is taken";
  EXPECT_EQ(importOf(h, alias, 6), kNone) << "the handle stayed free";
  const auto bytes = pattern(64);
  CommandWriter w;
  packets::upload(w, texture, 0, bytes);
  packets::destroyResource(w, texture);
  ASSERT_EQ(codeOf(h, w), kNone);
  EXPECT_EQ(h.readTexture(alias, kRgba, 4, 4), bytes) << "one object, two handles";
  EXPECT_EQ(importOf(h, texture, 5), kNone) << "both tokens live on, and the handle is free";
}

// TOK-10, TOK-8, PCI-7
TEST(Tokens, UsedUpUntilADeviceReset) {
  Harness h;
  const uint32_t first = makeBuffer(h, 64);
  aerogpu_cmd_release_shared_surface release{};
  const auto releaseOf = [&](uint64_t token) {
    release.share_token = token;
    return codeOf(h, AEROGPU_CMD_RELEASE_SHARED_SURFACE, release);
  };
  ASSERT_EQ(exportOf(h, first, 9), kNone);
  EXPECT_EQ(releaseOf(9), kNone);
  EXPECT_EQ(exportOf(h, first, 9), kDecode);
  EXPECT_EQ(importOf(h, h.handle(), 9), kDecode);
  EXPECT_EQ(releaseOf(9), kNone) << "again";
  EXPECT_EQ(releaseOf(10), kNone) << "unknown";
  EXPECT_EQ(exportOf(h, first, 10), kDecode) << "the EXPORT came late";
  EXPECT_EQ(releaseOf(0), kNone) << "no token";
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  const uint32_t second = makeBuffer(h, 64);
  EXPECT_EQ(exportOf(h, second, 9), kNone);
  EXPECT_EQ(exportOf(h, second, 10), kNone);
}

// TOK-11
TEST(Tokens, CountAgainstHostMemory) {
  Harness::Options options;
  options.maxHostmem = 1 << 18;
  Harness h(options);
  CommandWriter w;
  packets::createBuffer(w, 1, 16, 0);
  for (uint64_t token = 1; token <= 10000; ++token) {
    aerogpu_cmd_export_shared_surface c{};
    c.resource_handle = 1;
    c.share_token = token;
    w.packet(AEROGPU_CMD_EXPORT_SHARED_SURFACE, c);
  }
  const auto result = h.submit(w).result;
  EXPECT_EQ(result.last_error_code, kBackend);
  EXPECT_LT(result.error_count, 10000u) << "the first ones fit";
  aerogpu_cmd_release_shared_surface release{};
  release.share_token = 20000;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_RELEASE_SHARED_SURFACE, release), kBackend) << "unknown";
  release.share_token = 1;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_RELEASE_SHARED_SURFACE, release), kNone) << "remembered already";
}

// LIM-7
TEST(Limits, ObjectsThatLiveAtOnce) {
  Harness h;
  CommandWriter w;
  constexpr uint32_t kMost = 1u << 20, kStep = 1u << 18;
  for (uint32_t made = 0; made < kMost; made += kStep) {
    w.reset();
    for (uint32_t i = 0; i < kStep; ++i) {
      aerogpu_cmd_create_sampler c{};
      c.sampler_handle = made + i + 1;
      w.packet(AEROGPU_CMD_CREATE_SAMPLER, c);
    }
    ASSERT_EQ(h.submit(w).result.error_count, 0u) << made;
  }
  aerogpu_cmd_create_sampler more{};
  more.sampler_handle = kMost + 1;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_CREATE_SAMPLER, more), kBackend);
  aerogpu_cmd_destroy_sampler one{};
  one.sampler_handle = 7;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_DESTROY_SAMPLER, one), kNone);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_CREATE_SAMPLER, more), kNone);
}

// SUB-8
TEST(Limits, ContextsThatLiveAtOnce) {
  Harness h;
  for (uint32_t context = 0; context < 1024; ++context)
    ASSERT_EQ(codeOf(h, AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{}, context * 0x10001), kNone) << context;
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{}, 5), kBackend);
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{}, 1023 * 0x10001), kNone);
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(codeOf(h, AEROGPU_CMD_FLUSH, aerogpu_cmd_flush{}, 5), kNone);
}

}  // namespace
