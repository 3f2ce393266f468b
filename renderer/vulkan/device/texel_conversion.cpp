// SPDX-License-Identifier: MIT
// A normalised number of n bits becomes its value times 32767 in a signed one of 16: each step of the former
// is many of the latter, so that each number converts back. The least number of n signed bits stands for -1,
// as the next one does; it becomes -32768, which Vulkan reads as -1 too. Of L6V5U5 only the least is -1
// (FMT-16).
#include "renderer/vulkan/device/texel_conversion.h"

#include <cstring>

namespace aerogpu::vk {
namespace {

constexpr int32_t kOne = 32767;

struct TexelPart {
  uint8_t first, bits;  ///< in the guest's word
  bool isSigned;
  bool isUneven = false;  ///< one step more below 0 than above

  int32_t steps(bool isBelow) const {
    return (1 << (bits - (isSigned ? 1 : 0))) - (isUneven && isBelow ? 0 : 1);
  }
};

/// The parts of a word that become red, green, blue and alpha; bits 0: none.
struct Parts {
  TexelPart part[4];
};

constexpr Parts kL6V5U5{{{0, 5, true, true}, {5, 5, true, true}, {10, 6, false}, {0, 0, false}}};
constexpr Parts kX8L8V8U8{{{0, 8, true}, {8, 8, true}, {16, 8, false}, {24, 8, false}}};
constexpr Parts kA2W10V10U10{{{0, 10, true}, {10, 10, true}, {20, 10, true}, {30, 2, false}}};

const Parts& partsOf(Conversion conversion) {
  return conversion == Conversion::L6V5U5     ? kL6V5U5
         : conversion == Conversion::X8L8V8U8 ? kX8L8V8U8
                                              : kA2W10V10U10;
}

int32_t roundedQuotient(int64_t number, int64_t by) {
  return static_cast<int32_t>((number >= 0 ? number + by / 2 : number - by / 2) / by);
}

int16_t widened(uint32_t word, const TexelPart& part) {
  if (part.bits == 0) return 0;
  const uint32_t bits = word >> part.first & ((1u << part.bits) - 1);
  if (!part.isSigned) return static_cast<int16_t>(roundedQuotient(int64_t{bits} * kOne, part.steps(false)));
  const uint32_t sign = 1u << (part.bits - 1);
  const auto number = static_cast<int32_t>(bits ^ sign) - static_cast<int32_t>(sign);
  if (bits == sign) return INT16_MIN;
  return static_cast<int16_t>(roundedQuotient(int64_t{number} * kOne, part.steps(number < 0)));
}

uint32_t narrowed(int16_t wide, const TexelPart& part) {
  if (part.bits == 0) return 0;
  const uint32_t mask = (1u << part.bits) - 1;
  if (!part.isSigned)
    return wide < 0
               ? 0
               : (static_cast<uint32_t>(roundedQuotient(int64_t{wide} * mask, kOne)) & mask) << part.first;
  const uint32_t sign = 1u << (part.bits - 1);
  const uint32_t bits =
      wide == INT16_MIN ? sign
                        : static_cast<uint32_t>(roundedQuotient(int64_t{wide} * part.steps(wide < 0), kOne));
  return (bits & mask) << part.first;
}

}  // namespace

uint32_t guestBytes(Conversion conversion) {
  switch (conversion) {
    case Conversion::A4L4:
      return 1;
    case Conversion::L6V5U5:
      return 2;
    case Conversion::R8G8B8:
      return 3;
    default:
      return 4;
  }
}

uint32_t imageBytes(Conversion conversion) {
  return conversion == Conversion::A4L4 ? 2 : conversion == Conversion::R8G8B8 ? 4 : 8;
}

void toImage(Conversion conversion, const uint8_t* guest, uint64_t texels, uint8_t* image) {
  if (conversion == Conversion::A4L4) {
    for (uint64_t i = 0; i < texels; ++i) {
      image[i * 2] = static_cast<uint8_t>((guest[i] & 15u) * 17u);
      image[i * 2 + 1] = static_cast<uint8_t>((guest[i] >> 4) * 17u);
    }
    return;
  }
  if (conversion == Conversion::R8G8B8) {
    for (uint64_t i = 0; i < texels; ++i) {
      std::memcpy(image + i * 4, guest + i * 3, 3);
      image[i * 4 + 3] = 0xFF;
    }
    return;
  }
  const Parts& parts = partsOf(conversion);
  const uint32_t bytes = guestBytes(conversion);
  for (uint64_t i = 0; i < texels; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, guest + i * bytes, bytes);
    int16_t out[4];
    for (int c = 0; c < 4; ++c) out[c] = widened(word, parts.part[c]);
    std::memcpy(image + i * sizeof out, out, sizeof out);
  }
}

void toGuest(Conversion conversion, const uint8_t* image, uint64_t texels, uint8_t* guest) {
  if (conversion == Conversion::A4L4) {
    const auto four = [](uint32_t eight) { return (eight * 15 + 127) / 255; };
    for (uint64_t i = 0; i < texels; ++i)
      guest[i] = static_cast<uint8_t>(four(image[i * 2]) | four(image[i * 2 + 1]) << 4);
    return;
  }
  if (conversion == Conversion::R8G8B8) {
    for (uint64_t i = 0; i < texels; ++i) std::memcpy(guest + i * 3, image + i * 4, 3);
    return;
  }
  const Parts& parts = partsOf(conversion);
  const uint32_t bytes = guestBytes(conversion);
  for (uint64_t i = 0; i < texels; ++i) {
    int16_t in[4];
    std::memcpy(in, image + i * sizeof in, sizeof in);
    uint32_t word = 0;
    for (int c = 0; c < 4; ++c) word |= narrowed(in[c], parts.part[c]);
    std::memcpy(guest + i * bytes, &word, bytes);
  }
}

}  // namespace aerogpu::vk
