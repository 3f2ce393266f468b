// SPDX-License-Identifier: MIT
// Planes of texels, for snapshots. Those of several samples are drawn to and from textures of one sample;
// depth is a float there. Of one sample, planes are copied.
#include <algorithm>
#include <cstring>

#include "renderer/core/texel_planes.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

using core::TexelPart;
using core::TexelPlane;

namespace {

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;  // one chunk of staging memory

/// Bytes in host memory.
class SpanSource final : public core::ByteSource {
public:
  explicit SpanSource(std::span<const uint8_t> bytes) : m_bytes(bytes) {}
  bool read(uint64_t offset, void* dst, uint64_t size) override {
    std::memcpy(dst, m_bytes.data() + offset, size);
    return true;
  }

private:
  const std::span<const uint8_t> m_bytes;
};

VkImageAspectFlagBits aspectOf(TexelPlane plane) {
  switch (plane) {
    case TexelPlane::Depth:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case TexelPlane::Stencil:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

shader::SampleCopyPlane shaderPlane(TexelPlane plane) {
  switch (plane) {
    case TexelPlane::Depth:
      return shader::SampleCopyPlane::Depth;
    case TexelPlane::Stencil:
      return shader::SampleCopyPlane::Stencil;
    default:
      return shader::SampleCopyPlane::Color;
  }
}

/// Returns the bits of an image's depth; 32: it is a float.
uint32_t depthBits(VkFormat format) {
  return format == VK_FORMAT_D16_UNORM ? 16 : format == VK_FORMAT_D24_UNORM_S8_UINT ? 24 : 32;
}

/// Passes depth on as the floats that are nearest to a format's steps: GPUs fetch others beside them.
class StepsSink final : public core::ByteSink {
public:
  StepsSink(std::unique_ptr<core::ByteSink> sink, uint32_t bits) : m_sink(std::move(sink)), m_bits(bits) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
    std::vector<uint8_t> row(rowBytes);
    for (uint64_t y = 0; y < rows; ++y, src += srcPitch) {
      for (uint64_t i = 0; i < rowBytes; i += sizeof(float)) {
        float depth;
        std::memcpy(&depth, src + i, sizeof depth);
        depth = core::depthOf(core::depthSteps(depth, m_bits), m_bits);
        std::memcpy(row.data() + i, &depth, sizeof depth);
      }
      if (auto written = m_sink->write(row.data(), rowBytes, rowBytes, 1); !written) return written;
    }
    return {};
  }

private:
  const std::unique_ptr<core::ByteSink> m_sink;
  const uint32_t m_bits;
};

}  // namespace

Result<std::unique_ptr<TextureObject>> TextureObject::temporary(aerogpu_format format, const core::Box& box,
                                                                uint32_t samples) {
  core::TextureDesc desc;
  desc.format = format;
  desc.width = box.width;
  desc.height = box.height;
  desc.samples = samples;
  auto stored = m_gpu.storedImages->take(desc, nullptr, 0);
  if (!stored) return stored.error();
  return std::unique_ptr<TextureObject>(new TextureObject(m_gpu, desc, **stored, {}));
}

Result<std::unique_ptr<TextureObject>> TextureObject::planeOf(const core::Box& box, TexelPlane plane,
                                                              uint32_t samples) {
  return temporary(plane == TexelPlane::Color   ? m_desc.format
                   : plane == TexelPlane::Depth ? AEROGPU_FORMAT_D3D9_R32F
                                                : AEROGPU_FORMAT_D3D9_L8,
                   box, samples);
}

Result<std::unique_ptr<TextureObject>> TextureObject::copyOf(core::Subresource sub, const core::Box& box) {
  auto copy = temporary(m_desc.format, box, m_desc.samples);
  if (!copy) return copy;
  (*copy)->m_undefined = false;  // every texel will be written
  if (auto copied = (*copy)->copyFrom({}, 0, 0, 0, *this, sub, box); !copied) return copied.error();
  return copy;
}

Result<std::unique_ptr<TextureObject>> TextureObject::depthOfSample(const TexelPart& part,
                                                                    const core::Box& box) {
  auto held = planeOf(box, TexelPlane::Depth);
  if (!held) return held;
  (*held)->m_undefined = false;  // every texel will be written
  if (auto drawn = drawPlane(part, box, **held, true); !drawn) return drawn.error();
  if (depthBits(m_format.linear) != 24) return held;
  // GPUs fetch 24 bits of depth as floats that are some steps off, but compare them exactly.
  auto copy = copyOf(part.sub, box);
  if (!copy) return copy;
  auto exact = planeOf(box, TexelPlane::Depth, m_desc.samples);
  if (!exact) return exact;
  if (auto compared = (*copy)->compareDepth(part.sample, **held, **exact); !compared) return compared.error();
  auto out = planeOf(box, TexelPlane::Depth);
  if (!out) return out;
  (*out)->m_undefined = false;
  const core::Box all{0, 0, 0, box.width, box.height};
  if (auto drawn = (*exact)->drawPlane({{}, part.sample, TexelPlane::Color}, all, **out, true); !drawn)
    return drawn.error();
  return out;
}

Result<void> TextureObject::compareDepth(uint32_t sample, TextureObject& near, TextureObject& exact) {
  Recorder& recorder = *m_gpu.recorder;
  SampleCopies& copies = *m_gpu.sampleCopies;
  auto source = copies.view(near.m_image, near.m_format.linear, VK_IMAGE_ASPECT_COLOR_BIT, 0);
  if (!source) return source.error();
  auto color = copies.view(exact.m_image, exact.m_format.linear, VK_IMAGE_ASPECT_COLOR_BIT, 0);
  if (!color) return color.error();
  auto depth = copies.view(m_image, m_format.linear, m_format.aspects(), 0);
  if (!depth) return depth.error();
  const SampleCopies::Kind kind{m_format.linear,
                                m_desc.samples,
                                m_format.info->stencil,
                                {false, shader::SampleCopyPlane::Compared, {}}};
  auto bindings = copies.choose(kind, *source, near.sampledLayout());
  if (!bindings) return bindings.error();
  near.prepare(near.sampledLayout(), VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
               VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  recorder.beginInterlude();
  recorder.outsidePass();
  prepare(targetLayout(),
          VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
          VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT);
  exact.prepare(exact.targetLayout(), VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
  VkRenderingAttachmentInfo target{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  target.imageView = *color;
  target.imageLayout = exact.m_layout;
  target.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingAttachmentInfo compared = target;
  compared.imageView = *depth;
  compared.imageLayout = m_layout;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = {m_desc.width, m_desc.height};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &target;
  info.pDepthAttachment = &compared;
  info.pStencilAttachment = m_format.info->stencil ? &compared : nullptr;
  recorder.beginPass(info);
  copies.bind(*bindings, info.renderArea);
  constexpr int32_t kStepsAround = 3;
  shader::SampleCopyConstants constants{{0, 0}, static_cast<int32_t>(sample), 0};
  copies.drawCompared(constants, VK_COMPARE_OP_ALWAYS);
  for (constants.bits = -kStepsAround; constants.bits <= kStepsAround; ++constants.bits)
    copies.drawCompared(constants, VK_COMPARE_OP_EQUAL);
  recorder.outsidePass();
  recorder.endInterlude();
  return {};
}

Result<void> TextureObject::drawPlane(const TexelPart& part, const core::Box& box, TextureObject& held,
                                      bool out, uint32_t stencilBits) {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  SampleCopies& copies = *m_gpu.sampleCopies;
  TextureObject& from = out ? *this : held;
  TextureObject& to = out ? held : *this;
  auto source = copies.view(from.m_image, from.m_format.linear,
                            out ? aspectOf(part.plane) : VK_IMAGE_ASPECT_COLOR_BIT, out ? part.sub.layer : 0);
  if (!source) return source.error();
  auto target = copies.view(to.m_image, to.m_format.linear, to.m_format.aspects(), out ? 0 : part.sub.layer);
  if (!target) return target.error();
  SampleCopies::Kind kind{to.m_format.linear, to.m_desc.samples, to.m_format.info->stencil, {}};
  kind.shader = {out, shaderPlane(part.plane), {}};
  if (part.plane == TexelPlane::Color) kind.shader.narrow = m_format.narrow();
  const VkImageLayout layout = from.sampledLayout();
  auto bindings = copies.choose(kind, *source, layout);
  if (!bindings) return bindings.error();
  from.prepare(layout, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  const VkOffset3D at = offsetOf(box);
  const VkRect2D area{out ? VkOffset2D{} : VkOffset2D{at.x, at.y}, {box.width, box.height}};
  shader::SampleCopyConstants constants{
      {out ? at.x : -at.x, out ? at.y : -at.y}, static_cast<int32_t>(part.sample), 0};
  recorder.beginInterlude();
  to.beginPassOn(*target, area, nullptr);
  copies.bind(*bindings, area);
  if (out || part.plane != TexelPlane::Stencil) {
    copies.draw(constants);
  } else {
    copies.drawStencil(constants, 0xFF, 0);
    for (uint32_t bit = 1; bit < 0x100; bit *= 2) {
      if (!(stencilBits & bit)) continue;
      constants.bits = static_cast<int32_t>(bit);
      copies.drawStencil(constants, bit, 0xFF);
    }
  }
  recorder.outsidePass();
  recorder.endInterlude();
  return {};
}

Result<void> TextureObject::readPlane(const TexelPart& part, const core::Box& box,
                                      std::unique_ptr<core::ByteSink> sink) {
  Recorder& recorder = *m_gpu.recorder;
  if (m_desc.samples > 1) {
    const bool isDepth = part.plane == TexelPlane::Depth;
    auto held = isDepth ? depthOfSample(part, box) : planeOf(box, part.plane);
    if (!held) return held.error();
    if (!isDepth) {
      (*held)->m_undefined = false;  // every texel will be written
      if (auto drawn = drawPlane(part, box, **held, true); !drawn) return drawn;
    } else if (const uint32_t bits = depthBits(m_format.linear); bits < 32) {
      sink = std::make_unique<StepsSink>(std::move(sink), bits);
    }
    return (*held)->read({}, {0, 0, 0, box.width, box.height}, std::move(sink));
  }
  if (auto opened = recorder.openToRead(); !opened) return opened;
  Readback readback;
  readback.sink = std::move(sink);
  readback.pitch = readback.rowBytes = uint64_t{box.width} * core::planeBytes(*m_format.info, part.plane);
  readback.rows = box.height;
  auto staged = recorder.stageReadback(readback.rowBytes * readback.rows);
  if (!staged) return staged.error();
  if (auto copied = readAspect(aspectOf(part.plane), part.sub, box, {staged->buffer(), staged->offset, 0, 0});
      !copied)
    return copied;
  readback.memory = *staged;
  readback.pixels = staged->mapped();
  recorder.addReadback(std::move(readback));
  return {};
}

Result<void> TextureObject::writePlane(const TexelPart& part, const core::Box& box,
                                       core::ByteSource& source) {
  const uint64_t rowBytes = uint64_t{box.width} * core::planeBytes(*m_format.info, part.plane);
  const auto rows = static_cast<uint32_t>(std::clamp<uint64_t>(kPieceBytes / rowBytes, 1, box.height));
  std::vector<uint8_t> bytes;
  for (uint32_t y = 0; y < box.height; y += rows) {
    core::Box now = box;
    now.y = box.y + y;
    now.height = std::min(rows, box.height - y);
    bytes.resize(now.height * rowBytes);
    if (!source.read(y * rowBytes, bytes.data(), bytes.size()))
      return Error{ErrorCode::OutOfBounds, "the bytes of a plane cannot be read", {}};
    auto written = m_desc.samples > 1 ? writeSample(part, now, bytes) : writeAspect(part, now, bytes);
    if (!written) return written;
  }
  return {};
}

Result<void> TextureObject::writeSample(const TexelPart& part, const core::Box& box,
                                        std::span<const uint8_t> bytes) {
  auto held = planeOf(box, part.plane);
  if (!held) return held.error();
  SpanSource source(bytes);
  const core::Box all{0, 0, 0, box.width, box.height};
  const uint64_t rowBytes = bytes.size() / box.height;
  if (auto filled = (*held)->write({}, all, {rowBytes, bytes.size()}, source); !filled) return filled;
  uint32_t stencilBits = 0;
  if (part.plane == TexelPlane::Stencil)
    for (const uint8_t byte : bytes) stencilBits |= byte;
  return drawPlane(part, box, **held, false, stencilBits);
}

Result<void> TextureObject::writeAspect(const TexelPart& part, const core::Box& box,
                                        std::span<const uint8_t> bytes) {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  const uint32_t bits = part.plane == TexelPlane::Depth ? depthBits(m_format.linear) : 32;
  auto staged = recorder.stage(bits == 16 ? bytes.size() / 2 : bytes.size());
  if (!staged) return staged.error();
  uint8_t* out = staged->mapped();
  if (bits == 32) {
    std::memcpy(out, bytes.data(), bytes.size());
  } else {
    for (size_t i = 0; i < bytes.size(); i += sizeof(float), out += bits == 16 ? 2 : 4) {
      float depth;
      std::memcpy(&depth, bytes.data() + i, sizeof depth);
      const uint32_t steps = core::depthSteps(depth, bits);
      std::memcpy(out, &steps, bits == 16 ? 2 : 4);
    }
  }
  if (auto defined = ensureDefined(); !defined) return defined;
  VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
  region.bufferOffset = staged->offset;
  region.imageSubresource = layersOf(aspectOf(part.plane), part.sub);
  region.imageOffset = offsetOf(box);
  region.imageExtent = extentOf(box);
  copy(updateCommands({}, part.sub, box), staged->buffer(), {&region, 1});
  return {};
}

}  // namespace aerogpu::vk
