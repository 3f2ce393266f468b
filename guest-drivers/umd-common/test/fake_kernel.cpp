// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/test/fake_kernel.h"

#include <cstring>

#include "aerogpu/aerogpu.h"
#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"

namespace aero::test {
namespace {

FakeCallbacks &self(HANDLE handle) {
  return *static_cast<FakeCallbacks *>(handle);
}

HRESULT APIENTRY queryAdapterInfoCb(HANDLE h, D3DDDICB_QUERYADAPTERINFO *data) {
  return self(h).queryAdapterInfo(*data);
}
HRESULT APIENTRY allocateCb(HANDLE h, D3DDDICB_ALLOCATE *data) {
  return self(h).allocate(*data);
}
HRESULT APIENTRY deallocateCb(HANDLE h, const D3DDDICB_DEALLOCATE *data) {
  return self(h).deallocate(*data);
}
HRESULT APIENTRY lockCb(HANDLE h, D3DDDICB_LOCK *data) {
  return self(h).lock(*data);
}
HRESULT APIENTRY unlockCb(HANDLE h, const D3DDDICB_UNLOCK *data) {
  return self(h).unlock(*data);
}
HRESULT APIENTRY renderCb(HANDLE h, D3DDDICB_RENDER *data) {
  return self(h).render(*data);
}
HRESULT APIENTRY presentCb(HANDLE h, const D3DDDICB_PRESENT *data) {
  return self(h).present(*data);
}
HRESULT APIENTRY createContextCb(HANDLE h, D3DDDICB_CREATECONTEXT *data) {
  return self(h).createContext(*data);
}
HRESULT APIENTRY destroyContextCb(HANDLE h, const D3DDDICB_DESTROYCONTEXT *data) {
  return self(h).destroyContext(*data);
}
HRESULT APIENTRY escapeCb(HANDLE h, D3DDDICB_ESCAPE *data) {
  return self(h).escape(*data);
}
HRESULT APIENTRY setDisplayModeCb(HANDLE h, D3DDDICB_SETDISPLAYMODE *data) {
  return self(h).setDisplayMode(*data);
}

constexpr uint64_t kPage = 4096;

}  // namespace

uint8_t *FakeKernel::memory(FakeAllocation &allocation) {
  return gpu ? gpu->memory().data() + allocation.gpa : allocation.own->data();
}

uint64_t FakeKernel::takeMemory(uint64_t bytes) {
  bytes = (bytes + kPage - 1) & ~(kPage - 1);
  const auto found = freeMemory.find(bytes);
  const uint64_t gpa = found == freeMemory.end() ? gpu->allocate(bytes).gpa : found->second;
  if (found != freeMemory.end()) freeMemory.erase(found);
  EXPECT_LE(gpa + bytes, gpu->memory().size()) << "the renderer of the tests is out of guest memory";
  memset(gpu->memory().data() + gpa, 0, bytes);
  return gpa;
}

void FakeKernel::giveMemory(const FakeAllocation &allocation) {
  if (gpu) freeMemory.emplace((allocation.bytes + kPage - 1) & ~(kPage - 1), allocation.gpa);
}

void FakeKernel::giveBlock(aerogpu::test::Harness &renderer) {
  featuresHigh |= AEROGPU_EXT_FEATURE_HI_CAPS | AEROGPU_EXT_FEATURE_HI_FORMATS | AEROGPU_EXT_FEATURE_HI_D3D10;
  size_t bytes = 0;
  const auto *data = static_cast<const uint8_t *>(aerogpu_renderer_caps(renderer.renderer(), &bytes));
  block.assign(data, data + bytes);
}

D3DDDI_ADAPTERCALLBACKS FakeCallbacks::adapterCallbacks() {
  D3DDDI_ADAPTERCALLBACKS table = {};
  table.pfnQueryAdapterInfoCb = queryAdapterInfoCb;
  return table;
}

D3DDDI_DEVICECALLBACKS FakeCallbacks::callbacks() {
  D3DDDI_DEVICECALLBACKS table = {};
  table.pfnAllocateCb = allocateCb;
  table.pfnDeallocateCb = deallocateCb;
  table.pfnLockCb = lockCb;
  table.pfnUnlockCb = unlockCb;
  table.pfnRenderCb = renderCb;
  table.pfnPresentCb = presentCb;
  table.pfnCreateContextCb = createContextCb;
  table.pfnDestroyContextCb = destroyContextCb;
  table.pfnEscapeCb = escapeCb;
  table.pfnSetDisplayModeCb = setDisplayModeCb;
  return table;
}

HRESULT FakeCallbacks::called(const char *name) {
  calls[name]++;
  const auto error = errors.find(name);
  return error == errors.end() ? 0 : error->second;
}

HRESULT FakeCallbacks::queryAdapterInfo(D3DDDICB_QUERYADAPTERINFO &data) {
  if (const HRESULT error = called("QueryAdapterInfo")) return error;
  aerogpu_umd_private_v1 answer = {};
  answer.size_bytes = sizeof answer;
  answer.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1;
  answer.device_mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU;
  answer.device_abi_version_u32 = AEROGPU_ABI_VERSION_U32;
  answer.device_features = uint64_t{kernel.featuresHigh} << 32;
  if (info) answer = *info;
  EXPECT_GE(data.PrivateDriverDataSize, sizeof(aerogpu_umd_ext_private_v2)) << "room for version 2 is offered";
  memcpy(data.pPrivateDriverData, &answer, sizeof answer);
  if (kernel.spaces || kernel.log || kernel.noBuffers || kernel.aperture || !kernel.block.empty()) {
    aerogpu_umd_ext_private_v2 second = {};
    second.v1 = answer;
    const size_t room = data.PrivateDriverDataSize - sizeof second;
    second.block_bytes = static_cast<uint32_t>(kernel.block.size());
    second.block_written = static_cast<uint32_t>(std::min(room, kernel.block.size()));
    second.v1.size_bytes = static_cast<uint32_t>(sizeof second + second.block_written);
    second.v1.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;
    second.ext_flags = (kernel.spaces ? AEROGPU_UMDPRIV_EXT_FLAG_SPACES : 0) | kernel.log << 8 |  // PRIV-26
                       (kernel.noBuffers ? AEROGPU_UMDPRIV_EXT_FLAG_NO_BUFFERS : 0) |
                       (kernel.aperture ? AEROGPU_UMDPRIV_EXT_FLAG_APERTURE : 0);
    memcpy(data.pPrivateDriverData, &second, sizeof second);
    if (second.block_written)
      memcpy(static_cast<uint8_t *>(data.pPrivateDriverData) + sizeof second, kernel.block.data(),
             second.block_written);
  }
  return 0;
}

HRESULT FakeCallbacks::escape(D3DDDICB_ESCAPE &data) {
  if (const HRESULT error = called("Escape")) return error;
  EXPECT_FALSE(kernel.spaces) << "handles are the device's own";
  EXPECT_EQ(data.hDevice, this);
  auto &ask = *static_cast<aerogpu_escape_ext_reserve_handles_inout *>(data.pPrivateDriverData);
  EXPECT_EQ(ask.hdr.op, AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES);
  ask.first = kernel.nextRange;
  kernel.nextRange += ask.count;
  return 0;
}

HRESULT FakeCallbacks::createContext(D3DDDICB_CREATECONTEXT &data) {
  if (const HRESULT error = called("CreateContext")) return error;
  m_context = kernel.nextContext++;
  data.hContext = &m_context;
  newBuffers();
  data.pCommandBuffer = m_commands.data();
  data.CommandBufferSize = static_cast<UINT>(m_commands.size());
  data.pAllocationList = m_list.data();
  data.AllocationListSize = static_cast<UINT>(m_list.size());
  return 0;
}

HRESULT FakeCallbacks::destroyContext(const D3DDDICB_DESTROYCONTEXT &data) {
  if (const HRESULT error = called("DestroyContext")) return error;
  EXPECT_EQ(data.hContext, &m_context);
  m_context = 0;
  return 0;
}

/** Allocates new buffers each time, mostly smaller ones. */
void FakeCallbacks::newBuffers() {
  static constexpr size_t kBytes[] = {65536, 8192, 4096, 16384};
  static constexpr uint32_t kEntries[] = {64, 8, 4, 16};
  const size_t bytes = commandBytes ? commandBytes : kBytes[m_round % 4];
  const uint32_t entries = listEntries ? listEntries : kEntries[m_round % 4];
  m_round++;
  m_commands = std::vector<uint8_t>(bytes, 0xCD);
  m_list = std::vector<D3DDDI_ALLOCATIONLIST>(entries);
  memset(static_cast<void *>(m_list.data()), 0xCD, entries * sizeof m_list[0]);
}

HRESULT FakeCallbacks::render(D3DDDICB_RENDER &data) {
  if (onRender) onRender();
  EXPECT_EQ(data.hContext, &m_context);
  EXPECT_EQ(data.CommandOffset, 0u);
  EXPECT_LE(data.CommandLength, m_commands.size());
  EXPECT_LE(data.NumAllocations, m_list.size());
  Submission submission;
  submission.bytes = data.CommandLength;
  submission.allocations.assign(m_list.begin(), m_list.begin() + data.NumAllocations);
  std::vector<uint8_t> stream(m_commands.begin(), m_commands.begin() + data.CommandLength);
  aerogpu_cmd_stream_header header = {};
  memcpy(&header, stream.data(), sizeof header);
  EXPECT_EQ(header.magic, AEROGPU_CMD_STREAM_MAGIC);
  EXPECT_EQ(header.size_bytes, stream.size());
  for (size_t at = sizeof header; at < stream.size();) {
    aerogpu_cmd_hdr packet;
    memcpy(&packet, &stream[at], sizeof packet);
    if (packet.size_bytes < sizeof packet || packet.size_bytes % 4 || packet.size_bytes > stream.size() - at) {
      ADD_FAILURE() << "broken framing at " << at;
      break;
    }
    submission.packets.push_back({packet.opcode, {&stream[at], &stream[at] + packet.size_bytes}});
    at += packet.size_bytes;
  }
  std::set<D3DKMT_HANDLE> seen;
  for (const D3DDDI_ALLOCATIONLIST &entry : submission.allocations) {
    EXPECT_TRUE(kernel.allocations.count(entry.hAllocation)) << "an allocation that there is not is listed";
    EXPECT_TRUE(seen.insert(entry.hAllocation).second) << "listed twice";
    const auto found = kernel.allocations.find(entry.hAllocation);
    if (found != kernel.allocations.end() && !kernel.aperture) {
      EXPECT_EQ(found->second.locks, 0) << "a locked allocation is rendered with";
    }
  }
  const HRESULT error = called("Render");
  // The old buffers are invalid now.
  std::fill(m_commands.begin(), m_commands.end(), uint8_t{0xEE});
  newBuffers();
  if (data.Flags.ResizeCommandBuffer && data.NewCommandBufferSize > m_commands.size())
    m_commands = std::vector<uint8_t>(data.NewCommandBufferSize, 0xCD);
  data.pNewCommandBuffer = m_commands.data();
  data.NewCommandBufferSize = static_cast<UINT>(m_commands.size());
  data.pNewAllocationList = m_list.data();
  data.NewAllocationListSize = static_cast<UINT>(m_list.size());
  if (error) return error;
  if (kernel.gpu) runOnGpu(submission, stream);
  submissions.push_back(std::move(submission));
  return 0;
}

void FakeCallbacks::runOnGpu(const Submission &submission, const std::vector<uint8_t> &stream) {
  aerogpu_alloc_table_header header = {};
  header.magic = AEROGPU_ALLOC_TABLE_MAGIC;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.entry_count = static_cast<uint32_t>(submission.allocations.size());
  header.entry_stride_bytes = sizeof(aerogpu_alloc_entry);
  header.size_bytes = static_cast<uint32_t>(sizeof header + header.entry_count * sizeof(aerogpu_alloc_entry));
  std::vector<uint8_t> table(header.size_bytes);
  memcpy(table.data(), &header, sizeof header);
  size_t at = sizeof header;
  for (const D3DDDI_ALLOCATIONLIST &entry : submission.allocations) {
    const FakeAllocation &allocation = kernel.allocations[entry.hAllocation];
    const aerogpu_alloc_entry row = {allocation.id, entry.WriteOperation ? 0u : uint32_t{AEROGPU_ALLOC_FLAG_READONLY},
                                     allocation.gpa, allocation.bytes, 0};
    memcpy(&table[at], &row, sizeof row);
    at += sizeof row;
  }
  const auto finished = kernel.gpu->submitRaw(stream, table, m_context);
  gpuErrors += finished.result.error_count;
  EXPECT_EQ(finished.result.error_count, 0u)
      << "code " << finished.result.last_error_code << ": " << ::testing::PrintToString(kernel.gpu->takeGuestLines());
}

HRESULT FakeCallbacks::present(const D3DDDICB_PRESENT &data) {
  if (const HRESULT error = called("Present")) return error;
  EXPECT_EQ(data.hContext, &m_context);
  presents.push_back(data);
  return 0;
}

HRESULT FakeCallbacks::setDisplayMode(D3DDDICB_SETDISPLAYMODE &data) {
  if (const HRESULT error = called("SetDisplayMode")) return error;
  displayModes.push_back(data.hPrimaryAllocation);
  return 0;
}

HRESULT FakeCallbacks::allocate(D3DDDICB_ALLOCATE &data) {
  if (const HRESULT error = called("Allocate")) return error;
  for (UINT i = 0; i < data.NumAllocations; i++) {
    D3DDDI_ALLOCATIONINFO &info = data.pAllocationInfo[i];
    auto &priv = *static_cast<aerogpu_wddm_alloc_priv_v2 *>(info.pPrivateDriverData);
    EXPECT_EQ(info.PrivateDriverDataSize, sizeof priv);
    EXPECT_EQ(priv.alloc_id, 0u);
    FakeAllocation allocation;
    allocation.id = kernel.nextId++;
    allocation.flags = priv.flags;
    allocation.bytes = priv.size_bytes;
    allocation.resource = data.hResource;
    allocation.primary = info.Flags.Primary;
    const bool shared = priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
    EXPECT_TRUE(!shared || data.hResource) << "a shared allocation without a resource";
    constexpr uint32_t kImported =
        AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED;
    if (shared || (kernel.spaces && priv.flags & kImported)) allocation.token = kernel.nextToken++;
    if (kernel.gpu)
      allocation.gpa = kernel.takeMemory(priv.size_bytes);
    else
      allocation.own = std::make_shared<std::vector<uint8_t>>(priv.size_bytes);
    priv.alloc_id = allocation.id;
    priv.share_token = allocation.token;
    allocation.priv.resize(sizeof priv);
    memcpy(allocation.priv.data(), &priv, sizeof priv);
    info.hAllocation = kernel.nextHandle;
    kernel.allocations[kernel.nextHandle] = allocation;
    kernel.nextHandle += 0x40;
  }
  return 0;
}

HRESULT FakeCallbacks::deallocate(const D3DDDICB_DEALLOCATE &data) {
  if (const HRESULT error = called("Deallocate")) return error;
  if (data.hResource) {
    EXPECT_EQ(data.NumAllocations, 0u);
    for (auto it = kernel.allocations.begin(); it != kernel.allocations.end();) {
      const bool ends = it->second.resource == data.hResource;
      if (ends) kernel.giveMemory(it->second);
      it = ends ? kernel.allocations.erase(it) : std::next(it);
    }
    return 0;
  }
  for (UINT i = 0; i < data.NumAllocations; i++) {
    const auto found = kernel.allocations.find(data.HandleList[i]);
    if (found == kernel.allocations.end()) {
      ADD_FAILURE() << "an allocation that there is not is freed";
      continue;
    }
    EXPECT_EQ(found->second.resource, nullptr) << "freed by its handle although it belongs to a resource";
    EXPECT_EQ(found->second.locks, 0) << "freed while it is locked";
    kernel.giveMemory(found->second);
    kernel.allocations.erase(found);
  }
  return 0;
}

HRESULT FakeCallbacks::lock(D3DDDICB_LOCK &data) {
  if (const HRESULT error = called("Lock")) return error;
  const auto found = kernel.allocations.find(data.hAllocation);
  if (found == kernel.allocations.end()) {
    ADD_FAILURE() << "an allocation that there is not is locked";
    return kInvalidArgument;
  }
  EXPECT_TRUE(found->second.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE) << "locked, but not for the CPU";
  if (data.Flags.IgnoreSync) {
    EXPECT_TRUE(kernel.aperture) << "page \"D3DDDICB_LOCKFLAGS\": only with what an aperture can hold";
    EXPECT_TRUE(data.Flags.DonotWait) << "page \"PFND3DDDI_LOCKCB\": without it IgnoreSync is ignored";
  }
  const bool isBusy = (allBusy || busy.count(data.hAllocation)) && !data.Flags.IgnoreSync;
  if (data.Flags.DonotWait && isBusy) return kWasStillDrawing;
  waits += isBusy;
  found->second.locks++;
  data.pData = kernel.memory(found->second);
  return 0;
}

HRESULT FakeCallbacks::unlock(const D3DDDICB_UNLOCK &data) {
  if (const HRESULT error = called("Unlock")) return error;
  for (UINT i = 0; i < data.NumAllocations; i++) {
    auto &allocation = kernel.allocations[data.phAllocations[i]];
    EXPECT_GT(allocation.locks, 0);
    allocation.locks--;
  }
  return 0;
}

std::vector<Packet> FakeCallbacks::takePackets() {
  std::vector<Packet> out;
  for (; m_submissionsTaken < submissions.size(); m_submissionsTaken++)
    for (const Packet &packet : submissions[m_submissionsTaken].packets) out.push_back(packet);
  return out;
}

std::vector<Packet> FakeCallbacks::takePackets(uint32_t opcode) {
  std::vector<Packet> out;
  for (const Packet &packet : takePackets())
    if (packet.opcode == opcode) out.push_back(packet);
  return out;
}

std::vector<uint32_t> FakeCallbacks::takeOpcodes() {
  std::vector<uint32_t> out;
  for (const Packet &packet : takePackets()) out.push_back(packet.opcode);
  return out;
}

}  // namespace aero::test
