// SPDX-License-Identifier: MIT
// aerogpu-direct-scenes: the scenes of bench.exe (testbed/programs/bench_scenes.h) in plain Vulkan calls, as
// an engine would write them: dynamic rendering, two frames under way, permanently mapped memory, descriptor
// sets made once, constants by push constants, one barrier for all uploads. Each frame ends with a copy to
// memory, the minimum for showing it. It prints the same lines as bench.exe. scripts/bench-d3d9 runs it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "renderer/bench/direct_device.h"
#include "testbed/programs/bench_scenes.h"

namespace {

using namespace programs::bench;
using aerogpu::bench::DirectBuffer;
using aerogpu::bench::DirectDevice;
using aerogpu::bench::DirectImage;
using aerogpu::bench::need;

constexpr uint32_t kVert[] = {
#include "testbed/direct-scenes/scenes.vert.inc"
};
constexpr uint32_t kTextured[] = {
#include "testbed/direct-scenes/textured.frag.inc"
};
constexpr uint32_t kValues[] = {
#include "testbed/direct-scenes/values.frag.inc"
};

constexpr VkDeviceSize kStreamBytes = VkDeviceSize{4} << 20;
constexpr VkImageUsageFlags kTargetUsage =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

/// Computes the transform from pixels, whose centres are whole numbers as in Direct3D 9, to clip space of a
/// target to which pixels of the screen are scaled. The viewport is upside down, like Direct3D's clip space.
void pixelsToClip(uint32_t targetWidth, uint32_t targetHeight, float out[4]) {
  out[0] = 2.0f / kWidth;
  out[1] = -2.0f / kHeight;
  out[2] = -1 + 1.0f / static_cast<float>(targetWidth);
  out[3] = 1 - 1.0f / static_cast<float>(targetHeight);
}

struct Texture {
  DirectImage image;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

class Device : public DirectDevice {
public:
  Device();
  ~Device();

  /// Waits until the memory of the last frame but one is free, and begins to record.
  void beginFrame();
  /// Copies the target to memory, and submits.
  void endFrame();
  void finish() { need(vkDeviceWaitIdle(m_device), "vkDeviceWaitIdle"); }
  /// Returns a pixel of the newest frame; call after finish().
  uint32_t pixel(uint32_t x, uint32_t y) const {
    uint32_t value;
    std::memcpy(&value, m_frames[m_newest].shown.mapped + (size_t{y} * kWidth + x) * 4, sizeof value);
    return value;
  }

  /// Returns this frame's memory for vertices and texels.
  uint8_t* stream() { return frame().stream.mapped; }
  void bindStream() { bindVertices(frame().stream); }
  void bindVertices(const DirectBuffer& buffer) {
    const VkDeviceSize zero = 0;
    vkCmdBindVertexBuffers(frame().commands, 0, 1, &buffer.buffer, &zero);
  }
  void beginPass(uint32_t color) { beginPass(frame().target, color); }
  void beginPass(const DirectImage& target, uint32_t color);
  void endPass() { vkCmdEndRendering(frame().commands); }
  void usePipeline(bool textured, bool blended) {
    vkCmdBindPipeline(frame().commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipelines[textured][blended]);
  }
  void useTexture(const Texture& texture) {
    vkCmdBindDescriptorSets(frame().commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &texture.set,
                            0, nullptr);
  }
  void setConstants(const float constants[4][4], uint32_t count = 4) {
    vkCmdPushConstants(frame().commands, m_layout, VK_SHADER_STAGE_VERTEX_BIT, 0, count * 16, constants);
  }
  void placeOnScreen() {
    float constants[4][4] = {};
    pixelsToClip(kWidth, kHeight, constants[0]);
    setConstants(constants, 1);
  }
  void draw(uint32_t firstQuad, uint32_t quads) {
    vkCmdDraw(frame().commands, quads * kQuadVertices, 1, firstQuad * kQuadVertices, 0);
  }
  /// Makes draws to an image visible to later sampling.
  void toSampled(const DirectImage& image) {
    barrier(frame().commands, image.image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  }
  /// Lets draws to an image, all of it, wait for earlier sampling.
  void toTarget(const DirectImage& image) {
    barrier(frame().commands, image.image, VK_IMAGE_LAYOUT_UNDEFINED,
            VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  }
  /// Copies from stream(), one texture after the other.
  void upload(const std::vector<Texture>& textures);

  DirectBuffer createVertices(uint32_t quads) {
    m_buffers.push_back(createBuffer(VkDeviceSize{quads} * kQuadBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT));
    return m_buffers.back();
  }
  Texture createTexture(uint32_t width, uint32_t height, VkImageUsageFlags usage);
  /// Makes a texture whose texels never change, in a separate frame.
  Texture createStill(uint32_t side, uint32_t seed);

private:
  struct Frame {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    DirectImage target;
    DirectBuffer stream, shown;
  };
  Frame& frame() { return m_frames[m_newest]; }
  void createPipelines();

  static constexpr uint32_t kFrames = 2;
  Frame m_frames[kFrames];
  uint32_t m_newest = 0;
  VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipelines[2][2] = {};
  VkDescriptorPool m_descriptors = VK_NULL_HANDLE;
  VkSampler m_sampler = VK_NULL_HANDLE;
  std::vector<DirectImage> m_images;
  std::vector<DirectBuffer> m_buffers;
};

Device::Device() {
  for (Frame& each : m_frames) {
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    need(vkCreateCommandPool(m_device, &pool, nullptr, &each.pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    commands.commandPool = each.pool;
    commands.commandBufferCount = 1;
    need(vkAllocateCommandBuffers(m_device, &commands, &each.commands), "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    fence.flags = VK_FENCE_CREATE_SIGNALED_BIT;
    need(vkCreateFence(m_device, &fence, nullptr, &each.fence), "vkCreateFence");
    each.target = createImage(kWidth, kHeight, kTargetUsage);
    each.stream =
        createBuffer(kStreamBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    each.shown = createBuffer(VkDeviceSize{kWidth} * kHeight * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  }
  createPipelines();
}

Device::~Device() {
  vkDeviceWaitIdle(m_device);
  for (DirectImage& image : m_images) destroyImage(image);
  for (DirectBuffer& buffer : m_buffers) destroyBuffer(buffer);
  for (Frame& each : m_frames) {
    destroyImage(each.target);
    destroyBuffer(each.stream);
    destroyBuffer(each.shown);
    vkDestroyFence(m_device, each.fence, nullptr);
    vkDestroyCommandPool(m_device, each.pool, nullptr);
  }
  for (auto& row : m_pipelines)
    for (VkPipeline pipeline : row) vkDestroyPipeline(m_device, pipeline, nullptr);
  vkDestroySampler(m_device, m_sampler, nullptr);
  vkDestroyDescriptorPool(m_device, m_descriptors, nullptr);
  vkDestroyPipelineLayout(m_device, m_layout, nullptr);
  vkDestroyDescriptorSetLayout(m_device, m_setLayout, nullptr);
}

void Device::createPipelines() {
  const VkDescriptorSetLayoutBinding texture{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                             VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = 1;
  set.pBindings = &texture;
  need(vkCreateDescriptorSetLayout(m_device, &set, nullptr, &m_setLayout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange constants{VK_SHADER_STAGE_VERTEX_BIT, 0, 64};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &m_setLayout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &constants;
  need(vkCreatePipelineLayout(m_device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");
  VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
  need(vkCreateSampler(m_device, &sampler, nullptr, &m_sampler), "vkCreateSampler");
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = size.descriptorCount;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  need(vkCreateDescriptorPool(m_device, &pool, nullptr, &m_descriptors), "vkCreateDescriptorPool");

  const VkVertexInputBindingDescription binding{0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attributes[] = {
      {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, x)},
      {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Vertex, value)}};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = 2;
  input.pVertexAttributeDescriptions = attributes;
  const VkShaderModule vertex = module(kVert), fragments[2] = {module(kValues), module(kTextured)};
  for (const uint32_t textured : {0u, 1u})
    for (const uint32_t blended : {0u, 1u})
      m_pipelines[textured][blended] =
          createPipeline(vertex, fragments[textured], input, m_layout, blended != 0);
  for (const VkShaderModule made : {vertex, fragments[0], fragments[1]})
    vkDestroyShaderModule(m_device, made, nullptr);
}

void Device::beginFrame() {
  m_newest = (m_newest + 1) % kFrames;
  need(vkWaitForFences(m_device, 1, &frame().fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  need(vkResetFences(m_device, 1, &frame().fence), "vkResetFences");
  need(vkResetCommandPool(m_device, frame().pool, 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  need(vkBeginCommandBuffer(frame().commands, &info), "vkBeginCommandBuffer");
  barrier(frame().commands, frame().target.image, VK_IMAGE_LAYOUT_UNDEFINED,
          VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
}

void Device::endFrame() {
  barrier(frame().commands, frame().target.image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyImageToBuffer(frame().commands, frame().target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                         frame().shown.buffer, 1, &copy);
  need(vkEndCommandBuffer(frame().commands), "vkEndCommandBuffer");
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &frame().commands;
  need(vkQueueSubmit(m_queue, 1, &info, frame().fence), "vkQueueSubmit");
}

void Device::beginPass(const DirectImage& target, uint32_t color) {
  VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  attachment.imageView = target.view;
  attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  for (const uint32_t channel : {0u, 1u, 2u, 3u}) {
    constexpr uint32_t kShift[] = {16, 8, 0, 24};  // channels of an A8R8G8B8
    attachment.clearValue.color.float32[channel] = static_cast<float>(color >> kShift[channel] & 255) / 255;
  }
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea = {{0, 0}, {target.width, target.height}};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &attachment;
  vkCmdBeginRendering(frame().commands, &rendering);
  const auto width = static_cast<float>(target.width), height = static_cast<float>(target.height);
  const VkViewport viewport{0, height, width, -height, 0, 1};
  vkCmdSetViewport(frame().commands, 0, 1, &viewport);
  vkCmdSetScissor(frame().commands, 0, 1, &rendering.renderArea);
}

void Device::upload(const std::vector<Texture>& textures) {
  const auto all = [&](VkImageLayout from, VkImageLayout to) {
    for (const Texture& texture : textures) barrier(frame().commands, texture.image.image, from, to);
  };
  all(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkDeviceSize at = 0;
  for (const Texture& texture : textures) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = at;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {texture.image.width, texture.image.height, 1};
    vkCmdCopyBufferToImage(frame().commands, frame().stream.buffer, texture.image.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    at += VkDeviceSize{texture.image.width} * texture.image.height * 4;
  }
  all(VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

Texture Device::createTexture(uint32_t width, uint32_t height, VkImageUsageFlags usage) {
  Texture texture;
  texture.image = createImage(width, height, VK_IMAGE_USAGE_SAMPLED_BIT | usage);
  m_images.push_back(texture.image);
  texture.set = createTextureSet(m_descriptors, m_setLayout, texture.image.view, m_sampler);
  return texture;
}

/// Writes words, row by row.
void writeTexels(uint8_t* out, uint32_t side, uint32_t seed) {
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x, out += 4) {
      const uint32_t word = texel(x, y, seed);
      std::memcpy(out, &word, sizeof word);
    }
}

Texture Device::createStill(uint32_t side, uint32_t seed) {
  const Texture texture = createTexture(side, side, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  beginFrame();
  writeTexels(stream(), side, seed);
  upload({texture});
  endFrame();
  finish();
  return texture;
}

/// Writes a quad's vertices into memory that may be unaligned.
template <class Write>
void putQuad(uint8_t* out, Write write) {
  Vertex quad[kQuadVertices];
  write(quad);
  std::memcpy(out, quad, sizeof quad);
}

class DirectScene {
public:
  virtual ~DirectScene() = default;
  virtual void draw(Device& device, uint32_t frame) = 0;
};

class Draws : public DirectScene {
public:
  explicit Draws(Device& device) : m_vertices(device.createVertices(1)) {
    for (uint32_t i = 0; i < DrawsScene::kTextures; ++i)
      m_textures.push_back(device.createStill(DrawsScene::kTextureSide, i));
    putQuad(m_vertices.mapped, DrawsScene::write);
  }
  void draw(Device& device, uint32_t frame) override {
    float toClip[4], constants[4][4] = {};
    pixelsToClip(kWidth, kHeight, toClip);
    device.beginPass(kBackground);
    device.bindVertices(m_vertices);
    for (uint32_t i = 0; i < DrawsScene::kDraws; ++i) {
      const auto changes = [i](auto what) { return i == 0 || what(i) != what(i - 1); };
      if (changes(DrawsScene::texture)) device.useTexture(m_textures[DrawsScene::texture(i)]);
      if (changes(DrawsScene::isTextured) || changes(DrawsScene::isBlended))
        device.usePipeline(DrawsScene::isTextured(i), DrawsScene::isBlended(i));
      DrawsScene::constants(i, frame, toClip, constants);
      device.setConstants(constants);
      device.draw(0, 1);
    }
    device.endPass();
  }

private:
  DirectBuffer m_vertices;
  std::vector<Texture> m_textures;
};

class Sprites : public DirectScene {
public:
  explicit Sprites(Device& device) {
    for (uint32_t i = 0; i < SpritesScene::kTextures; ++i)
      m_textures.push_back(device.createStill(SpritesScene::kTextureSide, i));
  }
  void draw(Device& device, uint32_t frame) override {
    static_assert(VkDeviceSize{SpritesScene::kSprites} * kQuadBytes <= kStreamBytes);
    device.beginPass(kBackground);
    device.usePipeline(true, true);
    device.placeOnScreen();
    device.bindStream();
    for (uint32_t batch = 0; batch < SpritesScene::kBatches; ++batch) {
      const uint32_t first = batch * SpritesScene::kBatch;
      for (uint32_t i = first; i < first + SpritesScene::kBatch; ++i)
        putQuad(device.stream() + size_t{i} * kQuadBytes,
                [&](Vertex* out) { SpritesScene::write(out, i, frame); });
      device.useTexture(m_textures[SpritesScene::texture(batch)]);
      device.draw(first, SpritesScene::kBatch);
    }
    device.endPass();
  }

private:
  std::vector<Texture> m_textures;
};

class Textures : public DirectScene {
public:
  explicit Textures(Device& device) : m_vertices(device.createVertices(TexturesScene::kTextures)) {
    for (uint32_t i = 0; i < TexturesScene::kTextures; ++i) {
      m_textures.push_back(
          device.createTexture(TexturesScene::kSide, TexturesScene::kSide, VK_IMAGE_USAGE_TRANSFER_DST_BIT));
      putQuad(m_vertices.mapped + size_t{i} * kQuadBytes, [&](Vertex* out) { TexturesScene::write(out, i); });
    }
  }
  void draw(Device& device, uint32_t frame) override {
    constexpr size_t kBytes = size_t{TexturesScene::kSide} * TexturesScene::kSide * 4;
    static_assert(kBytes * TexturesScene::kTextures <= kStreamBytes);
    for (uint32_t i = 0; i < TexturesScene::kTextures; ++i)
      writeTexels(device.stream() + kBytes * i, TexturesScene::kSide, TexturesScene::seed(i, frame));
    device.upload(m_textures);
    device.beginPass(kBackground);
    device.usePipeline(true, false);
    device.placeOnScreen();
    device.bindVertices(m_vertices);
    for (uint32_t i = 0; i < TexturesScene::kTextures; ++i) {
      device.useTexture(m_textures[i]);
      device.draw(i, 1);
    }
    device.endPass();
  }

private:
  DirectBuffer m_vertices;
  std::vector<Texture> m_textures;
};

class Windows : public DirectScene {
public:
  explicit Windows(Device& device)
      : m_picture(device.createStill(WindowsScene::kPictureSide, WindowsScene::kPictureSeed)),
        m_glass(device.createStill(WindowsScene::kGlassSide, WindowsScene::kGlassSeed)) {
    device.beginFrame();
    for (uint32_t i = 0; i < WindowsScene::kWindows; ++i) {
      m_windows.push_back(
          device.createTexture(WindowsScene::kWindowWidth, WindowsScene::kWindowHeight, kTargetUsage));
      device.toTarget(m_windows.back().image);
      device.beginPass(m_windows.back().image, WindowsScene::kEmpty);
      device.endPass();
      device.toSampled(m_windows.back().image);
    }
    device.endFrame();
    device.finish();
  }
  void draw(Device& device, uint32_t frame) override {
    for (uint32_t i = 0; i < WindowsScene::kQuads; ++i)
      putQuad(device.stream() + size_t{i} * kQuadBytes,
              [&](Vertex* out) { WindowsScene::write(out, i, frame); });
    device.bindStream();
    device.usePipeline(true, false);
    device.useTexture(m_picture);
    float constants[4][4] = {};
    pixelsToClip(WindowsScene::kWindowWidth, WindowsScene::kWindowHeight, constants[0]);
    device.setConstants(constants, 1);
    for (uint32_t i = 0; i < WindowsScene::kChanging; ++i) {
      const uint32_t window = WindowsScene::changing(i, frame);
      device.toTarget(m_windows[window].image);
      device.beginPass(m_windows[window].image, WindowsScene::background(window, frame));
      for (uint32_t part = 0; part < WindowsScene::kParts; ++part)
        device.draw(WindowsScene::kPartsAt + part, 1);
      device.endPass();
      device.toSampled(m_windows[window].image);
    }
    device.beginPass(WindowsScene::kDesktop);
    device.placeOnScreen();
    for (uint32_t i = 0; i < WindowsScene::kWindows; ++i) {
      device.usePipeline(true, true);
      device.useTexture(m_glass);
      device.draw(WindowsScene::kFramesAt + i, 1);
      device.usePipeline(true, false);
      device.useTexture(m_windows[i]);
      device.draw(WindowsScene::kContentsAt + i, 1);
    }
    device.endPass();
  }

private:
  Texture m_picture, m_glass;
  std::vector<Texture> m_windows;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Returns the processor seconds of this process, including the GPU's threads in it.
double processorTime() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void run(Device& device, DirectScene& scene, double seconds) {
  const auto drawFrame = [&](uint32_t frame) {
    device.beginFrame();
    scene.draw(device, frame);
    device.endFrame();
  };
  for (uint32_t frame = 0; frame < kWarmFrames; ++frame) drawFrame(frame);
  device.finish();
  const double start = now(), busy = processorTime();
  uint32_t frame = 0;
  for (; now() - start < seconds; ++frame) drawFrame(kWarmFrames + frame);
  device.finish();
  std::printf("frames %u in %.3f s, processor %.3f s\n", frame, now() - start, processorTime() - busy);
  for (uint32_t back = kShownFrames; back--;) drawFrame(kShownFrame - back);
  device.finish();
  tellPicture([&](uint32_t x, uint32_t y) { return device.pixel(x, y); });
}

}  // namespace

int main(int argc, char** argv) {
  std::string scene;
  double seconds = 3;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--only")) scene = argv[i + 1];
    if (!std::strcmp(argv[i], "--seconds")) seconds = std::strtod(argv[i + 1], nullptr);
  }
  if ((scene != "draws" && scene != "sprites" && scene != "textures" && scene != "windows") || seconds <= 0) {
    std::fprintf(stderr, "usage: %s --only draws|sprites|textures|windows [--seconds S]\n", argv[0]);
    return 2;
  }
  Device device;
  const std::unique_ptr<DirectScene> drawn = [&]() -> std::unique_ptr<DirectScene> {
    if (scene == "draws") return std::make_unique<Draws>(device);
    if (scene == "sprites") return std::make_unique<Sprites>(device);
    if (scene == "textures") return std::make_unique<Textures>(device);
    return std::make_unique<Windows>(device);
  }();
  run(device, *drawn, seconds);
  return 0;
}
