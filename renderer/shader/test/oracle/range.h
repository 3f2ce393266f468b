// SPDX-License-Identifier: MIT
// The arithmetic of the reference interpreter: a number is the range in which every implementation that keeps
// the precision rules must land. Rules: "Precision and Operation of SPIR-V Instructions" of Vulkan 1.3, or,
// where Direct3D 9 promises less (exp, log: 21 bits), the wider of both. Tests only.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace aerogpu::shader::oracle {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kFloatMax = std::numeric_limits<float>::max();
inline constexpr double kFloatMin = std::numeric_limits<float>::min();
inline constexpr double kUlp = 1.0 / (1 << 23);

/// Any float between lo and hi; also NaN if it is unknown(). One value if lo == hi.
struct Range {
  double lo = 0, hi = 0;

  Range() = default;
  Range(double value) : lo(value), hi(value) {}
  Range(double low, double high) : lo(low), hi(high) {}
  static Range any() { return {-kInf, kInf}; }

  bool unknown() const { return lo == -kInf && hi == kInf; }
  bool exact() const { return lo == hi; }
  double magnitude() const { return std::max(std::fabs(lo), std::fabs(hi)); }
  bool contains(float f) const { return unknown() || (lo <= f && f <= hi); }
};

/// Widens a range for float arithmetic's effects on a result: overflow to infinity or to the largest number,
/// denormals kept or flushed.
inline Range settled(Range r) {
  if (std::isnan(r.lo) || std::isnan(r.hi) || r.lo > r.hi) return Range::any();
  if (r.lo > kFloatMax) r.lo = kFloatMax;
  if (r.hi < -kFloatMax) r.hi = -kFloatMax;
  if (r.hi > kFloatMax) r.hi = kInf;
  if (r.lo < -kFloatMax) r.lo = -kInf;
  if (r.lo > 0 && r.lo < kFloatMin) r.lo = 0;
  if (r.hi < 0 && r.hi > -kFloatMin) r.hi = 0;
  return r;
}

/// Grows both ends by a relative and an absolute error.
inline Range widened(Range r, double relative, double absolute = 0) {
  return settled(
      {r.lo - std::fabs(r.lo) * relative - absolute, r.hi + std::fabs(r.hi) * relative + absolute});
}

/// Rounds correctly: a result that is a float is that float.
inline Range rounded(Range r) {
  if (r.exact() && static_cast<double>(static_cast<float>(r.lo)) == r.lo && std::isfinite(r.lo))
    return settled(r);
  return widened(r, kUlp);
}

inline Range hull(const Range& a, const Range& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

inline Range negated(const Range& a) {
  return {-a.hi, -a.lo};
}
inline Range absolute(const Range& a) {
  if (a.unknown()) return a;
  if (a.lo >= 0) return a;
  if (a.hi <= 0) return negated(a);
  return {0, std::max(-a.lo, a.hi)};
}

/// Adds without rounding: for sums whose rounding is bounded as a whole.
inline Range exactSum(const Range& a, const Range& b) {
  if (a.unknown() || b.unknown()) return Range::any();
  return {a.lo + b.lo, a.hi + b.hi};
}
inline Range exactProduct(const Range& a, const Range& b) {
  if (a.unknown() || b.unknown()) return Range::any();
  const double p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  for (double x : p)
    if (std::isnan(x)) return Range::any();
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}
/// Returns the product of multiplying instructions: 0 times anything is 0.
inline Range zeroWins(const Range& a, const Range& b) {
  return (a.exact() && a.lo == 0) || (b.exact() && b.lo == 0) ? Range(0) : exactProduct(a, b);
}
inline Range add(const Range& a, const Range& b) {
  return rounded(exactSum(a, b));
}
inline Range multiply(const Range& a, const Range& b) {
  return rounded(exactProduct(a, b));
}
/// Multiplies and adds, fused or not.
inline Range multiplyAdd(const Range& a, const Range& b, const Range& c) {
  return add(multiply(a, b), c);
}

inline Range minimum(const Range& a, const Range& b) {
  if (a.unknown() || b.unknown()) return Range::any();
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}
inline Range maximum(const Range& a, const Range& b) {
  if (a.unknown() || b.unknown()) return Range::any();
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline Range clamped(const Range& a, double low, double high) {
  return minimum(maximum(a, low), high);
}

/// Returns 1 / a. rcp page: 0 gives FLT_MAX in the code and infinity in the text, 1 gives exactly 1.
inline Range reciprocal(const Range& a) {
  if (a.exact() && a.lo == 1) return 1;
  if (a.exact() && a.lo == 0) return Range::any();  // of either sign: the sign of a zero is not tracked
  if (a.unknown() || (a.lo <= 0 && a.hi >= 0)) return Range::any();
  return widened({1 / a.hi, 1 / a.lo}, 4 * kUlp);  // OpFDiv: 2.5 ULP
}
/// Returns 1 / sqrt |a|. rsq page: 0 gives FLT_MAX or infinity.
inline Range reciprocalRoot(const Range& source) {
  const Range a = absolute(source);
  if (a.exact() && a.lo == 1) return 1;
  if (a.unknown()) return a;
  return widened({a.hi == 0 ? kFloatMax : 1 / std::sqrt(a.hi), a.lo == 0 ? kInf : 1 / std::sqrt(a.lo)},
                 4 * kUlp);
}
/// Returns 2 ^ a. exp page: 21 bits; Exp2: 3 + 2 |x| ULP.
inline Range power2(const Range& a) {
  if (a.unknown()) return a;
  const double error = (4 + 2 * std::min(a.magnitude(), 200.0)) * kUlp + 1.0 / (1 << 20);
  Range r = widened({std::exp2(a.lo), std::exp2(a.hi)}, error);
  r.lo = std::max(r.lo, 0.0);
  return r;
}
/// Returns log2 |a|. log page: 0 gives -FLT_MAX (infinity like the reciprocal's); 21 bits.
inline Range logarithm2(const Range& source) {
  const Range a = absolute(source);
  if (a.unknown()) return a;
  const double low = a.lo == 0 ? -kInf : std::log2(a.lo), high = a.hi == 0 ? -kFloatMax : std::log2(a.hi);
  if (low == -kInf && high == kInf) return Range::any();
  return widened({low, high}, 1.0 / (1 << 20), 1.0 / (1 << 20));
}
/// Returns |a| ^ b. pow page: exp(b * log(a)), no less than 15 bits.
inline Range power(const Range& a, const Range& b) {
  if (b.exact() && b.lo == 0 && a.magnitude() < kInf) return 1;
  const Range base = absolute(a);
  if (base.exact() && base.lo == 0) return b.lo > 0 ? Range(0) : Range::any();
  if (base.lo == 0) return Range::any();
  return widened(power2(multiply(b, logarithm2(base))), 1.0 / (1 << 15));
}

/// Returns x - floor(x); the floor of a range that holds an integer jumps.
inline Range fraction(const Range& a) {
  if (a.unknown() || a.magnitude() > 1e9)
    return a.exact() && !a.unknown() ? Range(a.lo - std::floor(a.lo)) : Range::any();
  if (std::floor(a.lo) != std::floor(a.hi)) return {0, 1};
  return rounded({a.lo - std::floor(a.lo), a.hi - std::floor(a.hi)});
}

/// Returns a < b if it is decidable.
inline std::optional<bool> less(const Range& a, const Range& b) {
  if (a.unknown() || b.unknown()) return std::nullopt;
  if (a.hi < b.lo) return true;
  if (a.lo >= b.hi) return false;
  return std::nullopt;
}
inline std::optional<bool> equal(const Range& a, const Range& b) {
  if (a.unknown() || b.unknown()) return std::nullopt;
  if (a.exact() && b.exact()) return a.lo == b.lo;
  if (a.hi < b.lo || b.hi < a.lo) return false;
  return std::nullopt;
}
/// Returns condition ? a : b, or both if the condition is undecidable.
inline Range select(std::optional<bool> condition, const Range& a, const Range& b) {
  return condition ? (*condition ? a : b) : hull(a, b);
}
inline std::optional<bool> inverted(std::optional<bool> b) {
  if (b) return !*b;
  return b;
}

}  // namespace aerogpu::shader::oracle
