// SPDX-License-Identifier: MIT
// shapes11.exe: Direct3D 11: 3D textures, which are updated, copied, mapped, sampled and drawn to by slices; 1D
// textures; a view of a buffer; copies of odd bytes. What is copied comes back byte for byte. Prints `ok NAME` or
// `not ok NAME` for each case, then presents a frame.
//
//   shapes11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/fail.h"
#include "renderer/test/dxbc_sealed.h"
#include "testbed/programs/stages11.h"

namespace programs {
namespace {

using namespace aerogpu::test::dxbc;

constexpr uint32_t kWidth = 160, kHeight = 100, kShown = argb(255, 40, 90, 160);
constexpr uint32_t kWide = 20, kHigh = 12, kDeep = 5;            // of the volumes
constexpr uint32_t kBuffer = 1, kTexture1d = 2, kTexture3d = 5;  // D3D10_SB_RESOURCE_DIMENSION

/** Reads t0 at the coordinates of VertexStage times cb0[1] plus cb0[0]: sampled, or a buffer's texel. */
Tokens readingCode(uint32_t dimension) {
  constexpr uint32_t kMad = 0x32, kFtoi = 0x1B, kLd = 0x2D;
  Tokens t;
  op(t, 0x59, {constant(0, 2)});
  if (dimension != kBuffer) op(t, 0x5A, {handle(kSampler, 0)});
  op(t, 0x58 | dimension << 11, {handle(kResource, 0), {0x5555}});
  op(t, 0x62 | 2u << 11, {dst(kInput, 1, 3)});
  op(t, 0x65, {dst(kOutput, 0, 15)});
  op(t, 0x68, {{1}});
  op(t, kMad, {dst(kTemp, 0, 15), src(kInput, 1, kXyxx), constant(0, 1), constant(0, 0)});
  if (dimension == kBuffer) {
    op(t, kFtoi, {dst(kTemp, 0, 15), src(kTemp, 0)});
    op(t, kLd, {dst(kOutput, 0, 15), src(kTemp, 0), src(kResource, 0)});
  } else {
    op(t, kSample,
       {dst(kOutput, 0, 15), src(kTemp, 0, dimension == kTexture1d ? 0 : 0xA4), src(kResource, 0),
        handle(kSampler, 0)});
  }
  op(t, kRet, {});
  return sealed(container(kPs40, t, {{"SV_Position", 0, 1, 3, 0, 15}, {"TEXCOORD", 0, 0, 3, 1, 3}},
                          {{"SV_Target", 0, 0, 3, 0, 15}}));
}

using Bytes = std::vector<uint8_t>;

Bytes noise(size_t size, uint32_t seed) {
  Bytes out(size);
  for (uint8_t &b : out) {
    seed = seed * 1664525 + 1013904223;
    b = static_cast<uint8_t>(seed >> 24);
  }
  return out;
}

bool same(const char *what, const Bytes &got, const Bytes &expected) {
  const auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  if (a == got.end() && b == expected.end()) return true;
  return fail("%s: byte %u of %u differs", what, static_cast<unsigned>(a - got.begin()),
              static_cast<unsigned>(expected.size()));
}

/** Texels of R8G8B8A8 in three dimensions. */
struct Solid {
  uint32_t width, height, depth;
  Bytes bytes;
  Solid(uint32_t w, uint32_t h, uint32_t d, uint32_t seed)
      : width(w), height(h), depth(d), bytes(noise(size_t{w} * h * d * 4, seed)) {}
  size_t at(uint32_t x, uint32_t y, uint32_t z) const { return ((size_t{z} * height + y) * width + x) * 4; }
  /** Puts a box of `from` at (x, y, z). */
  void put(uint32_t x, uint32_t y, uint32_t z, const Solid &from, const D3D11_BOX &box) {
    for (uint32_t k = box.front; k < box.back; ++k)
      for (uint32_t j = box.top; j < box.bottom; ++j)
        std::memcpy(&bytes[at(x, y + j - box.top, z + k - box.front)], &from.bytes[from.at(box.left, j, k)],
                    size_t{box.right - box.left} * 4);
  }
};

struct Shapes {
  ID3D11Device *device;
  ID3D11DeviceContext *context;
  VertexStage vertices;
  ComPtr<ID3D11Buffer> quad, constants;
  ComPtr<ID3D11SamplerState> linear;

  bool create();
  bool volume(const Solid &solid, D3D11_USAGE usage, UINT bind, UINT access, ComPtr<ID3D11Texture3D> &out);
  bool holds(const char *what, ID3D11Texture3D *texture, const Solid &expected);
  /** Draws what the shader of `dimension` reads of a view over a new target, and returns it. */
  bool read(ID3D11Resource *resource, const D3D11_SHADER_RESOURCE_VIEW_DESC *description, uint32_t dimension,
            const float (&values)[8], uint32_t width, uint32_t height, Picture &out);
};

bool Shapes::create() {
  std::vector<Vertex11> corners;
  appendRectangle(corners, -0.5f, -0.5f, kWide - 0.5f, kHigh - 0.5f, 0.5f);
  D3D11_SAMPLER_DESC sampler{};
  sampler.Filter = D3D11_FILTER_MIN_MAG_MIP_LINEAR;
  sampler.AddressU = sampler.AddressV = sampler.AddressW = D3D11_TEXTURE_ADDRESS_CLAMP;
  sampler.ComparisonFunc = D3D11_COMPARISON_NEVER;
  sampler.MaxLOD = D3D11_FLOAT32_MAX;
  return vertices.create(device) && ok(device->CreateSamplerState(&sampler, linear.put()), "CreateSamplerState") &&
         makeBuffer(device, static_cast<uint32_t>(corners.size() * sizeof corners[0]), D3D11_USAGE_DEFAULT,
                    D3D11_BIND_VERTEX_BUFFER, corners.data(), quad) &&
         makeBuffer(device, 32, D3D11_USAGE_DEFAULT, D3D11_BIND_CONSTANT_BUFFER, nullptr, constants);
}

bool Shapes::volume(const Solid &solid, D3D11_USAGE usage, UINT bind, UINT access, ComPtr<ID3D11Texture3D> &out) {
  const D3D11_TEXTURE3D_DESC description = {solid.width, solid.height, solid.depth, 1, DXGI_FORMAT_R8G8B8A8_UNORM,
                                            usage,       bind,         access,      0};
  const D3D11_SUBRESOURCE_DATA data = {solid.bytes.data(), solid.width * 4, solid.width * solid.height * 4};
  return ok(device->CreateTexture3D(&description, &data, out.put()), "CreateTexture3D");
}

bool Shapes::holds(const char *what, ID3D11Texture3D *texture, const Solid &expected) {
  ComPtr<ID3D11Texture3D> staging;
  if (!volume(expected, D3D11_USAGE_STAGING, 0, D3D11_CPU_ACCESS_READ, staging)) return false;
  context->CopyResource(staging.get(), texture);
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!ok(context->Map(staging.get(), 0, D3D11_MAP_READ, 0, &mapped), "Map of a volume")) return false;
  Bytes got;
  for (uint32_t z = 0; z < expected.depth; ++z)
    for (uint32_t y = 0; y < expected.height; ++y) {
      const auto *row =
          static_cast<const uint8_t *>(mapped.pData) + size_t{z} * mapped.DepthPitch + size_t{y} * mapped.RowPitch;
      got.insert(got.end(), row, row + size_t{expected.width} * 4);
    }
  context->Unmap(staging.get(), 0);
  return same(what, got, expected.bytes);
}

bool Shapes::read(ID3D11Resource *resource, const D3D11_SHADER_RESOURCE_VIEW_DESC *description, uint32_t dimension,
                  const float (&values)[8], uint32_t width, uint32_t height, Picture &out) {
  ComPtr<ID3D11ShaderResourceView> view;
  ComPtr<ID3D11PixelShader> shader;
  ComPtr<ID3D11Texture2D> texture;
  ComPtr<ID3D11RenderTargetView> target;
  const Tokens code = readingCode(dimension);
  if (!ok(device->CreateShaderResourceView(resource, description, view.put()), "CreateShaderResourceView") ||
      !ok(device->CreatePixelShader(code.data(), code.size() * 4, nullptr, shader.put()), "CreatePixelShader") ||
      !makeTarget(device, width, height, texture, target))
    return false;
  ID3D11RenderTargetView *targets[] = {target.get()};
  ID3D11ShaderResourceView *views[] = {view.get()}, *none[] = {nullptr};
  ID3D11SamplerState *samplers[] = {linear.get()};
  ID3D11Buffer *buffers[] = {constants.get()};
  context->OMSetRenderTargets(1, targets, nullptr);
  context->UpdateSubresource(constants.get(), 0, nullptr, values, 0, 0);
  vertices.bind(context, quad.get(), width, height);
  context->PSSetShader(shader.get(), nullptr, 0);
  context->PSSetConstantBuffers(0, 1, buffers);
  context->PSSetSamplers(0, 1, samplers);
  context->PSSetShaderResources(0, 1, views);
  context->Draw(6, 0);
  context->PSSetShaderResources(0, 1, none);
  context->OMSetRenderTargets(0, nullptr, nullptr);
  return readTexture(device, context, texture.get(), 0, out);
}

bool volumeCopies(Shapes &s) {
  Solid first(kWide, kHigh, kDeep, 1), second(kWide, kHigh, kDeep, 2);
  ComPtr<ID3D11Texture3D> a, b;
  if (!s.volume(first, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE, 0, a) ||
      !s.volume(second, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE, 0, b) ||
      !s.holds("initial data", a.get(), first))
    return false;
  const Solid patch(7, 4, 3, 3);
  const D3D11_BOX whole = {0, 0, 0, 7, 4, 3}, to = {5, 3, 1, 12, 7, 4}, part = {2, 1, 1, 11, 9, 4};
  s.context->UpdateSubresource(a.get(), 0, &to, patch.bytes.data(), 7 * 4, 7 * 4 * 4);
  first.put(to.left, to.top, to.front, patch, whole);
  s.context->CopySubresourceRegion(b.get(), 0, 6, 2, 2, a.get(), 0, &part);
  second.put(6, 2, 2, first, part);
  return s.holds("UpdateSubresource of a box", a.get(), first) && s.holds("CopySubresourceRegion", b.get(), second);
}

bool dynamicVolume(Shapes &s) {
  Solid solid(kWide, kHigh, kDeep, 4);
  ComPtr<ID3D11Texture3D> texture;
  if (!s.volume(solid, D3D11_USAGE_DYNAMIC, D3D11_BIND_SHADER_RESOURCE, D3D11_CPU_ACCESS_WRITE, texture)) return false;
  solid.bytes = noise(solid.bytes.size(), 5);
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!ok(s.context->Map(texture.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped), "Map with DISCARD")) return false;
  for (uint32_t z = 0; z < kDeep; ++z)
    for (uint32_t y = 0; y < kHigh; ++y)
      std::memcpy(static_cast<uint8_t *>(mapped.pData) + size_t{z} * mapped.DepthPitch + size_t{y} * mapped.RowPitch,
                  &solid.bytes[solid.at(0, y, z)], size_t{kWide} * 4);
  s.context->Unmap(texture.get(), 0);
  return s.holds("a mapped volume", texture.get(), solid);
}

/** The mean of two texels, or one. */
uint32_t between(const Solid &s, size_t a, size_t b) {
  const auto channel = [&](size_t c) { return (uint32_t{s.bytes[a + c]} + s.bytes[b + c] + 1) / 2; };
  return argb(channel(3), channel(0), channel(1), channel(2));
}

bool sampledSlices(Shapes &s) {
  const Solid solid(kWide, kHigh, kDeep, 6);
  ComPtr<ID3D11Texture3D> texture;
  if (!s.volume(solid, D3D11_USAGE_IMMUTABLE, D3D11_BIND_SHADER_RESOURCE, 0, texture)) return false;
  for (uint32_t half = 0; half < 2 * kDeep - 1; ++half) {
    const float depth = (static_cast<float>(half) / 2 + 0.5f) / kDeep, values[8] = {0, 0, depth, 0, 1, 1, 0, 0};
    Picture got, expected(kWide, kHigh);
    for (uint32_t y = 0; y < kHigh; ++y)
      for (uint32_t x = 0; x < kWide; ++x)
        expected.at(x, y) = between(solid, solid.at(x, y, half / 2), solid.at(x, y, (half + 1) / 2));
    if (!s.read(texture.get(), nullptr, kTexture3d, values, kWide, kHigh, got) ||
        !samePicture("a sampled volume", got, expected, 2, true))
      return false;
  }
  return true;
}

bool sliceTargets(Shapes &s) {
  Solid solid(kWide, kHigh, kDeep, 7);
  ComPtr<ID3D11Texture3D> texture;
  if (!s.volume(solid, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET, 0, texture))
    return false;
  PixelStage plain;
  if (!plain.createPlain(s.device)) return false;
  for (const uint32_t z : {1u, 3u}) {
    D3D11_RENDER_TARGET_VIEW_DESC description{};
    description.ViewDimension = D3D11_RTV_DIMENSION_TEXTURE3D;
    description.Texture3D = {0, z, 1};
    ComPtr<ID3D11RenderTargetView> view;
    if (!ok(s.device->CreateRenderTargetView(texture.get(), &description, view.put()), "CreateRenderTargetView"))
      return false;
    const uint8_t grey = static_cast<uint8_t>(51 * z);
    const float shade = static_cast<float>(grey) / 255, colour[8] = {shade, shade, shade, shade};
    if (z == 1) {
      s.context->ClearRenderTargetView(view.get(), colour);
    } else {
      ID3D11RenderTargetView *targets[] = {view.get()};
      s.context->OMSetRenderTargets(1, targets, nullptr);
      s.vertices.bind(s.context, s.quad.get(), kWide, kHigh);
      plain.bind(s.context);
      if (!plain.setConstants(s.context, colour)) return false;
      s.context->Draw(6, 0);
      s.context->OMSetRenderTargets(0, nullptr, nullptr);
    }
    std::fill_n(solid.bytes.begin() + static_cast<ptrdiff_t>(solid.at(0, 0, z)), size_t{kWide} * kHigh * 4, grey);
  }
  return s.holds("slices as targets", texture.get(), solid);
}

bool rows(Shapes &s) {
  const Solid row(kWide, 1, 1, 8);
  const D3D11_TEXTURE1D_DESC description = {
      kWide, 1, 1, DXGI_FORMAT_R8G8B8A8_UNORM, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE, 0, 0};
  const D3D11_SUBRESOURCE_DATA data = {row.bytes.data(), 0, 0};
  ComPtr<ID3D11Texture1D> texture;
  if (!ok(s.device->CreateTexture1D(&description, &data, texture.put()), "CreateTexture1D")) return false;
  Picture got, expected(kWide, kHigh);
  for (uint32_t y = 0; y < kHigh; ++y)
    for (uint32_t x = 0; x < kWide; ++x) expected.at(x, y) = between(row, row.at(x, 0, 0), row.at(x, 0, 0));
  return s.read(texture.get(), nullptr, kTexture1d, {0, 0, 0, 0, 1, 1, 0, 0}, kWide, kHigh, got) &&
         samePicture("a 1D texture", got, expected, 1, true);
}

bool bufferViews(Shapes &s) {
  constexpr uint32_t kFirst = 4, kElements = kWide - 3;
  const Solid texels(kFirst + kWide, 1, 1, 9);
  ComPtr<ID3D11Buffer> buffer;
  if (!makeBuffer(s.device, static_cast<uint32_t>(texels.bytes.size()), D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE,
                  texels.bytes.data(), buffer))
    return false;
  D3D11_SHADER_RESOURCE_VIEW_DESC description{};
  description.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  description.ViewDimension = D3D11_SRV_DIMENSION_BUFFER;
  description.Buffer.FirstElement = kFirst;
  description.Buffer.NumElements = kElements;
  Picture got, expected(kWide, kHigh);
  for (uint32_t y = 0; y < kHigh; ++y)
    for (uint32_t x = 0; x < kWide; ++x)
      expected.at(x, y) = x < kElements ? between(texels, texels.at(kFirst + x, 0, 0), texels.at(kFirst + x, 0, 0)) : 0;
  constexpr float kSide = kWide;
  return s.read(buffer.get(), &description, kBuffer, {0, 0, 0, 0, kSide, kSide, kSide, kSide}, kWide, kHigh, got) &&
         samePicture("a view of a buffer", got, expected, 0, true);
}

bool oddCopies(Shapes &s) {
  constexpr uint32_t kBytes = 103;
  const Bytes from = noise(kBytes, 10);
  Bytes to = noise(kBytes, 11);
  ComPtr<ID3D11Buffer> source, target, staging;
  if (!makeBuffer(s.device, kBytes, D3D11_USAGE_DEFAULT, D3D11_BIND_VERTEX_BUFFER, from.data(), source) ||
      !makeBuffer(s.device, kBytes, D3D11_USAGE_DEFAULT, D3D11_BIND_VERTEX_BUFFER, to.data(), target) ||
      !makeBuffer(s.device, kBytes, D3D11_USAGE_STAGING, 0, nullptr, staging, D3D11_CPU_ACCESS_READ))
    return false;
  for (const auto &[begin, end, at] : {std::array{1u, 4u, 2u}, {7u, 8u, 9u}, {30u, 61u, 33u}, {90u, 103u, 77u}}) {
    const D3D11_BOX box = {begin, 0, 0, end, 1, 1};
    s.context->CopySubresourceRegion(target.get(), 0, at, 0, 0, source.get(), 0, &box);
    std::copy(from.begin() + begin, from.begin() + end, to.begin() + at);
  }
  s.context->CopyResource(staging.get(), target.get());
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!ok(s.context->Map(staging.get(), 0, D3D11_MAP_READ, 0, &mapped), "Map of a staging buffer")) return false;
  const auto *bytes = static_cast<const uint8_t *>(mapped.pData);
  const Bytes got(bytes, bytes + kBytes);
  s.context->Unmap(staging.get(), 0);
  return same("copies of odd bytes", got, to);
}

int run(int argc, char **argv) {
  speaker = "shapes11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  if (!shown.open(options, kWidth, kHeight)) return 1;
  Shapes shapes{shown.device.get(), shown.context.get(), {}, {}, {}, {}};
  if (!shapes.create()) return 1;
  constexpr struct {
    const char *name;
    bool (*run)(Shapes &);
  } kCases[] = {{"volume copies", volumeCopies},
                {"dynamic volume", dynamicVolume},
                {"sampled slices", sampledSlices},
                {"slice targets", sliceTargets},
                {"rows", rows},
                {"buffer views", bufferViews},
                {"odd copies", oddCopies}};
  bool right = true;
  for (const auto &one : kCases) {
    const bool passed = one.run(shapes);
    std::printf("%s %s\n", passed ? "ok" : "not ok", one.name);
    right = right && passed;
  }
  clearTarget(shown.context.get(), shown.view.get(), kShown);
  if (!right || !ok(shown.chain->Present(0, 0), "Present")) return 1;
  Picture expectation(kWidth, kHeight);
  std::fill(expectation.pixels.begin(), expectation.pixels.end(), kShown);
  return shown.finish(options, expectation) ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
