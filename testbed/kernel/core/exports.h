// SPDX-License-Identifier: MIT
// The functions that the driver imports or gets in tables: one row each, reached through a small piece of
// generated code that records the caller, checks the IRQL that the function's documentation page allows, and
// makes it possible to raise an exception out of the function.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "testbed/kernel/core/thread.h"

namespace aerogpu::host {

class PeImage;

/// Further properties of an export.
enum ExportFlags : uint8_t {
  kExportPlain = 0,
  /// May raise an exception (a fault in it, or ExRaiseStatus) that the driver's handlers see.
  kExportMayRaise = 1,
  /// The import is data: `function` is its address and nothing is generated.
  kExportData = 2,
  /// Allowed although the device is stopped (memory, strings, debugging: they do not concern the device).
  kExportAnyTime = 4,
};

/// How x86 code calls a function: which side pops the arguments, and how many bytes. x64 has one way.
struct Convention {
  enum Kind : uint8_t { Stdcall, Fastcall, Cdecl } kind = Stdcall;
  uint16_t argumentBytes = 0;
};
#if defined(__i386__)
template <class... A>
constexpr uint16_t argumentBytesOf = static_cast<uint16_t>((0 + ... + ((sizeof(A) + 3) & ~3u)));
template <class F>
struct ConventionOf;
template <class R, class... A>
struct ConventionOf<R __attribute__((stdcall)) (A...)> {
  static constexpr Convention value{Convention::Stdcall, argumentBytesOf<A...>};
};
template <class R, class... A>
struct ConventionOf<R __attribute__((fastcall)) (A...)> {
  static constexpr Convention value{Convention::Fastcall, argumentBytesOf<A...>};
};
template <class R, class... A>
struct ConventionOf<R(A...)> {
  static constexpr Convention value{Convention::Cdecl, argumentBytesOf<A...>};
};
template <class R, class... A>
struct ConventionOf<R(A..., ...)> : ConventionOf<R(A...)> {};
#else
template <class F>
struct ConventionOf {
  static constexpr Convention value{};
};
#endif

struct Export {
  const char* name;
  const void* function;  // follows Microsoft's conventions
  uint8_t minimumIrql, maximumIrql;
  uint8_t flags;
  bool (*refuse)(const Export&) = nullptr;  // an additional rule of the group; true = it reported a violation
  Convention convention{};
};

/// Makes a row for a function.
template <class F>
constexpr Export exportRow(const char* name, F* function, uint8_t maximumIrql, uint8_t flags = kExportPlain,
                           uint8_t minimumIrql = kPassiveLevel) {
  return {name,
          reinterpret_cast<const void*>(function),
          minimumIrql,
          maximumIrql,
          flags,
          nullptr,
          ConventionOf<F>::value};
}

/// Returns the address that the driver calls to reach `entry`; the row must live as long as the driver. The
/// same row gives the same address.
void* exportThunk(const Export& entry);

/// Sets the image by which callers are described, once it is loaded.
void setDriverImage(const PeImage* image);
const PeImage* driverImage();

/// Returns "KeSetEvent called from aerogpu.sys+0x123 (...)" for the innermost call into an export; "the host"
/// outside.
std::string currentCall();
/// Returns where the driver called the running export; 0 outside.
uint64_t currentCaller();

/// A hook that sees each call of an export at its beginning, for coverage and recording; null = none.
using ExportObserver = void (*)(const Export& entry, uint64_t caller);
void setExportObserver(ExportObserver observer);

}  // namespace aerogpu::host
