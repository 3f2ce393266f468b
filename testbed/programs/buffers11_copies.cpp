// SPDX-License-Identifier: MIT
// Updates and copies of buffers and textures, read back byte for byte.
#include <algorithm>
#include <cstring>

#include "guest-drivers/programs/fail.h"
#include "testbed/programs/buffers11_cases.h"

namespace programs::buffers11 {

namespace {

constexpr uint32_t kWide = 37, kHigh = 19, kLevels = 3;  // of the textures: no pitch is a round number

uint32_t texelOf(uint32_t seed, uint32_t x, uint32_t y) {
  return argb(seed * 16 + y, x * 3 + seed, y * 5 + seed * 7, x + y * 11);
}
Picture pattern(uint32_t seed, uint32_t width, uint32_t height) {
  Picture out(width, height);
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) out.at(x, y) = texelOf(seed, x, y);
  return out;
}

/// The bytes of a picture as R8G8B8A8, rows `pitch` apart.
std::vector<uint8_t> bytesOf(const Picture &picture, uint32_t pitch) {
  std::vector<uint8_t> out(size_t{pitch} * picture.height, 0xEE);
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x) {
      const uint32_t p = picture.at(x, y);
      const uint8_t texel[4] = {static_cast<uint8_t>(p >> 16), static_cast<uint8_t>(p >> 8), static_cast<uint8_t>(p),
                                static_cast<uint8_t>(p >> 24)};
      std::memcpy(out.data() + size_t{y} * pitch + size_t{x} * 4, texel, sizeof texel);
    }
  return out;
}

void put(Picture &into, uint32_t x, uint32_t y, const Picture &from, uint32_t left, uint32_t top, uint32_t width,
         uint32_t height) {
  for (uint32_t j = 0; j < height; ++j)
    for (uint32_t i = 0; i < width; ++i) into.at(x + i, y + j) = from.at(left + i, top + j);
}

bool makeTexture(Tools &tools, ComPtr<ID3D11Texture2D> &out) {
  const D3D11_TEXTURE2D_DESC description = {
      kWide, kHigh, kLevels, 2, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE,
      0,     0};
  return ok(tools.device->CreateTexture2D(&description, nullptr, out.put()), "CreateTexture2D");
}

bool holds(Tools &tools, const char *what, ID3D11Texture2D *texture, uint32_t subresource, const Picture &expected) {
  Picture got;
  return readTexture(tools.device, tools.context, texture, subresource, got) &&
         samePicture(what, got, expected, 0, true);
}

bool same(const char *what, const std::vector<uint8_t> &got, const std::vector<uint8_t> &expected) {
  const auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  if (a == got.end() && b == expected.end()) return true;
  return fail("%s: byte %u of %u differs", what, static_cast<unsigned>(a - got.begin()),
              static_cast<unsigned>(expected.size()));
}

}  // namespace

bool bufferCopies(Tools &tools) {
  constexpr uint32_t kBytes = 1000;
  std::vector<uint8_t> expected(kBytes), patch(100, 0x5A), got;
  for (uint32_t i = 0; i < kBytes; ++i) expected[i] = static_cast<uint8_t>(i * 37 + i / 256);
  ComPtr<ID3D11Buffer> first, second;
  if (!makeBuffer(tools.device, kBytes, D3D11_USAGE_DEFAULT, D3D11_BIND_VERTEX_BUFFER, nullptr, first) ||
      !makeBuffer(tools.device, kBytes, D3D11_USAGE_DEFAULT, D3D11_BIND_INDEX_BUFFER, nullptr, second))
    return false;
  tools.context->UpdateSubresource(first.get(), 0, nullptr, expected.data(), 0, 0);
  if (!readBuffer(tools, first.get(), got) || !same("UpdateSubresource of a buffer", got, expected)) return false;
  const D3D11_BOX part = {301, 0, 0, 401, 1, 1};
  tools.context->UpdateSubresource(first.get(), 0, &part, patch.data(), 0, 0);
  std::copy(patch.begin(), patch.end(), expected.begin() + part.left);
  if (!readBuffer(tools, first.get(), got) || !same("UpdateSubresource of bytes", got, expected)) return false;
  tools.context->CopyResource(second.get(), first.get());
  // Whole words: aerogpu's device copies no others.
  const D3D11_BOX moved = {292, 0, 0, 352, 1, 1};
  tools.context->CopySubresourceRegion(second.get(), 0, 8, 0, 0, first.get(), 0, &moved);
  std::vector<uint8_t> copied = expected;
  std::copy(expected.begin() + moved.left, expected.begin() + moved.right, copied.begin() + 8);
  return readBuffer(tools, second.get(), got) && same("copies of a buffer", got, copied) &&
         readBuffer(tools, first.get(), got) && same("the source of copies", got, expected);
}

bool textureCopies(Tools &tools) {
  ComPtr<ID3D11Texture2D> first, second;
  if (!makeTexture(tools, first) || !makeTexture(tools, second)) return false;
  ID3D11DeviceContext *context = tools.context;
  // Each subresource, rows further apart than they are long.
  std::vector<Picture> expected;
  for (uint32_t s = 0; s < 2 * kLevels; ++s) {
    expected.push_back(pattern(s + 1, kWide >> s % kLevels, kHigh >> s % kLevels));
    const uint32_t pitch = expected[s].width * 4 + 12;
    context->UpdateSubresource(first.get(), s, nullptr, bytesOf(expected[s], pitch).data(), pitch, 0);
  }
  for (uint32_t s = 0; s < 2 * kLevels; ++s)
    if (!holds(tools, "UpdateSubresource", first.get(), s, expected[s])) return false;
  // Every subresource at once, then a part of one into another level of the other slice.
  context->CopyResource(second.get(), first.get());
  const D3D11_BOX box = {3, 2, 0, 14, 7, 1};
  context->CopySubresourceRegion(second.get(), kLevels + 1, 5, 1, 0, first.get(), 0, &box);
  std::vector<Picture> copied = expected;
  put(copied[kLevels + 1], 5, 1, expected[0], box.left, box.top, box.right - box.left, box.bottom - box.top);
  // A part of a subresource from memory.
  const D3D11_BOX part = {9, 4, 0, 30, 17, 1};
  const Picture patch = pattern(9, part.right - part.left, part.bottom - part.top);
  context->UpdateSubresource(second.get(), 0, &part, bytesOf(patch, patch.width * 4).data(), patch.width * 4, 0);
  put(copied[0], part.left, part.top, patch, 0, 0, patch.width, patch.height);
  for (uint32_t s = 0; s < 2 * kLevels; ++s)
    if (!holds(tools, "copies of a texture", second.get(), s, copied[s]) ||
        !holds(tools, "the source of copies", first.get(), s, expected[s]))
      return false;
  return true;
}

bool stagingWrites(Tools &tools) {
  ComPtr<ID3D11Texture2D> texture, staging;
  if (!makeTexture(tools, texture)) return false;
  D3D11_TEXTURE2D_DESC description{};
  texture->GetDesc(&description);
  description.Usage = D3D11_USAGE_STAGING;
  description.BindFlags = 0;
  description.CPUAccessFlags = D3D11_CPU_ACCESS_READ | D3D11_CPU_ACCESS_WRITE;
  if (!ok(tools.device->CreateTexture2D(&description, nullptr, staging.put()), "CreateTexture2D for writing"))
    return false;
  for (uint32_t s = 0; s < 2 * kLevels; ++s) {
    const Picture one = pattern(20 + s, kWide >> s % kLevels, kHigh >> s % kLevels);
    D3D11_MAPPED_SUBRESOURCE mapped{};
    if (!ok(tools.context->Map(staging.get(), s, D3D11_MAP_WRITE, 0, &mapped), "Map for writing")) return false;
    if (mapped.RowPitch < one.width * 4 || mapped.DepthPitch < mapped.RowPitch * (one.height - 1) + one.width * 4)
      return fail("subresource %u of %ux%u: pitches %u and %u", s, one.width, one.height, mapped.RowPitch,
                  mapped.DepthPitch);
    const std::vector<uint8_t> bytes = bytesOf(one, one.width * 4);
    for (uint32_t y = 0; y < one.height; ++y)
      std::memcpy(static_cast<uint8_t *>(mapped.pData) + size_t{y} * mapped.RowPitch,
                  bytes.data() + size_t{y} * one.width * 4, size_t{one.width} * 4);
    tools.context->Unmap(staging.get(), s);
  }
  tools.context->CopyResource(texture.get(), staging.get());
  for (uint32_t s = 0; s < 2 * kLevels; ++s)
    if (!holds(tools, "what was written by way of staging", texture.get(), s,
               pattern(20 + s, kWide >> s % kLevels, kHigh >> s % kLevels)))
      return false;
  return true;
}

}  // namespace programs::buffers11
