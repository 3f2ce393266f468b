// SPDX-License-Identifier: MIT
// Textures: addressing, filters, mips, kinds, formats, updates.
#include <algorithm>
#include <bit>
#include <cmath>

#include "renderer/trace/test/corpus/recorder.h"

namespace aerogpu::test {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr aerogpu_format kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM;

/// Returns blue, green, red, alpha of texels that hold their place.
Bytes places(uint32_t side, uint8_t blue = 7) {
  Bytes out;
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x)
      out.insert(out.end(),
                 {blue, static_cast<uint8_t>(y * 255 / side), static_cast<uint8_t>(x * 255 / side), 255});
  return out;
}
Rgb texelOf(const Bytes& bytes, uint32_t side, uint32_t x, uint32_t y) {
  const uint8_t* texel = &bytes[(size_t{y} * side + x) * 4];
  return {texel[2] / 255.0, texel[1] / 255.0, texel[0] / 255.0};
}
void drawAll(Recorder& r, double u = 1, double v = 1) {
  r.draw(Recorder::quad(0, 0, kSide, kSide, ~0u, 0.5, u, v));
}
void setFilters(Recorder& r, uint32_t filter, uint32_t mip = 0) {
  r.samplerState(kMagFilter, filter);
  r.samplerState(kMinFilter, filter);
  r.samplerState(kMipFilter, mip);
}

/// Fills an integer view of a typeless texture of Direct3D 10, and shows its texels as fractions.
Picture integerView(Recorder& r) {
  const uint32_t t = r.texture(AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS, kSide, kSide, {});
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = r.handle();
  view.texture_handle = t;
  view.format = AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT;
  view.mip_level_count = view.array_layer_count = 1;
  r.w.packet(view);
  aerogpu_cmd_ext_fill fill{};
  fill.texture = view.view_handle;
  fill.flags = AEROGPU_EXT_FILL_COLOR;
  constexpr float kColor[4] = {255.9f, 128.5f, -3, 1e9f};  // 255, 128, 0, 255
  for (size_t i = 0; i < 4; ++i) fill.color_rgba_f32[i] = std::bit_cast<uint32_t>(kColor[i]);
  fill.rect_count = 1;
  const aerogpu_ext_rect rect{8, 16, 40, 48};
  r.w.packet(fill, &rect, 1);
  aerogpu_cmd_ext_blit blit{};
  blit.dst_texture = r.target();
  blit.src_texture = t;
  const aerogpu_ext_blit_rect all{{0, 0, kSide, kSide}, {0, 0, kSide, kSide}};
  r.w.packet(blit, &all, 1);
  Picture out;
  out.fill(8, 16, 40, 48, {1, 128 / 255.0, 0});
  return out;
}

/// Shows a texture twice across, wrapped, and twice down, mirrored.
Picture addressing(Recorder& r) {
  const Bytes bytes = places(8);
  r.bindTexture(r.texture(kBgra, 8, 8, bytes));
  r.showTexture();
  setFilters(r, 1);
  r.samplerState(kAddressU, 1);  // WRAP
  r.samplerState(kAddressV, 2);  // MIRROR
  drawAll(r, 2, 2);
  Picture out;
  out.paint(0, 0, kSide, kSide, [&](uint32_t x, uint32_t y) {
    const uint32_t row = y / 4;
    return texelOf(bytes, 8, x / 4 % 8, row < 8 ? row : 15 - row);
  });
  return out;
}

Picture border(Recorder& r) {
  const Bytes bytes = places(8);
  r.bindTexture(r.texture(kBgra, 8, 8, bytes));
  r.showTexture();
  setFilters(r, 1);
  r.samplerState(kAddressU, 4);  // BORDER
  r.samplerState(kAddressV, 3);  // CLAMP
  r.samplerState(kBorderColor, 0xFFFFFFFF);
  drawAll(r, 2, 2);
  Picture out;
  out.paint(0, 0, kSide, kSide, [&](uint32_t x, uint32_t y) {
    return x < 32 ? texelOf(bytes, 8, x / 4, std::min(y / 4, 7u)) : Rgb{1, 1, 1};
  });
  return out;
}

Picture linearFilter(Recorder& r) {
  const Bytes bytes = places(8);
  r.bindTexture(r.texture(kBgra, 8, 8, bytes));
  r.showTexture();
  setFilters(r, 2);
  r.samplerState(kAddressU, 3);
  r.samplerState(kAddressV, 3);
  drawAll(r);
  Picture out;
  out.paint(0, 0, kSide, kSide, [&](uint32_t x, uint32_t y) {
    const double u = (x + 0.5) / 8 - 0.5, v = (y + 0.5) / 8 - 0.5;
    const auto texel = [&](double i, double j) {
      return texelOf(bytes, 8, static_cast<uint32_t>(std::clamp(i, 0.0, 7.0)),
                     static_cast<uint32_t>(std::clamp(j, 0.0, 7.0)));
    };
    const double i = std::floor(u), j = std::floor(v), a = u - i, b = v - j;
    Rgb c;
    for (size_t k = 0; k < 3; ++k)
      c[k] = (texel(i, j)[k] * (1 - a) + texel(i + 1, j)[k] * a) * (1 - b) +
             (texel(i, j + 1)[k] * (1 - a) + texel(i + 1, j + 1)[k] * a) * b;
    return c;
  });
  return out;
}

/// Has the device make levels, each the mean of four texels, and shows them side by side by texldl.
Picture generatedMips(Recorder& r) {
  Bytes level = places(8), all = level;
  all.resize((64 + 16 + 4 + 1) * 4);
  const uint32_t texture = r.texture(kBgra, 8, 8, all, 4);
  aerogpu_cmd_ext_generate_mips mips{};
  mips.texture = texture;
  mips.flags = AEROGPU_EXT_MIPS_LINEAR;
  r.w.packet(mips);
  r.bindTexture(texture);
  setFilters(r, 1, 1);
  r.shaders(
      "vs_3_0\ndcl_position v0\ndcl_texcoord v2\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v2\n",
      "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\nmov r0, v0\nmov r0.zw, c0.x\ntexldl oC0, r0, s0\n");
  Picture out;
  for (uint32_t i = 0, side = 8; i < 4; ++i, side /= 2) {
    const float constants[4] = {static_cast<float>(i), 0, 0, 0};
    packets::setConstantsF(r.w, AEROGPU_SHADER_STAGE_PIXEL, 0, constants);
    r.draw(Recorder::quad(i * 16, 0, i * 16 + 16, kSide, ~0u));
    out.paint(i * 16, 0, i * 16 + 16, kSide, [&](uint32_t x, uint32_t y) {
      return texelOf(level, side, (x - i * 16) * side / 16, y * side / kSide);
    });
    Bytes next;
    for (uint32_t y = 0; y < side / 2; ++y)
      for (uint32_t x = 0; x < side / 2; ++x)
        for (uint32_t c = 0; c < 4; ++c) {
          const auto at = [&](uint32_t u, uint32_t v) {
            return level[((2 * y + v) * side + 2 * x + u) * 4 + c];
          };
          next.push_back(static_cast<uint8_t>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4));
        }
    level = next;
  }
  return out;
}

/// Samples four slices, each of one colour, by the third coordinate.
Picture volume(Recorder& r) {
  aerogpu_cmd_ext_create_texture create{};
  create.texture_handle = r.handle();
  create.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
  create.format = kBgra;
  create.kind = AEROGPU_EXT_TEXTURE_VOLUME;
  create.width = create.height = create.depth = 4;
  create.mip_levels = create.array_layers = create.sample_count = 1;
  r.w.packet(create);
  Bytes bytes;
  for (uint8_t z = 0; z < 4; ++z) {
    const Bytes slice = places(4, static_cast<uint8_t>(z * 60));
    bytes.insert(bytes.end(), slice.begin(), slice.end());
  }
  packets::upload(r.w, create.texture_handle, 0, bytes);
  r.bindTexture(create.texture_handle);
  setFilters(r, 1);
  r.shaders(kPassThrough,
            "ps_2_0\ndcl t0.xy\ndcl_volume s0\nmov r0, t0\nmov r0.z, c0.x\ntexld r0, r0, s0\nmov oC0, r0\n");
  Picture out;
  for (uint32_t z = 0; z < 4; ++z) {
    const float constants[4] = {(static_cast<float>(z) + 0.5f) / 4, 0, 0, 0};
    packets::setConstantsF(r.w, AEROGPU_SHADER_STAGE_PIXEL, 0, constants);
    r.draw(Recorder::quad(z * 16, 0, z * 16 + 16, kSide, ~0u));
    const Bytes slice = places(4, static_cast<uint8_t>(z * 60));
    out.paint(z * 16, 0, z * 16 + 16, kSide,
              [&](uint32_t x, uint32_t y) { return texelOf(slice, 4, (x - z * 16) / 4, y / 16); });
  }
  return out;
}

/// Samples a cube in each direction; each face has one colour.
Picture cube(Recorder& r) {
  constexpr float kDirections[6][4] = {{1, 0, 0, 0},  {-1, 0, 0, 0}, {0, 1, 0, 0},
                                       {0, -1, 0, 0}, {0, 0, 1, 0},  {0, 0, -1, 0}};
  aerogpu_cmd_ext_create_texture create{};
  create.texture_handle = r.handle();
  create.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
  create.format = kBgra;
  create.kind = AEROGPU_EXT_TEXTURE_CUBE;
  create.width = create.height = 4;
  create.depth = create.mip_levels = create.sample_count = 1;
  create.array_layers = 6;
  r.w.packet(create);
  Bytes bytes;
  for (uint32_t face = 0; face < 6; ++face)
    for (int i = 0; i < 16; ++i)
      bytes.insert(bytes.end(),
                   {static_cast<uint8_t>(face * 40), static_cast<uint8_t>(250 - face * 40), 99, 255});
  packets::upload(r.w, create.texture_handle, 0, bytes);
  r.bindTexture(create.texture_handle);
  setFilters(r, 1);
  r.shaders(kPassThrough, "ps_2_0\ndcl_cube s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0\n");
  Picture out;
  for (uint32_t face = 0; face < 6; ++face) {
    packets::setConstantsF(r.w, AEROGPU_SHADER_STAGE_PIXEL, 0, kDirections[face]);
    r.draw(Recorder::quad(face * 10, 0, face * 10 + 10, kSide, ~0u));
    out.fill(face * 10, 0, face * 10 + 10, kSide, {99 / 255.0, (250 - face * 40.0) / 255, face * 40 / 255.0});
  }
  return out;
}

/// Shows one texel of each format: its bits by D3DFORMAT.
Picture formats(Recorder& r) {
  const struct {
    aerogpu_format format;
    Bytes texel;
    Rgb color;
  } cases[] = {
      {AEROGPU_FORMAT_D3D9_L8, {0x80}, {128 / 255.0, 128 / 255.0, 128 / 255.0}},
      {AEROGPU_FORMAT_D3D9_A8L8, {0x40, 0x11}, {64 / 255.0, 64 / 255.0, 64 / 255.0}},
      {AEROGPU_FORMAT_D3D9_A8, {0xFF}, {0, 0, 0}},
      {AEROGPU_FORMAT_B5G6R5_UNORM, {0x5F, 0x22}, {4 / 31.0, 18 / 63.0, 1}},  // 00100 010010 11111
      {AEROGPU_FORMAT_D3D9_A4R4G4B4, {0x3A, 0xF6}, {6 / 15.0, 3 / 15.0, 10 / 15.0}},
      {AEROGPU_FORMAT_D3D9_G16R16, {0x00, 0x80, 0xFF, 0xFF}, {0x8000 / 65535.0, 1, 1}},
      {AEROGPU_FORMAT_D3D9_R16F, {0x00, 0x38}, {0.5, 1, 1}},
      {AEROGPU_FORMAT_D3D9_A2R10G10B10, {0xFF, 0x03, 0x00, 0x20}, {512 / 1023.0, 0, 1}},
  };
  r.showTexture();
  setFilters(r, 1);
  Picture out;
  for (uint32_t i = 0; i < std::size(cases); ++i) {
    r.bindTexture(r.texture(cases[i].format, 1, 1, cases[i].texel));
    r.draw(Recorder::quad(i * 8, 0, i * 8 + 8, kSide, ~0u));
    out.fill(i * 8, 0, i * 8 + 8, kSide, cases[i].color);
  }
  return out;
}

/// Updates boxes between draws; earlier draws show the texels from before the update.
Picture textureUpdates(Recorder& r) {
  const Bytes first = places(16), second = places(16, 200);
  const Allocation memory = r.memory(second);
  const uint32_t texture = r.texture(kBgra, 16, 16, first);
  r.bindTexture(texture);
  r.showTexture();
  setFilters(r, 1);
  const auto drawHalf = [&](uint32_t y) { r.draw(Recorder::quad(0, y, kSide, y + 32, ~0u, 0.5, 1, 0.5)); };
  drawHalf(0);
  aerogpu_cmd_ext_update_texture c{};
  c.texture = texture;
  c.x = 4;
  c.y = 2;
  c.width = 8;
  c.height = 4;
  c.depth = 1;
  c.src_alloc_id = memory.id;
  c.src_row_pitch_bytes = 64;
  c.src_offset_bytes = 2 * 64 + 4 * 4;
  r.w.packet(c);
  drawHalf(32);
  Picture out;
  out.paint(0, 0, kSide, kSide, [&](uint32_t x, uint32_t y) {
    const uint32_t u = x / 4, v = y % 32 / 4;
    const bool updated = y >= 32 && u >= 4 && u < 12 && v >= 2 && v < 6;
    return texelOf(updated ? second : first, 16, u, v);
  });
  return out;
}

/// Samples a former target.
Picture renderedTexture(Recorder& r) {
  const uint32_t texture = r.texture(kBgra, 16, 16, {});
  packets::setTarget(r.w, texture);
  packets::setViewport(r.w, {0, 0, 16, 16});
  packets::clearColor(r.w, {0, 0, 1, 1});
  r.showColors();
  r.draw(
      Recorder::quad(0, 0, 32, 64, argb(255, 255, 0, 0)));  // of a target four times as large: the left half
  packets::setTarget(r.w, r.target());
  packets::setViewport(r.w, {0, 0, kSide, kSide});
  r.bindTexture(texture);
  r.showTexture();
  setFilters(r, 1);
  r.draw(Recorder::quad(0, 0, kSide, kSide, ~0u));
  Picture out;
  out.fill(0, 0, kSide, kSide, {0, 0, 1});
  out.fill(0, 0, 32, kSide, {1, 0, 0});
  return out;
}

void stage(Recorder& r, uint32_t number, uint32_t state, uint32_t value) {
  aerogpu_cmd_ext_set_texture_stage c{};
  c.stage = number;
  c.state = state;
  c.value = value;
  r.w.packet(c);
}

/// texbem: coordinates are (0.125, 0.125) and a matrix times (du, dv) = (64, 128) / 255 of stage 0.
Picture bumpMatrices(Recorder& r) {
  const Bytes texels = places(16);
  r.bindTexture(r.texture(kBgra, 1, 1, {255, 128, 64, 255}));
  r.bindTexture(r.texture(kBgra, 16, 16, texels), 1);
  setFilters(r, 1);
  for (const uint32_t state : {kMagFilter, kMinFilter}) r.samplerState(state, 1, 1);
  r.shaders("vs_1_1\ndcl_position v0\ndef c0, 0.1, 0.1, 0, 1\nmov oPos, v0\nmov oT0, c0\nmov oT1, c0\n",
            "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n");
  // D3DTSS_BUMPENVMAT00, 01, 10 and 11.
  const float matrices[4][4] = {{0, 0, 0, 0}, {1, 0, 0, 1}, {0.5f, 1.5f, 0.25f, -0.125f}, {0, 2, 1, 0.5f}};
  Picture out;
  for (uint32_t i = 0; i < 4; ++i) {
    for (uint32_t k = 0; k < 4; ++k) stage(r, 1, 7 + k, std::bit_cast<uint32_t>(matrices[i][k]));
    r.draw(Recorder::quad(i * 16, 0, i * 16 + 16, kSide, ~0u));
    const double du = 64 / 255.0, dv = 128 / 255.0;
    const double u = 0.1 + matrices[i][0] * du + matrices[i][2] * dv,
                 v = 0.1 + matrices[i][1] * du + matrices[i][3] * dv;
    out.fill(i * 16, 0, i * 16 + 16, kSide,
             texelOf(texels, 16, static_cast<uint32_t>(u * 16), static_cast<uint32_t>(v * 16)));
  }
  return out;
}

/// Resets the context, which ends the scissor test of earlier packets.
Picture resetContext(Recorder& r) {
  r.renderState(kScissorTestEnable, 1u);
  r.w.packet(aerogpu_cmd_set_scissor{.x = 8, .y = 8, .width = 16, .height = 16});
  r.w.packet(aerogpu_cmd_ext_reset_context{});
  packets::setTarget(r.w, r.target());
  packets::setViewport(r.w, {0, 0, kSide, kSide});
  packets::clearColor(r.w, {0, 0.4f, 0, 1});
  Picture out;
  out.fill(0, 0, kSide, kSide, {0, 0.4, 0});
  return out;
}

}  // namespace

std::vector<Feature> textureFeatures() {
  return {{"addressing", addressing, 0},
          {"border", border},
          {"linear_filter", linearFilter, 2},
          {"generated_mips", generatedMips, 1},
          {"volume", volume},
          {"cube", cube},
          {"formats", formats, 1},
          {"integer_view", integerView},
          {"texture_updates", textureUpdates},
          {"bump_matrices", bumpMatrices},
          {"reset_context", resetContext},
          {"rendered_texture", renderedTexture}};
}

}  // namespace aerogpu::test
