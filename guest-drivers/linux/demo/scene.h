// SPDX-License-Identifier: MIT
// Draws the desktop into command streams. Uses the ABI and guest memory but not the device, so that the demo
// can submit the streams, the trace tool write them to a file, and tests check them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "guest-drivers/linux/demo/encoder.h"
#include "guest-drivers/linux/demo/layout.h"
#include "guest-drivers/linux/demo/sprites.h"
#include "guest-drivers/linux/device/alloc_table.h"
#include "guest-drivers/linux/device/memory.h"

namespace aerogpu::guest {

/// The content of the statistics window.
struct FrameStats {
  uint32_t frame = 0;
  double seconds = 0;
  double fps = 0;
  double frameMs = 0;  // time of the last frame
  uint64_t submissions = 0;
  uint64_t interrupts = 0;
  uint64_t commandBytes = 0;  // size of the last stream
};

/// Texture coordinates at two corners of a rectangle.
struct Coordinates {
  float u0 = 0, v0 = 0, u1 = 1, v1 = 1;
};

class Scene {
public:
  static constexpr uint32_t kFormat = AEROGPU_FORMAT_B8G8R8X8_UNORM;

  /// Returns the guest memory that create() takes.
  static uint64_t memoryBytes(Mode mode);
  /// Allocates and paints all static data.
  Status create(Memory& memory, Mode mode);
  /// Writes the first stream: resources, shaders, the wallpaper.
  void setup(CommandWriter& out);
  /// Draws the differences from the previous frame into the texture that is shown, ending in a vsynced
  /// present of it. The device keeps the frame that is presented, so the next one may be drawn at once.
  void frame(const FrameStats& stats, CommandWriter& out);

  /// Returns the allocation table, which is the same for every submission.
  const AllocTable& table() const { return m_table; }
  uint64_t shownGpa() const { return m_shown.gpa; }
  uint32_t pitchBytes() const { return m_mode.width * 4; }
  const Block& cursor() const { return m_cursor; }
  Mode mode() const { return m_mode; }

private:
  struct PaneState {
    Rect rect;
    Rect before;           // rectangle in the last frame
    bool settled = false;  // part of the still picture
    uint32_t firstSprite = 0, shadowSprites = 0, sprites = 0;
  };

  Status addPicture(Memory& memory, uint32_t allocId, uint64_t bytes, Block& out);
  void createPictures(Encoder& e);
  void renderWallpaper(Encoder& e);
  void layOut(const FrameStats& stats);
  void layOutStatistics(const FrameStats& stats, const Rect& pane);
  void layOutTaskbar(const FrameStats& stats, const Rect& pane);
  void renderModel(Encoder& e, double seconds);
  void settlePanes();
  /// Returns a pane's inside, on the screen.
  Rect clientOnScreen(uint32_t pane) const;
  /// Returns the areas in which the still picture replaces the previous frame. The panes that change are
  /// drawn again on top.
  std::vector<Rect> restored() const;
  void renderStill(Encoder& e);
  void renderBlur(Encoder& e, uint32_t pane, uint32_t source);
  /// Draws shadow and glass. The target is bound, and renderBlur() has blurred its picture.
  void renderGlass(Encoder& e, uint32_t pane);
  /// Draws the changing content of the pane.
  void renderContent(Encoder& e, uint32_t pane, uint32_t target);
  void drawSprites(Encoder& e, uint32_t first, uint32_t count);

  /// Turns depth and culling off, and premultiplied blending on or off.
  void flatStates(Encoder& e, bool blend);
  void beginQuads(Encoder& e, uint32_t pixelShader, bool blend);
  /// Draws a rectangle of a target of `w` x `h` pixels.
  void quad(Encoder& e, RectF r, float w, float h, Coordinates a = {}, Coordinates b = {},
            Coordinates c = {});

  Mode m_mode;
  AllocTable m_table;
  Block m_shown;
  std::array<Block, kPaneCount> m_paneArt;
  Block m_atlasArt, m_backdropArt, m_streakArt, m_surfaceArt, m_mesh, m_cursor;
  Atlas m_atlas;
  Sprites m_sprites{m_atlas};
  uint32_t m_meshIndexOffset = 0, m_meshIndices = 0, m_meshVertexBytes = 0;
  std::array<PaneState, kPaneCount> m_panes;
  bool m_stillDrawn = false;
  std::array<float, 96> m_history{};  // ms, newest last
};

}  // namespace aerogpu::guest
