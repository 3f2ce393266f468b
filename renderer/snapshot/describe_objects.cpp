// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "renderer/cmd/stage.h"
#include "renderer/core/d3d9_states.h"
#include "renderer/core/guest_clock.h"
#include "renderer/core/input_layout.h"
#include "renderer/core/resource_index.h"
#include "renderer/snapshot/describe.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

/// Says whose objects are, with a packet where that changes.
class Owners {
public:
  Owners(const Inventory& all, CommandWriter& packets) : m_all(all), m_packets(packets) {}

  void say(const GuestObject& object, bool ofKernel = true) {
    const uint32_t space = spaceOf(object.charge.share());
    if (m_said && m_space == space && m_ofKernel == ofKernel) return;
    m_packets.packet(aerogpu_cmd_load_owner{{}, space, ofKernel});
    m_said = true;
    m_space = space;
    m_ofKernel = ofKernel;
  }

private:
  /// Returns the space whose share it is. Of a space that has ended: another one of its process, or 0.
  uint32_t spaceOf(const HostMemory* share) const {
    if (!share) return 0;
    const auto is = [&](const Space* space) { return space->share.get() == share; };
    const auto isOfProcess = [&](const Space* space) {
      return space->account && &space->share->owner() == &share->owner();
    };
    auto found = std::ranges::find_if(m_all.spaces, is);
    if (found == m_all.spaces.end()) found = std::ranges::find_if(m_all.spaces, isOfProcess);
    return found == m_all.spaces.end() ? 0 : (*found)->number;
  }

  const Inventory& m_all;
  CommandWriter& m_packets;
  bool m_said = false;
  uint32_t m_space = 0;
  bool m_ofKernel = true;
};

void describe(const Buffer& buffer, uint32_t number, CommandWriter& w) {
  aerogpu_cmd_create_buffer c{};
  c.buffer_handle = number;
  c.usage_flags = buffer.desc.usage;
  c.size_bytes = buffer.desc.sizeBytes;
  w.packet(c);
}

void describe(const Texture& texture, uint32_t number, CommandWriter& w) {
  const TextureDesc& desc = texture.desc;
  aerogpu_cmd_ext_create_texture c{};
  c.texture_handle = number;
  c.usage_flags = desc.usage;
  c.format = desc.format;
  c.kind = desc.kind == TextureKind::Volume      ? AEROGPU_EXT_TEXTURE_VOLUME
           : desc.kind == TextureKind::Cube      ? AEROGPU_EXT_TEXTURE_CUBE
           : desc.kind == TextureKind::Texture1D ? AEROGPU_EXT_TEXTURE_1D
                                                 : AEROGPU_EXT_TEXTURE_2D;
  c.width = desc.width;
  c.height = desc.height;
  c.depth = desc.depth;
  c.mip_levels = desc.mipLevels;
  c.array_layers = desc.arrayLayers;
  c.sample_count = desc.samples;
  c.row_pitch_bytes = texture.backing.rowPitch;
  w.packet(c);
}

void describe(const Inventory& all, const View& view, uint32_t number, CommandWriter& w) {
  aerogpu_cmd_create_texture_view c{};
  c.view_handle = number;
  c.texture_handle = all.numberOf(view.texture.get());
  c.format = view.desc.format;
  c.base_mip_level = view.desc.baseMip;
  c.mip_level_count = view.desc.mipCount;
  c.base_array_layer = view.desc.baseLayer;
  c.array_layer_count = view.desc.layerCount;
  w.packet(c);
}

void describe(const Shader& shader, uint32_t number, CommandWriter& w) {
  const cmd::StageFields stage = cmd::fieldsOf(static_cast<Stage>(shader.stage));
  const std::span<const uint8_t> code = shader.gpu->code();
  const TokenCounts& n = shader.gpu->counts;
  if (n.tokens != 0)
    w.packet(
        aerogpu_cmd_ext_create_shader{
            {}, number, stage.stage, stage.ex, n.tokens, n.inputs, n.outputs, n.patchConstants},
        code.data(), code.size());
  else
    w.packet(aerogpu_cmd_create_shader_dxbc{{}, number, stage.stage, 0, stage.ex}, code.data(), code.size());
}

void describe(const InputLayout& layout, uint32_t number, CommandWriter& w) {
  if (!layout.elements.empty() && layout.elements.front().byRegister) {
    const auto elements = registerLayout(layout.elements);
    w.packet(aerogpu_cmd_ext_create_layout{{}, number, 0, 0}, elements.data(), elements.size());
    return;
  }
  aerogpu_cmd_create_input_layout c{};
  c.input_layout_handle = number;
  const std::vector<uint8_t> blob = inputLayoutBlob(layout.elements);
  w.packet(c, blob.data(), blob.size());
}

void describe(const Sampler& sampler, uint32_t number, CommandWriter& w) {
  aerogpu_cmd_create_sampler c = packetOfSampler(sampler.state);
  c.sampler_handle = number;
  w.packet(c);
}

/// Describes all objects; calls `afterEach` after each.
template <class AfterEach>
void describeAll(const Inventory& all, CommandWriter& w, AfterEach afterEach) {
  Owners owners(all, w);
  const auto each = [&](const auto& list, const auto& one) {
    for (const auto* object : list) {
      one(*object, all.numberOf(object));
      afterEach();
    }
  };
  each(all.buffers, [&](const Buffer& buffer, uint32_t number) {
    owners.say(buffer, buffer.ofKernel);
    describe(buffer, number, w);
  });
  each(all.textures, [&](const Texture& texture, uint32_t number) {
    owners.say(texture, texture.ofKernel);
    describe(texture, number, w);
  });
  each(all.views, [&](const View& view, uint32_t number) {
    owners.say(view);
    describe(all, view, number, w);
  });
  const auto plain = [&](const auto& object, uint32_t number) {
    owners.say(object);
    describe(object, number, w);
  };
  each(all.shaders, plain);
  each(all.layouts, plain);
  each(all.samplers, plain);
}

}  // namespace

void describeSpaces(const Inventory& all, Steps& steps) {
  for (const Space* space : all.spaces) {
    if (space->number == 0) continue;
    if (space->process)
      steps.packets.packet(aerogpu_cmd_ext_space_process{{}, space->number, 0, *space->process});
    // A space without a name has an empty one.
    if (space->processId != 0 || !space->imageName.empty() || !space->process) {
      aerogpu_cmd_ext_name_space c{};
      c.space = space->number;
      c.process_id = space->processId;
      space->imageName.copy(reinterpret_cast<char*>(c.image_name), sizeof c.image_name);
      steps.packets.packet(c);
    }
    steps.cut();
  }
  steps.write();
}

void describeClock(const Submission& parts, Steps& steps) {
  if (parts.clock.newest() == 0) return;
  steps.packets.packet(aerogpu_cmd_load_clock{{}, parts.clock.newest()});
  steps.write();
}

void describeObjects(const Inventory& all, Steps& steps) {
  describeAll(all, steps.packets, [&] { steps.cut(); });
  steps.write();
}

void describeObjects(const Inventory& all, CommandWriter& w) {
  describeAll(all, w, [] {});
}

void describeBackings(Submission& parts, const Inventory& all, Steps& steps) {
  std::vector<AllocTable::Entry> places;
  std::vector<std::pair<uint64_t, const Resource*>> ordered;  // by age, for those that can be shown
  for (const Buffer* buffer : all.buffers)
    if (buffer->backing.allocId != 0) ordered.emplace_back(0, buffer);
  for (const Texture* texture : all.textures)
    if (texture->backing.allocId != 0) ordered.emplace_back(texture->backingSerial, texture);
  std::ranges::stable_sort(ordered, {}, [](const auto& one) { return one.first; });
  for (const auto& [serial, resource] : ordered) {
    const Backing& backing = resource->backing;
    aerogpu_cmd_ext_attach_backing c{};
    c.resource_handle = all.numberOf(resource);
    c.backing_alloc_id = backing.allocId;
    c.backing_offset_bytes = static_cast<uint32_t>(backing.offset);
    c.row_pitch_bytes = backing.rowPitch;
    steps.packets.packet(c);
    // Packets checked the resource against the allocation; the table has to be true only then.
    const uint64_t bytes =
        backing.offset + (resource->isTexture ? static_cast<const Texture*>(resource)->layout.totalBytes()
                                              : static_cast<const Buffer*>(resource)->desc.sizeBytes);
    const auto known = std::ranges::find(steps.allocations, backing.allocId, &AllocTable::Entry::id);
    if (known != steps.allocations.end())
      known->size = std::max(known->size, bytes);
    else
      steps.allocations.push_back({backing.allocId, false, false, 0, bytes});
    if (serial != 0) {
      AllocTable::Entry place = parts.resources.backings.entryOf(*static_cast<const Texture*>(resource));
      place.size = 1;
      places.push_back(place);
    }
    constexpr size_t kFew = 1024;  // the search above is linear
    if (steps.allocations.size() == kFew) steps.write();
  }
  steps.write();
  // Textures of one allocation are at one place.
  std::ranges::sort(places, {}, &AllocTable::Entry::id);
  const auto sameId = [](const AllocTable::Entry& x, const AllocTable::Entry& y) { return x.id == y.id; };
  places.erase(std::unique(places.begin(), places.end(), sameId), places.end());
  constexpr size_t kManyPlaces = 65536;
  for (size_t i = 0; i < places.size(); i += kManyPlaces) {
    const size_t end = std::min(i + kManyPlaces, places.size());
    steps.allocations.assign(places.begin() + static_cast<ptrdiff_t>(i),
                             places.begin() + static_cast<ptrdiff_t>(end));
    steps.write();
  }
}

void describeTokens(Submission& parts, const Inventory& all, Steps& steps) {
  std::vector<std::pair<uint64_t, const Resource*>> tokens;
  parts.resources.shared.forEach(
      [&](uint64_t token, const Resource* resource) { tokens.emplace_back(token, resource); });
  std::ranges::sort(tokens, {}, [](const auto& one) { return one.first; });
  for (const auto& [token, resource] : tokens) {
    if (resource)
      steps.packets.packet(aerogpu_cmd_export_shared_surface{{}, all.numberOf(resource), 0, token});
    else
      steps.packets.packet(aerogpu_cmd_release_shared_surface{{}, token, 0});
    steps.cut();
  }
  for (const Space* space : all.spaces) {
    std::vector<uint64_t> granted;
    space->grants.forEach([&](uint64_t token) { granted.push_back(token); });
    std::ranges::sort(granted);
    for (const uint64_t token : granted) {
      steps.packets.packet(aerogpu_cmd_ext_grant{{}, token, space->number, 0});
      steps.cut();
    }
  }
  steps.write();
}

void describeNames(const Inventory& all, Steps& steps) {
  for (const Name& name : all.names) {
    steps.packets.packet(aerogpu_cmd_load_name{{}, all.numberOf(name.object), name.space, name.handle, 0});
    steps.cut();
  }
  steps.write();
}

}  // namespace aerogpu::snapshot
