// SPDX-License-Identifier: MIT
// shaders.h: the runtime's shaders and vertex declarations, and the driver's own shaders.
#pragma once

#include "aerogpu/d3d9/declaration.h"
#include "guest-drivers/umd-d3d9/submit/device_objects.h"

namespace aero {

/** A vertex or pixel shader: a token stream that the device translates. */
class Shader {
public:
  /** Creates the shader on the device. `stage`: enum aerogpu_shader_stage. `bytes` at `tokens`, from the version to the
   * end token. */
  HRESULT create(DeviceObjects &objects, uint32_t stage, const void *tokens, size_t bytes);
  void destroy(DeviceObjects &objects) {
    objects.destroy<aerogpu_cmd_destroy_shader>(m_handle);
    heapFree(m_tokens);
    m_tokens = nullptr;
  }
  /** Keeps the tokens, for shaders that are made from this one; without memory for them there are none. */
  void keepTokens(const void *tokens, size_t bytes);
  /** Returns the tokens that are kept; null if there are none. */
  const uint32_t *tokens() const { return m_tokens; }
  size_t tokenCount() const { return m_tokenCount; }
  static Shader *from(HANDLE handle) { return static_cast<Shader *>(handle); }

  uint32_t handle() const { return m_handle; }
  /** Returns the shader model's first number, 0 if it is unknown. */
  uint32_t major() const { return m_major; }

  Shader *previous = nullptr, *next = nullptr;  // in the device's list

private:
  uint32_t m_handle = 0, m_major = 0;
  uint32_t *m_tokens = nullptr;
  size_t m_tokenCount = 0;
};

/** A vertex declaration. */
class Declaration {
public:
  using Element = aerogpu::d3d9::VertexElement;

  /** Creates the declaration on the device. `elements`: D3DVERTEXELEMENT9s without their end. Elements that the device
   * cannot have are left out. */
  HRESULT create(DeviceObjects &objects, const D3DDDIVERTEXELEMENT *elements, uint32_t count);
  void destroy(DeviceObjects &objects);
  static Declaration *from(HANDLE handle) { return static_cast<Declaration *>(handle); }

  uint32_t handle() const { return m_handle; }
  /** True if vertices are in screen space already (D3DDECLUSAGE_POSITIONT). */
  bool isTransformed() const { return m_transformed; }
  /** Returns the streams that are read; bit n: stream n. */
  uint32_t streams() const { return m_streams; }
  /** Returns the vertex shader for transformed vertices of this declaration; 0 if there is no room for one. Its
   * constants are kScreenConstants and the next one. `coordinates`: those that each stage reads, as kOwnCoordinates has
   * them. For other vertices the runtime's shader has them in the right place, for these the driver's has to (page
   * "Converting the Direct3D Fixed-Function State"). */
  uint32_t screenShader(DeviceObjects &objects, uint32_t coordinates);

  static constexpr uint32_t kScreenConstants = 254;

  Declaration *previous = nullptr, *next = nullptr;  // in the device's list

private:
  /** A vertex shader for transformed vertices, and the coordinates of the stages that it was made for. */
  struct ScreenShader {
    uint32_t coordinates = 0;
    Shader shader;
  };
  static constexpr uint32_t kScreenShaders = 4;

  Element m_elements[aerogpu::d3d9::kMaxDeclElements + 1];
  uint32_t m_count = 0, m_handle = 0, m_streams = 0;
  bool m_transformed = false;
  uint32_t m_coordinates = 0;   // bit n: the vertices have texture coordinates n
  uint32_t m_nextReplaced = 0;  // the screen shader that the next new one replaces
  ScreenShader m_screenShaders[kScreenShaders];
};

/** Writes tokens of a vertex shader that transforms vertices from screen to clip space and passes on the other
 * elements. `stages`: the texture coordinates that each reads, in 4 bits each; with a number above 7 it gets none.
 * Returns the number of tokens, 0 if `room` is too small. */
size_t writeScreenShader(const Declaration::Element *elements, uint32_t count, uint32_t stages, uint32_t *tokens,
                         size_t room);

}  // namespace aero
