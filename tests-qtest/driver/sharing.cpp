// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

std::unique_ptr<Sharer> makeSharer(Adapter& adapter, uint64_t process) {
  auto sharer = std::make_unique<Sharer>();
  sharer->client = Client::create(adapter, process);
  if (sharer->client) sharer->context = sharer->client->createContext();
  return expect(sharer->context != nullptr, "process %llu", static_cast<unsigned long long>(process))
             ? std::move(sharer)
             : nullptr;
}

void terminate(std::unique_ptr<Sharer> sharer) {
  std::vector<std::unique_ptr<Context>> contexts;
  contexts.push_back(std::move(sharer->context));
  Client::terminate(std::move(sharer->client), std::move(contexts));
}

std::shared_ptr<Allocation> makeShared(Adapter& adapter) {
  auto created =
      adapter.vidmm().create({}, {texturePrivate(newAllocId(), 64, 64, D3DDDIFMT_A8R8G8B8, true)}, true);
  return expect(ntSuccess(created.status), "a shared allocation (0x%08x)", created.status)
             ? created.allocations[0]
             : nullptr;
}

bool openAndExport(Adapter& adapter, Sharer& creator, const std::shared_ptr<Allocation>& allocation) {
  const auto opened = creator.client->open({allocation}, true);
  if (!expect(!opened.empty(), "the creator opens it")) return false;
  creator.opened = opened[0];
  creator.token = shareTokenOf(creator.opened->privateData);
  if (hasSpaces(adapter)) {  // the driver has made and exported it (PRIV-30)
    const NTSTATUS status = importShared(creator);
    return expect(ntSuccess(status), "the creator imports it (0x%08x)", status);
  }
  creator.handle = newHandle();
  Stream make;
  make.createTexture(creator.handle, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                     allocIdOf(creator.opened->privateData))
      .exportSurface(creator.handle, creator.token);
  const NTSTATUS status = creator.context->render(make.bytes(), {{creator.opened, true}});
  return expect(ntSuccess(status), "export (0x%08x)", status);
}

bool openShared(Sharer& opener, const std::shared_ptr<Allocation>& allocation) {
  const auto opened = opener.client->open({allocation}, false);
  if (!expect(!opened.empty(), "another process opens it")) return false;
  opener.opened = opened[0];
  opener.token = shareTokenOf(opener.opened->privateData);
  return true;
}

NTSTATUS importShared(Sharer& opener) {
  opener.handle = newHandle();
  Stream stream;
  stream.importSurface(opener.handle, opener.token);
  return opener.context->render(stream.bytes(), {});
}

NTSTATUS destroyHandle(Sharer& owner) {
  Stream gone;
  gone.destroy(owner.handle);
  return owner.context->render(gone.bytes(), {});
}

void settle(Adapter& adapter, Context& context) {
  Stream stream;
  stream.flush();
  uint64_t number = 0;
  const NTSTATUS status = context.render(stream.bytes(), {}, &number);
  expect(ntSuccess(status) && adapter.scheduler().waitIdle(number), "what was submitted is done (0x%08x)",
         status);
}

bool deviceKnowsToken(Adapter& adapter, Context& context, uint64_t token, uint32_t& errors) {
  settle(adapter, context);
  const uint32_t before = deviceErrors(adapter), handle = newHandle();
  Stream sent, shown;
  sent.importSurface(handle, token).destroy(handle);
  while (shown.bytes().size() < sent.bytes().size()) shown.nop();
  uint64_t number = 0;
  const NTSTATUS status = context.renderPastDriver(shown.bytes(), sent.bytes(), &number);
  expect(ntSuccess(status) && adapter.scheduler().waitIdle(number), "the device is asked (0x%08x)", status);
  const uint32_t found = deviceErrors(adapter) - before;
  expect(found == 0 || found == 2, "the device imports and destroys, or finds both wrong (%u errors)", found);
  errors += found;
  return found == 0;
}

}  // namespace aerogpu::host
