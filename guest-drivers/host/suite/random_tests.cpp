// SPDX-License-Identifier: MIT
// Random legal calls, thousands of them, from a seed; the books are checked after each and at the end.
#include <cstring>
#include <deque>

#include "suite/streams.h"
#include "suite/test.h"

namespace aerogpu::host {

namespace {

struct Process {
  std::unique_ptr<Client> client;
  std::vector<std::unique_ptr<Context>> contexts;
  struct Item {
    Surface surface;
    uint32_t color = 0;
    bool filled = false;
  };
  std::vector<Item> items;
};

/// One state and the moves that are legal in it.
class Walk {
public:
  Walk(Session& session, uint64_t seed) : m_adapter(session.adapter()), m_random(seed) {}

  void run(unsigned moves) {
    for (m_done = 0; m_done < moves && !m_stop; ++m_done) move();
    note("%u moves; %llu submissions, %llu evictions", m_done,
         static_cast<unsigned long long>(m_adapter.scheduler().submitted()),
         static_cast<unsigned long long>(m_adapter.vidmm().evictions()));
    while (!m_processes.empty()) endProcess(0);
  }

private:
  void move() {
    const unsigned before = brokenRules();
    const uint32_t what = m_random.below(100);
    if (m_processes.empty() || (what < 2 && m_processes.size() < 6))
      beginProcess();
    else if (what < 3)
      endProcess(m_random.below(static_cast<uint32_t>(m_processes.size())));
    else if (what < 12)
      addSurface(process());
    else if (what < 18)
      removeSurface(process());
    else if (what < 60)
      fill(process());
    else if (what < 75)
      check(process());
    else if (what < 82)
      evict(process());
    else if (what < 86)
      context(process());
    else if (what < 92)
      pointer();
    else if (what < 96)
      scanLine();
    else if (what < 97)
      mode();
    else if (what < 98)
      m_adapter.display().controlVsync(m_random.below(2));
    else if (what < 99)
      m_adapter.scheduler().queryFence();
    else
      m_adapter.scheduler().waitIdle();
    if (brokenRules() != before) {
      note("that was move %u of seed %llu", m_done, static_cast<unsigned long long>(options().seed));
      if (brokenRules() > 20) m_stop = true;
    }
  }

  Process& process() { return *m_processes[m_random.below(static_cast<uint32_t>(m_processes.size()))]; }
  Context& anyContext(Process& p) {
    return *p.contexts[m_random.below(static_cast<uint32_t>(p.contexts.size()))];
  }

  void beginProcess() {
    auto p = std::make_unique<Process>();
    p->client = Client::create(m_adapter, 1000 + m_nextProcess++);
    if (!expect(p->client != nullptr, "a device")) return;
    p->contexts.push_back(p->client->createContext());
    if (expect(p->contexts[0] != nullptr, "a context")) m_processes.push_back(std::move(p));
  }
  void endProcess(uint32_t index) {
    Process& p = *m_processes[index];
    while (!p.items.empty()) {
      dropSurface(m_adapter, *p.client, *p.contexts[0], p.items.back().surface);
      p.items.pop_back();
    }
    p.contexts.clear();
    m_processes.erase(m_processes.begin() + index);
  }
  void addSurface(Process& p) {
    if (p.items.size() >= 12) return;
    Process::Item item;
    if (makeSurface(m_adapter, *p.client, anyContext(p), 8 + m_random.below(200), 8 + m_random.below(200),
                    item.surface))
      p.items.push_back(std::move(item));
  }
  void removeSurface(Process& p) {
    if (p.items.empty()) return;
    const uint32_t i = m_random.below(static_cast<uint32_t>(p.items.size()));
    dropSurface(m_adapter, *p.client, anyContext(p), p.items[i].surface);
    p.items.erase(p.items.begin() + i);
  }
  void fill(Process& p) {
    if (p.items.empty()) return;
    auto& item = p.items[m_random.below(static_cast<uint32_t>(p.items.size()))];
    item.color = 0xFF000000 | m_random.next();
    item.filled = true;
    expect(ntSuccess(fillSurface(anyContext(p), item.surface, item.color)), "a fill");
  }
  void check(Process& p) {
    if (p.items.empty()) return;
    auto& item = p.items[m_random.below(static_cast<uint32_t>(p.items.size()))];
    if (item.filled) expect(surfaceIs(m_adapter, item.surface, item.color, 31), "the colour that was filled");
  }
  void evict(Process& p) {
    if (p.items.empty()) return;
    expect(m_adapter.vidmm().evict(
               *p.items[m_random.below(static_cast<uint32_t>(p.items.size()))].surface.allocation),
           "an eviction");
  }
  void context(Process& p) {
    if (p.contexts.size() < 4 && m_random.below(2)) {
      auto c = p.client->createContext();
      if (expect(c != nullptr, "a context")) p.contexts.push_back(std::move(c));
    } else if (p.contexts.size() > 1) {
      p.contexts.pop_back();
    }
  }
  void pointer() {
    std::vector<uint32_t> pixels(4096, 0xFF00FFFF);
    if (m_random.below(4) == 0) {
      DXGKARG_SETPOINTERSHAPE shape{};
      shape.Flags.Color = 1;
      shape.Width = 1 + m_random.below(std::min(64u, m_adapter.caps.MaxPointerWidth));
      shape.Height = 1 + m_random.below(std::min(64u, m_adapter.caps.MaxPointerHeight));
      shape.Pitch = shape.Width * 4;
      shape.pPixels = pixels.data();
      shape.XHot = m_random.below(shape.Width);
      shape.YHot = m_random.below(shape.Height);
      expect(ntSuccess(m_adapter.display().setPointerShape(shape)), "a pointer of %ux%u", shape.Width,
             shape.Height);
    }
    expect(ntSuccess(m_adapter.display().setPointerPosition(static_cast<int>(m_random.below(3000)) - 500,
                                                            static_cast<int>(m_random.below(2000)) - 500,
                                                            m_random.below(2))),
           "a pointer position");
  }
  void scanLine() {
    DXGKARG_GETSCANLINE line{};
    expect(ntSuccess(m_adapter.display().getScanLine(line)), "a scan line");
  }
  void mode() {
    const auto& modes = m_adapter.display().modes();
    expect(m_adapter.display().setMode(modes[m_random.below(static_cast<uint32_t>(modes.size()))]), "a mode");
  }

  Adapter& m_adapter;
  Random m_random;
  std::vector<std::unique_ptr<Process>> m_processes;
  unsigned m_done = 0, m_nextProcess = 0;
  bool m_stop = false;
};

void randomCalls() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  note("seed %llu", static_cast<unsigned long long>(options().seed));
  Walk(session, options().seed).run(options().iterations ? options().iterations : 10000);
  expectNoDeviceErrors(session.adapter());
}

const TestCase kTests[] = {{"random", 900, randomCalls}};

}  // namespace

std::span<const TestCase> randomTests() {
  return kTests;
}

}  // namespace aerogpu::host
