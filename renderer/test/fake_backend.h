// SPDX-License-Identifier: MIT
// Test support: a back end that accepts everything and does nothing, so that limits can be tried without
// their cost in memory and time; it counts its calls.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_writer.hpp"
#include "renderer/core/announced.h"
#include "renderer/core/executor/executor.h"

namespace aerogpu::test {

class FakeBuffer final : public core::GpuBuffer {
public:
  Result<void> update(uint64_t, uint64_t, core::ByteSource&, core::UpdatePromise) override { return {}; }
  Result<void> copyFrom(uint64_t, core::GpuBuffer&, uint64_t, uint64_t) override { return {}; }
  Result<void> read(uint64_t, uint64_t, std::unique_ptr<core::ByteSink>) override { return {}; }
  Result<void> fill(uint64_t, uint64_t, uint32_t) override { return {}; }
  Result<void> setFilled(uint32_t) override { return {}; }
  Result<uint32_t> filled() override { return 0u; }
};

class FakeTexture final : public core::GpuTexture {
public:
  Result<void> update(core::Subresource, const core::Box&, core::Pitches, core::ByteSource&,
                      core::UpdatePromise) override {
    return {};
  }
  Result<void> copyFrom(core::Subresource, uint32_t, uint32_t, uint32_t, core::GpuTexture&, core::Subresource,
                        const core::Box&) override {
    return {};
  }
  Result<void> resolveFrom(core::Subresource, core::GpuTexture&, core::Subresource,
                           const core::Box&) override {
    return {};
  }
  Result<void> read(core::Subresource, const core::Box&, std::unique_ptr<core::ByteSink>) override {
    return {};
  }
  bool needsPlanes() const override { return false; }
  Result<void> readPlane(const core::TexelPart&, const core::Box&, std::unique_ptr<core::ByteSink>) override {
    return {};
  }
  Result<void> writePlane(const core::TexelPart&, const core::Box&, core::ByteSource&) override { return {}; }
  Result<void> fill(core::Subresource, std::span<const core::Box>, const core::ClearArgs&) override {
    return {};
  }
  Result<void> blit(core::Subresource, core::GpuTexture&, core::Subresource, std::span<const core::BlitBox>,
                    const core::BlitArgs&) override {
    return {};
  }
};

class FakeShader final : public core::GpuShader {
public:
  std::span<const uint8_t> code() const override { return {}; }
};

class FakeQuery final : public core::GpuQuery {
public:
  Result<void> begin(const core::QueryNumbers&) override { return {}; }
  Result<void> end() override { return {}; }
  void pause() override {}
  void resume() override {}
  Result<void> result(std::unique_ptr<core::ByteSink>) override { return {}; }
};

class FakeBackend final : public core::Backend {
public:
  /// `capsFlags`: AEROGPU_CAPS_*.
  explicit FakeBackend(uint32_t capsFlags) { m_limits.capsFlags = capsFlags; }

  uint64_t draws = 0, throttles = 0, stopsAt = 0, values = 0;
  uint64_t copies = 0;                 ///< bytes, for each draw (core::DrawState::copiedBytes)
  std::vector<uint64_t> drawsAtFlush;  ///< one for each flush
  core::ShaderCost cost{};             ///< of every shader
  core::GeometryReach geometry{};      ///< of every geometry shader
  bool interruptShaders = false;       ///< creating a shader is interrupted
  bool interruptWaits = false;  ///< waiting for work sees the renderer interrupted, with the work unfinished
  std::atomic<bool> interrupted{false};  ///< the executor's flag

  const char* name() const override { return "fake"; }
  const char* deviceName() const override { return ""; }
  const core::BackendLimits& limits() const override { return m_limits; }
  core::FormatCaps formatCaps(aerogpu_format) const override { return {}; }
  Result<std::unique_ptr<core::GpuBuffer>> createBuffer(const core::BufferDesc&) override {
    return std::unique_ptr<core::GpuBuffer>(std::make_unique<FakeBuffer>());
  }
  Result<std::unique_ptr<core::GpuTexture>> createTexture(const core::TextureDesc&) override {
    return std::unique_ptr<core::GpuTexture>(std::make_unique<FakeTexture>());
  }
  Result<std::unique_ptr<core::GpuQuery>> createQuery(core::QueryKind) override {
    return std::unique_ptr<core::GpuQuery>(std::make_unique<FakeQuery>());
  }
  Result<std::unique_ptr<core::GpuShader>> createShader(core::Stage stage, std::span<const uint8_t>,
                                                        core::ShaderFamily&) override {
    if (interruptShaders) return Error{ErrorCode::Interrupted, "interrupted", {}};
    auto shader = std::make_unique<FakeShader>();
    shader->cost = cost;
    if (stage == core::Stage::Geometry) shader->geometry = geometry;
    return std::unique_ptr<core::GpuShader>(std::move(shader));
  }
  Result<std::unique_ptr<core::GpuShader>> createTokenShader(core::Stage stage, const core::TokenCounts&,
                                                             std::span<const uint8_t> bytes) override {
    core::ShaderFamily family{};
    return createShader(stage, bytes, family);
  }
  Result<std::unique_ptr<core::GpuInputLayout>> createInputLayout(
      std::span<const core::InputElement>) override {
    return std::make_unique<core::GpuInputLayout>();
  }
  Result<void> clear(core::DrawState&, const core::ClearArgs&) override { return {}; }
  Result<void> draw(core::DrawState& state, const core::DrawArgs&) override {
    ++draws;
    state.copiedBytes += copies;
    return {};
  }
  Result<void> drawIndexed(core::DrawState&, const core::DrawIndexedArgs&) override {
    ++draws;
    return {};
  }
  Result<void> drawInline(core::DrawState&, const core::InlineDraw&) override {
    ++draws;
    return {};
  }
  Result<void> drawAuto(core::DrawState&, uint32_t) override {
    ++draws;
    return {};
  }
  Result<void> dispatch(core::DrawState&, uint32_t, uint32_t, uint32_t) override { return {}; }
  Result<uint64_t> captureFrame(core::Texture&, const core::FrameDamage&) override { return uint64_t{1}; }
  void releaseFrame(aerogpu_frame*) override {}
  Result<void> writeValue(const core::ValueWrite&) override {
    ++values;
    return {};
  }
  Result<void> flush() override {
    drawsAtFlush.push_back(draws);
    return {};
  }
  bool throttle() override {
    ++throttles;
    return throttles != stopsAt;
  }
  bool usesGuestMemory() const override { return false; }
  void endSubmission(std::unique_ptr<core::Completion> completion, bool) override {
    completion->completed(std::nullopt, nullptr);
  }
  void processEnds(const HostMemory&) override {}
  bool waitIdle(uint64_t) override {
    if (interruptWaits) interrupted = true;
    return !interruptWaits;
  }
  bool lost() const override { return false; }
  bool recover() override { return true; }

private:
  core::BackendLimits m_limits{};
};

/// An executor over a FakeBackend, without guest memory.
class FakeExecutor {
public:
  FakeBackend backend;
  core::Stats stats;
  uint64_t logLines = 0;
  bool inSpace = false;  ///< handle spaces are enabled: submissions are in `space`, the kernel driver's in 0
  uint32_t space = 0;

  explicit FakeExecutor(const core::Sharing& sharing = {}, uint32_t capsFlags = 0)
      : backend(capsFlags), m_sharing(sharing) {}

  core::Executor& executor() { return m_executor; }
  core::ExecutionReport submit(const CommandWriter& w, std::span<const uint8_t> allocTable = {}) {
    aerogpu_submission submission{};
    submission.alloc_table = allocTable.data();
    submission.alloc_table_size = allocTable.size();
    submission.struct_size = sizeof submission;
    submission.cmd = w.data();
    submission.cmd_size = w.size();
    submission.in_space = inSpace;
    submission.space = space;
    submission.space_flags = space == 0 ? AEROGPU_EXT_SPACE_FLAG_KERNEL : 0;
    return m_executor.execute(submission);
  }

  /// Returns an allocation table with one allocation.
  static std::vector<uint8_t> table(uint32_t id, uint64_t gpa, uint64_t size) {
    struct {
      aerogpu_alloc_table_header header;
      aerogpu_alloc_entry entry;
    } table{};
    table.header = {
        AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32, sizeof table, 1, sizeof table.entry, 0};
    table.entry = {id, 0, gpa, size, 0};
    const auto* bytes = reinterpret_cast<const uint8_t*>(&table);
    return {bytes, bytes + sizeof table};
  }

private:
  static void onLog(void* self, enum aerogpu_log_level, const char*) {
    ++static_cast<FakeExecutor*>(self)->logLines;
  }
  static int onMap(void*, uint64_t, uint64_t, bool, aerogpu_guest_mapping*) { return -1; }

  const core::Sharing m_sharing;
  HostMemory m_hostMemory{uint64_t{1} << 40};
  Log m_log{onLog, this};
  aerogpu_renderer_callbacks m_callbacks{sizeof m_callbacks, onMap, nullptr, nullptr, nullptr};
  core::GuestMemory m_guest{m_callbacks, this};
  const core::Announced m_announced{backend};
  core::Executor m_executor{{backend, m_announced, m_hostMemory, stats, m_log, m_guest, backend.interrupted,
                             false, uint64_t{1} << 40, m_sharing}};
};

}  // namespace aerogpu::test
