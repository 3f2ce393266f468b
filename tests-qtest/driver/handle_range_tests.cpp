// SPDX-License-Identifier: MIT
// Tests ranges of handles: processes that number their objects from the first handle of their range on run
// side by side. docs/abi/driver-data.md, "What a stream of a process may hold".
#include "aerogpu/aerogpu_escape_extension.h"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kFirst = AEROGPU_EXT_RANGED_HANDLES_FIRST, kUnit = AEROGPU_EXT_HANDLE_RANGE_UNIT;
constexpr uint32_t kUnits = (AEROGPU_EXT_RANGED_HANDLES_LAST - kFirst) / kUnit + 1;

struct Range {
  NTSTATUS status = 0;
  uint32_t first = 0, count = 0;
  bool has(uint32_t handle) const { return handle - first < count; }
};

Range reserve(Adapter& adapter, Client& client, uint32_t count) {
  aerogpu_escape_ext_reserve_handles_inout blob{};
  blob.count = count;
  const NTSTATUS status = Escapes(adapter, client).ask(AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES, blob);
  return {status, blob.first, ntSuccess(status) ? blob.count : 0};
}

/// Draws a colour to a texture, and reads it back; the process chooses the handles `base` and `base` + 1.
bool draws(Adapter& adapter, Sharer& who, uint32_t base, uint32_t argb) {
  Surface surface;
  surface.width = surface.height = 32;
  surface.backed = base;
  surface.target = base + 1;
  auto created =
      adapter.vidmm().create({}, {texturePrivate(newAllocId(), 32, 32, D3DDDIFMT_A8R8G8B8)}, false);
  if (!expect(ntSuccess(created.status), "an allocation (0x%08x)", created.status)) return false;
  surface.allocation = created.allocations[0];
  surface.allocId = allocIdOf(surface.allocation->privateData);
  const auto opened = who.client->open({surface.allocation}, true);
  if (!expect(!opened.empty(), "it opens")) return false;
  surface.opened = opened[0];
  Stream make;
  make.createTexture(surface.backed, 32, 32, AEROGPU_FORMAT_B8G8R8A8_UNORM, surface.allocId)
      .createTexture(surface.target, 32, 32, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
  const NTSTATUS status = who.context->render(make.bytes(), {{surface.opened, true}});
  if (!expect(ntSuccess(status), "textures from handle 0x%08x on (0x%08x)", base, status)) return false;
  expect(ntSuccess(fillSurface(*who.context, surface, argb)), "it draws");
  settle(adapter, *who.context);
  expect(surfaceIs(adapter, surface, argb), "its own pixels, with handles from 0x%08x on", base);
  dropSurface(adapter, *who.client, *who.context, surface);
  return true;
}

/// PRIV-13, PRIV-27, ESC-5.
void handleRanges() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!driverChecks(adapter)) return;
  auto one = makeSharer(adapter, 600), two = makeSharer(adapter, 601), free = makeSharer(adapter, 602);
  if (!one || !two || !free) return;
  for (const uint32_t count : {0u, AEROGPU_EXT_HANDLES_MAX + 1, UINT32_MAX}) {
    const Range none = reserve(adapter, *one->client, count);
    expect(none.status == kInvalidParameter, "a range of %u (0x%08x)", count, none.status);
  }
  aerogpu_escape_ext_reserve_handles_inout nobodys{
      {AEROGPU_ESCAPE_VERSION, AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES, sizeof nobodys, 0}, 1, 0};
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = &nobodys;
  args.PrivateDriverDataSize = sizeof nobodys;
  NTSTATUS status =
      callDdi("DxgkDdiEscape", kPassiveLevel, adapter.ddi.DxgkDdiEscape, adapter.context(), &args);
  expect(status == kInvalidParameter, "a range for no device (0x%08x)", status);

  const Range a = reserve(adapter, *one->client, 1), b = reserve(adapter, *two->client, kUnit + 1);
  expect(ntSuccess(a.status) && a.count == kUnit, "a range of one unit (0x%08x, %u)", a.status, a.count);
  expect(ntSuccess(b.status) && b.count == 2 * kUnit, "one of two (0x%08x, %u)", b.status, b.count);
  expect(!a.has(b.first) && !b.has(a.first), "that lie apart");
  // Each numbers from the start of its own range; the third has no range, and numbers from 1.
  draws(adapter, *one, a.first, 0xFF102030);
  draws(adapter, *two, b.first, 0xFF405060);
  draws(adapter, *free, 1, 0xFF708090);
  expectNoDeviceErrors(adapter);

  const uint64_t submitted = adapter.scheduler().submitted();
  const auto refused = [&](Sharer& who, uint32_t handle, const char* what) {
    for (const Stream& use :
         {Stream().createBuffer(handle, 16, 0), Stream().destroy(handle), Stream().target(handle)}) {
      status = who.context->render(use.bytes(), {});
      expect(status == kPrivilegedInstruction, "%s, handle 0x%08x (0x%08x)", what, handle, status);
    }
  };
  // No process has made these.
  refused(*two, a.first + 7, "a handle of another's range");
  refused(*free, a.first + 7, "the same without a range");
  refused(*one, b.first + b.count - 1, "the last of another's range");
  refused(*one, AEROGPU_EXT_RANGED_HANDLES_LAST, "a handle of nobody's range");
  refused(*free, AEROGPU_EXT_RANGED_HANDLES_LAST, "the same without a range");
  expect(adapter.scheduler().submitted() == submitted, "nothing is submitted");
  expect(ntSuccess(one->context->render(Stream().createBuffer(a.first + 7, 16, 0).bytes(), {})),
         "the owner's");
  refused(*two, a.first + 7, "now that it is made");
  expect(ntSuccess(free->context->render(Stream().createBuffer(kFirst - 1, 16, 0).bytes(), {})),
         "a handle under all ranges");
  settle(adapter, *one->context);
  expectNoDeviceErrors(adapter);

  // Several ranges, up to the limit of a device.
  const Range more = reserve(adapter, *one->client, AEROGPU_EXT_HANDLES_MAX - kUnit);
  expect(ntSuccess(more.status), "the rest of what it may have (0x%08x)", more.status);
  draws(adapter, *one, more.first + more.count - 2, 0xFFA0B0C0);
  draws(adapter, *one, a.first, 0xFF0A0B0C);
  const Range over = reserve(adapter, *one->client, 1);
  expect(over.status == kInsufficientResources, "one more (0x%08x)", over.status);
  expectNoDeviceErrors(adapter);
}

/// Takes all units that are free now, for devices that end with the call; returns how many of them are in
/// `of`.
uint32_t unitsLeft(Adapter& adapter, const Range& of, uint32_t& all) {
  std::vector<std::unique_ptr<Client>> takers;
  uint32_t inside = 0;
  all = 0;
  for (uint32_t i = 0; i <= kUnits; ++i) {
    if (takers.empty() || i % (AEROGPU_EXT_HANDLES_MAX / kUnit) == 0)
      takers.push_back(Client::create(adapter, 700 + takers.size()));
    if (!expect(takers.back() != nullptr, "a device")) break;
    const Range range = reserve(adapter, *takers.back(), 1);
    if (range.status == kInsufficientResources) break;
    if (!expect(ntSuccess(range.status), "a range (0x%08x)", range.status)) break;
    ++all;
    inside += of.has(range.first);
  }
  return inside;
}

/// PRIV-15: a range is reused after its device has ended, unless one of its handles may still exist.
void handleRangesEnd() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!driverChecks(adapter)) return;
  auto survivor = makeSharer(adapter, 610), tidy = makeSharer(adapter, 611), lossy = makeSharer(adapter, 612);
  if (!survivor || !tidy || !lossy) return;
  const Range a = reserve(adapter, *tidy->client, 1), b = reserve(adapter, *lossy->client, 1);
  if (!expect(ntSuccess(a.status) && ntSuccess(b.status), "two ranges")) return;
  for (const auto& [who, range] : {std::pair(tidy.get(), a), std::pair(lossy.get(), b)}) {
    Stream make;
    for (uint32_t i = 0; i < 20; ++i) make.createBuffer(range.first + i, 64, 0);
    expect(ntSuccess(who->context->render(make.bytes(), {})), "objects");
    settle(adapter, *who->context);
  }
  uint32_t all = 0;
  expect(unitsLeft(adapter, a, all) == 0 && all == kUnits - 2, "what is left is nobody's (%u)", all);
  // Its process leaves objects, which the driver destroys.
  terminate(std::move(tidy));
  settle(adapter, *survivor->context);
  expect(unitsLeft(adapter, a, all) == 1 && all == kUnits - 1, "a range whose device has ended (%u)", all);
  // The driver saw this destruction; the device does not.
  expect(ntSuccess(lossy->context->renderUnseen(Stream().destroy(b.first).bytes())), "an end that is lost");
  terminate(std::move(lossy));
  settle(adapter, *survivor->context);
  expect(unitsLeft(adapter, b, all) == 0 && all == kUnits - 1, "a range of which something stayed (%u)", all);
  const NTSTATUS status = survivor->context->render(Stream().createBuffer(b.first, 64, 0).bytes(), {});
  expect(status == kPrivilegedInstruction, "nobody gets that handle (0x%08x)", status);
  expectNoDeviceErrors(adapter);
  // It was indeed on the device.
  const uint32_t other = newHandle();
  expect(ntSuccess(survivor->context->renderPastDriver(Stream().destroy(other).bytes(),
                                                       Stream().destroy(b.first).bytes())),
         "past the driver");
  settle(adapter, *survivor->context);
  expectNoDeviceErrors(adapter);
}

const TestCase kHandleRangeTests[] = {
    {"handle-ranges", 120, handleRanges, Runs::kOnDemand},
    {"handle-ranges-end", 240, handleRangesEnd, Runs::kOnDemand},
};

}  // namespace

std::span<const TestCase> handleRangeTests() {
  return kHandleRangeTests;
}

}  // namespace aerogpu::host
