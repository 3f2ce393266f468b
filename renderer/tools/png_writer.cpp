// SPDX-License-Identifier: MIT
#include "renderer/tools/png_writer.h"

#include <png.h>

#include <cerrno>
#include <cstring>

#include "renderer/core/format.h"

namespace aerogpu::tools {

namespace {
/// Spreads an n-bit channel over 8 bits: the top bits repeat, so that the largest value becomes 255.
uint8_t spread5(uint32_t v) {
  return static_cast<uint8_t>(v << 3 | v >> 2);
}
uint8_t spread6(uint32_t v) {
  return static_cast<uint8_t>(v << 2 | v >> 4);
}
}  // namespace

std::vector<uint8_t> toRgba(const aerogpu_frame& frame) {
  std::vector<uint8_t> rgba(size_t{frame.width} * frame.height * 4);
  const core::FormatInfo* format = core::findFormat(frame.format);
  const aerogpu_format layout = format ? format->linearTwin : AEROGPU_FORMAT_B8G8R8A8_UNORM;
  const bool swap = layout == AEROGPU_FORMAT_B8G8R8A8_UNORM || layout == AEROGPU_FORMAT_B8G8R8X8_UNORM;
  uint8_t* out = rgba.data();
  for (uint32_t y = 0; y < frame.height; ++y) {
    const uint8_t* in = static_cast<const uint8_t*>(frame.pixels) + size_t{y} * frame.stride_bytes;
    for (uint32_t x = 0; x < frame.width; ++x, out += 4) {
      if (layout == AEROGPU_FORMAT_D3D9_L8) {  // indices of a palette that is not known here: as they are
        out[0] = out[1] = out[2] = *in++;
        out[3] = 255;
      } else if (layout == AEROGPU_FORMAT_B5G6R5_UNORM || layout == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        const uint32_t word = in[0] | uint32_t{in[1]} << 8;
        const bool wide = layout == AEROGPU_FORMAT_B5G6R5_UNORM;
        out[0] = spread5(wide ? word >> 11 : word >> 10 & 31);
        out[1] = wide ? spread6(word >> 5 & 63) : spread5(word >> 5 & 31);
        out[2] = spread5(word & 31);
        out[3] = wide || word >> 15 ? 255 : 0;
        in += 2;
      } else {
        out[0] = in[swap ? 2 : 0];
        out[1] = in[1];
        out[2] = in[swap ? 0 : 2];
        out[3] = format && format->opaque ? 255 : in[3];
        in += 4;
      }
    }
  }
  return rgba;
}

bool writePng(const std::string& path, const std::vector<uint8_t>& rgba, uint32_t width, uint32_t height,
              std::string& error) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path.c_str(), 0, rgba.data(), 0, nullptr)) return true;
  error = "cannot write '" + path + "': " + image.message;
  return false;
}

}  // namespace aerogpu::tools
