// SPDX-License-Identifier: MIT
// The floating-point control words, which a driver must leave as they are.
#pragma once

namespace aerogpu::runtime {

/// A thread's x87 control word, and its MXCSR without the exception flags.
struct FloatControl {
  unsigned short x87;
  unsigned sse;

  static FloatControl read();
  void write() const;
  /// Sets the x87 of this thread to single precision, rounding to nearest, no exceptions.
  static void setSinglePrecision();
  bool operator==(const FloatControl &) const = default;
};

}  // namespace aerogpu::runtime
