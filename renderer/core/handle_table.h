// SPDX-License-Identifier: MIT
// Guest handles: 32 bits, not 0, one namespace for every kind of object (OBJ-1, SPACE-7). Open addressing
// with linear probing, so a look-up is one or two cache lines and never allocates. Render thread only.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/base/salted_hash.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

/// A sampler object: only its state.
struct Sampler : GuestObject {
  SamplerState state;
};

using Object = std::variant<std::monostate, Ref<Buffer>, Ref<Texture>, Ref<View>, Ref<Shader>,
                            Ref<InputLayout>, Ref<Sampler>>;

class HandleTable {
public:
  HandleTable() { m_slots.resize(kFirstSlots); }

  /// Returns null if the handle names nothing.
  Object* find(uint32_t handle) {
    for (size_t i = slotOf(handle);; i = (i + 1) & mask()) {
      if (m_slots[i].handle == handle) return handle ? &m_slots[i].object : nullptr;
      if (m_slots[i].handle == 0) return nullptr;
    }
  }

  /// Returns null if the handle names nothing or an object of another kind.
  template <class T>
  T* get(uint32_t handle) {
    Object* object = find(handle);
    if (!object) return nullptr;
    Ref<T>* ref = std::get_if<Ref<T>>(object);
    return ref ? ref->get() : nullptr;
  }

  /// Returns the object of that kind, or CmdDecode with the text `what`.
  template <class T>
  Result<T*> need(uint32_t handle, const char* what) {
    T* object = get<T>(handle);
    if (!object) return refused(ErrorCode::CmdDecode, what, {{"handle", handle}});
    return object;
  }

  uint32_t count() const { return m_count; }

  /// Adds an object. The caller has checked that the handle is free and not 0.
  void insert(uint32_t handle, Object object) {
    if ((size_t{m_count} + 1) * 2 > m_slots.size()) grow();
    place(handle, std::move(object));
    ++m_count;
  }

  /// Removes an existing handle. The object leaves the table before it is destroyed.
  Object remove(uint32_t handle) {
    size_t hole = slotOf(handle);
    while (m_slots[hole].handle != handle) hole = (hole + 1) & mask();
    Object object = std::move(m_slots[hole].object);
    // Close the gap (Knuth 6.4, algorithm R), so that probing needs no tombstones.
    for (size_t i = (hole + 1) & mask(); m_slots[i].handle != 0; i = (i + 1) & mask()) {
      const size_t home = slotOf(m_slots[i].handle);
      if (((i - home) & mask()) >= ((i - hole) & mask())) {
        m_slots[hole] = std::move(m_slots[i]);
        hole = i;
      }
    }
    m_slots[hole].handle = 0;
    m_slots[hole].object = std::monostate{};
    --m_count;
    return object;
  }

  /// Passes each handle and its object to `use`, in no order.
  template <class Use>
  void forEach(Use use) const {
    for (const Slot& slot : m_slots)
      if (slot.handle != 0) use(slot.handle, slot.object);
  }

  /// Empties the table, then passes each of its objects to `use`, once.
  template <class Use>
  void drain(Use use) {
    std::vector<Slot> old(kFirstSlots);
    old.swap(m_slots);
    m_count = 0;
    for (Slot& slot : old)
      if (slot.handle != 0) use(slot.object);
  }

  void swap(HandleTable& other) noexcept {
    m_slots.swap(other.m_slots);
    std::swap(m_count, other.m_count);
  }

  void clear() {
    m_slots.assign(kFirstSlots, Slot{});
    m_count = 0;
  }

private:
  static constexpr size_t kFirstSlots = 256;
  struct Slot {
    uint32_t handle = 0;
    Object object;
  };
  size_t mask() const { return m_slots.size() - 1; }
  size_t slotOf(uint32_t handle) const { return SaltedHash{}(handle)&mask(); }
  void place(uint32_t handle, Object object) {
    size_t i = slotOf(handle);
    while (m_slots[i].handle != 0) i = (i + 1) & mask();
    m_slots[i].handle = handle;
    m_slots[i].object = std::move(object);
  }
  void grow() {
    std::vector<Slot> old = std::move(m_slots);
    m_slots.clear();
    m_slots.resize(old.size() * 2);
    for (Slot& slot : old)
      if (slot.handle != 0) place(slot.handle, std::move(slot.object));
  }

  std::vector<Slot> m_slots;
  uint32_t m_count = 0;
};

}  // namespace aerogpu::core
