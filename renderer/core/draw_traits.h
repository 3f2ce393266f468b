// SPDX-License-Identifier: MIT
// What the pipeline of a draw depends on, without the objects that the draw used: enough to draw once more
// with stand-ins for them, on any GPU. Render thread only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "renderer/core/state.h"

namespace aerogpu::core {

/// The traits of one draw's state. Registers, buffers, viewport and scissor change no pipeline, and are not
/// among them.
class DrawTraits {
public:
  explicit DrawTraits(const DrawState& state);

  /// Makes stand-ins for many draws, equal ones once. They have no part of a back end.
  class StandIns {
  public:
    /// Returns a state with these traits, whose targets and textures have a few texels. Its draws write
    /// nothing but those.
    struct Shaders {
      Ref<Shader> vs, gs, ps;
    };
    std::unique_ptr<DrawState> stateOf(const DrawTraits& traits, const Shaders& shaders);

  private:
    friend class DrawTraits;
    using Key = std::tuple<TextureKind, aerogpu_format, uint32_t, uint32_t, uint32_t, uint32_t>;
    Ref<Texture> textureOf(const TextureDesc& desc);
    std::map<Key, Ref<Texture>> m_textures;
    std::vector<Ref<InputLayout>> m_layouts;
  };

private:
  /// A bound texture.
  struct Image {
    TextureDesc desc;                                ///< of the stand-in; without format: none
    aerogpu_format viewed = AEROGPU_FORMAT_INVALID;  ///< the format of the view of it, if there is one
    uint32_t viewedLayers = 1;
  };
  struct Sampled {
    Stage stage;
    uint8_t slot;
    Image image;
    SamplerState sampler;
  };
  static Image imageOf(const Texture* texture, const View* view);
  template <class Binding>
  static void bind(StandIns& standIns, const Image& image, Binding& binding);

  uint32_t m_colorTargetCount;
  std::array<Image, kMaxColorTargets> m_colors;
  Image m_depth;
  std::vector<Sampled> m_sampled;
  bool m_hasLayout;
  std::vector<InputElement> m_elements;
  std::array<uint32_t, kMaxVertexStreams> m_steps;
  BlendState m_blend;
  DepthStencilState m_depthStencil;
  RasterizerState m_rasterizer;
  PixelPipeState m_pixelPipe;
  Topology m_topology;
  std::array<uint32_t, kTextureStages> m_transformFlags;
  StreamOutput m_streamOutput;
};

}  // namespace aerogpu::core
