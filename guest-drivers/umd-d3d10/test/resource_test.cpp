// SPDX-License-Identifier: MIT
// Tests what the kernel sees of resources, and the errors of maps and creations.
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/umd-d3d10/test/umd_test.h"

namespace aero::test {
namespace {

class Resources10 : public Umd10 {
protected:
  Program p{rt};
};
INSTANTIATE_TEST_SUITE_P(All, Resources10, ::testing::ValuesIn(kInterfaces));

TEST_P(Resources10, ABusyStagingResourceIsWaitedForUnlessForbidden) {
  start();
  ResourceDesc desc;
  const auto texture = p.resource(desc), staging = p.staging(desc);
  EXPECT_EQ(AERO_CALL(rt, ResourceIsStagingBusy, staging), FALSE);
  EXPECT_EQ(AERO_CALL(rt, ResourceCopy, staging, texture), 0);
  EXPECT_EQ(AERO_CALL(rt, ResourceIsStagingBusy, staging), TRUE) << "not submitted";
  const size_t before = rt.submissions.size();
  rt.allBusy = true;
  D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
  EXPECT_EQ(
      AERO_CALL(rt, StagingResourceMap, staging, 0u, D3D10_DDI_MAP_READ, UINT{D3D10_DDI_MAP_FLAG_DONOTWAIT}, &mapped),
      kDxgiWasStillDrawing);
  EXPECT_EQ(rt.submissions.size(), before + 1) << "what it waits for was submitted";
  EXPECT_EQ(mapped.pData, nullptr);
  EXPECT_EQ(AERO_CALL(rt, ResourceIsStagingBusy, staging), TRUE);
  rt.waits = 0;
  EXPECT_EQ(AERO_CALL(rt, StagingResourceMap, staging, 0u, D3D10_DDI_MAP_READ, 0u, &mapped), 0);
  EXPECT_EQ(rt.waits, 1);
  EXPECT_EQ(mapped.RowPitch, 64u);
  EXPECT_EQ(AERO_CALL(rt, StagingResourceUnmap, staging, 0u), 0);
  rt.allBusy = false;
  p.destroy(staging);
  p.destroy(texture);
}

TEST_P(Resources10, DynamicResourcesNeverWaitNorCallTheKernel) {
  start();
  const auto buffer = p.buffer(4096, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_USAGE_DYNAMIC);
  p.flush();
  rt.allBusy = true;
  rt.calls.clear();
  D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
  for (int i = 0; i < 5; i++) {
    EXPECT_EQ(AERO_CALL(rt, DynamicIABufferMapDiscard, buffer, 0u, D3D10_DDI_MAP_WRITE_DISCARD, 0u, &mapped), 0);
    memset(mapped.pData, i, 4096);
    EXPECT_EQ(AERO_CALL(rt, DynamicIABufferUnmap, buffer, 0u), 0);
    EXPECT_EQ(AERO_CALL(rt, DynamicIABufferMapNoOverwrite, buffer, 0u, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0u, &mapped),
              0);
    static_cast<uint8_t *>(mapped.pData)[100] = 99;
    EXPECT_EQ(AERO_CALL(rt, DynamicIABufferUnmap, buffer, 0u), 0);
  }
  EXPECT_EQ(rt.calls.count("Lock"), 0u);
  rt.allBusy = false;
  rt.takePackets();
  p.flush();
  const std::vector<Packet> uploads = rt.takePackets(AEROGPU_CMD_UPLOAD_RESOURCE);
  ASSERT_FALSE(uploads.empty());
  EXPECT_EQ(uploads.back().as<aerogpu_cmd_upload_resource>().size_bytes, 1u) << "only what differs";
  p.destroy(buffer);
}

TEST_P(Resources10, PrimariesAreScannedOutOrRefused) {
  start();
  DXGI_DDI_PRIMARY_DESC primary = {};
  primary.VidPnSourceId = 3;
  ResourceDesc desc;
  desc.bind = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_PRESENT;
  desc.primary = &primary;
  const auto shown = p.resource(desc);
  ASSERT_EQ(kernel.allocations.size(), 1u);
  EXPECT_TRUE(kernel.allocations.begin()->second.primary);
  EXPECT_TRUE(kernel.allocations.begin()->second.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY);
  DXGI_DDI_ARG_SETDISPLAYMODE mode = {};
  mode.hResource = reinterpret_cast<UINT_PTR>(shown.pDrvPrivate);
  EXPECT_EQ(rt.dxgi(rt.dxgiFunctions().pfnSetDisplayMode, mode), 0);
  EXPECT_EQ(rt.displayModes, std::vector<D3DKMT_HANDLE>{kernel.allocations.begin()->first});
  p.destroy(shown);
  EXPECT_TRUE(kernel.allocations.empty()) << "within DestroyResource";
  desc.format = DXGI_FORMAT_R8G8B8A8_UNORM;
  D3D10DDI_HRESOURCE out;
  EXPECT_EQ(p.tryResource(desc, out), kDxgiUnsupported);
  EXPECT_EQ(primary.DriverFlags, DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT);
  primary.DriverFlags = 0;
  primary.Flags = DXGI_DDI_PRIMARY_OPTIONAL;
  const auto copied = p.resource(desc);
  EXPECT_EQ(primary.DriverFlags, 0u);
  EXPECT_FALSE(kernel.allocations.begin()->second.primary);
  p.destroy(copied);
}

TEST_P(Resources10, DestroyedAllocationsWaitForTheirBatch) {
  start();
  ResourceDesc desc;
  const auto texture = p.resource(desc), staging = p.staging(desc);
  p.flush();
  EXPECT_EQ(AERO_CALL(rt, ResourceCopy, staging, texture), 0);
  p.destroy(staging);
  EXPECT_EQ(kernel.allocations.size(), 1u) << "the batch uses it still";
  p.flush();
  EXPECT_TRUE(kernel.allocations.empty());
  p.destroy(texture);
}

TEST_P(Resources10, CreationsThatFailLeaveNothing) {
  start();
  rt.errors["Escape"] = kOutOfMemory;  // no handles
  ResourceDesc bytes;
  bytes.dimension = D3D10DDIRESOURCE_BUFFER;
  bytes.usage = D3D10_DDI_USAGE_STAGING;
  bytes.bind = 0;
  D3D10DDI_HRESOURCE none;
  EXPECT_EQ(p.tryResource(bytes, none), kOutOfMemory);
  EXPECT_TRUE(kernel.allocations.empty());
  rt.errors.clear();
  rt.calls.clear();
  for (const HRESULT error : {kOutOfMemory, kOutOfVideoMemory}) {
    rt.errors["Allocate"] = error;
    ResourceDesc desc;
    desc.misc = D3D10_DDI_RESOURCE_MISC_SHARED;
    D3D10DDI_HRESOURCE out;
    EXPECT_EQ(p.tryResource(desc, out), kOutOfMemory);
    EXPECT_EQ(rt.calls["Deallocate"], 0) << "there is nothing";
    desc.misc = 0;
    desc.bind = 0;
    desc.usage = D3D10_DDI_USAGE_STAGING;
    EXPECT_EQ(p.tryResource(desc, out), kOutOfMemory);
    rt.errors.clear();
  }
  for (long n = 0; n < 4; n++) {
    ResourceDesc desc;
    desc.usage = D3D10_DDI_USAGE_DYNAMIC;
    D3D10DDI_HRESOURCE out;
    failHeapAfter(n);
    const HRESULT result = p.tryResource(desc, out);
    failHeapAfter(-1);
    EXPECT_TRUE(result == 0 || result == kOutOfMemory);
    if (!result) p.destroy(out);
  }
  ResourceDesc volume;
  volume.dimension = D3D10DDIRESOURCE_TEXTURE3D;
  volume.misc = D3D10_DDI_RESOURCE_MISC_SHARED;  // of 2D textures alone
  D3D10DDI_HRESOURCE out;
  EXPECT_EQ(p.tryResource(volume, out), kOutOfMemory);
}

TEST_P(Resources10, ALostBatchRemovesTheDevice) {
  start();
  ResourceDesc desc;
  desc.bind = D3D10_DDI_BIND_RENDER_TARGET;
  const auto texture = p.resource(desc);
  rt.errors["Render"] = kOutOfMemory;
  EXPECT_EQ(AERO_CALL(rt, Flush), kDeviceRemoved);
  desc.misc = D3D10_DDI_RESOURCE_MISC_SHARED;
  D3D10DDI_HRESOURCE out;
  EXPECT_EQ(p.tryResource(desc, out), kDeviceRemoved) << "not only this resource is gone";
  rt.errors.clear();
  p.destroy(texture);
}

TEST_P(Resources10, AllOfTheRuntimesOtherVersionsAreToldOfSubmissions) {
  start();
  ResourceDesc desc;
  const auto texture = p.resource(desc);
  p.flush();
  EXPECT_EQ(rt.amortized, rt.is11() ? 1 : 0);
  p.destroy(texture);
}

TEST_P(Resources10, OnlyWhatHasATokenIsOpened) {
  start();
  ResourceDesc desc;
  const auto staging = p.staging(desc);
  D3D10DDI_HRESOURCE out;
  EXPECT_EQ(p.tryOpen(kernel.allocations.begin()->first, out), kOutOfMemory);
  p.destroy(staging);
  desc.misc = D3D10_DDI_RESOURCE_MISC_SHARED;
  const auto shared = p.resource(desc);
  auto &[handle, allocation] = *kernel.allocations.begin();
  auto &priv = *reinterpret_cast<aerogpu_wddm_alloc_priv_v2 *>(allocation.priv.data());
  ASSERT_EQ(p.tryOpen(handle, out), 0);
  p.destroy(out);
  priv.share_token = 0;
  EXPECT_EQ(p.tryOpen(handle, out), kOutOfMemory);
  p.destroy(shared);
}

}  // namespace
}  // namespace aero::test
