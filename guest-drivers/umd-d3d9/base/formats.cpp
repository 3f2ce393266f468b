// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/base/formats.h"

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/common/device_format.h"

namespace aero {
namespace {

constexpr uint32_t fourCc(char a, char b, char c, char d) {
  return aerogpu::d3d9::fourCc(a, b, c, d);
}

// Properties that the device does not report: how Direct3D 9 groups formats (page "FORMATOP").
enum Trait : uint16_t {
  kPlain = 0,
  kShown = 1,  // formats of the screen: DISPLAYMODE, 3DACCELERATION
  // Colours of at least 5 bits a channel, the only ones that a driver may announce as source or destination of
  // conversions, besides sources with a FourCC; else Windows loads no driver at all (page "Reporting Support for 2D
  // Operations Using Surface Formats"). The formats are those of D3D9On12 and VirtualBox (VBoxDispD3DIf.cpp).
  kGroup = 2,
  kUpToAlpha = 4,  // differs from a format of the screen only in alpha
  kDepth = 8,
  kStencil = 16,
  kLocked = 32,       // depth that programs lock: one sample
  kVideo = 64,        // YUV: plain surfaces, and textures that the driver converts
  kBump = 128,        // differences of coordinates, and luminance
  kTight = 256,       // see FormatRow
  kIndices = 512,     // indices of a palette, see indexOperations()
  kNull = 1024,       // has neither memory nor a device format
  kPlanar = 2048,     // see FormatRow
  kResolve = 8192,    // a name by which programs ask for Blits::resolveDepth(); a target of it is one of NULL
  kGathered = 16384,  // programs that find it sample with Fetch4, in all formats of one channel
  kCoverage = 32768,  // a name by which programs ask for alpha to coverage; a surface of it is one of NULL
  kDirectDraw = 4096  // for DirectDraw, whose runtime calls 24 bits of depth so (DDrawCompat, D3dDdi/Adapter.cpp)
};

// ABI 1.4's abilities with formats, in the terms of the capability block.
constexpr uint32_t kSampled = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_FILTER | AEROGPU_FORMAT_CAP_CUBE;
constexpr uint32_t kDrawn = kSampled | AEROGPU_FORMAT_CAP_VERTEX_SAMPLE | AEROGPU_FORMAT_CAP_TARGET |
                            AEROGPU_FORMAT_CAP_BLEND | AEROGPU_FORMAT_CAP_BLIT_SRC | AEROGPU_FORMAT_CAP_BLIT_DST;
constexpr uint32_t kSrgb = AEROGPU_FORMAT_CAP_SRGB_READ | AEROGPU_FORMAT_CAP_SRGB_WRITE;
constexpr uint32_t kBlocks = kSampled | AEROGPU_FORMAT_CAP_SRGB_READ;
constexpr uint32_t kShadows = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_DEPTH | AEROGPU_FORMAT_CAP_COMPARE;

struct Known {
  uint32_t d3d;     // D3DFORMAT
  uint32_t device;  // enum aerogpu_format; those from AEROGPU_EXT_FORMAT_FIRST on need feature bit 37
  uint32_t older;   // the format without that bit; 0: none
  uint32_t olderCaps;
  uint8_t block, blockBytes;
  uint16_t traits;
};

#define AERO_BOTH(NAME) AEROGPU_FORMAT_##NAME, AEROGPU_FORMAT_##NAME
#define AERO_NEW(D3D, BYTES, TRAITS) \
  { D3DDDIFMT_##D3D, AEROGPU_FORMAT_D3D9_##D3D, AEROGPU_FORMAT_INVALID, 0, 1, BYTES, TRAITS }

// D24X8 is stored as 32-bit depth: no program sees the bits, and no stencil that a leftover state could change. D24FS8
// is stored as D24S8: no program reads its bits either. DF24 has no stencil in Direct3D, but has one on the device
// (FMT-12), which SpecialStates keeps unused. P8 is stored as L8.
constexpr Known kKnown[] = {
    {D3DDDIFMT_A8R8G8B8, AERO_BOTH(B8G8R8A8_UNORM), kDrawn | kSrgb, 1, 4, kGroup | kUpToAlpha},
    {D3DDDIFMT_X8R8G8B8, AERO_BOTH(B8G8R8X8_UNORM), kDrawn | kSrgb, 1, 4, kGroup | kShown},
    {D3DDDIFMT_R5G6B5, AERO_BOTH(B5G6R5_UNORM), kDrawn, 1, 2, kGroup | kShown},
    {D3DDDIFMT_A1R5G5B5, AERO_BOTH(B5G5R5A1_UNORM), kDrawn, 1, 2, kGroup},
    {D3DDDIFMT_A8B8G8R8, AERO_BOTH(R8G8B8A8_UNORM), kDrawn | kSrgb, 1, 4, kGroup | kUpToAlpha},
    {D3DDDIFMT_X8B8G8R8, AERO_BOTH(R8G8B8X8_UNORM), kDrawn | kSrgb, 1, 4, kGroup},
    AERO_NEW(R8G8B8, 3, kPlain),
    AERO_NEW(X1R5G5B5, 2, kGroup),
    AERO_NEW(A4R4G4B4, 2, kPlain),
    AERO_NEW(X4R4G4B4, 2, kPlain),
    AERO_NEW(A2R10G10B10, 4, kGroup),
    AERO_NEW(A2B10G10R10, 4, kGroup),
    AERO_NEW(A8, 1, kPlain),
    AERO_NEW(L8, 1, kPlain),
    AERO_NEW(A8L8, 2, kPlain),
    AERO_NEW(A4L4, 1, kPlain),
    AERO_NEW(L16, 2, kPlain),
    AERO_NEW(G16R16, 4, kPlain),
    AERO_NEW(A16B16G16R16, 8, kGroup),
    AERO_NEW(R16F, 2, kPlain),
    AERO_NEW(G16R16F, 4, kPlain),
    AERO_NEW(A16B16G16R16F, 8, kGroup),
    AERO_NEW(R32F, 4, kPlain),
    AERO_NEW(G32R32F, 8, kPlain),
    AERO_NEW(A32B32G32R32F, 16, kPlain),
    AERO_NEW(V8U8, 2, kBump),
    AERO_NEW(L6V5U5, 2, kBump),
    AERO_NEW(X8L8V8U8, 4, kBump),
    AERO_NEW(Q8W8V8U8, 4, kBump),
    AERO_NEW(V16U16, 4, kBump),
    AERO_NEW(A2W10V10U10, 4, kPlain),
    AERO_NEW(Q16W16V16U16, 8, kPlain),
    AERO_NEW(UYVY, 2, kVideo),
    AERO_NEW(YUY2, 2, kVideo),
    {fourCc('N', 'V', '1', '2'), AEROGPU_FORMAT_D3D9_NV12, AEROGPU_FORMAT_INVALID, 0, 1, 1, kVideo | kPlanar},
    {fourCc('Y', 'V', '1', '2'), AEROGPU_FORMAT_D3D9_YV12, AEROGPU_FORMAT_INVALID, 0, 1, 1, kVideo | kPlanar},
    {D3DDDIFMT_P8, AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_INVALID, 0, 1, 1, kIndices},
    {fourCc('N', 'U', 'L', 'L'), AERO_BOTH(INVALID), 0, 1, 1, kNull},
    {fourCc('R', 'E', 'S', 'Z'), AERO_BOTH(INVALID), 0, 1, 1, kNull | kResolve},
    {fourCc('A', 'T', 'O', 'C'), AERO_BOTH(INVALID), 0, 1, 1, kNull | kCoverage},
    {D3DDDIFMT_DXT1, AERO_BOTH(BC1_RGBA_UNORM), kBlocks, 4, 8, kPlain},
    {D3DDDIFMT_DXT2, AERO_BOTH(BC2_RGBA_UNORM), kBlocks, 4, 16, kPlain},
    {D3DDDIFMT_DXT3, AERO_BOTH(BC2_RGBA_UNORM), kBlocks, 4, 16, kPlain},
    {D3DDDIFMT_DXT4, AERO_BOTH(BC3_RGBA_UNORM), kBlocks, 4, 16, kPlain},
    {D3DDDIFMT_DXT5, AERO_BOTH(BC3_RGBA_UNORM), kBlocks, 4, 16, kPlain},
    {fourCc('A', 'T', 'I', '1'), AEROGPU_FORMAT_D3D9_ATI1, AEROGPU_FORMAT_INVALID, 0, 4, 8, kTight},
    {fourCc('A', 'T', 'I', '2'), AEROGPU_FORMAT_D3D9_ATI2, AEROGPU_FORMAT_INVALID, 0, 4, 16, kTight},
    {D3DDDIFMT_D24S8, AERO_BOTH(D24_UNORM_S8_UINT), kShadows, 1, 4, kDepth | kStencil},
    {D3DDDIFMT_D24FS8, AERO_BOTH(D24_UNORM_S8_UINT), kShadows, 1, 4, kDepth | kStencil},
    {D3DDDIFMT_D24X8, AERO_BOTH(D32_FLOAT), kShadows, 1, 4, kDepth},
    {D3DDDIFMT_X8D24, AERO_BOTH(D32_FLOAT), kShadows, 1, 4, kDepth | kDirectDraw},
    {D3DDDIFMT_S8D24, AERO_BOTH(D24_UNORM_S8_UINT), kShadows, 1, 4, kDepth | kStencil | kDirectDraw},
    {D3DDDIFMT_D16, AEROGPU_FORMAT_D3D9_D16, AEROGPU_FORMAT_D32_FLOAT, kShadows, 1, 2, kDepth},
    {D3DDDIFMT_D16_LOCKABLE, AEROGPU_FORMAT_D3D9_D16, AEROGPU_FORMAT_INVALID, 0, 1, 2, kDepth | kLocked},
    {D3DDDIFMT_D32F_LOCKABLE, AERO_BOTH(D32_FLOAT), kShadows, 1, 4, kDepth | kLocked},
    {fourCc('I', 'N', 'T', 'Z'), AEROGPU_FORMAT_D3D9_INTZ, AEROGPU_FORMAT_INVALID, 0, 1, 4, kDepth | kStencil},
    {fourCc('D', 'F', '1', '6'), AEROGPU_FORMAT_D3D9_DF16, AEROGPU_FORMAT_INVALID, 0, 1, 2, kDepth},
    {fourCc('D', 'F', '2', '4'), AEROGPU_FORMAT_D3D9_DF24, AEROGPU_FORMAT_INVALID, 0, 1, 4, kDepth | kGathered},
};
#undef AERO_BOTH
#undef AERO_NEW
static_assert(sizeof kKnown / sizeof kKnown[0] <= FormatTable::kMaxRows);

uint32_t depthOperations(const Known &known, uint32_t caps) {
  if (!(caps & AEROGPU_FORMAT_CAP_DEPTH)) return 0;
  if (known.traits & kGathered && !(caps & AEROGPU_FORMAT_CAP_GATHER)) return 0;
  uint32_t operations = FORMATOP_ZSTENCIL | FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH;
  if (!(caps & AEROGPU_FORMAT_CAP_SAMPLE)) return operations;
  operations |= FORMATOP_TEXTURE;
  // A sampler that compares filters the results.
  if (!(caps & (AEROGPU_FORMAT_CAP_FILTER | AEROGPU_FORMAT_CAP_COMPARE))) operations |= FORMATOP_NOFILTER;
  return operations;
}

/** Returns the bits of a pixel of a format in the runtime's memory, as D3D9On12 reports them (src/9on12Adapter.cpp,
 * table s_surfFormats): a byte for ATI1 and ATI2, because runtime and programs count their pitch in pixels. 0: none. */
uint8_t pixelBits(uint32_t traits) {
  return traits & kTight ? 8 : traits & kVideo ? 16 : 0;
}

/** Returns the operations of P8. Direct3D 9 and 8 only copy and fill it: no driver of their last ten years had more, so
 * a program that finds textures of it would be one that nobody has tried. Older runtimes have textures with palettes,
 * and modes of the screen where the device has a palette, as VirtualBox's driver does (GaWddm.cpp). */
uint32_t indexOperations(uint32_t caps, uint32_t features, bool isDirectDraw) {
  if (!(caps & AEROGPU_FORMAT_CAP_SAMPLE)) return 0;
  if (!isDirectDraw) return FORMATOP_OFFSCREENPLAIN;
  return FORMATOP_OFFSCREENPLAIN | FORMATOP_TEXTURE |
         (features & AEROGPU_EXT_FEATURE_HI_PALETTE ? FORMATOP_DISPLAYMODE : 0);
}

uint32_t colorOperations(const Known &known, uint32_t caps, uint32_t features, bool isDirectDraw) {
  if (known.traits & kResolve)
    return features & AEROGPU_EXT_FEATURE_HI_BLIT ? FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_SAME_FORMAT_RENDERTARGET
                                                  : 0;
  // Programs ask for it as a plain surface, and make none (D3D9On12, src/9on12Adapter.cpp).
  if (known.traits & kCoverage) return features & AEROGPU_EXT_FEATURE_HI_STATES ? FORMATOP_OFFSCREENPLAIN : 0;
  // The colours drawn to NULL are dropped: such draws are for depth alone.
  if (known.traits & kNull)
    return FORMATOP_TEXTURE | FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_SAME_FORMAT_RENDERTARGET |
           FORMATOP_NOALPHABLEND;
  // Formats that no runtime knows: how large a pixel is in its memory, without which it makes no MANAGED, SYSTEMMEM and
  // SCRATCH surfaces (page "FORMATOP").
  const uint32_t described = pixelBits(known.traits) ? FORMATOP_PIXELSIZE : 0;
  if (known.traits & kIndices) return indexOperations(caps, features, isDirectDraw);
  if (known.traits & kVideo) {
    const bool converts = caps & AEROGPU_FORMAT_CAP_BLIT_SRC && features & AEROGPU_EXT_FEATURE_HI_BLIT;
    if (!converts) return 0;
    const bool sampled = caps & AEROGPU_FORMAT_CAP_SAMPLE && !(known.traits & kPlanar);
    return FORMATOP_OFFSCREENPLAIN | FORMATOP_CONVERT_TO_ARGB | FORMATOP_NOALPHABLEND | described |
           (known.traits & kPlanar ? FORMATOP_PLANAR : 0) |
           (sampled ? FORMATOP_TEXTURE : FORMATOP_NOFILTER | FORMATOP_NOTEXCOORDWRAPNORMIP);
  }
  if (!(caps & AEROGPU_FORMAT_CAP_SAMPLE)) return 0;
  constexpr uint32_t kVolumes = AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE | AEROGPU_EXT_FEATURE_HI_UPDATES;
  uint32_t operations = FORMATOP_TEXTURE | described;
  const auto add = [&](bool there, uint32_t operation) { operations |= there ? operation : 0; };
  add(caps & AEROGPU_FORMAT_CAP_CUBE, FORMATOP_CUBETEXTURE);
  // The runtime computes too few bytes for the slices of volumes of tight blocks.
  add(caps & AEROGPU_FORMAT_CAP_VOLUME && (features & kVolumes) == kVolumes && !(known.traits & kTight),
      FORMATOP_VOLUMETEXTURE);
  add(caps & AEROGPU_FORMAT_CAP_VERTEX_SAMPLE, FORMATOP_VERTEXTEXTURE);
  add(caps & AEROGPU_FORMAT_CAP_SRGB_READ, FORMATOP_SRGBREAD);
  add(!(caps & AEROGPU_FORMAT_CAP_FILTER), FORMATOP_NOFILTER);
  add(known.traits & kBump && features & AEROGPU_EXT_FEATURE_HI_STATES, FORMATOP_BUMPMAP);
  add(!(known.traits & kTight), FORMATOP_OFFSCREENPLAIN);
  add(known.traits & kGroup && caps & AEROGPU_FORMAT_CAP_BLIT_SRC, FORMATOP_CONVERT_TO_ARGB);
  if (!(caps & AEROGPU_FORMAT_CAP_TARGET)) return operations;
  operations |= FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_SAME_FORMAT_RENDERTARGET;
  add(caps & AEROGPU_FORMAT_CAP_SRGB_WRITE, FORMATOP_SRGBWRITE);
  add(!(caps & AEROGPU_FORMAT_CAP_BLEND), FORMATOP_NOALPHABLEND);
  add(caps & AEROGPU_FORMAT_CAP_AUTO_MIPS && features & AEROGPU_EXT_FEATURE_HI_BLIT, FORMATOP_AUTOGENMIPMAP);
  add(known.traits & kGroup && caps & AEROGPU_FORMAT_CAP_BLIT_DST, FORMATOP_MEMBEROFGROUP_ARGB);
  add(known.traits & kUpToAlpha, FORMATOP_SAME_FORMAT_UP_TO_ALPHA_RENDERTARGET);
  add(known.traits & kShown, FORMATOP_DISPLAYMODE | FORMATOP_3DACCELERATION);
  return operations;
}

}  // namespace

FormatTable::FormatTable(uint32_t featuresHigh, const DeviceBlock &block, uint32_t interfaceNumber) {
  // Without the block, it is unknown what extended formats can do.
  const uint32_t features = block ? featuresHigh : 0;
  const bool isDirectDraw = interfaceNumber <= 7;  // also that of Direct3D 7 and older
  // The device samples no YUV, but converts it to what a texture of video has as its twin.
  constexpr uint32_t kTwin = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_TARGET | AEROGPU_FORMAT_CAP_BLIT_DST;
  const bool isConverted = block && (block.format(AEROGPU_FORMAT_B8G8R8X8_UNORM).caps & kTwin) == kTwin;
  for (const Known &known : kKnown) {
    if (known.traits & kDirectDraw && !isDirectDraw) continue;
    const bool extended = known.device < AEROGPU_EXT_FORMAT_FIRST || features & AEROGPU_EXT_FEATURE_HI_FORMATS;
    const uint32_t number = extended ? known.device : known.older;
    if (number == AEROGPU_FORMAT_INVALID && !(known.traits & kNull)) continue;
    aerogpu_format_caps can = {number, known.olderCaps, 1, 0};
    if (block && number != AEROGPU_FORMAT_INVALID) can = block.format(number);
    if (known.traits & kVideo && isConverted) can.caps |= AEROGPU_FORMAT_CAP_SAMPLE;
    const bool depth = known.traits & kDepth;
    FormatRow row = {};
    row.d3d = static_cast<D3DDDIFORMAT>(known.d3d);
    row.device = number;
    row.operations =
        depth ? depthOperations(known, can.caps) : colorOperations(known, can.caps, features, isDirectDraw);
    if (!row.operations) continue;
    constexpr uint32_t kSamples = AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE | AEROGPU_EXT_FEATURE_HI_BLIT;
    // A program that cannot resolve has no use for samples, and lockable surfaces have one sample.
    const bool drawn = row.operations & (FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_ZSTENCIL);
    const bool multisampled = (features & kSamples) == kSamples && drawn && !(known.traits & kLocked);
    row.samples = multisampled ? can.samples | 1 : 1;
    row.depth = depth;
    row.stencil = known.traits & kStencil;
    row.block = known.block;
    row.isTight = known.traits & kTight;
    row.isPlanar = known.traits & kPlanar;
    row.pixelBits = pixelBits(known.traits);
    // If the device stores another depth format as D32_FLOAT, its pixels have the size of D32_FLOAT.
    row.blockBytes = depth && number == AEROGPU_FORMAT_D32_FLOAT ? 4 : known.blockBytes;
    m_rows[m_count++] = row;
    const uint32_t shared = textureFormat(known.d3d);
    if (shared == AEROGPU_FORMAT_INVALID || shared == number || m_sharedCount == sizeof m_shared / sizeof m_shared[0])
      continue;
    row.device = shared;
    row.samples = 1;
    if (depth && shared == AEROGPU_FORMAT_D32_FLOAT) row.blockBytes = 4;
    m_shared[m_sharedCount++] = row;
  }
  if (!block) return;
  const aerogpu_caps &limits = block.limits();
  constexpr uint32_t kMostEdge = 16384;  // the limit of TextureLayout
  const auto most = [](uint32_t edge) { return edge < kMostEdge ? edge : kMostEdge; };
  m_limits.edge = most(limits.max_texture_2d);
  m_limits.cubeEdge = most(limits.max_texture_cube);
  m_limits.volumeEdge = features & AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE ? most(limits.max_texture_volume) : 0;
}

const FormatRow *FormatTable::find(uint32_t d3d) const {
  for (uint32_t i = 0; i < m_count; i++)
    if (static_cast<uint32_t>(m_rows[i].d3d) == d3d) return &m_rows[i];
  return nullptr;
}

const FormatRow *FormatTable::findShared(uint32_t d3d) const {
  for (uint32_t i = 0; i < m_sharedCount; i++)
    if (static_cast<uint32_t>(m_shared[i].d3d) == d3d) return &m_shared[i];
  // Formats beyond ABI 1.4 have the same device format when they are shared.
  const FormatRow *row = find(d3d);
  const bool known = textureFormat(d3d) != AEROGPU_FORMAT_INVALID;
  return row && !row->isNull() && (known || row->device == extendedFormat(d3d)) ? row : nullptr;
}

}  // namespace aero
