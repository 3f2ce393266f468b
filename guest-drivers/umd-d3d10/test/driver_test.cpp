// SPDX-License-Identifier: MIT
// Tests the adapter, the tables, and how functions report errors, in each interface version.
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"
#include "guest-drivers/umd-d3d10/test/umd_test.h"

namespace aero::test {
namespace {

INSTANTIATE_TEST_SUITE_P(All, Umd10, ::testing::ValuesIn(kInterfaces), [](const auto &info) {
  return "x" + std::to_string(info.param >> 16) + "_" + std::to_string(info.param & 0xFFFF);
});

TEST_P(Umd10, OpensAndClosesAndFillsOnlyItsTables) {
  for (const bool old : {false, true})
    for (const UINT version : {6000u, 7601u}) {
      rt.byOldExport = old;
      rt.version = version;
      start();
      if (HasFatalFailure()) return;
      const auto *const first = reinterpret_cast<void *const *>(&rt.functions10());
      for (size_t i = 0; i < (rt.is11() ? 103 : rt.is10() ? 101 : 103); i++)
        EXPECT_NE(first[i], reinterpret_cast<void *>(0xA5A5A5A5A5A5A5A5)) << i;
      rt.close();
    }
}

TEST_P(Umd10, TheOldExportRefusesUnknownInterfacesAndTheNewOneKnowsThemAtTheDevice) {
  for (const UINT wrong : {0u, 9u, 0xA0000u, 0xA0003u, 0xA0009u, 0xC0000u}) {
    FakeRuntime other(kernel, wrong);
    other.byOldExport = true;
    EXPECT_LT(other.openAdapter(), 0) << std::hex << wrong;
    FakeRuntime newer(kernel, wrong);
    ASSERT_EQ(newer.openAdapter(), 0);
    EXPECT_LT(newer.createDevice(), 0);
    newer.close();
  }
}

TEST_P(Umd10, ListsItsVersionsInTwoCalls) {
  ASSERT_EQ(rt.openAdapter(), 0);
  D3D10_2DDI_ADAPTERFUNCS &fn = rt.adapterFunctions();
  UINT32 count = 0;
  EXPECT_EQ(fn.pfnGetSupportedVersions(rt.adapter, &count, nullptr), 0);
  ASSERT_EQ(count, 4u);
  Guarded list(count * sizeof(UINT64), 0);
  UINT32 less = count - 1;
  EXPECT_EQ(fn.pfnGetSupportedVersions(rt.adapter, &less, list.as<UINT64>()), kInsufficientBuffer);
  EXPECT_EQ(list.as<UINT64>()[0], 0u);
  EXPECT_EQ(fn.pfnGetSupportedVersions(rt.adapter, &count, list.as<UINT64>()), 0);
  const UINT64 *versions = list.as<UINT64>();
  EXPECT_EQ(std::vector<uint64_t>(versions, versions + count),
            (std::vector<uint64_t>{0xA000100040000, 0xA000600000000, 0xA000200010000, 0xA000700000000}));
  rt.close();
}

TEST_P(Umd10, CapsClaimWhatThereIs) {
  ASSERT_EQ(rt.openAdapter(), 0);
  const auto caps = [&](UINT type, UINT bytes = 4) {
    UINT value[2] = {77, 77};
    D3D10_2DDIARG_GETCAPS args = {static_cast<D3D10_2DDICAPS_TYPE>(type), nullptr, value, bytes};
    EXPECT_EQ(rt.adapterFunctions().pfnGetCaps(rt.adapter, &args), 0);
    return value[0];
  };
  EXPECT_EQ(caps(D3D11DDICAPS_THREADING), 0u);
  EXPECT_EQ(caps(D3D11DDICAPS_SHADER), 0u);
  EXPECT_EQ(caps(D3D11DDICAPS_3DPIPELINESUPPORT), 3u);
  EXPECT_EQ(caps(7777), 0u);
  EXPECT_EQ(caps(7777, 0), 77u);
  rt.close();
}

TEST_P(Umd10, ADeviceWithoutTheExtensionsIsRefused) {
  kernel.featuresHigh &= ~AEROGPU_EXT_FEATURE_HI_UPDATES;
  EXPECT_LT(rt.openAdapter(), 0);
  takeDebugOutput();
  kernel.featuresHigh |= AEROGPU_EXT_FEATURE_HI_UPDATES;
  aerogpu_caps caps;
  memcpy(&caps, kernel.block.data(), sizeof caps);
  caps.flags &= ~AEROGPU_CAPS_D3D10_STATES;
  memcpy(kernel.block.data(), &caps, sizeof caps);
  EXPECT_LT(rt.openAdapter(), 0);
  EXPECT_EQ(takeDebugOutput().size(), 1u);
  kernel.block.clear();
  EXPECT_LT(rt.openAdapter(), 0);
  EXPECT_EQ(takeDebugOutput().size(), 1u);
}

TEST_P(Umd10, FormatsSayWhatTheDeviceCan) {
  start();
  const auto support = [&](DXGI_FORMAT format) {
    UINT caps = 0x7777;
    AERO_CALL(rt, CheckFormatSupport, format, &caps);
    return caps;
  };
  constexpr UINT kAll = D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE | D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET |
                        D3D10_DDI_FORMAT_SUPPORT_BLENDABLE;
  for (const DXGI_FORMAT format :
       {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_B8G8R8X8_UNORM,
        DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_R16G16B16A16_FLOAT})
    EXPECT_EQ(support(format) & kAll, kAll) << format;
  EXPECT_EQ(support(DXGI_FORMAT_BC1_UNORM), D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE);
  EXPECT_EQ(support(DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM), D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED);
  EXPECT_EQ(support(DXGI_FORMAT_R8G8B8A8_UINT), D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET) << "integers are not filtered";
  EXPECT_EQ(support(DXGI_FORMAT_R24_UNORM_X8_TYPELESS), D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE);
  EXPECT_EQ(support(DXGI_FORMAT_R8G8B8A8_TYPELESS), 0u);
  EXPECT_EQ(support(DXGI_FORMAT_D24_UNORM_S8_UINT) & kAll, 0u);
  EXPECT_EQ(support(DXGI_FORMAT_R32_FLOAT) & kAll, kAll);
  for (const UINT samples : {0u, 1u, 3u, 33u, 64u}) {
    UINT levels = 99;
    AERO_CALL(rt, CheckMultisampleQualityLevels, DXGI_FORMAT_R8G8B8A8_UNORM, samples, &levels);
    EXPECT_EQ(levels, samples == 1) << samples;
    AERO_CALL(rt, CheckMultisampleQualityLevels, DXGI_FORMAT_R8G8B8A8_UINT, samples, &levels);
    EXPECT_EQ(levels, samples == 1) << samples;
  }
  D3D10DDI_COUNTER_INFO info;
  memset(static_cast<void *>(&info), 0x77, sizeof info);
  AERO_CALL(rt, CheckCounterInfo, &info);
  EXPECT_EQ(info.LastDeviceDependentCounter, 0);
  EXPECT_EQ(info.NumSimultaneousCounters, 0u);
  EXPECT_EQ(AERO_CALL(rt, CheckCounter, static_cast<D3D10DDI_QUERY>(0x1000), nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr, nullptr, nullptr),
            kDxgiUnsupported);
}

TEST_P(Umd10, ShadersOfOtherResourcesAreRefused) {
  start();
  // Version, length, data of two tokens (a comment), dcl_resource of a dimension, its register and types, ret.
  const auto create = [&](UINT dimension) {
    const UINT tokens[] = {0x40, 9, 53, 3, 0xA1, 0x04000058 | dimension << 11, 0x00107000, 0, 0x5555};
    D3D10DDIARG_STAGE_IO_SIGNATURES signatures = {};
    std::vector<uint64_t> memory(rt.size(rt.functions10().pfnCalcPrivateShaderSize, tokens, &signatures) / 8 + 1);
    const D3D10DDI_HSHADER shader = {memory.data()};
    const auto result = AERO_CALL(rt, CreatePixelShader, tokens, shader, D3D10DDI_HRTSHADER{}, &signatures);
    if (result == 0) AERO_CALL(rt, DestroyShader, shader);
    return result;
  };
  for (const UINT dimension : {1u, 2u, 3u, 5u, 6u, 7u, 8u, 10u}) EXPECT_EQ(create(dimension), 0) << dimension;
  for (const UINT dimension : {0u, 4u, 9u}) EXPECT_EQ(create(dimension), kOutOfMemory) << dimension;
  rt.close();
}

TEST_P(Umd10, WhatIsNotThereIsRefusedWithAnAllowedError) {
  kernel.log = 3;
  start();
  // All functions of the older tables are there.
  const bool isRefused = rt.is11();
  if (isRefused) {
    EXPECT_EQ(rt.call("Dispatch", rt.functions11().pfnDispatch, 1u, 1u, 1u), kDeviceRemoved);
  }
  // A vertex shader that chooses a viewport.
  const UINT code[] = {D3D10_SB_VERTEX_SHADER << 16 | 0x40, 2};
  D3D10DDIARG_SIGNATURE_ENTRY chosen = {D3D10_SB_NAME_VIEWPORT_ARRAY_INDEX, 0, 1};
  D3D10DDIARG_STAGE_IO_SIGNATURES signatures = {nullptr, 0, &chosen, 1};
  std::vector<uint64_t> memory(rt.size(rt.functions10().pfnCalcPrivateShaderSize, code, &signatures) / 8 + 1);
  const D3D10DDI_HSHADER shader = {memory.data()};
  EXPECT_EQ(AERO_CALL(rt, CreateVertexShader, code, shader, D3D10DDI_HRTSHADER{}, &signatures), kOutOfMemory);
  rt.close();
  const std::vector<char> log = takeLogFile();
  const std::string text(log.begin(), log.end());
  EXPECT_EQ(text.find(" = 0x80004001 E_NOTIMPL") != std::string::npos, isRefused);
  EXPECT_NE(text.find("CreateVertexShader("), std::string::npos);
  EXPECT_NE(text.find("CreateDevice(interface"), std::string::npos);
}

TEST_P(Umd10, AFlushTellsTheRuntimeOfVersion11) {
  start();
  EXPECT_EQ(AERO_CALL(rt, Flush), 0);
  EXPECT_EQ(rt.amortized, 0) << "nothing was submitted";
}

TEST_P(Umd10, AFailedContextMakesNoDevice) {
  ASSERT_EQ(rt.openAdapter(), 0);
  rt.errors["CreateContext"] = kOutOfMemory;
  EXPECT_EQ(rt.createDevice(), kOutOfMemory);
  rt.errors.clear();
  rt.close();
}

}  // namespace
}  // namespace aero::test
