// SPDX-License-Identifier: MIT
// Processes that the device keeps apart (docs/abi/spaces.md): hostile streams, through the shipped driver.
// process_tests.cpp tests the driver's checks for devices without spaces.
#include <cstring>

#include "aerogpu/aerogpu_spaces.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "aerogpu/cmd_packets.hpp"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/process_objects.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

/// A process, and a surface through which the test reads the process' objects on the device.
struct Looker {
  std::unique_ptr<Sharer> process;
  Surface surface;

  bool begin(Adapter& adapter, uint64_t number) {
    process = makeSharer(adapter, number);
    return process && makeSurface(adapter, *process->client, *process->context, 64, 64, surface);
  }
  /// True if all of its texture `handle` has this colour.
  bool sees(Adapter& adapter, uint32_t handle, uint32_t argb) {
    Stream look;
    look.copyTexture(surface.backed, handle, 64, 64, true);
    const NTSTATUS status = process->context->render(look.bytes(), {{surface.opened, true}});
    return expect(ntSuccess(status), "a look (0x%08x)", status) && surfaceIs(adapter, surface, argb, 1);
  }
  void end(Adapter& adapter) { dropSurface(adapter, *process->client, *process->context, surface); }
};

bool paint(Sharer& who, uint32_t handle, uint32_t argb) {
  Stream draw;
  draw.target(handle).clear(argb).target(0);
  return expect(ntSuccess(who.context->render(draw.bytes(), {})), "a colour");
}

/// Renders a stream with errors, which the driver does not see; the device finds `count` errors in it.
void expectErrors(Adapter& adapter, Sharer& who, const Stream& stream, uint32_t count, const char* what,
                  const Context::List& list = {}) {
  settle(adapter, *who.context);
  const uint32_t before = deviceErrors(adapter);
  const NTSTATUS status = who.context->render(stream.bytes(), list);
  expect(ntSuccess(status), "%s: the driver reads no stream (0x%08x)", what, status);
  settle(adapter, *who.context);
  expect(deviceErrors(adapter) - before == count, "%s: %u errors (%u)", what, count,
         deviceErrors(adapter) - before);
}

/// SPACE-7: two processes number their objects alike, and a third one tries everything that a stream can do
/// with those numbers. None reaches another one's objects.
void spaceHandles() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Looker one, two;
  auto thief = makeSharer(adapter, 702);
  if (!one.begin(adapter, 700) || !two.begin(adapter, 701) || !thief) return;
  const Objects theirs, own;
  for (Looker* each : {&one, &two})
    expect(ntSuccess(each->process->context->render(makeObjects(theirs, 0).bytes(), {})),
           "the same numbers in each");
  expect(ntSuccess(thief->context->render(makeObjects(own, 0).bytes(), {})), "the thief's own objects");
  paint(*one.process, theirs.texture, 0xFF102030);
  paint(*two.process, theirs.texture, 0xFF405060);
  settle(adapter, *thief->context);
  expectNoDeviceErrors(adapter);
  for (const Use& use : usesOf(theirs, own)) expectErrors(adapter, *thief, use.stream, 1, use.what);
  for (const Use& use : endsOf(theirs)) thief->context->render(use.stream.bytes(), {});
  // The kernel driver's handles, which are in space 0.
  Objects kernels;
  kernels.texture = kernels.depth = kernels.buffer = kernels.view = kernels.vertexShader =
      kernels.pixelShader = kernels.inputLayout = kernels.sampler = 0xF8000001;
  for (const Use& use : usesOf(kernels, own)) expectErrors(adapter, *thief, use.stream, 1, use.what);
  settle(adapter, *thief->context);
  const uint32_t errors = deviceErrors(adapter);
  expect(one.sees(adapter, theirs.texture, 0xFF102030), "the first has its own");
  expect(two.sees(adapter, theirs.texture, 0xFF405060), "and so has the second");
  // One destroys all of its objects: the other's are still there.
  for (const Use& end : endsOf(theirs))
    if (std::strstr(end.what, "end")) one.process->context->render(end.stream.bytes(), {});
  expect(two.sees(adapter, theirs.texture, 0xFF405060), "the second's, when the first has none");
  one.end(adapter);
  two.end(adapter);
  settle(adapter, *thief->context);
  expectDeviceErrors(adapter, errors);
}

template <class Packet>
Stream packetOf(const Packet& packet) {
  Stream stream;
  stream.writer().packet(packet);
  return stream;
}

/// SPACE-12, SPACE-13, SPACE-19: a program sends packets that only the kernel driver may use, and tokens that
/// were not granted to it.
void spaceTokens() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Looker owner, thief;
  if (!owner.begin(adapter, 710) || !thief.begin(adapter, 711)) return;
  const RingView ring(adapter);
  const auto shared = makeShared(adapter);
  if (!ring || !shared || !openAndExport(adapter, *owner.process, shared)) return;
  const uint64_t token = owner.process->token;
  const uint32_t texture = owner.process->handle;
  paint(*owner.process, texture, 0xFF335577);
  settle(adapter, *owner.process->context);
  const uint32_t ownerSpace = ring.space(ring.header().tail - 1).space;
  settle(adapter, *thief.process->context);
  const uint32_t thiefSpace = ring.space(ring.header().tail - 1).space;
  expect(ownerSpace && thiefSpace && ownerSpace != thiefSpace, "a space each (0x%x, 0x%x)", ownerSpace,
         thiefSpace);
  expect(ring.space(ring.header().tail - 1).flags == 0, "a program's submission is not the kernel driver's");
  expectNoDeviceErrors(adapter);

  const uint32_t own = newHandle();
  expect(ntSuccess(thief.process->context->render(
             Stream().createTexture(own, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).bytes(), {})),
         "the thief's texture");
  const auto refused = [&](const char* what, const Stream& stream) {
    expectErrors(adapter, *thief.process, stream, 1, what);
  };
  refused("an import of a token that was not granted", Stream().importSurface(newHandle(), token));
  refused("of the next one", Stream().importSurface(newHandle(), token + 1));
  refused("an export under a living token", Stream().exportSurface(own, token));
  refused("an export under a new one", Stream().exportSurface(own, 0x7777777777));
  aerogpu_cmd_release_shared_surface release{};
  release.share_token = token;
  refused("a release", packetOf(release));
  aerogpu_cmd_ext_grant grant{};
  grant.share_token = token;
  grant.space = thiefSpace;
  refused("a grant for itself", packetOf(grant));
  refused("an import after it", Stream().importSurface(newHandle(), token));
  aerogpu_cmd_ext_destroy_space end{};
  end.space = ownerSpace;
  refused("the end of another's space", packetOf(end));
  aerogpu_cmd_ext_name_space name{};
  name.space = ownerSpace;
  refused("a name for it", packetOf(name));
  refused("a present", Stream().present(false));
  aerogpu_cmd_present_ex presentEx{};
  refused("a present with flags", packetOf(presentEx));

  // A program that has the surface open imports it, and draws; it cannot choose the surface's memory.
  if (!openShared(*thief.process, shared)) return;
  expect(ntSuccess(importShared(*thief.process)), "who opens it imports it");
  const uint32_t errors = deviceErrors(adapter);
  expect(thief.sees(adapter, thief.process->handle, 0xFF335577), "and sees it");
  expectDeviceErrors(adapter, errors);
  aerogpu_cmd_ext_attach_backing attach{};
  attach.resource_handle = thief.process->handle;
  refused("other memory for it", packetOf(attach));
  expect(owner.sees(adapter, texture, 0xFF335577), "the owner has it as it was");

  expect(ntSuccess(destroyHandle(*thief.process)) && ntSuccess(destroyHandle(*owner.process)), "handles go");
  thief.process->client->close(thief.process->opened);
  owner.process->client->close(owner.process->opened);
  adapter.vidmm().destroy({shared});
  refused("an import after the last close", Stream().importSurface(newHandle(), token));
  owner.end(adapter);
  thief.end(adapter);
}

/// The table of a submission has the allocations in Windows' list, whatever the stream names. So a stream
/// neither reads nor writes memory of another process, or memory of its own process that is not in the list.
/// Ids can be guessed.
void spaceAllocations() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Looker owner, thief;
  if (!owner.begin(adapter, 720) || !thief.begin(adapter, 721)) return;
  fillSurface(*owner.process->context, owner.surface, 0xFF224466);
  settle(adapter, *owner.process->context);
  expectNoDeviceErrors(adapter);
  const uint32_t handle = newHandle();
  Stream make;
  make.createTexture(handle, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, owner.surface.allocId);
  expectErrors(adapter, *thief.process, make, 1, "a texture over another's memory");
  expectErrors(adapter, *thief.process, make, 1, "with a list of its own", {{thief.surface.opened, true}});
  Stream write;
  write.copyTexture(thief.surface.backed, thief.surface.target, 64, 64, true);
  expectErrors(adapter, *thief.process, write, 1, "its own memory, unlisted");
  expectErrors(adapter, *thief.process, write, 1, "listed to be read", {{thief.surface.opened, false}});
  const uint32_t errors = deviceErrors(adapter);
  expect(surfaceIs(adapter, owner.surface, 0xFF224466, 1), "the owner's memory");
  fillSurface(*thief.process->context, thief.surface, 0xFF8899AA);
  expect(surfaceIs(adapter, thief.surface, 0xFF8899AA, 1), "listed to be written it is");
  owner.end(adapter);
  thief.end(adapter);
  settle(adapter, *thief.process->context);
  expectDeviceErrors(adapter, errors);
}

/// SPACE-18: a process opens the primary, as any may, makes textures over its memory and draws to them. The
/// screen shows what the kernel driver presents; without spaces it would show the newest texture at that
/// address.
void spaceScreen(Adapter& adapter, Client&, Context& context) {
  if (!hasSpaces(adapter)) return;
  Display& display = adapter.display();
  auto desktop = makeSharer(adapter, 730), thief = makeSharer(adapter, 731);
  if (!desktop || !thief) return;
  const auto shown = desktop->client->open({display.sharedPrimary()}, false);
  const auto stolen = thief->client->open({display.sharedPrimary()}, false);
  if (!expect(!shown.empty() && !stolen.empty(), "the shared primary opens")) return;
  const RECT all{0, 0, 1024, 768};
  DXGK_PRESENTFLAGS fill{};
  fill.ColorFill = 1;
  const auto present = [&](uint32_t argb) {
    expect(ntSuccess(desktop->context->present(nullptr, shown[0], all, all, {}, fill, argb)), "a present");
    adapter.scheduler().waitIdle();
  };
  const ScreenPoints points = {{5, 5}, {1000, 700}};
  present(0xFF336699);
  expectScreen(points, {0x336699, 0x336699}, "the desktop");
  const uint32_t handle = newHandle();
  Stream draw;
  packets::createTexture(draw.writer(),
                         {.handle = handle,
                          .format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                          .width = 1024,
                          .height = 768,
                          .usage = AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT,
                          .rowPitch = 4096,
                          .allocId = allocIdOf(stolen[0]->privateData)});
  draw.target(handle).clear(0xFFFF0000).target(0);
  expect(ntSuccess(thief->context->render(draw.bytes(), {{stolen[0], false}})), "a texture over the primary");
  settle(adapter, *thief->context);
  expectNoDeviceErrors(adapter);
  expect(ntSuccess(display.flip(*display.primary())), "a flip");
  settle(adapter, context);
  expectScreen(points, {0x336699, 0x336699}, "the desktop after a flip");
  expectErrors(adapter, *thief, Stream().present(false), 1, "a present of the thief's");
  expectScreen(points, {0x336699, 0x336699}, "the desktop after the thief's present");
  const uint32_t errors = deviceErrors(adapter);
  present(0xFF114477);
  expectScreen(points, {0x114477, 0x114477}, "the next present");
  expect(ntSuccess(thief->context->render(Stream().destroy(handle).bytes(), {})), "its end");
  desktop->client->close(shown[0]);
  thief->client->close(stolen[0]);
  settle(adapter, *thief->context);
  expectDeviceErrors(adapter, errors);
}

/// PRIV-28, PRIV-30: for a back buffer that is marked as the source of presents the driver makes a texture;
/// the program imports it and draws to it, and a present shows it. A present of an unmarked one shows the
/// memory.
void spacePresented(Adapter& adapter, Client&, Context&) {
  if (!hasSpaces(adapter)) return;
  constexpr uint32_t kPresented = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED,
                     kGpuOnly = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY;
  auto program = makeSharer(adapter, 740);
  if (!program) return;
  const auto screen = program->client->open({adapter.display().sharedPrimary()}, false);
  if (!expect(!screen.empty(), "the shared primary opens")) return;
  uint32_t color = 0xFF204060;
  for (const uint32_t flags : {kPresented, kPresented | kGpuOnly, 0u}) {
    auto data = texturePrivate(newAllocId(), 128, 128, D3DDDIFMT_X8R8G8B8);
    aerogpu_wddm_alloc_priv_v2 priv;
    std::memcpy(&priv, data.data(), sizeof priv);
    priv.flags |= flags;
    std::memcpy(data.data(), &priv, sizeof priv);
    auto made = adapter.vidmm().create({}, {data}, true);
    if (!expect(ntSuccess(made.status), "a back buffer (0x%08x)", made.status)) return;
    const auto opened = program->client->open(made.allocations, true);
    if (!expect(!opened.empty(), "it opens")) return;
    program->opened = opened[0];
    program->token = shareTokenOf(opened[0]->privateData);
    expect((program->token != 0) == (flags != 0), "it has a token: %s", program->token ? "yes" : "no");
    color += 0x00183018;
    if (flags) {
      expect(ntSuccess(importShared(*program)), "an import");
      Stream draw;
      draw.target(program->handle).clear(color).target(0);
      expect(ntSuccess(program->context->render(draw.bytes(), {{opened[0], true}})), "a clear");
    } else {
      const std::vector<uint32_t> pixels(size_t{128} * 128, color);
      adapter.vidmm().write(*made.allocations[0], 0, pixels.data(), pixels.size() * 4);
    }
    const RECT from{0, 0, 128, 128}, to{300, 200, 428, 328};
    DXGK_PRESENTFLAGS blt{};
    blt.Blt = 1;
    const NTSTATUS presented = program->context->present(opened[0], screen[0], from, to, {}, blt);
    expect(ntSuccess(presented), "a present (0x%08x)", presented);
    settle(adapter, *program->context);
    const uint32_t rgb = color & 0xFFFFFF;
    expectScreen({{300, 200}, {427, 327}, {364, 264}}, {rgb, rgb, rgb}, "what was drawn");
    if (flags) expect(ntSuccess(destroyHandle(*program)), "its handle goes");
    program->client->close(opened[0]);
    adapter.vidmm().destroy(made.allocations);
  }
  program->client->close(screen[0]);
  settle(adapter, *program->context);
  expectNoDeviceErrors(adapter);
}

/// SPACE-15, SPACE-16: the first packet about a space names its process, the last one ends it; the driver
/// sends packets about spaces in space 0, with KERNEL.
void spaceLife() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  const RingView ring(adapter);
  if (!ring || !ring.waitEmpty()) return;
  const auto newest = [&](void* packet, size_t bytes) {
    const aerogpu_submit_desc slot = ring.newest();
    const aerogpu_submit_space space = ring.space(ring.header().tail - 1);
    expect(ring.header().entry_stride_bytes == 80 && slot.desc_size_bytes == 80, "slots of 80 bytes");
    expect(space.space == 0 && space.flags == AEROGPU_EXT_SPACE_FLAG_KERNEL && !space.reserved0,
           "the kernel driver's: space %u, flags 0x%x", space.space, space.flags);
    const uint8_t* at = adapter.memory().at(slot.cmd_gpa);
    if (!expect(at && slot.cmd_size_bytes == sizeof(aerogpu_cmd_stream_header) + bytes, "the packets"))
      return false;
    std::memcpy(packet, at + sizeof(aerogpu_cmd_stream_header), bytes);
    return true;
  };
  uint32_t before = 0;
  for (uint64_t process : {740u, 741u}) {
    auto client = Client::create(adapter, process);
    struct {
      aerogpu_cmd_ext_space_process process;
      aerogpu_cmd_ext_name_space name;
    } first{};
    if (!client || !newest(&first, sizeof first)) return;
    const aerogpu_cmd_ext_name_space& name = first.name;
    expect(first.process.hdr.opcode == AEROGPU_CMD_EXT_SPACE_PROCESS && first.process.space == name.space,
           "its process");
    char image[sizeof name.image_name + 1] = {}, expected[32];
    std::memcpy(image, name.image_name, sizeof name.image_name);
    std::snprintf(expected, sizeof expected, "program-%u.exe", static_cast<unsigned>(process));
    expect(name.hdr.opcode == AEROGPU_CMD_EXT_NAME_SPACE && name.process_id == process &&
               std::strcmp(image, expected) == 0,
           "process %u, image '%s'", name.process_id, image);
    expect(name.space && name.space != before, "a number that nobody has had (0x%x)", name.space);
    before = name.space;
    client.reset();
    aerogpu_cmd_ext_destroy_space end{};
    if (!newest(&end, sizeof end)) return;
    expect(end.hdr.opcode == AEROGPU_CMD_EXT_DESTROY_SPACE && end.space == name.space, "its end (0x%x)",
           end.space);
  }
  ring.waitEmpty();
  expectNoDeviceErrors(adapter);
}

/// SPACE-7, PRIV-10: a process dies while its work waits in a stopped ring; a new one makes objects with the
/// same handles before the ring continues. It finds the handles free, and nothing of the dead process is
/// left.
void spaceInFlight() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Looker survivor;
  if (!survivor.begin(adapter, 750)) return;
  settle(adapter, *survivor.process->context);
  const auto resources = deviceCounter("resources"), held = deviceCounter("held-objects");
  const Objects same;
  auto& registers = adapter.registers();
  for (unsigned round = 0; round < 3; ++round) {
    auto dead = makeSharer(adapter, 751), heir = makeSharer(adapter, 752);
    if (!dead || !heir) return;
    settle(adapter, *dead->context);
    settle(adapter, *heir->context);
    // The ring is stopped: submissions stay in it.
    registers.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
    expect(ntSuccess(dead->context->render(makeObjects(same, 0).bytes(), {})), "objects in flight");
    expect(ntSuccess(heir->context->render(makeObjects(same, 0).bytes(), {})), "the same of another");
    registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    registers.write(AEROGPU_MMIO_REG_DOORBELL, 0);
    terminate(std::move(dead));
    paint(*heir, same.texture, 0xFF667788);
    settle(adapter, *heir->context);
    settle(adapter, *survivor.process->context);
    expectNoDeviceErrors(adapter);
    terminate(std::move(heir));
    settle(adapter, *survivor.process->context);
    RingView(adapter).waitEmpty();
    expectDeviceCounter("resources", resources, "after the end of both");
    expectDeviceCounter("held-objects", held, "and their spaces");
  }
  survivor.end(adapter);
}

/// SPACE-21: objects that the driver makes for a program (PRIV-28, PRIV-30) count against the limit of the
/// program's space. A program that uses it up is refused when it makes the next one, without an error on the
/// device; others have their own limit, and room that it gives back is available again.
void spaceCharges() {
  constexpr uint32_t kShared = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  auto taker = makeSharer(adapter, 760), other = makeSharer(adapter, 761);
  if (!taker || !other) return;
  const uint32_t limit = adapter.registers().read(AEROGPU_EXT_REG_SPACE_MEMORY_MB);
  if (!expect(limit >= 256, "room for some textures (%u MiB)", limit)) return;
  struct Held {
    std::shared_ptr<Allocation> allocation;
    OpenAllocation* opened;
  };
  /// An object: a texture of 64 MiB without guest memory, a shared one of 16 MiB over memory, or a buffer of
  /// 16 MiB.
  struct Kind {
    uint32_t edge, flags;
    uint32_t mib() const { return edge / 512 * (edge / 512); }
  };
  constexpr Kind kLarge{4096, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY},
      kPresented{4096, kLarge.flags | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED}, kOverMemory{2048, kShared},
      kBuffer{0, kShared};
  constexpr uint32_t kBufferMiB = 16;
  const auto tryMake = [&](Sharer& who, std::vector<Held>& held, Kind kind) {
    auto data = kind.edge ? texturePrivate(newAllocId(), kind.edge, kind.edge, D3DDDIFMT_A8R8G8B8)
                          : bufferPrivate(newAllocId(), kBufferMiB * kMiB);
    aerogpu_wddm_alloc_priv_v2 priv;
    std::memcpy(&priv, data.data(), sizeof priv);
    priv.flags |= kind.flags;
    std::memcpy(data.data(), &priv, sizeof priv);
    const uint32_t before = deviceErrors(adapter);
    auto made = adapter.vidmm().create({}, {data}, true);
    if (!expect(ntSuccess(made.status), "an allocation (0x%08x)", made.status)) return made.status;
    NTSTATUS status = kSuccess;
    if (const auto opened = who.client->open(made.allocations, true); opened.empty()) {
      // Opens it once more, to get the status.
      ProcessScope process(who.client->processId());
      std::vector<std::unique_ptr<OpenAllocation>> none;
      status = adapter.vidmm().open(who.client->device(), made.allocations, true, none);
      adapter.vidmm().destroy({made.allocations[0]});
    } else {
      held.push_back({made.allocations[0], opened[0]});
    }
    settle(adapter, *who.context);
    expect(deviceErrors(adapter) == before, "%u errors of the device (0x%08x)",
           deviceErrors(adapter) - before, status);
    return status;
  };
  // Makes objects until the driver refuses one; returns their number.
  const auto fill = [&](Sharer& who, std::vector<Held>& held, Kind kind) {
    const uint32_t most = limit / kind.mib() + 1;
    for (uint32_t count = 0; count < most; ++count)
      if (const NTSTATUS status = tryMake(who, held, kind); !ntSuccess(status)) {
        expect(status == kNoMemory, "0x%08x of an allocation that there is no room for", status);
        return count;
      }
    return most;
  };
  const auto drop = [&](Sharer& who, std::vector<Held>& held) {
    for (const Held& one : held) {
      who.client->close(one.opened);
      adapter.vidmm().destroy({one.allocation});
    }
    held.clear();
    settle(adapter, *who.context);
  };
  for (const Kind kind : {kLarge, kPresented}) {
    std::vector<Held> all, others;
    // An object costs more than its pixels: objects whose pixels just fill the limit do not fit.
    const uint32_t large = fill(*taker, all, kind);
    expect(large == (limit - 1) / kind.mib(), "%u of %u MiB against a limit of %u MiB", large, kind.mib(),
           limit);
    uint32_t rest = limit - large * kind.mib();
    expect(ntSuccess(tryMake(*taker, all, kBuffer)), "a shared buffer");
    rest -= kBufferMiB;
    const uint32_t small = fill(*taker, all, kOverMemory);
    expect(small == (rest - 1) / kOverMemory.mib(), "%u of %u MiB for the remaining %u MiB", small,
           kOverMemory.mib(), rest);
    expect(tryMake(*taker, all, kBuffer) == kNoMemory, "no other buffer");
    expect(ntSuccess(tryMake(*other, others, kind)), "another program has room");
    const uint32_t errors = deviceErrors(adapter), handle = newHandle();
    expect(ntSuccess(taker->context->render(Stream().createBuffer(handle, kBufferMiB * kMiB, 0).bytes(), {})),
           "a buffer of its own");
    settle(adapter, *taker->context);
    expect(deviceErrors(adapter) == errors + 1, "what it makes itself counts beside them");
    drop(*taker, all);
    expect(fill(*taker, all, kind) == large, "what was given back is there again");
    drop(*taker, all);
    drop(*other, others);
  }
  // The charged process dies; its shared objects live on with another one, whose limit is separate.
  std::vector<Held> shared, others;
  expect(ntSuccess(tryMake(*taker, shared, kOverMemory)), "a shared texture");
  const auto also = other->client->open({shared[0].allocation}, false);
  expect(!also.empty(), "another program opens it");
  terminate(std::move(taker));
  expect(fill(*other, others, kLarge) == (limit - 1) / kLarge.mib(), "it costs the other one nothing");
  drop(*other, others);
  for (OpenAllocation* one : also) other->client->close(one);
  adapter.vidmm().destroy({shared[0].allocation});
  settle(adapter, *other->context);
}

/// REC-2: work of two programs cannot run at all, a third one makes a mistake after it, and all of that has
/// happened before the driver is interrupted. Each learns of its own error, and no other program of any.
void spaceErrors() {
  constexpr NTSTATUS kGpuException = ntStatus(0xC01E0200);  // STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Machine& machine = adapter.machine();
  auto& registers = adapter.registers();
  const auto one = makeSharer(adapter, 770), two = makeSharer(adapter, 771),
             mistaken = makeSharer(adapter, 772), fine = makeSharer(adapter, 773);
  if (!one || !two || !mistaken || !fine) return;
  const auto render = [](const std::unique_ptr<Sharer>& who, const Stream& stream) {
    return who->context->render(stream.bytes(), {});
  };
  for (const auto& who : {&one, &two, &mistaken, &fine})
    expect(ntSuccess(render(*who, Stream().flush())), "a first submission");
  settle(adapter, *fine->context);
  if (!machine.starveFetches(true)) {
    skipTest("a host without memory cannot be played here");
    return;
  }
  const auto waitForErrors = [&](uint32_t count) {
    const bool are = comes([&] { return deviceErrors(adapter) == count; });
    return expect(are, "%u errors (%u)", count, deviceErrors(adapter));
  };
  const uint32_t enabled = registers.read(AEROGPU_MMIO_REG_IRQ_ENABLE);
  registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
  for (const auto& who : {&one, &two}) expect(ntSuccess(render(*who, Stream().flush())), "work");
  waitForErrors(2);
  machine.starveFetches(false);
  expect(ntSuccess(render(mistaken, Stream().copyTexture(newHandle(), newHandle(), 4, 4, true))),
         "a mistake");
  expect(ntSuccess(render(fine, Stream().flush())), "nothing wrong");
  waitForErrors(3);
  registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, enabled);
  adapter.scheduler().waitIdle();
  for (const auto& who : {&one, &two}) {
    const NTSTATUS status = render(*who, Stream().flush());
    expect(status == kGpuException, "whose work did not run is told so (0x%08x)", status);
  }
  expect(ntSuccess(render(mistaken, Stream().flush())), "a mistake is no lost device");
  expect(ntSuccess(render(fine, Stream().flush())), "others go on");
  settle(adapter, *fine->context);
  expectDeviceErrors(adapter, 3);
}

const TestCase kSpaceTests[] = {
    {"space-charges", 120, spaceCharges, Runs::kBesideQemu},
    {"space-handles", 120, spaceHandles},
    {"space-tokens", 90, spaceTokens},
    {"space-allocations", 90, spaceAllocations},
    {"space-screen", 90, inProcessWithMode<spaceScreen, 1024, 768>},
    {"space-presented", 60, inProcessWithMode<spacePresented, 1024, 768>},
    {"space-life", 60, spaceLife},
    {"space-in-flight", 120, spaceInFlight},
    {"space-errors", 60, spaceErrors, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> spaceTests() {
  return kSpaceTests;
}

}  // namespace aerogpu::host
