// SPDX-License-Identifier: MIT
// Lists that packets fill while they run, kept from packet to packet to save allocations.
#pragma once

#include <vector>

#include "renderer/core/resource_desc.h"
#include "renderer/core/texture_verbs.h"

namespace aerogpu::core {

struct PacketScratch {
  std::vector<Box> boxes;
  std::vector<BlitBox> blitBoxes;
};

}  // namespace aerogpu::core
