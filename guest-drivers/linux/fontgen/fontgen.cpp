// SPDX-License-Identifier: MIT
// fontgen OUT (NAME FONT PIXELS)...: rasterises the printable ASCII characters of fonts into a C++ header.
// Runs at build time. The layout of the structures is guest-drivers/linux/demo/font.h.
#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

bool writeFont(std::FILE* out, FT_Library library, const std::string& name, const char* path,
               unsigned pixels) {
  FT_Face face = nullptr;
  if (FT_New_Face(library, path, 0, &face) || FT_Set_Pixel_Sizes(face, 0, pixels)) {
    std::fprintf(stderr, "fontgen: cannot load %s at %u pixels\n", path, pixels);
    return false;
  }
  std::vector<unsigned char> bits;
  std::string glyphs;
  for (unsigned c = 32; c < 127; ++c) {
    if (FT_Load_Char(face, c, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT)) {
      std::fprintf(stderr, "fontgen: %s has no character %u\n", path, c);
      return false;
    }
    const FT_GlyphSlot slot = face->glyph;
    const FT_Bitmap& bitmap = slot->bitmap;
    char row[128];
    std::snprintf(row, sizeof row, "    {%ld, %d, %d, %u, %u, %zu},\n", slot->advance.x, slot->bitmap_left,
                  slot->bitmap_top, bitmap.width, bitmap.rows, bits.size());
    glyphs += row;
    for (unsigned y = 0; y < bitmap.rows; ++y)
      bits.insert(bits.end(), bitmap.buffer + y * static_cast<unsigned>(bitmap.pitch),
                  bitmap.buffer + y * static_cast<unsigned>(bitmap.pitch) + bitmap.width);
  }
  std::fprintf(out, "inline constexpr uint8_t %sBits[] = {", name.c_str());
  for (size_t i = 0; i < bits.size(); ++i) std::fprintf(out, "%s%u,", i % 24 ? "" : "\n    ", bits[i]);
  std::fprintf(out, "};\ninline constexpr Glyph %sGlyphs[] = {\n%s};\n", name.c_str(), glyphs.c_str());
  std::fprintf(out, "inline constexpr Font %s{%ld, %ld, %sGlyphs, %sBits};\n\n", name.c_str(),
               face->size->metrics.ascender / 64, face->size->metrics.height / 64, name.c_str(),
               name.c_str());
  FT_Done_Face(face);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || (argc - 2) % 3 != 0) {
    std::fputs("usage: fontgen OUT (NAME FONT PIXELS)...\n", stderr);
    return 2;
  }
  FT_Library library = nullptr;
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out || FT_Init_FreeType(&library)) {
    std::fprintf(stderr, "fontgen: cannot write %s\n", argv[1]);
    return 1;
  }
  std::fputs(
      "// Written by fontgen.\n#pragma once\n#include \"guest-drivers/linux/demo/font.h\"\nnamespace "
      "aerogpu::guest {\n",
      out);
  bool ok = true;
  for (int i = 2; ok && i < argc; i += 3)
    ok = writeFont(out, library, argv[i], argv[i + 1], static_cast<unsigned>(std::atoi(argv[i + 2])));
  std::fputs("}  // namespace aerogpu::guest\n", out);
  FT_Done_FreeType(library);
  return std::fclose(out) == 0 && ok ? 0 : 1;
}
