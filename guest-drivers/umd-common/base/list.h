// SPDX-License-Identifier: MIT
// list.h: an intrusive list of objects with members `T *previous, *next`. One device's thread.
#pragma once

namespace aero {

template <class T> class List {
public:
  T *first() const { return m_first; }

  void add(T *item) {
    item->previous = nullptr;
    item->next = m_first;
    if (m_first) m_first->previous = item;
    m_first = item;
  }
  /** Removes an item, which must be in the list. */
  void remove(T *item) {
    if (item->previous)
      item->previous->next = item->next;
    else
      m_first = item->next;
    if (item->next) item->next->previous = item->previous;
    item->previous = item->next = nullptr;
  }

private:
  T *m_first = nullptr;
};

}  // namespace aero
