// SPDX-License-Identifier: MIT
// Resources, views and shared surfaces. Objects are built completely before a handle names them.
#include <algorithm>
#include <utility>
#include <variant>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/announced.h"
#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/format.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/lacking.h"
#include "renderer/core/object_charge.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

namespace {

/// Succeeds if a texture is not larger than the guest was told, and not larger than the GPU allows.
Result<void> needSize(Submission& s, const TextureDesc& desc) {
  const auto sideOf = [&](const BackendLimits& limits) {
    return desc.kind == TextureKind::Volume ? limits.maxVolumeSize
           : desc.kind == TextureKind::Cube ? limits.maxCubeSize
                                            : limits.maxTextureSize;
  };
  const BackendLimits &limits = s.announced.limits(), &told = s.announced.told();
  const uint32_t side = sideOf(limits);
  const uint32_t sideTold = sideOf(told), layersTold = told.maxArrayLayers;
  const bool lacks =
      std::max({desc.width, desc.height, desc.depth}) <= sideTold && desc.arrayLayers <= layersTold;
  const auto tooMuch = [&](const char* field, uint32_t value, uint32_t most) {
    constexpr const char* kText = "texture is larger than the GPU allows";
    return lacks ? lacking(s, kText, 0, {{field, value}, {"limit", most}})
                 : refused(ErrorCode::OutOfBounds, kText, {{field, value}, {"limit", most}});
  };
  if (desc.width > side) return tooMuch("width", desc.width, side);
  if (desc.height > side) return tooMuch("height", desc.height, side);
  if (desc.depth > side) return tooMuch("depth", desc.depth, side);
  if (desc.arrayLayers > limits.maxArrayLayers)
    return tooMuch("array_layers", desc.arrayLayers, limits.maxArrayLayers);
  return {};
}

/// Returns the uses of its format that the texture is made for: AEROGPU_FORMAT_CAP_*.
uint32_t usesOf(const TextureDesc& desc) {
  uint32_t uses = 0;
  if (desc.kind == TextureKind::Volume) uses |= AEROGPU_FORMAT_CAP_VOLUME;
  if (desc.kind == TextureKind::Cube) uses |= AEROGPU_FORMAT_CAP_CUBE;
  if (desc.usage & AEROGPU_RESOURCE_USAGE_TEXTURE) uses |= AEROGPU_FORMAT_CAP_SAMPLE;
  if (desc.usage & AEROGPU_RESOURCE_USAGE_RENDER_TARGET) uses |= AEROGPU_FORMAT_CAP_TARGET;
  if (desc.usage & AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL) uses |= AEROGPU_FORMAT_CAP_DEPTH;
  return uses;
}

/// Succeeds if the guest was told that it can use textures of the format so, or if only the GPU knows.
Result<void> needAnnounced(const Announced& announced, const TextureDesc& desc) {
  if ((usesOf(desc) & announced.withheld(desc.format)) == 0) return {};
  return refused(ErrorCode::Backend, "this use of a format is not announced",
                 {{"format", uint32_t{desc.format}}, {"usage_flags", desc.usage}});
}

/// Returns the kind of texture that EXT_CREATE_TEXTURE names: AEROGPU_EXT_TEXTURE_*.
TextureKind kindOf(uint32_t kind) {
  switch (kind) {
    case AEROGPU_EXT_TEXTURE_CUBE:
      return TextureKind::Cube;
    case AEROGPU_EXT_TEXTURE_VOLUME:
      return TextureKind::Volume;
    case AEROGPU_EXT_TEXTURE_1D:
      return TextureKind::Texture1D;
    default:
      return TextureKind::Texture2D;
  }
}

/// Makes the texture of any packet that makes one. `described` is all of it but the format, a number that
/// need not be one of aerogpu_format.
Result<void> createTexture(Submission& s, uint32_t handle, uint32_t formatNumber,
                           const TextureDesc& described, const Backing& backing) {
  if (auto free = s.space.needFreeHandle(handle); !free) return free;
  if (auto fits = needSize(s, described); !fits) return fits;
  const FormatInfo* format = findFormat(formatNumber);
  if (!format) return refused(ErrorCode::CmdDecode, "unknown format", {{"format", formatNumber}});
  if (format->shows != FormatInfo::Shows::Texels)
    return refused(ErrorCode::CmdDecode, "texture of a format that only views have",
                   {{"format", formatNumber}});
  if (format->isYuv() && (described.kind != TextureKind::Texture2D || described.width % 2 != 0 ||
                          described.mipLevels > 1 || described.arrayLayers > 1 || described.samples > 1))
    return Error{ErrorCode::CmdDecode,
                 "texture of a YUV format that is no flat one of an even width",
                 format->name,
                 {{"width", described.width},
                  {"mip_levels", described.mipLevels},
                  {"array_layers", described.arrayLayers},
                  {"sample_count", described.samples}}};
  if (format->yuv > Yuv::Pairs && described.height % 3 != 0)
    return Error{ErrorCode::CmdDecode,
                 "texture of YUV planes whose rows are not thirds",
                 format->name,
                 {{"height", described.height}}};
  auto texture = makeRef<Texture>();
  texture->ofKernel = s.space.madeInKernel();
  texture->desc = described;
  texture->desc.format = format->format;
  const TextureDesc& desc = texture->desc;
  texture->backing = backing;
  const auto layout = TextureLayout::make(desc, backing.rowPitch);
  if (!layout) return layout.error();
  texture->layout = *layout;
  const AllocTable::Entry* entry = nullptr;
  if (backing.allocId != 0) {
    const auto found = s.guest.backingEntry(texture->backing, 0, layout->totalBytes(), false);
    if (!found) return found.error();
    entry = *found;
  }
  // Bit n: 2^n samples.
  if (desc.samples > 1 && !(s.announced.formatCaps(desc.format).samples & desc.samples)) {
    constexpr const char* kText = "this GPU has no such number of samples";
    if (s.announced.lacking(desc.format).samples & desc.samples)
      return lacking(s, kText, desc.format,
                     {{"format", uint32_t{desc.format}}, {"sample_count", desc.samples}});
    return Error{ErrorCode::Backend, kText, format->name, {{"sample_count", desc.samples}}};
  }
  if (auto announced = needAnnounced(s.announced, desc); !announced) return announced;
  auto charge = chargeObject(s.hostMemory);
  if (!charge) return charge.error();
  texture->charge = std::move(*charge);
  if (auto taken = s.work.take(Work::Bytes, layout->totalBytes() * desc.samples); !taken) return taken;
  auto gpu = s.backend.createTexture(texture->desc);
  if (!gpu && usesOf(desc) & s.announced.lacking(desc.format).caps)
    return lacking(s, "this GPU has no such use of the format", desc.format,
                   {{"format", uint32_t{desc.format}}, {"usage_flags", desc.usage}});
  if (!gpu) return gpu.error();
  texture->gpu = std::move(*gpu);
  if (entry && texture->ofKernel)
    s.resources.backings.add(*texture, *entry);  // no other is ever shown (SPACE-18)
  s.handles.insert(handle, texture);
  s.resources.countOne();
  return {};
}

}  // namespace

Result<void> runCreateBuffer(Submission& s, const aerogpu_cmd_create_buffer& c) {
  if (auto free = s.space.needFreeHandle(c.buffer_handle); !free) return free;
  if (const uint64_t most = s.announced.limits().maxBufferBytes; c.size_bytes > most) {
    constexpr const char* kText = "buffer is larger than the GPU allows";
    if (c.size_bytes <= s.announced.told().maxBufferBytes)
      return lacking(s, kText, 0, {{"size_bytes", c.size_bytes}, {"limit", most}});
    return refused(ErrorCode::OutOfBounds, kText, {{"size_bytes", c.size_bytes}, {"limit", most}});
  }
  auto buffer = makeRef<Buffer>();
  buffer->ofKernel = s.space.madeInKernel();
  buffer->desc = {c.size_bytes, c.usage_flags};
  buffer->backing = {c.backing_alloc_id, c.backing_offset_bytes, 0};
  if (c.backing_alloc_id != 0)
    if (auto entry = s.guest.backingEntry(buffer->backing, 0, c.size_bytes, false); !entry)
      return entry.error();
  auto charge = chargeObject(s.hostMemory);
  if (!charge) return charge.error();
  buffer->charge = std::move(*charge);
  if (auto taken = s.work.take(Work::Bytes, c.size_bytes); !taken) return taken;
  auto gpu = s.backend.createBuffer(buffer->desc);
  if (!gpu) return gpu.error();
  buffer->gpu = std::move(*gpu);
  s.handles.insert(c.buffer_handle, buffer);
  s.resources.countOne();
  return {};
}

Result<void> runCreateTexture2d(Submission& s, const aerogpu_cmd_create_texture2d& c) {
  TextureDesc desc;
  desc.width = c.width;
  desc.height = c.height;
  desc.mipLevels = c.mip_levels;
  desc.arrayLayers = c.array_layers;
  desc.usage = c.usage_flags;
  return createTexture(s, c.texture_handle, c.format, desc,
                       {c.backing_alloc_id, c.backing_offset_bytes, c.row_pitch_bytes});
}

Result<void> runExtCreateTexture(Submission& s, const aerogpu_cmd_ext_create_texture& c) {
  TextureDesc desc;
  desc.kind = kindOf(c.kind);
  desc.width = c.width;
  desc.height = c.height;
  desc.depth = c.depth;
  desc.mipLevels = c.mip_levels;
  desc.arrayLayers = c.array_layers;
  desc.samples = c.sample_count;
  desc.usage = c.usage_flags;
  const FormatInfo* format = findFormat(c.format);
  if (format && desc.samples > 1 && format->blockPixels > 1)
    return Error{ErrorCode::CmdDecode,
                 "blocks with several samples",
                 format->name,
                 {{"sample_count", c.sample_count}, {"limit", 1u}}};
  if (desc.kind == TextureKind::Texture1D) {
    if (!s.announced.has(AEROGPU_CAPS_D3D10_RESOURCES))
      return s.announced.told().capsFlags & AEROGPU_CAPS_D3D10_RESOURCES
                 ? lacking(s, "this GPU has no 1D textures", 0, {{"kind", c.kind}})
                 : refused(ErrorCode::CmdDecode, "unknown kind of texture", {{"kind", c.kind}});
    if (format && (format->depth || format->blockPixels > 1))
      return Error{
          ErrorCode::CmdDecode, "1D texture of depth or of blocks", format->name, {{"format", c.format}}};
  }
  if (format && format->depth && desc.kind == TextureKind::Volume)
    return Error{ErrorCode::CmdDecode, "volume of a depth format", format->name, {{"format", c.format}}};
  return createTexture(s, c.texture_handle, c.format, desc,
                       {c.backing_alloc_id, c.backing_offset_bytes, c.row_pitch_bytes});
}

Result<void> runCreateTextureView(Submission& s, const aerogpu_cmd_create_texture_view& c) {
  if (auto free = s.space.needFreeHandle(c.view_handle); !free) return free;
  Object* object = s.handles.find(c.texture_handle);
  Ref<Texture>* texture = object ? std::get_if<Ref<Texture>>(object) : nullptr;
  if (!texture)
    return refused(ErrorCode::CmdDecode, "view of an unknown texture",
                   {{"texture_handle", c.texture_handle}});
  const TextureDesc& desc = (*texture)->desc;
  const FormatInfo* format = findFormat(c.format);
  if (!format || !viewCompatible(*findFormat(desc.format), *format))
    return refused(ErrorCode::CmdDecode, "view format does not fit the texture's",
                   {{"format", c.format}, {"of the texture", uint32_t{desc.format}}});
  // Those of a volume are slices, which targets count (DXR-3).
  const uint32_t layers = hasSlices(desc) && s.announced.has(AEROGPU_CAPS_D3D10_RESOURCES)
                              ? std::max(1u, desc.depth >> std::min(c.base_mip_level, 31u))
                              : desc.arrayLayers;
  if (uint64_t{c.base_mip_level} + c.mip_level_count > desc.mipLevels ||
      uint64_t{c.base_array_layer} + c.array_layer_count > layers)
    return uint64_t{c.base_mip_level} + c.mip_level_count > desc.mipLevels
               ? refused(ErrorCode::OutOfBounds, "view reaches past the texture's mips",
                         {{"base_mip_level", c.base_mip_level},
                          {"mip_level_count", c.mip_level_count},
                          {"limit", desc.mipLevels}})
               : refused(ErrorCode::OutOfBounds, "view reaches past the texture's layers",
                         {{"base_array_layer", c.base_array_layer},
                          {"array_layer_count", c.array_layer_count},
                          {"limit", layers}});
  auto view = makeRef<View>();
  view->desc = {format->format, c.base_mip_level, c.mip_level_count, c.base_array_layer, c.array_layer_count};
  view->texture = *texture;
  auto charge = chargeObject(s.hostMemory);
  if (!charge) return charge.error();
  view->charge = std::move(*charge);
  s.handles.insert(c.view_handle, view);
  return {};
}

Result<void> runDestroyResource(Submission& s, const aerogpu_cmd_destroy_resource& c) {
  Object* object = s.handles.find(c.resource_handle);
  if (auto* texture = object ? std::get_if<Ref<Texture>>(object) : nullptr) {
    s.resources.dropHandle(**texture);
  } else if (auto* buffer = object ? std::get_if<Ref<Buffer>>(object) : nullptr) {
    s.resources.dropHandle(**buffer);
  } else {
    return refused(ErrorCode::CmdDecode, "no such resource", {{"resource_handle", c.resource_handle}});
  }
  s.handles.remove(c.resource_handle);
  return {};
}

Result<void> runDestroyTextureView(Submission& s, const aerogpu_cmd_destroy_texture_view& c) {
  if (s.handles.get<View>(c.view_handle)) s.handles.remove(c.view_handle);
  return {};
}

Result<void> runExportSharedSurface(Submission& s, const aerogpu_cmd_export_shared_surface& c) {
  if (auto kernel = s.space.needKernel(); !kernel) return kernel;
  if (Buffer* buffer = s.handles.get<Buffer>(c.resource_handle))
    return s.resources.shared.exportToken(c.share_token, *buffer);
  if (Texture* texture = s.handles.get<Texture>(c.resource_handle))
    return s.resources.shared.exportToken(c.share_token, *texture);
  return refused(ErrorCode::CmdDecode, "no such resource", {{"resource_handle", c.resource_handle}});
}

Result<void> runImportSharedSurface(Submission& s, const aerogpu_cmd_import_shared_surface& c) {
  if (auto free = s.space.needFreeHandle(c.out_resource_handle); !free) return free;
  // A token that was not granted counts as one that does not exist, so that guesses reveal nothing
  // (SPACE-13).
  const auto resource =
      s.resources.shared.find(s.space.ofKernel() || s.space->grants.holds(c.share_token) ? c.share_token : 0);
  if (!resource) return resource.error();
  if ((*resource)->isTexture)
    s.handles.insert(c.out_resource_handle, Ref<Texture>(static_cast<Texture*>(*resource)));
  else
    s.handles.insert(c.out_resource_handle, Ref<Buffer>(static_cast<Buffer*>(*resource)));
  ++(*resource)->handleCount;
  return {};
}

Result<void> runReleaseSharedSurface(Submission& s, const aerogpu_cmd_release_shared_surface& c) {
  if (auto kernel = s.space.needKernel(); !kernel) return kernel;
  return s.resources.shared.release(c.share_token);
}

}  // namespace aerogpu::core
