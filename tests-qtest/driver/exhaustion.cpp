// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/exhaustion.h"

#include "aerogpu/aerogpu_format.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

// One program gets no more than its share, so there are several, each a separate process.
Exhaustion::Exhaustion(Adapter& adapter) : m_adapter(adapter) {
  constexpr unsigned kMost = 6;
  for (unsigned i = 0; i < kMost && !m_full; ++i) {
    Taker& taker = m_takers.emplace_back();
    taker.client = Client::create(adapter, 7000 + i);
    taker.context = taker.client ? taker.client->createContext() : nullptr;
    if (!expect(taker.context != nullptr, "a program")) return;
    m_full = take(taker) == 0;
  }
  expect(m_full, "%u programs hold all memory of the host's", kMost);
}

Exhaustion::~Exhaustion() {
  for (Taker& taker : m_takers) {
    Stream end;
    for (const uint32_t handle : taker.handles) end.destroy(handle);
    if (taker.context) taker.context->render(end.bytes(), {});
  }
  if (!m_takers.empty() && m_takers[0].context) settle(m_adapter, *m_takers[0].context);
}

// Larger ones first; nothing is drawn to them, so few of their bytes are committed.
size_t Exhaustion::take(Taker& taker) {
  for (uint32_t edge = 4096; edge; edge /= 2)
    for (;;) {
      const uint32_t handle = newHandle(), before = deviceErrors(m_adapter);
      Stream stream;
      stream.createTexture(handle, edge, edge, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
      if (!expect(ntSuccess(taker.context->render(stream.bytes(), {})), "a texture")) return 1;
      settle(m_adapter, *taker.context);
      if (deviceErrors(m_adapter) != before) break;
      taker.handles.push_back(handle);
    }
  return taker.handles.size();
}

void Exhaustion::giveSome() {
  constexpr unsigned kSome = 8;
  Taker& taker = m_takers[0];
  Stream end;
  for (unsigned i = 0; i < kSome && !taker.handles.empty(); ++i) {
    end.destroy(taker.handles.back());
    taker.handles.pop_back();
  }
  taker.context->render(end.bytes(), {});
  settle(m_adapter, *taker.context);
}

}  // namespace aerogpu::host
