// SPDX-License-Identifier: MIT
// A target of four samples, resolved; generated mips; occlusion queries.
#include "guest-drivers/programs/fail.h"
#include "testbed/programs/buffers11_cases.h"

namespace programs::buffers11 {

namespace {

bool makeRectangle(Tools &tools, float left, float top, float right, float bottom, float depth,
                   ComPtr<ID3D11Buffer> &out) {
  std::vector<Vertex11> vertices;
  appendRectangle(vertices, left, top, right, bottom, depth);
  return makeBuffer(tools.device, static_cast<uint32_t>(vertices.size() * sizeof vertices[0]), D3D11_USAGE_IMMUTABLE,
                    D3D11_BIND_VERTEX_BUFFER, vertices.data(), out);
}

}  // namespace

/// A rectangle whose left edge goes through the middle of pixels and whose others lie between pixels. Where the edge
/// is, a pattern of four samples has some on each side (the pattern itself is the implementation's: section 3.4.2 of
/// the Direct3D 11.3 Functional Specification lets it be, unless the standard one is asked for).
bool resolve(Tools &tools) {
  constexpr uint32_t kSize = 64, kSamples = 4, kUnder = argb(255, 16, 32, 240), kOver = argb(255, 240, 64, 0);
  constexpr uint32_t kLeft = 20, kTop = 10, kRight = 50, kBottom = 40;
  UINT qualities = 0;
  if (!ok(tools.device->CheckMultisampleQualityLevels(DXGI_FORMAT_R8G8B8A8_UNORM, kSamples, &qualities),
          "CheckMultisampleQualityLevels") ||
      !qualities)
    return fail("no targets of %u samples", kSamples);
  ComPtr<ID3D11Texture2D> many, one;
  ComPtr<ID3D11RenderTargetView> manyView, oneView;
  ComPtr<ID3D11Buffer> rectangle;
  Picture got;
  if (!makeTarget(tools.device, kSize, kSize, many, manyView, kSamples) ||
      !makeTarget(tools.device, kSize, kSize, one, oneView) ||
      !makeRectangle(tools, kLeft, kTop - 0.5f, kRight - 0.5f, kBottom - 0.5f, 0.5f, rectangle))
    return false;
  clearTarget(tools.context, manyView.get(), kUnder);
  clearTarget(tools.context, oneView.get(), argb(9, 9, 9, 9));
  tools.bind(rectangle.get(), manyView.get(), kSize, kSize);
  if (!tools.setColour(kOver)) return false;
  tools.context->Draw(6, 0);
  tools.context->ResolveSubresource(one.get(), 0, many.get(), 0, DXGI_FORMAT_R8G8B8A8_UNORM);
  if (!readTexture(tools.device, tools.context, one.get(), 0, got)) return false;
  Picture expected(kSize, kSize, kUnder);
  const auto mixed = [](uint32_t covered) {
    uint32_t out = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      const uint32_t over = kOver >> shift & 255, under = kUnder >> shift & 255;
      out |= unorm8((over * covered + under * (kSamples - covered)) / (255.0 * kSamples)) << shift;
    }
    return out;
  };
  // The edge's first pixel says how many samples lie to its right; all others have to agree.
  uint32_t covered = 1;
  const auto redOf = [](uint32_t pixel) { return static_cast<int>(pixel >> 16 & 255); };
  while (covered < kSamples - 1 && redOf(got.at(kLeft, kTop)) > redOf(mixed(covered)) + 1) ++covered;
  for (uint32_t y = kTop; y < kBottom; ++y)
    for (uint32_t x = kLeft; x < kRight; ++x) expected.at(x, y) = x == kLeft ? mixed(covered) : kOver;
  return samePicture("resolved target", got, expected, 1, true);
}

/// A plane: the mean of two neighbours is the value between them, whatever filter of at least two texels makes a level.
bool mips(Tools &tools) {
  constexpr uint32_t kSize = 64, kLevels = 4;
  std::vector<uint32_t> texels;
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) texels.push_back(0xFF000000u | (x + y) << 16 | y * 4 << 8 | x * 4);
  const D3D11_TEXTURE2D_DESC description = {kSize,
                                            kSize,
                                            kLevels,
                                            1,
                                            DXGI_FORMAT_R8G8B8A8_UNORM,
                                            {1, 0},
                                            D3D11_USAGE_DEFAULT,
                                            D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET,
                                            0,
                                            D3D11_RESOURCE_MISC_GENERATE_MIPS};
  ComPtr<ID3D11Texture2D> texture;
  ComPtr<ID3D11ShaderResourceView> view;
  if (!ok(tools.device->CreateTexture2D(&description, nullptr, texture.put()), "CreateTexture2D for mips") ||
      !ok(tools.device->CreateShaderResourceView(texture.get(), nullptr, view.put()), "CreateShaderResourceView"))
    return false;
  tools.context->UpdateSubresource(texture.get(), 0, nullptr, texels.data(), kSize * 4, 0);
  tools.context->GenerateMips(view.get());
  for (uint32_t level = 0; level < kLevels; ++level) {
    const uint32_t size = kSize >> level;
    Picture expected(size, size), got;
    for (uint32_t y = 0; y < size; ++y)
      for (uint32_t x = 0; x < size; ++x) {
        // The middle of the texels of level 0 that this one covers.
        const double step = 1u << level, u = (x + 0.5) * step - 0.5, v = (y + 0.5) * step - 0.5;
        expected.at(x, y) = argb(255, unorm8(u * 4 / 255), unorm8(v * 4 / 255), unorm8((u + v) / 255));
      }
    // Each level rounds once.
    if (!readTexture(tools.device, tools.context, texture.get(), level, got) ||
        !samePicture("generated level", got, expected, level ? 1 : 0, true))
      return false;
  }
  return true;
}

bool occlusion(Tools &tools) {
  constexpr uint32_t kSize = 100, kColumns = 40, kRows = 50, kHidden = 16;  // of the second rectangle
  ComPtr<ID3D11Texture2D> target, depth;
  ComPtr<ID3D11RenderTargetView> view;
  ComPtr<ID3D11DepthStencilView> depthView;
  ComPtr<ID3D11DepthStencilState> state;
  ComPtr<ID3D11Query> first, second;
  ComPtr<ID3D11Buffer> nearer, farther;
  const D3D11_TEXTURE2D_DESC description = {
      kSize, kSize, 1, 1, DXGI_FORMAT_D24_UNORM_S8_UINT, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_DEPTH_STENCIL, 0, 0};
  D3D11_DEPTH_STENCIL_DESC less{};
  less.DepthEnable = TRUE;
  less.DepthWriteMask = D3D11_DEPTH_WRITE_MASK_ALL;
  less.DepthFunc = D3D11_COMPARISON_LESS;
  const D3D11_QUERY_DESC query = {D3D11_QUERY_OCCLUSION, 0};
  if (!makeTarget(tools.device, kSize, kSize, target, view) ||
      !ok(tools.device->CreateTexture2D(&description, nullptr, depth.put()), "CreateTexture2D for depth") ||
      !ok(tools.device->CreateDepthStencilView(depth.get(), nullptr, depthView.put()), "CreateDepthStencilView") ||
      !ok(tools.device->CreateDepthStencilState(&less, state.put()), "CreateDepthStencilState") ||
      !ok(tools.device->CreateQuery(&query, first.put()), "CreateQuery") ||
      !ok(tools.device->CreateQuery(&query, second.put()), "CreateQuery") ||
      !makeRectangle(tools, 9.75f, 9.75f, 9.75f + kHidden, 9.75f + kRows, 0.25f, nearer) ||
      !makeRectangle(tools, 9.75f, 9.75f, 9.75f + kColumns, 9.75f + kRows, 0.5f, farther))
    return false;
  ID3D11DeviceContext *context = tools.context;
  clearTarget(context, view.get(), 0);
  context->ClearDepthStencilView(depthView.get(), D3D11_CLEAR_DEPTH | D3D11_CLEAR_STENCIL, 1, 0);
  context->OMSetDepthStencilState(state.get(), 0);
  const auto count = [&](ID3D11Query *counter, ID3D11Buffer *rectangle) {
    context->Begin(counter);
    tools.bind(rectangle, view.get(), kSize, kSize, depthView.get());
    context->Draw(6, 0);
    context->End(counter);
  };
  count(first.get(), nearer.get());
  count(second.get(), farther.get());
  context->OMSetDepthStencilState(nullptr, 0);
  const auto answers = [context](ID3D11Query *counter, UINT64 expected) {
    UINT64 samples = ~UINT64{0};
    HRESULT result = S_FALSE;
    while (result == S_FALSE) result = context->GetData(counter, &samples, sizeof samples, 0);
    return ok(result, "GetData") &&
           (samples == expected ||
            fail("%u samples passed, not %u", static_cast<unsigned>(samples), static_cast<unsigned>(expected)));
  };
  return answers(second.get(), uint64_t{kColumns - kHidden} * kRows) && answers(first.get(), uint64_t{kHidden} * kRows);
}

}  // namespace programs::buffers11
