// SPDX-License-Identifier: MIT
// Shared surfaces: tokens and their end of life, whatever the order of close and destroy (EX-40 to EX-47).
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc.h"
#include "suite/streams.h"
#include "suite/test.h"

namespace aerogpu::host {

namespace {

struct Opener {
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  OpenAllocation* opened = nullptr;
  uint32_t handle = 0;
};

std::unique_ptr<Opener> makeOpener(Adapter& adapter, uint64_t process) {
  auto opener = std::make_unique<Opener>();
  opener->client = Client::create(adapter, process);
  if (!opener->client) return nullptr;
  opener->context = opener->client->createContext();
  return opener->context ? std::move(opener) : nullptr;
}

/// Importing a token in a stream; true if the device took it without an error.
bool importWorks(Adapter& adapter, Context& context, uint64_t token, uint32_t handle) {
  adapter.scheduler().waitIdle();
  const uint32_t before = adapter.registers().read(AEROGPU_MMIO_REG_ERROR_COUNT);
  Stream stream;
  stream.importSurface(handle, token);
  if (!ntSuccess(context.render(stream.bytes(), {}))) return false;
  adapter.scheduler().waitIdle();
  sleepMs(20);
  return adapter.registers().read(AEROGPU_MMIO_REG_ERROR_COUNT) == before;
}

/// Creator and two openers; the closes in one order, the destruction last or in between.
void oneOrder(Adapter& adapter, const std::vector<int>& order, uint32_t round) {
  auto creator = makeOpener(adapter, 300), a = makeOpener(adapter, 301), b = makeOpener(adapter, 302);
  if (!expect(creator && a && b, "three processes")) return;
  const uint32_t id = newAllocId();
  auto created = adapter.vidmm().create({}, {texturePrivate(id, 64, 64, D3DDDIFMT_A8R8G8B8, true)}, true);
  if (!expect(ntSuccess(created.status), "a shared allocation (0x%08x)", created.status)) return;
  auto allocation = created.allocations[0];
  const uint64_t token = shareTokenOf(*allocation);
  expect(token != 0, "a shared allocation has a token");
  creator->opened = creator->client->open({allocation}, true)[0];
  creator->handle = newHandle();
  Stream make;
  make.createTexture(creator->handle, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, id)
      .exportSurface(creator->handle, token);
  expect(ntSuccess(creator->context->render(make.bytes(), {{creator->opened, true}})), "export");
  Stream again;
  again.exportSurface(creator->handle, token);
  expect(ntSuccess(creator->context->render(again.bytes(), {})), "the same pair again (EX-42)");
  for (Opener* o : {a.get(), b.get()}) {
    const auto opened = o->client->open({allocation}, false);
    if (!expect(!opened.empty(), "another process opens it")) return;
    o->opened = opened[0];
    aerogpu_wddm_alloc_priv priv{};
    std::memcpy(&priv, allocation->privateData.data(), sizeof priv);
    expect(priv.share_token == token && priv.alloc_id == id, "openers read the same token and id");
    o->handle = newHandle();
    expect(importWorks(adapter, *o->context, token, o->handle), "import (round %u)", round);
  }
  // 0, 1, 2: creator, a, b close (destroying their handles first); 3: handles are destroyed after the close.
  Opener* openers[3] = {creator.get(), a.get(), b.get()};
  for (const int who : order) {
    Opener& o = *openers[who % 3];
    const bool handleFirst = who < 3;
    Stream gone;
    gone.destroy(o.handle);
    if (handleFirst) o.context->render(gone.bytes(), {});
    o.client->close(o.opened);
    if (!handleFirst) o.context->render(gone.bytes(), {});
    adapter.scheduler().waitIdle();
  }
  adapter.vidmm().destroy({allocation});
  adapter.scheduler().waitIdle();
  sleepMs(20);
  // EX-44: the token is gone for good.
  const uint32_t late = newHandle();
  expect(!importWorks(adapter, *a->context, token, late), "a released token cannot be imported (round %u)",
         round);
}

void sharedOrders() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  std::vector<int> order{0, 1, 2};
  uint32_t round = 0;
  const uint64_t before = poolBytes();
  uint64_t after = 0;
  do {
    for (int variant = 0; variant < 2; ++variant) {
      std::vector<int> chosen = order;
      if (variant)
        for (int& who : chosen) who += 3;
      oneOrder(adapter, chosen, round++);
      if (round == 2) after = poolBytes();
    }
  } while (std::next_permutation(order.begin(), order.end()));
  expect(poolBytes() <= after + 4096, "no growth: %llu bytes before, %llu after two rounds, %llu at the end",
         static_cast<unsigned long long>(before), static_cast<unsigned long long>(after),
         static_cast<unsigned long long>(poolBytes()));
}

/// One surface, written by one process and read by another.
void sharedPixels() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto producer = makeOpener(adapter, 310), consumer = makeOpener(adapter, 311);
  if (!expect(producer && consumer, "two processes")) return;
  const uint32_t id = newAllocId();
  auto created = adapter.vidmm().create({}, {texturePrivate(id, 64, 64, D3DDDIFMT_A8R8G8B8, true)}, true);
  if (!expect(ntSuccess(created.status), "a shared allocation")) return;
  auto allocation = created.allocations[0];
  const uint64_t token = shareTokenOf(*allocation);
  producer->opened = producer->client->open({allocation}, true)[0];
  producer->handle = newHandle();
  Stream make;
  make.createTexture(producer->handle, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, id)
      .exportSurface(producer->handle, token);
  producer->context->render(make.bytes(), {{producer->opened, true}});
  consumer->opened = consumer->client->open({allocation}, false)[0];
  consumer->handle = newHandle();
  expect(importWorks(adapter, *consumer->context, token, consumer->handle), "import");
  Surface result;
  if (!makeSurface(adapter, *consumer->client, *consumer->context, 64, 64, result)) return;
  for (uint32_t i = 0; i < 10; ++i) {
    const uint32_t color = 0xFF000000 | i * 0x080402;
    Stream draw;
    draw.target(producer->handle).clear(color).target(0);
    producer->context->render(draw.bytes(), {{producer->opened, true}});
    Stream take;
    take.copyTexture(result.backed, consumer->handle, 64, 64, true);
    consumer->context->render(take.bytes(), {{result.opened, true}, {consumer->opened, false}});
    expect(surfaceIs(adapter, result, color), "the consumer sees colour %08x", color);
  }
  dropSurface(adapter, *consumer->client, *consumer->context, result);
  for (Opener* o : {producer.get(), consumer.get()}) {
    Stream gone;
    gone.destroy(o->handle);
    o->context->render(gone.bytes(), {});
    o->client->close(o->opened);
  }
  adapter.vidmm().destroy({allocation});
  expectNoDeviceErrors(adapter);
}

const TestCase kTests[] = {
    {"shared-orders", 240, sharedOrders},
    {"shared-pixels", 90, sharedPixels},
};

}  // namespace

std::span<const TestCase> sharedTests() {
  return kTests;
}

}  // namespace aerogpu::host
