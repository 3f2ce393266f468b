// SPDX-License-Identifier: MIT
// com_ptr.h: a reference to a COM object, released with the variable.
#pragma once

namespace programs {

template <typename T> class ComPtr {
public:
  ComPtr() = default;
  ComPtr(const ComPtr &) = delete;
  ComPtr(ComPtr &&other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  ComPtr &operator=(const ComPtr &) = delete;
  ComPtr &operator=(ComPtr &&other) noexcept {
    if (this != &other) {
      reset();
      object_ = other.object_;
      other.object_ = nullptr;
    }
    return *this;
  }
  ~ComPtr() { reset(); }

  T *operator->() const { return object_; }
  T *get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /** For a call that returns an object; releases the previous object. */
  T **put() {
    reset();
    return &object_;
  }
  void reset() {
    if (object_) object_->Release();
    object_ = nullptr;
  }

private:
  T *object_ = nullptr;
};

}  // namespace programs
