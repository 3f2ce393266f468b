// SPDX-License-Identifier: MIT
// Writes a frame as an RGBA PNG: the frame's own bytes, spread to 8 bits a channel. X8 formats are opaque.
#pragma once

#include <string>
#include <vector>

#include "aerogpu/renderer.h"

namespace aerogpu::tools {

/// Returns the frame as tight rows of R, G, B, A bytes.
std::vector<uint8_t> toRgba(const aerogpu_frame& frame);

/// Writes the file. False and one line of explanation if that fails.
bool writePng(const std::string& path, const std::vector<uint8_t>& rgba, uint32_t width, uint32_t height,
              std::string& error);

}  // namespace aerogpu::tools
