// SPDX-License-Identifier: MIT
// color_keys.h: colour keys of textures, for DirectDraw and Direct3D 7 and older: texels that equal the key of their
// stage are not drawn. The runtime makes pixel shaders of the fixed function and leaves keys to the driver, which adds
// them to the shader, as Microsoft's own driver of this interface does (D3D9On12,
// ShaderConverter/ShaderConv/context.cpp, EmitColorKeyModifier). Only one call of a device at a time uses this.
#pragma once

#include "guest-drivers/umd-d3d9/state/shaders.h"
#include "guest-drivers/umd-d3d9/state/textures.h"

namespace aero {

/** The keys of a draw: for each stage in `stages` (a bit each) the colour that samples of a keyed texel have. */
struct KeyColors {
  static constexpr uint32_t kStages = 8;
  uint32_t stages = 0;
  float rgba[kStages][4] = {};

  bool operator==(const KeyColors &) const = default;
};

/** Writes the tokens of a pixel shader of model 2 or 3, and after each sample of a keyed stage that it ends the pixel
 * if the texel equals the key. `keys` has to have a stage. Returns the number of tokens; 0 if `room` is too small, the
 * shader is none of these models, or has no register left. */
size_t writeKeyedShader(const uint32_t *tokens, size_t count, const KeyColors &keys, uint32_t *to, size_t room);

/** The states that the runtime sets, and the shaders with keys. */
class ColorKeys {
public:
  explicit ColorKeys(DirtyBit shaders) : m_shaders(shaders) {}
  void destroy(DeviceObjects &objects);

  /** Records D3DDDIRS_COLORKEYENABLE. */
  void enable(bool on);
  /** Records a texture stage state. Returns false if `state` is none of the two of keys. */
  bool setStage(uint32_t stage, uint32_t state, uint32_t value);
  /** Notes that a texture is bound: the format of the key is that of the texture. */
  void noteTexture() {
    if (m_isOn) m_shaders.set();
  }
  bool isOn() const { return m_isOn; }
  /** Returns the handle of `shader` with the keys of the stages that have a texture, or without keys if there are none
   * or it cannot have them. */
  uint32_t keyed(DeviceObjects &objects, const Shader &shader, const Textures &textures);
  /** Destroys what was made of a shader that is about to be destroyed. */
  void drop(DeviceObjects &objects, const Shader &shader);

private:
  struct Keyed {
    const Shader *source = nullptr;  // null: unused
    KeyColors keys;
    Shader shader;
  };
  static constexpr uint32_t kMostKeyed = 16;

  KeyColors wanted(const Textures &textures) const;

  DirtyBit m_shaders;
  bool m_isOn = false;
  uint32_t m_stages = 0;  // bit n: stage n has a key
  uint32_t m_keys[KeyColors::kStages] = {};
  uint32_t m_nextReplaced = 0;
  Keyed m_keyed[kMostKeyed];
};

}  // namespace aero
