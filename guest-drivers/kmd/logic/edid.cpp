// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/logic/edid.h"

#include <string.h>

#include "guest-drivers/kmd/logic/modes.h"

namespace aero {
namespace {

constexpr uint8_t kHeader[8] = {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00};
constexpr size_t kFirstDescriptor = 54;
constexpr size_t kDescriptorBytes = 18;
constexpr size_t kChecksum = 127;

uint8_t sum(const uint8_t *block, size_t bytes) {
  uint8_t total = 0;
  for (size_t i = 0; i < bytes; i++) total = static_cast<uint8_t>(total + block[i]);
  return total;
}

/** E-EDID 1.4, section 3.10.2: detailed timing. */
void writeTiming(uint8_t *at, EdidMode mode) {
  const Timing timing = timingOf({mode.width, mode.height}, {60, 1});
  const uint32_t clock = static_cast<uint32_t>(timing.pixelRate / 10000);
  const uint32_t hBlank = timing.totalWidth - mode.width;
  const uint32_t vBlank = timing.totalHeight - mode.height;
  at[0] = static_cast<uint8_t>(clock);
  at[1] = static_cast<uint8_t>(clock >> 8);
  at[2] = static_cast<uint8_t>(mode.width);
  at[3] = static_cast<uint8_t>(hBlank);
  at[4] = static_cast<uint8_t>(mode.width >> 8 << 4 | hBlank >> 8);
  at[5] = static_cast<uint8_t>(mode.height);
  at[6] = static_cast<uint8_t>(vBlank);
  at[7] = static_cast<uint8_t>(mode.height >> 8 << 4 | vBlank >> 8);
  at[8] = 48;  // front porch and sync width of CVT reduced blanking, pixels
  at[9] = 32;
  at[10] = static_cast<uint8_t>(3 << 4 | timing.syncLines);  // vertical front porch and sync width, lines
  at[17] = 0x1A;                                             // digital, separate sync, horizontal positive
}

}  // namespace

bool edidValid(const uint8_t *block) {
  return !memcmp(block, kHeader, sizeof kHeader) && sum(block, kEdidBlock) == 0;
}

EdidMode edidPreferred(const uint8_t *block) {
  const uint8_t *at = block + kFirstDescriptor;
  if (at[0] == 0 && at[1] == 0) return {};  // a display descriptor, not a timing
  return {static_cast<uint32_t>(at[2] | (at[4] >> 4) << 8), static_cast<uint32_t>(at[5] | (at[7] >> 4) << 8)};
}

void edidBuild(uint8_t *block, EdidMode mode) {
  memset(block, 0, kEdidBlock);
  memcpy(block, kHeader, sizeof kHeader);
  block[8] = 0x04;  // "AGU", five bits a letter
  block[9] = 0xF5;
  block[10] = 0x01;  // product code
  block[16] = 1;     // week and year of manufacture
  block[17] = 2026 - 1990;
  block[18] = 1;  // E-EDID 1.4
  block[19] = 4;
  block[20] = 0xA0;  // digital, 8 bits a colour
  block[21] = 0;     // size unknown: a virtual monitor
  block[23] = 120;   // gamma 2.20
  block[24] = 0x06;  // sRGB, the first timing is the preferred one
  static constexpr uint8_t kSrgb[10] = {0xEE, 0x91, 0xA3, 0x54, 0x4C, 0x99, 0x26, 0x0F, 0x50, 0x54};
  memcpy(block + 25, kSrgb, sizeof kSrgb);
  block[35] = 0x21;                                                // established: 640x480, 800x600 at 60 Hz
  block[36] = 0x08;                                                // 1024x768 at 60 Hz
  for (size_t i = 38; i < kFirstDescriptor; i++) block[i] = 0x01;  // no standard timings
  writeTiming(block + kFirstDescriptor, mode);
  uint8_t *name = block + kFirstDescriptor + kDescriptorBytes;
  name[3] = 0xFC;  // monitor name
  static constexpr uint8_t kName[13] = {'A', 'e', 'r', 'o', 'G', 'P', 'U', '\n', ' ', ' ', ' ', ' ', ' '};
  memcpy(name + 5, kName, sizeof kName);
  for (int i = 2; i < 4; i++) block[kFirstDescriptor + i * kDescriptorBytes + 3] = 0x10;  // unused descriptors
  block[kChecksum] = static_cast<uint8_t>(-sum(block, kChecksum));
}

}  // namespace aero
