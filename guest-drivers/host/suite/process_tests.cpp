// SPDX-License-Identifier: MIT
// What belongs to a process: nobody else may use it, it ends with the process, and there is only so much.
// docs/windows-driver.md, "What a process may do".
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "aerogpu/cmd_packets.hpp"
#include "suite/outside.h"
#include "suite/sharing.h"

namespace aerogpu::host {

namespace {

/// A handle of each kind, made by one process, and whatever a stream can do with them.
struct Objects {
  uint32_t texture = newHandle(), depth = newHandle(), buffer = newHandle(), view = newHandle(),
           vertexShader = newHandle(), pixelShader = newHandle(), inputLayout = newHandle(),
           sampler = newHandle();
};

// ps_2_0 and vs_2_0, each a single "mov out, c0".
constexpr uint32_t kPixelShader[] = {0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF};
constexpr uint32_t kVertexShader[] = {0xFFFE0200, 0x02000001, 0xC00F0000, 0xA0E40000, 0x0000FFFF};
// D3DVERTEXELEMENT9: stream 0, offset 0, FLOAT3, POSITION; D3DDECL_END.
constexpr uint8_t kLayout[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};

/// Makes all of them: no packet is wrong.
Stream makeObjects(const Objects& o, uint32_t allocId) {
  Stream s;
  s.createTexture(o.texture, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, allocId);
  packets::createTexture(s.writer(), {.handle = o.depth,
                                      .format = AEROGPU_FORMAT_D24_UNORM_S8_UINT,
                                      .width = 64,
                                      .height = 64,
                                      .usage = AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL});
  packets::createBuffer(s.writer(), o.buffer, 4096,
                        AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER | AEROGPU_RESOURCE_USAGE_INDEX_BUFFER |
                            AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER | AEROGPU_RESOURCE_USAGE_STORAGE);
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = o.view;
  view.texture_handle = o.texture;
  view.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  view.mip_level_count = view.array_layer_count = 1;
  s.writer().packet(AEROGPU_CMD_CREATE_TEXTURE_VIEW, view);
  packets::createShader(s.writer(), o.vertexShader, AEROGPU_SHADER_STAGE_VERTEX, kVertexShader);
  packets::createShader(s.writer(), o.pixelShader, AEROGPU_SHADER_STAGE_PIXEL, kPixelShader);
  packets::useInputLayout(s.writer(), o.inputLayout, kLayout);
  aerogpu_cmd_create_sampler sampler{};
  sampler.sampler_handle = o.sampler;
  s.writer().packet(AEROGPU_CMD_CREATE_SAMPLER, sampler);
  return s;
}

template <class Packet>
Stream one(uint32_t opcode, const std::function<void(Packet&)>& fill, const void* tail = nullptr,
           size_t tailBytes = 0) {
  Packet packet{};
  fill(packet);
  Stream stream;
  stream.writer().packetWithTail(opcode, packet, tail, tailBytes);
  return stream;
}

struct Use {
  const char* what;
  Stream stream;
};

/// Each way to use a foreign handle: one packet each, which is right but for whose handle it names. `own` are
/// the caller's.
std::vector<Use> usesOf(const Objects& their, const Objects& own) {
  std::vector<Use> uses;
  const auto add = [&](const char* what, Stream stream) { uses.push_back({what, std::move(stream)}); };
  uint32_t word = 0;
  add("dirty range", Stream().dirty(their.texture, 0, 4096));
  add("upload", Stream().upload(their.buffer, 0, &word, sizeof word));
  add("copy from a texture", Stream().copyTexture(own.texture, their.texture, 4, 4, false));
  add("copy to a texture", Stream().copyTexture(their.texture, own.texture, 4, 4, false));
  add("copy from a buffer", Stream().copyBuffer(own.buffer, their.buffer, 4, false));
  add("copy to a buffer", Stream().copyBuffer(their.buffer, own.buffer, 4, false));
  add("a view of a texture",
      one<aerogpu_cmd_create_texture_view>(AEROGPU_CMD_CREATE_TEXTURE_VIEW, [&](auto& p) {
        p.view_handle = newHandle();
        p.texture_handle = their.texture;
        p.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
        p.mip_level_count = p.array_layer_count = 1;
      }));
  add("a vertex shader",
      one<aerogpu_cmd_bind_shaders>(AEROGPU_CMD_BIND_SHADERS, [&](auto& p) { p.vs = their.vertexShader; }));
  add("a pixel shader",
      one<aerogpu_cmd_bind_shaders>(AEROGPU_CMD_BIND_SHADERS, [&](auto& p) { p.ps = their.pixelShader; }));
  add("a domain shader of the longer packet",
      one<aerogpu_cmd_bind_shaders>(
          AEROGPU_CMD_BIND_SHADERS, [](auto&) {}, std::vector<uint32_t>{0, 0, their.vertexShader}.data(),
          12));
  add("an input layout", one<aerogpu_cmd_set_input_layout>(AEROGPU_CMD_SET_INPUT_LAYOUT, [&](auto& p) {
        p.input_layout_handle = their.inputLayout;
      }));
  add("a render target", Stream().target(their.texture));
  add("the eighth render target",
      one<aerogpu_cmd_set_render_targets>(AEROGPU_CMD_SET_RENDER_TARGETS, [&](auto& p) {
        p.color_count = 8;
        p.colors[7] = their.texture;
      }));
  add("a depth buffer", one<aerogpu_cmd_set_render_targets>(AEROGPU_CMD_SET_RENDER_TARGETS,
                                                            [&](auto& p) { p.depth_stencil = their.depth; }));
  const aerogpu_vertex_buffer_binding vertices[2] = {{}, {their.buffer, 16, 0, 0}};
  add("a vertex buffer, the second of two",
      one<aerogpu_cmd_set_vertex_buffers>(
          AEROGPU_CMD_SET_VERTEX_BUFFERS, [](auto& p) { p.buffer_count = 2; }, vertices, sizeof vertices));
  add("an index buffer", one<aerogpu_cmd_set_index_buffer>(AEROGPU_CMD_SET_INDEX_BUFFER,
                                                           [&](auto& p) { p.buffer = their.buffer; }));
  const auto bindTexture = [&](uint32_t handle) {
    return one<aerogpu_cmd_set_texture>(AEROGPU_CMD_SET_TEXTURE, [&](auto& p) {
      p.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
      p.texture = handle;
    });
  };
  add("a texture", bindTexture(their.texture));
  add("a view", bindTexture(their.view));
  const uint32_t samplers[2] = {0, their.sampler};
  add("a sampler, the second of two", one<aerogpu_cmd_set_samplers>(
                                          AEROGPU_CMD_SET_SAMPLERS,
                                          [](auto& p) {
                                            p.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
                                            p.sampler_count = 2;
                                          },
                                          samplers, sizeof samplers));
  const auto pixelStage = [](auto& p) {
    p.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    if constexpr (requires { p.buffer_count; })
      p.buffer_count = 1;
    else
      p.uav_count = 1;
  };
  const aerogpu_constant_buffer_binding constants{their.buffer, 0, 256, 0};
  add("a constant buffer", one<aerogpu_cmd_set_constant_buffers>(AEROGPU_CMD_SET_CONSTANT_BUFFERS, pixelStage,
                                                                 &constants, sizeof constants));
  const aerogpu_shader_resource_buffer_binding resource{their.buffer, 0, 0, 0};
  add("a buffer of a shader resource",
      one<aerogpu_cmd_set_shader_resource_buffers>(AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, pixelStage,
                                                   &resource, sizeof resource));
  const aerogpu_unordered_access_buffer_binding unordered{their.buffer, 0, 0, 0xFFFFFFFF};
  add("a buffer of unordered access",
      one<aerogpu_cmd_set_unordered_access_buffers>(AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, pixelStage,
                                                    &unordered, sizeof unordered));
  return uses;
}

/// Ends and new meanings of a foreign handle: their owner may do this too, but it changes what there is.
std::vector<Use> endsOf(const Objects& their) {
  std::vector<Use> uses;
  const auto destroy = [&](const char* what, uint32_t opcode, uint32_t handle) {
    uses.push_back({what, one<aerogpu_cmd_destroy_resource>(opcode, [&](auto& p) {
                      p.resource_handle = handle;  // the five packets have one layout
                    })});
  };
  destroy("a texture's end", AEROGPU_CMD_DESTROY_RESOURCE, their.texture);
  destroy("a buffer's end", AEROGPU_CMD_DESTROY_RESOURCE, their.buffer);
  destroy("a view's end", AEROGPU_CMD_DESTROY_TEXTURE_VIEW, their.view);
  destroy("a shader's end", AEROGPU_CMD_DESTROY_SHADER, their.vertexShader);
  destroy("an input layout's end", AEROGPU_CMD_DESTROY_INPUT_LAYOUT, their.inputLayout);
  destroy("a sampler's end", AEROGPU_CMD_DESTROY_SAMPLER, their.sampler);
  uses.push_back({"a buffer under a handle that is in use", Stream().createBuffer(their.buffer, 16, 0)});
  uses.push_back({"a texture under a handle that is in use",
                  Stream().createTexture(their.texture, 4, 4, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0)});
  return uses;
}

/// PRIV-6 to PRIV-8: handles belong to who made them, tokens to who has their allocation open, and of a
/// stream that breaks this nothing is submitted.
void processRights() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto owner = makeSharer(adapter, 500), stranger = makeSharer(adapter, 501);
  if (!owner || !stranger) return;
  const Objects theirs, own;
  expect(ntSuccess(owner->context->render(makeObjects(theirs, 0).bytes(), {})), "the owner's objects");
  expect(ntSuccess(stranger->context->render(makeObjects(own, 0).bytes(), {})), "the stranger's objects");
  settle(adapter, *owner->context);
  settle(adapter, *stranger->context);
  expectNoDeviceErrors(adapter);

  uint64_t submitted = adapter.scheduler().submitted();
  const auto refused = [&](const Use& use) {
    const NTSTATUS status = stranger->context->render(use.stream.bytes(), {});
    expect(status == kPrivilegedInstruction, "%s of another process is refused (0x%08x)", use.what, status);
    // Behind packets that are right, too: nothing of the stream runs.
    Stream late;
    late.upload(own.buffer, 0, &submitted, 4);
    late.writer().raw(use.stream.bytes().data() + sizeof(aerogpu_cmd_stream_header),
                      use.stream.bytes().size() - sizeof(aerogpu_cmd_stream_header));
    expect(stranger->context->render(late.bytes(), {}) == kPrivilegedInstruction,
           "%s of another process, later in a stream", use.what);
    expect(adapter.scheduler().submitted() == submitted, "%s: nothing is submitted", use.what);
  };
  for (const Use& use : usesOf(theirs, own)) refused(use);
  for (const Use& use : endsOf(theirs)) refused(use);
  Objects kernels;  // the driver's own handles are nobody's
  kernels.texture = kernels.depth = kernels.buffer = kernels.view = kernels.vertexShader =
      kernels.pixelShader = kernels.inputLayout = kernels.sampler = 0xF8000001;
  for (const Use& use : usesOf(kernels, own)) refused(use);
  for (const Use& use : endsOf(kernels)) refused(use);
  // It was not the packets: their owner may. What the device thinks of them is not asked.
  for (const Use& use : usesOf(theirs, theirs)) {
    const NTSTATUS status = owner->context->render(use.stream.bytes(), {});
    expect(ntSuccess(status), "%s by its owner (0x%08x)", use.what, status);
  }
  settle(adapter, *owner->context);
  const uint32_t errors = deviceErrors(adapter);

  // Tokens: who does not have the allocation open may neither import nor export.
  const auto allocation = makeShared(adapter);
  if (!allocation || !openAndExport(*owner, allocation)) return;
  stranger->token = owner->token;
  submitted = adapter.scheduler().submitted();
  const auto tryBoth = [&](NTSTATUS expected, const char* when) {
    const NTSTATUS import = importShared(*stranger);
    expect(import == expected, "import %s: 0x%08x (0x%08x)", when, expected, import);
    return import;
  };
  tryBoth(kPrivilegedInstruction, "by who never opened it");
  NTSTATUS status = stranger->context->render(Stream().exportSurface(own.texture, owner->token).bytes(), {});
  expect(status == kPrivilegedInstruction, "export by who never opened it (0x%08x)", status);
  status = stranger->context->render(Stream().importSurface(newHandle(), owner->token + 1).bytes(), {});
  expect(status == kPrivilegedInstruction, "a token that was never made (0x%08x)", status);
  expect(adapter.scheduler().submitted() == submitted, "nothing is submitted");
  if (!openShared(*stranger, allocation)) return;
  tryBoth(kSuccess, "by who has it open");
  const uint32_t imported = stranger->handle;
  status = owner->context->render(Stream().destroy(imported).bytes(), {});
  expect(status == kPrivilegedInstruction, "an import is the importer's (0x%08x)", status);
  stranger->client->close(stranger->opened);
  tryBoth(kPrivilegedInstruction, "by who has closed it");
  stranger->handle = imported;
  expect(ntSuccess(destroyHandle(*stranger)) && ntSuccess(destroyHandle(*owner)), "handles go");
  owner->client->close(owner->opened);
  adapter.vidmm().destroy({allocation});

  // A handle is free again when its owner has given it up.
  expect(ntSuccess(owner->context->render(Stream().destroy(theirs.buffer).bytes(), {})), "its end");
  expect(ntSuccess(stranger->context->render(Stream().createBuffer(theirs.buffer, 16, 0).bytes(), {})),
         "a handle that was given up is anybody's");
  settle(adapter, *stranger->context);
  expectDeviceErrors(adapter, errors);
}

/// PRIV-10: a process that is killed leaves nothing, not in the driver, not on the device.
void processKilled() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto survivor = makeSharer(adapter, 510);
  if (!survivor) return;
  Surface untouched;
  if (!makeSurface(adapter, *survivor->client, *survivor->context, 64, 64, untouched)) return;
  fillSurface(*survivor->context, untouched, 0xFF335577);
  settle(adapter, *survivor->context);
  const auto resources = deviceCounter("resources"), held = deviceCounter("held-objects");
  const uint64_t pool = poolBytes();
  const size_t allocations = adapter.vidmm().liveAllocations();
  const Objects objects;
  std::vector<uint32_t> many;
  many.reserve(100);
  for (int i = 0; i < 100; ++i) many.push_back(newHandle());
  // Again and again with the same handles: what was left would be in the way.
  for (uint32_t round = 0; round < 4; ++round) {
    auto victim = Client::create(adapter, 511);
    std::vector<std::unique_ptr<Context>> contexts;
    for (int i = 0; i < 3 && victim; ++i) contexts.push_back(victim->createContext());
    if (!expect(victim && contexts[2], "the process of round %u", round)) return;
    Surface surface;
    if (!makeSurface(adapter, *victim, *contexts[0], 64, 64, surface)) return;
    expect(ntSuccess(contexts[0]->render(makeObjects(objects, 0).bytes(), {})), "its objects");
    Stream buffers;
    for (const uint32_t handle : many) buffers.createBuffer(handle, 256, 0);
    buffers.target(surface.target);  // and bound while it dies
    expect(ntSuccess(contexts[1]->render(buffers.bytes(), {})), "more of them");
    for (uint32_t i = 0; i < 6; ++i) fillSurface(*contexts[2], surface, 0xFF000000 | i);
    if (round == 0) {
      settle(adapter, *contexts[2]);
      // Surface: two textures; objects: two textures and a buffer.
      if (resources)
        expectDeviceCounter("resources", *resources + 2 + 3 + many.size(), "what the process has made");
    }
    expectNoDeviceErrors(adapter);
    Client::terminate(std::move(victim), std::move(contexts));
    settle(adapter, *survivor->context);
    expectDeviceCounter("resources", resources, "after its end");
    expectDeviceCounter("held-objects", held, "after its end, contexts with what is bound in them too");
    expect(poolBytes() == pool, "no pool is left in round %u (%lld bytes)", round,
           static_cast<long long>(poolBytes() - pool));
    expect(adapter.vidmm().liveAllocations() == allocations, "no allocation is left in round %u", round);
    expectNoDeviceErrors(adapter);
  }
  // Whatever it was is free: the driver and the device let another process have each of the handles.
  expect(ntSuccess(survivor->context->render(makeObjects(objects, 0).bytes(), {})), "handles of the dead");
  settle(adapter, *survivor->context);
  expectNoDeviceErrors(adapter);
  expect(surfaceIs(adapter, untouched, 0xFF335577), "others' pixels");
  dropSurface(adapter, *survivor->client, *survivor->context, untouched);
}

/// PRIV-9: a process that changes its stream while the driver looks at it. Whatever the driver checked is
/// what runs: another process' buffer stays as it is.
void processChanges() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto victim = makeSharer(adapter, 530), attacker = makeSharer(adapter, 531);
  if (!victim || !attacker) return;
  Surface surface;
  if (!makeSurface(adapter, *victim->client, *victim->context, 8, 8, surface)) return;
  const uint32_t theirs = newHandle(), own = newHandle(), bytes = static_cast<uint32_t>(surface.bytes());
  std::vector<uint32_t> content(bytes / 4, 0xFF5A5A5A);
  Stream make;
  make.createTexture(theirs, 8, 8, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).upload(theirs, 0, content.data(), bytes);
  expect(ntSuccess(victim->context->render(make.bytes(), {})), "the victim's texture");
  expect(ntSuccess(attacker->context->render(
             Stream().createTexture(own, 8, 8, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).bytes(), {})),
         "the attacker's texture");
  // Many uploads in one stream, so that there is time between the check of one and the end of the copy.
  const uint32_t word = 0x11111111;
  Stream attack;
  for (int i = 0; i < 400; ++i) attack.upload(own, 0, &word, sizeof word);
  constexpr size_t kFirst = sizeof(aerogpu_cmd_stream_header);
  const size_t packet = (attack.bytes().size() - kFirst) / 400;
  auto* memory = static_cast<uint8_t*>(allocateUserMemory(attack.bytes().size()));
  std::memcpy(memory, attack.bytes().data(), attack.bytes().size());
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> changes{0};
  std::thread writer([&] {
    for (uint32_t i = 0; !stop; ++i) {
      auto* handle =
          reinterpret_cast<uint32_t*>(memory + kFirst + i % 400 * packet + sizeof(aerogpu_cmd_hdr));
      __atomic_store_n(handle, theirs, __ATOMIC_RELAXED);
      __atomic_store_n(handle, own, __ATOMIC_RELAXED);
      changes.store(i, std::memory_order_relaxed);
    }
  });
  // Calls count in which the writer really ran at the same time, many sweeps of it.
  unsigned taken = 0, refused = 0, others = 0;
  const int64_t end = nowNs() + 20'000'000'000;
  while (nowNs() < end && (taken < 100 || refused < 20)) {
    const uint32_t before = changes;
    const NTSTATUS status =
        attacker->context->renderRaw(memory, static_cast<UINT>(attack.bytes().size()), {}, {});
    const bool together = changes - before > 1000;
    taken += together && status == kSuccess;
    refused += together && status == kPrivilegedInstruction;
    others += status != kSuccess && status != kPrivilegedInstruction;
  }
  stop = true;
  const ClockPause pause;
  writer.join();
  note("%u streams taken, %u refused", taken, refused);
  expect(taken && refused && !others, "both happen, nothing else (%u)", others);
  Stream look;
  look.copyTexture(surface.backed, theirs, 8, 8, true);
  expect(ntSuccess(victim->context->render(look.bytes(), {{surface.opened, true}})), "the victim looks");
  expect(surfaceIs(adapter, surface, 0xFF5A5A5A, 1), "its texture is untouched");
  freeUserMemory(memory, attack.bytes().size());
  dropSurface(adapter, *victim->client, *victim->context, surface);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

constexpr uint32_t kDeviceHandles = 1u << 18, kAllHandles = 1u << 20;

/// Streams about handles in a row that the driver sees and the device does not: it has limits of its own.
class UnseenViews {
public:
  static NTSTATUS make(Sharer& who, uint32_t first, uint32_t count) {
    return send<aerogpu_cmd_create_texture_view>(who, AEROGPU_CMD_CREATE_TEXTURE_VIEW, first, count);
  }
  static NTSTATUS drop(Sharer& who, uint32_t first, uint32_t count) {
    return send<aerogpu_cmd_destroy_texture_view>(who, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, first, count);
  }
  /// As many as a device may have, no more.
  static bool makeAll(Sharer& who, uint32_t first) {
    constexpr uint32_t kAtOnce = 1u << 14;
    for (uint32_t i = 0; i < kDeviceHandles; i += kAtOnce) {
      const NTSTATUS status = make(who, first + i, kAtOnce);
      if (!expect(ntSuccess(status), "handles from %u on (0x%08x)", i, status)) return false;
    }
    NTSTATUS status = make(who, first + kDeviceHandles, 1);
    expect(status == kNoMemory, "one more than 2^18 (0x%08x)", status);
    status = make(who, first, 1);
    return expect(ntSuccess(status), "one that the device has anew (0x%08x)", status);
  }

private:
  template <class Packet>
  static NTSTATUS send(Sharer& who, uint32_t opcode, uint32_t first, uint32_t count) {
    Stream stream;
    for (uint32_t i = 0; i < count; ++i) {
      Packet packet{};
      packet.view_handle = first + i;
      stream.writer().packet(opcode, packet);
    }
    return who.context->renderUnseen(stream.bytes());
  }
};

/// What the driver keeps for a context from its first Render on is there.
bool warmUp(Sharer& who, uint32_t first, uint32_t count) {
  return expect(
      ntSuccess(UnseenViews::make(who, first, count)) && ntSuccess(UnseenViews::drop(who, first, count)),
      "handles come and go");
}

/// One process takes all handles that it may have: others have room, what it gives up is free, and it leaves
/// nothing.
void processLimits() {
  constexpr uint32_t kFirst = 0x80000000, kOther = 0x90000000;
  setGuardedPool(false);  // a page for each handle would be 1 GiB
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto other = makeSharer(adapter, 521);
  if (!other || !warmUp(*other, kOther, 1000)) return;
  const uint64_t pool = poolBytes();
  auto taker = makeSharer(adapter, 520);
  if (!other || !taker || !UnseenViews::makeAll(*taker, kFirst)) return;
  expect(ntSuccess(UnseenViews::make(*other, kOther, 1000)), "another process has room");
  expect(ntSuccess(UnseenViews::drop(*taker, kFirst + 5, 1)), "one is given up");
  expect(ntSuccess(UnseenViews::make(*taker, kOther + 1000, 1)), "whose room is free");
  expect(UnseenViews::make(*taker, kOther + 1001, 1) == kNoMemory, "for one");
  expect(UnseenViews::make(*other, kFirst + 6, 1) == kPrivilegedInstruction, "handles that are in use");
  terminate(std::move(taker));
  expect(ntSuccess(UnseenViews::make(*other, kFirst, 10000)), "handles of the dead");
  expect(ntSuccess(UnseenViews::drop(*other, kFirst, 10000)), "are given up");
  expect(ntSuccess(UnseenViews::drop(*other, kOther, 1000)), "and the others");
  settle(adapter, *other->context);
  expect(poolBytes() == pool, "nothing is left (%lld bytes)", static_cast<long long>(poolBytes() - pool));
  expectNoDeviceErrors(adapter);
}

/// All processes together take all handles that there are. Takes minutes under TCG: a bucket of the driver's
/// table then holds 256.
void allHandles() {
  constexpr uint32_t kFirst = 0x80000000, kOther = 0x90000000;
  setGuardedPool(false);
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto other = makeSharer(adapter, 524);
  if (!other || !warmUp(*other, kOther, 1)) return;
  const uint64_t pool = poolBytes();
  std::vector<std::unique_ptr<Sharer>> takers;
  for (uint32_t d = 0; d < kAllHandles / kDeviceHandles; ++d) {
    takers.push_back(makeSharer(adapter, 520 + d));
    if (!other || !takers[d] || !UnseenViews::makeAll(*takers[d], kFirst + d * kDeviceHandles)) return;
  }
  expect(UnseenViews::make(*other, kOther, 1) == kNoMemory, "one more than 2^20 in all");
  expect(ntSuccess(UnseenViews::drop(*takers[0], kFirst, 1)), "one is given up");
  expect(ntSuccess(UnseenViews::make(*other, kOther, 1)), "whose room is free");
  expect(UnseenViews::make(*takers[0], kFirst, 1) == kNoMemory, "for one");
  for (auto& taker : takers) terminate(std::move(taker));
  expect(ntSuccess(UnseenViews::drop(*other, kOther, 1)), "the last is given up");
  settle(adapter, *other->context);
  expect(poolBytes() == pool, "nothing is left (%lld bytes)", static_cast<long long>(poolBytes() - pool));
  expectNoDeviceErrors(adapter);
}

const TestCase kTests[] = {
    {"process-rights", 120, processRights},  {"process-changes", 90, processChanges},
    {"process-killed", 120, processKilled},  {"process-limits", 240, processLimits},
    {"all-handles", 1200, allHandles, true},
};

}  // namespace

std::span<const TestCase> processTests() {
  return kTests;
}

}  // namespace aerogpu::host
