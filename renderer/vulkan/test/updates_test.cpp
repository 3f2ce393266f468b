// SPDX-License-Identifier: MIT
// EXT_UPDATE_BUFFER, EXT_UPDATE_TEXTURE and EXT_READ_TEXTURE on both back ends, against bytes in memory.
#include <algorithm>
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr aerogpu_format kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM, kBc1 = AEROGPU_FORMAT_BC1_RGBA_UNORM,
                         kRgb565 = AEROGPU_FORMAT_B5G6R5_UNORM, kDepth = AEROGPU_FORMAT_D24_UNORM_S8_UINT;
constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB;

/// Each test has its own renderer, since the back ends take turns.
class Updates : public GpuTest, public ::testing::WithParamInterface<const char*> {
protected:
  static void SetUpTestSuite() {}
  static void TearDownTestSuite() {}
  void SetUp() override {
    if (std::string(GetParam()) == "vulkan") {
      GpuTest::SetUpTestSuite();
    } else {
      Harness::Options options;
      options.backend = GetParam();
      s_gpu = new Harness(options);
    }
    GpuTest::SetUp();
  }
  void TearDown() override {
    GpuTest::TearDown();
    GpuTest::TearDownTestSuite();
  }

  std::mt19937 m_random{oracleSeed(20)};
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(m_random() % end); }
  void noise(std::span<uint8_t> bytes) {
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(m_random());
  }
};

// UPD-1, UPD-3, UPD-14, UPD-8: any allocation, any offsets, with and without a backing.
TEST_P(Updates, BuffersFromAnyMemory) {
  constexpr uint32_t kBytes = 40000;
  const Allocation memory = gpu().allocate(kBytes),
                   readOnly = gpu().allocate(kBytes, AEROGPU_ALLOC_FLAG_READONLY),
                   scattered = gpu().allocateScattered(kBytes), backing = gpu().allocate(kBytes);
  noise(gpu().bytes(backing));
  const Bytes untouched(gpu().bytes(backing).begin(), gpu().bytes(backing).end());
  CommandWriter w;
  const uint32_t buffers[] = {gpu().handle(), gpu().handle()};
  packets::createBuffer(w, buffers[0], kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::createBuffer(w, buffers[1], kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, backing.id);
  run(w);
  Bytes models[] = {Bytes(kBytes), Bytes(kBytes)};
  for (int round = 0; round < 20; ++round) {
    noise(gpu().bytes(memory));
    noise(gpu().bytes(readOnly));
    Bytes pages(kBytes);
    for (uint32_t i = 0; i < kBytes; ++i)
      gpu().scatteredByte(scattered, i) = pages[i] = static_cast<uint8_t>(m_random());
    const std::span<const uint8_t> sources[] = {gpu().bytes(memory), gpu().bytes(readOnly), pages};
    const uint32_t ids[] = {memory.id, readOnly.id, scattered.id};
    for (int i = 0; i < 10; ++i) {
      const uint32_t which = below(2), source = below(3);
      // With DISCARD all bytes are known only if all are overwritten.
      const bool whole = below(4) == 0;
      const uint32_t size = whole ? kBytes : 1 + below(9000);
      const uint32_t to = whole ? 0 : below(kBytes - size + 1), from = whole ? 0 : below(kBytes - size + 1);
      w.packet(aerogpu_cmd_ext_update_buffer{.buffer = buffers[which],
                                             .flags = whole ? below(2) * AEROGPU_EXT_UPDATE_DISCARD : 0,
                                             .dst_offset_bytes = to,
                                             .size_bytes = size,
                                             .src_alloc_id = ids[source],
                                             .src_offset_bytes = from});
      std::copy_n(sources[source].begin() + from, size, models[which].begin() + to);
    }
    run(w);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(gpu().readBuffer(buffers[i], kBytes), models[i]) << round;
  }
  EXPECT_TRUE(std::equal(untouched.begin(), untouched.end(), gpu().bytes(backing).begin()));
}

/// A texture, a model of its bytes (tight, all mips of layer 0 first), and boxes of it.
struct Model {
  aerogpu_format format;
  uint32_t block, blockBytes;
  uint32_t width, height, mips, layers;
  uint32_t handle = 0;
  std::vector<Bytes> subresources{};

  uint32_t w(uint32_t mip) const { return std::max(1u, width >> mip); }
  uint32_t h(uint32_t mip) const { return std::max(1u, height >> mip); }
  uint32_t columns(uint32_t texels) const { return (texels + block - 1) / block; }
  uint32_t row(uint32_t mip) const { return columns(w(mip)) * blockBytes; }
  Bytes& of(uint32_t mip, uint32_t layer) { return subresources[layer * mips + mip]; }
};

// UPD-1, UPD-4, UPD-5, UPD-9: random boxes there and back.
TEST_P(Updates, BoxesOfTexturesBothWays) {
  std::vector<Model> models = {{kRgba, 1, 4, 61, 37, 3, 2},
                               {kRgb565, 1, 2, 64, 33, 1, 1},
                               {kBc1, 4, 8, 50, 38, 2, 1},
                               {kDepth, 1, 4, 40, 40, 1, 1}};
  if (deviceIsBare()) models.erase(models.begin() + 2);  // it has no such formats
  constexpr uint32_t kBytes = 60000;
  const Allocation memory = gpu().allocate(kBytes), scattered = gpu().allocateScattered(kBytes),
                   result = gpu().allocate(kBytes), spread = gpu().allocateScattered(kBytes);
  CommandWriter w;
  for (Model& m : models) {
    m.handle = texture(w, m.format, m.width, m.height, m.mips, m.layers, AEROGPU_RESOURCE_USAGE_TEXTURE);
    for (uint32_t layer = 0; layer < m.layers; ++layer)
      for (uint32_t mip = 0; mip < m.mips; ++mip)
        m.subresources.emplace_back(size_t{m.row(mip)} * m.columns(m.h(mip)));
  }
  run(w);
  for (int round = 0; round < 60; ++round) {
    Model& m = models[below(static_cast<uint32_t>(models.size()))];
    const uint32_t mip = below(m.mips), layer = below(m.layers);
    const auto part = [&](uint32_t texels, uint32_t& first, uint32_t& size) {
      const uint32_t blocks = m.columns(texels), x = below(blocks), n = 1 + below(blocks - x);
      first = x * m.block;
      size = std::min((x + n) * m.block, texels) - first;
    };
    uint32_t x, y, width, height;
    part(m.w(mip), x, width);
    part(m.h(mip), y, height);
    const uint32_t rowBytes = m.columns(width) * m.blockBytes, rows = m.columns(height);
    const uint32_t pitch = rows == 1 ? below(9) : rowBytes + below(100), offset = below(500);
    const bool pages = below(2);
    const auto source = [&](uint32_t i) -> uint8_t& {
      return pages ? gpu().scatteredByte(scattered, i) : gpu().bytes(memory)[i];
    };
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t i = 0; i < rowBytes; ++i) {
        const auto byte = static_cast<uint8_t>(m_random());
        source(offset + r * pitch + i) = byte;
        m.of(mip, layer)[size_t{y / m.block + r} * m.row(mip) + x / m.block * m.blockBytes + i] = byte;
      }
    w.packet(aerogpu_cmd_ext_update_texture{.texture = m.handle,
                                            .flags = below(2) * AEROGPU_EXT_UPDATE_NO_OVERWRITE,
                                            .mip_level = mip,
                                            .array_layer = layer,
                                            .x = x,
                                            .y = y,
                                            .width = width,
                                            .height = height,
                                            .depth = 1,
                                            .src_alloc_id = pages ? scattered.id : memory.id,
                                            .src_row_pitch_bytes = pitch,
                                            .src_offset_bytes = offset});
    // Reads back another box.
    part(m.w(mip), x, width);
    part(m.h(mip), y, height);
    const uint32_t outRow = m.columns(width) * m.blockBytes, outRows = m.columns(height);
    const uint32_t outPitch = outRow + below(50), outOffset = below(300);
    const bool toPages = below(2);
    std::ranges::fill(gpu().bytes(result), 0xCD);
    for (uint32_t i = 0; i < kBytes; ++i) gpu().scatteredByte(spread, i) = 0xCD;
    w.packet(aerogpu_cmd_ext_read_texture{.texture = m.handle,
                                          .mip_level = mip,
                                          .array_layer = layer,
                                          .x = x,
                                          .y = y,
                                          .width = width,
                                          .height = height,
                                          .depth = 1,
                                          .dst_alloc_id = toPages ? spread.id : result.id,
                                          .dst_row_pitch_bytes = outPitch,
                                          .dst_offset_bytes = outOffset});
    run(w);
    Bytes want(kBytes, 0xCD), got(kBytes);
    for (uint32_t r = 0; r < outRows; ++r)
      std::copy_n(
          m.of(mip, layer).begin() + size_t{y / m.block + r} * m.row(mip) + x / m.block * m.blockBytes,
          outRow, want.begin() + outOffset + r * outPitch);
    for (uint32_t i = 0; i < kBytes; ++i)
      got[i] = toPages ? gpu().scatteredByte(spread, i) : gpu().bytes(result)[i];
    ASSERT_EQ(got, want) << "round " << round << ", format " << m.format;
  }
}

// UPD-1, UPD-6, UPD-9, COPY-7: one packet reads back bytes that another brings to the next texture, in one
// submission.
TEST_P(Updates, KeepTheOrderOfPackets) {
  const Allocation memory = gpu().allocate(4096);
  CommandWriter w;
  const uint32_t first = texture(w, kRgba, 8, 8), second = texture(w, kRgba, 8, 8);
  run(w);
  for (uint8_t round = 1; round < 6; ++round) {
    const Bytes bytes(256, round);
    packets::upload(w, first, 0, bytes);
    w.packet(aerogpu_cmd_ext_read_texture{.texture = first,
                                          .width = 8,
                                          .height = 8,
                                          .depth = 1,
                                          .dst_alloc_id = memory.id,
                                          .dst_row_pitch_bytes = 32});
    w.packet(aerogpu_cmd_ext_update_texture{.texture = second,
                                            .width = 8,
                                            .height = 8,
                                            .depth = 1,
                                            .src_alloc_id = memory.id,
                                            .src_row_pitch_bytes = 32});
    packets::upload(w, first, 0, Bytes(256));
    run(w);
    EXPECT_EQ(read(second, kRgba, 8, 8), bytes);
  }
}

// UPD-2 to UPD-5, UPD-9, CMD-7: one fault, and nothing is done.
TEST_P(Updates, RefusedOnes) {
  const Allocation memory = gpu().allocate(4096),
                   readOnly = gpu().allocate(4096, AEROGPU_ALLOC_FLAG_READONLY),
                   nothing = gpu().name(uint64_t{1} << 40, 4096);
  std::ranges::fill(gpu().bytes(memory), 1);
  CommandWriter w;
  const uint32_t b = gpu().handle(), view = gpu().handle(), t = texture(w, kRgba, 8, 8, 2),
                 bc = deviceIsBare() ? 0 : texture(w, kBc1, 8, 8, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
  packets::createBuffer(w, b, 256, 0);
  w.packet(aerogpu_cmd_create_texture_view{.view_handle = view,
                                           .texture_handle = t,
                                           .format = kRgba,
                                           .mip_level_count = 1,
                                           .array_layer_count = 1});
  run(w);
  using UpdateBuffer = aerogpu_cmd_ext_update_buffer;
  using UpdateTexture = aerogpu_cmd_ext_update_texture;
  using ReadTexture = aerogpu_cmd_ext_read_texture;
  const UpdateBuffer goodBuffer{.buffer = b,
                                .dst_offset_bytes = 6,
                                .size_bytes = 250,
                                .src_alloc_id = memory.id,
                                .src_offset_bytes = 3846};
  const struct {
    uint32_t code;
    void (*spoil)(UpdateBuffer&);
  } buffers[] = {
      {kDecode, [](UpdateBuffer& c) { c.flags = 4; }},
      {kDecode, [](UpdateBuffer& c) { c.buffer = 0; }},
      {kDecode, [](UpdateBuffer& c) { c.buffer += 1; }},  // the view
      {kDecode, [](UpdateBuffer& c) { c.src_alloc_id = 0; }},
      {kDecode, [](UpdateBuffer& c) { c.src_alloc_id = 999; }},
      {kOob, [](UpdateBuffer& c) { c.size_bytes = 251; }},
      {kOob, [](UpdateBuffer& c) { c.dst_offset_bytes = UINT64_MAX; }},
      {kOob, [](UpdateBuffer& c) { c.size_bytes = UINT64_MAX; }},
      {kOob, [](UpdateBuffer& c) { c.src_offset_bytes = 3847; }},
      {kOob, [](UpdateBuffer& c) { c.src_offset_bytes = UINT64_MAX - 5; }},
      {kOob, [](UpdateBuffer& c) { c.src_alloc_id += 2; }},  // no memory
  };
  for (const auto& c : buffers) {
    UpdateBuffer packet = goodBuffer;
    c.spoil(packet);
    w.packet(packet);
    EXPECT_EQ(runForError(w), c.code) << &c - buffers;
  }
  EXPECT_EQ(gpu().readBuffer(b, 256), Bytes(256));
  w.packet(goodBuffer);
  UpdateBuffer empty = goodBuffer;
  empty.size_bytes = 0;
  w.packet(empty);
  run(w);

  // 2x2 texels at 6,6 of mip 0, the last bytes of the allocation.
  const UpdateTexture good{.texture = t,
                           .x = 6,
                           .y = 6,
                           .width = 2,
                           .height = 2,
                           .depth = 1,
                           .src_alloc_id = memory.id,
                           .src_row_pitch_bytes = 8,
                           .src_offset_bytes = 4080};
  const struct {
    uint32_t code;
    void (*spoil)(UpdateTexture&);
  } textures[] = {
      {kDecode, [](UpdateTexture& c) { c.flags = 8; }},
      {kDecode, [](UpdateTexture& c) { c.texture = 0; }},
      {kDecode, [](UpdateTexture& c) { c.texture -= 1; }},  // the view
      {kDecode, [](UpdateTexture& c) { c.texture -= 2; }},  // the buffer
      {kOob, [](UpdateTexture& c) { c.mip_level = 2; }},
      {kOob, [](UpdateTexture& c) { c.array_layer = 1; }},
      {kOob, [](UpdateTexture& c) { c.x = 7; }},
      {kOob, [](UpdateTexture& c) { c.y = UINT32_MAX; }},
      {kOob, [](UpdateTexture& c) { c.z = 1; }},
      {kOob, [](UpdateTexture& c) { c.depth = 2; }},
      {kOob, [](UpdateTexture& c) { c.mip_level = 1; }},
      {kDecode, [](UpdateTexture& c) { c.src_row_pitch_bytes = 7; }},
      {kDecode, [](UpdateTexture& c) { c.src_alloc_id = 999; }},
      {kOob, [](UpdateTexture& c) { c.src_offset_bytes = 4081; }},
      {kOob, [](UpdateTexture& c) { c.src_offset_bytes = UINT64_MAX; }},
      {kOob, [](UpdateTexture& c) { c.src_row_pitch_bytes = 9; }},
      {kOob, [](UpdateTexture& c) { c.src_alloc_id += 2; }},  // no memory
  };
  for (const auto& c : textures) {
    UpdateTexture packet = good;
    c.spoil(packet);
    w.packet(packet);
    EXPECT_EQ(runForError(w), c.code) << &c - textures;
  }
  EXPECT_EQ(read(t, kRgba, 8, 8), Bytes(256));
  if (bc != 0) {
    UpdateTexture cut = good;
    cut.texture = bc;
    w.packet(cut);
    EXPECT_EQ(runForError(w), kDecode);
  }
  w.packet(good);
  UpdateTexture none = good;
  none.width = 0;
  none.src_offset_bytes = 0;
  w.packet(none);
  run(w);

  std::ranges::fill(gpu().bytes(memory), 0xEE);
  const ReadTexture out{.texture = t,
                        .x = 6,
                        .y = 6,
                        .width = 2,
                        .height = 2,
                        .depth = 1,
                        .dst_alloc_id = memory.id,
                        .dst_row_pitch_bytes = 8,
                        .dst_offset_bytes = 4080};
  const struct {
    uint32_t code;
    void (*spoil)(ReadTexture&);
  } reads[] = {
      {kDecode, [](ReadTexture& c) { c.texture = 0; }},
      {kDecode, [](ReadTexture& c) { c.texture -= 1; }},
      {kOob, [](ReadTexture& c) { c.mip_level = 2; }},
      {kOob, [](ReadTexture& c) { c.array_layer = 1; }},
      {kOob, [](ReadTexture& c) { c.width = 3; }},
      {kOob, [](ReadTexture& c) { c.height = UINT32_MAX; }},
      {kOob, [](ReadTexture& c) { c.depth = 2; }},
      {kDecode, [](ReadTexture& c) { c.dst_row_pitch_bytes = 4; }},
      {kDecode, [](ReadTexture& c) { c.dst_alloc_id = 999; }},
      {kOob, [](ReadTexture& c) { c.dst_alloc_id += 1; }},  // READONLY
      {kOob, [](ReadTexture& c) { c.dst_alloc_id += 2; }},  // no memory
      {kOob, [](ReadTexture& c) { c.dst_offset_bytes = 4084; }},
  };
  (void)readOnly;
  (void)nothing;
  for (const auto& c : reads) {
    ReadTexture packet = out;
    c.spoil(packet);
    w.packet(packet);
    EXPECT_EQ(runForError(w), c.code) << &c - reads;
  }
  const auto kept = gpu().bytes(memory);
  EXPECT_TRUE(std::ranges::all_of(kept, [](uint8_t byte) { return byte == 0xEE; }));
  w.packet(out);
  run(w);
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(gpu().bytes(memory)[4080 + i], 1) << i;
}

/// A buffer in use gets other memory for an update. Another program's bytes in it stay unseen if the update's
/// bytes cannot be read: all of them, or those after the first.
// UPD-2, CMD-7
TEST_P(Updates, UnreadableMemoryShowsNoOtherBuffersBytes) {
  constexpr uint32_t kBytes = 24000, kSecret = 0x5C;
  const uint32_t used = gpu().handle(), copied = gpu().handle();
  Bytes own(kBytes);
  for (uint8_t& byte : own) byte = static_cast<uint8_t>(m_random() % kSecret);
  CommandWriter w;
  packets::createBuffer(w, used, kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::createBuffer(w, copied, kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(w, used, 0, own);
  std::vector<uint32_t> others(40);
  for (uint32_t& other : others) {
    other = gpu().handle();
    packets::createBuffer(w, other, kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
    packets::upload(w, other, 0, Bytes(kBytes, kSecret));
  }
  run(w);
  // Every second one, the last too, whose memory is the next to be reused.
  for (size_t i = 1; i < others.size(); i += 2) packets::destroyResource(w, others[i]);
  run(w);
  const uint64_t end = gpu().memory().size();
  for (const uint64_t readable : {0, 4096, 20000}) {
    const Allocation memory = gpu().name(end - readable, kBytes);
    std::ranges::fill(gpu().memory().subspan(end - readable), 1);
    for (const uint32_t size : {kBytes, kBytes - 2000}) {
      packets::copyBuffer(w, copied, used, kBytes, 0);
      w.packet(aerogpu_cmd_ext_update_buffer{
          .buffer = used, .size_bytes = size, .src_alloc_id = memory.id, .src_offset_bytes = 0});
      EXPECT_EQ(runForError(w), kOob);
      const Bytes now = gpu().readBuffer(used, kBytes);
      EXPECT_EQ(std::ranges::count(now, kSecret), 0) << readable << " of " << size;
      EXPECT_TRUE(std::equal(own.begin() + size, own.end(), now.begin() + size)) << "what is not updated";
    }
    gpu().forget(memory);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Updates, ::testing::Values("null", "vulkan"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aerogpu::test
