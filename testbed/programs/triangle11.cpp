// SPDX-License-Identifier: MIT
// triangle11.exe: Direct3D 11: one triangle, a colour at each corner, into a texture and a window. Reads the texture
// back and compares each pixel with the formula. Its shaders are assembled here: nothing compiles HLSL.
//
//   triangle11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include <windows.h>

#include <d3d11.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "guest-drivers/programs/com_ptr.h"
#include "guest-drivers/programs/fail.h"
#include "guest-drivers/programs/picture.h"
#include "guest-drivers/programs/raster.h"
#include "guest-drivers/programs/window.h"
#include "renderer/test/dxbc_sealed.h"

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

bool ok(HRESULT result, const char *call) {
  return SUCCEEDED(result) || fail("%s failed: 0x%08lx", call, static_cast<unsigned long>(result));
}

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
    const D3D11_TEXTURE2D_DESC target = {
        kWidth, kHeight, 1, 1, DXGI_FORMAT_R8G8B8A8_UNORM, {1, 0}, D3D11_USAGE_DEFAULT, D3D11_BIND_RENDER_TARGET, 0, 0};
    D3D11_TEXTURE2D_DESC staging = target;
    staging.Usage = D3D11_USAGE_STAGING;
    staging.BindFlags = 0;
    staging.CPUAccessFlags = D3D11_CPU_ACCESS_READ;
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
           ok(device->CreateTexture2D(&target, nullptr, target_.put()), "CreateTexture2D") &&
           ok(device->CreateTexture2D(&staging, nullptr, staging_.put()), "CreateTexture2D for reading") &&
           ok(device->CreateRenderTargetView(target_.get(), nullptr, view_.put()), "CreateRenderTargetView") &&
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

  bool check(ID3D11DeviceContext *context) {
    draw(context, view_.get());
    context->CopyResource(staging_.get(), target_.get());
    D3D11_MAPPED_SUBRESOURCE mapped{};
    if (!ok(context->Map(staging_.get(), 0, D3D11_MAP_READ, 0, &mapped), "Map")) return false;
    Picture got(kWidth, kHeight);
    for (UINT y = 0; y < kHeight; ++y) {
      const auto *row = static_cast<const uint8_t *>(mapped.pData) + size_t{y} * mapped.RowPitch;
      for (UINT x = 0; x < kWidth; ++x, row += 4) got.at(x, y) = argb(row[3], row[0], row[1], row[2]);
    }
    context->Unmap(staging_.get(), 0);
    return samePicture("triangle", got, expectation(), 1, true);  // colours between the corners are rounded
  }

private:
  ComPtr<ID3D11VertexShader> vertexShader_;
  ComPtr<ID3D11PixelShader> pixelShader_;
  ComPtr<ID3D11InputLayout> layout_;
  ComPtr<ID3D11Buffer> vertices_, constants_;
  ComPtr<ID3D11Texture2D> target_, staging_;
  ComPtr<ID3D11RenderTargetView> view_;
  ComPtr<ID3D11RasterizerState> rasterizer_;
};

struct Options {
  int x = 64, y = 48;
  bool hold = false;
  const char *expectation = nullptr;
};

bool readOptions(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    if (!std::strcmp(name, "--hold")) {
      options.hold = true;
      continue;
    }
    const char *value = i + 1 < argc ? argv[++i] : nullptr;
    if (value && !std::strcmp(name, "--expectation"))
      options.expectation = value;
    else if (!value || std::strcmp(name, "--at") != 0 || std::sscanf(value, "%d,%d", &options.x, &options.y) != 2)
      return fail("what is '%s'?", name);
  }
  return true;
}

int run(int argc, char **argv) {
  speaker = "triangle11";
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  Options options;
  if (!readOptions(argc, argv, options)) return 2;
  Window window;
  if (!window.open(options.x, options.y, kWidth, kHeight)) return 1;
  DXGI_SWAP_CHAIN_DESC description{};
  description.BufferDesc.Width = kWidth;
  description.BufferDesc.Height = kHeight;
  description.BufferDesc.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  description.SampleDesc.Count = 1;
  description.BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT;
  description.BufferCount = 1;
  description.OutputWindow = window.handle();
  description.Windowed = TRUE;
  ComPtr<IDXGISwapChain> chain;
  ComPtr<ID3D11Device> device;
  ComPtr<ID3D11DeviceContext> context;
  ComPtr<ID3D11Texture2D> buffer;
  ComPtr<ID3D11RenderTargetView> view;
  const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
  D3D_FEATURE_LEVEL level{};
  if (!ok(D3D11CreateDeviceAndSwapChain(nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, 0, levels, 3, D3D11_SDK_VERSION,
                                        &description, chain.put(), device.put(), &level, context.put()),
          "D3D11CreateDeviceAndSwapChain"))
    return 1;
  std::printf("level 0x%x\n", level);
  Scene scene;
  if (!scene.create(device.get()) || !scene.check(context.get())) return 1;
  if (!ok(chain->GetBuffer(0, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(buffer.put())), "GetBuffer") ||
      !ok(device->CreateRenderTargetView(buffer.get(), nullptr, view.put()), "CreateRenderTargetView of the buffer"))
    return 1;
  constexpr int kFrames = 3;
  for (int i = 0; i < kFrames; ++i) {
    scene.draw(context.get(), view.get());
    if (!ok(chain->Present(0, 0), "Present")) return 1;
  }
  if (!ok(device->GetDeviceRemovedReason(), "GetDeviceRemovedReason")) return 1;
  if (options.expectation && !writePpm(options.expectation, expectation())) return 1;
  if (options.hold) holdPicture();
  std::printf("triangle11: ok\n");
  return 0;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
