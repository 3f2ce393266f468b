// SPDX-License-Identifier: MIT
// Formats that Vulkan lacks: their texels become wider ones on the way into an image, which hold every bit of
// them, and turn back on the way out. Pure functions; any thread.
#pragma once

#include <cstdint>

namespace aerogpu::vk {

/// The conversion of texels: of signed and unsigned channels side by side, of a luminance of 4
/// bits, and of three bytes.
enum class Conversion : uint8_t {
  None,
  A4L4,         ///< R8G8_UNORM: luminance, alpha
  R8G8B8,       ///< B8G8R8A8_UNORM
  L6V5U5,       ///< R16G16B16A16_SNORM: U, V, L
  X8L8V8U8,     ///< likewise, X in alpha
  A2W10V10U10,  ///< likewise: U, V, W, A
};

/// Returns the bytes of a texel in guest memory and in the image; not for None.
uint32_t guestBytes(Conversion conversion);
uint32_t imageBytes(Conversion conversion);

void toImage(Conversion conversion, const uint8_t* guest, uint64_t texels, uint8_t* image);
void toGuest(Conversion conversion, const uint8_t* image, uint64_t texels, uint8_t* guest);

}  // namespace aerogpu::vk
