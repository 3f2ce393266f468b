// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

struct Family {
  uint8_t first, last;  ///< numbers of the enumeration DXGI_FORMAT
  uint8_t bytes, block;
};

constexpr Family kFamilies[] = {
    {1, 4, 16, 1},  {5, 8, 12, 1},   {9, 14, 8, 1},  {15, 18, 8, 1}, {19, 22, 8, 1}, {23, 25, 4, 1},  {26, 26, 4, 1},
    {27, 32, 4, 1}, {33, 38, 4, 1},  {39, 43, 4, 1}, {44, 47, 4, 1}, {48, 52, 2, 1}, {53, 59, 2, 1},  {60, 64, 1, 1},
    {65, 65, 1, 1}, {67, 67, 4, 1},  {68, 68, 4, 1}, {69, 69, 4, 1}, {70, 72, 8, 4}, {73, 75, 16, 4}, {76, 78, 16, 4},
    {79, 81, 8, 4}, {82, 84, 16, 4}, {85, 85, 2, 1}, {86, 86, 2, 1}, {89, 89, 4, 1}, {94, 96, 16, 4}, {97, 99, 16, 4},
};

constexpr uint8_t kTypelessFormats[] = {1,  5,  9,  15, 19, 23, 27, 33, 39, 44, 48,
                                        53, 60, 70, 73, 76, 79, 82, 90, 92, 94, 97};
constexpr uint8_t kDepths[] = {20, 40, 45, 55}, kStencils[] = {20, 45}, kDepthReads[] = {21, 22, 46, 47};
constexpr uint8_t kIntegers[] = {3, 4, 7, 8, 12, 14, 17, 18, 25, 30, 32, 36, 38, 42, 43, 50, 52, 57, 59, 62, 64};
constexpr uint8_t kExtendedFormats[] = {87, 88, 89, 90, 91, 92, 93};

template <unsigned kCount> bool isIn(const uint8_t (&list)[kCount], uint32_t format) {
  for (const uint8_t one : list)
    if (one == format) return true;
  return false;
}

uint16_t flagsOf(uint32_t format) {
  uint16_t flags = 0;
  if (isIn(kTypelessFormats, format)) flags |= kTypeless;
  if (isIn(kDepths, format)) flags |= kDepth;
  if (isIn(kStencils, format)) flags |= kStencil;
  if (isIn(kDepthReads, format)) flags |= kDepthRead;
  if (isIn(kIntegers, format)) flags |= kInteger;
  if (isIn(kExtendedFormats, format)) flags |= kExtended;
  if (format >= 94) flags |= kLevel11;
  if (format == 85 || format == 86) flags |= kWddm12;
  const bool plain = format <= 64 || format == 87 || format == 88;
  if (plain && format != 29 && !(flags & (kTypeless | kDepth | kDepthRead))) flags |= kVertex;
  return flags;
}

}  // namespace

FormatInfo formatInfo(uint32_t format) {
  // Two families are not in the order of their numbers: B8G8R8A8 is 87, 90, 91, and B8G8R8X8 is 88, 92, 93.
  if (format == 87 || format == 90 || format == 91) return {4, 1, 87, flagsOf(format)};
  if (format == 88 || format == 92 || format == 93) return {4, 1, 88, flagsOf(format)};
  for (const Family &family : kFamilies)
    if (format >= family.first && format <= family.last)
      return {family.bytes, family.block, family.first, flagsOf(format)};
  return {0, 1, 0, 0};
}

}  // namespace aerogpu::runtime11
