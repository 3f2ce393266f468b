// SPDX-License-Identifier: MIT
// Programs that hold all memory of the host's that a guest may make it hold (LIM-7, SPACE-4), and ask for
// more.
#pragma once

#include <memory>
#include <vector>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

/// While it lives. What was refused on the way are errors of the device.
class Exhaustion {
public:
  explicit Exhaustion(Adapter& adapter);
  ~Exhaustion();
  /// Whether there is nothing left; false after a broken rule.
  explicit operator bool() const { return m_full; }
  /// One program gives some of its smallest objects back.
  void giveSome();

private:
  struct Taker {
    std::unique_ptr<Client> client;
    std::unique_ptr<Context> context;
    std::vector<uint32_t> handles;
  };
  /// Objects that this one could make.
  size_t take(Taker& taker);

  Adapter& m_adapter;
  std::vector<Taker> m_takers;
  bool m_full = false;
};

}  // namespace aerogpu::host
