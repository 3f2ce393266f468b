// SPDX-License-Identifier: MIT
#include "tests/streams.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc.h"
#include "dxgk/adapter.h"
#include "tests/test.h"

namespace aerogpu::host {

namespace {

// A test that died leaves its objects in the device: each process has handles and ids of its own.
uint32_t firstOfProcess() {
  return 0x10000u + (static_cast<uint32_t>(getpid()) & 0x3FFF) * 0x10000u;
}
std::atomic<uint32_t> s_handle{0}, s_allocId{0};

uint32_t nextOf(std::atomic<uint32_t>& counter) {
  uint32_t zero = 0;
  counter.compare_exchange_strong(zero, firstOfProcess());
  return counter++;
}

template <class T>
std::vector<uint8_t> bytesOf(const T& value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

uint32_t floatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

}  // namespace

std::vector<uint8_t> texturePrivate(uint32_t allocId, uint32_t width, uint32_t height, uint32_t format,
                                    bool shared, bool cpuVisible) {
  aerogpu_wddm_alloc_priv_v2 priv{};
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  priv.alloc_id = allocId;
  priv.flags = (shared ? uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED} : 0u) |
               (cpuVisible ? uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE} : 0u);
  priv.size_bytes = uint64_t{width} * height * 4;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  priv.width = width;
  priv.height = height;
  priv.format = format;
  priv.row_pitch_bytes = width * 4;
  return bytesOf(priv);
}

std::vector<uint8_t> bufferPrivate(uint32_t allocId, uint64_t bytes, bool cpuVisible) {
  aerogpu_wddm_alloc_priv_v2 priv{};
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  priv.alloc_id = allocId;
  priv.flags = cpuVisible ? uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE} : 0u;
  priv.size_bytes = bytes;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  return bytesOf(priv);
}

uint32_t allocIdOf(const Allocation& allocation) {
  aerogpu_wddm_alloc_priv priv{};
  if (allocation.privateData.size() >= sizeof priv)
    std::memcpy(&priv, allocation.privateData.data(), sizeof priv);
  return priv.alloc_id;
}

uint64_t shareTokenOf(const Allocation& allocation) {
  aerogpu_wddm_alloc_priv priv{};
  if (allocation.privateData.size() >= sizeof priv)
    std::memcpy(&priv, allocation.privateData.data(), sizeof priv);
  return priv.share_token;
}

uint32_t newHandle() {
  return nextOf(s_handle);
}
uint32_t newAllocId() {
  return nextOf(s_allocId);
}

Stream& Stream::createTexture(uint32_t handle, uint32_t width, uint32_t height, uint32_t format,
                              uint32_t allocId) {
  aerogpu_cmd_create_texture2d p{};
  p.texture_handle = handle;
  p.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  p.format = format;
  p.width = width;
  p.height = height;
  p.mip_levels = p.array_layers = 1;
  p.row_pitch_bytes = width * 4;
  p.backing_alloc_id = allocId;
  m_writer.packet(AEROGPU_CMD_CREATE_TEXTURE2D, p);
  return *this;
}
Stream& Stream::createBuffer(uint32_t handle, uint64_t bytes, uint32_t allocId) {
  aerogpu_cmd_create_buffer p{};
  p.buffer_handle = handle;
  p.usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
  p.size_bytes = bytes;
  p.backing_alloc_id = allocId;
  m_writer.packet(AEROGPU_CMD_CREATE_BUFFER, p);
  return *this;
}
Stream& Stream::destroy(uint32_t handle) {
  aerogpu_cmd_destroy_resource p{};
  p.resource_handle = handle;
  m_writer.packet(AEROGPU_CMD_DESTROY_RESOURCE, p);
  return *this;
}
Stream& Stream::target(uint32_t handle) {
  aerogpu_cmd_set_render_targets p{};
  p.color_count = handle ? 1 : 0;
  p.colors[0] = handle;
  m_writer.packet(AEROGPU_CMD_SET_RENDER_TARGETS, p);
  return *this;
}
Stream& Stream::clear(uint32_t argb) {
  aerogpu_cmd_clear p{};
  p.flags = AEROGPU_CLEAR_COLOR;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned shift = i == 3 ? 24 : 16 - 8 * i;
    p.color_rgba_f32[i] = floatBits(static_cast<float>(argb >> shift & 255) / 255.0f);
  }
  m_writer.packet(AEROGPU_CMD_CLEAR, p);
  return *this;
}
Stream& Stream::copyTexture(uint32_t to, uint32_t from, uint32_t width, uint32_t height, bool writeback) {
  aerogpu_cmd_copy_texture2d p{};
  p.dst_texture = to;
  p.src_texture = from;
  p.width = width;
  p.height = height;
  p.flags = writeback ? uint32_t{AEROGPU_COPY_FLAG_WRITEBACK_DST} : 0u;
  m_writer.packet(AEROGPU_CMD_COPY_TEXTURE2D, p);
  return *this;
}
Stream& Stream::copyBuffer(uint32_t to, uint32_t from, uint64_t bytes, bool writeback) {
  aerogpu_cmd_copy_buffer p{};
  p.dst_buffer = to;
  p.src_buffer = from;
  p.size_bytes = bytes;
  p.flags = writeback ? uint32_t{AEROGPU_COPY_FLAG_WRITEBACK_DST} : 0u;
  m_writer.packet(AEROGPU_CMD_COPY_BUFFER, p);
  return *this;
}
Stream& Stream::dirty(uint32_t handle, uint64_t offset, uint64_t bytes) {
  aerogpu_cmd_resource_dirty_range p{};
  p.resource_handle = handle;
  p.offset_bytes = offset;
  p.size_bytes = bytes;
  m_writer.packet(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, p);
  return *this;
}
Stream& Stream::upload(uint32_t handle, uint64_t offset, const void* data, size_t bytes) {
  aerogpu_cmd_upload_resource p{};
  p.resource_handle = handle;
  p.offset_bytes = offset;
  p.size_bytes = bytes;
  m_writer.packetWithTail(AEROGPU_CMD_UPLOAD_RESOURCE, p, data, bytes);
  return *this;
}
Stream& Stream::exportSurface(uint32_t handle, uint64_t token) {
  aerogpu_cmd_export_shared_surface p{};
  p.resource_handle = handle;
  p.share_token = token;
  m_writer.packet(AEROGPU_CMD_EXPORT_SHARED_SURFACE, p);
  return *this;
}
Stream& Stream::importSurface(uint32_t handle, uint64_t token) {
  aerogpu_cmd_import_shared_surface p{};
  p.out_resource_handle = handle;
  p.share_token = token;
  m_writer.packet(AEROGPU_CMD_IMPORT_SHARED_SURFACE, p);
  return *this;
}
Stream& Stream::present(bool vsync) {
  aerogpu_cmd_present p{};
  p.flags = vsync ? uint32_t{AEROGPU_PRESENT_FLAG_VSYNC} : 0u;
  m_writer.packet(AEROGPU_CMD_PRESENT, p);
  return *this;
}
Stream& Stream::flush() {
  aerogpu_cmd_flush p{};
  m_writer.packet(AEROGPU_CMD_FLUSH, p);
  return *this;
}

bool makeSurface(Adapter& adapter, Client& client, Context& context, uint32_t width, uint32_t height,
                 Surface& out) {
  out.width = width;
  out.height = height;
  out.allocId = newAllocId();
  auto created =
      adapter.vidmm().create({}, {texturePrivate(out.allocId, width, height, D3DDDIFMT_A8R8G8B8)}, false);
  if (!expect(ntSuccess(created.status), "an allocation of %ux%u is made (0x%08x)", width, height,
              created.status))
    return false;
  out.allocation = created.allocations[0];
  expect(allocIdOf(*out.allocation) == out.allocId, "the driver keeps alloc_id %u", out.allocId);
  const auto opened = client.open({out.allocation}, true);
  if (!expect(!opened.empty(), "the allocation opens")) return false;
  out.opened = opened[0];
  out.backed = newHandle();
  out.target = newHandle();
  Stream stream;
  stream.createTexture(out.backed, width, height, AEROGPU_FORMAT_B8G8R8A8_UNORM, out.allocId)
      .createTexture(out.target, width, height, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
  const NTSTATUS status = context.render(stream.bytes(), {{out.opened, true}});
  return expect(ntSuccess(status), "textures are made (0x%08x)", status);
}

void dropSurface(Adapter& adapter, Client& client, Context& context, Surface& surface) {
  Stream stream;
  stream.destroy(surface.target).destroy(surface.backed);
  context.render(stream.bytes(), {});
  client.close(surface.opened);
  adapter.vidmm().destroy({surface.allocation});
  surface = {};
}

NTSTATUS fillSurface(Context& context, const Surface& surface, uint32_t argb, uint64_t* number) {
  Stream stream;
  stream.target(surface.target)
      .clear(argb)
      .target(0)
      .copyTexture(surface.backed, surface.target, surface.width, surface.height, true);
  return context.render(stream.bytes(), {{surface.opened, true}}, number);
}

bool surfaceIs(Adapter& adapter, const Surface& surface, uint32_t argb, uint32_t step) {
  std::vector<uint32_t> row(surface.width);
  for (uint32_t y = 0; y < surface.height; y += step) {
    if (!adapter.vidmm().read(*surface.allocation, uint64_t{y} * surface.width * 4, row.data(),
                              row.size() * 4))
      return false;
    for (uint32_t x = 0; x < surface.width; x += step)
      if (row[x] != argb) {
        note("pixel (%u, %u) is %08x, not %08x", x, y, row[x], argb);
        return false;
      }
  }
  return true;
}

}  // namespace aerogpu::host
