// SPDX-License-Identifier: MIT
// What the cases draw with; and a dynamic vertex buffer and a dynamic constant buffer, written before each of 1 000
// draws. Each draw fills a cell of its own with a colour of its own, so a draw that sees what another wrote shows.
#include "testbed/programs/buffers11_cases.h"

#include <cstring>

namespace programs::buffers11 {

namespace {

constexpr uint32_t kCell = 8, kColumns = kWidth / kCell, kDraws = kColumns * (kHeight / kCell);
static_assert(kDraws == 1000);
constexpr uint32_t kCellVertices = 6, kRoom = 48;  // cells in the vertex buffer
constexpr uint32_t kBackground = argb(255, 0, 0, 0);

uint32_t colourOf(uint32_t draw) {
  return argb(255, 1 + draw % 250, 255 - draw / 4, draw * 7 % 256);
}

}  // namespace

bool Tools::create() {
  return vertexStage.create(device) && pixelStage.createPlain(device);
}

void Tools::bind(ID3D11Buffer *vertices, ID3D11RenderTargetView *view, uint32_t width, uint32_t height,
                 ID3D11DepthStencilView *depth) {
  vertexStage.bind(context, vertices, width, height);
  pixelStage.bind(context);
  context->OMSetRenderTargets(1, &view, depth);
}

bool Tools::setColour(uint32_t colour) {
  const std::array<float, 4> rgba = rgbaOf(colour);
  return pixelStage.setConstants(context, {rgba[0], rgba[1], rgba[2], rgba[3]});
}

bool drawStream(Tools &tools, ID3D11RenderTargetView *view, bool append) {
  ID3D11DeviceContext *context = tools.context;
  ComPtr<ID3D11Buffer> buffer;
  constexpr uint32_t kCellBytes = kCellVertices * sizeof(Vertex11);
  if (!makeBuffer(tools.device, kRoom * kCellBytes, D3D11_USAGE_DYNAMIC, D3D11_BIND_VERTEX_BUFFER, nullptr, buffer,
                  D3D11_CPU_ACCESS_WRITE))
    return false;
  clearTarget(context, view, kBackground);
  tools.bind(buffer.get(), view, kWidth, kHeight);
  for (uint32_t i = 0; i < kDraws; ++i) {
    const uint32_t place = append ? i % kRoom : 0;
    const uint32_t column = i % kColumns, row = i / kColumns;
    const float left = static_cast<float>(column * kCell) - 0.25f, top = static_cast<float>(row * kCell) - 0.25f;
    std::vector<Vertex11> cell;
    appendRectangle(cell, left, top, left + kCell, top + kCell, 0.5f);
    D3D11_MAPPED_SUBRESOURCE mapped{};
    if (!ok(context->Map(buffer.get(), 0, place ? D3D11_MAP_WRITE_NO_OVERWRITE : D3D11_MAP_WRITE_DISCARD, 0, &mapped),
            "Map of a dynamic buffer"))
      return false;
    std::memcpy(static_cast<uint8_t *>(mapped.pData) + size_t{place} * kCellBytes, cell.data(), kCellBytes);
    context->Unmap(buffer.get(), 0);
    if (!tools.setColour(colourOf(i))) return false;
    context->Draw(kCellVertices, place * kCellVertices);
  }
  return true;
}

Picture streamExpectation() {
  Picture picture(kWidth, kHeight);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) picture.at(x, y) = colourOf(y / kCell * kColumns + x / kCell);
  return picture;
}

bool streams(Tools &tools) {
  ComPtr<ID3D11Texture2D> target;
  ComPtr<ID3D11RenderTargetView> view;
  if (!makeTarget(tools.device, kWidth, kHeight, target, view)) return false;
  constexpr int kFrames = 4;  // by turns
  for (int frame = 0; frame < kFrames; ++frame) {
    Picture got;
    if (!drawStream(tools, view.get(), frame % 2) || !readTexture(tools.device, tools.context, target.get(), 0, got) ||
        !samePicture(frame % 2 ? "appended stream" : "discarded stream", got, streamExpectation(), 0, true))
      return false;
  }
  return true;
}

}  // namespace programs::buffers11
