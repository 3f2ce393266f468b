// SPDX-License-Identifier: MIT
// buffers11_cases.h: the cases of buffers11.exe; each prints why it fails and returns false then.
#pragma once

#include "testbed/programs/stages11.h"

namespace programs::buffers11 {

constexpr uint32_t kWidth = 320, kHeight = 200;

/** What all cases draw with. */
struct Tools {
  ID3D11Device *device;
  ID3D11DeviceContext *context;
  VertexStage vertexStage;
  PixelStage pixelStage;  ///< plain

  bool create();
  /** Binds the stages and a target of R8G8B8A8. */
  void bind(ID3D11Buffer *vertices, ID3D11RenderTargetView *view, uint32_t width, uint32_t height,
            ID3D11DepthStencilView *depth = nullptr);
  /** Sets the colour of the following draws. */
  bool setColour(uint32_t colour);
};

/** Reads a buffer by way of a staging buffer. */
bool readBuffer(Tools &tools, ID3D11Buffer *buffer, std::vector<uint8_t> &out);

/** 1 000 draws a frame from one dynamic vertex buffer, each with other constants; the frame goes into `view`. With
 * `append` the buffer is discarded when it is full, else before each draw. */
bool drawStream(Tools &tools, ID3D11RenderTargetView *view, bool append);
Picture streamExpectation();
bool streams(Tools &tools);

bool bufferCopies(Tools &tools);
bool textureCopies(Tools &tools);
bool stagingWrites(Tools &tools);

bool resolve(Tools &tools);
bool mips(Tools &tools);
bool occlusion(Tools &tools);

}  // namespace programs::buffers11
