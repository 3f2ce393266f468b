// SPDX-License-Identifier: MIT
// What a recorded call keeps of its arguments: objects with a reference of the runtime's, arrays as copies.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/d3d11/command_list.h"
#include "testbed/d3d11-runtime/d3d11/shaders.h"
#include "testbed/d3d11-runtime/d3d11/states.h"
#include "testbed/d3d11-runtime/d3d11/views.h"

namespace aerogpu::runtime11 {

// The runtime's object behind each interface of the API.
inline Buffer *behind(ID3D11Buffer *object) {
  return static_cast<Buffer *>(object);
}
inline Resource *behind(ID3D11Resource *object) {
  return resourceOf(object);
}
inline ShaderResourceView *behind(ID3D11ShaderResourceView *object) {
  return static_cast<ShaderResourceView *>(object);
}
inline RenderTargetView *behind(ID3D11RenderTargetView *object) {
  return static_cast<RenderTargetView *>(object);
}
inline DepthStencilView *behind(ID3D11DepthStencilView *object) {
  return static_cast<DepthStencilView *>(object);
}
inline VertexShader *behind(ID3D11VertexShader *object) {
  return static_cast<VertexShader *>(object);
}
inline GeometryShader *behind(ID3D11GeometryShader *object) {
  return static_cast<GeometryShader *>(object);
}
inline PixelShader *behind(ID3D11PixelShader *object) {
  return static_cast<PixelShader *>(object);
}
inline InputLayout *behind(ID3D11InputLayout *object) {
  return static_cast<InputLayout *>(object);
}
inline BlendState *behind(ID3D11BlendState *object) {
  return static_cast<BlendState *>(object);
}
inline DepthStencilState *behind(ID3D11DepthStencilState *object) {
  return static_cast<DepthStencilState *>(object);
}
inline RasterizerState *behind(ID3D11RasterizerState *object) {
  return static_cast<RasterizerState *>(object);
}
inline SamplerState *behind(ID3D11SamplerState *object) {
  return static_cast<SamplerState *>(object);
}
inline Query *behind(ID3D11Asynchronous *object) {
  return static_cast<Query *>(static_cast<ID3D11Query *>(object));
}
inline Query *behind(ID3D11Predicate *object) {
  return static_cast<Query *>(object);
}
inline CommandList *behind(ID3D11CommandList *object) {
  return static_cast<CommandList *>(object);
}

inline ID3D11Resource *apiOf(Resource *object) {
  return object ? object->api() : nullptr;
}
template <class T> T *apiOf(T *object) {
  return object;
}

/// An object, null too.
template <class Api> class Held {
public:
  explicit Held(Api *object) : m_object(behind(object)) {}
  Api *get() const { return apiOf(m_object.get()); }
  bool operator==(const Held &other) const { return m_object.get() == other.m_object.get(); }

private:
  Ref<std::remove_pointer_t<decltype(behind(static_cast<Api *>(nullptr)))>> m_object;
};

/// An array of objects; null means that all are null.
template <class Api> class HeldArray {
public:
  HeldArray(Api *const *objects, UINT count) {
    for (UINT i = 0; i < count; ++i) m_objects.emplace_back(objects ? objects[i] : nullptr);
  }
  std::vector<Api *> pointers() const {
    std::vector<Api *> out;
    for (const Held<Api> &object : m_objects) out.push_back(object.get());
    return out;
  }

private:
  std::vector<Held<Api>> m_objects;
};

/// An array of values; null stays null.
template <class T> std::vector<T> copyOf(const T *values, UINT count) {
  return values ? std::vector<T>(values, values + count) : std::vector<T>();
}

// How a kept argument is passed. Temporary arrays live until the call has ended.
template <class T> const T &pass(const T &value) {
  return value;
}
template <class Api> Api *pass(const Held<Api> &object) {
  return object.get();
}
template <class T> const T *pass(const std::vector<T> &values) {
  return values.empty() ? nullptr : values.data();
}
/// The pointers of a HeldArray, as the argument of a call.
template <class Api> class Pointers {
public:
  explicit Pointers(const HeldArray<Api> &array) : m_pointers(array.pointers()) {}
  operator Api * const *() const { return m_pointers.data(); }  // NOLINT(google-explicit-constructor)

private:
  std::vector<Api *> m_pointers;
};
template <class Api> Pointers<Api> pass(const HeldArray<Api> &array) {
  return Pointers<Api>(array);
}

}  // namespace aerogpu::runtime11
