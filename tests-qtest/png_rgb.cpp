// SPDX-License-Identifier: MIT
// png-rgb IN.png OUT: writes the picture's rows as tight R, G, B bytes, for comparisons in tests.
#include <png.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (argc != 3 || !png_image_begin_read_from_file(&image, argv[1])) {
    std::fprintf(stderr, "usage: png-rgb IN.png OUT (%s)\n", image.message);
    return 1;
  }
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> rgb(PNG_IMAGE_SIZE(image));
  const png_color black{0, 0, 0};
  if (!png_image_finish_read(&image, &black, rgb.data(), 0, nullptr)) return 1;
  std::FILE* out = std::fopen(argv[2], "wb");
  if (!out) return 1;
  const bool written = std::fwrite(rgb.data(), 1, rgb.size(), out) == rgb.size();
  return std::fclose(out) == 0 && written ? 0 : 1;
}
