// SPDX-License-Identifier: MIT
// quad10.exe: Direct3D 10.1: textured quads, some of them blended, with depth, into a texture and a window. Reads the
// texture back and compares each pixel with the formula; counts the pixels of a quad that is partly hidden.
//
//   quad10.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include "testbed/programs/program10.h"
#include "testbed/programs/stages11.h"

#include <cstring>
#include <string>

#include "guest-drivers/programs/fail.h"

namespace programs {
namespace {

constexpr UINT kWidth = 320, kHeight = 240;
constexpr uint32_t kBackground = argb(255, 48, 56, 64);
constexpr UINT kTexels = 16, kQuadPixels = 64;  // 4 pixels a texel: no pixel's centre lies near a texel's edge
constexpr UINT kVertices = 6;

struct Quad {
  UINT x, y;
  float depth;
  float tint[4];  // the texture's red, green, blue and alpha are multiplied by it
  bool blended;   // over what is there, and without writing depth
};
// The second is partly behind the first, the third in front of both; the fourth is behind the third, which does not
// hide it.
constexpr Quad kQuads[] = {
    {40, 40, 0.5f, {1, 1, 1, 1}, false},          {72, 60, 0.75f, {1, 0.5f, 1, 1}, false},
    {56, 80, 0.25f, {1, 1, 0.25f, 0.5f}, true},   {90, 96, 0.375f, {0.5f, 1, 1, 1}, true},
    {200, 120, 1, {1, 1, 1, 1}, false},  // as far as the cleared depth, which LESS does not draw
    {216, 32, 0, {0.75f, 0.25f, 0.5f, 1}, false},
};
constexpr UINT kQuadCount = sizeof kQuads / sizeof kQuads[0], kCounted = 1;

/** A pattern; its alpha is 64 to 255. */
uint32_t texel(UINT x, UINT y) {
  return argb(255 - (191 * (x + y)) / 30, 255 - 12 * x, 40 + 13 * y, (x ^ y) & 4 ? 230 : 60);
}

struct Model {
  Picture picture{kWidth, kHeight, kBackground};
  UINT64 counted = 0;  ///< pixels of kQuads[kCounted] that are seen
};

/// Draws the scene by the rules of Direct3D: depth LESS, SRC_ALPHA and INV_SRC_ALPHA for colours, ONE for alpha.
Model model() {
  Model out;
  std::vector<float> depth(size_t{kWidth} * kHeight, 1.0f);
  for (UINT i = 0; i < kQuadCount; ++i) {
    const Quad &quad = kQuads[i];
    for (UINT y = 0; y < kQuadPixels; ++y)
      for (UINT x = 0; x < kQuadPixels; ++x) {
        float &stored = depth[size_t{quad.y + y} * kWidth + quad.x + x];
        if (!(quad.depth < stored)) continue;
        if (!quad.blended) stored = quad.depth;
        out.counted += i == kCounted;
        uint32_t &pixel = out.picture.at(quad.x + x, quad.y + y);
        const uint32_t source = texel(x * kTexels / kQuadPixels, y * kTexels / kQuadPixels);
        const auto tinted = [&](int shift, int channel) {
          return (source >> shift & 255) / 255.0 * static_cast<double>(quad.tint[channel]);
        };
        const double alpha = tinted(24, 3);
        const auto blend = [&](int shift, double value, double factor) {
          return unorm8(quad.blended ? value * factor + (pixel >> shift & 255) / 255.0 * (1 - alpha) : value);
        };
        pixel = argb(blend(24, alpha, 1), blend(16, tinted(16, 0), alpha), blend(8, tinted(8, 1), alpha),
                     blend(0, tinted(0, 2), alpha));
      }
  }
  return out;
}

class Scene10 {
public:
  bool create(ID3D10Device1 *device) {
    device_ = device;
    return createShaders() && createVertices() && createTexture() && createStates() && createTargets();
  }

  /// Draws everything; `query`: around the quad that is counted, or null.
  bool draw(ID3D10RenderTargetView *view, ID3D10Query *query) {
    const D3D10_VIEWPORT viewport = {0, 0, kWidth, kHeight, 0, 1};
    const UINT stride = sizeof(Vertex11), offset = 0;
    const FLOAT factor[4] = {1, 1, 1, 1};
    ID3D10Buffer *vertices = vertices_.get(), *place = place_.get(), *tint = tint_.get();
    ID3D10ShaderResourceView *texture = texture_.get();
    ID3D10SamplerState *sampler = sampler_.get();
    device_->ClearRenderTargetView(view, rgbaOf(kBackground).data());
    device_->ClearDepthStencilView(depth_.get(), D3D10_CLEAR_DEPTH | D3D10_CLEAR_STENCIL, 1, 0);
    device_->OMSetRenderTargets(1, &view, depth_.get());
    device_->RSSetViewports(1, &viewport);
    device_->RSSetState(rasterizer_.get());
    device_->IASetInputLayout(layout_.get());
    device_->IASetVertexBuffers(0, 1, &vertices, &stride, &offset);
    device_->IASetPrimitiveTopology(D3D10_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    device_->VSSetShader(vertexShader_.get());
    device_->VSSetConstantBuffers(0, 1, &place);
    device_->PSSetShader(pixelShader_.get());
    device_->PSSetConstantBuffers(0, 1, &tint);
    device_->PSSetShaderResources(0, 1, &texture);
    device_->PSSetSamplers(0, 1, &sampler);
    for (UINT i = 0; i < kQuadCount; ++i) {
      void *constants = nullptr;
      if (!ok(tint_->Map(D3D10_MAP_WRITE_DISCARD, 0, &constants), "Map of constants")) return false;
      std::memset(constants, 0, 32);
      std::memcpy(constants, kQuads[i].tint, sizeof kQuads[i].tint);
      tint_->Unmap();
      device_->OMSetBlendState(kQuads[i].blended ? over_.get() : nullptr, factor, ~0u);
      device_->OMSetDepthStencilState(kQuads[i].blended ? tested_.get() : written_.get(), 0);
      if (query && i == kCounted) query->Begin();
      device_->Draw(kVertices, i * kVertices);
      if (query && i == kCounted) query->End();
    }
    return true;
  }

  bool check(const Model &expected) {
    const D3D10_QUERY_DESC description = {D3D10_QUERY_OCCLUSION, 0};
    ComPtr<ID3D10Query> query;
    if (!ok(device_->CreateQuery(&description, query.put()), "CreateQuery") || !draw(view_.get(), query.get()))
      return false;
    Picture got;
    if (!readTexture(device_, target_.get(), got)) return false;
    UINT64 counted = 0;
    HRESULT result = S_FALSE;
    while (result == S_FALSE) result = query->GetData(&counted, sizeof counted, 0);
    if (!ok(result, "GetData")) return false;
    if (counted != expected.counted)
      return fail("%s pixels of quad %u are seen, not %s", std::to_string(counted).c_str(), kCounted,
                  std::to_string(expected.counted).c_str());
    return samePicture("scene", got, expected.picture, 1, true);  // blends are rounded
  }

private:
  bool createShaders() {
    const std::vector<uint32_t> vs = vertexStageCode(), ps = texturedStageCode();
    const D3D10_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, D3D10_INPUT_PER_VERTEX_DATA, 0},
        {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, D3D10_APPEND_ALIGNED_ELEMENT, D3D10_INPUT_PER_VERTEX_DATA, 0}};
    return ok(device_->CreateVertexShader(vs.data(), vs.size() * 4, vertexShader_.put()), "CreateVertexShader") &&
           ok(device_->CreatePixelShader(ps.data(), ps.size() * 4, pixelShader_.put()), "CreatePixelShader") &&
           ok(device_->CreateInputLayout(elements, 2, vs.data(), vs.size() * 4, layout_.put()), "CreateInputLayout");
  }

  bool createVertices() {
    std::vector<Vertex11> vertices;
    for (const Quad &quad : kQuads) {
      const float left = static_cast<float>(quad.x) - 0.5f, top = static_cast<float>(quad.y) - 0.5f;
      appendRectangle(vertices, left, top, left + kQuadPixels, top + kQuadPixels, quad.depth);
    }
    float place[8];
    placeOf(kWidth, kHeight, place);
    const D3D10_BUFFER_DESC vertexDesc = {static_cast<UINT>(vertices.size() * sizeof vertices[0]),
                                          D3D10_USAGE_IMMUTABLE, D3D10_BIND_VERTEX_BUFFER, 0, 0};
    const D3D10_BUFFER_DESC placeDesc = {sizeof place, D3D10_USAGE_IMMUTABLE, D3D10_BIND_CONSTANT_BUFFER, 0, 0};
    const D3D10_BUFFER_DESC tintDesc = {32, D3D10_USAGE_DYNAMIC, D3D10_BIND_CONSTANT_BUFFER, D3D10_CPU_ACCESS_WRITE, 0};
    const D3D10_SUBRESOURCE_DATA vertexData = {vertices.data(), 0, 0}, placeData = {place, 0, 0};
    return ok(device_->CreateBuffer(&vertexDesc, &vertexData, vertices_.put()), "CreateBuffer of vertices") &&
           ok(device_->CreateBuffer(&placeDesc, &placeData, place_.put()), "CreateBuffer of constants") &&
           ok(device_->CreateBuffer(&tintDesc, nullptr, tint_.put()), "CreateBuffer of dynamic constants");
  }

  bool createTexture() {
    uint8_t bytes[kTexels][kTexels][4];
    for (UINT y = 0; y < kTexels; ++y)
      for (UINT x = 0; x < kTexels; ++x)
        for (int channel = 0; channel < 4; ++channel) {
          constexpr int kShift[4] = {16, 8, 0, 24};
          bytes[y][x][channel] = static_cast<uint8_t>(texel(x, y) >> kShift[channel]);
        }
    const D3D10_TEXTURE2D_DESC description = {
        kTexels, kTexels, 1, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D10_USAGE_DEFAULT, D3D10_BIND_SHADER_RESOURCE,
        0,       0};
    const D3D10_SUBRESOURCE_DATA data = {bytes, sizeof bytes[0], 0};
    ComPtr<ID3D10Texture2D> texture;
    D3D10_SAMPLER_DESC sampler{};
    sampler.Filter = D3D10_FILTER_MIN_MAG_MIP_POINT;
    sampler.AddressU = sampler.AddressV = sampler.AddressW = D3D10_TEXTURE_ADDRESS_CLAMP;
    sampler.MaxLOD = D3D10_FLOAT32_MAX;
    return ok(device_->CreateTexture2D(&description, &data, texture.put()), "CreateTexture2D") &&
           ok(device_->CreateShaderResourceView(texture.get(), nullptr, texture_.put()), "CreateShaderResourceView") &&
           ok(device_->CreateSamplerState(&sampler, sampler_.put()), "CreateSamplerState");
  }

  bool createStates() {
    D3D10_BLEND_DESC1 over{};
    over.RenderTarget[0] = {TRUE,
                            D3D10_BLEND_SRC_ALPHA,
                            D3D10_BLEND_INV_SRC_ALPHA,
                            D3D10_BLEND_OP_ADD,
                            D3D10_BLEND_ONE,
                            D3D10_BLEND_INV_SRC_ALPHA,
                            D3D10_BLEND_OP_ADD,
                            D3D10_COLOR_WRITE_ENABLE_ALL};
    D3D10_RASTERIZER_DESC rasterizer{};
    rasterizer.FillMode = D3D10_FILL_SOLID;
    rasterizer.CullMode = D3D10_CULL_NONE;
    rasterizer.DepthClipEnable = TRUE;
    D3D10_DEPTH_STENCIL_DESC depth{};
    depth.DepthEnable = TRUE;
    depth.DepthWriteMask = D3D10_DEPTH_WRITE_MASK_ALL;
    depth.DepthFunc = D3D10_COMPARISON_LESS;
    D3D10_DEPTH_STENCIL_DESC tested = depth;
    tested.DepthWriteMask = D3D10_DEPTH_WRITE_MASK_ZERO;
    ComPtr<ID3D10BlendState1> over1;
    if (!ok(device_->CreateBlendState1(&over, over1.put()), "CreateBlendState1")) return false;
    // The same state, as Direct3D 10.0 describes it, has to make the same object.
    D3D10_BLEND_DESC old{};
    over1->GetDesc(&old);
    if (!ok(device_->CreateBlendState(&old, over_.put()), "CreateBlendState")) return false;
    if (over_.get() != over1.get()) return fail("CreateBlendState and CreateBlendState1 made two objects of one state");
    return ok(device_->CreateRasterizerState(&rasterizer, rasterizer_.put()), "CreateRasterizerState") &&
           ok(device_->CreateDepthStencilState(&depth, written_.put()), "CreateDepthStencilState") &&
           ok(device_->CreateDepthStencilState(&tested, tested_.put()), "CreateDepthStencilState without writes");
  }

  bool createTargets() {
    const D3D10_TEXTURE2D_DESC target = {
        kWidth, kHeight, 1, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D10_USAGE_DEFAULT, D3D10_BIND_RENDER_TARGET, 0, 0};
    D3D10_TEXTURE2D_DESC depth = target;
    depth.Format = DXGI_FORMAT_D24_UNORM_S8_UINT;
    depth.BindFlags = D3D10_BIND_DEPTH_STENCIL;
    ComPtr<ID3D10Texture2D> depthTexture;
    return ok(device_->CreateTexture2D(&target, nullptr, target_.put()), "CreateTexture2D of a target") &&
           ok(device_->CreateTexture2D(&depth, nullptr, depthTexture.put()), "CreateTexture2D of depth") &&
           ok(device_->CreateRenderTargetView(target_.get(), nullptr, view_.put()), "CreateRenderTargetView") &&
           ok(device_->CreateDepthStencilView(depthTexture.get(), nullptr, depth_.put()), "CreateDepthStencilView");
  }

  ID3D10Device1 *device_ = nullptr;  // the caller's
  ComPtr<ID3D10VertexShader> vertexShader_;
  ComPtr<ID3D10PixelShader> pixelShader_;
  ComPtr<ID3D10InputLayout> layout_;
  ComPtr<ID3D10Buffer> vertices_, place_, tint_;
  ComPtr<ID3D10ShaderResourceView> texture_;
  ComPtr<ID3D10SamplerState> sampler_;
  ComPtr<ID3D10BlendState> over_;
  ComPtr<ID3D10RasterizerState> rasterizer_;
  ComPtr<ID3D10DepthStencilState> written_, tested_;
  ComPtr<ID3D10Texture2D> target_;
  ComPtr<ID3D10RenderTargetView> view_;
  ComPtr<ID3D10DepthStencilView> depth_;
};

int run(int argc, char **argv) {
  speaker = "quad10";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown10 shown;
  if (!shown.open(options, kWidth, kHeight, DXGI_FORMAT_R8G8B8A8_UNORM, 0)) return 1;
  const Model expected = model();
  Scene10 scene;
  ComPtr<ID3D10RenderTargetView> view;
  if (!scene.create(shown.device.get()) || !scene.check(expected) ||
      !ok(shown.device->CreateRenderTargetView(shown.buffer.get(), nullptr, view.put()),
          "CreateRenderTargetView of the buffer"))
    return 1;
  constexpr int kFrames = 3;
  for (int i = 0; i < kFrames; ++i)
    if (!scene.draw(view.get(), nullptr) || !ok(shown.chain->Present(0, 0), "Present")) return 1;
  return shown.finish(options, expected.picture) ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
