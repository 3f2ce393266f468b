// SPDX-License-Identifier: MIT
// Memory of objects that programs make and destroy by the thousand. The C library keeps seven pieces of a
// size at hand (glibc.malloc.tcache_count); it joins the others with their neighbours and splits them again,
// which costs more than making the object.
#pragma once

#include <cstddef>
#include <new>

namespace aerogpu {

/// Sanitizers must see each object separately.
#if defined(AEROGPU_ADDRESS_SANITIZER) || defined(AEROGPU_THREAD_SANITIZER)
inline constexpr size_t kRecycledBytes = 0;
#else
inline constexpr size_t kRecycledBytes = size_t{1} << 20;
#endif

/// Base of T: a thread keeps what it deletes for the next T that it makes, at most kRecycledBytes. Any
/// thread, also for objects from another one.
template <class T>
class Recycled {
public:
  static void* operator new(size_t size) {
    Kept& kept = s_kept;
    if (size != sizeof(T) || !kept.first) return ::operator new(size);
    Piece* piece = kept.first;
    kept.first = piece->next;
    --kept.count;
    return piece;
  }
  static void operator delete(void* memory, size_t size) noexcept {
    Kept& kept = s_kept;
    if (size != sizeof(T) || kept.ended || kept.count >= kRecycledBytes / sizeof(T))
      return ::operator delete(memory);
    if (!kept.first) endWithThread();
    kept.first = new (memory) Piece{kept.first};
    ++kept.count;
  }

private:
  struct Piece {
    Piece* next;
  };
  /// Has no destructor, so that the last objects of a thread may be destroyed after its pieces.
  struct Kept {
    Piece* first;
    size_t count;
    bool ended;
  };
  /// Frees the pieces of a thread that kept any.
  struct End {
    ~End() {
      Kept& kept = s_kept;
      kept.ended = true;
      while (Piece* piece = kept.first) {
        kept.first = piece->next;
        ::operator delete(piece);
      }
    }
  };

  static void endWithThread() {
    thread_local const End end;
    (void)end;
  }

  static inline thread_local constinit Kept s_kept{};
};

}  // namespace aerogpu
