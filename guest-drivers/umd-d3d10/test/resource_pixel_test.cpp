// SPDX-License-Identifier: MIT
// Runs clears, copies, maps and updates through the renderer: what a program reads back.
#include "guest-drivers/umd-d3d10/test/umd_pixels.h"

namespace aero::test {
namespace {

INSTANTIATE_TEST_SUITE_P(All, Umd10Pixels,
                         ::testing::Values(D3D10_0_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                           D3D11_0_DDI_INTERFACE_VERSION));

constexpr UINT kTarget = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE;

TEST_P(Umd10Pixels, AClearIsReadBack) {
  ResourceDesc desc;
  desc.bind = kTarget;
  desc.width = 20;
  const auto texture = p->resource(desc);
  const auto view = p->target(texture, desc.format);
  p->clear(view, 1, 0.5f, 0, 1);
  const std::vector<uint32_t> seen = p->pixels(texture, desc);
  EXPECT_EQ(seen, std::vector<uint32_t>(20 * 16, 0xFFFF8000u));
  p->destroy(view);
  p->destroy(texture);
}

TEST_P(Umd10Pixels, AViewInSrgbEncodesItsClear) {
  for (const DXGI_FORMAT of : {DXGI_FORMAT_R8G8B8A8_TYPELESS, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB}) {
    ResourceDesc desc;
    desc.bind = kTarget;
    desc.format = of;
    const auto texture = p->resource(desc);
    const auto view = p->target(texture, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB);
    p->clear(view, 0.5f, 0, 1, 0.5f);
    EXPECT_EQ(p->pixels(texture, desc)[5], 0x80FF00BCu);
    p->destroy(view);
    p->destroy(texture);
  }
}

TEST_P(Umd10Pixels, LevelsAndLayersAreClearedApart) {
  ResourceDesc desc;
  desc.bind = kTarget;
  desc.levels = 3;
  desc.layers = 2;
  const auto texture = p->resource(desc);
  for (UINT i = 0; i < 6; i++) {
    const auto view = p->target(texture, desc.format, i % 3, i / 3);
    p->clear(view, static_cast<float>(i) / 255, 0, 0, 0);
    p->destroy(view);
  }
  for (UINT i = 0; i < 6; i++) {
    const UINT edge = 16u >> i % 3;
    EXPECT_EQ(p->pixels(texture, desc, i), std::vector<uint32_t>(edge * edge, i << 16)) << i;
  }
  p->destroy(texture);
}

TEST_P(Umd10Pixels, DepthAndStencilAreClearedApart) {
  ResourceDesc desc;
  desc.bind = D3D10_DDI_BIND_DEPTH_STENCIL;
  desc.format = DXGI_FORMAT_D24_UNORM_S8_UINT;
  const auto texture = p->resource(desc);
  const auto view = p->depth(texture, desc.format);
  EXPECT_EQ(AERO_CALL(*rt, ClearDepthStencilView, view, 3u, 1.0f, UINT8{0x12}), 0);
  EXPECT_EQ(AERO_CALL(*rt, ClearDepthStencilView, view, 2u, 0.0f, UINT8{0x34}), 0);
  EXPECT_EQ(p->pixels(texture, desc)[0], 0x34FFFFFFu);
  EXPECT_EQ(AERO_CALL(*rt, ClearDepthStencilView, view, 1u, 0.0f, UINT8{0x56}), 0);
  EXPECT_EQ(p->pixels(texture, desc)[0], 0x34000000u);
  p->destroy(view);
  p->destroy(texture);
}

TEST_P(Umd10Pixels, InitialDataOfAllSubresourcesIsThere) {
  for (const DXGI_FORMAT format : {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_BC1_UNORM, DXGI_FORMAT_BC3_UNORM_SRGB,
                                   DXGI_FORMAT_R16G16B16A16_FLOAT, DXGI_FORMAT_A8_UNORM}) {
    ResourceDesc desc;
    desc.format = format;
    desc.usage = D3D10_DDI_USAGE_IMMUTABLE;
    desc.width = 20;
    desc.height = 12;
    desc.levels = 3;
    desc.layers = 2;
    for (UINT i = 0; i < 6; i++) desc.data.push_back(pattern(size_t{rowBytes(desc, i % 3)} * rowCount(desc, i % 3), i));
    const auto texture = p->resource(desc);
    for (UINT i = 0; i < 6; i++) EXPECT_EQ(p->read(texture, desc, i), desc.data[i]) << format << ' ' << i;
    p->destroy(texture);
  }
}

TEST_P(Umd10Pixels, ALargeTextureArrivesInPieces) {
  ResourceDesc desc;
  desc.width = 1000;
  desc.height = 700;
  desc.data = {pattern(1000 * 700 * 4)};
  const auto texture = p->resource(desc);
  EXPECT_EQ(p->read(texture, desc), desc.data[0]);
  p->destroy(texture);
  desc.format = DXGI_FORMAT_BC3_UNORM;
  desc.width = 2048;
  desc.height = 1022;
  desc.data = {pattern(size_t{512} * 16 * 256)};
  const auto blocks = p->resource(desc);
  EXPECT_EQ(p->read(blocks, desc), desc.data[0]);
  p->destroy(blocks);
}

TEST_P(Umd10Pixels, UpdatesTakeEffectInTheOrderOfTheCalls) {
  ResourceDesc desc;
  desc.bind = kTarget;
  const auto texture = p->resource(desc);
  const auto view = p->target(texture, desc.format);
  std::vector<uint32_t> source(8, 0x11223344);
  p->clear(view, 0, 0, 0, 0);
  const D3D10_DDI_BOX box = {4, 6, 0, 8, 8, 1}, empty = {4, 6, 0, 4, 8, 1};
  EXPECT_EQ(AERO_CALL(*rt, ResourceUpdateSubresourceUP, texture, 0u, &box, source.data(), 16u, 0u), 0);
  std::fill(source.begin(), source.end(), 0x55667788);
  EXPECT_EQ(AERO_CALL(*rt, ResourceUpdateSubresourceUP, texture, 0u, &empty, source.data(), 16u, 0u), 0);
  const std::vector<uint32_t> seen = p->pixels(texture, desc);
  for (UINT y = 0; y < 16; y++)
    for (UINT x = 0; x < 16; x++)
      EXPECT_EQ(seen[y * 16 + x], x >= 4 && x < 8 && y >= 6 && y < 8 ? 0x11223344u : 0u) << x << ' ' << y;
  p->clear(view, 0, 0, 0, 0);
  EXPECT_EQ(p->pixels(texture, desc)[6 * 16 + 4], 0u);
  p->destroy(view);
  p->destroy(texture);
}

TEST_P(Umd10Pixels, CopiesOfTexturesByAllPaths) {
  ResourceDesc desc;
  desc.levels = 2;
  desc.data = {pattern(16 * 16 * 4, 3), pattern(8 * 8 * 4, 4)};
  const auto from = p->resource(desc);
  ResourceDesc plain = desc;
  plain.data.clear();
  const auto to = p->resource(plain), one = p->staging(plain), other = p->staging(plain);
  EXPECT_EQ(AERO_CALL(*rt, ResourceCopy, one, from), 0);   // out
  EXPECT_EQ(AERO_CALL(*rt, ResourceCopy, other, one), 0);  // by the processor
  EXPECT_EQ(AERO_CALL(*rt, ResourceCopy, to, other), 0);   // in
  for (UINT i = 0; i < 2; i++) EXPECT_EQ(p->read(to, plain, i), desc.data[i]);
  const D3D10_DDI_BOX box = {1, 2, 0, 5, 4, 1};
  EXPECT_EQ(AERO_CALL(*rt, ResourceCopyRegion, to, 0u, 8u, 9u, 0u, from, 0u, &box), 0);
  EXPECT_EQ(AERO_CALL(*rt, ResourceCopyRegion, other, 0u, 10u, 0u, 0u, from, 0u, &box), 0);
  const std::vector<uint8_t> seen = p->read(to, plain), there = p->readStaging(other, plain);
  for (UINT y = 0; y < 2; y++) {
    EXPECT_EQ(memcmp(&seen[((y + 9) * 16 + 8) * 4], &desc.data[0][((y + 2) * 16 + 1) * 4], 16), 0);
    EXPECT_EQ(memcmp(&there[(y * 16 + 10) * 4], &desc.data[0][((y + 2) * 16 + 1) * 4], 16), 0);
  }
  EXPECT_EQ(seen[0], desc.data[0][0]);
  if (!rt->is10()) {
    EXPECT_EQ(rt->call("ResourceConvert", rt->functions101().pfnResourceConvert, to, from), 0);
    EXPECT_EQ(p->read(to, plain), desc.data[0]);
    EXPECT_EQ(rt->call("ResourceConvertRegion", rt->functions101().pfnResourceConvertRegion, to, 0u, 3u, 0u, 0u, from,
                       0u, &box),
              0);
    EXPECT_EQ(memcmp(&p->read(to, plain)[3 * 4], &desc.data[0][(2 * 16 + 1) * 4], 16), 0);
  }
  for (const auto each : {from, to, one, other}) p->destroy(each);
}

TEST_P(Umd10Pixels, BuffersKeepTheirBytes) {
  for (const UINT bytes : {UINT{10}, UINT{4096}, UINT{100001}, UINT{3u << 20}}) {
    const std::vector<uint8_t> data = pattern(bytes, bytes);
    ResourceDesc like;
    like.dimension = D3D10DDIRESOURCE_BUFFER;
    like.format = DXGI_FORMAT_UNKNOWN;
    like.width = bytes;
    like.height = 1;
    const auto buffer = p->buffer(bytes, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_USAGE_DEFAULT, data.data());
    EXPECT_EQ(p->read(buffer, like), data) << bytes;
    std::vector<uint8_t> wanted = data;
    const uint8_t patch[4] = {1, 2, 3, 4};
    const D3D10_DDI_BOX box = {5, 0, 0, 9, 1, 1};
    EXPECT_EQ(AERO_CALL(*rt, ResourceUpdateSubresourceUP, buffer, 0u, &box, patch, 0u, 0u), 0);
    memcpy(&wanted[5], patch, 4);
    EXPECT_EQ(p->read(buffer, like), wanted) << bytes;
    // A staging buffer that the program writes is a source.
    const auto staging = p->staging(like);
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
    EXPECT_EQ(AERO_CALL(*rt, StagingResourceMap, staging, 0u, D3D10_DDI_MAP_WRITE, 0u, &mapped), 0);
    memset(mapped.pData, 0x5A, bytes);
    EXPECT_EQ(AERO_CALL(*rt, StagingResourceUnmap, staging, 0u), 0);
    EXPECT_EQ(AERO_CALL(*rt, ResourceCopy, buffer, staging), 0);
    EXPECT_EQ(p->read(buffer, like), std::vector<uint8_t>(bytes, 0x5A));
    p->destroy(staging);
    p->destroy(buffer);
  }
}

TEST_P(Umd10Pixels, DynamicResourcesHoldWhatWasWritten) {
  for (const UINT bytes : {4096u, 200000u}) {
    ResourceDesc like;
    like.dimension = D3D10DDIRESOURCE_BUFFER;
    like.format = DXGI_FORMAT_UNKNOWN;
    like.width = bytes;
    like.height = 1;
    const auto buffer = p->buffer(bytes, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_USAGE_DYNAMIC);
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
    std::vector<uint8_t> wanted = pattern(bytes);
    EXPECT_EQ(AERO_CALL(*rt, DynamicIABufferMapDiscard, buffer, 0u, D3D10_DDI_MAP_WRITE_DISCARD, 0u, &mapped), 0);
    memcpy(mapped.pData, wanted.data(), bytes);
    EXPECT_EQ(AERO_CALL(*rt, DynamicIABufferUnmap, buffer, 0u), 0);
    for (const UINT at : {100u, 7u, bytes - 3}) {
      EXPECT_EQ(AERO_CALL(*rt, DynamicIABufferMapNoOverwrite, buffer, 0u, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0u, &mapped),
                0);
      static_cast<uint8_t *>(mapped.pData)[at] = wanted[at] = static_cast<uint8_t>(wanted[at] + 1);
      EXPECT_EQ(AERO_CALL(*rt, DynamicIABufferUnmap, buffer, 0u), 0);
    }
    EXPECT_EQ(p->read(buffer, like), wanted);
    p->destroy(buffer);
  }
  ResourceDesc desc;
  desc.usage = D3D10_DDI_USAGE_DYNAMIC;
  desc.width = 17;
  const auto texture = p->resource(desc);
  D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
  EXPECT_EQ(AERO_CALL(*rt, DynamicResourceMapDiscard, texture, 0u, D3D10_DDI_MAP_WRITE_DISCARD, 0u, &mapped), 0);
  for (UINT y = 0; y < 16; y++)
    memset(static_cast<uint8_t *>(mapped.pData) + y * mapped.RowPitch, static_cast<int>(y), 68);
  EXPECT_EQ(AERO_CALL(*rt, DynamicResourceUnmap, texture, 0u), 0);
  EXPECT_EQ(p->pixels(texture, desc)[17 * 3 + 16], 0x03030303u);
  p->destroy(texture);
}

TEST_P(Umd10Pixels, SamplesAreResolved) {
  UINT levels = 0;
  AERO_CALL(*rt, CheckMultisampleQualityLevels, DXGI_FORMAT_B8G8R8A8_UNORM, 4u, &levels);
  ASSERT_EQ(levels, 1u);
  ResourceDesc desc;
  desc.bind = D3D10_DDI_BIND_RENDER_TARGET;
  desc.samples = 4;
  const auto drawn = p->resource(desc);
  ResourceDesc one = desc;
  one.samples = 1;
  const auto resolved = p->resource(one);
  const auto view = p->target(drawn, desc.format);
  p->clear(view, 0, 1, 0, 1);
  EXPECT_EQ(AERO_CALL(*rt, ResourceResolveSubresource, resolved, 0u, drawn, 0u, desc.format), 0);
  EXPECT_EQ(p->pixels(resolved, one)[9], 0xFF00FF00u);
  p->destroy(view);
  p->destroy(drawn);
  p->destroy(resolved);
}

TEST_P(Umd10Pixels, LevelsAreMadeFromTheFirst) {
  ResourceDesc desc;
  desc.bind = kTarget;
  desc.levels = 5;
  desc.misc = D3D10_DDI_RESOURCE_AUTO_GEN_MIP_MAP;
  const auto texture = p->resource(desc);
  const auto target = p->target(texture, desc.format);
  const auto view = p->texture(texture, desc.format, 5);
  p->clear(target, 0, 0, 1, 1);
  EXPECT_EQ(AERO_CALL(*rt, GenMips, view), 0);
  EXPECT_EQ(p->pixels(texture, desc, 4), std::vector<uint32_t>{0xFF0000FFu});
  p->destroy(view);
  p->destroy(target);
  p->destroy(texture);
}

TEST_P(Umd10Pixels, AnotherDeviceOpensASharedTexture) {
  ResourceDesc desc;
  desc.bind = kTarget;
  desc.misc = D3D10_DDI_RESOURCE_MISC_SHARED;
  const auto texture = p->resource(desc);
  ASSERT_EQ(kernel->allocations.size(), 1u);
  const D3DKMT_HANDLE allocation = kernel->allocations.begin()->first;
  const auto view = p->target(texture, desc.format);
  p->clear(view, 1, 0, 0, 1);
  p->flush();
  EXPECT_EQ(rt->submissions.back().allocations.size(), 1u) << "a shared texture is listed when it is drawn to";
  EXPECT_EQ(rt->submissions.back().allocations[0].WriteOperation, 1u);
  {
    FakeRuntime other(*kernel, GetParam());
    other.open();
    Program opener(other);
    D3D10DDI_HRESOURCE opened;
    ASSERT_EQ(opener.tryOpen(allocation, opened), 0);
    EXPECT_EQ(opener.pixels(opened, desc)[0], 0xFFFF0000u);
    opener.destroy(opened);
    EXPECT_EQ(other.calls["Deallocate"], 1) << "of the staging copy; what is opened is not freed";
    EXPECT_EQ(other.gpuErrors, 0u);
  }
  p->destroy(view);
  p->destroy(texture);
}

TEST_P(Umd10Pixels, ABltForTheCompositorConvertsAndScales) {
  ResourceDesc desc;
  desc.bind = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_PRESENT;
  desc.format = DXGI_FORMAT_R8G8B8A8_UNORM;
  const auto back = p->resource(desc);
  ResourceDesc surface;
  surface.bind = kTarget;
  surface.misc = D3D10_DDI_RESOURCE_MISC_SHARED;
  surface.width = 40;
  surface.height = 40;
  const auto shown = p->resource(surface);
  const auto view = p->target(back, desc.format), all = p->target(shown, surface.format);
  p->clear(all, 0, 0, 0, 0);
  p->clear(view, 1, 0, 0, 1);
  DXGI_DDI_ARG_BLT args = {};
  args.hDstResource = reinterpret_cast<UINT_PTR>(shown.pDrvPrivate);
  args.hSrcResource = reinterpret_cast<UINT_PTR>(back.pDrvPrivate);
  args.DstLeft = 4;
  args.DstTop = 5;
  args.DstRight = 36;
  args.DstBottom = 37;
  args.Flags.Present = 1;
  args.Rotate = DXGI_DDI_MODE_ROTATION_IDENTITY;
  p->flush();
  const size_t before = rt->submissions.size();
  EXPECT_EQ(rt->dxgi(rt->dxgiFunctions().pfnBlt, args), 0);
  p->flush();
  EXPECT_EQ(rt->submissions.size(), before + 1);
  EXPECT_EQ(rt->dxgi(rt->dxgiFunctions().pfnBlt, args), 0);
  p->pixels(back, desc);  // submits
  const size_t submitted = rt->submissions.size();
  p->flush();
  EXPECT_EQ(rt->submissions.size(), submitted + 1) << "the frame goes with the submission of Flush";
  const std::vector<uint32_t> seen = p->pixels(shown, surface);
  EXPECT_EQ(seen[5 * 40 + 4], 0xFFFF0000u);
  EXPECT_EQ(seen[36 * 40 + 35], 0xFFFF0000u);
  EXPECT_EQ(seen[37 * 40 + 35], 0u);
  for (const auto each : {view, all}) p->destroy(each);
  p->destroy(back);
  p->destroy(shown);
}

TEST_P(Umd10Pixels, RotatedResourcesTakeTheirViewsAlong) {
  ResourceDesc desc;
  desc.bind = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_PRESENT;
  D3D10DDI_HRESOURCE resources[3];
  D3D10DDI_HRENDERTARGETVIEW views[3];
  DXGI_DDI_HRESOURCE list[3];
  for (UINT i = 0; i < 3; i++) {
    resources[i] = p->resource(desc);
    views[i] = p->target(resources[i], DXGI_FORMAT_B8G8R8A8_UNORM_SRGB);
    list[i] = reinterpret_cast<UINT_PTR>(resources[i].pDrvPrivate);
    p->clear(views[i], i == 0, i == 1, i == 2, 1);
  }
  std::vector<D3DKMT_HANDLE> shown;
  for (UINT round = 0; round < 3; round++) {
    for (UINT i = 0; i < 3; i++)
      EXPECT_EQ(p->pixels(resources[i], desc)[0], 0xFF000000u | 0xFFu << (16 - 8 * ((i + round) % 3)));
    DXGI_DDI_ARG_PRESENT present = {};
    present.hSurfaceToPresent = list[0];
    EXPECT_EQ(rt->dxgi(rt->dxgiFunctions().pfnPresent, present), 0);
    shown.push_back(rt->dxgiPresents.back().hSrcAllocation);
    DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {};
    args.pResources = list;
    args.Resources = 3;
    EXPECT_EQ(rt->dxgi(rt->dxgiFunctions().pfnRotateResourceIdentities, args), 0);
  }
  EXPECT_EQ(std::set<D3DKMT_HANDLE>(shown.begin(), shown.end()).size(), 3u);
  p->clear(views[0], 1, 1, 1, 1);  // what it shows now
  EXPECT_EQ(p->pixels(resources[0], desc)[0], 0xFFFFFFFFu);
  for (UINT i = 0; i < 3; i++) {
    p->destroy(views[i]);
    p->destroy(resources[i]);
  }
}

}  // namespace
}  // namespace aero::test
