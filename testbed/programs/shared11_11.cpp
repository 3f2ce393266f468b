// SPDX-License-Identifier: MIT
// The side of shared11.exe that is a device of Direct3D 11.
#include <cstring>
#include <utility>

#include "guest-drivers/programs/fail.h"
#include "renderer/test/dxbc_sealed.h"
#include "testbed/programs/shared11.h"
#include "testbed/programs/stages11.h"

namespace programs {
namespace {

namespace dxbc = aerogpu::test::dxbc;

struct Vertex {
  float x, y, z;
  float colour[4];
};

constexpr UINT kRectangle = 6;  // vertices

/** Two triangles of a rectangle in pixels. */
void rectangle(Vertex *out, float x, float y, float width, float height, const CornerColours &colours) {
  const auto corner = [&](int i) {
    Vertex vertex{
        (x + (i & 1 ? width : 0)) / kSharedSize * 2 - 1, 1 - (y + (i & 2 ? height : 0)) / kSharedSize * 2, 0.5f, {}};
    std::memcpy(vertex.colour, colours[i], sizeof vertex.colour);
    return vertex;
  };
  for (const int i : {0, 1, 2, 2, 1, 3}) *out++ = corner(i);
}

class Side11 final : public Side {
public:
  bool create() {
    const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
    const dxbc::Tokens vs = dxbc::sealed(dxbc::vertexCode()), ps = dxbc::sealed(dxbc::pixelCode());
    const D3D11_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0},
        {"COLOR", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 12, D3D11_INPUT_PER_VERTEX_DATA, 0}};
    const float zeros[8] = {};
    Vertex vertices[3 * kRectangle];
    CornerColours corner;
    for (float(&colour)[4] : corner) std::memcpy(colour, rgbaOf(kCornerColour).data(), sizeof colour);
    rectangle(vertices, 0, 0, kSharedSize, kSharedSize, gradientOf(false));
    rectangle(&vertices[kRectangle], 0, 0, kSharedSize, kSharedSize, gradientOf(true));
    rectangle(&vertices[size_t{2} * kRectangle], kCornerX, kCornerY, kCornerWidth, kCornerHeight, corner);
    return ok(D3D11CreateDevice(nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, D3D11_CREATE_DEVICE_BGRA_SUPPORT, levels, 3,
                                D3D11_SDK_VERSION, device_.put(), nullptr, context_.put()),
              "D3D11CreateDevice") &&
           ok(device_->CreateVertexShader(vs.data(), vs.size() * 4, nullptr, vertexShader_.put()),
              "CreateVertexShader") &&
           ok(device_->CreatePixelShader(ps.data(), ps.size() * 4, nullptr, pixelShader_.put()), "CreatePixelShader") &&
           ok(device_->CreateInputLayout(elements, 2, vs.data(), vs.size() * 4, layout_.put()), "CreateInputLayout") &&
           makeBuffer(device_.get(), sizeof vertices, D3D11_USAGE_IMMUTABLE, D3D11_BIND_VERTEX_BUFFER, vertices,
                      vertices_) &&
           makeBuffer(device_.get(), sizeof zeros, D3D11_USAGE_IMMUTABLE, D3D11_BIND_CONSTANT_BUFFER, zeros,
                      constants_) &&
           stage_.create(device_.get()) && textured_.createTextured(device_.get());
  }
  bool make(DXGI_FORMAT format, HANDLE *handle) override {
    const D3D11_TEXTURE2D_DESC description = {kSharedSize,
                                              kSharedSize,
                                              1,
                                              1,
                                              format,
                                              {1, 0},
                                              D3D11_USAGE_DEFAULT,
                                              D3D11_BIND_RENDER_TARGET | D3D11_BIND_SHADER_RESOURCE,
                                              0,
                                              handle ? UINT{D3D11_RESOURCE_MISC_SHARED} : 0};
    ComPtr<IDXGIResource> resource;
    return ok(device_->CreateTexture2D(&description, nullptr, texture_.put()), "CreateTexture2D") && makeViews() &&
           (!handle || (ok(texture_->QueryInterface(__uuidof(IDXGIResource), reinterpret_cast<void **>(resource.put())),
                           "QueryInterface(IDXGIResource)") &&
                        ok(resource->GetSharedHandle(handle), "GetSharedHandle")));
  }
  bool open(DXGI_FORMAT format, HANDLE handle) override {
    D3D11_TEXTURE2D_DESC found{};
    if (!ok(device_->OpenSharedResource(handle, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(texture_.put())),
            "OpenSharedResource"))
      return false;
    texture_->GetDesc(&found);
    if (found.Width != kSharedSize || found.Height != kSharedSize || found.Format != format || found.MipLevels != 1 ||
        !(found.MiscFlags & D3D11_RESOURCE_MISC_SHARED))
      return fail("the open texture is %ux%u, format %d", found.Width, found.Height, found.Format);
    return makeViews();
  }
  bool draw(bool second) override {
    ID3D11RenderTargetView *target = targetView_.get();
    ID3D11Buffer *vertices = vertices_.get(), *constants = constants_.get();
    const D3D11_VIEWPORT viewport = {0, 0, kSharedSize, kSharedSize, 0, 1};
    const UINT stride = sizeof(Vertex), offset = 0;
    context_->ClearState();
    context_->IASetInputLayout(layout_.get());
    context_->IASetVertexBuffers(0, 1, &vertices, &stride, &offset);
    context_->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    context_->VSSetShader(vertexShader_.get(), nullptr, 0);
    context_->VSSetConstantBuffers(0, 1, &constants);
    context_->PSSetShader(pixelShader_.get(), nullptr, 0);
    context_->RSSetViewports(1, &viewport);
    context_->OMSetRenderTargets(1, &target, nullptr);
    context_->Draw(kRectangle, second ? kRectangle : 0);
    context_->Draw(kRectangle, 2 * kRectangle);
    context_->OMSetRenderTargets(0, nullptr, nullptr);
    return waitForIt();
  }
  bool read(Picture &picture) override {
    if (!readTexture(device_.get(), context_.get(), texture_.get(), 0, picture)) return false;
    if (format() == DXGI_FORMAT_R8G8B8A8_UNORM) return true;
    for (uint32_t &pixel : picture.pixels)  // the reader takes the first byte for red
      pixel = (pixel & 0xFF00FF00u) | (pixel & 0xFF) << 16 | (pixel >> 16 & 0xFF);
    return true;
  }
  bool drawWith(Picture &picture) override {
    ComPtr<ID3D11Texture2D> target;
    ComPtr<ID3D11RenderTargetView> view;
    ComPtr<ID3D11Buffer> vertices;
    ComPtr<ID3D11SamplerState> sampler;
    std::vector<Vertex11> corners;
    appendRectangle(corners, -0.5f, -0.5f, kSharedSize - 0.5f, kSharedSize - 0.5f, 0.5f);
    D3D11_SAMPLER_DESC points{};
    points.Filter = D3D11_FILTER_MIN_MAG_MIP_POINT;
    points.AddressU = points.AddressV = points.AddressW = D3D11_TEXTURE_ADDRESS_CLAMP;
    points.ComparisonFunc = D3D11_COMPARISON_NEVER;
    points.MaxLOD = D3D11_FLOAT32_MAX;
    const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (!makeTarget(device_.get(), kSharedSize, kSharedSize, target, view) ||
        !makeBuffer(device_.get(), static_cast<uint32_t>(corners.size() * sizeof corners[0]), D3D11_USAGE_IMMUTABLE,
                    D3D11_BIND_VERTEX_BUFFER, corners.data(), vertices) ||
        !ok(device_->CreateSamplerState(&points, sampler.put()), "CreateSamplerState") ||
        !textured_.setConstants(context_.get(), ones))
      return false;
    ID3D11RenderTargetView *targets = view.get();
    ID3D11ShaderResourceView *textures = textureView_.get();
    ID3D11SamplerState *samplers = sampler.get();
    context_->ClearState();
    stage_.bind(context_.get(), vertices.get(), kSharedSize, kSharedSize);
    textured_.bind(context_.get());
    context_->PSSetShaderResources(0, 1, &textures);
    context_->PSSetSamplers(0, 1, &samplers);
    context_->OMSetRenderTargets(1, &targets, nullptr);
    context_->Draw(static_cast<UINT>(corners.size()), 0);
    return readTexture(device_.get(), context_.get(), target.get(), 0, picture);
  }

private:
  DXGI_FORMAT format() const {
    D3D11_TEXTURE2D_DESC description{};
    texture_->GetDesc(&description);
    return description.Format;
  }
  bool makeViews() {
    return ok(device_->CreateRenderTargetView(texture_.get(), nullptr, targetView_.put()), "CreateRenderTargetView") &&
           ok(device_->CreateShaderResourceView(texture_.get(), nullptr, textureView_.put()),
              "CreateShaderResourceView");
  }
  bool waitForIt() {
    const D3D11_QUERY_DESC description = {D3D11_QUERY_EVENT, 0};
    ComPtr<ID3D11Query> done;
    if (!ok(device_->CreateQuery(&description, done.put()), "CreateQuery")) return false;
    context_->End(done.get());
    context_->Flush();
    HRESULT result = S_FALSE;
    while ((result = context_->GetData(done.get(), nullptr, 0, 0)) == S_FALSE) Sleep(0);
    return ok(result, "GetData");
  }

  ComPtr<ID3D11Device> device_;
  ComPtr<ID3D11DeviceContext> context_;
  ComPtr<ID3D11VertexShader> vertexShader_;
  ComPtr<ID3D11PixelShader> pixelShader_;
  ComPtr<ID3D11InputLayout> layout_;
  ComPtr<ID3D11Buffer> vertices_, constants_;
  VertexStage stage_;
  PixelStage textured_;
  ComPtr<ID3D11Texture2D> texture_;
  ComPtr<ID3D11RenderTargetView> targetView_;
  ComPtr<ID3D11ShaderResourceView> textureView_;
};

}  // namespace

std::unique_ptr<Side> makeSide11() {
  auto side = std::make_unique<Side11>();
  if (!side->create()) return nullptr;
  return side;
}

}  // namespace programs
