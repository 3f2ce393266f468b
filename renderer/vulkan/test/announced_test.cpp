// SPDX-License-Identifier: MIT
// Machines that go from one GPU to another: with the base set between any two GPUs of desktops; without it,
// and with a GPU that has only what Vulkan requires, where all that the guest was told is there, and else a
// list says what is not. The GPUs are those that the Vulkan double plays, each in a process of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/caps.h"
#include "renderer/core/caps_base.h"
#include "renderer/core/caps_block.h"
#include "renderer/core/format.h"
#include "renderer/test/expect.h"
#include "renderer/test/saving.h"
#include "renderer/test/vulkan_profiles.h"

namespace aerogpu::test {
namespace {

using Bytes = std::vector<uint8_t>;

/// Reads all that `write` writes into a pipe, in a process that plays the device. Empty if it fails.
template <class Write>
Bytes onDevice(const char* device, Write write) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    setenv(kDeviceVariable, device, 1);
    const Bytes bytes = write();
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t count = ::write(ends[1], bytes.data() + at, bytes.size() - at);
      if (count <= 0) _exit(2);
      at += static_cast<size_t>(count);
    }
    _exit(bytes.empty());
  }
  close(ends[1]);
  Bytes bytes;
  uint8_t part[65536];
  for (ssize_t count; (count = read(ends[0], part, sizeof part)) > 0;)
    bytes.insert(bytes.end(), part, part + count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << device << ": status " << status;
  return bytes;
}

Harness::Options optionsOf(const char* caps) {
  return {.backend = "vulkan", .cacheDir = "", .caps = caps};
}

Bytes capsOf(Harness& h) {
  size_t size = 0;
  const auto* block = static_cast<const uint8_t*>(aerogpu_renderer_caps(h.renderer(), &size));
  return {block, block + size};
}

constexpr auto kFormat = AEROGPU_FORMAT_D3D9_A2R10G10B10;
constexpr uint32_t kSide = 16;
/// Of 16 blocks, which a GPU need not have.
constexpr auto kBlocks = AEROGPU_FORMAT_BC1_RGBA_UNORM;
constexpr uint32_t kBlockBytes = 16 * 8;

/// A machine: what its guest was told, and a snapshot of what it holds.
struct Machine {
  Bytes caps, snapshot;
  Bytes packed() const {
    Bytes all(8);
    const uint64_t size = caps.size();
    std::memcpy(all.data(), &size, 8);
    all.insert(all.end(), caps.begin(), caps.end());
    all.insert(all.end(), snapshot.begin(), snapshot.end());
    return all;
  }
  static Machine unpacked(const Bytes& all) {
    uint64_t size = 0;
    if (all.size() < 8) return {};
    std::memcpy(&size, all.data(), 8);
    const auto end = all.begin() + 8 + static_cast<ptrdiff_t>(size);
    return {Bytes(all.begin() + 8, end), Bytes(end, all.end())};
  }
};

/// Starts a machine that holds a texture of an uncommon format, if its guest was told of that.
Machine start(const char* device, const char* caps, aerogpu_format format = kFormat) {
  return Machine::unpacked(onDevice(device, [&]() -> Bytes {
    Harness h(optionsOf(caps));
    if (!h.ok()) return {};
    Machine machine{capsOf(h), {}};
    CommandWriter w;
    Harness::createTexture(w, h.handle(), format, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, 1, 0, pattern(format == kFormat ? kSide * kSide * 4 : kBlockBytes));
    if (h.submit(w).result.error_count != 0 && std::strcmp(device, "bare") != 0) return {};
    if (const std::string error = save(h.renderer(), machine.snapshot); !error.empty()) {
      std::fprintf(stderr, "%s: %s\n", device, error.c_str());
      return {};
    }
    return machine.packed();
  }));
}

/// Needs of a GPU what only desktops' have. Returns "", or what is not as it should be.
std::string useMore(Harness& h) {
  const auto make = [&](aerogpu_format format, uint32_t side) {
    CommandWriter w;
    Harness::createTexture(w, h.handle(), format, side, side, AEROGPU_RESOURCE_USAGE_TEXTURE);
    return h.submit(w).result.last_error_code;
  };
  for (int i = 0; i < 2; ++i) {
    if (make(kBlocks, kSide) != AEROGPU_ERROR_BACKEND) return "blocks are no BACKEND error";
    // The desktop's limit is 16384, this GPU's 4096.
    if (make(AEROGPU_FORMAT_B8G8R8A8_UNORM, 8192) != AEROGPU_ERROR_BACKEND) return "size is no BACKEND error";
    if (make(AEROGPU_FORMAT_B8G8R8A8_UNORM, 1 << 20) != AEROGPU_ERROR_OOB) return "size is no OOB error";
  }
  size_t lines = 0;
  for (const std::string& line : h.takeErrorLines()) lines += line.find("and uses: ") != std::string::npos;
  return lines == 2 ? "" : std::to_string(lines) + " lines";
}

/// Takes the machine there. Returns "goes", or why it does not. `partly`: as a host that accepts machines
/// that use nothing of what it lacks.
std::string go(const Machine& machine, const char* device, const char* caps, bool partly = false) {
  const Bytes text = onDevice(device, [&]() -> Bytes {
    const auto bytesOf = [](const std::string& s) { return Bytes(s.begin(), s.end()); };
    Harness h(optionsOf(caps));
    if (!h.ok()) return bytesOf(h.createError());
    char error[4096] = "";
    aerogpu_renderer* r = h.renderer();
    if (!aerogpu_renderer_covers_caps(r, machine.caps.data(), machine.caps.size(), error, sizeof error) &&
        !partly)
      return bytesOf(error);
    if (!aerogpu_renderer_adopt_caps(r, machine.caps.data(), machine.caps.size(), partly))
      return bytesOf("not adopted");
    if (!aerogpu_renderer_load_bytes(r, machine.snapshot.data(), machine.snapshot.size(), error,
                                     sizeof error) ||
        !aerogpu_renderer_load_finish(r, nullptr, error, sizeof error))
      return bytesOf(error);
    while (h.handle() < 100) {
    }
    if (h.stats().resources == 1 && h.readTexture(1, kFormat, kSide, kSide) != pattern(kSide * kSide * 4))
      return bytesOf("other texels");
    if (const std::string other = partly ? useMore(h) : ""; !other.empty()) return bytesOf(other);
    return bytesOf("goes");
  });
  return {text.begin(), text.end()};
}

/// What the guest of a desktop's GPU was told, and a GPU that has only what Vulkan 1.3 requires lacks: its
/// limits
/// ("Required Limits") and its formats ("Required Format Support").
constexpr const char* kLackedByBare =
    "max_texture_2d 16384, here 4096; max_texture_cube 16384, here 4096; max_array_layers 2048, here 256; "
    "max_anisotropy 16, here 1; flags 0x1d7f, here 0x404; max_clip_planes 6, here 0; max_color_targets 8, "
    "here 4; max_point_size_f32 255.000000, here 1.000000; all uses of BC1_RGBA_UNORM, "
    "BC1_RGBA_UNORM_SRGB, BC2_RGBA_UNORM, BC2_RGBA_UNORM_SRGB, BC3_RGBA_UNORM, BC3_RGBA_UNORM_SRGB, "
    "BC7_RGBA_UNORM, BC7_RGBA_UNORM_SRGB, D3D9_G16R16, D3D9_A16B16G16R16, D3D9_L6V5U5, D3D9_X8L8V8U8, "
    "D3D9_V16U16, D3D9_A2W10V10U10, D3D9_L16, D3D9_Q16W16V16U16, D3D9_ATI1, D3D9_ATI2, "
    "DXGI_R16G16B16A16_UNORM, DXGI_R16G16B16A16_SNORM, DXGI_R16G16_UNORM, DXGI_R16G16_SNORM, "
    "DXGI_R16_UNORM, DXGI_BC1_TYPELESS, DXGI_BC1_UNORM, DXGI_BC1_UNORM_SRGB, DXGI_BC2_TYPELESS, "
    "DXGI_BC2_UNORM, DXGI_BC2_UNORM_SRGB, DXGI_BC3_TYPELESS, DXGI_BC3_UNORM, DXGI_BC3_UNORM_SRGB, "
    "DXGI_BC4_TYPELESS, DXGI_BC4_UNORM, DXGI_BC4_SNORM, DXGI_BC5_TYPELESS, DXGI_BC5_UNORM, "
    "DXGI_BC5_SNORM; BORDER of B8G8R8A8_UNORM, B8G8R8X8_UNORM, R8G8B8A8_UNORM, R8G8B8X8_UNORM, "
    "B5G6R5_UNORM, B5G5R5A1_UNORM, B8G8R8A8_UNORM_SRGB, B8G8R8X8_UNORM_SRGB, R8G8B8A8_UNORM_SRGB, "
    "R8G8B8X8_UNORM_SRGB, D24_UNORM_S8_UINT, D32_FLOAT, D3D9_R8G8B8, D3D9_X1R5G5B5, D3D9_A8, "
    "D3D9_A2B10G10R10, D3D9_L8, D3D9_A8L8, D3D9_A4L4, D3D9_D16, D3D9_R16F, D3D9_G16R16F, "
    "D3D9_A16B16G16R16F, D3D9_INTZ, D3D9_DF16, D3D9_DF24, DXGI_R16G16B16A16_TYPELESS, "
    "DXGI_R16G16B16A16_FLOAT, DXGI_R10G10B10A2_TYPELESS, DXGI_R10G10B10A2_UNORM, DXGI_R11G11B10_FLOAT, "
    "DXGI_R8G8B8A8_TYPELESS, DXGI_R8G8B8A8_UNORM, DXGI_R8G8B8A8_UNORM_SRGB, DXGI_R16G16_TYPELESS, "
    "DXGI_R16G16_FLOAT, DXGI_D32_FLOAT, DXGI_D24_UNORM_S8_UINT, DXGI_R24_UNORM_X8_TYPELESS, "
    "DXGI_R8G8_TYPELESS, DXGI_R8G8_UNORM, DXGI_R16_TYPELESS, DXGI_R16_FLOAT, DXGI_D16_UNORM, "
    "DXGI_R16_SNORM, DXGI_R8_TYPELESS, DXGI_R8_UNORM, DXGI_R8_SNORM, DXGI_A8_UNORM, "
    "DXGI_R9G9B9E5_SHAREDEXP, DXGI_B5G6R5_UNORM, DXGI_B5G5R5A1_UNORM, DXGI_B8G8R8A8_UNORM, "
    "DXGI_B8G8R8X8_UNORM, DXGI_B8G8R8A8_TYPELESS, DXGI_B8G8R8A8_UNORM_SRGB, DXGI_B8G8R8X8_TYPELESS, "
    "DXGI_B8G8R8X8_UNORM_SRGB; FILTER BLEND BORDER of D3D9_R32F, D3D9_G32R32F, D3D9_A32B32G32R32F, "
    "DXGI_R32G32B32A32_TYPELESS, DXGI_R32G32B32A32_FLOAT, DXGI_R32G32_TYPELESS, DXGI_R32G32_FLOAT, "
    "DXGI_R32_TYPELESS, DXGI_R32_FLOAT; TARGET BLEND BORDER 1-samples 4-samples of D3D9_A2R10G10B10; "
    "TARGET BLIT_DST AUTO_MIPS BORDER 1-samples 4-samples of D3D9_V8U8, D3D9_Q8W8V8U8, "
    "DXGI_R8G8B8A8_SNORM, DXGI_R8G8_SNORM; TARGET BLEND BLIT_DST AUTO_MIPS BORDER 1-samples 4-samples of "
    "D3D9_A4R4G4B4, D3D9_X4R4G4B4";

constexpr const char* kDesktops[] = {"", "amd", "nvidia", "atom"};

TEST(Announced, WithTheBaseSetMachinesGoBetweenAllDesktops) {
  for (const char* from : kDesktops) {
    const Machine machine = start(from, "base");
    ASSERT_FALSE(machine.snapshot.empty());
    for (const char* to : kDesktops) {
      SCOPED_TRACE(testing::Message() << "from '" << from << "' to '" << to << "'");
      EXPECT_EQ(go(machine, to, "base"), "goes");
      EXPECT_EQ(go(machine, to, "host"), "goes");
    }
  }
}

// What the set promises is there, so that nothing of it is left out where a machine starts. An H200 of NVIDIA
// has it too.
TEST(Announced, DesktopsHaveTheWholeBaseSet) {
  for (const char* device : kDesktops) {
    SCOPED_TRACE(testing::Message() << "'" << device << "'");
    const Bytes block = onDevice(device, [&]() -> Bytes {
      Harness h(optionsOf("base-1"));
      return h.ok() ? capsOf(h) : Bytes{};
    });
    const auto parsed = core::parseCaps(block);
    ASSERT_TRUE(parsed.ok());
    const aerogpu_caps& caps = parsed->caps;
    const core::BackendLimits& base = core::base1Limits();
    EXPECT_EQ(caps.max_texture_2d, base.maxTextureSize);
    EXPECT_EQ(caps.max_texture_volume, base.maxVolumeSize);
    EXPECT_EQ(caps.max_texture_cube, base.maxCubeSize);
    EXPECT_EQ(caps.max_array_layers, base.maxArrayLayers);
    EXPECT_EQ(caps.max_buffer_bytes, base.maxBufferBytes);
    EXPECT_EQ(caps.max_anisotropy, base.maxAnisotropy);
    EXPECT_EQ(caps.color_samples, base.colorSamples);
    EXPECT_EQ(caps.depth_samples, base.depthSamples);
    EXPECT_EQ(caps.flags, base.capsFlags);
    EXPECT_EQ(caps.max_color_targets, base.maxColorTargets);
    EXPECT_EQ(caps.max_clip_planes, base.maxClipPlanes);
    EXPECT_EQ(std::bit_cast<float>(caps.max_point_size_f32), base.maxPointSize);
    EXPECT_EQ(caps.missing_vertex_types, base.missingVertexTypes);
    for (const auto& [format, wanted] : core::base1Formats()) {
      const auto found = parsed->formats.find(format);
      ASSERT_NE(found, parsed->formats.end()) << core::findFormat(format)->name;
      EXPECT_EQ(wanted.caps & ~found->second.caps, 0u)
          << core::findFormat(format)->name << std::hex << ", all are 0x" << wanted.caps;
      EXPECT_EQ(wanted.samples, found->second.samples) << core::findFormat(format)->name;
    }
  }
}

TEST(Announced, WithoutItMachinesGoWhereAllIsThere) {
  for (const char* from : kDesktops) {
    const Machine machine = start(from, "host");
    ASSERT_FALSE(machine.snapshot.empty());
    for (const char* to : kDesktops) {
      SCOPED_TRACE(testing::Message() << "from '" << from << "' to '" << to << "'");
      EXPECT_EQ(go(machine, to, "host"), "goes");
    }
    if (std::string(machine.caps.begin(), machine.caps.end()).find("llvmpipe") != std::string::npos)
      EXPECT_EQ(go(machine, "bare", "host"), kLackedByBare);
    else  // another GPU has more to lack
      EXPECT_TRUE(go(machine, "bare", "host").starts_with("max_texture_2d "));
  }
}

// CAPS-8
TEST(Announced, MachinesThatUseNothingOfWhatIsLackingGoIfTheyMay) {
  for (const char* from : kDesktops) {
    SCOPED_TRACE(testing::Message() << "from '" << from << "'");
    const Machine plain = start(from, "host"), blocks = start(from, "host", kBlocks);
    ASSERT_FALSE(plain.snapshot.empty());
    ASSERT_FALSE(blocks.snapshot.empty());
    EXPECT_TRUE(go(plain, "bare", "host").starts_with("max_texture_2d "));
    EXPECT_EQ(go(plain, "bare", "host", true), "goes");
    const std::string said = go(blocks, "bare", "host", true);
    EXPECT_TRUE(std::regex_match(
        said,
        std::regex("load [0-9]+, byte [0-9]+, EXT_CREATE_TEXTURE, object 1, space 0: this GPU has no such "
                   "use of the format: format 64, usage_flags 8")))
        << said;
  }
}

TEST(Announced, MachinesOfAGpuThatHasLittleGoAnywhere) {
  const Machine machine = start("bare", "host");
  ASSERT_FALSE(machine.snapshot.empty());
  for (const char* to : {"", "amd", "nvidia", "atom", "bare"}) {
    SCOPED_TRACE(testing::Message() << "to '" << to << "'");
    EXPECT_EQ(go(machine, to, "host"), "goes");
  }
}

}  // namespace
}  // namespace aerogpu::test
