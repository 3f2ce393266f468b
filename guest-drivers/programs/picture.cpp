// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/picture.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace programs {

uint32_t unorm8(double value) {
  if (!(value > 0)) return 0;
  return value >= 1 ? 255 : static_cast<uint32_t>(std::floor(value * 255 + 0.5));
}

static bool near(uint32_t a, uint32_t b, uint32_t tolerance, bool alpha) {
  for (int shift = 0; shift < (alpha ? 32 : 24); shift += 8) {
    const int difference = static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255);
    if (static_cast<uint32_t>(std::abs(difference)) > tolerance) return false;
  }
  return true;
}

bool samePicture(const char *what, const Picture &got, const Picture &expected, uint32_t tolerance, bool alpha) {
  if (got.width != expected.width || got.height != expected.height) {
    std::printf("%s: the picture has %ux%u pixels, not %ux%u\n", what, got.width, got.height, expected.width,
                expected.height);
    return false;
  }
  size_t bad = 0;
  char first[256] = "";
  size_t used = 0;
  for (uint32_t y = 0; y < got.height; ++y) {
    for (uint32_t x = 0; x < got.width; ++x) {
      if (near(got.at(x, y), expected.at(x, y), tolerance, alpha)) continue;
      if (++bad <= 4) {
        used += static_cast<size_t>(std::snprintf(first + used, sizeof first - used, "%s(%u,%u) is %08x, not %08x",
                                                  bad > 1 ? ", " : "", x, y, got.at(x, y), expected.at(x, y)));
      }
    }
  }
  if (bad == 0) return true;
  std::printf("%s: %zu of %zu pixels differ: %s%s\n", what, bad, got.pixels.size(), first, bad > 4 ? ", ..." : "");
  return false;
}

bool writePpm(const char *path, const Picture &picture) {
  std::FILE *file = std::fopen(path, "wb");
  if (!file) {
    std::printf("cannot write '%s': %s\n", path, std::strerror(errno));
    return false;
  }
  std::fprintf(file, "P6\n%u %u\n255\n", picture.width, picture.height);
  std::vector<unsigned char> bytes;
  bytes.reserve(picture.pixels.size() * 3);
  for (const uint32_t pixel : picture.pixels)
    for (int shift = 16; shift >= 0; shift -= 8) bytes.push_back(static_cast<unsigned char>(pixel >> shift));
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  ok = std::fclose(file) == 0 && ok;
  if (!ok) std::printf("cannot write '%s'\n", path);
  return ok;
}

}  // namespace programs
