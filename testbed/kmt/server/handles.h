// SPDX-License-Identifier: MIT
// A process' table of handles. A handle is an unchecked value from a program: it is looked up together with
// the kind that the call requires, and a stale one stays invalid for a long time, because a slot's handles
// change with each use.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace aerogpu::host {

enum class ObjectKind : uint8_t { Adapter, Device, Context, Allocation, Resource, KeyedMutex };

/// The object that a handle names.
struct KmtObject {
  explicit KmtObject(ObjectKind objectKind) : kind(objectKind) {}
  KmtObject(const KmtObject&) = delete;
  KmtObject& operator=(const KmtObject&) = delete;
  virtual ~KmtObject() = default;
  const ObjectKind kind;
  uint32_t handle = 0;
};

/// A process' handles and their objects. Any thread.
class HandleTable {
public:
  static constexpr uint32_t kMost = 1 << 16;

  /// Adds a new handle, which the object gets too; returns 0 if there are kMost.
  uint32_t add(const std::shared_ptr<KmtObject>& object);
  /// Returns null if the handle is not one of this kind. `Object` names its kind in kKind.
  template <class Object>
  std::shared_ptr<Object> find(uint32_t handle) const {
    return std::static_pointer_cast<Object>(find(handle, Object::kKind));
  }
  /// Removes the handle; returns null if it was none of this kind.
  template <class Object>
  std::shared_ptr<Object> remove(uint32_t handle) {
    return std::static_pointer_cast<Object>(remove(handle, Object::kKind));
  }
  /// Returns all objects, oldest slot first.
  std::vector<std::shared_ptr<KmtObject>> all() const;

private:
  struct Slot {
    std::shared_ptr<KmtObject> object;
    uint8_t generation = 0;
  };
  std::shared_ptr<KmtObject> find(uint32_t handle, ObjectKind kind) const;
  std::shared_ptr<KmtObject> remove(uint32_t handle, ObjectKind kind);
  /// Returns the slot's number, or kMost.
  uint32_t slotOf(uint32_t handle) const;

  mutable std::mutex m_mutex;
  std::vector<Slot> m_slots;
  std::deque<uint32_t> m_free;  // the slot that has been free longest is used first
};

}  // namespace aerogpu::host
