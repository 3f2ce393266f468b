// SPDX-License-Identifier: MIT
// stages11.h: the vertex and pixel stages that programs of Direct3D 11 share. Their shaders are assembled here.
#pragma once

#include <vector>

#include "testbed/programs/program11.h"

namespace programs {

/** A vertex of VertexStage: a place in pixels, whose centres are at whole numbers, and depth, all times w. */
struct Vertex11 {
  float x, y, z, w, u, v;
};

/** The shader of VertexStage, with its checksum: POSITION times cb0[0], plus w times cb0[1]; TEXCOORD is passed on. */
std::vector<uint32_t> vertexStageCode();
/** That of PixelStage::createTextured. */
std::vector<uint32_t> texturedStageCode();
/** Fills both vectors of VertexStage's constants, for a target of this size. */
void placeOf(uint32_t width, uint32_t height, float (&place)[8]);

/** Places vertices of Vertex11 on a target. */
class VertexStage {
public:
  bool create(ID3D11Device *device);
  /** Binds it with one stream of triangles, for a target of this size, and sets the viewport. */
  void bind(ID3D11DeviceContext *context, ID3D11Buffer *vertices, uint32_t width, uint32_t height);

private:
  ComPtr<ID3D11VertexShader> shader_;
  ComPtr<ID3D11InputLayout> layout_;
  ComPtr<ID3D11Buffer> place_;
};

/** A pixel stage with a dynamic constant buffer of two vectors. */
class PixelStage {
public:
  /** The texture t0 with the sampler s0, times cb0[0] in the first target, times cb0[1] in the second. */
  bool createTextured(ID3D11Device *device);
  /** The colour cb0[0]. */
  bool createPlain(ID3D11Device *device);
  /** A shader of this code, with its checksum. */
  bool create(ID3D11Device *device, const std::vector<uint32_t> &code);
  void bind(ID3D11DeviceContext *context);
  /** Overwrites the constants by MAP_WRITE_DISCARD. */
  bool setConstants(ID3D11DeviceContext *context, const float (&values)[8]);

private:
  ComPtr<ID3D11PixelShader> shader_;
  ComPtr<ID3D11Buffer> constants_;
};

/** Two triangles of a rectangle from (left, top) to (right, bottom), in the order of a list without indices. */
void appendRectangle(std::vector<Vertex11> &vertices, float left, float top, float right, float bottom, float depth);

/** A buffer; `data`: `bytes` bytes, or null. */
bool makeBuffer(ID3D11Device *device, uint32_t bytes, D3D11_USAGE usage, UINT bind, const void *data,
                ComPtr<ID3D11Buffer> &buffer, UINT access = 0);

}  // namespace programs
