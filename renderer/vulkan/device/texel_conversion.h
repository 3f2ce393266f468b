// SPDX-License-Identifier: MIT
// Formats that Vulkan lacks: their texels become wider ones on the way into an image, which hold every bit of
// them, and what they were on the way back. Pure functions; any thread.
#pragma once

#include <cstdint>

namespace aerogpu::vk {

/// What a format's texels become. Signed and unsigned channels side by side, a luminance of 4 bits, and three
/// bytes.
enum class Conversion : uint8_t {
  None,
  A4L4,         ///< R8G8_UNORM: luminance, alpha
  R8G8B8,       ///< B8G8R8A8_UNORM
  L6V5U5,       ///< R16G16B16A16_SNORM: U, V, L
  X8L8V8U8,     ///< the same, X in alpha
  A2W10V10U10,  ///< the same: U, V, W, A
};

/// Bytes of a texel in guest memory and in the image; not of None.
uint32_t guestBytes(Conversion conversion);
uint32_t imageBytes(Conversion conversion);

void toImage(Conversion conversion, const uint8_t* guest, uint64_t texels, uint8_t* image);
void toGuest(Conversion conversion, const uint8_t* image, uint64_t texels, uint8_t* guest);

}  // namespace aerogpu::vk
