// SPDX-License-Identifier: MIT
// The interface that the executor draws with: `vulkan`, `null`, later others. All members are called on the
// render thread, with arguments that the executor has validated (handles exist, ranges lie inside,
// enumerators are known); a back end checks only what the GPU alone knows. Calls, including those of the
// objects' functions, take effect in the order in which they are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/result.h"
#include "renderer/core/frame_damage.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/sharing.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

struct ValueWrite;

/// Receives the end of a submission. The back end calls completed() once for each, in order of submission:
/// from within endSubmission() if no GPU work is outstanding, else from its own thread.
class Completion {
public:
  virtual ~Completion() = default;
  /// `gpuError` is set when the GPU side failed after recording (device lost, write-back impossible). `frame`
  /// is the image of the last captureFrame of this submission, already referenced for the receiver; null
  /// without one.
  virtual void completed(const std::optional<Error>& gpuError, aerogpu_frame* frame) = 0;
};

struct DrawArgs {
  uint32_t vertexCount = 0, instanceCount = 1, firstVertex = 0, firstInstance = 0;
};
/// A draw that brings its own vertices, in place of stream 0, and possibly its own indices.
struct InlineDraw {
  std::span<const uint8_t> vertices;  ///< vertexCount times stride
  uint32_t vertexCount = 0, stride = 0;
  std::span<const uint8_t> indices;  ///< empty: the vertices in order
  uint32_t indexCount = 0;
  bool is32Bit = false;
};
struct DrawIndexedArgs {
  uint32_t indexCount = 0, instanceCount = 1, firstIndex = 0;
  int32_t baseVertex = 0;
  uint32_t firstInstance = 0;
};

/// The abilities of a GPU, for validation by the executor and for the guest.
struct BackendLimits {
  uint32_t maxTextureSize = 16384;  ///< pixels a side
  uint32_t maxVolumeSize = 2048, maxCubeSize = 16384;
  uint32_t maxArrayLayers = 2048;
  uint64_t maxBufferBytes = uint64_t{1} << 30;
  uint32_t maxAnisotropy = 1;
  uint32_t colorSamples = 1, depthSamples = 1;  ///< bit n: targets can have 2^n samples a texel
  uint32_t capsFlags = 0;                       ///< AEROGPU_CAPS_*
  uint32_t maxColorTargets = 4;
  uint32_t maxClipPlanes = 0;
  float maxPointSize = 1;           ///< pixels
  uint32_t missingVertexTypes = 0;  ///< bit n: D3DDECLTYPE n
};

/// The uses of textures of one format: struct aerogpu_format_caps.
struct FormatCaps {
  uint32_t caps = 0;     ///< AEROGPU_FORMAT_CAP_*
  uint32_t samples = 0;  ///< bit n: targets of it can have 2^n samples a texel
};

/// Whose code draws, as far as it decides which system calls are needed.
enum class DriverKind {
  None,      ///< no driver
  Lavapipe,  ///< Mesa's driver without a GPU
  Mesa,      ///< its drivers for GPUs
  Other,
};

class Backend {
public:
  virtual ~Backend() = default;

  virtual const char* name() const = 0;
  virtual const char* deviceName() const = 0;
  /// Returns the GPU's driver and its version, for people; empty without a GPU.
  virtual const char* driverName() const { return ""; }
  virtual DriverKind driverKind() const { return DriverKind::None; }
  virtual const BackendLimits& limits() const = 0;
  virtual FormatCaps formatCaps(aerogpu_format format) const = 0;

  /// Assigns the following work to `owner`: it may be stopped for other owners' work.
  virtual void setOwner(const Owner& /*owner*/) {}

  // Objects. New memory reads as zero. Allocations over the host-memory cap fail with ErrorCode::Backend.
  virtual Result<std::unique_ptr<GpuBuffer>> createBuffer(const BufferDesc& desc) = 0;
  virtual Result<std::unique_ptr<GpuTexture>> createTexture(const TextureDesc& desc) = 0;
  virtual Result<std::unique_ptr<GpuQuery>> createQuery(QueryKind kind) = 0;
  /// `bytes`: a D3D9 token stream or a DXBC container, 4-byte aligned. Fills `family`. Malformed code:
  /// CmdDecode.
  virtual Result<std::unique_ptr<GpuShader>> createShader(Stage stage, std::span<const uint8_t> bytes,
                                                          ShaderFamily& family) = 0;
  /// `bytes`: what follows EXT_CREATE_SHADER, which checkShaderTokens() has passed, without more.
  virtual Result<std::unique_ptr<GpuShader>> createTokenShader(Stage stage, const TokenCounts& counts,
                                                               std::span<const uint8_t> bytes) = 0;
  virtual Result<std::unique_ptr<GpuInputLayout>> createInputLayout(
      std::span<const InputElement> elements) = 0;

  // Work. The back end reads the dirty parts of `state` and clears their bits.
  virtual Result<void> clear(DrawState& state, const ClearArgs& args) = 0;
  virtual Result<void> draw(DrawState& state, const DrawArgs& args) = 0;
  virtual Result<void> drawIndexed(DrawState& state, const DrawIndexedArgs& args) = 0;
  /// Draws without changing the bindings. The bytes are read during the call.
  virtual Result<void> drawInline(DrawState& state, const InlineDraw& draw) = 0;
  /// Draws the vertices that stream output has left in the buffer of vertex stream 0, which is bound with a
  /// stride, from its offset on: `most` at most.
  virtual Result<void> drawAuto(DrawState& state, uint32_t most) = 0;
  virtual Result<void> dispatch(DrawState& state, uint32_t x, uint32_t y, uint32_t z) = 0;

  /// Copies the image (mip 0, layer 0) for display; it comes out with the submission's completion. `damage`
  /// belongs to this image. Returns the image's sequence number.
  virtual Result<uint64_t> captureFrame(Texture& texture, const FrameDamage& damage) = 0;
  /// Gives a frame back; any thread.
  virtual void releaseFrame(aerogpu_frame* frame) = 0;

  /// Writes the value when all work and all write-backs before it are done, even if they failed or were
  /// stopped; never once the renderer is interrupted, nor on a lost GPU while BackendConfig::holdValues. The
  /// value is there before a later endSubmission() completes. A write that fails is an error: of this call if
  /// it happens at once, else of the completion.
  virtual Result<void> writeValue(const ValueWrite& value) = 0;

  /// Hands recorded work to the GPU without ending the submission (FLUSH).
  virtual Result<void> flush() = 0;
  /// Hands recorded work over and waits for the work that the call before the previous one handed over:
  /// bounds the work that is under way. A failure shows in the completion. False if work of this submission
  /// had to be stopped: then the rest of it must not run.
  virtual bool throttle() = 0;
  /// Ends a submission. A failure to hand it over is reported through `completion`. `needsGpu`: the lack of a
  /// GPU counts as such a failure; without it, the submission asked for no work on the GPU (MEM-8).
  virtual void endSubmission(std::unique_ptr<Completion> completion, bool needsGpu) = 0;
  /// True if work that is recorded or under way may read or write guest memory in place.
  virtual bool usesGuestMemory() const = 0;
  /// Waits until every completion has returned. False after `timeoutNs`.
  virtual bool waitIdle(uint64_t timeoutNs) = 0;
  /// Drops what the back end keeps for the owner of this account, who has ended with all objects. A new owner
  /// may get the same account later.
  virtual void processEnds(const HostMemory& account) = 0;

  /// Returns draws that need the pipelines used last, those first, at most `most`: states with stand-ins in
  /// place of what was bound (DrawTraits). None where pipelines cost nothing.
  virtual std::vector<std::unique_ptr<DrawState>> recentDraws(size_t /*most*/) { return {}; }

  /// True if the GPU is lost: further work ends with an error. Any thread, but not while recover() runs.
  virtual bool lost() const = 0;
  /// Brings back a lost device after all objects were destroyed. False if that failed.
  virtual bool recover() = 0;
  /// Opens the GPU anew after all objects were destroyed, with no work under way. False, and the old one
  /// stays, if that failed, or if frames of it are in use.
  virtual bool reopen() { return true; }
  /// Loses the GPU, until recover().
  virtual void lose() {}

  // Another GPU, beside the one in use. No work is under way.
  /// Opens it: by index, by part of its name, or the best for "". False, with a message for people that lists
  /// those that there are.
  virtual bool openOther(const std::string& /*device*/, std::string& error) {
    error = std::string("the back end ") + name() + " has no GPU";
    return false;
  }
  /// Exchanges the two, with names, limits and formats. Objects stay with the GPU that made them.
  virtual void exchange() {}
  /// Closes the other one, or, while frames of it are out, as soon as they are back. It has no objects.
  virtual void closeOther() {}
};

}  // namespace aerogpu::core
