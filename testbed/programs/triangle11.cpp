// SPDX-License-Identifier: MIT
// triangle11.exe: Direct3D 11: one triangle, a colour at each corner, into a texture and a window. Reads the texture
// back and compares each pixel with the formula. Its shaders are assembled here: nothing compiles HLSL.
//
//   triangle11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include "guest-drivers/programs/fail.h"
#include "guest-drivers/programs/raster.h"
#include "renderer/test/dxbc_sealed.h"
#include "testbed/programs/program11.h"

namespace programs {
namespace {

namespace dxbc = aerogpu::test::dxbc;

constexpr UINT kWidth = 320, kHeight = 240;
constexpr uint32_t kBackground = argb(255, 48, 56, 64);

struct Vertex {
  float x, y, z;
  uint32_t colour;  // R8G8B8A8: red in the lowest byte
};

/// Corners in pixels, as in triangle.cpp: no pixel's centre lies near an edge.
struct Point {
  double x, y;
  uint32_t red, green, blue;
};
constexpr Point kPoints[3] = {
    {160.25, 20.25, 255, 32, 32}, {260.25, 220.25, 32, 255, 32}, {60.25, 220.25, 32, 32, 255}};

Picture expectation() {
  Picture picture(kWidth, kHeight, kBackground);
  Corner corners[3];
  for (int i = 0; i < 3; ++i)
    corners[i] = {
        kPoints[i].x, kPoints[i].y, {kPoints[i].blue / 255.0, kPoints[i].green / 255.0, kPoints[i].red / 255.0, 1}};
  rasterize(kWidth, kHeight, corners, [&](uint32_t x, uint32_t y, const double *bgra) {
    picture.at(x, y) = argb(unorm8(bgra[3]), unorm8(bgra[2]), unorm8(bgra[1]), unorm8(bgra[0]));
  });
  return picture;
}

class Scene {
public:
  bool create(ID3D11Device *device) {
    const dxbc::Tokens vs = dxbc::sealed(dxbc::vertexCode()), ps = dxbc::sealed(dxbc::pixelCode());
    const D3D11_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0},
        {"COLOR", 0, DXGI_FORMAT_R8G8B8A8_UNORM, 0, 12, D3D11_INPUT_PER_VERTEX_DATA, 0}};
    Vertex vertices[3];
    for (int i = 0; i < 3; ++i) {
      const Point &p = kPoints[i];
      // Here a pixel's centre is at one half; there it is at a whole number.
      vertices[i] = {static_cast<float>((p.x + 0.5) / kWidth * 2 - 1),
                     static_cast<float>(1 - (p.y + 0.5) / kHeight * 2), 0.5f,
                     0xFF000000u | p.blue << 16 | p.green << 8 | p.red};
    }
    const D3D11_BUFFER_DESC vertexDesc = {sizeof vertices, D3D11_USAGE_IMMUTABLE, D3D11_BIND_VERTEX_BUFFER, 0, 0, 0};
    const D3D11_BUFFER_DESC constantDesc = {32, D3D11_USAGE_DEFAULT, D3D11_BIND_CONSTANT_BUFFER, 0, 0, 0};
    const D3D11_SUBRESOURCE_DATA data = {vertices, 0, 0};
    D3D11_RASTERIZER_DESC rasterizer{};
    rasterizer.FillMode = D3D11_FILL_SOLID;
    rasterizer.CullMode = D3D11_CULL_NONE;
    rasterizer.DepthClipEnable = TRUE;
    return ok(device->CreateVertexShader(vs.data(), vs.size() * 4, nullptr, vertexShader_.put()),
              "CreateVertexShader") &&
           ok(device->CreatePixelShader(ps.data(), ps.size() * 4, nullptr, pixelShader_.put()), "CreatePixelShader") &&
           ok(device->CreateInputLayout(elements, 2, vs.data(), vs.size() * 4, layout_.put()), "CreateInputLayout") &&
           ok(device->CreateBuffer(&vertexDesc, &data, vertices_.put()), "CreateBuffer") &&
           ok(device->CreateBuffer(&constantDesc, nullptr, constants_.put()), "CreateBuffer of constants") &&
           makeTarget(device, kWidth, kHeight, target_, view_) &&
           ok(device->CreateRasterizerState(&rasterizer, rasterizer_.put()), "CreateRasterizerState");
  }

  void draw(ID3D11DeviceContext *context, ID3D11RenderTargetView *view) {
    const FLOAT background[4] = {48 / 255.0f, 56 / 255.0f, 64 / 255.0f, 1}, zeros[8] = {};
    const D3D11_VIEWPORT viewport = {0, 0, kWidth, kHeight, 0, 1};
    const UINT stride = sizeof(Vertex), offset = 0;
    ID3D11Buffer *buffers[] = {vertices_.get()}, *constants[] = {constants_.get()};
    context->ClearRenderTargetView(view, background);
    context->UpdateSubresource(constants_.get(), 0, nullptr, zeros, 0, 0);
    context->IASetInputLayout(layout_.get());
    context->IASetVertexBuffers(0, 1, buffers, &stride, &offset);
    context->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    context->VSSetShader(vertexShader_.get(), nullptr, 0);
    context->VSSetConstantBuffers(0, 1, constants);
    context->PSSetShader(pixelShader_.get(), nullptr, 0);
    context->RSSetState(rasterizer_.get());
    context->RSSetViewports(1, &viewport);
    context->OMSetRenderTargets(1, &view, nullptr);
    context->Draw(3, 0);
  }

  bool check(ID3D11Device *device, ID3D11DeviceContext *context) {
    draw(context, view_.get());
    Picture got;
    // Colours between the corners are rounded.
    return readTexture(device, context, target_.get(), 0, got) && samePicture("triangle", got, expectation(), 1, true);
  }

private:
  ComPtr<ID3D11VertexShader> vertexShader_;
  ComPtr<ID3D11PixelShader> pixelShader_;
  ComPtr<ID3D11InputLayout> layout_;
  ComPtr<ID3D11Buffer> vertices_, constants_;
  ComPtr<ID3D11Texture2D> target_;
  ComPtr<ID3D11RenderTargetView> view_;
  ComPtr<ID3D11RasterizerState> rasterizer_;
};

int run(int argc, char **argv) {
  speaker = "triangle11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  Scene scene;
  if (!shown.open(options, kWidth, kHeight) || !scene.create(shown.device.get()) ||
      !scene.check(shown.device.get(), shown.context.get()))
    return 1;
  constexpr int kFrames = 3;
  for (int i = 0; i < kFrames; ++i) {
    scene.draw(shown.context.get(), shown.view.get());
    if (!ok(shown.chain->Present(0, 0), "Present")) return 1;
  }
  return shown.finish(options, expectation()) ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
