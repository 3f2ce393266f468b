// SPDX-License-Identifier: MIT
// The Vulkan back end: core::Backend on one device. Render thread only, except for releaseFrame.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "renderer/core/backend_config.h"
#include "renderer/vulkan/device/instance.h"
#include "renderer/vulkan/draw/draws.h"
#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/query.h"
#include "renderer/vulkan/objects/targets.h"

namespace aerogpu::vk {

class VulkanBackend final : public core::Backend {
public:
  static std::unique_ptr<VulkanBackend> create(const core::BackendConfig& config, std::string& error);
  ~VulkanBackend() override;

  const char* name() const override { return "vulkan"; }
  const char* deviceName() const override { return m_deviceName.load(); }
  const char* driverName() const override { return m_driverName.load(); }
  core::DriverKind driverKind() const override;
  const core::BackendLimits& limits() const override { return m_limits; }
  core::FormatCaps formatCaps(aerogpu_format format) const override;

  void setOwner(const core::Owner& owner) override { m_gpu->recorder->setOwner(owner); }

  Result<std::unique_ptr<core::GpuBuffer>> createBuffer(const core::BufferDesc& desc) override;
  Result<std::unique_ptr<core::GpuTexture>> createTexture(const core::TextureDesc& desc) override;
  Result<std::unique_ptr<core::GpuQuery>> createQuery(core::QueryKind kind) override;
  Result<std::unique_ptr<core::GpuShader>> createShader(core::Stage stage, std::span<const uint8_t> bytes,
                                                        core::ShaderFamily& family) override;
  Result<std::unique_ptr<core::GpuShader>> createTokenShader(core::Stage stage,
                                                             const core::TokenCounts& counts,
                                                             std::span<const uint8_t> bytes) override;
  Result<std::unique_ptr<core::GpuInputLayout>> createInputLayout(
      std::span<const core::InputElement> elements) override;

  Result<void> clear(core::DrawState& state, const core::ClearArgs& args) override;
  Result<void> draw(core::DrawState& state, const core::DrawArgs& args) override;
  Result<void> drawIndexed(core::DrawState& state, const core::DrawIndexedArgs& args) override;
  Result<void> drawInline(core::DrawState& state, const core::InlineDraw& draw) override;
  Result<void> drawAuto(core::DrawState& state, uint32_t most) override;
  Result<void> dispatch(core::DrawState& state, uint32_t x, uint32_t y, uint32_t z) override;

  Result<uint64_t> captureFrame(core::Texture& texture, const core::FrameDamage& damage) override;
  void releaseFrame(aerogpu_frame* frame) override { FramePool::release(frame); }

  Result<void> writeValue(const core::ValueWrite& value) override {
    return m_gpu->recorder->writeValue(value);
  }
  Result<void> flush() override { return m_gpu->recorder->flush(); }
  bool throttle() override { return m_gpu->recorder->throttle(); }
  void endSubmission(std::unique_ptr<core::Completion> completion, bool needsGpu) override;
  std::vector<std::unique_ptr<core::DrawState>> recentDraws(size_t most) override {
    return m_draws ? m_draws->recentDraws(most) : std::vector<std::unique_ptr<core::DrawState>>();
  }
  void processEnds(const HostMemory& account) override;
  bool usesGuestMemory() const override { return m_gpu->imports->any(); }
  bool waitIdle(uint64_t timeoutNs) override {
    reap();  // frees memory that GPUs were lent
    return m_gpu->recorder->waitIdle(timeoutNs);
  }
  bool lost() const override { return m_gpu->device->lost(); }
  bool recover() override;
  bool reopen() override;
  void lose() override { m_gpu->device->markLost(); }
  bool openOther(const std::string& device, std::string& error) override;
  void exchange() override;
  void closeOther() override;

private:
  explicit VulkanBackend(const core::BackendConfig& config);
  bool open(std::string& error);
  /// Asks the GPU for its names and abilities.
  void noteCaps();
  bool openAnew(std::string& error);
  /// Frees GPUs whose work has ended since, or whose frames have come back.
  void reap();

  const core::BackendConfig m_config;
  core::Stats& m_stats;
  Log& m_log;
  std::set<std::string> m_names;  ///< that any thread may still read
  std::atomic<const char*> m_deviceName{""}, m_driverName{""};
  std::map<aerogpu_format, core::FormatCaps> m_formatCaps;
  core::BackendLimits m_limits;
  std::string m_wanted;  ///< BackendConfig::vulkanDevice, of the GPU in use
  std::unique_ptr<Instance> m_instance;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  std::unique_ptr<Gpu> m_gpu;
  std::unique_ptr<Targets> m_targets;
  std::unique_ptr<Queries> m_queries;
  std::unique_ptr<Draws> m_draws;
  /// A GPU that hung, with all that it may still use. Each has its own instance: software implementations
  /// share their threads among the devices of one instance.
  struct Abandoned {
    std::unique_ptr<Instance> instance;
    std::unique_ptr<Gpu> gpu;
    std::unique_ptr<Targets> targets;
    std::unique_ptr<Queries> queries;
    std::unique_ptr<Draws> draws;
  };
  /// With more, a guest that hangs its GPU repeatedly could fill the host.
  static constexpr size_t kMaxAbandoned = 2;
  std::vector<Abandoned> m_abandoned;
  /// A GPU that is not in use. Destroyed in reverse order.
  struct Other {
    std::string wanted;
    std::unique_ptr<Instance> instance;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    std::unique_ptr<Gpu> gpu;
    std::unique_ptr<Targets> targets;
    std::unique_ptr<Queries> queries;
    std::unique_ptr<Draws> draws;
  };
  void exchangeWith(Other& other);
  /// With more, whoever keeps frames and moves again and again would fill the host.
  static constexpr size_t kMaxLeft = 2;
  Other m_other;              ///< without a GPU: there is none
  std::vector<Other> m_left;  ///< whose frames are out
  /// Leaves GPUs that still work until the process ends: they cannot be freed. Any thread.
  static void leaveBehind(std::vector<Abandoned> abandoned);
  void releaseSurplus();
  Frame* m_frame = nullptr;  ///< captured in this submission
  std::vector<std::pair<uint64_t, Frame*>>
      m_surplus;  ///< superseded captures, and the batch that writes them
  uint64_t m_frameSequence = 0;
  /// Returns a frame that holds the texture's picture except `m_frameBoxes`; null if there is none.
  Frame* takeOlderFrame(const core::TextureDesc& desc, const core::FrameDamage& damage);
  /// The damage of the last frames.
  struct FrameNote {
    uint64_t sequence = 0;
    core::FrameDamage damage;
  };
  static constexpr size_t kFrameNotes = 4;          ///< as many frames as are kept idle or are out
  std::array<FrameNote, kFrameNotes> m_frameNotes;  ///< by sequence
  std::vector<core::Box> m_frameBoxes;              ///< to copy into the current frame
};

}  // namespace aerogpu::vk
