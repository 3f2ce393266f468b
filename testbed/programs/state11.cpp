// SPDX-License-Identifier: MIT
// state11.exe: Direct3D 11: fixed state that Direct3D 9 lacks: two targets that are blended each in its way, a second
// colour (3.2.6 and 17.6 of the Direct3D 11.3 Functional Specification), a sampler that compares (7.18.15), levels that
// end between two (7.18.11), a border of floats.
//
//   state11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include <cfloat>
#include <cstdint>

#include "guest-drivers/programs/fail.h"
#include "renderer/test/dxbc_sealed.h"
#include "testbed/programs/stages11.h"

namespace programs {
namespace {

using namespace aerogpu::test::dxbc;

constexpr uint32_t kWidth = 200, kHeight = 64, kCell = 40, kHalf = 32;
constexpr uint32_t kUnder = argb(255, 51, 102, 153);
constexpr uint32_t kAll = 15, kXy = 3;
constexpr uint32_t kSampleL = 0x48, kSampleCLz = 0x47, kMul = 0x38;

Tokens sealedPixels(const Tokens &code, uint32_t targets) {
  std::vector<SignatureRow> out = {{"SV_Target", 0, 0, 3, 0, kAll}, {"SV_Target", 1, 0, 3, 1, kAll}};
  out.resize(targets);
  return sealed(container(kPs40, code, {{"SV_Position", 0, 1, 3, 0, kAll}, {"TEXCOORD", 0, 0, 3, 1, kXy}}, out));
}

/// o0 = cb0[0], o1 = cb0[1].
Tokens twoColours() {
  Tokens t;
  op(t, 0x59, {constant(0, 2)});
  for (uint32_t i = 0; i < 2; ++i) op(t, 0x65, {dst(kOutput, i, kAll)});
  for (uint32_t i = 0; i < 2; ++i) op(t, kMov, {dst(kOutput, i, kAll), constant(0, i)});
  op(t, kRet, {});
  return sealedPixels(t, 2);
}

/// What reads t0 with s0, which `compares` or not, at the coordinates; cb0[0].x is the level or the reference. The
/// result of a comparison is multiplied by cb0[1].
Tokens sampling(bool compares) {
  constexpr uint32_t kX = 0;
  Tokens t;
  op(t, 0x59, {constant(0, 2)});
  op(t, 0x5A | (compares ? 1u << 11 : 0), {handle(kSampler, 0)});
  op(t, 0x58 | 3u << 11, {handle(kResource, 0), {0x5555}});
  op(t, 0x62 | 2u << 11, {dst(kInput, 1, kXy)});
  op(t, 0x65, {dst(kOutput, 0, kAll)});
  op(t, 0x68, {{1}});
  const Tokens number = {2 | 2u << 2 | kX << 4 | kConstantBuffer << 12 | 2u << 20, 0, 0};
  if (compares) {
    op(t, kSampleCLz, {dst(kTemp, 0, 1), src(kInput, 1, kXyxx), src(kResource, 0, 0), handle(kSampler, 0), number});
    op(t, kMul, {dst(kOutput, 0, kAll), src(kTemp, 0, 0), constant(0, 1)});
  } else {
    op(t, kSampleL, {dst(kOutput, 0, kAll), src(kInput, 1, kXyxx), src(kResource, 0), handle(kSampler, 0), number});
  }
  op(t, kRet, {});
  return sealedPixels(t, 1);
}

/// A rectangle of the picture.
struct Cell {
  uint32_t left, top, right, bottom;
};

class Scene {
public:
  explicit Scene(Shown11 &shown) : shown_(shown), device_(shown.device.get()), context_(shown.context.get()) {}

  bool create() {
    return vertexStage_.create(device_) && colours_.create(device_, twoColours()) &&
           levels_.create(device_, sampling(false)) && comparison_.create(device_, sampling(true)) &&
           makeTarget(device_, kWidth, kHeight, second_, secondView_) && makeDepth() && makeLevels();
  }

  bool draw() {
    clearTarget(context_, shown_.view.get(), kUnder);
    clearTarget(context_, secondView_.get(), kUnder);
    return drawBlended() && drawCompared() && drawLevels();
  }

  Picture first{kWidth, kHeight, kUnder}, second{kWidth, kHeight, kUnder};  ///< what both targets show

  bool holds() {
    Picture got;
    return readTexture(device_, context_, shown_.buffer.get(), 0, got) &&
           samePicture("first target", got, first, 1, true) && readTexture(device_, context_, second_.get(), 0, got) &&
           samePicture("second target", got, second, 1, true);
  }

private:
  bool makeDepth() {
    D3D11_TEXTURE2D_DESC d = {8,
                              8,
                              1,
                              1,
                              DXGI_FORMAT_R32_TYPELESS,
                              {1, 0},
                              D3D11_USAGE_DEFAULT,
                              D3D11_BIND_DEPTH_STENCIL | D3D11_BIND_SHADER_RESOURCE,
                              0,
                              0};
    D3D11_DEPTH_STENCIL_VIEW_DESC asDepth{};
    asDepth.Format = DXGI_FORMAT_D32_FLOAT;
    asDepth.ViewDimension = D3D11_DSV_DIMENSION_TEXTURE2D;
    D3D11_SHADER_RESOURCE_VIEW_DESC asColour{};
    asColour.Format = DXGI_FORMAT_R32_FLOAT;
    asColour.ViewDimension = D3D11_SRV_DIMENSION_TEXTURE2D;
    asColour.Texture2D.MipLevels = 1;
    ComPtr<ID3D11DepthStencilView> view;
    if (!ok(device_->CreateTexture2D(&d, nullptr, depth_.put()), "CreateTexture2D of depth") ||
        !ok(device_->CreateDepthStencilView(depth_.get(), &asDepth, view.put()), "CreateDepthStencilView") ||
        !ok(device_->CreateShaderResourceView(depth_.get(), &asColour, depthView_.put()),
            "CreateShaderResourceView of depth"))
      return false;
    context_->ClearDepthStencilView(view.get(), D3D11_CLEAR_DEPTH, 0.5f, 0);
    return true;
  }

  /// Level 0 is red, level 1 is green.
  bool makeLevels() {
    const std::vector<uint32_t> red(16, 0xFF0000FF), green(4, 0xFF00FF00);
    const D3D11_SUBRESOURCE_DATA data[] = {{red.data(), 16, 0}, {green.data(), 8, 0}};
    const D3D11_TEXTURE2D_DESC d = {
        4, 4, 2, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_SHADER_RESOURCE, 0, 0};
    return ok(device_->CreateTexture2D(&d, data, texture_.put()), "CreateTexture2D") &&
           ok(device_->CreateShaderResourceView(texture_.get(), nullptr, textureView_.put()),
              "CreateShaderResourceView");
  }

  /// Draws a cell with a stage and its constants, into both targets or the first one.
  bool fill(const Cell &cell, PixelStage &stage, const float (&constants)[8], bool both, float u = 1) {
    std::vector<Vertex11> vertices;
    const auto edge = [](uint32_t at) { return static_cast<float>(at) - 0.5f; };
    appendRectangle(vertices, edge(cell.left), edge(cell.top), edge(cell.right), edge(cell.bottom), 0.5f);
    for (Vertex11 &vertex : vertices) vertex.u *= u;
    ComPtr<ID3D11Buffer> buffer;
    if (!makeBuffer(device_, static_cast<uint32_t>(vertices.size() * sizeof vertices[0]), D3D11_USAGE_IMMUTABLE,
                    D3D11_BIND_VERTEX_BUFFER, vertices.data(), buffer) ||
        !stage.setConstants(context_, constants))
      return false;
    ID3D11RenderTargetView *views[] = {shown_.view.get(), secondView_.get()};
    context_->OMSetRenderTargets(both ? 2 : 1, views, nullptr);
    vertexStage_.bind(context_, buffer.get(), kWidth, kHeight);
    stage.bind(context_);
    context_->Draw(static_cast<UINT>(vertices.size()), 0);
    return true;
  }

  void expect(Picture &picture, const Cell &cell, uint32_t colour) {
    for (uint32_t y = cell.top; y < cell.bottom; ++y)
      for (uint32_t x = cell.left; x < cell.right; ++x) picture.at(x, y) = colour;
  }

  bool setBlend(const D3D11_BLEND_DESC &of) {
    ComPtr<ID3D11BlendState> state;
    if (!ok(device_->CreateBlendState(&of, state.put()), "CreateBlendState")) return false;
    const FLOAT factor[4] = {0.4f, 0.4f, 0.4f, 0.4f};
    context_->OMSetBlendState(state.get(), factor, 0xFFFFFFFF);
    return true;
  }

  bool drawBlended() {
    D3D11_BLEND_DESC of{};
    of.IndependentBlendEnable = TRUE;
    of.RenderTarget[0] = {TRUE,
                          D3D11_BLEND_ONE,
                          D3D11_BLEND_ONE,
                          D3D11_BLEND_OP_ADD,
                          D3D11_BLEND_ZERO,
                          D3D11_BLEND_ONE,
                          D3D11_BLEND_OP_ADD,
                          15};
    of.RenderTarget[1] = {TRUE,
                          D3D11_BLEND_BLEND_FACTOR,
                          D3D11_BLEND_INV_BLEND_FACTOR,
                          D3D11_BLEND_OP_ADD,
                          D3D11_BLEND_ZERO,
                          D3D11_BLEND_ONE,
                          D3D11_BLEND_OP_ADD,
                          13};
    const Cell apart = {0, 0, kCell, kHeight};
    if (!setBlend(of) || !fill(apart, colours_, {0.2f, 0.4f, 0, 0, 1, 1, 0.1f, 0}, true)) return false;
    expect(first, apart, argb(255, 102, 204, 153));
    // 0.4 * 1 + 0.6 * 0.2; green is masked; 0.4 * 0.1 + 0.6 * 0.6.
    expect(second, apart, argb(255, 133, 102, 102));
    of = {};
    of.RenderTarget[0] = {TRUE,
                          D3D11_BLEND_SRC1_ALPHA,
                          D3D11_BLEND_INV_SRC1_COLOR,
                          D3D11_BLEND_OP_ADD,
                          D3D11_BLEND_ZERO,
                          D3D11_BLEND_ONE,
                          D3D11_BLEND_OP_ADD,
                          15};
    const Cell dual = {kCell, 0, 2 * kCell, kHeight};
    if (!setBlend(of) || !fill(dual, colours_, {1, 0.5f, 0, 0, 0, 0.5f, 1, 0.4f}, false)) return false;
    // 0.4 of the first colour, and what is there times (1, 0.5, 0).
    expect(first, dual, argb(255, 102 + 51, 51 + 51, 0));
    context_->OMSetBlendState(nullptr, nullptr, 0xFFFFFFFF);
    return true;
  }

  bool setSampler(const D3D11_SAMPLER_DESC &of, ID3D11ShaderResourceView *view) {
    ComPtr<ID3D11SamplerState> state;
    if (!ok(device_->CreateSamplerState(&of, state.put()), "CreateSamplerState")) return false;
    ID3D11SamplerState *states[] = {state.get()};
    context_->PSSetSamplers(0, 1, states);
    context_->PSSetShaderResources(0, 1, &view);
    return true;
  }
  static D3D11_SAMPLER_DESC plain() {
    D3D11_SAMPLER_DESC of{};
    of.Filter = D3D11_FILTER_MIN_MAG_MIP_POINT;
    of.AddressU = of.AddressV = of.AddressW = D3D11_TEXTURE_ADDRESS_CLAMP;
    of.MaxAnisotropy = 1;
    of.ComparisonFunc = D3D11_COMPARISON_NEVER;
    of.MaxLOD = FLT_MAX;
    return of;
  }

  bool drawCompared() {
    D3D11_SAMPLER_DESC of = plain();
    of.Filter = D3D11_FILTER_COMPARISON_MIN_MAG_MIP_POINT;
    const D3D11_COMPARISON_FUNC functions[] = {D3D11_COMPARISON_LESS, D3D11_COMPARISON_GREATER_EQUAL};
    for (uint32_t i = 0; i < 2; ++i) {
      // 0.25 < 0.5, but not 0.25 >= 0.5.
      const Cell cell = {2 * kCell, i * kHalf, 3 * kCell, (i + 1) * kHalf};
      of.ComparisonFunc = functions[i];
      if (!setSampler(of, depthView_.get()) || !fill(cell, comparison_, {0.25f, 0, 0, 0, 0.8f, 0.6f, 0.2f, 1}, false))
        return false;
      expect(first, cell, i == 0 ? argb(255, 204, 153, 51) : argb(0, 0, 0, 0));
    }
    return true;
  }

  bool drawLevels() {
    D3D11_SAMPLER_DESC of = plain();
    of.Filter = D3D11_FILTER_MIN_MAG_POINT_MIP_LINEAR;
    of.MaxLOD = 0.25f;
    const Cell most = {3 * kCell, 0, 4 * kCell, kHalf}, least = {3 * kCell, kHalf, 4 * kCell, kHeight};
    if (!setSampler(of, textureView_.get()) || !fill(most, levels_, {1}, false)) return false;
    expect(first, most, argb(255, 191, 64, 0));
    of.MaxLOD = FLT_MAX;
    of.MinLOD = 0.75f;
    if (!setSampler(of, textureView_.get()) || !fill(least, levels_, {0}, false)) return false;
    expect(first, least, argb(255, 64, 191, 0));
    of = plain();
    of.AddressU = D3D11_TEXTURE_ADDRESS_BORDER;
    of.BorderColor[0] = 0.3f;
    of.BorderColor[1] = 0.7f;
    of.BorderColor[3] = 1;
    const Cell border = {4 * kCell, 0, kWidth, kHeight}, inside = {4 * kCell, 0, 4 * kCell + kCell / 2, kHeight};
    if (!setSampler(of, textureView_.get()) || !fill(border, levels_, {0}, false, 2)) return false;
    expect(first, border, argb(255, 77, 179, 0));
    expect(first, inside, argb(255, 255, 0, 0));
    return true;
  }

  Shown11 &shown_;
  ID3D11Device *device_;
  ID3D11DeviceContext *context_;
  VertexStage vertexStage_;
  PixelStage colours_, levels_, comparison_;
  ComPtr<ID3D11Texture2D> second_, depth_, texture_;
  ComPtr<ID3D11RenderTargetView> secondView_;
  ComPtr<ID3D11ShaderResourceView> depthView_, textureView_;
};

int run(int argc, char **argv) {
  speaker = "state11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  if (!shown.open(options, kWidth, kHeight)) return 1;
  Scene scene(shown);
  if (!scene.create() || !scene.draw() || !scene.holds() || !ok(shown.chain->Present(0, 0), "Present")) return 1;
  return shown.finish(options, scene.first) ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
