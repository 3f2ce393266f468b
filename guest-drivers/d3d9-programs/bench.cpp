// SPDX-License-Identifier: MIT
// bench.exe: what programs ask of Direct3D, as fast as it goes: draws, sprites, textures that change, windows that are
// composed. Says how many frames there were in how many seconds, how much processor time this process took for them,
// and what is in the middle of the last picture, so that different Direct3Ds can be compared.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "program.h"
#include "scene.h"
#include "texture.ps.h"
#include "values.ps.h"
#include "values.vs.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768;

struct Vertex {
  float x, y, z;
  float value[4];  // texture coordinates, or a colour
};
constexpr D3DVERTEXELEMENT9 kElements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                           {0, 12, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                           D3DDECL_END()};
constexpr uint32_t kQuadVertices = 6, kQuadBytes = kQuadVertices * sizeof(Vertex);

struct Corner {
  float x, y, u, v;
};

/** Two triangles between two corners, in pixels. */
void writeQuad(Vertex *out, const Corner &first, const Corner &last) {
  const Corner corners[4] = {first, {last.x, first.y, last.u, first.v}, {first.x, last.y, first.u, last.v}, last};
  for (const int i : {0, 1, 2, 2, 1, 3})
    *out++ = {corners[i].x - 0.5f, corners[i].y - 0.5f, 0.5f, {corners[i].u, corners[i].v, 0.25f, 0.5f}};
}

uint32_t texel(uint32_t x, uint32_t y, uint32_t seed) {
  return argb(96 + (x * 7 + y * 5) % 128, (x * 3 + seed * 40) & 255, (y * 2 + seed * 25) & 255, ((x ^ y) + seed) & 255);
}

/** What all scenes draw with, and the calls that they have in common. */
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
  /** A texture with texels that never change. */
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
  /** Quads from `first` on, by `write(Vertex *, index)`. */
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
};

/** 5000 draws of a small quad: each has constants of its own, and now and then another texture, shader or blending. */
class Draws : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (uint32_t i = 0; i < kTextures; ++i)
      if (!tools.still(textures_[i], 32, i)) return false;
    return tools.createVertices(vertices_, 1, 0) &&
           tools.writeQuads(vertices_.get(), 0, 1, 0, [](Vertex *out, uint32_t) {
             writeQuad(out, {0, 0, 0, 0}, {12, 12, 1, 1});
           });
  }
  bool draw(Tools &tools, uint32_t frame) override {
    float constants[4][4] = {};
    pixelsToClip(kWidth, kHeight, constants[0]);
    const float left = constants[0][2], top = constants[0][3], x = constants[0][0], y = constants[0][1];
    if (!tools.use(vertices_.get())) return false;
    for (uint32_t i = 0; i < kDraws; ++i) {
      if (i % 4 == 0 && !tools.texture(textures_[i / 4 % kTextures].get())) return false;
      if (i % 250 == 0 && !tools.usePixels(i / 250 % 2 == 0)) return false;
      if (i % 100 == 0 && !tools.state(D3DRS_ALPHABLENDENABLE, i / 100 % 2)) return false;
      constants[0][2] = left + x * static_cast<float>(i % 84 * 12 + frame % 12);
      const uint32_t row = i / 84;
      constants[0][3] = top + y * static_cast<float>(row * 12);
      constants[3][0] = static_cast<float>(i);
      if (!ok(tools.device()->SetVertexShaderConstantF(0, constants[0], 4), "SetVertexShaderConstantF") ||
          !tools.draw(0, 1))
        return false;
    }
    return true;
  }

private:
  static constexpr uint32_t kDraws = 5000, kTextures = 8;
  ComPtr<IDirect3DTexture9> textures_[kTextures];
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

/** 4000 blended sprites of four textures, which move: 50 in a draw, written into a dynamic buffer before it. */
class Sprites : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (uint32_t i = 0; i < kTextures; ++i)
      if (!tools.still(textures_[i], 64, i)) return false;
    return tools.createVertices(vertices_, kRoom, D3DUSAGE_DYNAMIC);
  }
  bool draw(Tools &tools, uint32_t frame) override {
    if (!tools.use(vertices_.get()) || !tools.state(D3DRS_ALPHABLENDENABLE, TRUE)) return false;
    for (uint32_t batch = 0; batch < kSprites / kBatch; ++batch) {
      if (next_ == kRoom) next_ = 0;
      const DWORD flags = next_ == 0 ? D3DLOCK_DISCARD : D3DLOCK_NOOVERWRITE;
      const bool sent = tools.writeQuads(vertices_.get(), next_, kBatch, flags, [&](Vertex *out, uint32_t i) {
        const uint32_t sprite = batch * kBatch + i;
        const auto x = static_cast<float>((sprite * 97 + frame * (1 + sprite % 3)) % (kWidth - 24));
        const auto y = static_cast<float>((sprite * 61 + frame * (1 + sprite % 2)) % (kHeight - 24));
        writeQuad(out, {x, y, 0, 0}, {x + 24, y + 24, 1, 1});
      });
      if (!sent || !tools.texture(textures_[batch % kTextures].get()) || !tools.draw(next_, kBatch)) return false;
      next_ += kBatch;
    }
    return true;
  }

private:
  static constexpr uint32_t kSprites = 4000, kBatch = 50, kTextures = 4, kRoom = 40 * kBatch;
  ComPtr<IDirect3DTexture9> textures_[kTextures];
  ComPtr<IDirect3DVertexBuffer9> vertices_;
  uint32_t next_ = kRoom;
};

/** Eight textures of 256x256 that the program writes anew in each frame, 2 MiB, as video and interfaces do. */
class Textures : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (auto &texture : textures_)
      if (!tools.createTexture(texture, kSize, kSize, D3DUSAGE_DYNAMIC)) return false;
    return tools.createVertices(vertices_, kTextures, 0) &&
           tools.writeQuads(vertices_.get(), 0, kTextures, 0, [](Vertex *out, uint32_t i) {
             const uint32_t row = i / 4;
             const auto x = static_cast<float>(i % 4 * kSize), y = static_cast<float>(row * kSize);
             writeQuad(out, {x, y, 0, 0}, {x + kSize, y + kSize, 1, 1});
           });
  }
  bool draw(Tools &tools, uint32_t frame) override {
    if (!tools.use(vertices_.get())) return false;
    for (uint32_t i = 0; i < kTextures; ++i)
      if (!tools.fill(textures_[i].get(), kSize, kSize, frame + i, D3DLOCK_DISCARD) ||
          !tools.texture(textures_[i].get()) || !tools.draw(i, 1))
        return false;
    return true;
  }

private:
  static constexpr uint32_t kSize = 256, kTextures = 8;
  ComPtr<IDirect3DTexture9> textures_[kTextures];
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

/** 20 windows, render targets of 320x240 of which four draw a new picture in each frame; all are composed over a
 *  background, each with a frame that is blended, as glass is. */
class Windows : public BenchScene {
public:
  bool create(Tools &tools) override {
    for (Surface &window : windows_) {
      if (!tools.createTexture(window.texture, kWindowWidth, kWindowHeight, D3DUSAGE_RENDERTARGET) ||
          !ok(window.texture->GetSurfaceLevel(0, window.surface.put()), "GetSurfaceLevel") ||
          !ok(tools.device()->ColorFill(window.surface.get(), nullptr, 0xFF405060), "ColorFill"))
        return false;
    }
    return tools.still(picture_, 128, 3) && tools.still(glass_, 64, 5) &&
           tools.createVertices(vertices_, kQuads, D3DUSAGE_DYNAMIC);
  }
  bool draw(Tools &tools, uint32_t frame) override {
    IDirect3DDevice9 *device = tools.device();
    ComPtr<IDirect3DSurface9> screen;
    if (!ok(device->GetRenderTarget(0, screen.put()), "GetRenderTarget") ||
        !tools.writeQuads(vertices_.get(), 0, kQuads, D3DLOCK_DISCARD,
                          [frame](Vertex *out, uint32_t i) { place(out, i, frame); }) ||
        !tools.use(vertices_.get()) || !tools.state(D3DRS_ALPHABLENDENABLE, FALSE) || !tools.texture(picture_.get()))
      return false;
    // Windows that changed: a background and eight pictures each. Their size is not the screen's, which scales.
    for (uint32_t i = 0; i < kChanging; ++i) {
      const uint32_t window = (frame * kChanging + i) % kWindows;
      if (!ok(device->SetRenderTarget(0, windows_[window].surface.get()), "SetRenderTarget") ||
          !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, 0xFF000000 | (frame * 5 + window * 11) % 256, 1, 0), "Clear"))
        return false;
      for (uint32_t part = 0; part < kParts; ++part)
        if (!tools.draw(kPartsAt + part, 1)) return false;
    }
    if (!ok(device->SetRenderTarget(0, screen.get()), "SetRenderTarget") ||
        !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, 0xFF204060, 1, 0), "Clear"))
      return false;
    for (uint32_t i = 0; i < kWindows; ++i)
      if (!tools.state(D3DRS_ALPHABLENDENABLE, TRUE) || !tools.texture(glass_.get()) || !tools.draw(kFramesAt + i, 1) ||
          !tools.state(D3DRS_ALPHABLENDENABLE, FALSE) || !tools.texture(windows_[i].texture.get()) ||
          !tools.draw(kContentsAt + i, 1))
        return false;
    return true;
  }

private:
  static constexpr uint32_t kWindows = 20, kChanging = 4, kParts = 8;
  static constexpr uint32_t kWindowWidth = 320, kWindowHeight = 240;
  // In the buffer.
  static constexpr uint32_t kFramesAt = 0, kContentsAt = kWindows, kPartsAt = 2 * kWindows, kQuads = kPartsAt + kParts;

  static void place(Vertex *out, uint32_t i, uint32_t frame) {
    if (i >= kPartsAt) {
      const auto at = static_cast<float>((i - kPartsAt) * 120);
      writeQuad(out, {at, at / 2, 0, 0}, {at + 200, at / 2 + 200, 1, 1});
      return;
    }
    const uint32_t window = i % kWindows;
    const auto x = static_cast<float>((window * 131 + frame) % 680 + 8), y = static_cast<float>(window * 23 + 24);
    if (i < kContentsAt)
      writeQuad(out, {x - 6, y - 20, 0, 0}, {x + kWindowWidth + 6, y + kWindowHeight + 6, 4, 4});
    else
      writeQuad(out, {x, y, 0, 0}, {x + kWindowWidth, y + kWindowHeight, 1, 1});
  }

  struct Surface {
    ComPtr<IDirect3DTexture9> texture;
    ComPtr<IDirect3DSurface9> surface;
  };
  Surface windows_[kWindows];
  ComPtr<IDirect3DTexture9> picture_, glass_;
  ComPtr<IDirect3DVertexBuffer9> vertices_;
};

std::unique_ptr<BenchScene> sceneOf(const char *name) {
  if (!name) return nullptr;
  if (!std::strcmp(name, "draws")) return std::make_unique<Draws>();
  if (!std::strcmp(name, "sprites")) return std::make_unique<Sprites>();
  if (!std::strcmp(name, "textures")) return std::make_unique<Textures>();
  if (!std::strcmp(name, "windows")) return std::make_unique<Windows>();
  return nullptr;
}

/** Seconds that this process has had of processors. */
double processorTime() {
  FILETIME created, ended, kernel, user;
  if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) return 0;
  const auto ticks = [](const FILETIME &time) {
    return static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
  };
  return (ticks(kernel) + ticks(user)) * 1e-7;
}

bool drawFrame(Tools &tools, BenchScene &scene, uint32_t frame) {
  return ok(tools.device()->Clear(0, nullptr, D3DCLEAR_TARGET, 0xFF102030, 1, 0), "Clear") &&
         ok(tools.device()->BeginScene(), "BeginScene") && scene.draw(tools, frame) &&
         ok(tools.device()->EndScene(), "EndScene");
}

bool present(Tools &tools) {
  if (!ok(tools.device()->Present(nullptr, nullptr, nullptr, nullptr), "Present")) return false;
  takeMessages();
  return true;
}

/** Means of 8x8 fields of a picture, one line: different Direct3Ds round differently, but not by much. */
bool tellPicture(Tools &tools) {
  ComPtr<IDirect3DSurface9> target;
  Picture picture;
  if (!ok(tools.device()->GetRenderTarget(0, target.put()), "GetRenderTarget") ||
      !readTarget(tools.device(), target.get(), &picture))
    return false;
  constexpr uint32_t kFields = 8, kAcross = kWidth / kFields, kDown = kHeight / kFields;
  std::printf("picture");
  for (uint32_t field = 0; field < kFields * kFields; ++field) {
    uint64_t sums[3] = {};
    for (uint32_t y = 0; y < kDown; ++y)
      for (uint32_t x = 0; x < kAcross; ++x) {
        const uint32_t pixel = picture.at(field % kFields * kAcross + x, field / kFields * kDown + y);
        for (int channel = 0; channel < 3; ++channel) sums[channel] += pixel >> (8 * channel) & 255;
      }
    for (const uint64_t sum : sums) std::printf(" %u", static_cast<unsigned>(sum / (uint64_t{kAcross} * kDown)));
  }
  std::printf("\n");
  return true;
}

bool run(Tools &tools, BenchScene &scene, const Options &options) {
  constexpr uint32_t kWarm = 10, kShown = 1000;  // the number of the frame whose picture is told
  for (uint32_t frame = 0; frame < kWarm; ++frame)
    if (!drawFrame(tools, scene, frame) || !present(tools)) return false;
  if (!finish(tools.device())) return false;
  const double start = now(), busy = processorTime();
  uint32_t frame = 0;
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame)
    if (!drawFrame(tools, scene, kWarm + frame) || !present(tools)) return false;
  if (!finish(tools.device())) return false;
  std::printf("frames %u in %.3f s, processor %.3f s\n", frame, now() - start, processorTime() - busy);
  // Windows that changed long ago were drawn in the frames before.
  for (uint32_t back = 5; back--;)
    if (!drawFrame(tools, scene, kShown - back)) return false;
  return tellPicture(tools) && present(tools);
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  using namespace programs;
  constexpr char kHelp[] = "bench.exe --only draws|sprites|textures|windows: one scene, as fast as it goes.";
  Options options;
  int exitCode = 0;
  if (!begin({.name = "bench", .help = kHelp}, argc, argv, options, exitCode)) return exitCode;
  const std::unique_ptr<BenchScene> scene = sceneOf(options.only);
  if (!scene) return fail("--only draws, sprites, textures or windows") ? 0 : 2;
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
