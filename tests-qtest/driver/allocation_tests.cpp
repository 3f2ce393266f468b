// SPDX-License-Identifier: MIT
// Tests the private data of allocations: which contents are valid, which kinds only the kernel driver may
// make, how surfaces are described, and how flags choose the memory. docs/abi/driver-data.md, "Allocations".
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

using Private = aerogpu_wddm_alloc_priv_v2;
constexpr uint32_t kShared = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED,
                   kCpu = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE,
                   kGpuOnly = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY,
                   kExisting = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING,
                   kPresented = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED,
                   kDxgi = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_DXGI_FORMAT,
                   kPrimary = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY,
                   kMarked = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED;

/// Returns data for a surface whose rows are contiguous.
Private texture(uint32_t width, uint32_t height, uint32_t format = D3DDDIFMT_A8R8G8B8,
                uint32_t pixelBytes = 4, uint32_t flags = 0) {
  Private data{};
  data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  data.flags = flags;
  data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  data.width = width;
  data.height = height;
  data.format = format;
  data.row_pitch_bytes = width * pixelBytes;
  data.size_bytes = uint64_t{data.row_pitch_bytes} * height;
  return data;
}

template <class Data>
std::vector<uint8_t> bytesOf(const Data& data) {
  std::vector<uint8_t> bytes(sizeof data);
  std::memcpy(bytes.data(), &data, sizeof data);
  return bytes;
}

/// Creates an allocation with this data, and destroys it; returns the driver's answer.
NTSTATUS tryCreate(Adapter& adapter, std::vector<uint8_t> data, bool primary = false) {
  auto result = adapter.vidmm().create({}, {std::move(data)}, true, primary);
  if (ntSuccess(result.status)) adapter.vidmm().destroy(result.allocations);
  return result.status;
}

/// Returns DxgkDdiGetStandardAllocationDriverData's description of a GDI texture.
std::vector<uint8_t> standardDescription(Adapter& adapter) {
  D3DKMDT_GDISURFACEDATA data{};
  data.Width = data.Height = 64;
  data.Format = D3DDDIFMT_A8R8G8B8;
  data.Type = D3DKMDT_GDISURFACE_TEXTURE;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  args.pCreateGdiSurfaceData = &data;
  std::vector<uint8_t> bytes;
  for (int pass = 0; pass < 2; ++pass) {
    bytes.resize(args.AllocationPrivateDriverDataSize);
    args.pAllocationPrivateDriverData = pass ? bytes.data() : nullptr;
    const NTSTATUS status =
        callDdi("DxgkDdiGetStandardAllocationDriverData", kPassiveLevel,
                adapter.ddi.DxgkDdiGetStandardAllocationDriverData, adapter.context(), &args);
    expect(ntSuccess(status), "a description (0x%08x)", status);
  }
  return bytes;
}

/// PRIV-18: a process cannot make the kernel driver's kinds, even if it has seen their data.
void kernelKinds() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const uint64_t pool = poolBytes();
  for (uint32_t use = 1; use < 40; ++use) {
    Private data = texture(64, 64);
    data.reserved1 = use;
    NTSTATUS status = tryCreate(adapter, bytesOf(data));
    expect(status == kInvalidParameter, "kind %u from user mode (0x%08x)", use, status);
    aerogpu_wddm_alloc_ext_priv_sealed sealed{data, 0x0123456789ABCDEF};
    status = tryCreate(adapter, bytesOf(sealed));
    expect(status == kInvalidParameter, "kind %u with some seal (0x%08x)", use, status);
  }
  const std::vector<uint8_t> description = standardDescription(adapter);
  for (size_t at = 0; at < description.size(); ++at) {
    auto changed = description;
    changed[at] ^= 0x10;
    const NTSTATUS status = tryCreate(adapter, changed);
    expect(status == kInvalidParameter, "a description that differs in byte %zu (0x%08x)", at, status);
  }
  auto made = adapter.vidmm().create({}, {description}, true);
  if (!expect(ntSuccess(made.status), "the description itself (0x%08x)", made.status)) return;
  // A program that opens the surface reads its data, and tries to use it.
  auto reader = Client::create(adapter, 700);
  const auto opened = reader ? reader->open(made.allocations, false) : std::vector<OpenAllocation*>{};
  if (expect(!opened.empty(), "it opens")) {
    auto seen = opened[0]->privateData;
    Private data;
    std::memcpy(&data, seen.data(), sizeof data);
    for (const bool asGiven : {true, false}) {
      if (!asGiven) data.alloc_id = 0, data.share_token = 0, data.size_bytes = 64 * 64 * 4;
      std::memcpy(seen.data(), &data, sizeof data);
      const NTSTATUS status = tryCreate(adapter, seen);
      expect(status == kInvalidParameter, "what an opener sees of one (0x%08x)", status);
    }
    reader->closeAll();
  }
  adapter.vidmm().destroy(made.allocations);
  reader.reset();
  expect(poolBytes() == pool, "nothing is left");
}

/// PRIV-19: the driver refuses a texture whose description is invalid or does not fit into its memory.
void descriptions() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const auto refused = [&](const char* what, Private data) {
    const NTSTATUS status = tryCreate(adapter, bytesOf(data));
    expect(status == kInvalidParameter, "a texture %s (0x%08x)", what, status);
  };
  const auto changed = [](auto change) {
    Private data = texture(640, 480);
    change(data);
    return data;
  };
  refused("without a width", changed([](Private& p) { p.width = 0; }));
  refused("without a height", changed([](Private& p) { p.height = 0; }));
  refused("without a format", changed([](Private& p) { p.format = 0; }));
  refused("of 2^31 pixels a row", changed([](Private& p) { p.width = 1u << 31; }));
  refused("of 2^31 rows", changed([](Private& p) { p.height = 1u << 31; }));
  refused("as large as no texture is", changed([](Private& p) { p = texture(16385, 1); }));
  refused("whose rows overlap", changed([](Private& p) { p.row_pitch_bytes -= 4; }));
  refused("whose last row is not all there", changed([](Private& p) { p.size_bytes -= 1; }));
  refused("of one byte", changed([](Private& p) { p.size_bytes = 1; }));
  refused("of one byte without a pitch",
          changed([](Private& p) { p.size_bytes = 1, p.row_pitch_bytes = 0; }));
  refused("whose blocks do not fit", changed([](Private& p) {
            p.format = static_cast<uint32_t>(D3DDDIFMT_DXT5);
            p.row_pitch_bytes = 160 * 16;
            p.size_bytes = 160 * 16 * 119;
          }));
  refused("of floats with a pitch of bytes", changed([](Private& p) { p.format = D3DDDIFMT_A16B16G16R16F; }));

  const struct {
    const char* what;
    Private data;
    D3DDDIFORMAT format;
  } rows[] = {
      {"a texture", texture(640, 480), D3DDDIFMT_A8R8G8B8},
      {"one whose pitch is longer",
       changed([](Private& p) { p.row_pitch_bytes = 4096, p.size_bytes = 4096 * 480; }), D3DDDIFMT_A8R8G8B8},
      {"one without a pitch", changed([](Private& p) { p.row_pitch_bytes = 0; }), D3DDDIFMT_A8R8G8B8},
      {"floats", texture(640, 480, D3DDDIFMT_A16B16G16R16F, 8), D3DDDIFMT_A16B16G16R16F},
      {"no alpha", texture(640, 480, D3DDDIFMT_X1R5G5B5, 2), D3DDDIFMT_X1R5G5B5},
      {"depth", texture(640, 480, D3DDDIFMT_D24S8), D3DDDIFMT_D24S8},
      {"blocks", changed([](Private& p) {
         p.format = static_cast<uint32_t>(D3DDDIFMT_DXT5);
         p.row_pitch_bytes = 160 * 16;
         p.size_bytes = 160 * 16 * 120;
       }),
       D3DDDIFMT_DXT5},
      // PRIV-21: 28 is R8G8B8A8_UNORM in DXGI, and A8 in Direct3D 9.
      {"a DXGI_FORMAT", texture(640, 480, 28, 4, kDxgi), D3DDDIFMT_A8B8G8R8},
      {"a D3DFORMAT of the same number", texture(640, 480, 28, 1), D3DDDIFMT_A8},
      {"B8G8R8A8_UNORM", texture(640, 480, 87, 4, kDxgi), D3DDDIFMT_A8R8G8B8},
  };
  for (const auto& row : rows) {
    auto made = adapter.vidmm().create({}, {bytesOf(row.data)}, true);
    if (!expect(ntSuccess(made.status), "%s (0x%08x)", row.what, made.status)) continue;
    DXGKARG_DESCRIBEALLOCATION about{};
    about.hAllocation = made.allocations[0]->driver;
    const NTSTATUS status = callDdi("DxgkDdiDescribeAllocation", kPassiveLevel,
                                    adapter.ddi.DxgkDdiDescribeAllocation, adapter.context(), &about);
    expect(ntSuccess(status) && about.Width == 640 && about.Height == 480 && about.Format == row.format &&
               about.MultisampleMethod.NumSamples == 1,
           "%s: Windows is told %ux%u in format %d (0x%08x)", row.what, about.Width, about.Height,
           about.Format, status);
    adapter.vidmm().destroy(made.allocations);
  }
  refused("of bytes as a DXGI_FORMAT of four", texture(640, 480, 28, 1, kDxgi));
  // A buffer cannot be described.
  auto made = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), 4096)}, false);
  if (!expect(ntSuccess(made.status), "a buffer (0x%08x)", made.status)) return;
  DXGKARG_DESCRIBEALLOCATION about{};
  about.hAllocation = made.allocations[0]->driver;
  const NTSTATUS status = callDdi("DxgkDdiDescribeAllocation", kPassiveLevel,
                                  adapter.ddi.DxgkDdiDescribeAllocation, adapter.context(), &about);
  expect(status == kInvalidParameter, "a buffer is no picture (0x%08x)", status);
  adapter.vidmm().destroy(made.allocations);
}

/// PRIV-17: if a driver marks its primaries, other allocations go to system memory first, even those of the
/// screen's size.
void marks() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  for (const uint32_t flags : {kMarked, kMarked | kShared}) {
    auto made = adapter.vidmm().create({}, {bytesOf(texture(1024, 768, D3DDDIFMT_X8R8G8B8, 4, flags))}, true);
    if (!expect(ntSuccess(made.status), "as large as the screen (0x%08x)", made.status)) continue;
    const DXGK_ALLOCATIONINFO& info = made.allocations[0]->info;
    expect(info.SupportedReadSegmentSet == 3 && info.PreferredSegment.SegmentId0 == 2,
           "what is no primary: segments 0x%x, first %u", info.SupportedReadSegmentSet,
           info.PreferredSegment.SegmentId0);
    adapter.vidmm().destroy(made.allocations);
  }
}

/// PRIV-28: an allocation for the GPU alone takes one page. The kernel driver makes its texture, which every
/// program that opens the allocation imports.
void gpuOnly() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const auto refused = [&](const char* what, Private data) {
    const NTSTATUS status = tryCreate(adapter, bytesOf(data), data.flags & kPrimary);
    expect(status == kInvalidParameter, "%s that is the GPU's alone (0x%08x)", what, status);
  };
  refused("a texture for the processor", texture(64, 64, D3DDDIFMT_A8R8G8B8, 4, kGpuOnly | kCpu));
  refused("a primary", texture(640, 480, D3DDDIFMT_X8R8G8B8, 4, kGpuOnly | kPrimary));
  refused("a format that the device lacks", texture(64, 64, D3DDDIFMT_R8G8B8, 3, kGpuOnly));
  refused("a texture as large as none is", texture(20000, 64, D3DDDIFMT_A8R8G8B8, 4, kGpuOnly));
  Private buffer = texture(64, 64, D3DDDIFMT_A8R8G8B8, 4, kGpuOnly);
  buffer.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  refused("a buffer", buffer);

  auto maker = makeSharer(adapter, 710), reader = makeSharer(adapter, 711);
  if (!maker || !reader) return;
  constexpr uint32_t kWidth = 1280, kHeight = 800;
  for (const uint32_t shared : {0u, kShared}) {
    auto made = adapter.vidmm().create(
        {}, {bytesOf(texture(kWidth, kHeight, D3DDDIFMT_A8R8G8B8, 4, kGpuOnly | shared))}, true);
    if (!expect(ntSuccess(made.status), "4 MiB of the GPU's (0x%08x)", made.status)) return;
    expect(made.allocations[0]->info.Size == 4096, "they cost %llu bytes",
           static_cast<unsigned long long>(made.allocations[0]->info.Size));
    if (!openShared(*maker, made.allocations[0])) return;
    expect(maker->token != 0, "it has a token");
    expect(ntSuccess(importShared(*maker)), "import");
    Stream draw;
    draw.target(maker->handle).clear(0xFF405060).target(0);
    expect(ntSuccess(maker->context->render(draw.bytes(), {{maker->opened, true}})), "it is drawn");
    // The memory manager's handling of that page changes no pixel.
    adapter.scheduler().waitIdle();
    expect(adapter.vidmm().evictAll(), "everything can be evicted");
    if (!openShared(*reader, made.allocations[0])) return;
    expect(ntSuccess(importShared(*reader)), "another process imports it");
    Surface out;
    if (makeSurface(adapter, *reader->client, *reader->context, 64, 64, out)) {
      Stream look;
      look.copyTexture(out.backed, reader->handle, 64, 64, true);
      expect(ntSuccess(reader->context->render(look.bytes(), {{out.opened, true}, {reader->opened, false}})),
             "a copy");
      expect(surfaceIs(adapter, out, 0xFF405060), "its pixels");
      dropSurface(adapter, *reader->client, *reader->context, out);
    }
    for (Sharer* o : {maker.get(), reader.get()}) {
      expect(ntSuccess(destroyHandle(*o)), "a handle goes");
      o->client->close(o->opened);
    }
    adapter.vidmm().destroy(made.allocations);
  }
  settle(adapter, *maker->context);
  expectNoDeviceErrors(adapter);

  // The device knows only one page of this memory, so no stream reaches beyond it.
  auto made = adapter.vidmm().create(
      {}, {bytesOf(texture(kWidth, kHeight, D3DDDIFMT_A8R8G8B8, 4, kGpuOnly | kShared))}, true);
  if (!expect(ntSuccess(made.status), "once more (0x%08x)", made.status) ||
      !openShared(*maker, made.allocations[0]))
    return;
  const uint32_t handle = newHandle();
  Stream beyond;
  beyond.createTexture(handle, kWidth, kHeight, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                       allocIdOf(maker->opened->privateData));
  expect(ntSuccess(maker->context->render(beyond.bytes(), {{maker->opened, true}})),
         "a texture over its memory");
  adapter.scheduler().waitIdle();
  expectDeviceErrors(adapter, 1);
  expect(ntSuccess(maker->context->render(Stream().destroy(handle).bytes(), {})), "that is not there");
  adapter.scheduler().waitIdle();
  expectDeviceErrors(adapter, 2);
  maker->client->close(maker->opened);
  adapter.vidmm().destroy(made.allocations);
}

/// PRIV-25: the device reads and writes a program's pages in place.
void existingMemory() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  for (const uint32_t flag : {kShared, kPresented, kGpuOnly, kPrimary}) {
    const Private data = texture(640, 480, D3DDDIFMT_X8R8G8B8, 4, kExisting | flag);
    const NTSTATUS status = tryCreate(adapter, bytesOf(data), flag == kPrimary);
    expect(status == kInvalidParameter, "a program's memory with flag 0x%x (0x%08x)", flag, status);
  }
  const uint64_t pool = poolBytes();
  expect(tryCreate(adapter, bytesOf(texture(64, 64, D3DDDIFMT_A8R8G8B8, 4, kExisting))) == kInvalidParameter,
         "the OS refuses memory that nobody gave");
  expect(poolBytes() == pool, "and nothing is left of it");

  auto client = Client::create(adapter, 720);
  auto context = client ? client->createContext() : nullptr;
  guest::Block block;
  if (!expect(context != nullptr, "a context") ||
      !expect(adapter.memory().allocate(64 << 10, block).ok(), "memory"))
    return;
  // Pages in another order than in memory: only a list of them is correct.
  constexpr uint32_t kEdge = 64;
  ExistingMemory memory{{}, false};
  for (const uint64_t page : {6u, 3u, 11u, 1u})
    memory.pages.push_back({block.cpu + page * 4096, block.gpa + page * 4096});
  const auto word = [&](uint32_t x, uint32_t y) {
    const uint64_t at = (uint64_t{y} * kEdge + x) * 4;
    return reinterpret_cast<uint32_t*>(memory.pages[at / 4096].cpu + at % 4096);
  };
  const auto color = [](uint32_t x, uint32_t y) { return 0xFF000000 | x << 16 | y << 8 | (x ^ y); };
  for (uint32_t y = 0; y < kEdge; ++y)
    for (uint32_t x = 0; x < kEdge; ++x) *word(x, y) = color(x, y);
  auto made =
      adapter.vidmm().create({}, {bytesOf(texture(kEdge, kEdge, D3DDDIFMT_A8R8G8B8, 4, kExisting | kMarked))},
                             false, false, nullptr, &memory);
  const auto opened =
      ntSuccess(made.status) ? client->open(made.allocations, true) : std::vector<OpenAllocation*>{};
  Surface target;
  if (!expect(!opened.empty(), "an allocation of it (0x%08x)", made.status) ||
      !makeSurface(adapter, *client, *context, kEdge, kEdge, target))
    return;
  const uint32_t handle = newHandle();
  Stream copy;
  copy.createTexture(handle, kEdge, kEdge, AEROGPU_FORMAT_B8G8R8A8_UNORM, allocIdOf(opened[0]->privateData))
      .dirty(handle, 0, kEdge * kEdge * 4)
      .copyTexture(target.backed, handle, kEdge, kEdge, true);
  expect(ntSuccess(context->render(copy.bytes(), {{opened[0], false}, {target.opened, true}})), "it is read");
  adapter.scheduler().waitIdle();
  std::vector<uint32_t> pixels(kEdge * kEdge);
  bool right = adapter.vidmm().read(*target.allocation, 0, pixels.data(), target.bytes());
  for (uint32_t y = 0; y < kEdge; ++y)
    for (uint32_t x = 0; x < kEdge; ++x) right &= pixels[y * kEdge + x] == color(x, y);
  expect(right, "as the program wrote it");

  Stream back;
  back.target(target.target)
      .clear(0xFF203040)
      .target(0)
      .copyTexture(handle, target.target, kEdge, kEdge, true)
      .destroy(handle);
  expect(ntSuccess(context->render(back.bytes(), {{opened[0], true}, {target.opened, true}})),
         "it is written");
  adapter.scheduler().waitIdle();
  right = true;
  for (uint32_t y = 0; y < kEdge; ++y)
    for (uint32_t x = 0; x < kEdge; ++x) right &= *word(x, y) == 0xFF203040;
  expect(right, "the program sees what was drawn, without an unlock");
  dropSurface(adapter, *client, *context, target);
  client->closeAll();
  adapter.vidmm().destroy(made.allocations);
  adapter.memory().release(block);
  expectNoDeviceErrors(adapter);
}

const TestCase kAllocationTests[] = {
    {"kernel-kinds", 60, kernelKinds, Runs::kBesideQemu},
    {"descriptions", 60, descriptions, Runs::kBesideQemu},
    {"marks", 60, marks, Runs::kBesideQemu},
    {"gpu-only", 60, gpuOnly, Runs::kBesideQemu},
    {"existing-memory", 60, existingMemory},
};

}  // namespace

std::span<const TestCase> allocationTests() {
  return kAllocationTests;
}

}  // namespace aerogpu::host
