// SPDX-License-Identifier: MIT
// scene11.exe: Direct3D 11: a scene of textured, blended, depth-tested quads on two targets, with index buffers,
// constant buffers, samplers and a scissor rectangle. Compares each pixel with the formula (scene11_model.h), and
// presents.
//
//   scene11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include <cstdint>

#include "guest-drivers/programs/fail.h"
#include "testbed/programs/program11.h"
#include "testbed/programs/scene11_model.h"
#include "testbed/programs/stages11.h"

namespace programs::scene11 {
namespace {

constexpr UINT kUnusedIndices = 3;  // before the first that is used

class Scene {
public:
  bool create(ID3D11Device *device) {
    return vertexStage_.create(device) && pixelStage_.createTextured(device) && createBuffers(device) &&
           createTexture(device) && createStates(device) && createTargets(device);
  }

  void draw(ID3D11DeviceContext *context, ID3D11RenderTargetView *first) {
    ID3D11RenderTargetView *views[] = {first, secondView_.get()};
    clearTarget(context, first, kBackground);
    clearTarget(context, secondView_.get(), kSecondBackground);
    context->ClearDepthStencilView(depthView_.get(), D3D11_CLEAR_DEPTH, 1, 0);
    vertexStage_.bind(context, vertices_.get(), kWidth, kHeight);
    pixelStage_.bind(context);
    ID3D11ShaderResourceView *texture[] = {textureView_.get()};
    context->PSSetShaderResources(0, 1, texture);
    const D3D11_RECT scissor = {static_cast<LONG>(kScissor.left), static_cast<LONG>(kScissor.top),
                                static_cast<LONG>(kScissor.right), static_cast<LONG>(kScissor.bottom)};
    context->RSSetScissorRects(1, &scissor);
    context->OMSetRenderTargets(2, views, depthView_.get());
    for (size_t i = 0; i < quads().size(); ++i) drawQuad(context, i);
  }

  bool check(ID3D11Device *device, ID3D11DeviceContext *context, const Pictures &expected) {
    if (!expected.clear) return fail("a pixel of the scene is too near to a crossing");
    draw(context, firstView_.get());
    Picture first, second;
    return readTexture(device, context, first_.get(), 0, first) &&
           readTexture(device, context, second_.get(), 0, second) &&
           samePicture("first target", first, expected.first, 1, true) &&
           samePicture("second target", second, expected.second, 1, true);
  }

private:
  void drawQuad(ID3D11DeviceContext *context, size_t number) {
    const Quad &quad = quads()[number];
    float tints[8];
    for (int k = 0; k < 4; ++k) {
      tints[k] = static_cast<float>(quad.tint[k]);
      tints[4 + k] = static_cast<float>(kSecondTint[k]);
    }
    if (!pixelStage_.setConstants(context, tints)) return;
    ID3D11SamplerState *sampler[] = {samplers_[quad.sampler].get()};
    context->PSSetSamplers(0, 1, sampler);
    context->RSSetState(rasterizers_[quad.scissor].get());
    context->OMSetDepthStencilState(depthStates_[quad.depthWrite].get(), 0);
    context->OMSetBlendState(blends_[static_cast<size_t>(quad.blend)].get(), nullptr, ~0u);
    // By turns: few indices and a base vertex, or an index for each corner.
    if (number % 2) {
      context->IASetIndexBuffer(wideIndices_.get(), DXGI_FORMAT_R32_UINT, kUnusedIndices * sizeof(uint32_t));
      context->DrawIndexed(6, static_cast<UINT>(number * 6), 0);
    } else {
      context->IASetIndexBuffer(indices_.get(), DXGI_FORMAT_R16_UINT, 0);
      context->DrawIndexed(6, kUnusedIndices, static_cast<INT>(number * 4));
    }
  }

  bool createBuffers(ID3D11Device *device) {
    constexpr uint16_t kCorners[] = {0, 1, 2, 0, 2, 3};
    std::vector<Vertex11> vertices;
    std::vector<uint16_t> indices(kUnusedIndices, 0xFFFF);
    std::vector<uint32_t> wideIndices(kUnusedIndices, ~0u);
    indices.insert(indices.end(), std::begin(kCorners), std::end(kCorners));
    for (const Quad &quad : quads()) {
      for (const uint16_t corner : kCorners) wideIndices.push_back(static_cast<uint32_t>(vertices.size() + corner));
      for (const Vertex &c : quad.corners)
        vertices.push_back({static_cast<float>(c.x * c.w), static_cast<float>(c.y * c.w), static_cast<float>(c.z * c.w),
                            static_cast<float>(c.w), static_cast<float>(c.u), static_cast<float>(c.v)});
    }
    const auto immutable = [device](UINT bind, const auto &data, ComPtr<ID3D11Buffer> &out) {
      return makeBuffer(device, static_cast<uint32_t>(data.size() * sizeof data[0]), D3D11_USAGE_IMMUTABLE, bind,
                        data.data(), out);
    };
    return immutable(D3D11_BIND_VERTEX_BUFFER, vertices, vertices_) &&
           immutable(D3D11_BIND_INDEX_BUFFER, indices, indices_) &&
           immutable(D3D11_BIND_INDEX_BUFFER, wideIndices, wideIndices_);
  }

  bool createTexture(ID3D11Device *device) {
    const std::vector<Level> levels = textureLevels();
    D3D11_SUBRESOURCE_DATA data[kLevels];
    for (uint32_t l = 0; l < kLevels; ++l) data[l] = {levels[l].texels.data(), levels[l].size * 4, 0};
    const D3D11_TEXTURE2D_DESC description = {kTextureSize,
                                              kTextureSize,
                                              kLevels,
                                              1,
                                              DXGI_FORMAT_R8G8B8A8_UNORM,
                                              {1, 0},
                                              D3D11_USAGE_IMMUTABLE,
                                              D3D11_BIND_SHADER_RESOURCE,
                                              0,
                                              0};
    return ok(device->CreateTexture2D(&description, data, texture_.put()), "CreateTexture2D") &&
           ok(device->CreateShaderResourceView(texture_.get(), nullptr, textureView_.put()),
              "CreateShaderResourceView");
  }

  bool createStates(ID3D11Device *device) {
    constexpr D3D11_TEXTURE_ADDRESS_MODE kModes[] = {D3D11_TEXTURE_ADDRESS_WRAP, D3D11_TEXTURE_ADDRESS_MIRROR,
                                                     D3D11_TEXTURE_ADDRESS_CLAMP};
    for (size_t i = 0; i < std::size(kSamplers); ++i) {
      D3D11_SAMPLER_DESC d{};
      d.Filter = kSamplers[i].linear ? D3D11_FILTER_MIN_MAG_MIP_LINEAR : D3D11_FILTER_MIN_MAG_MIP_POINT;
      d.AddressU = d.AddressV = d.AddressW = kModes[static_cast<size_t>(kSamplers[i].address)];
      d.ComparisonFunc = D3D11_COMPARISON_NEVER;
      d.MaxLOD = kSamplers[i].levels == kLevels ? D3D11_FLOAT32_MAX : static_cast<FLOAT>(kSamplers[i].levels - 1);
      if (!ok(device->CreateSamplerState(&d, samplers_[i].put()), "CreateSamplerState")) return false;
    }
    for (const BOOL on : {FALSE, TRUE}) {
      D3D11_RASTERIZER_DESC rasterizer{};
      rasterizer.FillMode = D3D11_FILL_SOLID;
      rasterizer.CullMode = D3D11_CULL_BACK;
      rasterizer.DepthClipEnable = TRUE;
      rasterizer.ScissorEnable = on;
      D3D11_DEPTH_STENCIL_DESC depth{};
      depth.DepthEnable = TRUE;
      depth.DepthWriteMask = on ? D3D11_DEPTH_WRITE_MASK_ALL : D3D11_DEPTH_WRITE_MASK_ZERO;
      depth.DepthFunc = D3D11_COMPARISON_LESS;
      if (!ok(device->CreateRasterizerState(&rasterizer, rasterizers_[on].put()), "CreateRasterizerState") ||
          !ok(device->CreateDepthStencilState(&depth, depthStates_[on].put()), "CreateDepthStencilState"))
        return false;
    }
    for (const Blend blend : {Blend::None, Blend::Over, Blend::Add}) {
      const bool over = blend == Blend::Over;
      D3D11_BLEND_DESC d{};
      d.IndependentBlendEnable = TRUE;
      for (D3D11_RENDER_TARGET_BLEND_DESC &target : d.RenderTarget)
        target = {blend != Blend::None,
                  over ? D3D11_BLEND_SRC_ALPHA : D3D11_BLEND_ONE,
                  over ? D3D11_BLEND_INV_SRC_ALPHA : D3D11_BLEND_ONE,
                  D3D11_BLEND_OP_ADD,
                  D3D11_BLEND_ONE,
                  over ? D3D11_BLEND_INV_SRC_ALPHA : D3D11_BLEND_ONE,
                  D3D11_BLEND_OP_ADD,
                  D3D11_COLOR_WRITE_ENABLE_ALL};
      d.RenderTarget[1].RenderTargetWriteMask = D3D11_COLOR_WRITE_ENABLE_RED | D3D11_COLOR_WRITE_ENABLE_GREEN;
      if (!ok(device->CreateBlendState(&d, blends_[static_cast<size_t>(blend)].put()), "CreateBlendState"))
        return false;
    }
    return true;
  }

  bool createTargets(ID3D11Device *device) {
    const D3D11_TEXTURE2D_DESC depth = {
        kWidth, kHeight, 1, 1, DXGI_FORMAT_D32_FLOAT, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_DEPTH_STENCIL, 0, 0};
    return makeTarget(device, kWidth, kHeight, first_, firstView_) &&
           makeTarget(device, kWidth, kHeight, second_, secondView_) &&
           ok(device->CreateTexture2D(&depth, nullptr, depth_.put()), "CreateTexture2D for depth") &&
           ok(device->CreateDepthStencilView(depth_.get(), nullptr, depthView_.put()), "CreateDepthStencilView");
  }

  VertexStage vertexStage_;
  PixelStage pixelStage_;
  ComPtr<ID3D11Buffer> vertices_, indices_, wideIndices_;
  ComPtr<ID3D11Texture2D> texture_, first_, second_, depth_;
  ComPtr<ID3D11ShaderResourceView> textureView_;
  ComPtr<ID3D11RenderTargetView> firstView_, secondView_;
  ComPtr<ID3D11DepthStencilView> depthView_;
  ComPtr<ID3D11SamplerState> samplers_[std::size(kSamplers)];
  ComPtr<ID3D11RasterizerState> rasterizers_[2];    // with the scissor rectangle?
  ComPtr<ID3D11DepthStencilState> depthStates_[2];  // with writing?
  ComPtr<ID3D11BlendState> blends_[3];              // by Blend
};

int run(int argc, char **argv) {
  speaker = "scene11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  Scene scene;
  if (!shown.open(options, kWidth, kHeight) || !scene.create(shown.device.get())) return 1;
  const Pictures expected = expectation();
  if (!scene.check(shown.device.get(), shown.context.get(), expected)) return 1;
  scene.draw(shown.context.get(), shown.view.get());
  if (!ok(shown.chain->Present(0, 0), "Present")) return 1;
  return shown.finish(options, expected.first) ? 0 : 1;
}

}  // namespace
}  // namespace programs::scene11

int main(int argc, char **argv) {
  return programs::scene11::run(argc, argv);
}
