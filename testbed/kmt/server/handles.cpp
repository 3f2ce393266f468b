// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/handles.h"

namespace aerogpu::host {

namespace {

// 01, 8 bits of generation, 16 of slot number, 6 zeroes.
constexpr uint32_t kMark = 0x40000000, kSlotShift = 6, kGenerationShift = 22;

uint32_t makeHandle(uint32_t slot, uint8_t generation) {
  return kMark | uint32_t{generation} << kGenerationShift | slot << kSlotShift;
}

}  // namespace

uint32_t HandleTable::add(const std::shared_ptr<KmtObject>& object) {
  std::lock_guard lock(m_mutex);
  uint32_t slot;
  // While there are few handles, slots are not reused at once.
  if (m_free.size() > 64 || (m_slots.size() == kMost && !m_free.empty())) {
    slot = m_free.front();
    m_free.pop_front();
  } else if (m_slots.size() < kMost) {
    slot = static_cast<uint32_t>(m_slots.size());
    m_slots.emplace_back();
  } else {
    return 0;
  }
  m_slots[slot].object = object;
  object->handle = makeHandle(slot, m_slots[slot].generation);
  return object->handle;
}

uint32_t HandleTable::slotOf(uint32_t handle) const {
  const uint32_t slot = handle >> kSlotShift & (kMost - 1);
  return slot < m_slots.size() && m_slots[slot].object && handle == makeHandle(slot, m_slots[slot].generation)
             ? slot
             : kMost;
}

std::shared_ptr<KmtObject> HandleTable::find(uint32_t handle, ObjectKind kind) const {
  std::lock_guard lock(m_mutex);
  const uint32_t slot = slotOf(handle);
  return slot != kMost && m_slots[slot].object->kind == kind ? m_slots[slot].object : nullptr;
}

std::shared_ptr<KmtObject> HandleTable::remove(uint32_t handle, ObjectKind kind) {
  std::lock_guard lock(m_mutex);
  const uint32_t slot = slotOf(handle);
  if (slot == kMost || m_slots[slot].object->kind != kind) return nullptr;
  auto object = std::move(m_slots[slot].object);
  m_slots[slot].object = nullptr;
  ++m_slots[slot].generation;
  m_free.push_back(slot);
  return object;
}

std::vector<std::shared_ptr<KmtObject>> HandleTable::all() const {
  std::lock_guard lock(m_mutex);
  std::vector<std::shared_ptr<KmtObject>> objects;
  for (const Slot& slot : m_slots)
    if (slot.object) objects.push_back(slot.object);
  return objects;
}

}  // namespace aerogpu::host
