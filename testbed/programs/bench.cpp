// SPDX-License-Identifier: MIT
// bench.exe: runs typical work of programs through Direct3D, as fast as possible: draws, sprites, changing textures,
// composed windows, uploads, read-backs. Prints the number of frames and seconds, the processor time of this process
// for them, and the middle of the last picture, so that different Direct3Ds can be compared.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "guest-drivers/programs/program.h"
#include "guest-drivers/programs/scene.h"
#include "guest-drivers/programs/texture.ps.h"
#include "guest-drivers/programs/values.ps.h"
#include "guest-drivers/programs/values.vs.h"
#include "testbed/programs/bench_scenes.h"

namespace programs {

namespace {

using namespace bench;

constexpr D3DVERTEXELEMENT9 kElements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                           {0, 12, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                           D3DDECL_END()};
/** The objects that all scenes draw with, and their common calls. */
class Tools {
public:
  bool create(IDirect3DDevice9 *device) {
    device_ = device;
    float toClip[4];
    pixelsToClip(kWidth, kHeight, toClip);
    return ok(device->CreateVertexShader(reinterpret_cast<const DWORD *>(valuesVs), vertexShader_.put()),
              "CreateVertexShader") &&
           ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(texturePs), textured_.put()),
              "CreatePixelShader(textured)") &&
           ok(device->CreatePixelShader(reinterpret_cast<const DWORD *>(valuesPs), plain_.put()),
              "CreatePixelShader(plain)") &&
           ok(device->CreateVertexDeclaration(kElements, declaration_.put()), "CreateVertexDeclaration") &&
           ok(device->SetVertexShader(vertexShader_.get()), "SetVertexShader") &&
           ok(device->SetVertexDeclaration(declaration_.get()), "SetVertexDeclaration") && usePixels(true) &&
           state(D3DRS_CULLMODE, D3DCULL_NONE) && state(D3DRS_ZENABLE, D3DZB_FALSE) &&
           state(D3DRS_SRCBLEND, D3DBLEND_SRCALPHA) && state(D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA) &&
           ok(device->SetSamplerState(0, D3DSAMP_MINFILTER, D3DTEXF_LINEAR), "SetSamplerState(MINFILTER)") &&
           ok(device->SetSamplerState(0, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR), "SetSamplerState(MAGFILTER)") &&
           ok(device->SetVertexShaderConstantF(0, toClip, 1), "SetVertexShaderConstantF");
  }
  IDirect3DDevice9 *device() const { return device_; }

  bool state(D3DRENDERSTATETYPE type, DWORD value) {
    return ok(device_->SetRenderState(type, value), "SetRenderState");
  }
  bool usePixels(bool textured) {
    return ok(device_->SetPixelShader((textured ? textured_ : plain_).get()), "SetPixelShader");
  }
  bool texture(IDirect3DTexture9 *texture) { return ok(device_->SetTexture(0, texture), "SetTexture"); }
  bool draw(uint32_t firstQuad, uint32_t quads) {
    return ok(device_->DrawPrimitive(D3DPT_TRIANGLELIST, firstQuad * kQuadVertices, quads * 2), "DrawPrimitive");
  }

  bool createTexture(ComPtr<IDirect3DTexture9> &texture, uint32_t width, uint32_t height, DWORD usage) {
    return ok(device_->CreateTexture(width, height, 1, usage, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture.put(), nullptr),
              "CreateTexture");
  }
  bool fill(IDirect3DTexture9 *texture, uint32_t width, uint32_t height, uint32_t seed, DWORD flags = 0) {
    D3DLOCKED_RECT locked{};
    if (!ok(texture->LockRect(0, &locked, nullptr, flags), "LockRect")) return false;
    for (uint32_t y = 0; y < height; ++y) {
      auto *row = reinterpret_cast<uint32_t *>(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y);
      for (uint32_t x = 0; x < width; ++x) row[x] = texel(x, y, seed);
    }
    return ok(texture->UnlockRect(0), "UnlockRect");
  }
  /** Makes a texture with texels that never change. */
  bool still(ComPtr<IDirect3DTexture9> &texture, uint32_t size, uint32_t seed) {
    ComPtr<IDirect3DTexture9> source;
    return createTexture(texture, size, size, 0) &&
           ok(device_->CreateTexture(size, size, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, source.put(), nullptr),
              "CreateTexture(SYSTEMMEM)") &&
           fill(source.get(), size, size, seed) &&
           ok(device_->UpdateTexture(source.get(), texture.get()), "UpdateTexture");
  }

  bool createVertices(ComPtr<IDirect3DVertexBuffer9> &buffer, uint32_t quads, DWORD usage) {
    return ok(device_->CreateVertexBuffer(quads * kQuadBytes, usage | D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT,
                                          buffer.put(), nullptr),
              "CreateVertexBuffer");
  }
  /** Makes quads from `first` on, by `write(Vertex *, index)`. */
  template <class Write>
  bool writeQuads(IDirect3DVertexBuffer9 *buffer, uint32_t first, uint32_t count, DWORD flags, Write write) {
    void *memory = nullptr;
    if (!ok(buffer->Lock(first * kQuadBytes, count * kQuadBytes, &memory, flags), "Lock")) return false;
    for (uint32_t i = 0; i < count; ++i) write(static_cast<Vertex *>(memory) + size_t{i} * kQuadVertices, i);
    return ok(buffer->Unlock(), "Unlock");
  }
  bool use(IDirect3DVertexBuffer9 *buffer) {
    return ok(device_->SetStreamSource(0, buffer, 0, sizeof(Vertex)), "SetStreamSource");
  }

private:
  IDirect3DDevice9 *device_ = nullptr;
  ComPtr<IDirect3DVertexShader9> vertexShader_;
  ComPtr<IDirect3DPixelShader9> textured_, plain_;
  ComPtr<IDirect3DVertexDeclaration9> declaration_;
};

class BenchScene {
public:
  virtual ~BenchScene() = default;
  virtual bool create(Tools &tools) = 0;
  virtual bool draw(Tools &tools, uint32_t frame) = 0;
  /** False if frames are work that no window shows. */
  virtual bool shows() const { return true; }
};

class Draws : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (uint32_t i = 0; i < DrawsScene::kTextures; ++i)
      if (!tools.still(textures_[i], DrawsScene::kTextureSide, i)) return false;
    return tools.createVertices(vertices_, 1, 0) &&
           tools.writeQuads(vertices_.get(), 0, 1, 0, [](Vertex *out, uint32_t) { DrawsScene::write(out); });
  }
  bool draw(Tools &tools, uint32_t frame) override {
    float toClip[4], constants[4][4] = {};
    pixelsToClip(kWidth, kHeight, toClip);
    if (!tools.use(vertices_.get())) return false;
    for (uint32_t i = 0; i < DrawsScene::kDraws; ++i) {
      const auto changes = [i](auto what) { return i == 0 || what(i) != what(i - 1); };
      if (changes(DrawsScene::texture) && !tools.texture(textures_[DrawsScene::texture(i)].get())) return false;
      if (changes(DrawsScene::isTextured) && !tools.usePixels(DrawsScene::isTextured(i))) return false;
      if (changes(DrawsScene::isBlended) && !tools.state(D3DRS_ALPHABLENDENABLE, DrawsScene::isBlended(i)))
        return false;
      DrawsScene::constants(i, frame, toClip, constants);
      if (!ok(tools.device()->SetVertexShaderConstantF(0, constants[0], 4), "SetVertexShaderConstantF") ||
          !tools.draw(0, 1))
        return false;
    }
    return true;
  }

private:
  ComPtr<IDirect3DTexture9> textures_[DrawsScene::kTextures];
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

/** Draws from a dynamic buffer. */
class Sprites : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (uint32_t i = 0; i < SpritesScene::kTextures; ++i)
      if (!tools.still(textures_[i], SpritesScene::kTextureSide, i)) return false;
    return tools.createVertices(vertices_, kRoom, D3DUSAGE_DYNAMIC);
  }
  bool draw(Tools &tools, uint32_t frame) override {
    constexpr uint32_t kBatch = SpritesScene::kBatch;
    if (!tools.use(vertices_.get()) || !tools.state(D3DRS_ALPHABLENDENABLE, TRUE)) return false;
    for (uint32_t batch = 0; batch < SpritesScene::kBatches; ++batch) {
      if (next_ == kRoom) next_ = 0;
      const DWORD flags = next_ == 0 ? D3DLOCK_DISCARD : D3DLOCK_NOOVERWRITE;
      const bool sent = tools.writeQuads(vertices_.get(), next_, kBatch, flags, [&](Vertex *out, uint32_t i) {
        SpritesScene::write(out, batch * kBatch + i, frame);
      });
      if (!sent || !tools.texture(textures_[SpritesScene::texture(batch)].get()) || !tools.draw(next_, kBatch))
        return false;
      next_ += kBatch;
    }
    return true;
  }

private:
  static constexpr uint32_t kRoom = 40 * SpritesScene::kBatch;
  ComPtr<IDirect3DTexture9> textures_[SpritesScene::kTextures];
  ComPtr<IDirect3DVertexBuffer9> vertices_;
  uint32_t next_ = kRoom;
};

class Textures : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (auto &texture : textures_)
      if (!tools.createTexture(texture, kSide, kSide, D3DUSAGE_DYNAMIC)) return false;
    return tools.createVertices(vertices_, TexturesScene::kTextures, 0) &&
           tools.writeQuads(vertices_.get(), 0, TexturesScene::kTextures, 0, TexturesScene::write);
  }
  bool draw(Tools &tools, uint32_t frame) override {
    if (!tools.use(vertices_.get())) return false;
    for (uint32_t i = 0; i < TexturesScene::kTextures; ++i)
      if (!tools.fill(textures_[i].get(), kSide, kSide, TexturesScene::seed(i, frame), D3DLOCK_DISCARD) ||
          !tools.texture(textures_[i].get()) || !tools.draw(i, 1))
        return false;
    return true;
  }

private:
  static constexpr uint32_t kSide = TexturesScene::kSide;
  ComPtr<IDirect3DTexture9> textures_[TexturesScene::kTextures];
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

class Windows : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (Surface &window : windows_) {
      if (!tools.createTexture(window.texture, WindowsScene::kWindowWidth, WindowsScene::kWindowHeight,
                               D3DUSAGE_RENDERTARGET) ||
          !ok(window.texture->GetSurfaceLevel(0, window.surface.put()), "GetSurfaceLevel") ||
          !ok(tools.device()->ColorFill(window.surface.get(), nullptr, WindowsScene::kEmpty), "ColorFill"))
        return false;
    }
    return tools.still(picture_, WindowsScene::kPictureSide, WindowsScene::kPictureSeed) &&
           tools.still(glass_, WindowsScene::kGlassSide, WindowsScene::kGlassSeed) &&
           tools.createVertices(vertices_, WindowsScene::kQuads, D3DUSAGE_DYNAMIC);
  }
  bool draw(Tools &tools, uint32_t frame) override {
    IDirect3DDevice9 *device = tools.device();
    ComPtr<IDirect3DSurface9> screen;
    if (!ok(device->GetRenderTarget(0, screen.put()), "GetRenderTarget") ||
        !tools.writeQuads(vertices_.get(), 0, WindowsScene::kQuads, D3DLOCK_DISCARD,
                          [frame](Vertex *out, uint32_t i) { WindowsScene::write(out, i, frame); }) ||
        !tools.use(vertices_.get()) || !tools.state(D3DRS_ALPHABLENDENABLE, FALSE) || !tools.texture(picture_.get()))
      return false;
    // Changed windows: a background and eight pictures each. They have their own size, and the screen scales them.
    for (uint32_t i = 0; i < WindowsScene::kChanging; ++i) {
      const uint32_t window = WindowsScene::changing(i, frame);
      if (!ok(device->SetRenderTarget(0, windows_[window].surface.get()), "SetRenderTarget") ||
          !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, WindowsScene::background(window, frame), 1, 0), "Clear"))
        return false;
      for (uint32_t part = 0; part < WindowsScene::kParts; ++part)
        if (!tools.draw(WindowsScene::kPartsAt + part, 1)) return false;
    }
    if (!ok(device->SetRenderTarget(0, screen.get()), "SetRenderTarget") ||
        !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, WindowsScene::kDesktop, 1, 0), "Clear"))
      return false;
    for (uint32_t i = 0; i < WindowsScene::kWindows; ++i)
      if (!tools.state(D3DRS_ALPHABLENDENABLE, TRUE) || !tools.texture(glass_.get()) ||
          !tools.draw(WindowsScene::kFramesAt + i, 1) || !tools.state(D3DRS_ALPHABLENDENABLE, FALSE) ||
          !tools.texture(windows_[i].texture.get()) || !tools.draw(WindowsScene::kContentsAt + i, 1))
        return false;
    return true;
  }

private:
  struct Surface {
    ComPtr<IDirect3DTexture9> texture;
    ComPtr<IDirect3DSurface9> surface;
  };
  Surface windows_[WindowsScene::kWindows];
  ComPtr<IDirect3DTexture9> picture_, glass_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

/** Updates a texture from one in memory, which programs do with what they have loaded, and samples it once. */
class Uploads : public BenchScene {
public:
  explicit Uploads(uint32_t side) : side_(side) {}
  bool create(Tools &tools) override {
    return tools.createTexture(texture_, side_, side_, 0) &&
           ok(tools.device()->CreateTexture(side_, side_, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, memory_.put(),
                                            nullptr),
              "CreateTexture(SYSTEMMEM)") &&
           tools.fill(memory_.get(), side_, side_, 0) && tools.createVertices(vertices_, 1, 0) &&
           tools.writeQuads(vertices_.get(), 0, 1, 0, [](Vertex *out, uint32_t) {
             writeQuad(out, {0, 0, 0, 0}, {8, 8, 1, 1});
           });
  }
  bool draw(Tools &tools, uint32_t frame) override {
    D3DLOCKED_RECT locked{};
    if (!ok(memory_->LockRect(0, &locked, nullptr, 0), "LockRect")) return false;  // all of it is dirty
    *static_cast<uint32_t *>(locked.pBits) = TransferScene::color(frame);
    return ok(memory_->UnlockRect(0), "UnlockRect") &&
           ok(tools.device()->UpdateTexture(memory_.get(), texture_.get()), "UpdateTexture") &&
           tools.use(vertices_.get()) && tools.texture(texture_.get()) && tools.draw(0, 1);
  }
  bool shows() const override { return false; }

private:
  const uint32_t side_;
  ComPtr<IDirect3DTexture9> texture_, memory_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

/** Fills a target and reads it back. */
class ReadBacks : public BenchScene {
public:
  explicit ReadBacks(uint32_t side) : side_(side) {}
  bool create(Tools &tools) override {
    return ok(tools.device()->CreateRenderTarget(side_, side_, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE,
                                                 target_.put(), nullptr),
              "CreateRenderTarget") &&
           ok(tools.device()->CreateOffscreenPlainSurface(side_, side_, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM,
                                                          memory_.put(), nullptr),
              "CreateOffscreenPlainSurface");
  }
  bool draw(Tools &tools, uint32_t frame) override {
    D3DLOCKED_RECT locked{};
    const uint32_t color = TransferScene::color(frame);
    if (!ok(tools.device()->ColorFill(target_.get(), nullptr, color), "ColorFill") ||
        !ok(tools.device()->GetRenderTargetData(target_.get(), memory_.get()), "GetRenderTargetData") ||
        !ok(memory_->LockRect(&locked, nullptr, D3DLOCK_READONLY), "LockRect"))
      return false;
    const auto *bits = static_cast<const char *>(locked.pBits);
    uint32_t last = 0;
    std::memcpy(&last, bits + ptrdiff_t{locked.Pitch} * (side_ - 1) + size_t{4} * (side_ - 1), sizeof last);
    if (last != color) return fail("frame %u reads %08x, expected %08x", frame, last, color);
    return ok(memory_->UnlockRect(), "UnlockRect");
  }
  bool shows() const override { return false; }

private:
  const uint32_t side_;
  ComPtr<IDirect3DSurface9> target_, memory_;
};

std::unique_ptr<BenchScene> sceneOf(const char *name) {
  if (!name) return nullptr;
  if (!std::strcmp(name, "draws")) return std::make_unique<Draws>();
  if (!std::strcmp(name, "sprites")) return std::make_unique<Sprites>();
  if (!std::strcmp(name, "textures")) return std::make_unique<Textures>();
  if (!std::strcmp(name, "windows")) return std::make_unique<Windows>();
  if (!std::strcmp(name, "uploads")) return std::make_unique<Uploads>(TransferScene::kSide);
  if (!std::strcmp(name, "readbacks")) return std::make_unique<ReadBacks>(TransferScene::kSide);
  if (!std::strcmp(name, "small-uploads")) return std::make_unique<Uploads>(TransferScene::kSmallSide);
  if (!std::strcmp(name, "small-readbacks")) return std::make_unique<ReadBacks>(TransferScene::kSmallSide);
  return nullptr;
}

/** Returns the processor seconds of this process. */
double processorTime() {
  FILETIME created, ended, kernel, user;
  if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) return 0;
  const auto ticks = [](const FILETIME &time) {
    return static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
  };
  return (ticks(kernel) + ticks(user)) * 1e-7;
}

bool drawFrame(Tools &tools, BenchScene &scene, uint32_t frame) {
  return ok(tools.device()->Clear(0, nullptr, D3DCLEAR_TARGET, kBackground, 1, 0), "Clear") &&
         ok(tools.device()->BeginScene(), "BeginScene") && scene.draw(tools, frame) &&
         ok(tools.device()->EndScene(), "EndScene");
}

bool present(Tools &tools) {
  if (!ok(tools.device()->Present(nullptr, nullptr, nullptr, nullptr), "Present")) return false;
  takeMessages();
  return true;
}

/** Does a frame of those that count. */
bool runFrame(Tools &tools, BenchScene &scene, uint32_t frame) {
  if (!scene.shows())
    return ok(tools.device()->BeginScene(), "BeginScene") && scene.draw(tools, frame) &&
           ok(tools.device()->EndScene(), "EndScene");
  return drawFrame(tools, scene, frame) && present(tools);
}

bool tellPicture(Tools &tools) {
  ComPtr<IDirect3DSurface9> target;
  Picture picture;
  if (!ok(tools.device()->GetRenderTarget(0, target.put()), "GetRenderTarget") ||
      !readTarget(tools.device(), target.get(), &picture))
    return false;
  bench::tellPicture([&](uint32_t x, uint32_t y) { return picture.at(x, y); });
  return true;
}

bool run(Tools &tools, BenchScene &scene, const Options &options) {
  for (uint32_t frame = 0; frame < kWarmFrames; ++frame)
    if (!runFrame(tools, scene, frame)) return false;
  if (!finish(tools.device())) return false;
  const double start = now(), busy = processorTime();
  uint32_t frame = 0;
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame)
    if (!runFrame(tools, scene, kWarmFrames + frame)) return false;
  if (!finish(tools.device())) return false;
  std::printf("frames %u in %.3f s, processor %.3f s\n", frame, now() - start, processorTime() - busy);
  for (uint32_t back = kShownFrames; back--;)
    if (!drawFrame(tools, scene, kShownFrame - back)) return false;
  return tellPicture(tools) && present(tools);
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  using namespace programs;
  constexpr char kHelp[] =
      "bench.exe --only draws|sprites|textures|windows|uploads|readbacks|small-uploads|small-readbacks: one scene, as "
      "fast as it goes.";
  Options options;
  int exitCode = 0;
  if (!begin({.name = "bench", .help = kHelp}, argc, argv, options, exitCode)) return exitCode;
  const std::unique_ptr<BenchScene> scene = sceneOf(options.only);
  if (!scene)
    return fail("--only draws, sprites, textures, windows, uploads, readbacks, small-uploads or small-readbacks") ? 0
                                                                                                                  : 2;
  options.x = options.y = 0;
  options.immediate = true;
  Window window;
  Device device;
  Tools tools;
  if (!window.open(0, 0, kWidth, kHeight) ||
      !device.create(options, {.width = kWidth, .height = kHeight}, window.handle()) ||
      !tools.create(device.device.get()) || !scene->create(tools) || !run(tools, *scene, options))
    return 1;
  std::printf("bench: ok\n");
  return 0;
}
