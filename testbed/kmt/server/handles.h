// SPDX-License-Identifier: MIT
// A process' table of handles. A handle is a program's claim: it is looked up with the kind that the call
// wants, and one whose object is gone stays wrong for a long time, since a slot's handles change with each
// use.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace aerogpu::host {

enum class ObjectKind : uint8_t { Adapter, Device, Context, Allocation, Resource };

/// What a handle stands for.
struct KmtObject {
  explicit KmtObject(ObjectKind objectKind) : kind(objectKind) {}
  KmtObject(const KmtObject&) = delete;
  KmtObject& operator=(const KmtObject&) = delete;
  virtual ~KmtObject() = default;
  const ObjectKind kind;
  uint32_t handle = 0;
};

/// Any thread.
class HandleTable {
public:
  static constexpr uint32_t kMost = 1 << 16;

  /// A new handle, which the object gets too; 0 when there are kMost.
  uint32_t add(const std::shared_ptr<KmtObject>& object);
  /// Null when the handle is not one of this kind. `Object` names its kind in kKind.
  template <class Object>
  std::shared_ptr<Object> find(uint32_t handle) const {
    return std::static_pointer_cast<Object>(find(handle, Object::kKind));
  }
  /// Ends the handle; null when it was none of this kind.
  template <class Object>
  std::shared_ptr<Object> remove(uint32_t handle) {
    return std::static_pointer_cast<Object>(remove(handle, Object::kKind));
  }
  /// All that are there, oldest slot first.
  std::vector<std::shared_ptr<KmtObject>> all() const;

private:
  struct Slot {
    std::shared_ptr<KmtObject> object;
    uint8_t generation = 0;
  };
  std::shared_ptr<KmtObject> find(uint32_t handle, ObjectKind kind) const;
  std::shared_ptr<KmtObject> remove(uint32_t handle, ObjectKind kind);
  /// The slot's number, or kMost.
  uint32_t slotOf(uint32_t handle) const;

  mutable std::mutex m_mutex;
  std::vector<Slot> m_slots;
  std::deque<uint32_t> m_free;  // the slot that is free for longest is used first
};

}  // namespace aerogpu::host
