// SPDX-License-Identifier: MIT
// caps_fixture.h: GetCaps on a device with a capability block, and what it says about formats.
#pragma once

#include <vector>

#include "aerogpu/aerogpu.h"
#include "aerogpu/aerogpu_caps.h"
#include "guest-drivers/umd-common/linux/linux_heap.h"
#include "guest-drivers/umd-d3d9/test/program.h"

namespace aero::test {

constexpr uint32_t kAll = AEROGPU_CMD_FEATURES_HI | AEROGPU_EXT_FEATURE_HI_CAPS | AEROGPU_EXT_FEATURE_HI_FORMATS;

inline aerogpu_caps limitsOf(const std::vector<uint8_t> &block) {
  aerogpu_caps caps;
  memcpy(&caps, block.data(), sizeof caps);
  return caps;
}

/** Returns the block of a renderer that has all formats of the device, with the anisotropy that every GPU has. */
inline std::vector<uint8_t> wholeBlock() {
  aerogpu::test::Harness harness;
  size_t bytes = 0;
  const auto *data = static_cast<const uint8_t *>(aerogpu_renderer_caps(harness.renderer(), &bytes));
  std::vector<uint8_t> block(data, data + bytes);
  aerogpu_caps caps = limitsOf(block);
  caps.max_anisotropy = 16;
  memcpy(block.data(), &caps, sizeof caps);
  return block;
}

/** Returns a changed copy of the block: `change` is called with each format's entry. */
template <class Change> std::vector<uint8_t> changedFormats(std::vector<uint8_t> block, Change change) {
  const aerogpu_caps caps = limitsOf(block);
  for (uint32_t i = 0; i < caps.format_count; i++) {
    aerogpu_format_caps entry;
    uint8_t *at = &block[caps.formats_offset + size_t{i} * caps.format_entry_bytes];
    memcpy(&entry, at, sizeof entry);
    change(entry);
    memcpy(at, &entry, sizeof entry);
  }
  return block;
}

class UmdCaps : public ::testing::Test {
protected:
  void start(std::vector<uint8_t> block, uint32_t features = kAll) {
    kernel.block = std::move(block);
    kernel.featuresHigh = features;
    rt.open();
    ASSERT_NE(rt.device, nullptr);
  }
  void stop() {
    if (rt.device) rt.close();
    EXPECT_TRUE(kernel.allocations.empty());
    EXPECT_EQ(heapBlocks(), 0u);
  }
  void TearDown() override { stop(); }

  template <class T> T caps(D3DDDICAPS_TYPE type, T value = {}) {
    D3DDDIARG_GETCAPS args = {type, nullptr, &value, sizeof value};
    EXPECT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &args), 0);
    return value;
  }
  std::vector<FORMATOP> formats() {
    std::vector<FORMATOP> list(caps<UINT>(D3DDDICAPS_GETFORMATCOUNT));
    D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETFORMATDATA, nullptr, list.data(),
                              static_cast<UINT>(list.size() * sizeof list[0])};
    EXPECT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &args), 0);
    return list;
  }
  uint32_t operations(D3DDDIFORMAT format) {
    uint32_t all = 0;
    for (const FORMATOP &row : formats()) all |= row.Format == format ? row.Operations : 0;
    return all;
  }
  UINT levels(D3DDDIFORMAT format, uint32_t type, bool flip = false) {
    DDIMULTISAMPLEQUALITYLEVELSDATA data = {};
    data.Format = format;
    data.Flip = flip;
    data.MsType = static_cast<D3DDDIMULTISAMPLE_TYPE>(type);
    data.QualityLevels = 99;
    return caps(D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS, data).QualityLevels;
  }
  HRESULT make(const FORMATOP &row, uint32_t flags, uint32_t levels = 1, uint32_t faces = 1, uint32_t depth = 0,
               uint32_t samples = 0, uint32_t quality = 0) {
    HANDLE made = nullptr;
    const HRESULT result = p.tryKind(row.Format, {16, 16, depth, levels, faces, samples, quality}, flags, made);
    if (made) p.destroy(made);
    return result;
  }
  void expectAllIsMade();  // caps_test.cpp

  FakeKernel kernel;
  FakeRuntime rt{kernel};
  Program p{rt};
};

}  // namespace aero::test
