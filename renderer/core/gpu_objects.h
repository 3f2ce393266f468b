// SPDX-License-Identifier: MIT
// The objects that guest handles name, and the back end's part of each. One reference-counted core object per
// guest object; it owns the back end's object, which may defer its own destruction until the GPU is done with
// it. Render thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "renderer/base/host_memory.h"
#include "renderer/base/recycled.h"
#include "renderer/core/byte_stream.h"
#include "renderer/core/ref.h"
#include "renderer/core/resource_desc.h"
#include "renderer/core/texture_layout.h"
#include "renderer/core/texture_verbs.h"

namespace aerogpu::core {

/// The back end's half of an object. Destroying it is always allowed; the back end waits for the GPU by
/// itself.
class GpuObject {
public:
  virtual ~GpuObject() = default;
};

/// The guest's promise about bytes that it updates; the back end then need not wait for, copy or order
/// anything for them (UPD-14, UPD-8). A broken promise costs the guest only its own bytes.
struct UpdatePromise {
  bool discard = false;      ///< the rest of the buffer or subresource need not be kept
  bool noOverwrite = false;  ///< no earlier work uses these bytes, or all of it is done
};

/// Ranges lie inside and are not empty. Calls, draws included, execute in their order.
class GpuBuffer : public GpuObject {
public:
  /// Writes bytes [offset, offset + size) from the start of the source.
  Result<void> write(uint64_t offset, uint64_t size, ByteSource& source) {
    return update(offset, size, source, {});
  }
  /// Writes with a promise. Discarded bytes hold any old content of the buffer, or zeros.
  virtual Result<void> update(uint64_t offset, uint64_t size, ByteSource& source, UpdatePromise promise) = 0;
  /// Copies a range. `src` has the same back end; within one buffer the ranges do not overlap.
  virtual Result<void> copyFrom(uint64_t dstOffset, GpuBuffer& src, uint64_t srcOffset, uint64_t size) = 0;
  virtual Result<void> read(uint64_t offset, uint64_t size, std::unique_ptr<ByteSink> sink) = 0;
  /// Repeats `pattern`, little-endian. The only function whose range is checked here (checkFill()).
  virtual Result<void> fill(uint64_t offset, uint64_t size, uint32_t pattern) = 0;
  /// Sets how far stream output has filled the buffer, bytes: 0 at first. There it goes on.
  virtual Result<void> setFilled(uint32_t bytes) = 0;
  /// Returns that; waits for the GPU where it has streamed out to the buffer.
  virtual Result<uint32_t> filled() = 0;
};

/// Distances in a source of texels, bytes.
struct Pitches {
  uint64_t row = 0;    ///< from row of blocks to row of blocks
  uint64_t slice = 0;  ///< from slice to slice; read only for boxes of more than one
};

/// Boxes lie inside, are not empty and cut no block, except in fill() and blit(), which check them.
class GpuTexture : public GpuObject {
public:
  /// Writes `box` from the source's byte 0 on.
  Result<void> write(Subresource sub, const Box& box, Pitches pitches, ByteSource& source) {
    return update(sub, box, pitches, source, {});
  }
  virtual Result<void> update(Subresource sub, const Box& box, Pitches pitches, ByteSource& source,
                              UpdatePromise promise) = 0;
  /// Copies `srcBox` to a box of its size at `x`, `y`, `z`. `src` has the same back end, format and sample
  /// count; within one subresource the boxes do not overlap.
  virtual Result<void> copyFrom(Subresource sub, uint32_t x, uint32_t y, uint32_t z, GpuTexture& src,
                                Subresource srcSub, const Box& srcBox) = 0;
  /// Writes the mean of `src`'s samples to the box. `src` has several samples and the same colour format,
  /// this texture has one sample.
  virtual Result<void> resolveFrom(Subresource sub, GpuTexture& src, Subresource srcSub, const Box& box) = 0;
  virtual Result<void> read(Subresource sub, const Box& box, std::unique_ptr<ByteSink> sink) = 0;
  /// True if read() lacks bits of the texels: of several samples, and of depth that is kept more exactly than
  /// its format says. All of them are in the planes then.
  virtual bool needsPlanes() const = 0;
  /// Reads a plane of a box of one slice, in rows without gaps. The texture needs planes.
  virtual Result<void> readPlane(const TexelPart& part, const Box& box, std::unique_ptr<ByteSink> sink) = 0;
  /// Writes a plane, which the format has, likewise. Planes of other samples and texels' other planes stay.
  virtual Result<void> writePlane(const TexelPart& part, const Box& box, ByteSource& source) = 0;
  /// Fills all samples of the boxes; without boxes, the whole subresource. Refuses what checkFill() refuses.
  virtual Result<void> fill(Subresource sub, std::span<const Box> boxes, const ClearArgs& args) = 0;
  /// Scales each box of `src` to the size of its destination, converts it to this format and takes the mean
  /// of its samples. Boxes are done one after the other, each as if it was read before it is written, so they
  /// may overlap. Texel x of the destination's box samples the source's box at u = (x + 0.5) * from.width /
  /// to.width, from its right edge on if mirrored (Vulkan 1.3, "Image Copies With Scaling";
  /// IDirect3DDevice9::StretchRect). Point takes texel floor(u), Linear weighs the four around u; texels
  /// beyond the box count as those at its edge. X8 reads as alpha 1. Refuses what checkBlit() refuses;
  /// ErrorCode::Backend if the GPU cannot do it.
  virtual Result<void> blit(Subresource sub, GpuTexture& src, Subresource srcSub,
                            std::span<const BlitBox> boxes, const BlitArgs& args) = 0;
};

enum class QueryKind : uint8_t {
  Occlusion,  ///< samples that passed the depth and stencil tests between begin() and end()
  Timestamp,  ///< nanoseconds of the GPU's clock, when all work before end() is done
  Streams,    ///< primitives that were streamed out, and those that would have been with room for all
};
inline constexpr size_t kMaxQueryNumbers = 2;
/// What a query has counted; only the first numbersOf() count.
using QueryNumbers = std::array<uint64_t, kMaxQueryNumbers>;
constexpr size_t numbersOf(QueryKind kind) {
  return kind == QueryKind::Streams ? 2 : 1;
}

/// A query, for one or many uses; each use calls begin(), end(), result(). May count across submissions.
class GpuQuery : public GpuObject {
public:
  /// Counts on from `counted`; does nothing for timestamps.
  virtual Result<void> begin(const QueryNumbers& counted) = 0;
  virtual Result<void> end() = 0;
  /// Between begin() and end(): draws between pause() and resume() do not count. end() may come before
  /// resume().
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// Writes the numbers of the last end(), 8 bytes each in the host's order, which is little-endian.
  virtual Result<void> result(std::unique_ptr<ByteSink> sink) = 0;
};

/// The greatest cost of a shader invocation, as far as its code tells.
struct ShaderCost {
  uint64_t instructions = 0, samples = 0;  ///< executed; at most 2^24 each
};

/// What a geometry shader makes of a primitive at most; zeros for other stages.
struct GeometryReach {
  uint32_t inputVertices = 0;   ///< of a primitive that it takes: 1, 2, 3, 4 or 6
  uint32_t invocations = 0;     ///< for each primitive
  uint32_t outputVertices = 0;  ///< for each primitive
  bool choosesTarget = false;   ///< it writes the index of a layer or of a viewport
};

/// The parts of a shader that came by EXT_CREATE_SHADER, in their order. No tokens: it came by
/// CREATE_SHADER_DXBC.
struct TokenCounts {
  uint32_t tokens = 0;                                   ///< words
  uint32_t inputs = 0, outputs = 0, patchConstants = 0;  ///< entries of the signatures
  bool operator==(const TokenCounts&) const = default;
};

class GpuShader : public GpuObject {
public:
  /// Returns the bytes that it was made of; valid while it lives.
  virtual std::span<const uint8_t> code() const = 0;
  ShaderCost cost;
  TokenCounts counts;
  GeometryReach geometry;
};
class GpuInputLayout : public GpuObject {};

/// The place in guest memory where a resource lies; allocId 0 = none.
struct Backing {
  uint32_t allocId = 0;
  uint64_t offset = 0;    ///< bytes into the allocation
  uint32_t rowPitch = 0;  ///< bytes, mip 0 of textures
};

/// One element of an input layout, of D3D9 or DXGI kind. D3D9 usages are named as HLSL does (POSITION,
/// TEXCOORD...) and hashed, so that both kinds link with both shader families. Those of EXT_CREATE_LAYOUT
/// name a register in place of a semantic.
struct InputElement {
  uint32_t semanticHash = 0;   ///< 32-bit FNV-1a of the upper-case semantic name; 0 if byRegister
  uint32_t semanticIndex = 0;  ///< the register if byRegister
  bool byRegister = false;     ///< in all elements of a layout or in none
  bool isD3d9Type = false;
  uint32_t format = 0;  ///< D3DDECLTYPE if isD3d9Type, else DXGI_FORMAT
  uint32_t stream = 0;
  uint32_t offset = 0;  ///< bytes, resolved
  bool perInstance = false;
  uint32_t stepRate = 0;  ///< instances per step; 0 = the same element for all
  bool operator==(const InputElement&) const = default;
};

/// Base of every object with a handle: its own small cost, charged to the guest.
struct GuestObject : RefCounted {
  HostMemoryCharge charge;
};

struct ShareToken;

/// A buffer or texture. Each handle of it is one reference (TOK-4); bindings keep the object itself alive,
/// but not its tokens.
struct Resource : GuestObject {
  explicit Resource(bool texture) : isTexture(texture) {}
  const bool isTexture;  ///< a Texture, else a Buffer
  bool ofKernel = true;  ///< made in space 0
  Backing backing;
  uint32_t handleCount = 1;
  uint64_t written = 0;  ///< when the bytes may last have changed (WriteClock); 0: they are as at first
  ShareToken* shareTokens = nullptr;  ///< the first of a list that SharedSurfaces keeps
};

struct Buffer : Resource, Recycled<Buffer> {
  Buffer() : Resource(false) {}
  BufferDesc desc;
  std::unique_ptr<GpuBuffer> gpu;
};

struct Texture : Resource, Recycled<Texture> {
  Texture() : Resource(true) {}
  TextureDesc desc;
  TextureLayout layout;  ///< of the backing and of uploads
  // Used by TextureBackings.
  uint64_t backingGpa = 0;     ///< where the backing starts, while backingPlaced
  uint64_t backingSerial = 0;  ///< grows with each texture that gets a backing
  bool backingPlaced = false;  ///< it has one address, and can be shown
  Texture* nextOfAlloc = nullptr;
  Texture* previousOfAlloc = nullptr;
  std::unique_ptr<GpuTexture> gpu;
};

struct View : GuestObject {
  ViewDesc desc;
  Ref<Texture> texture;
};

/// The kind of program that a shader was made from: the rasterisation rules depend on it.
enum class ShaderFamily : uint8_t { D3d9, Dxbc };

struct Shader : GuestObject {
  ShaderFamily family = ShaderFamily::D3d9;
  uint8_t stage = 0;    ///< core::Stage
  uint32_t weight = 1;  ///< the cost of an invocation (WorkBudget)
  std::unique_ptr<GpuShader> gpu;
};

struct InputLayout : GuestObject {
  std::vector<InputElement> elements;
  bool pretransformed = false;  ///< Direct3D 9's, with D3DDECLUSAGE_POSITIONT
  std::unique_ptr<GpuInputLayout> gpu;
};

}  // namespace aerogpu::core
