// SPDX-License-Identifier: MIT
// Test support: texels of a format by its channels, written down as Direct3D's references name them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "renderer/vulkan/test/float_target.h"

namespace aerogpu::test {

/// Fields from the highest bit down: letter, bits, and u for unsigned, s for signed, f for floats, n and i
/// for integers without and with sign. `reads`: the field, or number, of red, green, blue and alpha.
struct Spec {
  aerogpu_format format;
  const char* name;
  uint32_t bytes;
  const char* fields;
  const char* reads;
};

struct Field {
  char letter;
  uint32_t first, bits;
  char kind;  ///< u: unsigned, s: signed, t: signed, the least number alone is -1, f: IEEE 754
              ///< n, i: an integer, unsigned or signed
};

inline std::vector<Field> fieldsOf(const Spec& spec) {
  std::vector<Field> out;
  uint32_t top = spec.bytes * 8;
  for (const char* p = spec.fields; *p;) {
    Field f{*p++, 0, 0, 0};
    while (*p >= '0' && *p <= '9') f.bits = f.bits * 10 + static_cast<uint32_t>(*p++ - '0');
    f.kind = *p++;
    if (*p == ' ') ++p;
    top -= f.bits;
    f.first = top;
    out.push_back(f);
  }
  return out;
}

inline uint32_t bitsAt(const uint8_t* texel, uint32_t first, uint32_t bits) {
  uint64_t out = 0;
  for (uint32_t i = 0; i < bits; ++i) out |= uint64_t{texel[(first + i) / 8] >> ((first + i) % 8) & 1u} << i;
  return static_cast<uint32_t>(out);
}

inline double halfValue(uint32_t h) {
  const int exponent = static_cast<int>(h >> 10 & 31);
  const double fraction = h & 0x3FF, sign = h & 0x8000 ? -1 : 1;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

inline double valueOf(const Field& f, const uint8_t* texel) {
  const uint32_t raw = bitsAt(texel, f.first, f.bits);
  if (f.kind == 'u') return raw / (std::ldexp(1.0, static_cast<int>(f.bits)) - 1);
  if (f.kind == 'n') return raw;
  // Of 10 and 11 bits: a half without its sign and lowest bits.
  if (f.kind == 'f' && f.bits < 16) return halfValue(raw << (15 - f.bits));
  if (f.kind == 'f') return f.bits == 16 ? halfValue(raw) : static_cast<double>(std::bit_cast<float>(raw));
  const double top = std::ldexp(1.0, static_cast<int>(f.bits) - 1);
  const double number = raw >= top ? raw - 2 * top : raw;
  if (f.kind == 'i') return number;
  return std::max(number / (f.kind == 't' && number < 0 ? top : top - 1), -1.0);
}

inline Color texelOf(const Spec& spec, const uint8_t* texel) {
  Color out{};
  for (size_t i = 0; i < 4; ++i) {
    const char letter = spec.reads[i];
    out[i] = letter - '0';
    for (const Field& f : fieldsOf(spec))
      if (f.letter == letter) out[i] = valueOf(f, texel);
  }
  return out;
}

/// Returns the number that a field holds for a value.
inline uint32_t encoded(const Field& f, double value) {
  const bool isSigned = f.kind == 's' || f.kind == 't';
  const double levels =
      std::ldexp(1.0, static_cast<int>(f.bits) - isSigned) - (f.kind == 't' && value < 0 ? 0 : 1);
  if (f.kind == 'f') return 0;
  const double limited = std::clamp(value, isSigned ? -1.0 : 0.0, 1.0);
  return static_cast<uint32_t>(static_cast<int32_t>(std::lround(limited * levels))) &
         static_cast<uint32_t>((uint64_t{1} << f.bits) - 1);
}

}  // namespace aerogpu::test
