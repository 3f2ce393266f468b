// SPDX-License-Identifier: MIT
// Writes a frame as an RGBA PNG: the frame's own bytes, spread out to 8 bits a channel. X8 formats are
// opaque.
#pragma once

#include <string>
#include <vector>

#include "aerogpu/renderer.h"

namespace aerogpu::tools {

/// The frame as tight rows of R, G, B, A bytes.
std::vector<uint8_t> toRgba(const aerogpu_frame& frame);

/// False and one line of explanation when the file cannot be written.
bool writePng(const std::string& path, const std::vector<uint8_t>& rgba, uint32_t width, uint32_t height,
              std::string& error);

}  // namespace aerogpu::tools
