// SPDX-License-Identifier: MIT
// Programs that hold all host memory that a guest may use (LIM-7, SPACE-4), and ask for more.
#pragma once

#include <memory>
#include <vector>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

/// Holds all host memory that a guest may use, while this object lives. The device counts each refusal on the
/// way there as an error.
class Exhaustion {
public:
  explicit Exhaustion(Adapter& adapter);
  ~Exhaustion();
  /// True if nothing is left; false after a broken rule.
  explicit operator bool() const { return m_full; }
  /// Makes one program give back some of its smallest objects.
  void giveSome();

private:
  struct Taker {
    std::unique_ptr<Client> client;
    std::unique_ptr<Context> context;
    std::vector<uint32_t> handles;
  };
  /// Returns the number of objects that `taker` could make.
  size_t take(Taker& taker);

  Adapter& m_adapter;
  std::vector<Taker> m_takers;
  bool m_full = false;
};

}  // namespace aerogpu::host
