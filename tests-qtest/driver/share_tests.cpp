// SPDX-License-Identifier: MIT
// Tests how much one process can take, however many devices it opens, and how much is left for others and for
// the OS (docs/abi/spaces.md, SPACE-22 to SPACE-24).
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "aerogpu/aerogpu_spaces.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "aerogpu/cmd_packets.hpp"
#include "tests-qtest/driver/heavy_work.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

constexpr size_t kDevicesOfOne = 256;
using Clients = std::vector<std::unique_ptr<Client>>;

/// Opens devices of one process until the driver refuses one; returns their number.
size_t openAll(Adapter& adapter, uint64_t process, Clients& clients) {
  size_t count = 0;
  for (; count < 5000; ++count) {
    auto client = Client::create(adapter, process);
    if (!client) break;
    clients.push_back(std::move(client));
  }
  return count;
}

/// Makes an object in a new context of the program; the device finds no error in that.
bool draws(Adapter& adapter, Client& client) {
  auto context = client.createContext();
  if (!expect(context != nullptr, "a context")) return false;
  const uint32_t handle = newHandle();
  Stream stream;
  stream.createTexture(handle, 16, 16, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).target(handle).clear(0xFF112233);
  const NTSTATUS status = context->render(stream.target(0).destroy(handle).bytes(), {});
  settle(adapter, *context);
  return expect(ntSuccess(status), "it draws (0x%08x)", status) && expectNoDeviceErrors(adapter);
}

/// One process opens devices until it is refused; another one still gets its own, and draws, and so does the
/// OS. With as many processes as possible there are still places for new ones and for the OS.
void shareDevices() {
  setGuardedPool(false);
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Clients greedy;
  const size_t first = openAll(adapter, 780, greedy);
  expect(first == kDevicesOfOne, "%zu devices of one process", first);
  auto other = Client::create(adapter, 781), desktop = Client::create(adapter, 4, true);
  if (!expect(other != nullptr, "another process") || !expect(desktop != nullptr, "the OS")) return;
  draws(adapter, *other);
  greedy.pop_back();
  expect(openAll(adapter, 780, greedy) == 1, "one for one that was closed");
  if (!hasSpaces(adapter)) return;

  uint64_t process = 800;
  for (size_t opened = kDevicesOfOne; opened == kDevicesOfOne && process < 830; ++process)
    opened = openAll(adapter, process, greedy);
  note("%zu devices of %llu processes", greedy.size(), static_cast<unsigned long long>(process - 800 + 1));
  // SPACE_COUNT is 4096; the driver has numbers for 4095, of which 63 and 511 are reserved.
  expect(greedy.size() > 3400 && greedy.size() < 3600, "about seven eighths (%zu)", greedy.size());
  auto late = Client::create(adapter, 900), again = Client::create(adapter, 900);
  expect(again == nullptr, "no second device of a process that comes late");
  if (!expect(late != nullptr, "its first")) return;
  draws(adapter, *late);
  auto system = Client::create(adapter, 4, true);
  expect(system != nullptr, "the OS");
  greedy.erase(greedy.begin(), greedy.begin() + static_cast<ptrdiff_t>(kDevicesOfOne));
  again = Client::create(adapter, 900);
  expect(again != nullptr, "a second one when others have ended");
  expectNoDeviceErrors(adapter);
}

/// SPACE-22: the first packet about a space names its process by a number other than its id, because ids are
/// reused.
void shareProcesses() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  const RingView ring(adapter);
  if (!ring || !ring.waitEmpty()) return;
  const auto begins = [&](uint64_t id, bool system, std::unique_ptr<Client>& client) {
    client = Client::create(adapter, id, system);
    aerogpu_cmd_ext_space_process packet{};
    const aerogpu_submit_desc slot = ring.newest();
    const aerogpu_submit_space space = ring.space(ring.header().tail - 1);
    const uint8_t* at = adapter.memory().at(slot.cmd_gpa);
    if (!expect(client && at && slot.cmd_size_bytes >= sizeof(aerogpu_cmd_stream_header) + sizeof packet,
                "a device's first packets"))
      return uint64_t{0};
    std::memcpy(&packet, at + sizeof(aerogpu_cmd_stream_header), sizeof packet);
    expect(packet.hdr.opcode == AEROGPU_CMD_EXT_SPACE_PROCESS && packet.space && !packet.reserved0 &&
               space.space == 0 && space.flags == AEROGPU_EXT_SPACE_FLAG_KERNEL,
           "the process of space 0x%x", packet.space);
    return packet.process;
  };
  std::unique_ptr<Client> one, two, other, desktop, heir;
  const uint64_t first = begins(700, false, one);
  expect(first != 0, "a number");
  expect(begins(700, false, two) == first, "two devices of a process");
  expect(begins(704, false, other) != first, "another one, created at the same time");
  expect(begins(4, true, desktop) == 0, "the OS' own");
  one.reset();
  two.reset();
  processEnded(700);
  expect(begins(700, false, heir) != first, "another process of the same id");
  ring.waitEmpty();
  expectNoDeviceErrors(adapter);
}

/// SPACE-11, SPACE-22: memory of two devices of one process counts together; another process has a separate
/// limit.
void shareMemory() {
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  auto one = makeSharer(adapter, 790), two = makeSharer(adapter, 790), other = makeSharer(adapter, 791);
  if (!one || !two || !other) return;
  const uint64_t large = uint64_t{adapter.registers().read(AEROGPU_EXT_REG_SPACE_MEMORY_MB)} * kMiB / 8 * 5;
  const auto errorsOf = [&](Sharer& who, const Stream& stream) {
    const uint32_t before = deviceErrors(adapter);
    expect(ntSuccess(who.context->render(stream.bytes(), {})), "a stream");
    settle(adapter, *who.context);
    return deviceErrors(adapter) - before;
  };
  const uint32_t handle = newHandle();
  expect(errorsOf(*one, Stream().createBuffer(handle, large, 0)) == 0, "five eighths");
  expect(errorsOf(*two, Stream().createBuffer(handle, large, 0)) == 1, "as much by its other device");
  expect(errorsOf(*other, Stream().createBuffer(handle, large / 2, 0)) == 0, "another process");
  expect(errorsOf(*one, Stream().destroy(handle)) == 0, "it is given back");
  expect(errorsOf(*two, Stream().createBuffer(handle, large, 0)) == 0, "and there for the other device");
  terminate(std::move(two));
  settle(adapter, *one->context);
  expect(errorsOf(*one, Stream().createBuffer(handle, large, 0)) == 0, "or when that has ended");
}

/// SPACE-21: for memory that is only the source of presents the driver makes a texture on behalf of the
/// program. The device charges the program for it, as for everything that the driver makes on the program's
/// behalf, whichever device of the program that is for.
void sharePresents(Adapter& adapter, Client&, Context&) {
  constexpr uint32_t kLargeMiB = 64, kEdge = 2048, kSourceMiB = kEdge * kEdge * 4 / kMiB;
  if (!hasSpaces(adapter)) return;
  auto program = makeSharer(adapter, 795), second = makeSharer(adapter, 795),
       other = makeSharer(adapter, 796);
  if (!program || !second || !other) return;
  const uint32_t limit = adapter.registers().read(AEROGPU_EXT_REG_SPACE_MEMORY_MB);
  struct Held {
    std::shared_ptr<Allocation> allocation;
    OpenAllocation* opened;
    Sharer* who;
  };
  std::vector<Held> all;
  const auto make = [&](Sharer& who, std::vector<uint8_t> data, uint32_t flags) -> OpenAllocation* {
    aerogpu_wddm_alloc_priv_v2 priv;
    std::memcpy(&priv, data.data(), sizeof priv);
    priv.flags |= flags;
    std::memcpy(data.data(), &priv, sizeof priv);
    auto made = adapter.vidmm().create({}, {std::move(data)}, true);
    if (!expect(ntSuccess(made.status), "an allocation (0x%08x)", made.status)) return nullptr;
    const auto opened = who.client->open(made.allocations, true);
    if (!expect(!opened.empty(), "it opens")) return nullptr;
    all.push_back({made.allocations[0], opened[0], &who});
    return opened[0];
  };
  // Both devices in turn take all but 64 MiB.
  for (uint32_t taken = kLargeMiB; taken + kLargeMiB <= limit; taken += kLargeMiB)
    if (!make(taken / kLargeMiB % 2 ? *program : *second,
              texturePrivate(newAllocId(), 4096, 4096, D3DDDIFMT_A8R8G8B8),
              AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY))
      return;
  const auto present = [&](Sharer& who) {
    const auto screen = who.client->open({adapter.display().sharedPrimary()}, false);
    OpenAllocation* source =
        make(who, texturePrivate(newAllocId(), kEdge, kEdge, D3DDDIFMT_X8R8G8B8, false, true), 0);
    if (!expect(!screen.empty() && source, "a source")) return kSuccess;
    const RECT from{0, 0, 64, 64};
    DXGK_PRESENTFLAGS blt{};
    blt.Blt = 1;
    const NTSTATUS status = who.context->present(source, screen[0], from, from, {}, blt);
    settle(adapter, *who.context);
    who.client->close(screen[0]);
    expectNoDeviceErrors(adapter);
    return status;
  };
  constexpr uint32_t kFit = kLargeMiB / kSourceMiB - 1;  // objects cost more than their pixels
  for (uint32_t i = 0; i < kFit; ++i) expect(ntSuccess(present(*program)), "source %u", i);
  NTSTATUS status = present(*program);
  expect(status == kNoMemory, "one more (0x%08x)", status);
  status = present(*second);
  expect(status == kNoMemory, "of its other device (0x%08x)", status);
  expect(ntSuccess(present(*other)), "another program's");
  const auto drop = [&](const Held& one) {
    one.who->client->close(one.opened);
    adapter.vidmm().destroy({one.allocation});
  };
  drop(all.front());
  all.erase(all.begin());
  expect(ntSuccess(present(*second)), "what was given back");
  for (const Held& one : all) drop(one);
  settle(adapter, *program->context);
}

/// A program that shows a frame now and then, while another one takes all it can get.
class Frames {
public:
  /// `draws`: makes frames by draws, which need Vulkan; else by clears and copies.
  Frames(Adapter& adapter, uint64_t process, bool draws)
      : m_adapter(adapter), m_process(makeSharer(adapter, process)), m_draws(draws) {
    m_ok = m_process && makeSurface(adapter, *m_process->client, *m_process->context, 64, 64, m_surface);
    if (!m_ok || !draws) return;
    Stream stream;
    m_covering.make(stream);
    m_ok = expect(ntSuccess(m_process->context->render(stream.bytes(), {})), "what a frame is drawn with");
  }
  bool ok() const { return m_ok; }
  /// Called before each frame, if set: may submit work that runs before the frame, and returns its name;
  /// null: none.
  std::function<const char*()> before;
  /// Draws a frame with its own colour, which must be visible. Work of others in the ring runs before it.
  void draw(const char* during) {
    const char* behind = before ? before() : nullptr;
    const int64_t begin = realNs();
    const auto number = static_cast<uint32_t>(m_times.size() + 1);
    const uint32_t color = 0xFF000000 | (0x010203 * number & 0xFFFFFF);
    const NTSTATUS status = m_draws ? drawSurface(color) : fillSurface(*m_process->context, m_surface, color);
    settle(m_adapter, *m_process->context);
    m_times.push_back(realNs() - begin);
    if (behind)
      note("frame %u, beside %s, behind %s: %lld ms", number, during, behind,
           static_cast<long long>(m_times.back() / 1'000'000));
    expect(ntSuccess(status) && surfaceIs(m_adapter, m_surface, color), "frame %u, beside %s (0x%08x)",
           number, during, status);
  }
  void end() {
    expect(errorsOf(m_process->client->processId()).value_or(0) == 0, "no packet of the frames has failed");
    std::sort(m_times.begin(), m_times.end());
    note("%zu frames, the median %lld us, the longest %lld us", m_times.size(),
         static_cast<long long>(m_times[m_times.size() / 2] / 1000),
         static_cast<long long>(m_times.back() / 1000));
    dropSurface(m_adapter, *m_process->client, *m_process->context, m_surface);
  }

private:
  NTSTATUS drawSurface(uint32_t color) {
    Stream stream;
    m_covering.fill(stream, m_surface.target, m_surface.width, m_surface.height, color);
    stream.target(0).copyTexture(m_surface.backed, m_surface.target, m_surface.width, m_surface.height, true);
    return m_process->context->render(stream.bytes(), {{m_surface.opened, true}});
  }

  Adapter& m_adapter;
  std::unique_ptr<Sharer> m_process;
  const bool m_draws;
  CoveringDraws m_covering;
  Surface m_surface;
  bool m_ok = false;
  std::vector<int64_t> m_times;
};

/// Some devices of a program that always has the heaviest legal work under way, alternately.
class Heavies {
public:
  static constexpr size_t kDevices = 3;
  /// Opens the devices; `clients` gets them.
  Heavies(Adapter& adapter, uint64_t process, Clients& clients) {
    for (One& one : m_all) {
      auto client = Client::create(adapter, process);
      one.context = client ? client->createContext() : nullptr;
      if (!expect(one.context != nullptr, "a device for work")) return;
      clients.push_back(std::move(client));
      Stream stream;
      one.work.make(stream);
      if (!expect(ntSuccess(one.context->render(stream.bytes(), {})), "what it draws with")) return;
      settle(adapter, *one.context);
    }
    m_ok = expectNoDeviceErrors(adapter);
  }
  bool ok() const { return m_ok; }
  /// Submits the next device's work, of the next kind, whose name it returns; the GPU is then busy with it.
  const char* submit(bool mayMakeObjects) {
    One& one = m_all[m_rounds % kDevices];
    auto kind = static_cast<HeavyWork::Kind>(m_rounds++ % HeavyWork::kKinds);
    if (kind == HeavyWork::Kind::Pipelines && !mayMakeObjects) kind = HeavyWork::Kind::Loops;
    Stream stream;
    one.work.work(stream, kind);
    const NTSTATUS status = one.context->render(stream.bytes(), {});
    expect(ntSuccess(status), "work: %s (0x%08x)", HeavyWork::nameOf(kind), status);
    return HeavyWork::nameOf(kind);
  }
  unsigned rounds() const { return m_rounds; }

private:
  struct One {
    HeavyWork work;
    std::unique_ptr<Context> context;
  };
  std::array<One, kDevices> m_all;
  unsigned m_rounds = 0;
  bool m_ok = false;
};

/// Returns a shader that moves a constant to its output.
std::array<uint32_t, 5> moving(bool pixel, uint32_t constant) {
  return {pixel ? 0xFFFF0200 : 0xFFFE0200, 0x02000001, pixel ? 0x800F0800 : 0xC00F0000, 0xA0E40000 | constant,
          0x0000FFFF};
}

/// One process takes devices, contexts, memory, samplers and pipelines until it is refused; another one
/// continues to draw, every frame right, and a new one starts. With `works` the first one does the heaviest
/// legal work all the while, on several of its devices.
void besiege(bool works) {
  constexpr uint64_t kBesieger = 800;
  /// One in so many frames comes after heavy work, which takes all the time that it is allowed.
  constexpr unsigned kWorkFrames = 4;
  setGuardedPool(false);
  Session session;
  if (!session.ok() || !hasSpaces(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Frames frames(adapter, 804, works);
  if (!frames.ok()) return;
  frames.draw("nothing");
  Clients devices;
  std::optional<Heavies> heavies;
  bool memoryLeft = true;
  unsigned drawn = 0;
  if (works) {
    heavies.emplace(adapter, kBesieger, devices);
    if (!heavies->ok()) return;
    frames.before = [&] { return drawn++ % kWorkFrames == 0 ? heavies->submit(memoryLeft) : nullptr; };
  }
  while (auto client = Client::create(adapter, kBesieger)) {
    devices.push_back(std::move(client));
    if (devices.size() % 32 == 0) frames.draw("devices");
  }
  std::vector<std::unique_ptr<Context>> contexts;
  NTSTATUS status = kSuccess;
  for (size_t i = 0; i < 5000 && ntSuccess(status); ++i) {
    contexts.push_back(devices[i / 250 % devices.size()]->createContext());
    if (!expect(contexts.back() != nullptr, "a context")) return;
    status = contexts.back()->render(Stream().flush().bytes(), {});
    if (i % 128 == 127) frames.draw("contexts");
  }
  const size_t made = contexts.size() - 1 + (works ? Heavies::kDevices : 0);
  expect(status == kNoMemory && made == 1024, "%zu contexts (0x%08x)", made, status);
  Context& taker = *contexts[0];
  // Repeats until the device finds an error, which belongs to the taker: the frames may cause none.
  const auto untilRefused = [&](const char* what, unsigned most, auto add) {
    unsigned rounds = 0;
    bool refused = false;
    for (; rounds < most && !refused; ++rounds) {
      const uint32_t before = deviceErrors(adapter);
      Stream stream;
      add(stream);
      if (!expect(ntSuccess(taker.render(stream.bytes(), {})), "%s", what)) return;
      settle(adapter, taker);
      refused = deviceErrors(adapter) != before;
      if (!refused) {
        frames.draw(what);
        expect(works || deviceErrors(adapter) == before, "a frame without an error");
      }
    }
    expect(refused, "%s: refused in the end", what);
  };
  // Pipelines are never refused: they displace the taker's own.
  for (uint32_t round = 0; round < 8; ++round) {
    Stream stream;
    const uint32_t image = newHandle(), pixel = newHandle();
    stream.createTexture(image, 16, 16, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).target(image);
    packets::createShader(stream.writer(), pixel, AEROGPU_SHADER_STAGE_PIXEL, moving(true, round));
    packets::setTopology(stream.writer(), AEROGPU_TOPOLOGY_TRIANGLELIST);
    for (uint32_t i = 0; i < 12; ++i) {
      const uint32_t vertex = newHandle();
      packets::createShader(stream.writer(), vertex, AEROGPU_SHADER_STAGE_VERTEX,
                            moving(false, round * 12 + i));
      packets::bindShaders(stream.writer(), vertex, pixel);
      packets::draw(stream.writer(), 3);
    }
    expect(ntSuccess(taker.render(stream.bytes(), {})), "pipelines");
    frames.draw("pipelines");
  }
  if (works)
    expect(deviceErrors(adapter) > 0, "work was stopped, since frames waited");
  else
    expectNoDeviceErrors(adapter);
  memoryLeft = false;
  untilRefused("memory", 64, [](Stream& s) { s.createBuffer(newHandle(), 32 * kMiB, 0); });
  untilRefused("samplers", 64, [](Stream& s) {
    for (unsigned i = 0; i < 8192; ++i) {
      aerogpu_cmd_create_sampler sampler{};
      sampler.sampler_handle = newHandle();
      s.writer().packet(AEROGPU_CMD_CREATE_SAMPLER, sampler);
    }
  });
  const auto now = std::exchange(frames.before, nullptr);
  if (works)
    frames.before = [&] {
      for (size_t i = 0; i < Heavies::kDevices; ++i) heavies->submit(false);
      return "work of several devices";
    };
  frames.draw("all of it");
  expect(Client::create(adapter, kBesieger) == nullptr, "no device more");
  Frames late(adapter, 808, works);
  if (late.ok()) {
    late.before = now;
    late.draw("all that is taken");
    late.end();
  }
  frames.end();
  if (!works) return;
  const TdrRecord& record = adapter.scheduler().tdr();
  note("%u times work", heavies->rounds());
  expect(record.timeouts == 0 && record.resets == 0 && record.lost == 0, "no time-out (%u, %u resets)",
         record.timeouts, record.resets);
}

void shareSiege() {
  besiege(false);
}

/// Needs the device's options renderer=vulkan and a short max_batch_ms.
void siege() {
  besiege(true);
}

const TestCase kShareTests[] = {
    {"share-devices", 240, shareDevices},
    {"share-processes", 60, shareProcesses},
    {"share-memory", 120, shareMemory},
    {"share-siege", 240, shareSiege},
    {"siege", 240, siege, Runs::kOnDemand},
    {"share-presents", 120, inProcessWithMode<sharePresents, 1024, 768>},
};

}  // namespace

std::span<const TestCase> shareTests() {
  return kShareTests;
}

}  // namespace aerogpu::host
