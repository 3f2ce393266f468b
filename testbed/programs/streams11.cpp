// SPDX-License-Identifier: MIT
// streams11.exe: Direct3D 11: stream output with and without a geometry shader, gaps, several buffers, buffers that are
// full, draws that go on, DrawAuto, and the queries. What is written comes back byte for byte. Prints `ok NAME` or
// `not ok NAME` for each case, then presents a frame.
//
//   streams11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/fail.h"
#include "renderer/test/dxbc_sealed.h"
#include "renderer/test/geometry_tokens.h"
#include "testbed/programs/stages11.h"

namespace programs {
namespace {

using namespace aerogpu::test::dxbc;

constexpr uint32_t kWidth = 64, kHeight = 32, kShown = argb(255, 90, 40, 160), kGreen = argb(255, 0, 255, 0);
constexpr float kUntouched = -77.25f;

/** What vertices bring, and the outputs of all stages up to the pixel shader: SV_Position and TEXCOORD. */
struct Point {
  float position[4], rest[4];
};

const std::vector<SignatureRow> kBetween = {{"SV_Position", 0, 1, 3, 0, 15}, {"TEXCOORD", 0, 0, 3, 1, 15}};

Tokens vertexCodeOf() {
  const TokenShader shader = vertexTokens();
  return sealed(container(kVs40, {shader.tokens.begin() + 2, shader.tokens.end()},
                          {{"POSITION", 0, 0, 3, 0, 15}, {"TEXCOORD", 0, 0, 3, 1, 15}}, kBetween));
}
Tokens geometryCodeOf(GsInput input, GsOutput output, uint32_t count) {
  const TokenShader shader = passTokens(input, output, count);
  return sealed(container(kGs40, {shader.tokens.begin() + 2, shader.tokens.end()}, kBetween, kBetween));
}
Tokens pixelCodeOf() {
  const TokenShader shader = pixelTokens();
  return sealed(
      container(kPs40, {shader.tokens.begin() + 2, shader.tokens.end()}, kBetween, {{"SV_Target", 0, 0, 3, 0, 15}}));
}

/** Two triangles over [left, right) x [top, bottom) of the target, pixels. */
std::vector<Point> rectangle(float left, float top, float right, float bottom, uint32_t color) {
  const std::array<float, 4> c = rgbaOf(color);
  const auto at = [&](float x, float y) {
    return Point{{x / (kWidth / 2.0f) - 1, 1 - y / (kHeight / 2.0f), 0.5f, 1}, {c[0], c[1], c[2], c[3]}};
  };
  return {at(left, top), at(right, top), at(left, bottom), at(left, bottom), at(right, top), at(right, bottom)};
}

using Words = std::vector<float>;

struct Streams {
  ID3D11Device *device;
  ID3D11DeviceContext *context;
  Tokens vertexCode, pixelCode;
  ComPtr<ID3D11VertexShader> vertexShader;
  ComPtr<ID3D11PixelShader> pixelShader;
  ComPtr<ID3D11InputLayout> layout;

  bool create();
  bool target(uint32_t words, ComPtr<ID3D11Buffer> &out);
  bool streamer(const Tokens &code, const std::vector<D3D11_SO_DECLARATION_ENTRY> &entries,
                const std::vector<UINT> &strides, ComPtr<ID3D11GeometryShader> &out);
  bool draw(const std::vector<Point> &points, D3D11_PRIMITIVE_TOPOLOGY topology);
  bool holds(const char *what, ID3D11Buffer *buffer, const Words &expected);
  bool query(D3D11_QUERY type, ComPtr<ID3D11Query> &out);
  /** Waits for the result. */
  bool result(ID3D11Query *query, void *data, UINT bytes);
};

bool Streams::create() {
  const D3D11_INPUT_ELEMENT_DESC elements[] = {
      {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0},
      {"TEXCOORD", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 16, D3D11_INPUT_PER_VERTEX_DATA, 0}};
  vertexCode = vertexCodeOf();
  pixelCode = pixelCodeOf();
  if (!ok(device->CreateVertexShader(vertexCode.data(), vertexCode.size() * 4, nullptr, vertexShader.put()),
          "CreateVertexShader") ||
      !ok(device->CreatePixelShader(pixelCode.data(), pixelCode.size() * 4, nullptr, pixelShader.put()),
          "CreatePixelShader") ||
      !ok(device->CreateInputLayout(elements, 2, vertexCode.data(), vertexCode.size() * 4, layout.put()),
          "CreateInputLayout"))
    return false;
  const D3D11_VIEWPORT viewport = {0, 0, kWidth, kHeight, 0, 1};
  context->RSSetViewports(1, &viewport);
  context->VSSetShader(vertexShader.get(), nullptr, 0);
  context->PSSetShader(pixelShader.get(), nullptr, 0);
  context->IASetInputLayout(layout.get());
  return true;
}

bool Streams::target(uint32_t words, ComPtr<ID3D11Buffer> &out) {
  const Words filled(words, kUntouched);
  return makeBuffer(device, words * 4, D3D11_USAGE_DEFAULT, D3D11_BIND_STREAM_OUTPUT | D3D11_BIND_VERTEX_BUFFER,
                    filled.data(), out);
}

bool Streams::streamer(const Tokens &code, const std::vector<D3D11_SO_DECLARATION_ENTRY> &entries,
                       const std::vector<UINT> &strides, ComPtr<ID3D11GeometryShader> &out) {
  return ok(device->CreateGeometryShaderWithStreamOutput(code.data(), code.size() * 4, entries.data(),
                                                         static_cast<UINT>(entries.size()), strides.data(),
                                                         static_cast<UINT>(strides.size()), 0, nullptr, out.put()),
            "CreateGeometryShaderWithStreamOutput");
}

bool Streams::draw(const std::vector<Point> &points, D3D11_PRIMITIVE_TOPOLOGY topology) {
  ComPtr<ID3D11Buffer> vertices;
  if (!makeBuffer(device, static_cast<uint32_t>(points.size() * sizeof(Point)), D3D11_USAGE_IMMUTABLE,
                  D3D11_BIND_VERTEX_BUFFER, points.data(), vertices))
    return false;
  ID3D11Buffer *buffer = vertices.get(), *none = nullptr;
  const UINT stride = sizeof(Point), zero = 0;
  context->IASetVertexBuffers(0, 1, &buffer, &stride, &zero);
  context->IASetPrimitiveTopology(topology);
  context->Draw(static_cast<UINT>(points.size()), 0);
  context->IASetVertexBuffers(0, 1, &none, &zero, &zero);
  return true;
}

bool Streams::holds(const char *what, ID3D11Buffer *buffer, const Words &expected) {
  const auto bytes = static_cast<uint32_t>(expected.size() * 4);
  ComPtr<ID3D11Buffer> staging;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!makeBuffer(device, bytes, D3D11_USAGE_STAGING, 0, nullptr, staging, D3D11_CPU_ACCESS_READ)) return false;
  context->CopyResource(staging.get(), buffer);
  if (!ok(context->Map(staging.get(), 0, D3D11_MAP_READ, 0, &mapped), "Map of a staging buffer")) return false;
  Words got(expected.size());
  std::memcpy(got.data(), mapped.pData, bytes);
  context->Unmap(staging.get(), 0);
  for (size_t i = 0; i < got.size(); ++i)
    if (std::bit_cast<uint32_t>(got[i]) != std::bit_cast<uint32_t>(expected[i]))
      return fail("%s: word %u is %d thousandths, should be %d", what, static_cast<unsigned>(i),
                  static_cast<int>(got[i] * 1000), static_cast<int>(expected[i] * 1000));
  return true;
}

bool Streams::query(D3D11_QUERY type, ComPtr<ID3D11Query> &out) {
  const D3D11_QUERY_DESC description = {type, 0};
  return ok(device->CreateQuery(&description, out.put()), "CreateQuery");
}

bool Streams::result(ID3D11Query *query, void *data, UINT bytes) {
  HRESULT result = S_FALSE;
  while (result == S_FALSE) result = context->GetData(query, data, bytes, 0);
  return ok(result, "GetData");
}

constexpr auto kList = D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST, kStrip = D3D11_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP;

/** The vertex shader's outputs, with a gap, in a stride with room behind; a strip becomes a list. */
bool withoutGeometryShader(Streams &s) {
  constexpr uint32_t kStride = 10;
  ComPtr<ID3D11GeometryShader> shader;
  ComPtr<ID3D11Buffer> buffer;
  if (!s.streamer(s.vertexCode, {{0, "TEXCOORD", 0, 1, 3, 0}, {0, nullptr, 0, 0, 2, 0}, {0, "SV_Position", 0, 0, 4, 0}},
                  {kStride * 4}, shader) ||
      !s.target(kStride * 8, buffer))
    return false;
  ID3D11Buffer *target = buffer.get();
  const UINT offset = kStride * 4;
  s.context->GSSetShader(shader.get(), nullptr, 0);
  s.context->SOSetTargets(1, &target, &offset);
  std::vector<Point> points(4);
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t k = 0; k < 4; ++k) {
      points[i].position[k] = static_cast<float>(i * 10 + k);
      points[i].rest[k] = static_cast<float>(i * 100 + k) / 8;
    }
  const bool drawn = s.draw(points, kStrip);
  s.context->SOSetTargets(0, nullptr, nullptr);
  s.context->GSSetShader(nullptr, nullptr, 0);
  Words expected(size_t{kStride} * 8, kUntouched);
  uint32_t at = kStride;
  for (const uint32_t i : {0u, 1u, 2u, 1u, 3u, 2u}) {  // the second triangle is turned
    std::copy(points[i].rest + 1, points[i].rest + 4, &expected[at]);
    std::copy(points[i].position, points[i].position + 4, &expected[at + 5]);
    at += kStride;
  }
  return drawn && s.holds("without a geometry shader", buffer.get(), expected);
}

/** Two buffers, the first of which has room for two triangles; the draws go on; the queries tell. */
bool fullBuffers(Streams &s) {
  ComPtr<ID3D11GeometryShader> shader;
  ComPtr<ID3D11Buffer> small, large;
  ComPtr<ID3D11Query> statistics, overflow;
  if (!s.streamer(geometryCodeOf(kTriangles, kTriangleStrip, 3),
                  {{0, "SV_Position", 0, 0, 2, 0}, {0, "TEXCOORD", 0, 0, 4, 1}}, {}, shader) ||
      !s.target(2 * 8, small) || !s.target(4 * 16, large) || !s.query(D3D11_QUERY_SO_STATISTICS, statistics) ||
      !s.query(D3D11_QUERY_SO_OVERFLOW_PREDICATE, overflow))
    return false;
  ID3D11Buffer *targets[] = {small.get(), large.get()};
  const UINT begin[] = {0, 16}, append[] = {~0u, ~0u};
  s.context->GSSetShader(shader.get(), nullptr, 0);
  s.context->SOSetTargets(2, targets, begin);
  s.context->Begin(statistics.get());
  s.context->Begin(overflow.get());
  const std::vector<Point> points = rectangle(3, 5, 20, 9, kGreen);
  bool drawn = s.draw({points[0], points[1], points[2]}, kList);
  s.context->SOSetTargets(0, nullptr, nullptr);
  s.context->SOSetTargets(2, targets, append);
  drawn = s.draw(points, kList) && drawn;
  s.context->End(overflow.get());
  s.context->End(statistics.get());
  s.context->SOSetTargets(0, nullptr, nullptr);
  s.context->GSSetShader(nullptr, nullptr, 0);
  Words first(size_t{2} * 8, kUntouched), second(size_t{4} * 16, kUntouched);
  for (uint32_t i = 0; i < 6; ++i) {
    std::copy(points[i % 3].position, points[i % 3].position + 2, &first[size_t{i} * 2]);
    std::copy(points[i % 3].rest, points[i % 3].rest + 4, &second[4 + i * 4]);
  }
  D3D11_QUERY_DATA_SO_STATISTICS counted{};
  BOOL full = FALSE;
  if (!drawn || !s.holds("the small buffer", small.get(), first) || !s.holds("the large buffer", large.get(), second) ||
      !s.result(statistics.get(), &counted, sizeof counted) || !s.result(overflow.get(), &full, sizeof full))
    return false;
  if (counted.NumPrimitivesWritten != 2 || counted.PrimitivesStorageNeeded != 3)
    return fail("%u triangles were written of %u", static_cast<unsigned>(counted.NumPrimitivesWritten),
                static_cast<unsigned>(counted.PrimitivesStorageNeeded));
  return full || fail("no overflow is told");
}

/** A rectangle goes to a buffer, unseen, and comes from there. */
bool drawAuto(Streams &s) {
  ComPtr<ID3D11GeometryShader> shader;
  ComPtr<ID3D11Buffer> buffer;
  ComPtr<ID3D11Texture2D> texture;
  ComPtr<ID3D11RenderTargetView> view;
  if (!s.streamer(s.vertexCode, {{0, "SV_Position", 0, 0, 4, 0}, {0, "TEXCOORD", 0, 0, 4, 0}}, {sizeof(Point)},
                  shader) ||
      !s.target(8 * 32, buffer) || !makeTarget(s.device, kWidth, kHeight, texture, view))
    return false;
  ID3D11Buffer *streamed = buffer.get(), *none = nullptr;
  ID3D11RenderTargetView *views[] = {view.get()};
  const UINT zero = 0, stride = sizeof(Point);
  s.context->GSSetShader(shader.get(), nullptr, 0);
  s.context->SOSetTargets(1, &streamed, &zero);
  const bool drawn = s.draw(rectangle(8, 4, 40, 20, kGreen), kList);
  s.context->SOSetTargets(0, nullptr, nullptr);
  s.context->GSSetShader(nullptr, nullptr, 0);
  clearTarget(s.context, view.get(), kShown);
  s.context->OMSetRenderTargets(1, views, nullptr);
  s.context->IASetVertexBuffers(0, 1, &streamed, &stride, &zero);
  s.context->IASetPrimitiveTopology(kList);
  s.context->DrawAuto();
  s.context->IASetVertexBuffers(0, 1, &none, &zero, &zero);
  s.context->OMSetRenderTargets(0, nullptr, nullptr);
  Picture got, expected(kWidth, kHeight, kShown);
  for (uint32_t y = 4; y < 20; ++y)
    for (uint32_t x = 8; x < 40; ++x) expected.at(x, y) = kGreen;
  return drawn && readTexture(s.device, s.context, texture.get(), 0, got) &&
         samePicture("what was streamed out", got, expected, 0, true);
}

int run(int argc, char **argv) {
  speaker = "streams11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  if (!shown.open(options, kWidth, kHeight)) return 1;
  Streams streams{shown.device.get(), shown.context.get(), {}, {}, {}, {}, {}};
  if (!streams.create()) return 1;
  constexpr struct {
    const char *name;
    bool (*run)(Streams &);
  } kCases[] = {
      {"without a geometry shader", withoutGeometryShader}, {"full buffers", fullBuffers}, {"draw auto", drawAuto}};
  bool right = true;
  for (const auto &one : kCases) {
    const bool passed = one.run(streams);
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
