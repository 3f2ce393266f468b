// SPDX-License-Identifier: MIT
// The device's life, creation of objects, clears, frames (see backend.h); draws are in draw/.
#include "renderer/vulkan/backend.h"

#include <algorithm>
#include <cmath>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/base/mutex.h"
#include "renderer/d3d9/draw_area.h"
#include "renderer/d3d9/draw_rules.h"
#include "renderer/translator/client.h"
#include "renderer/vulkan/objects/buffer.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

VulkanBackend::VulkanBackend(const core::BackendConfig& config)
    : m_config(config), m_stats(config.stats), m_log(config.log), m_wanted(config.vulkanDevice) {}

std::unique_ptr<VulkanBackend> VulkanBackend::create(const core::BackendConfig& config, std::string& error) {
  std::unique_ptr<VulkanBackend> self(new VulkanBackend(config));
  self->m_instance = Instance::create(config.validation, config.log, error);
  if (!self->m_instance) return nullptr;
  self->m_physical = self->m_instance->choose(self->m_wanted, error);
  if (!self->m_physical) return nullptr;
  if (!self->open(error)) return nullptr;
  if (!translator::shared())
    config.log.line(AEROGPU_LOG_ERROR, "DXBC shaders are refused: " + translator::whyNone());
  self->noteCaps();
  return self;
}

core::DriverKind VulkanBackend::driverKind() const {
  constexpr int kHoneykrisp = 26;  // newer than the headers of Vulkan 1.3.239
  switch (static_cast<int>(m_gpu->device->driverId())) {
    case VK_DRIVER_ID_MESA_LLVMPIPE:
      return core::DriverKind::Lavapipe;
    case VK_DRIVER_ID_MESA_RADV:
    case VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA:
    case VK_DRIVER_ID_MESA_TURNIP:
    case VK_DRIVER_ID_MESA_V3DV:
    case VK_DRIVER_ID_MESA_PANVK:
    case VK_DRIVER_ID_MESA_VENUS:
    case VK_DRIVER_ID_MESA_NVK:
    case VK_DRIVER_ID_IMAGINATION_OPEN_SOURCE_MESA:
    case kHoneykrisp:
      return core::DriverKind::Mesa;
    default:
      return core::DriverKind::Other;
  }
}

void VulkanBackend::noteCaps() {
  const Device& device = *m_gpu->device;
  const DeviceCaps& caps = device.caps();
  const VkPhysicalDeviceLimits& limits = device.limits();
  m_deviceName = m_names.insert(device.properties().deviceName).first->c_str();
  m_driverName = m_names.insert(device.driver()).first->c_str();
  m_limits = {};
  m_limits.maxTextureSize = std::min(limits.maxImageDimension2D, 16384u);
  m_limits.maxVolumeSize = std::min(limits.maxImageDimension3D, 2048u);
  m_limits.maxCubeSize = std::min(limits.maxImageDimensionCube, 16384u);
  m_limits.maxArrayLayers = std::min(limits.maxImageArrayLayers, 2048u);
  if (caps.samplerAnisotropy) m_limits.maxAnisotropy = static_cast<uint32_t>(limits.maxSamplerAnisotropy);
  constexpr uint32_t kUpTo16 = 0x1F;  // VkSampleCountFlagBits are numbers of samples
  m_limits.colorSamples =
      limits.framebufferColorSampleCounts & limits.sampledImageColorSampleCounts & kUpTo16;
  m_limits.depthSamples =
      limits.framebufferDepthSampleCounts & limits.framebufferStencilSampleCounts & kUpTo16;
  const auto flag = [&](bool there, uint32_t bit) { m_limits.capsFlags |= there ? bit : 0; };
  flag(caps.customBorderColor, AEROGPU_CAPS_BORDER_COLORS);
  flag(caps.mirrorClampToEdge, AEROGPU_CAPS_MIRROR_ONCE);
  flag(caps.triangleFans, AEROGPU_CAPS_TRIANGLE_FANS);
  flag(caps.exactOcclusion, AEROGPU_CAPS_OCCLUSION_COUNTS);
  flag(caps.instanceDivisor, AEROGPU_CAPS_STREAM_STEPS);
  flag(caps.fillModeNonSolid, AEROGPU_CAPS_FILL_MODES);
  flag(caps.geometryShader, AEROGPU_CAPS_GEOMETRY_SHADERS);
  flag(caps.geometryShader && caps.streamBytes != 0, AEROGPU_CAPS_STREAM_OUTPUT);
  flag(caps.dualSourceBlend && caps.depthBiasClamp, AEROGPU_CAPS_D3D10_STATES);
  flag(caps.geometryShader && caps.multiViewport && limits.maxViewports >= core::kMaxViewports &&
           limits.maxFramebufferLayers >= m_limits.maxArrayLayers,
       AEROGPU_CAPS_LAYERS);
  flag(drawsToSlices(device, VK_FORMAT_R8G8B8A8_UNORM) && hasRows(device, VK_FORMAT_R8G8B8A8_UNORM),
       AEROGPU_CAPS_D3D10_RESOURCES);
  m_limits.maxColorTargets = std::min(limits.maxColorAttachments, core::kMaxColorTargets);
  if (caps.clipDistance) m_limits.maxClipPlanes = std::min(limits.maxClipDistances, 6u);
  m_limits.maxPointSize = caps.pointSizeMax;
  m_limits.missingVertexTypes = InputLayoutObject::missingTypes(device);
  for (const core::FormatInfo& info : core::allFormats())
    m_formatCaps[info.format] = vk::formatCaps(device, info.format);
}

core::FormatCaps VulkanBackend::formatCaps(aerogpu_format format) const {
  return m_formatCaps.at(format);
}

bool VulkanBackend::open(std::string& error) {
  auto gpu = Gpu::create(*m_instance, m_physical, m_config, error);
  if (!gpu) return false;
  auto targets = std::make_unique<Targets>(*gpu);
  auto queries = std::make_unique<Queries>(*gpu);
  auto draws = std::make_unique<Draws>(*gpu, *targets, m_config.cacheDir);
  if (auto created = draws->create(); !created) {
    error = std::string(created.error().what) + ": " + created.error().detail;
    return false;
  }
  // The old device is closed only now: if opening fails, a lost device stays, and answers with errors.
  m_draws = std::move(draws);
  m_targets = std::move(targets);
  m_queries = std::move(queries);
  m_gpu = std::move(gpu);
  return true;
}

VulkanBackend::~VulkanBackend() {
  if (m_gpu) m_gpu->recorder->waitIdle(UINT64_MAX);
  if (m_gpu && m_gpu->device->hung()) {
    m_gpu->recorder->abandon();
    m_abandoned.push_back({std::move(m_instance), std::move(m_gpu), std::move(m_targets),
                           std::move(m_queries), std::move(m_draws)});
  }
  closeOther();
  m_left.clear();
  reap();
  leaveBehind(std::move(m_abandoned));
  m_draws.reset();
  m_queries.reset();
  m_targets.reset();
}

void VulkanBackend::leaveBehind(std::vector<Abandoned> abandoned) {
  static Mutex mutex;
  static auto* const left = new std::vector<Abandoned>;  // never destroyed, not even when the process ends
  Lock lock(mutex);
  for (Abandoned& a : abandoned) left->push_back(std::move(a));
}

bool VulkanBackend::openAnew(std::string& error) {
  reap();
  if (m_abandoned.size() >= kMaxAbandoned) {
    error = "too many GPUs hang already";
    return false;
  }
  auto instance = Instance::create(m_config.validation, m_log, error);
  if (!instance) return false;
  VkPhysicalDevice physical = instance->choose(m_wanted, error);
  if (!physical) return false;
  Abandoned old{std::exchange(m_instance, std::move(instance)), nullptr, nullptr, nullptr, nullptr};
  std::swap(m_physical, physical);
  old.gpu = std::move(m_gpu);
  old.targets = std::move(m_targets);
  old.queries = std::move(m_queries);
  old.draws = std::move(m_draws);
  if (open(error)) {
    old.gpu->recorder->abandon();
    m_abandoned.push_back(std::move(old));
    return true;
  }
  m_instance = std::move(old.instance);
  m_physical = physical;
  m_gpu = std::move(old.gpu);
  m_targets = std::move(old.targets);
  m_queries = std::move(old.queries);
  m_draws = std::move(old.draws);
  return false;
}

bool VulkanBackend::recover() {
  if (!m_gpu->device->lost()) {
    reap();
    m_draws->reset();
    m_targets->reset();
    return true;
  }
  m_gpu->recorder->waitIdle(UINT64_MAX);
  if (m_frame) FramePool::release(&std::exchange(m_frame, nullptr)->image);
  for (const auto& entry : m_surplus) FramePool::release(&entry.second->image);
  m_surplus.clear();
  // Frames that are still out keep the old device's memory: the embedder must give them back first.
  if (!m_gpu->frames->allHome()) {
    m_log.line(AEROGPU_LOG_ERROR, "the lost GPU cannot be reopened while frames of it are in use");
    return false;
  }
  std::string error = "refused for a test";
  if (!m_config.playsRefusal() && (m_gpu->device->hung() ? openAnew(error) : open(error))) return true;
  m_log.line(AEROGPU_LOG_ERROR, "the lost GPU cannot be reopened: " + error);
  return false;
}

bool VulkanBackend::reopen() {
  if (m_gpu->device->lost()) return recover();
  if (m_frame) FramePool::release(&std::exchange(m_frame, nullptr)->image);
  m_gpu->recorder->waitIdle(UINT64_MAX);
  releaseSurplus();
  if (!m_gpu->frames->allHome()) return false;
  std::string error;
  if (open(error)) return true;
  m_log.line(AEROGPU_LOG_ERROR, "the GPU cannot be opened anew: " + error);
  return false;
}

namespace {
/// Objects are not created on a lost device: it finishes no batch, so they would never be freed.
Error lostError() {
  return Error{ErrorCode::Backend, "the GPU is lost", {}};
}
}  // namespace

Result<std::unique_ptr<core::GpuBuffer>> VulkanBackend::createBuffer(const core::BufferDesc& desc) {
  if (m_gpu->device->lost()) return lostError();
  return BufferObject::create(*m_gpu, desc);
}

Result<std::unique_ptr<core::GpuTexture>> VulkanBackend::createTexture(const core::TextureDesc& desc) {
  if (m_gpu->device->lost()) return lostError();
  return TextureObject::create(*m_gpu, desc);
}

Result<std::unique_ptr<core::GpuQuery>> VulkanBackend::createQuery(core::QueryKind kind) {
  if (m_gpu->device->lost()) return lostError();
  return m_queries->create(kind);
}

Result<void> VulkanBackend::clear(core::DrawState& state, const core::ClearArgs& args) {
  if (auto opened = m_gpu->recorder->open(); !opened) return opened;
  if (auto updated = m_targets->update(state, true, args.depth || args.stencil); !updated) return updated;
  const VkExtent2D extent = m_targets->info().extent;
  // ClearRenderTargetView clears everything; IDirect3DDevice9::Clear without rectangles clears the viewport,
  // clipped by the scissor rectangle if that is on.
  VkRect2D rect{{0, 0}, extent};
  if (!d3d9::usesDxbc(state)) {
    const d3d9::PixelRect area = d3d9::drawArea(state, extent.width, extent.height);
    rect = {{area.x, area.y}, {area.width, area.height}};
  }
  m_targets->clear(args, rect);
  return {};
}

Result<std::unique_ptr<core::GpuShader>> VulkanBackend::createShader(core::Stage stage,
                                                                     std::span<const uint8_t> bytes,
                                                                     core::ShaderFamily& family) {
  return m_draws->shaders().create(stage, bytes, family);
}

Result<std::unique_ptr<core::GpuShader>> VulkanBackend::createTokenShader(core::Stage stage,
                                                                          const core::TokenCounts& counts,
                                                                          std::span<const uint8_t> bytes) {
  return m_draws->shaders().create(stage, counts, bytes);
}

Result<std::unique_ptr<core::GpuInputLayout>> VulkanBackend::createInputLayout(
    std::span<const core::InputElement> elements) {
  return InputLayoutObject::create(*m_gpu->device, elements);
}

void VulkanBackend::processEnds(const HostMemory& account) {
  if (m_draws) m_draws->processEnds(account);
}

Result<void> VulkanBackend::draw(core::DrawState& state, const core::DrawArgs& args) {
  return m_draws->draw(state, args);
}

Result<void> VulkanBackend::drawIndexed(core::DrawState& state, const core::DrawIndexedArgs& args) {
  return m_draws->drawIndexed(state, args);
}

Result<void> VulkanBackend::drawInline(core::DrawState& state, const core::InlineDraw& draw) {
  return m_draws->drawInline(state, draw);
}

Result<void> VulkanBackend::drawAuto(core::DrawState& state, uint32_t most) {
  return m_draws->drawAuto(state, most);
}

Result<void> VulkanBackend::dispatch(core::DrawState& state, uint32_t x, uint32_t y, uint32_t z) {
  return m_draws->dispatch(state, x, y, z);
}

Frame* VulkanBackend::takeOlderFrame(const core::TextureDesc& desc, const core::FrameDamage& damage) {
  m_frameBoxes.clear();
  // Each frame differs from its base frame only by its damage: go back to a base that is idle.
  const core::FrameDamage* at = &damage;
  for (size_t i = 0; i <= kFrameNotes; ++i) {
    for (const aerogpu_frame_rect& r : at->rects()) {
      core::Box box{r.left, r.top, 0, r.right - r.left, r.bottom - r.top};
      // No two boxes may overlap in one copy.
      for (size_t k = 0; k < m_frameBoxes.size();) {
        const core::Box other = m_frameBoxes[k];
        if (!core::overlap(box, other)) {
          ++k;
          continue;
        }
        const uint32_t right = std::max(box.x + box.width, other.x + other.width);
        const uint32_t bottom = std::max(box.y + box.height, other.y + other.height);
        box.x = std::min(box.x, other.x);
        box.y = std::min(box.y, other.y);
        box.width = right - box.x;
        box.height = bottom - box.y;
        m_frameBoxes.erase(m_frameBoxes.begin() + static_cast<std::ptrdiff_t>(k));
        k = 0;  // it may overlap others now
      }
      m_frameBoxes.push_back(box);
    }
    const uint64_t since = at->since();
    if (since == 0) return nullptr;
    if (Frame* frame = m_gpu->frames->takeImage(since)) {
      const aerogpu_frame& image = frame->image;
      if (image.width == desc.width && image.height == desc.height && image.format == desc.format)
        return frame;
      FramePool::release(&frame->image);
      return nullptr;
    }
    const FrameNote& note = m_frameNotes[since % kFrameNotes];
    if (note.sequence != since) return nullptr;
    at = &note.damage;
  }
  return nullptr;
}

Result<uint64_t> VulkanBackend::captureFrame(core::Texture& texture, const core::FrameDamage& damage) {
  if (m_gpu->device->lost()) return lostError();
  TextureObject& object = TextureObject::of(texture);
  const core::FormatInfo& info = *object.format().info;
  if (!core::canBeShown(texture.desc) && !core::holdsIndices(texture.desc))
    return Error{ErrorCode::Backend, "a texture of this format cannot be shown", {}};
  const uint64_t stride = uint64_t{texture.desc.width} * info.blockBytes;
  const uint64_t bytes = stride * texture.desc.height;
  releaseSurplus();
  Result<Frame*> frame = takeOlderFrame(texture.desc, damage);
  if (!*frame) {
    frame = m_gpu->frames->take(bytes);
    if (!frame) return frame.error();
    m_frameBoxes.assign(1, {0, 0, 0, texture.desc.width, texture.desc.height});
  }
  (*frame)->image.sequence = 0;  // 0 until the frame is whole again
  if (m_frameBoxes.empty()) {
    // No box lies in the picture.
  } else if (auto copied = object.copyToHost((*frame)->range, m_frameBoxes); !copied) {
    FramePool::release(&(*frame)->image);
    return copied.error();
  }
  uint64_t copied = 0;
  for (const core::Box& box : m_frameBoxes) copied += uint64_t{box.width} * box.height * info.blockBytes;
  m_stats.readbackBytes.add(copied);
  aerogpu_frame& image = (*frame)->image;
  image = {};
  image.struct_size = sizeof image;
  image.width = texture.desc.width;
  image.height = texture.desc.height;
  image.stride_bytes = static_cast<uint32_t>(stride);
  image.format = texture.desc.format;
  image.pixels = (*frame)->range.mapped();
  image.sequence = ++m_frameSequence;
  damage.store(image);
  m_frameNotes[m_frameSequence % kFrameNotes] = {m_frameSequence, damage};
  // Only the last frame of a submission comes out; the GPU may still have to write the earlier one.
  if (m_frame) m_surplus.emplace_back(m_gpu->recorder->batch(), m_frame);
  m_frame = *frame;
  return m_frameSequence;
}

void VulkanBackend::releaseSurplus() {
  std::erase_if(m_surplus, [&](const auto& entry) {
    if (!m_gpu->recorder->finished(entry.first)) return false;
    FramePool::release(&entry.second->image);
    return true;
  });
}

void VulkanBackend::endSubmission(std::unique_ptr<core::Completion> completion, bool needsGpu) {
  reap();
  m_gpu->storedImages->age(m_gpu->recorder->completed());
  m_gpu->recorder->finish(std::move(completion), std::exchange(m_frame, nullptr), needsGpu);
}

std::unique_ptr<core::Backend> createBackend(const core::BackendConfig& config, std::string& error) {
  return VulkanBackend::create(config, error);
}

}  // namespace aerogpu::vk
