// SPDX-License-Identifier: MIT
// Direct3D 9's fixed function as shaders of model 2. Drivers with shaders never see it (Windows display
// driver documentation, "Converting the Direct3D Fixed-Function State"): the runtime turns transformation and
// lighting into a vertex shader and the texture stages into a pixel shader, independently.
//
// Three steps: states to a key, a key to tokens (this header), and values to the registers that the tokens
// read (fixed_constants.h). A key holds all that changes instructions and nothing that only changes numbers,
// so equal keys are equal shaders. The shaders leave the driver's work to it: alpha test, table fog, mixing
// with the fog colour, shading, the clamp of colours and of the fog factor between the two shaders, point
// sprites, D3DRS_WRAPn. Transformed vertices (D3DDECLUSAGE_POSITIONT) have no vertex shader.
//
// Pure functions without heap, library or floating-point numbers. Any thread. Sources: the pages of the
// Direct3D 9 reference that the functions name.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "aerogpu/d3d9/declaration.h"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::d3d9 {

inline constexpr uint32_t kFixedStages = 8;  ///< D3DCAPS9::MaxTextureBlendStages
inline constexpr uint32_t kFixedRenderStates = 256, kFixedStageStates = 33;  ///< numbers, and one more

/// The form in which a declaration gives the indices of blending matrices.
enum class BlendIndices : uint8_t {
  None = 0,
  Integers,
  Color
};  ///< D3DDECLTYPE_UBYTE4 and its like, D3DCOLOR

/// The elements of vertices that the fixed function reads.
struct FixedVertexInputs {
  bool transformed = false;  ///< D3DDECLUSAGE_POSITIONT: no vertex processing
  bool normal = false, pointSize = false, color0 = false, color1 = false;
  bool position1 = false, normal1 = false;  ///< usage index 1, for tweening
  uint8_t weights = 0;                      ///< components, 0 to 4
  BlendIndices indices = BlendIndices::None;
  uint8_t coordinates[kFixedStages] = {};  ///< components of each set, 0: none
};
/// Reads a declaration's elements without the end. Of two elements with one usage the last counts.
FixedVertexInputs fixedVertexInputs(const VertexElement* elements, size_t count);

/// States by their numbers in d3d9types.h. Values may be anything: a value without meaning has no effect.
struct FixedStates {
  const uint32_t* render = nullptr;                      ///< kFixedRenderStates of them
  const uint32_t (*stage)[kFixedStageStates] = nullptr;  ///< kFixedStages rows
  SamplerType textures[kFixedStages] = {};               ///< of the bound textures, Unknown where none is
};

/// One set of coordinates that the vertex shader writes.
struct FixedCoordinates {
  /// The source of the coordinates.
  enum Source : uint8_t {
    kNothing = 0,
    kSet0,
    kNormal = kSet0 + kFixedStages,
    kPosition,
    kReflection,
    kSphere
  };
  uint8_t source = kNothing;
  uint8_t components = 0;  ///< of a set in the vertices; 0: it has none, and the result is 0
  uint8_t transform = 0;   ///< components that the texture matrix makes, 2 to 4; 0: no matrix
  uint8_t divisor = 0;     ///< 1 to 4: the component that goes to w, for the pixel shader to divide by
  bool operator==(const FixedCoordinates&) const = default;
};

/// All that the instructions of a vertex shader depend on; bytes without gaps. Only fixedVertexKey() makes
/// it.
struct FixedVertexKey {
  enum Fog : uint8_t { kNoFog = 0, kSpecularAlpha, kLinear, kExp, kExp2 };
  enum Points : uint8_t { kNoSize = 0, kVertexSize, kScaled, kScaledVertexSize };

  uint8_t matrices = 1;  ///< of vertex blending, 1 to 4
  uint8_t blending = 0;  ///< by weights or by an index
  uint8_t weights = 0;   ///< components in the vertices, 0 to 3
  uint8_t indices = 0;   ///< BlendIndices
  uint8_t tweening = 0;  ///< 1: positions, 2: normals too
  uint8_t normal = 0;    ///< 1: there is one and it is read, 2: it is normalised
  uint8_t colors = 0;    ///< bit 0: COLOR0 is read, bit 1: COLOR1
  uint8_t lighting = 0;
  uint8_t specular = 0;     ///< the pixel shader reads the specular colour of lighting
  uint8_t localViewer = 0;  ///< D3DRS_LOCALVIEWER, if specular is set
  uint8_t diffuseSource = 0, ambientSource = 0, specularSource = 0, emissiveSource = 0;  ///< MaterialSource
  uint8_t fog = kNoFog;
  uint8_t rangeFog = 0;
  uint8_t points = kNoSize;
  FixedCoordinates coordinates[kFixedStages];
  bool operator==(const FixedVertexKey&) const = default;
};
static_assert(sizeof(FixedVertexKey) == 17 + 4 * kFixedStages);

/// The component that a texture's coordinates are divided by before sampling.
enum class FixedProjection : uint8_t { None = 0, ByW, ByZ, ByY };

/// A texture stage. Arguments are D3DTA's bits; arguments that the operation does not read are 0.
struct FixedStage {
  uint8_t colorOp = 0, alphaOp = 0;            ///< TextureOp; colorOp 0 after the last stage
  uint8_t colorArg[3] = {}, alphaArg[3] = {};  ///< [0] is D3DTSS_COLORARG0
  uint8_t temp = 0;                            ///< D3DTSS_RESULTARG is D3DTA_TEMP
  uint8_t sampler = 0;                         ///< SamplerType; 0: the texture is not read
  FixedProjection projection = FixedProjection::None;
  bool operator==(const FixedStage&) const = default;
};

/// All that the instructions of a pixel shader depend on; bytes without gaps. Only fixedPixelKey() makes it.
struct FixedPixelKey {
  FixedStage stages[kFixedStages];
  uint8_t specular = 0;  ///< D3DRS_SPECULARENABLE: the specular colour is added at the end
  bool operator==(const FixedPixelKey&) const = default;
};
static_assert(sizeof(FixedPixelKey) == 11 * kFixedStages + 1);

/// Makes the key of a draw without a pixel shader. `inputs`: the vertices' elements, if this library makes
/// the vertex shader too; that shader puts the divisor of projected coordinates in w. Null if the program has
/// its own vertex shader: then, and for transformed vertices, the states alone name the divisor.
FixedPixelKey fixedPixelKey(const FixedStates& states, const FixedVertexInputs* inputs);
/// Returns the sets of texture coordinates that the shader reads; bit n: set n.
uint8_t fixedCoordinatesRead(const FixedPixelKey& key);
/// True if the shader reads the specular colour.
bool fixedSpecularRead(const FixedPixelKey& key);

/// Makes the key of a draw without a vertex shader whose vertices are not transformed. `coordinates` and
/// `specular` say what the pixel shader reads: the results of the two functions above, or everything if the
/// program has its own pixel shader.
FixedVertexKey fixedVertexKey(const FixedStates& states, const FixedVertexInputs& inputs, uint8_t coordinates,
                              bool specular);

/// Hashes the bytes of a key with FNV-1a: equal on every machine.
uint64_t hash(const FixedVertexKey& key);
uint64_t hash(const FixedPixelKey& key);

enum class FixedError : uint8_t {
  None,
  NoRoom,   ///< more tokens than the buffer holds
  TooMany,  ///< more than ps_2_0 has, and ps_2_x is not allowed
};

struct FixedShader {
  FixedError error = FixedError::None;
  Version version;
  uint32_t tokens = 0;  ///< written, with version and end
  uint32_t arithmeticSlots = 0,
           textureSlots = 0;  ///< as the instruction tables of the shader models count them
  uint32_t dependentReads =
      0;  ///< longest chain of texture reads that wait for computed coordinates, 1: none waits
};

/// Any fixed-function shader fits in this many tokens.
inline constexpr size_t kFixedShaderTokens = 2048;

/// Writes a vs_2_0 shader; it always fits the 256 slots.
FixedShader writeFixedVertexShader(const FixedVertexKey& key, uint32_t* tokens, size_t capacity);
/// Writes a ps_2_0 shader if its 64 arithmetic and 32 texture slots and its four levels of dependent reads
/// hold the stages. It never omits any: otherwise the same instructions become ps_2_x if `model2x` says that
/// the device has it with 512 slots and D3DPS20CAPS_NODEPENDENTREADLIMIT, else the error is TooMany, which
/// ValidateDevice calls D3DERR_TOOMANYOPERATIONS.
FixedShader writeFixedPixelShader(const FixedPixelKey& key, bool model2x, uint32_t* tokens, size_t capacity);

}  // namespace aerogpu::d3d9
