// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/streams.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc.h"
#include "aerogpu/cmd_packets.hpp"
#include "testbed/kernel/dxgk/adapter.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

// A test that died leaves its objects on the device, so each process has distinct handles and ids.
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

uint32_t copyFlags(bool writeback) {
  return writeback ? uint32_t{AEROGPU_COPY_FLAG_WRITEBACK_DST} : 0u;
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

std::vector<uint8_t> undescribedPrivate(uint32_t allocId, uint64_t bytes) {
  aerogpu_wddm_alloc_priv priv{};
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION;
  priv.alloc_id = allocId;
  priv.size_bytes = bytes;
  return bytesOf(priv);
}

uint32_t allocIdOf(std::span<const uint8_t> privateData) {
  aerogpu_wddm_alloc_priv priv{};
  if (privateData.size() >= sizeof priv) std::memcpy(&priv, privateData.data(), sizeof priv);
  return priv.alloc_id;
}

uint64_t shareTokenOf(std::span<const uint8_t> privateData) {
  aerogpu_wddm_alloc_priv priv{};
  if (privateData.size() >= sizeof priv) std::memcpy(&priv, privateData.data(), sizeof priv);
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
  packets::createTexture(m_writer,
                         {.handle = handle,
                          .format = format,
                          .width = width,
                          .height = height,
                          .usage = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET,
                          .rowPitch = width * 4,
                          .allocId = allocId});
  return *this;
}
Stream& Stream::createBuffer(uint32_t handle, uint64_t bytes, uint32_t allocId) {
  packets::createBuffer(m_writer, handle, bytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, allocId);
  return *this;
}
Stream& Stream::destroy(uint32_t handle) {
  packets::destroyResource(m_writer, handle);
  return *this;
}
Stream& Stream::target(uint32_t handle) {
  packets::setTargets(m_writer, {&handle, handle ? 1u : 0u});
  return *this;
}
Stream& Stream::clear(uint32_t argb) {
  const auto channel = [argb](unsigned shift) { return static_cast<float>(argb >> shift & 255) / 255.0f; };
  packets::clearColor(m_writer, {channel(16), channel(8), channel(0), channel(24)});
  return *this;
}
Stream& Stream::copyTexture(uint32_t to, uint32_t from, uint32_t width, uint32_t height, bool writeback) {
  packets::copyTexture(m_writer, to, from, width, height, copyFlags(writeback));
  return *this;
}
Stream& Stream::copyBuffer(uint32_t to, uint32_t from, uint64_t bytes, bool writeback) {
  packets::copyBuffer(m_writer, to, from, bytes, copyFlags(writeback));
  return *this;
}
Stream& Stream::dirty(uint32_t handle, uint64_t offset, uint64_t bytes) {
  packets::dirtyRange(m_writer, handle, offset, bytes);
  return *this;
}
Stream& Stream::upload(uint32_t handle, uint64_t offset, const void* data, size_t bytes) {
  packets::upload(m_writer, handle, offset, {static_cast<const uint8_t*>(data), bytes});
  return *this;
}
Stream& Stream::exportSurface(uint32_t handle, uint64_t token) {
  m_writer.packet(aerogpu_cmd_export_shared_surface{{}, handle, 0, token});
  return *this;
}
Stream& Stream::importSurface(uint32_t handle, uint64_t token) {
  m_writer.packet(aerogpu_cmd_import_shared_surface{{}, handle, 0, token});
  return *this;
}
Stream& Stream::present(bool vsync) {
  packets::present(m_writer, vsync ? uint32_t{AEROGPU_PRESENT_FLAG_VSYNC} : 0u);
  return *this;
}
Stream& Stream::flush() {
  m_writer.packet(aerogpu_cmd_flush{});
  return *this;
}

Stream& Stream::nop() {
  const aerogpu_cmd_hdr p{AEROGPU_CMD_NOP, sizeof p};
  m_writer.raw(&p, sizeof p);
  return *this;
}

bool makeSurface(Adapter& adapter, Client& client, Context& context, uint32_t width, uint32_t height,
                 Surface& out) {
  out.width = width;
  out.height = height;
  const uint32_t wish = newAllocId();
  auto created = adapter.vidmm().create({}, {texturePrivate(wish, width, height, D3DDDIFMT_A8R8G8B8)}, false);
  if (!expect(ntSuccess(created.status), "an allocation of %ux%u is made (0x%08x)", width, height,
              created.status))
    return false;
  out.allocation = created.allocations[0];
  out.allocId = allocIdOf(out.allocation->privateData);
  expect(hasSpaces(adapter) || out.allocId == wish, "the driver keeps alloc_id %u", wish);
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

void expectRendering(Adapter& adapter, Client& client, Context& context, uint32_t argb) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  expect(ntSuccess(fillSurface(context, surface, argb)) && surfaceIs(adapter, surface, argb),
         "rendering still works");
  dropSurface(adapter, client, context, surface);
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
