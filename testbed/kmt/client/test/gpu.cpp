// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/test/gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "aerogpu/aerogpu_escape.h"
#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "aerogpu/aerogpu_wddm_alloc.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "aerogpu/cmd_packets.hpp"
#include "testbed/kmt/status.h"

namespace aerogpu::kmt::test {

namespace {
int s_tests, s_failures;
uint32_t s_number;
}  // namespace

bool check(bool condition, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("%s %d %s\n", condition ? "ok" : "not ok", ++s_tests, text);
  fflush(stdout);
  s_failures += !condition;
  return condition;
}

int failures() {
  return s_failures;
}

uint32_t newNumber() {
  // Process ids are multiples of 4 below 2^14 here.
  if (!s_number) s_number = 0x10000u + (GetCurrentProcessId() & 0x3FFC) * 0x4000u;
  return s_number++;
}

bool Gpu::open() {
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME name{};
  wcscpy(name.DeviceName, L"\\\\.\\DISPLAY1");
  NTSTATUS status = D3DKMTOpenAdapterFromGdiDisplayName(&name);
  if (!check(status >= 0 && name.hAdapter, "the adapter opens (0x%08lx)", status)) return false;
  m_adapter = name.hAdapter;
  aerogpu_umd_ext_private_v2 answer{};
  D3DKMT_QUERYADAPTERINFO query = {m_adapter, KMTQAITYPE_UMDRIVERPRIVATE, &answer, sizeof answer};
  status = D3DKMTQueryAdapterInfo(&query);
  check(status >= 0 && answer.v1.struct_version >= AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2,
        "what the driver tells user mode (0x%08lx)", status);
  m_spaces = answer.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_SPACES;
  D3DKMT_CREATEDEVICE device{};
  device.hAdapter = m_adapter;
  status = D3DKMTCreateDevice(&device);
  if (!check(status >= 0 && device.hDevice, "a device (0x%08lx)", status)) return false;
  m_device = device.hDevice;
  m_created = {};
  m_created.hDevice = m_device;
  m_created.EngineAffinity = 1;
  m_created.ClientHint = D3DKMT_CLIENTHINT_DX9;
  status = D3DKMTCreateContext(&m_created);
  if (!check(status >= 0 && m_created.hContext && m_created.pCommandBuffer, "a context (0x%08lx)", status))
    return false;
  m_context = m_created.hContext;
  m_commands = m_created.pCommandBuffer;
  m_commandBytes = m_created.CommandBufferSize;
  m_allocations = m_created.pAllocationList;
  m_allocationEntries = m_created.AllocationListSize;
  return true;
}

void Gpu::close() {
  const D3DKMT_DESTROYCONTEXT context = {m_context};
  const D3DKMT_DESTROYDEVICE device = {m_device};
  const D3DKMT_CLOSEADAPTER adapter = {m_adapter};
  check(D3DKMTDestroyContext(&context) >= 0 && D3DKMTDestroyDevice(&device) >= 0 && D3DKMTCloseAdapter(&adapter) >= 0,
        "context, device and adapter are given up");
}

NTSTATUS Gpu::renderAs(D3DKMT_RENDER &args) {
  args.hContext = m_context;
  const NTSTATUS status = D3DKMTRender(&args);
  if (args.pNewCommandBuffer) {
    m_commands = args.pNewCommandBuffer;
    m_commandBytes = args.NewCommandBufferSize;
    m_allocations = args.pNewAllocationList;
    m_allocationEntries = args.NewAllocationListSize;
  }
  return status;
}

NTSTATUS Gpu::render(const CommandWriter &stream, std::initializer_list<Listed> list) {
  if (stream.size() > m_commandBytes || list.size() > m_allocationEntries) return kStatusInvalidParameter;
  memcpy(m_commands, stream.data(), stream.size());
  size_t i = 0;
  for (const Listed &one : list) {
    m_allocations[i] = {};
    m_allocations[i].hAllocation = one.allocation;
    m_allocations[i++].WriteOperation = one.written;
  }
  D3DKMT_RENDER args{};
  args.CommandLength = static_cast<UINT>(stream.size());
  args.AllocationCount = static_cast<UINT>(list.size());
  return renderAs(args);
}

bool Gpu::waitIdle() {
  const D3DKMT_WAITFORIDLE wait = {m_device};
  return D3DKMTWaitForIdle(&wait) >= 0;
}

uint64_t Gpu::completedFence() {
  aerogpu_escape_query_fence_out query{};
  query.hdr = {AEROGPU_ESCAPE_VERSION, AEROGPU_ESCAPE_OP_QUERY_FENCE, sizeof query, 0};
  D3DKMT_ESCAPE escape{};
  escape.hAdapter = m_adapter;
  escape.hDevice = m_device;
  escape.hContext = m_context;
  escape.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  escape.pPrivateDriverData = &query;
  escape.PrivateDriverDataSize = sizeof query;
  const NTSTATUS status = D3DKMTEscape(&escape);
  check(status >= 0, "the driver answers an escape (0x%08lx)", status);
  return query.last_completed_fence;
}

namespace {

enum class In { Nothing, NewResource, Resource };

NTSTATUS create(Gpu &gpu, aerogpu_wddm_alloc_priv_v2 priv, bool primary, const char *runtimeData, Memory &out,
                In in = In::Nothing) {
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  priv.alloc_id = newNumber();
  if (runtimeData) priv.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  D3DDDI_ALLOCATIONINFO info{};
  info.pPrivateDriverData = &priv;
  info.PrivateDriverDataSize = sizeof priv;
  info.Flags.Primary = primary;
  D3DKMT_CREATEALLOCATION args{};
  args.hDevice = gpu.device();
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  args.Flags.CreateResource = runtimeData || in == In::NewResource;
  args.Flags.CreateShared = runtimeData != nullptr;
  if (in == In::Resource) args.hResource = out.resource;
  if (runtimeData) {
    args.pPrivateRuntimeData = runtimeData;
    args.PrivateRuntimeDataSize = static_cast<UINT>(strlen(runtimeData));
  }
  const NTSTATUS status = D3DKMTCreateAllocation(&args);
  out = {info.hAllocation, args.hResource, args.hGlobalShare, priv.alloc_id, priv.share_token};
  return status;
}

}  // namespace

NTSTATUS createInResource(Gpu &gpu, D3DKMT_HANDLE resource, Memory &out) {
  aerogpu_wddm_alloc_priv_v2 priv{};
  priv.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  priv.size_bytes = 4096;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  out.resource = resource;
  return create(gpu, priv, false, nullptr, out, resource ? In::Resource : In::NewResource);
}

NTSTATUS createBuffer(Gpu &gpu, uint64_t bytes, bool cpuVisible, Memory &out) {
  aerogpu_wddm_alloc_priv_v2 priv{};
  priv.flags = cpuVisible ? uint32_t{AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE} : 0u;
  priv.size_bytes = bytes;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  return create(gpu, priv, false, nullptr, out);
}

NTSTATUS createSurface(Gpu &gpu, uint32_t width, uint32_t height, bool primary, const char *runtimeData, Memory &out) {
  aerogpu_wddm_alloc_priv_v2 priv{};
  if (primary) priv.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;
  if (runtimeData) priv.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  priv.size_bytes = uint64_t{width} * height * 4;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  priv.width = width;
  priv.height = height;
  priv.format = D3DDDIFMT_X8R8G8B8;
  priv.row_pitch_bytes = width * 4;
  return create(gpu, priv, primary, runtimeData, out);
}

void destroy(Gpu &gpu, const Memory &memory) {
  D3DKMT_DESTROYALLOCATION args{};
  args.hDevice = gpu.device();
  args.hResource = memory.resource;
  args.phAllocationList = &memory.allocation;
  args.AllocationCount = memory.resource ? 0 : 1;
  const NTSTATUS status = D3DKMTDestroyAllocation(&args);
  if (status < 0) check(false, "an allocation is given up (0x%08lx)", status);
}

void *lock(Gpu &gpu, D3DKMT_HANDLE allocation, NTSTATUS *status) {
  D3DKMT_LOCK args{};
  args.hDevice = gpu.device();
  args.hAllocation = allocation;
  args.Flags.LockEntire = 1;
  const NTSTATUS result = D3DKMTLock(&args);
  if (status) *status = result;
  return result >= 0 ? args.pData : nullptr;
}

NTSTATUS unlock(Gpu &gpu, D3DKMT_HANDLE allocation) {
  const D3DKMT_UNLOCK args = {gpu.device(), 1, &allocation};
  return D3DKMTUnlock(&args);
}

uint32_t paint(Gpu &gpu, const Memory &memory, uint32_t width, uint32_t height, uint32_t left, uint32_t right) {
  const auto rgba = [](uint32_t rgb) {
    return packets::Rgba{static_cast<float>(rgb >> 16 & 255) / 255, static_cast<float>(rgb >> 8 & 255) / 255,
                         static_cast<float>(rgb & 255) / 255, 1};
  };
  constexpr uint32_t kUsage = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  const uint32_t texture = newNumber(), colors[] = {left, right}, halves[] = {newNumber(), newNumber()};
  CommandWriter stream;
  const bool imported = memory.shareToken && gpu.spaces();  // docs/abi/driver-data.md PRIV-30
  if (imported)
    stream.packet(aerogpu_cmd_import_shared_surface{{}, texture, 0, memory.shareToken});
  else
    packets::createTexture(stream, {.handle = texture,
                                    .format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                    .width = width,
                                    .height = height,
                                    .usage = kUsage | AEROGPU_RESOURCE_USAGE_SCANOUT,
                                    .rowPitch = width * 4,
                                    .allocId = memory.allocId});
  for (uint32_t i = 0; i < 2; i++) {
    packets::createTexture(stream, {.handle = halves[i],
                                    .format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                    .width = width / 2,
                                    .height = height,
                                    .usage = kUsage});
    packets::setTarget(stream, halves[i]);
    packets::clearColor(stream, rgba(colors[i]));
    packets::setTarget(stream, 0);
    aerogpu_cmd_copy_texture2d copy{};
    copy.dst_texture = texture;
    copy.src_texture = halves[i];
    copy.dst_x = i * (width / 2);
    copy.width = width / 2;
    copy.height = height;
    copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    stream.packet(copy);
    packets::destroyResource(stream, halves[i]);
  }
  if (memory.shareToken && !imported)
    stream.packet(aerogpu_cmd_export_shared_surface{{}, texture, 0, memory.shareToken});
  const NTSTATUS status = gpu.render(stream, {{memory.allocation, true}});
  return check(status >= 0, "%ux%u pixels are painted (0x%08lx)", width, height, status) ? texture : 0;
}

}  // namespace aerogpu::kmt::test
