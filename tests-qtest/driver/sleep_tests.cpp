// SPDX-License-Identifier: MIT
// Tests the state of programs, GDI and the compositor after a sleep that the device survived or not (page
// "DxgkDdiSetPowerState"; docs/windows/driver.md, "Preemption, hangs, power").
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "testbed/kernel/dxgk/power.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

/// STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE, which Direct3D reports to programs as a lost device.
constexpr NTSTATUS kLost = ntStatus(0xC01E0200);
constexpr UINT kEdge = 64;
constexpr uint32_t kBefore = 0xFF8040C0, kAfter = 0xFF20A060;

/// GDI's own process: a texture that the compositor draws, and a GDI bitmap that the CPU draws.
struct Gdi {
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  std::shared_ptr<Allocation> window, bitmap;
  OpenAllocation *openWindow = nullptr, *openBitmap = nullptr;
  UINT pitch = 0;

  bool make(Adapter& adapter) {
    client = Client::create(adapter, 4, true);
    context = client ? client->createContext(true) : nullptr;
    return expect(context != nullptr, "GDI") &&
           surface(adapter, D3DKMDT_GDISURFACE_TEXTURE, window, openWindow) &&
           surface(adapter, D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, bitmap, openBitmap);
  }
  NTSTATUS fill(uint32_t color) const {
    const RECT all{0, 0, kEdge, kEdge};
    DXGK_RENDERKM_COMMAND command{};
    command.OpCode = DXGK_GDIOP_COLORFILL;
    command.CommandSize = sizeof command;
    command.Command.ColorFill = {all, 0, 1, const_cast<RECT*>(&all), color, DXGK_GDIROPCF_PATCOPY, 0};
    return context->renderKm({reinterpret_cast<const uint8_t*>(&command), sizeof command},
                             {{openWindow, true}, {openBitmap, false}});
  }
  /// Copies the window's content to the bitmap, and compares it.
  bool windowIs(Adapter& adapter, uint32_t color) const {
    const RECT all{0, 0, kEdge, kEdge};
    DXGK_RENDERKM_COMMAND command{};
    command.OpCode = DXGK_GDIOP_BITBLT;
    command.CommandSize = sizeof command;
    command.Command.BitBlt = {all, all,   0,    1, 1, const_cast<RECT*>(&all), DXGK_GDIROP_SRCCOPY,
                              0,   pitch, pitch};
    if (!ntSuccess(context->renderKm({reinterpret_cast<const uint8_t*>(&command), sizeof command},
                                     {{openWindow, false}, {openBitmap, true}})) ||
        !adapter.scheduler().waitIdle())
      return false;
    for (UINT y = 0; y < kEdge; ++y) {
      uint32_t row[kEdge];
      adapter.vidmm().read(*bitmap, uint64_t{y} * pitch, row, sizeof row);
      for (const uint32_t pixel : row)
        if (pixel != color) {
          note("a pixel is %08x, not %08x", pixel, color);
          return false;
        }
    }
    return true;
  }
  void drop(Adapter& adapter) {
    client->closeAll();
    adapter.vidmm().destroy({window});
    adapter.vidmm().destroy({bitmap});
  }

private:
  bool surface(Adapter& adapter, D3DKMDT_GDISURFACETYPE type, std::shared_ptr<Allocation>& out,
               OpenAllocation*& opened) {
    D3DKMDT_GDISURFACEDATA data{};
    data.Width = data.Height = kEdge;
    data.Format = D3DDDIFMT_A8R8G8B8;
    data.Type = type;
    auto made = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false);
    if (!expect(ntSuccess(made.status), "a surface of GDI's (0x%08x)", made.status)) return false;
    out = made.allocations[0];
    if (data.Pitch) pitch = data.Pitch;
    const auto list = client->open({out}, true);
    if (!list.empty()) opened = list[0];
    return expect(opened != nullptr, "it opens");
  }
};

/// Lets the compositor open, import and copy the window.
bool compositorSees(Adapter& adapter, Sharer& compositor, const std::shared_ptr<Allocation>& window,
                    uint32_t color) {
  if (!openShared(compositor, window) || !expect(ntSuccess(importShared(compositor)), "import")) return false;
  Surface out;
  if (!makeSurface(adapter, *compositor.client, *compositor.context, kEdge, kEdge, out)) return false;
  Stream look;
  look.copyTexture(out.backed, compositor.handle, kEdge, kEdge, true);
  const bool right = expect(ntSuccess(compositor.context->render(
                                look.bytes(), {{out.opened, true}, {compositor.opened, false}})),
                            "a copy") &&
                     surfaceIs(adapter, out, color, 1);
  dropSurface(adapter, *compositor.client, *compositor.context, out);
  destroyHandle(compositor);
  compositor.client->close(compositor.opened);
  return right;
}

/// The fate of the device in D3.
enum class Device { Stays, Sleeps, Reboots };

/// Takes the adapter down to D3 and back.
bool sleep(Adapter& adapter, Device device) {
  return sleepSystem(adapter, nullptr, [&] {
    return device == Device::Stays || adapter.machine().sleepAndWake(device == Device::Reboots);
  });
}

/// The device survived, or was reset and has kept its objects (KEEP-1, KEEP-4): everything is as it was.
template <Device device>
void sleepKept() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  if (device != Device::Stays && !adapter.machine().canReset()) {
    skipTest("this machine cannot sleep from here");
    return;
  }
  Gdi gdi;
  auto program = makeSharer(adapter, 800), compositor = makeSharer(adapter, 801);
  Surface surface;
  if (!program || !compositor || !gdi.make(adapter) ||
      !makeSurface(adapter, *program->client, *program->context, kEdge, kEdge, surface))
    return;
  expect(ntSuccess(gdi.fill(kBefore)), "GDI draws");
  expect(ntSuccess(fillSurface(*program->context, surface, kBefore)), "a program draws");
  if (!expect(sleep(adapter, device), "a sleep")) return;
  expect(compositorSees(adapter, *compositor, gdi.window, kBefore), "the window's pixels are there");
  expect(surfaceIs(adapter, surface, kBefore), "the program's too");
  expect(ntSuccess(gdi.fill(kAfter)) && gdi.windowIs(adapter, kAfter), "GDI goes on");
  expect(ntSuccess(fillSurface(*program->context, surface, kAfter)) && surfaceIs(adapter, surface, kAfter),
         "the program goes on");
  dropSurface(adapter, *program->client, *program->context, surface);
  gdi.drop(adapter);
  settle(adapter, *program->context);
  expectNoDeviceErrors(adapter);
}

/// Expects that the device has found no error since it was reset.
void expectNoErrorsSinceReset(Adapter& adapter) {
  const uint32_t count = adapter.registers().read(AEROGPU_MMIO_REG_ERROR_COUNT);
  expect(count == 0, "the device finds 0 errors (%u)", count);
}

/// The device started anew: programs have lost their devices and are told so, GDI's windows are there, black
/// until they are drawn again, and no old handle is valid.
void sleepReset() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  if (!adapter.machine().canReset()) {
    skipTest("this machine's devices cannot be reset from here");
    return;
  }
  Gdi gdi;
  auto program = makeSharer(adapter, 810);
  Surface surface, memory;
  if (!program || !gdi.make(adapter) ||
      !makeSurface(adapter, *program->client, *program->context, kEdge, kEdge, surface))
    return;
  expect(ntSuccess(gdi.fill(kBefore)), "GDI draws");
  expect(ntSuccess(fillSurface(*program->context, surface, kBefore)), "a program draws");
  expect(surfaceIs(adapter, surface, kBefore), "its memory has it");
  if (!expect(sleep(adapter, Device::Reboots), "a sleep")) return;
  const NTSTATUS status = fillSurface(*program->context, surface, kAfter);
  expect(status == kLost, "the program has lost its device (0x%08x)", status);
  // Before GDI draws anything.
  auto compositor = makeSharer(adapter, 811);
  if (!compositor) return;
  expect(compositorSees(adapter, *compositor, gdi.window, 0), "a window is there, and shows nothing");
  expect(ntSuccess(gdi.fill(kAfter)) && gdi.windowIs(adapter, kAfter), "GDI draws it again");
  expect(compositorSees(adapter, *compositor, gdi.window, kAfter), "and the compositor sees that");
  // The program's surface is a picture in memory: GDI may still present it, from there.
  const auto source = gdi.client->open({surface.allocation}, false);
  if (expect(!source.empty(), "the program's surface opens")) {
    DXGK_PRESENTFLAGS flags{};
    flags.Blt = 1;
    const RECT all{0, 0, kEdge, kEdge};
    const NTSTATUS presented = gdi.context->present(source[0], gdi.openWindow, all, all, {}, flags);
    expect(ntSuccess(presented) && gdi.windowIs(adapter, kBefore), "a present of it (0x%08x)", presented);
  }
  // The program ends and starts again; its old handles have no owner.
  const uint32_t old = surface.target;
  gdi.client->close(source[0]);
  program->client->closeAll();
  adapter.vidmm().destroy({surface.allocation});
  terminate(std::move(program));
  settle(adapter, *compositor->context);
  expectNoErrorsSinceReset(adapter);
  Stream reuse;
  reuse.createTexture(old, 8, 8, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).destroy(old);
  expect(ntSuccess(compositor->context->render(reuse.bytes(), {})), "another takes a handle of its");
  settle(adapter, *compositor->context);
  gdi.drop(adapter);
  expectNoErrorsSinceReset(adapter);
}

const TestCase kSleepTests[] = {
    {"sleep-kept", 60, sleepKept<Device::Stays>},
    {"sleep-keeps", 60, sleepKept<Device::Sleeps>, Runs::kBesideQemu},
    {"sleep-reset", 60, sleepReset, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> sleepTests() {
  return kSleepTests;
}

}  // namespace aerogpu::host
