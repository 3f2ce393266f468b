// SPDX-License-Identifier: MIT
// Intrusive reference counts for objects of the render thread; not thread-safe on purpose (no atomic per
// binding).
#pragma once

#include <cstdint>
#include <utility>

namespace aerogpu::core {

/// Base of counted objects. Created with makeRef; deleted with the last Ref.
class RefCounted {
public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

private:
  template <class T>
  friend class Ref;
  uint32_t m_refs = 0;
};

/// A counted pointer, possibly null.
template <class T>
class Ref {
public:
  Ref() = default;
  explicit Ref(T* object) : m_object(object) { retain(); }
  Ref(const Ref& other) : m_object(other.m_object) { retain(); }
  Ref(Ref&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(m_object, other.m_object);
    return *this;
  }
  ~Ref() {
    if (m_object && --static_cast<RefCounted*>(m_object)->m_refs == 0) delete m_object;
  }

  T* get() const { return m_object; }
  T* operator->() const { return m_object; }
  T& operator*() const { return *m_object; }
  explicit operator bool() const { return m_object != nullptr; }
  bool operator==(const Ref& other) const { return m_object == other.m_object; }
  void reset() { *this = Ref(); }

private:
  void retain() {
    if (m_object) ++static_cast<RefCounted*>(m_object)->m_refs;
  }
  T* m_object = nullptr;
};

template <class T, class... Args>
Ref<T> makeRef(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace aerogpu::core
