// SPDX-License-Identifier: MIT
// Moves of a random walk (random_walk.h): processes and contexts, memory that comes and goes, drawing,
// buffers that run later than they were built, shared surfaces, GDI.
#include <algorithm>
#include <cstring>

#include "tests-qtest/driver/random_walk.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kEdges[] = {8, 64, 64, 200, 256, 400};
constexpr uint32_t kWindow = 64;
constexpr size_t kMostItems = 20, kMostHeld = 5, kWindows = 3;
constexpr RECT kWhole{0, 0, kWindow, kWindow};
constexpr NTSTATUS kNoVideoMemory = ntStatus(0xC01E0100);  // STATUS_GRAPHICS_NO_VIDEO_MEMORY

Stream fillStream(const WalkItem& item, uint32_t color) {
  const Surface& s = item.surface;
  Stream stream;
  if (item.buffer) {
    const std::vector<uint32_t> pixels(s.width, color);
    stream.upload(s.target, 0, pixels.data(), s.bytes()).copyBuffer(s.backed, s.target, s.bytes(), true);
  } else {
    stream.target(s.target).clear(color).target(0).copyTexture(s.backed, s.target, s.width, s.height, true);
  }
  return stream;
}

}  // namespace

WalkProcess& Walk::anyProcess() {
  if (m_processes.empty()) beginProcess();
  return *any(m_processes);
}

WalkContext& Walk::anyContext(WalkProcess& process) {
  return *std::next(process.contexts.begin(), below(static_cast<uint32_t>(process.contexts.size())));
}

WalkContext& Walk::runningContext(WalkProcess& process) {
  WalkContext& context = anyContext(process);
  releaseHeld(context);
  return context;
}

Walk::Item Walk::anyItem(WalkProcess& process, const std::function<bool(const WalkItem&)>& fits) {
  std::vector<Item> fitting;
  for (const Item& item : process.items)
    if (fits(*item)) fitting.push_back(item);
  return fitting.empty() ? nullptr : any(fitting);
}

NTSTATUS Walk::act(WalkContext& context, const Stream& stream, const Context::List& list, Effect effect) {
  return act(
      context, mayRefuse(*context.process), [&] { return context.context->render(stream.bytes(), list); },
      std::move(effect));
}

NTSTATUS Walk::act(WalkContext& context, bool possible, const std::function<NTSTATUS()>& submits,
                   Effect effect) {
  if (context.effects.size() >= kMostHeld) releaseHeld(context);
  NTSTATUS status = kSuccess;
  const uint32_t refused = refusalsOf(possible, [&] { status = submits(); });
  const bool failsInVain =
      m_vain && (status == kGpuException || status == kNoVideoMemory || status == kNoMemory);
  if (!expect(ntSuccess(status) || failsInVain, "a render (0x%08x)", status)) return status;
  const bool done = refused == 0 && ntSuccess(status) && !m_vain;
  if (!context.holds) {
    effect(done);
    return status;
  }
  context.doubtful |= possible;
  context.effects.push_back(done ? std::move(effect) : [effect = std::move(effect)](bool) { effect(false); });
  return status;
}

void Walk::releaseHeld(WalkContext& context) {
  if (!context.holds) return;
  logCall("%zu held buffers run", context.effects.size());
  const uint32_t refused = refusalsOf(context.doubtful || mayRefuse(*context.process), [&] {
    expect(context.context->releaseHeld(), "held buffers fit into memory");
  });
  for (const auto& effect : context.effects) effect(refused == 0 && !m_vain);
  context.effects.clear();
  context.holds = context.doubtful = false;
}

void Walk::releaseHeld(WalkProcess& process) {
  for (WalkContext& context : process.contexts) releaseHeld(context);
}

void Walk::releaseAll() {
  for (const auto& process : m_processes) releaseHeld(*process);
}

void Walk::beginProcess() {
  if (m_processes.size() >= 6) return;
  auto process = std::make_unique<WalkProcess>();
  process->id = m_nextProcess++;
  logCall("process %llu begins", static_cast<unsigned long long>(process->id));
  refusalsOf(m_short, [&] { process->client = Client::create(m_adapter, process->id); });
  if (!expect(process->client != nullptr, "a device")) return;
  process->contexts.emplace_back();
  process->contexts.back().process = process.get();
  process->contexts.back().context = process->client->createContext();
  if (expect(process->contexts.back().context != nullptr, "a context"))
    m_processes.push_back(std::move(process));
}

void Walk::endSomeProcess() {
  if (!m_processes.empty()) endProcess(below(static_cast<uint32_t>(m_processes.size())), false);
}

void Walk::killSomeProcess() {
  if (!m_processes.empty()) endProcess(below(static_cast<uint32_t>(m_processes.size())), true);
}

void Walk::endProcess(size_t index, bool killed) {
  WalkProcess& process = *m_processes[index];
  logCall("process %llu %s", static_cast<unsigned long long>(process.id), killed ? "is killed" : "ends");
  if (m_frameOwner == &process) dropFrames();
  if (!killed) {
    releaseHeld(process);
    WalkContext& context = process.contexts.front();
    closePrimary(process);
    while (!process.shares.empty()) {
      dropShare(process.shares.back(), process, below(2) != 0);
      process.shares.pop_back();
    }
    for (const Item& item : process.items) dropItem(process, context, item);
    refusalsOf(mayRefuse(process), [&] { process.contexts.clear(); });
  } else {
    // The process' unsubmitted buffers are dropped with it, while submitted ones are in flight.
    std::vector<std::unique_ptr<Context>> contexts;
    for (WalkContext& context : process.contexts) {
      if (context.holds) context.context->dropHeld();
      contexts.push_back(std::move(context.context));
    }
    std::vector<std::shared_ptr<WalkShared>> shared;
    for (const WalkShare& share : process.shares) shared.push_back(share.shared);
    refusalsOf(mayRefuse(process) || missesSomething(process), [&] {
      process.shares.clear();
      Client::terminate(std::move(process.client), std::move(contexts));
    });
    for (const auto& one : shared)
      if (!one->allocation->opens) std::erase(m_shared, one);  // with the last one that had it open
  }
  m_processes.erase(m_processes.begin() + static_cast<std::ptrdiff_t>(index));
}

/// Destroys an item. That may be a device error, if the device has refused to make its objects, or refuses
/// the context.
void Walk::dropItem(WalkProcess& process, WalkContext& context, const Item& item) {
  refusalsOf(item->missing || item->unseen || mayRefuse(process),
             [&] { dropSurface(m_adapter, *process.client, *context.context, item->surface); });
}

bool Walk::anyMayRefuse() const {
  return std::any_of(m_processes.begin(), m_processes.end(), [this](const auto& process) {
    return mayRefuse(*process) || missesSomething(*process);
  });
}

bool Walk::missesSomething(const WalkProcess& process) const {
  return m_primaryUnseen ||
         std::any_of(process.items.begin(), process.items.end(),
                     [](const Item& item) { return item->missing || item->unseen; }) ||
         std::any_of(process.shares.begin(), process.shares.end(),
                     [](const WalkShare& share) { return !share.usable(); });
}

void Walk::addItem() {
  WalkProcess& process = anyProcess();
  if (process.items.size() >= kMostItems) return;
  WalkContext& context = runningContext(process);
  auto item = std::make_shared<WalkItem>();
  if (below(4)) {
    const uint32_t width = kEdges[below(std::size(kEdges))], height = kEdges[below(std::size(kEdges))];
    logCall("%llu makes a texture of %ux%u", static_cast<unsigned long long>(process.id), width, height);
    bool made = false;
    item->missing = refusalsOf(mayRefuse(process), [&] {
      made = makeSurface(m_adapter, *process.client, *context.context, width, height, item->surface);
    });
    if (made) process.items.push_back(item);
    return;
  }
  item->buffer = true;
  Surface& s = item->surface;
  s.width = 16 + below(4000);
  s.height = 1;
  logCall("%llu makes a buffer of %u words", static_cast<unsigned long long>(process.id), s.width);
  auto made = m_adapter.vidmm().create({}, {bufferPrivate(newAllocId(), s.bytes(), below(2) != 0)}, false);
  if (!expect(ntSuccess(made.status), "a buffer (0x%08x)", made.status)) return;
  s.allocation = made.allocations[0];
  s.allocId = allocIdOf(s.allocation->privateData);
  const auto opened = process.client->open(made.allocations, true);
  if (!expect(!opened.empty(), "it opens")) return;
  s.opened = opened[0];
  s.backed = newHandle();
  s.target = newHandle();
  Stream stream;
  stream.createBuffer(s.backed, s.bytes(), s.allocId).createBuffer(s.target, s.bytes(), 0);
  act(context, stream, {{s.opened, true}}, [item](bool done) { item->missing = !done; });
  process.items.push_back(item);
}

void Walk::removeItem() {
  WalkProcess& process = anyProcess();
  const Item item = anyItem(process, [](const WalkItem& i) { return !i.frame; });
  if (!item) return;
  releaseHeld(process);
  logCall("%llu drops item %u", static_cast<unsigned long long>(process.id), item->surface.allocId);
  dropItem(process, anyContext(process), item);
  std::erase(process.items, item);
}

void Walk::changeContexts() {
  WalkProcess& process = anyProcess();
  if (process.contexts.size() < 4 && below(2)) {
    logCall("%llu gets another context", static_cast<unsigned long long>(process.id));
    auto context = process.client->createContext();
    if (!expect(context != nullptr, "a context")) return;
    process.contexts.emplace_back();
    process.contexts.back().process = &process;
    process.contexts.back().context = std::move(context);
  } else if (process.contexts.size() > 1) {
    logCall("%llu gives up a context", static_cast<unsigned long long>(process.id));
    releaseHeld(process.contexts.back());
    refusalsOf(mayRefuse(process), [&] { process.contexts.pop_back(); });
  }
}

NTSTATUS Walk::fill(WalkContext& context, const Item& item, uint32_t color) {
  return act(context, fillStream(*item, color), {{item->surface.opened, true}},
             [item, color](bool done) { item->memory = item->gpu = done ? Color(color) : Color(); });
}

void Walk::fillItem() {
  WalkProcess& process = anyProcess();
  const Item item = anyItem(process, [](const WalkItem& i) { return !i.frame && !i.missing; });
  if (!item) return;
  WalkContext& context = anyContext(process);
  const uint32_t color = 0xFF000000 | m_random.next();
  logCall("%llu fills item %u with %08x%s", static_cast<unsigned long long>(process.id),
          item->surface.allocId, color, context.holds ? ", held" : "");
  if (item->buffer || below(6)) {
    fill(context, item, color);
    return;
  }
  // In two streams: bindings persist, whatever the driver itself draws for this context in between.
  const Surface& s = item->surface;
  act(context, Stream().target(s.target), {}, [](bool) {});
  const RECT corner{600, 440, 620, 460};  // contains no checked point
  if (primaryOf(process)) present(context, nullptr, corner, corner, color, [](bool) {});
  Stream rest;
  rest.clear(color).target(0).copyTexture(s.backed, s.target, s.width, s.height, true);
  act(context, rest, {{s.opened, true}},
      [item, color](bool done) { item->memory = item->gpu = done ? Color(color) : Color(); });
}

void Walk::copyItem() {
  WalkProcess& process = anyProcess();
  const Item to = anyItem(process, [](const WalkItem& i) { return !i.buffer && !i.frame && !i.missing; });
  if (!to) return;
  const Surface& s = to->surface;
  const Item from = anyItem(process, [&](const WalkItem& i) {
    return !i.buffer && !i.missing && &i != to.get() && i.surface.width == s.width &&
           i.surface.height == s.height;
  });
  if (!from) return;
  WalkContext& context = anyContext(process);
  logCall("%llu copies item %u to %u%s", static_cast<unsigned long long>(process.id), from->surface.allocId,
          s.allocId, context.holds ? ", held" : "");
  Stream stream;
  stream.copyTexture(s.backed, from->surface.backed, s.width, s.height, true);
  act(context, stream, {{from->surface.opened, false}, {s.opened, true}},
      [to, from](bool done) { to->memory = to->gpu = done ? from->gpu : Color(); });
}

void Walk::writeMemory(const Item& item, uint32_t color) {
  const Surface& s = item->surface;
  const std::vector<uint32_t> pixels(size_t{s.width} * s.height, color);
  expect(m_adapter.vidmm().write(*s.allocation, 0, pixels.data(), s.bytes()), "a write");
  item->memory = color;
}

/// Writes to an item by the CPU, and marks the range as dirty in a stream.
void Walk::writeItem() {
  WalkProcess& process = anyProcess();
  const Item item = anyItem(process, [](const WalkItem& i) { return !i.frame; });
  if (!item) return;
  WalkContext& context = anyContext(process);
  const uint32_t color = 0xFF000000 | m_random.next();
  const Surface& s = item->surface;
  logCall("the CPU writes %08x to item %u of %llu%s", color, s.allocId,
          static_cast<unsigned long long>(process.id), context.holds ? ", held" : "");
  writeMemory(item, color);
  if (item->missing) return;
  Stream stream;
  stream.dirty(s.backed, 0, s.bytes());
  act(context, stream, {{s.opened, false}}, [item](bool done) { item->gpu = done ? item->memory : Color(); });
}

void Walk::checkItem() {
  WalkProcess& process = anyProcess();
  const Item item = anyItem(process, [](const WalkItem& i) { return i.memory.has_value(); });
  if (!item) return;
  logCall("item %u of %llu is looked at", item->surface.allocId, static_cast<unsigned long long>(process.id));
  expect(surfaceIs(m_adapter, item->surface, *item->memory, 31), "the colour that was drawn");
}

void Walk::evictItem() {
  const Item item = anyItem(anyProcess(), [](const WalkItem& i) { return !i.frame; });
  if (!item) return;
  logCall("item %u is evicted", item->surface.allocId);
  expect(page([&] { return m_adapter.vidmm().evict(*item->surface.allocation); }), "an eviction");
}

void Walk::evictAll() {
  logCall("everything is evicted");
  expect(page([&] { return m_adapter.vidmm().evictAll(); }), "an eviction of everything");
}

void Walk::preferSegment() {
  const UINT id = below(static_cast<uint32_t>(m_adapter.vidmm().segments().size()) + 1);
  logCall("allocations go to segment %u from now on", id);
  m_adapter.vidmm().preferSegment(id);
}

void Walk::hold() {
  WalkContext& context = anyContext(anyProcess());
  if (context.holds) return;
  logCall("a context is held back");
  context.holds = true;
  context.context->hold();
}

/// Submits held buffers: those of all contexts, the newest context first, or those of one context.
void Walk::releaseSome() {
  WalkProcess& process = anyProcess();
  if (below(3) == 0 || process.contexts.size() == 1)
    for (auto at = process.contexts.rbegin(); at != process.contexts.rend(); ++at) releaseHeld(*at);
  else
    releaseHeld(anyContext(process));
}

void Walk::share() {
  if (m_shared.size() >= 5) return;
  WalkProcess& process = anyProcess();
  WalkContext& context = runningContext(process);
  auto shared = std::make_shared<WalkShared>();
  shared->allocation = makeShared(m_adapter);
  if (!shared->allocation) return;
  logCall("%llu shares a surface", static_cast<unsigned long long>(process.id));
  std::vector<OpenAllocation*> opened;  // the driver makes the texture
  shared->missing =
      refusalsOf(mayRefuse(process), [&] { opened = process.client->open({shared->allocation}, true); });
  if (!expect(!opened.empty(), "its creator opens it")) return;
  m_shared.push_back(shared);
  process.shares.push_back({shared, opened[0], newHandle()});
  WalkShare& mine = process.shares.back();
  Stream stream;
  const uint64_t token = shareTokenOf(mine.opened->privateData);
  if (hasSpaces(m_adapter))  // PRIV-30
    stream.importSurface(mine.handle, token);
  else
    stream
        .createTexture(mine.handle, kWindow, kWindow, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                       allocIdOf(mine.opened->privateData))
        .exportSurface(mine.handle, token);
  if (!shared->missing)
    act(context, stream, {{mine.opened, true}}, [&mine](bool done) { mine.missing = !done; });
}

void Walk::openShare() {
  if (m_shared.empty()) return;
  WalkProcess& process = anyProcess();
  const auto& shared = any(m_shared);
  if (std::any_of(process.shares.begin(), process.shares.end(),
                  [&](const WalkShare& share) { return share.shared == shared; }))
    return;
  WalkContext& context = runningContext(process);
  logCall("%llu opens a shared surface", static_cast<unsigned long long>(process.id));
  std::vector<OpenAllocation*> opened;  // the driver grants the token
  refusalsOf(shared->missing || mayRefuse(process),
             [&] { opened = process.client->open({shared->allocation}, false); });
  if (!expect(!opened.empty(), "another process opens it")) return;
  process.shares.push_back({shared, opened[0], newHandle()});
  if (shared->missing) return;
  WalkShare& mine = process.shares.back();
  Stream stream;
  stream.importSurface(mine.handle, shareTokenOf(opened[0]->privateData));
  act(context, stream, {}, [&mine](bool done) { mine.missing = !done; });
}

void Walk::fillShare() {
  WalkProcess& process = anyProcess();
  if (process.shares.empty()) return;
  const WalkShare& share = any(process.shares);
  if (!share.usable()) return;
  WalkContext& context = anyContext(process);
  const uint32_t color = 0xFF000000 | m_random.next();
  logCall("%llu fills a shared surface with %08x%s", static_cast<unsigned long long>(process.id), color,
          context.holds ? ", held" : "");
  Stream stream;
  stream.target(share.handle).clear(color).target(0);
  act(context, stream, {{share.opened, true}},
      [shared = share.shared, color](bool done) { shared->gpu = done ? Color(color) : Color(); });
}

void Walk::lookShare() {
  WalkProcess& process = anyProcess();
  if (process.shares.empty()) return;
  const WalkShare& share = any(process.shares);
  if (!share.usable()) return;
  const Item to = anyItem(process, [](const WalkItem& i) {
    return !i.buffer && !i.missing && i.surface.width == kWindow && i.surface.height == kWindow;
  });
  if (!to) return;
  WalkContext& context = anyContext(process);
  logCall("%llu copies a shared surface to item %u%s", static_cast<unsigned long long>(process.id),
          to->surface.allocId, context.holds ? ", held" : "");
  Stream stream;
  stream.copyTexture(to->surface.backed, share.handle, kWindow, kWindow, true);
  act(context, stream, {{share.opened, false}, {to->surface.opened, true}},
      [to, shared = share.shared](bool done) { to->memory = to->gpu = done ? shared->gpu : Color(); });
}

void Walk::closeShare() {
  WalkProcess& process = anyProcess();
  if (process.shares.empty()) return;
  releaseHeld(process);
  const size_t index = below(static_cast<uint32_t>(process.shares.size()));
  logCall("%llu closes a shared surface", static_cast<unsigned long long>(process.id));
  const uint64_t token = shareTokenOf(process.shares[index].opened->privateData);
  const auto shared = process.shares[index].shared;
  dropShare(process.shares[index], process, below(2) != 0);
  process.shares.erase(process.shares.begin() + static_cast<std::ptrdiff_t>(index));
  if (shared->missing || mayRefuse(process)) return;  // the query might be refused too
  const bool lives = std::find(m_shared.begin(), m_shared.end(), shared) != m_shared.end();
  expect(deviceKnowsToken(m_adapter, *process.contexts.front().context, token, m_errors) == lives,
         "the device knows the token as long as somebody has the surface open");
}

/// Destroys the handle and closes the allocation. `handleFirst`: in this order, as a program does that ends
/// properly.
void Walk::dropShare(WalkShare& share, WalkProcess& process, bool handleFirst) {
  Stream stream;
  stream.destroy(share.handle);
  Context& context = *process.contexts.front().context;
  const auto shared = share.shared;
  refusalsOf(!share.usable() || mayRefuse(process), [&] {
    // A lost device takes no streams; its handles are gone.
    if (handleFirst && share.usable()) (void)context.render(stream.bytes(), {});
    process.client->close(share.opened);
    if (!handleFirst && share.usable()) (void)context.render(stream.bytes(), {});
    if (shared->allocation->opens) return;
    m_adapter.vidmm().destroy({shared->allocation});
    std::erase(m_shared, shared);
  });
}

bool Walk::makeGdi() {
  m_gdi.client = Client::create(m_adapter, 4, true);
  m_gdi.context = m_gdi.client ? m_gdi.client->createContext(true) : nullptr;
  if (!expect(m_gdi.context != nullptr, "GDI")) return false;
  for (size_t i = 0; i <= kWindows; ++i) {
    D3DKMDT_GDISURFACEDATA data{};
    data.Width = data.Height = kWindow;
    data.Format = D3DDDIFMT_A8R8G8B8;
    data.Type = i < kWindows ? D3DKMDT_GDISURFACE_TEXTURE : D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE;
    auto made = m_adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false);
    if (!expect(ntSuccess(made.status), "a surface of GDI's (0x%08x)", made.status)) return false;
    m_gdi.pitch = data.Pitch;
    const auto opened = m_gdi.client->open(made.allocations, true);
    if (!expect(!opened.empty(), "it opens")) return false;
    m_gdi.windows.push_back({made.allocations[0], opened[0], {}});
  }
  return true;
}

NTSTATUS Walk::gdiFill(size_t window, uint32_t color) {
  DXGK_RENDERKM_COMMAND command{};
  command.OpCode = DXGK_GDIOP_COLORFILL;
  command.CommandSize = sizeof command;
  command.Command.ColorFill = {kWhole, 0, 1, const_cast<RECT*>(&kWhole), color, DXGK_GDIROPCF_PATCOPY, 0};
  return m_gdi.context->renderKm({reinterpret_cast<const uint8_t*>(&command), sizeof command},
                                 {{m_gdi.windows[window].opened, true}});
}

NTSTATUS Walk::gdiAct(size_t window, Color color, const std::function<NTSTATUS()>& submits) {
  NTSTATUS status = kSuccess;
  const uint32_t refused = refusalsOf(m_short, [&] { status = submits(); });
  expect(ntSuccess(status) || m_vain, "a command of GDI's (0x%08x)", status);
  m_gdi.windows[window].gpu = refused || m_vain || !ntSuccess(status) ? Color() : color;
  return status;
}

void Walk::gdiDraw() {
  const size_t to = below(kWindows), from = (to + 1 + below(kWindows - 1)) % kWindows;
  if (below(3)) {
    const uint32_t color = 0xFF000000 | m_random.next();
    logCall("GDI fills window %zu with %08x", to, color);
    gdiAct(to, color, [&] { return gdiFill(to, color); });
    return;
  }
  logCall("GDI copies window %zu to %zu", from, to);
  DXGK_RENDERKM_COMMAND command{};
  command.OpCode = DXGK_GDIOP_BITBLT;
  command.CommandSize = sizeof command;
  command.Command.BitBlt = {kWhole, kWhole, 0, 1, 1, const_cast<RECT*>(&kWhole), DXGK_GDIROP_SRCCOPY,
                            0,      0,      0};
  gdiAct(to, m_gdi.windows[from].gpu, [&] {
    return m_gdi.context->renderKm({reinterpret_cast<const uint8_t*>(&command), sizeof command},
                                   {{m_gdi.windows[from].opened, false}, {m_gdi.windows[to].opened, true}});
  });
}

void Walk::gdiLook() {
  const size_t window = below(kWindows);
  WalkGdi::Window& bitmap = m_gdi.windows.back();
  logCall("GDI copies window %zu to its bitmap", window);
  DXGK_RENDERKM_COMMAND command{};
  command.OpCode = DXGK_GDIOP_BITBLT;
  command.CommandSize = sizeof command;
  command.Command.BitBlt = {
      kWhole, kWhole, 0, 1, 1, const_cast<RECT*>(&kWhole), DXGK_GDIROP_SRCCOPY, 0, m_gdi.pitch, m_gdi.pitch};
  const NTSTATUS status = gdiAct(m_gdi.windows.size() - 1, m_gdi.windows[window].gpu, [&] {
    return m_gdi.context->renderKm({reinterpret_cast<const uint8_t*>(&command), sizeof command},
                                   {{m_gdi.windows[window].opened, false}, {bitmap.opened, true}});
  });
  if (!ntSuccess(status) || !bitmap.gpu) return;
  for (const uint32_t y : {0u, kWindow / 2, kWindow - 1}) {
    uint32_t row[kWindow];
    m_adapter.vidmm().read(*bitmap.allocation, uint64_t{y} * m_gdi.pitch, row, sizeof row);
    for (const uint32_t pixel : row)
      if (!expect(pixel == *bitmap.gpu, "what GDI drew is %08x (%08x)", *bitmap.gpu, pixel)) return;
  }
}

}  // namespace aerogpu::host
