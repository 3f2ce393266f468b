// SPDX-License-Identifier: MIT
// heap.h: allocates memory from the process' heap, and objects in it. There is no C++ library: nothing throws, a caller
// checks for null. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <new>  // placement
#include <type_traits>
#include <utility>

namespace aero {

/** Returns `bytes` zeroed bytes at a multiple of 16, or null. */
void *heapAllocate(size_t bytes);
/** Frees memory of heapAllocate(); null is allowed. */
void heapFree(void *memory);

/** Returns a new T, or null. */
template <class T, class... Arguments> T *heapCreate(Arguments &&...arguments) {
  void *memory = heapAllocate(sizeof(T));
  return memory ? new (memory) T(std::forward<Arguments>(arguments)...) : nullptr;
}

/** Destroys what heapCreate() made; null is allowed. */
template <class T> void heapDestroy(T *object) {
  if (!object) return;
  object->~T();
  heapFree(object);
}

/** A list that grows, of values that may be copied as bytes. */
template <class T> class Array {
public:
  static_assert(std::is_trivially_copyable_v<T>);
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { heapFree(m_items); }

  size_t size() const { return m_size; }
  T *data() { return m_items; }
  T &operator[](size_t index) { return m_items[index]; }
  const T &operator[](size_t index) const { return m_items[index]; }
  T *begin() { return m_items; }
  T *end() { return m_items + m_size; }
  void clear() { m_size = 0; }
  T pop() { return m_items[--m_size]; }

  /** Makes room for `count` items in total; returns false, with the list unchanged, if memory is short. */
  bool reserve(size_t count) {
    if (count <= m_room) return true;
    if (count > SIZE_MAX / 4 / sizeof(T)) return false;
    size_t room = m_room ? m_room : 16;
    while (room < count) room *= 2;
    auto *items = static_cast<T *>(heapAllocate(room * sizeof(T)));
    if (!items) return false;
    if (m_size) memcpy(items, m_items, m_size * sizeof(T));
    heapFree(m_items);
    m_items = items;
    m_room = room;
    return true;
  }
  bool push(const T &item) {
    const T copy = item;  // `item` may lie in the list
    if (!reserve(m_size + 1)) return false;
    m_items[m_size++] = copy;
    return true;
  }
  /** Sets the length to `count`; new items are zero. */
  bool resize(size_t count) {
    if (!reserve(count)) return false;
    if (count > m_size) memset(static_cast<void *>(m_items + m_size), 0, (count - m_size) * sizeof(T));
    m_size = count;
    return true;
  }

private:
  T *m_items = nullptr;
  size_t m_size = 0, m_room = 0;
};

}  // namespace aero
