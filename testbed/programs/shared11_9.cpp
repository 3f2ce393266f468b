// SPDX-License-Identifier: MIT
// The side of shared11.exe that is a device of Direct3D 9Ex.
#include "guest-drivers/programs/canvas.h"
#include "testbed/programs/shared11.h"

namespace programs {
namespace {

static_assert(kSharedSize == kCanvasSize);

/** Page "Surface Sharing Between Windows Graphics APIs". */
D3DFORMAT formatOf(DXGI_FORMAT format) {
  switch (format) {
  case DXGI_FORMAT_B8G8R8A8_UNORM:
    return D3DFMT_A8R8G8B8;
  case DXGI_FORMAT_B8G8R8X8_UNORM:
    return D3DFMT_X8R8G8B8;
  case DXGI_FORMAT_R8G8B8A8_UNORM:
    return D3DFMT_A8B8G8R8;
  default:
    return D3DFMT_UNKNOWN;
  }
}

class Side9 final : public Side {
public:
  bool create() {
    Options options;
    options.ex = true;
    return window_.open(400, 48, 64, 64, false) &&
           device_.create(options, {.width = 64, .height = 64}, window_.handle()) &&
           canvas_.create(device_.device.get());
  }
  bool make(DXGI_FORMAT format, HANDLE *handle) override { return createTexture(format, handle, "CreateTexture"); }
  bool open(DXGI_FORMAT format, HANDLE handle) override {
    return createTexture(format, &handle, "CreateTexture(an open handle)");
  }
  bool draw(bool second) override {
    QuadValues values;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) values.corner[i][j] = gradientOf(second)[i][j];
    return canvas_.reset() && ok(device_->SetRenderTarget(0, surface_.get()), "SetRenderTarget(shared)") &&
           canvas_.quad(kWholeCanvas, values) &&
           canvas_.quad({kCornerX, kCornerY, kCornerWidth, kCornerHeight}, flat(kCornerColour)) &&
           finish(device_.device.get());
  }
  bool read(Picture &picture) override {
    if (format_ != D3DFMT_A8B8G8R8) return readTarget(device_.device.get(), surface_.get(), &picture);
    ComPtr<IDirect3DSurface9> swapped;
    return ok(device_->CreateRenderTarget(kSharedSize, kSharedSize, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE,
                                          swapped.put(), nullptr),
              "CreateRenderTarget") &&
           ok(device_->StretchRect(surface_.get(), nullptr, swapped.get(), nullptr, D3DTEXF_NONE), "StretchRect") &&
           readTarget(device_.device.get(), swapped.get(), &picture);
  }
  bool drawWith(Picture &picture) override {
    return canvas_.reset() && canvas_.use(PixelKind::kTexture) &&
           ok(device_->SetTexture(0, texture_.get()), "SetTexture(shared)") &&
           canvas_.quad(kWholeCanvas, coordinates(0, 0, 1, 1)) && canvas_.read(&picture);
  }

private:
  bool createTexture(DXGI_FORMAT format, HANDLE *handle, const char *call) {
    format_ = formatOf(format);
    return ok(device_->CreateTexture(kSharedSize, kSharedSize, 1, D3DUSAGE_RENDERTARGET, format_, D3DPOOL_DEFAULT,
                                     texture_.put(), handle),
              call) &&
           ok(texture_->GetSurfaceLevel(0, surface_.put()), "GetSurfaceLevel");
  }

  Window window_;
  Device device_;
  Canvas canvas_;
  D3DFORMAT format_ = D3DFMT_UNKNOWN;
  ComPtr<IDirect3DTexture9> texture_;
  ComPtr<IDirect3DSurface9> surface_;
};

}  // namespace

std::unique_ptr<Side> makeSide9() {
  auto side = std::make_unique<Side9>();
  if (!side->create()) return nullptr;
  return side;
}

}  // namespace programs
