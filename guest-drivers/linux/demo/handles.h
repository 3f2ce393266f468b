// SPDX-License-Identifier: MIT
// Handles and allocation ids of the scene.
#pragma once

#include <cstdint>

namespace aerogpu::guest::handle {

enum : uint32_t {
  kShown = 1,
  kWallpaper = 8,
  kStill,  // the wallpaper with the panes that stand still
  kModelColor,
  kModelDepth,
  kReflection,
  kReflectionHalf,
  kAtlas,
  kBackdropArt,
  kBackdrop,
  kStreaks,
  kSurface,
  kPaneArt = 24,  // + pane
  kBlurA = 32,    // + pane
  kBlurB = 40,    // + pane
  kUnitSquare = 48,
  kMeshVertices,
  kMeshIndices,
  kQuadVs = 64,
  kSpriteVs,
  kModelVs,
  kTexturePs,
  kSpritePs,
  kDownsamplePs,
  kBlurPs,
  kGlassPs,
  kModelPs,
  kWallpaperPs,
  kQuadLayout = 80,
  kSpriteLayout,
  kModelLayout,
};

}  // namespace aerogpu::guest::handle

namespace aerogpu::guest::alloc {

enum : uint32_t {
  kShown = 1,
  kAtlas = 8,
  kBackdrop,
  kStreaks,
  kSurface,
  kMeshVertices,
  kMeshIndices,
  kPaneArt = 24,  // + pane
};

}  // namespace aerogpu::guest::alloc
