// SPDX-License-Identifier: MIT
#include "renderer/snapshot/inventory.h"

#include <algorithm>
#include <variant>

#include "renderer/core/context_table.h"
#include "renderer/core/selected_space.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

/// Returns the object that a handle names.
GuestObject* objectOf(const Object& object) {
  return std::visit(
      [](const auto& one) -> GuestObject* {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, std::monostate>)
          return nullptr;
        else
          return one.get();
      },
      object);
}

}  // namespace

Inventory::Inventory(Submission& parts) : m_parts(parts) {
  parts.contexts.leave();
  parts.space.select(parts.spaces.kernel());
  spaces = parts.spaces.all();
  for (const Space* space : spaces) addSpace(*space);
  for (const Space* space : spaces)
    for (const auto& [id, context] : contextsOf(*space)) addState(context->state);
  numberAll();
}

Inventory::Inventory(Submission& parts, std::span<const std::unique_ptr<DrawState>> states) : m_parts(parts) {
  for (const std::unique_ptr<DrawState>& state : states) addState(*state);
  numberAll();
}

void Inventory::numberAll() {
  for (size_t i = 0; i < views.size(); ++i) add(textures, views[i]->texture.get());
  m_numbers.clear();
  number(buffers);
  number(textures);
  number(views);
  number(shaders);
  number(layouts);
  number(samplers);
}

void Inventory::addSpace(const Space& space) {
  const size_t first = names.size();
  handlesOf(space).forEach([&](uint32_t handle, const Object& object) {
    names.push_back({objectOf(object), space.number, handle});
  });
  std::sort(names.begin() + static_cast<ptrdiff_t>(first), names.end(),
            [](const Name& a, const Name& b) { return a.handle < b.handle; });
  HandleTable& handles = space.number == 0 ? m_parts.handles : const_cast<HandleTable&>(space.handles);
  for (size_t i = first; i < names.size(); ++i) addObject(*handles.find(names[i].handle));
}

void Inventory::addObject(const Object& object) {
  if (const auto* buffer = std::get_if<Ref<Buffer>>(&object)) add(buffers, buffer->get());
  if (const auto* texture = std::get_if<Ref<Texture>>(&object)) add(textures, texture->get());
  if (const auto* view = std::get_if<Ref<View>>(&object)) add(views, view->get());
  if (const auto* shader = std::get_if<Ref<Shader>>(&object)) add(shaders, shader->get());
  if (const auto* layout = std::get_if<Ref<InputLayout>>(&object)) add(layouts, layout->get());
  if (const auto* sampler = std::get_if<Ref<Sampler>>(&object)) add(samplers, sampler->get());
}

void Inventory::addState(const DrawState& state) {
  for (const Ref<Shader>& shader : state.shaders) add(shaders, shader.get());
  add(layouts, state.inputLayout.get());
  const auto addTarget = [this](const TargetBinding& target) {
    add(textures, target.texture.get());
    add(views, target.view.get());
  };
  for (const TargetBinding& target : state.colorTargets) addTarget(target);
  addTarget(state.depthTarget);
  for (const VertexStream& stream : state.vertexStreams) add(buffers, stream.buffer.get());
  add(buffers, state.indexBuffer.buffer.get());
  for (const Ref<Buffer>& target : state.streamTargets) add(buffers, target.get());
  for (const StageBindings& stage : state.stages) {
    for (const ShaderResourceBinding& resource : stage.resources) {
      add(textures, resource.texture.get());
      add(views, resource.view.get());
      add(buffers, resource.buffer.get());
    }
    for (const BufferBinding& binding : stage.constantBuffers) add(buffers, binding.buffer.get());
    for (const BufferBinding& binding : stage.unorderedAccess) add(buffers, binding.buffer.get());
  }
}

template <class T>
bool Inventory::add(std::vector<T*>& list, T* object) {
  if (!object || !m_numbers.emplace(object, 0).second) return false;
  list.push_back(object);
  return true;
}

template <class T>
void Inventory::number(const std::vector<T*>& list) {
  for (const T* object : list) m_numbers.emplace(object, static_cast<uint32_t>(m_numbers.size() + 1));
}

std::vector<std::pair<uint32_t, Context*>> contextsOf(const Space& space) {
  std::vector<std::pair<uint32_t, Context*>> contexts;
  for (const auto& [id, context] : space.contexts) contexts.emplace_back(id, context.get());
  std::sort(contexts.begin(), contexts.end());
  return contexts;
}

}  // namespace aerogpu::snapshot
