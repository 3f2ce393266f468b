// SPDX-License-Identifier: MIT
// Makes the static part of the scene: memory, pictures, and the first stream with resources, shaders and the
// wallpaper.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu.h"
#include "aerogpu/d3d9/declaration.h"
#include "guest-drivers/linux/blur.ps.h"
#include "guest-drivers/linux/demo/handles.h"
#include "guest-drivers/linux/demo/knot.h"
#include "guest-drivers/linux/demo/scene.h"
#include "guest-drivers/linux/downsample.ps.h"
#include "guest-drivers/linux/glass.ps.h"
#include "guest-drivers/linux/model.ps.h"
#include "guest-drivers/linux/model.vs.h"
#include "guest-drivers/linux/quad.vs.h"
#include "guest-drivers/linux/sprite.ps.h"
#include "guest-drivers/linux/sprite.vs.h"
#include "guest-drivers/linux/texture.ps.h"
#include "guest-drivers/linux/wallpaper.ps.h"

namespace aerogpu::guest {

namespace {

constexpr int kBackdropSize = 64, kStreakSize = 256, kSurfaceSize = 128, kSurfaceMips = 8;
constexpr uint32_t kKnotAlong = 160, kKnotAround = 18;

using d3d9::DeclType;
using d3d9::Usage;

constexpr d3d9::VertexElement element(uint16_t offset, DeclType type, Usage usage) {
  return {0, offset, type, d3d9::DeclMethod::Default, usage, 0};
}
constexpr d3d9::VertexElement kQuadElements[] = {element(0, DeclType::Float2, Usage::Position),
                                                 d3d9::kDeclEnd};
constexpr d3d9::VertexElement kSpriteElements[] = {
    element(0, DeclType::Float2, Usage::Position), element(8, DeclType::D3dColor, Usage::Color),
    element(12, DeclType::Float2, Usage::TexCoord), d3d9::kDeclEnd};
constexpr d3d9::VertexElement kModelElements[] = {
    element(0, DeclType::Float3, Usage::Position), element(12, DeclType::Float3, Usage::Normal),
    element(24, DeclType::Float2, Usage::TexCoord), d3d9::kDeclEnd};

uint64_t surfaceBytes() {
  uint64_t bytes = 0;
  for (int mip = 0; mip < kSurfaceMips; ++mip)
    bytes += static_cast<uint64_t>(kSurfaceSize >> mip) * (kSurfaceSize >> mip) * 4;
  return bytes;
}

uint64_t pages(uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

uint32_t* pixels(const Block& block) {
  return reinterpret_cast<uint32_t*>(block.cpu);
}

}  // namespace

uint64_t Scene::memoryBytes(Mode mode) {
  uint64_t sum = pages(uint64_t{mode.width} * mode.height * 4);
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    const Rect r = paneRect(mode, static_cast<Pane>(pane), 0);
    sum += pages(static_cast<uint64_t>(r.w) * static_cast<uint64_t>(r.h) * 4);
  }
  return sum + kAtlasWidth * kAtlasHeight * 4 + kStreakSize * kStreakSize * 4 + (1 << 20);
}

Status Scene::addPicture(Memory& memory, uint32_t allocId, uint64_t bytes, Block& out) {
  Status status = memory.allocate(bytes, out);
  return status.ok() ? m_table.add(allocId, out.gpa, out.size, 0) : status;
}

Status Scene::create(Memory& memory, Mode mode) {
  m_mode = mode;
  Status status;
  if (status.ok()) status = addPicture(memory, alloc::kShown, uint64_t{pitchBytes()} * mode.height, m_shown);
  if (status.ok()) status = addPicture(memory, alloc::kAtlas, kAtlasWidth * kAtlasHeight * 4, m_atlasArt);
  if (status.ok())
    status = addPicture(memory, alloc::kBackdrop, kBackdropSize * kBackdropSize * 4, m_backdropArt);
  if (status.ok()) status = addPicture(memory, alloc::kStreaks, kStreakSize * kStreakSize * 4, m_streakArt);
  if (status.ok()) status = addPicture(memory, alloc::kSurface, surfaceBytes(), m_surfaceArt);
  if (status.ok()) status = memory.allocate(kCursorSize * kCursorSize * 4, m_cursor);
  for (uint32_t pane = 0; status.ok() && pane < kPaneCount; ++pane) {
    m_panes[pane].rect = paneRect(mode, static_cast<Pane>(pane), 0);
    const Rect& r = m_panes[pane].rect;
    status = addPicture(memory, alloc::kPaneArt + pane,
                        static_cast<uint64_t>(r.w) * static_cast<uint64_t>(r.h) * 4, m_paneArt[pane]);
    if (!status.ok()) break;
    Canvas canvas(pixels(m_paneArt[pane]), r.w, r.h, r.w);
    paintPane(canvas, static_cast<Pane>(pane));
  }
  if (!status.ok()) return status;

  Canvas atlas(pixels(m_atlasArt), kAtlasWidth, kAtlasHeight, kAtlasWidth);
  m_atlas = paintAtlas(atlas);
  Canvas backdrop(pixels(m_backdropArt), kBackdropSize, kBackdropSize, kBackdropSize);
  paintBackdrop(backdrop);
  Canvas streaks(pixels(m_streakArt), kStreakSize, kStreakSize, kStreakSize);
  paintStreaks(streaks);
  uint32_t* level = pixels(m_surfaceArt);
  for (int size = kSurfaceSize; size >= kSurfaceSize >> (kSurfaceMips - 1); size /= 2) {
    Canvas canvas(level, size, size, size);
    if (size == kSurfaceSize)
      paintSurface(canvas);
    else
      paintMip(level - 4 * size * size, canvas);
    level += size * size;
  }
  paintCursor(pixels(m_cursor));

  const KnotMesh mesh = makeKnot(kKnotAlong, kKnotAround);
  m_meshVertexBytes = static_cast<uint32_t>(mesh.vertices.size() * sizeof(KnotVertex));
  m_meshIndices = static_cast<uint32_t>(mesh.indices.size());
  m_meshIndexOffset = static_cast<uint32_t>(pages(m_meshVertexBytes));
  status = memory.allocate(m_meshIndexOffset + m_meshIndices * sizeof(uint16_t), m_mesh);
  if (status.ok())
    status = m_table.add(alloc::kMeshVertices, m_mesh.gpa, m_meshVertexBytes, AEROGPU_ALLOC_FLAG_READONLY);
  if (status.ok())
    status = m_table.add(alloc::kMeshIndices, m_mesh.gpa + m_meshIndexOffset, m_mesh.size - m_meshIndexOffset,
                         AEROGPU_ALLOC_FLAG_READONLY);
  if (!status.ok()) return status;
  std::memcpy(m_mesh.cpu, mesh.vertices.data(), m_meshVertexBytes);
  std::memcpy(m_mesh.cpu + m_meshIndexOffset, mesh.indices.data(), m_meshIndices * sizeof(uint16_t));
  return {};
}

void Scene::createPictures(Encoder& e) {
  constexpr uint32_t kSampled = AEROGPU_RESOURCE_USAGE_TEXTURE,
                     kDrawn = kSampled | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  const auto picture = [&](uint32_t handle, uint32_t allocId, int w, int h, uint32_t mips, uint64_t bytes) {
    e.createTexture(handle, kSampled, AEROGPU_FORMAT_B8G8R8A8_UNORM, static_cast<uint32_t>(w),
                    static_cast<uint32_t>(h), mips, static_cast<uint32_t>(w) * 4, allocId);
    e.dirtyRange(handle, 0, bytes);
  };
  const auto targetTexture = [&](uint32_t handle, uint32_t format, int w, int h) {
    e.createTexture(handle, kDrawn, format, static_cast<uint32_t>(w), static_cast<uint32_t>(h), 1, 0, 0);
  };
  e.createTexture(handle::kShown, kDrawn | AEROGPU_RESOURCE_USAGE_SCANOUT, kFormat, m_mode.width,
                  m_mode.height, 1, pitchBytes(), alloc::kShown);
  for (const uint32_t handle : {handle::kWallpaper, handle::kStill})
    targetTexture(handle, kFormat, static_cast<int>(m_mode.width), static_cast<int>(m_mode.height));
  picture(handle::kAtlas, alloc::kAtlas, kAtlasWidth, kAtlasHeight, 1, kAtlasWidth * kAtlasHeight * 4);
  picture(handle::kBackdropArt, alloc::kBackdrop, kBackdropSize, kBackdropSize, 1,
          kBackdropSize * kBackdropSize * 4);
  picture(handle::kStreaks, alloc::kStreaks, kStreakSize, kStreakSize, 1, kStreakSize * kStreakSize * 4);
  picture(handle::kSurface, alloc::kSurface, kSurfaceSize, kSurfaceSize, kSurfaceMips, surfaceBytes());
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    const Rect& r = m_panes[pane].rect;
    picture(handle::kPaneArt + pane, alloc::kPaneArt + pane, r.w, r.h, 1,
            static_cast<uint64_t>(r.w) * static_cast<uint64_t>(r.h) * 4);
    const Rect blur = blurRect(r);
    targetTexture(handle::kBlurA + pane, kFormat, blur.w / kBlurScale, blur.h / kBlurScale);
    targetTexture(handle::kBlurB + pane, kFormat, blur.w / kBlurScale, blur.h / kBlurScale);
  }
  targetTexture(handle::kReflection, kFormat, 128, 128);
  targetTexture(handle::kReflectionHalf, kFormat, 128, 128);
  const Rect client = clientRect(m_panes[kModelPane].rect);
  targetTexture(handle::kModelColor, kFormat, client.w, client.h);
  targetTexture(handle::kBackdrop, kFormat, client.w, client.h);
  e.createTexture(handle::kModelDepth, AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL, AEROGPU_FORMAT_D32_FLOAT,
                  static_cast<uint32_t>(client.w), static_cast<uint32_t>(client.h), 1, 0, 0);
}

void Scene::setup(CommandWriter& out) {
  Encoder e(out);
  createPictures(e);

  e.createBuffer(handle::kMeshVertices, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, m_meshVertexBytes,
                 alloc::kMeshVertices);
  e.dirtyRange(handle::kMeshVertices, 0, m_meshVertexBytes);
  e.createBuffer(handle::kMeshIndices, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER,
                 (uint64_t{m_meshIndices} * 2 + 3) & ~3ull, alloc::kMeshIndices);
  e.dirtyRange(handle::kMeshIndices, 0, uint64_t{m_meshIndices} * 2);
  const float square[] = {0, 0, 1, 0, 0, 1, 1, 1};
  e.createBuffer(handle::kUnitSquare, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, sizeof square, 0);
  e.upload(handle::kUnitSquare, 0, square, sizeof square);

  e.createShader(handle::kQuadVs, AEROGPU_SHADER_STAGE_VERTEX, quadVs);
  e.createShader(handle::kSpriteVs, AEROGPU_SHADER_STAGE_VERTEX, spriteVs);
  e.createShader(handle::kModelVs, AEROGPU_SHADER_STAGE_VERTEX, modelVs);
  e.createShader(handle::kTexturePs, AEROGPU_SHADER_STAGE_PIXEL, texturePs);
  e.createShader(handle::kSpritePs, AEROGPU_SHADER_STAGE_PIXEL, spritePs);
  e.createShader(handle::kDownsamplePs, AEROGPU_SHADER_STAGE_PIXEL, downsamplePs);
  e.createShader(handle::kBlurPs, AEROGPU_SHADER_STAGE_PIXEL, blurPs);
  e.createShader(handle::kGlassPs, AEROGPU_SHADER_STAGE_PIXEL, glassPs);
  e.createShader(handle::kModelPs, AEROGPU_SHADER_STAGE_PIXEL, modelPs);
  e.createShader(handle::kWallpaperPs, AEROGPU_SHADER_STAGE_PIXEL, wallpaperPs);
  e.createInputLayout(handle::kQuadLayout, kQuadElements, sizeof kQuadElements);
  e.createInputLayout(handle::kSpriteLayout, kSpriteElements, sizeof kSpriteElements);
  e.createInputLayout(handle::kModelLayout, kModelElements, sizeof kModelElements);
  renderWallpaper(e);
}

void Scene::renderWallpaper(Encoder& e) {
  const float w = static_cast<float>(m_mode.width), h = static_cast<float>(m_mode.height);
  beginQuads(e, handle::kWallpaperPs, false);
  e.target(handle::kWallpaper, 0, m_mode.width, m_mode.height);
  const float aspect[] = {w / h, 0, 0, 0};
  e.pixelConstants(0, aspect);
  quad(e, {0, 0, w, h}, w, h);
  // The model's reflection: the wallpaper, small and soft.
  beginQuads(e, handle::kTexturePs, false);
  e.target(handle::kReflection, 0, 128, 128);
  e.texture(0, handle::kWallpaper);
  const float bright[] = {1.5f, 1.5f, 1.5f, 1};
  e.pixelConstants(0, bright);
  quad(e, {0, 0, 128, 128}, 128, 128);
  beginQuads(e, handle::kBlurPs, false);
  for (int pass = 0; pass < 4; ++pass) {
    const bool across = pass % 2 == 0;
    e.target(across ? handle::kReflectionHalf : handle::kReflection, 0, 128, 128);
    e.texture(0, across ? handle::kReflection : handle::kReflectionHalf);
    const float step[] = {across ? 1.0f / 128 : 0, across ? 0 : 1.0f / 128, 0, 0};
    e.pixelConstants(0, step);
    quad(e, {0, 0, 128, 128}, 128, 128);
  }
  // The model's background: the gradient at full size, so that each frame begins with a plain copy.
  const Rect client = clientRect(m_panes[kModelPane].rect);
  beginQuads(e, handle::kTexturePs, false);
  e.target(handle::kBackdrop, 0, static_cast<uint32_t>(client.w), static_cast<uint32_t>(client.h));
  e.texture(0, handle::kBackdropArt);
  const float white[] = {1, 1, 1, 1};
  e.pixelConstants(0, white);
  const float cw = static_cast<float>(client.w), ch = static_cast<float>(client.h);
  quad(e, {0, 0, cw, ch}, cw, ch);
  e.texture(0, 0);
}

}  // namespace aerogpu::guest
