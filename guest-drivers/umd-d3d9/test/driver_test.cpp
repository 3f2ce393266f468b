// SPDX-License-Identifier: MIT
// Tests the driver without a GPU: how it is opened, its caps, its table of functions. Expectations are from Microsoft's
// pages of the DDI and docs/abi/.
#include "aerogpu/aerogpu.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "guest-drivers/umd-common/linux/linux_log.h"
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

// Opening.

// PRIV-29: the layout is the same for 32- and 64-bit code, and begins with version 1.
static_assert(offsetof(aerogpu_umd_ext_private_v2, ext_flags) == 64 &&
              offsetof(aerogpu_umd_ext_private_v2, driver_version) == 72 &&
              offsetof(aerogpu_umd_ext_private_v2, aperture_bytes) == 88 &&
              offsetof(aerogpu_umd_ext_private_v2, dma_buffer_bytes) == 96 &&
              offsetof(aerogpu_umd_ext_private_v2, block_written) == 124);

TEST(UmdOpen, AsksTheKernelDriverAndRefusesWhatItDoesNotKnow) {
  FakeKernel kernel;
  aerogpu_umd_private_v1 info = {};
  info.size_bytes = sizeof info;
  info.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1;
  info.device_mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU;
  info.device_abi_version_u32 = AEROGPU_ABI_VERSION_U32;
  const auto open = [&](aerogpu_umd_private_v1 answer, HRESULT error = 0) {
    FakeRuntime rt(kernel);
    rt.info = &answer;
    if (error) rt.errors["QueryAdapterInfo"] = error;
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    const HRESULT result = OpenAdapter(&args);
    if (result >= 0) {
      EXPECT_EQ(args.DriverVersion, 0x2003u);
      EXPECT_EQ(rt.adapterFunctions.pfnCloseAdapter(args.hAdapter), 0);
    }
    return result;
  };
  const unsigned pins = timesPinned();
  EXPECT_EQ(open(info), 0);
  EXPECT_GT(timesPinned(), pins) << "the DLL stays in the process";
  EXPECT_EQ(open(info, kDeviceRemoved), kDeviceRemoved);
  auto wrong = info;
  wrong.device_mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP;
  EXPECT_LT(open(wrong), 0);
  wrong = info;
  wrong.size_bytes = 63;
  EXPECT_LT(open(wrong), 0);
  wrong = info;
  wrong.device_abi_version_u32 = 2 << 16;
  EXPECT_LT(open(wrong), 0);
  wrong = info;
  wrong.device_abi_version_u32 += 1;  // a newer minor version is fine
  EXPECT_EQ(open(wrong), 0);
  wrong = info;
  wrong.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;  // PRIV-29: with all of its fields
  EXPECT_LT(open(wrong), 0);
  wrong.size_bytes = 128;
  EXPECT_EQ(open(wrong), 0);
  wrong.size_bytes = 128 + 4096;  // the extra bytes are ignored
  EXPECT_EQ(open(wrong), 0);
  EXPECT_EQ(heapBlocks(), 0u);
}

TEST(UmdOpen, ARuntimeOfAnOlderLevelGetsATableOfItsSize) {
  for (const UINT version : {0xCu, 0x2003u, 0x2004u, 0u}) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    args.Version = version;
    ASSERT_EQ(OpenAdapter(&args), 0);
    EXPECT_EQ(args.DriverVersion, version == 0xC ? 0xCu : 0x2003u);
    const D3DDDI_DEVICECALLBACKS table = rt.callbacks();
    D3DDDIARG_CREATEDEVICE create = {};
    create.hDevice = &rt;
    create.pCallbacks = &table;
    memset(static_cast<void *>(&rt.driver), 0xEE, sizeof rt.driver);
    create.pDeviceFuncs = &rt.driver;
    ASSERT_EQ(rt.adapterFunctions.pfnCreateDevice(args.hAdapter, &create), 0);
    uint8_t tail[sizeof(void *)], untouched[sizeof(void *)];
    memcpy(tail, &rt.driver.pfnCreateVideoProcessor, sizeof tail);  // the first that Windows 7 added
    memset(untouched, 0xEE, sizeof untouched);
    EXPECT_EQ(memcmp(tail, untouched, sizeof tail) == 0, version == 0xC) << version;
    EXPECT_EQ(rt.driver.pfnDestroyDevice(create.hDevice), 0);
    EXPECT_EQ(rt.adapterFunctions.pfnCloseAdapter(args.hAdapter), 0);
  }
}

TEST(UmdOpen, ErrorsOfCallbacksAreThoseOfCreateDevice) {
  for (const char *name : {"CreateContext", "Escape"}) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    ASSERT_EQ(OpenAdapter(&args), 0);
    rt.errors[name] = kDeviceRemoved;
    const D3DDDI_DEVICECALLBACKS table = rt.callbacks();
    D3DDDIARG_CREATEDEVICE create = {};
    create.hDevice = &rt;
    create.pCallbacks = &table;
    create.pDeviceFuncs = &rt.driver;
    EXPECT_EQ(rt.adapterFunctions.pfnCreateDevice(args.hAdapter, &create), kDeviceRemoved) << name;
    EXPECT_EQ(rt.adapterFunctions.pfnCloseAdapter(args.hAdapter), 0);
    EXPECT_EQ(heapBlocks(), 0u);
  }
}

// Caps.

TEST_F(Umd, FormatsFollowTheRulesOfTheFormatopPage) {
  UINT n = 0;
  ASSERT_EQ(caps(D3DDDICAPS_GETFORMATCOUNT, &n, sizeof n), 0);
  std::vector<FORMATOP> list(n);
  ASSERT_EQ(caps(D3DDDICAPS_GETFORMATDATA, list.data(), static_cast<UINT>(n * sizeof list[0])), 0);
  std::map<uint32_t, uint32_t> all;
  for (const FORMATOP &row : list) {
    const uint32_t ops = row.Operations;
    SCOPED_TRACE(row.Format);
    EXPECT_NE(static_cast<uint32_t>(row.Format), 0u);
    all[row.Format] |= ops;
    if (ops & FORMATOP_DISPLAYMODE) {
      EXPECT_TRUE(row.Format == D3DDDIFMT_X8R8G8B8 || row.Format == D3DDDIFMT_R5G6B5) << "alpha cannot be shown";
    }
    if (ops & FORMATOP_3DACCELERATION) {
      EXPECT_TRUE(ops & FORMATOP_DISPLAYMODE);
    }
    if (ops & FORMATOP_OFFSCREEN_RENDERTARGET) {
      EXPECT_TRUE(ops & FORMATOP_SAME_FORMAT_RENDERTARGET);
    }
    if (ops & FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH) {
      EXPECT_TRUE(ops & FORMATOP_ZSTENCIL);
    }
    if (ops & FORMATOP_MEMBEROFGROUP_ARGB) {
      EXPECT_NE(row.Format, D3DDDIFMT_A4R4G4B4);
    }
    EXPECT_EQ(row.FlipMsTypes | row.BltMsTypes, 0u);
    EXPECT_FALSE(ops & (FORMATOP_VOLUMETEXTURE | FORMATOP_AUTOGENMIPMAP | FORMATOP_PIXELSIZE));
    // An announced format can be made.
    HANDLE made;
    if (ops & FORMATOP_TEXTURE) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::texture(), made, D3DDDIPOOL_VIDEOMEMORY, 5), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_CUBETEXTURE) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::cube(), made, D3DDDIPOOL_VIDEOMEMORY, 5, 6), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_OFFSCREEN_RENDERTARGET) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::target(), made), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_ZSTENCIL) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, Program::depth(), made), 0);
      if (made) p.destroy(made);
    }
    if (ops & FORMATOP_OFFSCREENPLAIN) {
      EXPECT_EQ(p.tryResource(row.Format, 16, 16, 0, made), 0);
      if (made) p.destroy(made);
    }
  }
  EXPECT_TRUE(all[D3DDDIFMT_A8R8G8B8] & FORMATOP_SRGBREAD && all[D3DDDIFMT_A8R8G8B8] & FORMATOP_SRGBWRITE);
  HANDLE made;
  EXPECT_EQ(p.tryResource(D3DDDIFMT_A4R4G4B4, 16, 16, Program::texture(), made), kNotAvailable);
}

TEST_F(Umd, CapsMeetShaderModelThreeAndFitTheirBuffers) {
  D3DCAPS9 c = {};
  ASSERT_EQ(caps(D3DDDICAPS_GETD3D9CAPS, &c, sizeof c), 0);
  EXPECT_EQ(c.VertexShaderVersion, 0xFFFE0300u);
  EXPECT_EQ(c.PixelShaderVersion, 0xFFFF0300u);
  for (const DWORD slots : {c.MaxVertexShader30InstructionSlots, c.MaxPixelShader30InstructionSlots}) {
    EXPECT_TRUE(slots >= 512 && slots <= 32768) << slots;
  }
  EXPECT_EQ(c.VS20Caps.DynamicFlowControlDepth, 24);
  EXPECT_EQ(c.VS20Caps.NumTemps, 32);
  EXPECT_EQ(c.PS20Caps.NumInstructionSlots, 512);
  EXPECT_EQ(c.MaxVertexShaderConst, 256u);
  EXPECT_GE(c.MaxStreams, 8u);
  EXPECT_EQ(c.Caps2 & D3DCAPS2_CANMANAGERESOURCE, 0u);
  EXPECT_EQ(c.Caps2 & D3DCAPS2_CANAUTOGENMIPMAP, 0u);
  EXPECT_EQ(c.DevCaps & (D3DDEVCAPS_RTPATCHES | D3DDEVCAPS_NPATCHES), 0u);
  EXPECT_EQ(c.TextureCaps & D3DPTEXTURECAPS_VOLUMEMAP, 0u);
  // POW2 and NONPOW2CONDITIONAL both or neither.
  EXPECT_EQ(!(c.TextureCaps & D3DPTEXTURECAPS_POW2), !(c.TextureCaps & D3DPTEXTURECAPS_NONPOW2CONDITIONAL));
  // D3DCAPS8 is its beginning, with versions of that time.
  D3DCAPS9 older = {};
  const UINT bytes8 = offsetof(D3DCAPS9, DevCaps2);
  ASSERT_EQ(caps(D3DDDICAPS_GETD3D8CAPS, &older, bytes8), 0);
  EXPECT_EQ(older.VertexShaderVersion, 0xFFFE0101u);
  EXPECT_EQ(older.PixelShaderVersion, 0xFFFF0104u);
  EXPECT_EQ(older.MaxTextureWidth, c.MaxTextureWidth);
  // A short buffer is not overrun, whatever the type.
  for (UINT type = 1; type <= 50; type++)
    for (const UINT bytes : {0u, 1u, 4u, 20u}) {
      std::vector<uint8_t> buffer(64, 0x5A);
      caps(type, buffer.data(), bytes);
      for (size_t i = bytes; i < buffer.size(); i++) ASSERT_EQ(buffer[i], 0x5A) << type << " with " << bytes;
    }
  EXPECT_EQ(caps(D3DDDICAPS_CHECKOVERLAYSUPPORT, nullptr, 0), kUnsupportedOverlay);
  // A type that the driver does not know has an empty answer (EX-10).
  for (const UINT type : {51u, 200u, 0x7FFFFFFFu}) {
    std::vector<uint8_t> buffer(64, 0x5A);
    EXPECT_EQ(caps(type, buffer.data(), 40), 0) << type;
    for (size_t i = 0; i < buffer.size(); i++) ASSERT_EQ(buffer[i], i < 40 ? 0 : 0x5A) << type << " at " << i;
  }
  UINT decoders = 7;
  EXPECT_EQ(caps(D3DDDICAPS_GETDECODEGUIDCOUNT, &decoders, sizeof decoders), 0);
  EXPECT_EQ(decoders, 0u);
}

TEST_F(Umd, QualityLevelsAgreeWithTheMasks) {
  for (uint32_t type = 0; type <= 16; type++) {
    DDIMULTISAMPLEQUALITYLEVELSDATA data = {};
    data.Format = D3DDDIFMT_A8R8G8B8;
    data.MsType = static_cast<D3DDDIMULTISAMPLE_TYPE>(type);
    data.QualityLevels = 99;
    ASSERT_EQ(caps(D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS, &data, sizeof data), 0);
    EXPECT_EQ(data.QualityLevels, type ? 0u : 1u) << type;
  }
}

// The table. Functions that need caps which are not announced refuse at once.

/**
 * Calls a function that uses no argument, whatever its type says. The convention passes them in registers and in the
 * caller's stack space, so extra ones do no harm; clang's sanitizer requires the exact type.
 */
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
HRESULT
callAnything(void *function, HANDLE device) {
  const auto call = reinterpret_cast<HRESULT(APIENTRY *)(HANDLE, void *, void *, void *, void *)>(function);
  return call(device, nullptr, nullptr, nullptr, nullptr);
}

TEST_F(Umd, EveryFunctionIsThereAndAnswersAsItsRowSays) {
  struct Row {
    const char *name;
    Answer answer;
  };
  static constexpr Row kRows[] = {
#define AERO_ROW(NAME, ANSWER) {#NAME, Answer::ANSWER},
      AERO_DEVICE_FUNCTIONS(AERO_ROW)
#undef AERO_ROW
  };
  static_assert(std::size(kRows) == 121);
  static_assert(sizeof(D3DDDI_DEVICEFUNCS) == 121 * sizeof(void *));
  void *slots[121];
  memcpy(slots, &rt.driver, sizeof slots);
  int done = 0, missing = 0, nulls = 0;
  for (size_t i = 0; i < 121; i++) {
    SCOPED_TRACE(kRows[i].name);
    EXPECT_EQ(slots[i] == nullptr, kRows[i].answer == Answer::Null);
    nulls += slots[i] == nullptr;
    done += kRows[i].answer == Answer::Done;
    if (!slots[i] || kRows[i].answer == Answer::Done) continue;
    const HRESULT result = callAnything(slots[i], rt.device);
    missing += result == kNotImplemented;
    switch (kRows[i].answer) {
    case Answer::Stub:
      EXPECT_EQ(result, 0);
      break;
    case Answer::Overlay:
      EXPECT_EQ(result, kUnsupportedOverlay);
      break;
    case Answer::Crypto:
      EXPECT_EQ(result, kUnsupportedCrypto);
      break;
    case Answer::NotAvailable:
      EXPECT_EQ(result, kNotAvailable);
      break;
    default:
      EXPECT_EQ(result, kNotImplemented);
      break;
    }
  }
  EXPECT_EQ(nulls, 3);
  EXPECT_LE(missing, 27) << "it may only fall";
  // The rows that the functions are made of say what they answer: only the number can tell that one lost its work.
  EXPECT_GE(done, 59) << "it may only rise";
}

}  // namespace
}  // namespace aero::test
