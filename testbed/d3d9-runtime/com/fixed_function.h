// SPDX-License-Identifier: MIT
// The fixed function: a program that draws without shaders of its own gets generated ones
// (docs/d3d9/fixed-function.md), whose registers hold transforms, lights and materials. Under the device's lock.
#pragma once

#include <unordered_map>
#include <vector>

#include "aerogpu/d3d9/fixed_constants.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"

namespace aerogpu::runtime {

struct StateValues;

class FixedFunction {
public:
  explicit FixedFunction(DriverDevice &driver) : m_driver(driver) {}
  ~FixedFunction();
  FixedFunction(const FixedFunction &) = delete;
  FixedFunction &operator=(const FixedFunction &) = delete;

  /// Notes that a value changed that shaders or their registers depend on.
  void touch() { m_touched = true; }
  /// Called before a draw in which one shader or both are the fixed function's: makes new shaders, and sends changed
  /// registers. Logs a line for a state that the driver cannot run.
  HRESULT prepare(const StateValues &values, bool vertex, bool pixel);
  /// Generates the vertex shader for a state, with the numbers of its registers, for running it on the processor.
  HRESULT generate(const StateValues &values, std::vector<uint32_t> &code, d3d9::FixedVertexConstants &constants);
  /// Return the shaders of the last prepare().
  HANDLE vertexShader() const { return m_vertexShader; }
  HANDLE pixelShader() const { return m_pixelShader; }

  /// True if the driver's registers hold the fixed function's values and not the program's: c# and i# of vertex
  /// shaders, c# of pixel shaders.
  bool ownsVertexRegisters() const { return m_ownsVertex; }
  bool ownsPixelRegisters() const { return m_ownsPixel; }
  /// Called when the program's values are sent again.
  void releaseVertexRegisters() { m_ownsVertex = false; }
  void releasePixelRegisters() { m_ownsPixel = false; }

private:
  struct Hash {
    template <class Key> size_t operator()(const Key &key) const { return static_cast<size_t>(d3d9::hash(key)); }
  };
  void readStates(const StateValues &values);
  void fillConstants(const StateValues &values, const d3d9::FixedVertexKey &key, d3d9::FixedVertexConstants &constants);
  HRESULT makeVertexShader(const d3d9::FixedVertexKey &key);
  HRESULT makePixelShader(const d3d9::FixedPixelKey &key);
  HRESULT sendVertexRegisters(const StateValues &values, const d3d9::FixedVertexKey &key);
  HRESULT sendPixelRegisters(const d3d9::FixedPixelKey &key);
  HRESULT sendFloats(bool vertex, UINT first, UINT count, const float (*values)[4]);
  /// Sends the registers that differ from those last sent, or all of them if `all`.
  HRESULT sendChanges(bool vertex, bool all, UINT count, const float (*values)[4], float (*sent)[4]);

  DriverDevice &m_driver;
  bool m_touched = true, m_vertex = false, m_pixel = false;  ///< arguments of the last prepare()
  bool m_ownsVertex = false, m_ownsPixel = false;
  HANDLE m_vertexShader = nullptr, m_pixelShader = nullptr;
  std::unordered_map<d3d9::FixedVertexKey, HANDLE, Hash> m_vertexShaders;
  std::unordered_map<d3d9::FixedPixelKey, HANDLE, Hash> m_pixelShaders;
  // Copies of the program's states, each a 32-bit number.
  uint32_t m_render[d3d9::kFixedRenderStates]{};
  uint32_t m_stage[d3d9::kFixedStages][d3d9::kFixedStageStates]{};
  d3d9::FixedStates m_states;
  d3d9::FixedVertexConstants m_sentVertex{};
  float m_sentPixel[d3d9::kFixedPixelConstants][4]{};
  std::vector<d3d9::FixedLight> m_lights;
  std::vector<const d3d9::FixedLight *> m_lightPointers;
};

}  // namespace aerogpu::runtime
