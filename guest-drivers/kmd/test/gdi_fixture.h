// SPDX-License-Identifier: MIT
// Test support: GDI's operations as the driver writes them, run by the renderer on the Vulkan back end, and pictures to
// compare with. Colours are A8R8G8B8 words whatever the texture's format.
#pragma once

#include <functional>
#include <random>

#include "guest-drivers/kmd/gdi/gdi_draw.h"
#include "guest-drivers/kmd/gdi/gdi_resources.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aero::test {

using aerogpu::CommandWriter;
using aerogpu::test::Allocation;
using aerogpu::test::Harness;

constexpr uint32_t kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM, kBgrx = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                   kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM, kRgbx = AEROGPU_FORMAT_R8G8B8X8_UNORM;
constexpr uint32_t kFirstHandle = 0xF0000000u;

inline bool isRgb(uint32_t format) {
  return format == kRgba || format == kRgbx;
}
inline bool isOpaque(uint32_t format) {
  return format == kBgrx || format == kRgbx;
}
inline uint32_t swapped(uint32_t c) {
  return (c & 0xFF00FF00u) | (c & 0xFF) << 16 | (c >> 16 & 0xFF);
}

struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint32_t> argb;

  Picture() = default;
  Picture(uint32_t w, uint32_t h, uint32_t color = 0) : width(w), height(h), argb(size_t{w} * h, color) {}
  uint32_t &at(int64_t x, int64_t y) { return argb[static_cast<size_t>(y * width + x)]; }
  uint32_t at(int64_t x, int64_t y) const { return argb[static_cast<size_t>(y * width + x)]; }
};

inline Picture noise(uint32_t width, uint32_t height, uint32_t seed) {
  Picture picture(width, height);
  std::mt19937 random(seed);
  for (uint32_t &pixel : picture.argb) pixel = static_cast<uint32_t>(random());
  return picture;
}

inline uint32_t channel(uint32_t argb, int i) {
  return argb >> (8 * i) & 0xFF;
}

/** Makes a colour whose channel i is f(i); channel 0 is blue. */
template <class F> uint32_t eachChannel(F f) {
  uint32_t out = 0;
  for (int i = 0; i < 4; i++) out |= (static_cast<uint32_t>(f(i)) & 0xFF) << (8 * i);
  return out;
}

class GdiTest : public aerogpu::test::GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (s_gpu && s_gpu->ok() && s_made != s_gpu) {
      s_made = s_gpu;
      for (uint32_t step = 0; step < kGdiSetupSteps; step++)
        submit(kGdiSetupBytes, [&](PacketWriter &p) { EXPECT_TRUE(gdiSetup(p, kFirstHandle, step)); });
    }
  }

  void submit(size_t room, const std::function<void(PacketWriter &)> &write) {
    std::vector<uint8_t> buffer(room);
    PacketWriter packets(buffer.data(), buffer.size());
    write(packets);
    CommandWriter stream;
    stream.raw(buffer.data(), packets.used());
    run(stream);
  }

  /** Draws one operation in as many buffers of `room` bytes as it takes; returns their number. */
  uint32_t draw(const std::function<GdiStatus(PacketWriter &, uint32_t &)> &operation, size_t room = 64 << 10) {
    uint32_t steps = 0, buffers = 0;
    GdiStatus status = GdiStatus::Full;
    while (status == GdiStatus::Full && buffers < 2000) {
      const uint32_t before = steps;
      submit(room, [&](PacketWriter &packets) {
        EXPECT_TRUE(gdiBegin(packets, kFirstHandle));
        status = operation(packets, steps);
        EXPECT_GE(packets.room(), kGdiEndBytes - 2 * sizeof(aerogpu_cmd_destroy_resource));
        gdiEnd(packets);
        EXPECT_FALSE(packets.full());
      });
      buffers++;
      if (status == GdiStatus::Full && steps == before) {
        ADD_FAILURE() << "no progress";
        break;
      }
    }
    EXPECT_EQ(status, GdiStatus::Done);
    return buffers;
  }

  GdiSurface surface(const Picture &picture, uint32_t format = kBgra) {
    CommandWriter w;
    GdiSurface out;
    out.texture = texture(w, static_cast<aerogpu_format>(format), picture.width, picture.height);
    const std::vector<uint32_t> words = encoded(picture, format);
    aerogpu::packets::upload(w, out.texture, 0, {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4});
    run(w);
    out.width = picture.width;
    out.height = picture.height;
    out.format = format;
    return out;
  }

  /** Makes a surface over memory that the CPU reads and writes; the texture does not have its content yet. */
  GdiSurface staging(const Picture &picture, Allocation &memory, uint32_t pitch, uint32_t format = kBgra) {
    memory = gpu().allocate(uint64_t{pitch} * picture.height);
    const std::vector<uint32_t> words = encoded(picture, format);
    for (uint32_t y = 0; y < picture.height; y++)
      std::memcpy(gpu().bytes(memory).data() + size_t{y} * pitch, words.data() + size_t{y} * picture.width,
                  size_t{picture.width} * 4);
    GdiSurface out;
    CommandWriter w;
    out.texture = gpu().handle();
    Harness::createTexture(w, out.texture, static_cast<aerogpu_format>(format), picture.width, picture.height,
                           AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, memory.id,
                           pitch);
    run(w);
    out.width = picture.width;
    out.height = picture.height;
    out.format = format;
    out.pitch = pitch;
    out.allocId = memory.id;
    out.bytes = memory.size;
    out.cpuWritten = out.cpuRead = out.pitchOfCommand = true;
    return out;
  }

  Picture memoryPicture(const Allocation &memory, uint32_t pitch, uint32_t width, uint32_t height) {
    Picture out(width, height);
    for (uint32_t y = 0; y < height; y++)
      std::memcpy(&out.argb[size_t{y} * width], gpu().bytes(memory).data() + size_t{y} * pitch, size_t{width} * 4);
    return out;
  }

  Picture result(const GdiSurface &from) {
    const aerogpu::test::Bytes bytes =
        read(from.texture, static_cast<aerogpu_format>(from.format), from.width, from.height);
    Picture out(from.width, from.height);
    if (bytes.size() == out.argb.size() * 4) std::memcpy(out.argb.data(), bytes.data(), bytes.size());
    if (isRgb(from.format))
      for (uint32_t &pixel : out.argb) pixel = swapped(pixel);
    return out;
  }

  /** Expects that channels differ by `tolerance` at most; ignores alpha if the format has none. */
  static void expectPicture(const Picture &got, const Picture &want, uint32_t format = kBgra, int tolerance = 0) {
    ASSERT_EQ(got.argb.size(), want.argb.size());
    int wrong = 0;
    for (size_t i = 0; i < got.argb.size() && wrong < 4; i++)
      for (int c = 0; c < (isOpaque(format) ? 3 : 4); c++) {
        const int g = static_cast<int>(channel(got.argb[i], c)), w = static_cast<int>(channel(want.argb[i], c));
        if (std::abs(g - w) <= tolerance) continue;
        wrong++;
        ADD_FAILURE() << "pixel " << i % got.width << "," << i / got.width << " is " << std::hex << got.argb[i]
                      << ", not " << want.argb[i];
        break;
      }
  }

  static std::vector<uint32_t> encoded(const Picture &picture, uint32_t format) {
    std::vector<uint32_t> words = picture.argb;
    if (isRgb(format))
      for (uint32_t &word : words) word = swapped(word);
    return words;
  }

  static GdiRects list(const std::vector<GdiRect> &rects) {
    return {rects.data(), static_cast<uint32_t>(rects.size())};
  }
  static bool inside(const std::vector<GdiRect> &rects, int64_t x, int64_t y) {
    for (const GdiRect &r : rects)
      if (x >= r.left && x < r.right && y >= r.top && y < r.bottom) return true;
    return false;
  }
  /** Returns disjoint rectangles: the fields of one colour of a checkerboard, each of up to `size` pixels. */
  static std::vector<GdiRect> checkers(int32_t width, int32_t height, int32_t size) {
    std::vector<GdiRect> out;
    for (int32_t y = 0; y < height; y += size)
      for (int32_t x = (y / size % 2) * size; x < width; x += 2 * size)
        out.push_back({x, y, std::min(x + size, width), std::min(y + size, height)});
    return out;
  }

private:
  static inline Harness *s_made = nullptr;
};

}  // namespace aero::test
