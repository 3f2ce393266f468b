// SPDX-License-Identifier: MIT
// shader_bindings.h: the shaders that are bound, and the declaration of what the vertex shader reads.
#pragma once

#include "guest-drivers/umd-common/base/dirty_bit.h"
#include "guest-drivers/umd-d3d9/state/shaders.h"
#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

/** The shaders and the declaration that are wanted, and those that the device has. Setters send nothing. Only one call
 * of a device at a time uses this. */
class ShaderBindings {
public:
  explicit ShaderBindings(DirtyBit dirty) : m_isDirty(dirty) {}

  void setVertex(Shader *shader) { replace(m_wanted.vertex, shader); }
  void setPixel(Shader *shader) { replace(m_wanted.pixel, shader); }
  void setDeclaration(Declaration *declaration) { replace(m_wanted.layout, declaration); }
  bool hasVertex() const { return m_wanted.vertex != nullptr; }
  /** Returns the pixel shader of a draw: the one that is set, or else `defaultPixel`. */
  const Shader &pixel() const { return m_wanted.pixel ? *m_wanted.pixel : defaultPixel; }
  /** True if vertices come in screen space. */
  bool isTransformed() const { return m_wanted.layout && m_wanted.layout->isTransformed(); }
  /** Returns the streams that draws read; bit n: stream n. */
  uint32_t streams() const { return m_wanted.layout ? m_wanted.layout->streams() : 0; }
  /** True if all that a draw needs is set. */
  bool isComplete() const { return m_wanted.layout && (m_wanted.layout->isTransformed() || m_wanted.vertex); }

  /** Returns the handle of the vertex shader of a draw. For vertices in screen space makes that shader if necessary; 0
   * on failure. isComplete() must be true. `coordinates`: those that each stage reads, as kOwnCoordinates has them. */
  uint32_t vertexHandle(DeviceObjects &objects, uint32_t coordinates);
  /** Sends the wanted shaders and declaration, unless the device has them. `vertex`: from vertexHandle(). `pixel`: the
   * handle of pixel(), or of a shader made from it. */
  bool emit(Context &context, uint32_t vertex, uint32_t pixel) {
    return send(context, vertex, pixel, m_wanted.layout->handle());
  }
  /** Sends these handles now; the next emit() sends the wanted ones again. */
  bool force(Context &context, uint32_t vertex, uint32_t pixel, uint32_t layout);
  /** Makes the next draw check everything that depends on the shaders. */
  void markDirty() { m_isDirty.set(); }
  /** Forgets what the device has. */
  void forget();
  /** Unbinds an object that is about to be destroyed. */
  void unbind(const Shader *shader);
  void unbind(const Declaration *declaration);

  /** The driver's own pixel shader, which passes on the diffuse colour: for draws without one. */
  Shader defaultPixel;

private:
  template <class S, class Layout> struct Set {
    S vertex = {}, pixel = {};
    Layout layout = {};
  };
  template <class T> void replace(T *&have, T *object) {
    if (have == object) return;
    have = object;
    m_isDirty.set();
  }
  bool send(Context &context, uint32_t vertex, uint32_t pixel, uint32_t layout);

  DirtyBit m_isDirty;
  Set<Shader *, Declaration *> m_wanted;
  Set<uint32_t, uint32_t> m_sent;  // handles
};

}  // namespace aero
