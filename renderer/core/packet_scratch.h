// SPDX-License-Identifier: MIT
// Room that packets with lists need while they run, kept from one to the next so that none allocates.
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
