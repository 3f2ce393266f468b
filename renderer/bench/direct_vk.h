// SPDX-License-Identifier: MIT
// The yardstick: the benchmarked work done by plain, careful Vulkan calls. Dynamic rendering, persistently
// mapped uniform memory with dynamic offsets, descriptor sets made once. One thread.
#pragma once

#include <span>
#include <vector>

#include "renderer/bench/direct_device.h"

namespace aerogpu::bench {

/// A device with the pipelines and objects of the benchmarks.
class DirectVk : public DirectCommands {
public:
  static constexpr uint32_t kPipelines = 4, kTextures = 8;
  static constexpr uint32_t kUniformStride = 256, kUniformBytes = 16;

  DirectVk(uint32_t width, uint32_t height);
  ~DirectVk();
  DirectVk(const DirectVk&) = delete;
  DirectVk& operator=(const DirectVk&) = delete;

  struct Draw {
    float place[4];  ///< scale x, y, offset x, y
    uint32_t pipeline = 0, texture = 0;
    bool newConstants = true;
  };
  /// Clears the target, then records the draws, blended or not, submits and waits.
  void drawFrame(std::span<const Draw> draws, bool blend);
  /// A draw of `count` new vertices: `bytes` of them go to the ring of `m_stream`, one after the other.
  struct StreamedDraw {
    const uint8_t* vertices;
    uint32_t bytes, count;
  };
  /// Works like drawFrame() with streamed vertices and one state. The ring stays mapped, is bound once
  /// (`rebinds`: for each draw), and is as large as the frame's vertices.
  void streamFrame(std::span<const StreamedDraw> draws, bool rebinds);
  /// Works like drawFrame() with opaque draws, each with its own constants, inside an occlusion query that
  /// counts; returns the count.
  uint64_t countFrame(std::span<const Draw> draws);
  /// Sets the vertices for drawVertices(), at most 4 MiB.
  void setVertices(std::span<const uint8_t> bytes);
  /// Draws `count` of them at once.
  void drawVertices(uint32_t count);
  /// Copies boxes of `side` texels of `image`, each from `bytes` (tight rows), from left to right and then
  /// below, by one copy ahead of the pass; then draws as many quads.
  void updateFrame(DirectImage& image, uint32_t side, uint32_t count, const uint8_t* bytes);
  /// Works like updateFrame(), but each draw sees only the boxes up to its own: the pass ends for each.
  void updateFrameInOrder(DirectImage& image, uint32_t side, uint32_t count, const uint8_t* bytes);
  /// Copies a box of the target to `out` (tight rows), and waits.
  void readBox(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t* out);
  /// Makes and destroys `count` textures of `side` texels, in existing memory.
  void createAndDestroy(uint32_t count, uint32_t side);
  /// Copies `bytes` (tight BGRA rows) to a texture of that size through a staging buffer, and waits.
  void upload(DirectImage& image, const uint8_t* bytes);
  /// Copies the target to `out` (tight rows), and waits.
  void readBack(uint8_t* out);

private:
  void createPipelines();
  void createTextures();
  /// Begins the pass with a cleared target, or with its content.
  void beginPass(bool load = false);
  /// Binds texture `image` in place of those of m_textures.
  void bindUpdated(const DirectImage& image);
  /// Binds pipeline 0, texture 0, and vertices at their own places.
  void bindOneState();

  VkDescriptorSetLayout m_uniformLayout = VK_NULL_HANDLE, m_textureLayout = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipelines[2][kPipelines] = {};  ///< opaque, blended
  VkDescriptorPool m_descriptors = VK_NULL_HANDLE;
  VkDescriptorSet m_uniformSet = VK_NULL_HANDLE, m_textureSets[kTextures] = {}, m_updateSet = VK_NULL_HANDLE;
  VkSampler m_sampler = VK_NULL_HANDLE;
  DirectBuffer m_uniforms, m_vertices, m_staging, m_stream;
  DirectImage m_target, m_textures[kTextures];
  VkDeviceMemory m_room = VK_NULL_HANDLE;  ///< createAndDestroy()
  VkQueryPool m_query = VK_NULL_HANDLE;    ///< one occlusion query
};

/// A triangle list for the unit square: x, y, u, v a vertex.
inline constexpr float kQuad[6][4] = {{0, 0, 0, 0}, {1, 0, 1, 0}, {0, 1, 0, 1},
                                      {0, 1, 0, 1}, {1, 0, 1, 0}, {1, 1, 1, 1}};

}  // namespace aerogpu::bench
