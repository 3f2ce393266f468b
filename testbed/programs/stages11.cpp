// SPDX-License-Identifier: MIT
// The opcodes are those of d3d10TokenizedProgramFormat.hpp.
#include "testbed/programs/stages11.h"

#include <cstring>

#include "renderer/test/dxbc_sealed.h"

namespace programs {

namespace {

using namespace aerogpu::test::dxbc;

constexpr uint32_t kMad = 0x32, kMul = 0x38;
constexpr uint32_t kDclResource2d = 0x58 | 3u << 11, kDclConstants = 0x59, kDclSampler = 0x5A, kDclInput = 0x5F,
                   kDclInputPs = 0x62 | 2u << 11, kDclOutput = 0x65, kDclOutputSystem = 0x67, kDclTemps = 0x68;
constexpr uint32_t kFloatTexels = 0x5555, kWwww = 0xFF, kXy = 3, kAll = 15;

Tokens plainCode() {
  Tokens t;
  op(t, kDclConstants, {constant(0, 2)});
  op(t, kDclOutput, {dst(kOutput, 0, kAll)});
  op(t, kMov, {dst(kOutput, 0, kAll), constant(0, 0)});
  op(t, kRet, {});
  return sealed(container(kPs40, t, {{"SV_Position", 0, 1, 3, 0, kAll}}, {{"SV_Target", 0, 0, 3, 0, kAll}}));
}

}  // namespace

Tokens vertexStageCode() {
  Tokens t;
  op(t, kDclConstants, {constant(0, 2)});
  op(t, kDclInput, {dst(kInput, 0, kAll)});
  op(t, kDclInput, {dst(kInput, 1, kXy)});
  op(t, kDclOutputSystem, {dst(kOutput, 0, kAll), {1}});
  op(t, kDclOutput, {dst(kOutput, 1, kXy)});
  op(t, kDclTemps, {{1}});
  op(t, kMul, {dst(kTemp, 0, kAll), src(kInput, 0, kWwww), constant(0, 1)});
  op(t, kMad, {dst(kOutput, 0, kAll), src(kInput, 0), constant(0, 0), src(kTemp, 0)});
  op(t, kMov, {dst(kOutput, 1, kXy), src(kInput, 1, kXyxx)});
  op(t, kRet, {});
  return sealed(container(kVs40, t, {{"POSITION", 0, 0, 3, 0, kAll}, {"TEXCOORD", 0, 0, 3, 1, kXy}},
                          {{"SV_Position", 0, 1, 3, 0, kAll}, {"TEXCOORD", 0, 0, 3, 1, kXy}}));
}

Tokens texturedStageCode() {
  Tokens t;
  op(t, kDclConstants, {constant(0, 2)});
  op(t, kDclSampler, {handle(kSampler, 0)});
  op(t, kDclResource2d, {handle(kResource, 0), {kFloatTexels}});
  op(t, kDclInputPs, {dst(kInput, 1, kXy)});
  op(t, kDclOutput, {dst(kOutput, 0, kAll)});
  op(t, kDclOutput, {dst(kOutput, 1, kAll)});
  op(t, kDclTemps, {{1}});
  op(t, kSample, {dst(kTemp, 0, kAll), src(kInput, 1, kXyxx), src(kResource, 0), handle(kSampler, 0)});
  op(t, kMul, {dst(kOutput, 0, kAll), src(kTemp, 0), constant(0, 0)});
  op(t, kMul, {dst(kOutput, 1, kAll), src(kTemp, 0), constant(0, 1)});
  op(t, kRet, {});
  return sealed(container(kPs40, t, {{"SV_Position", 0, 1, 3, 0, kAll}, {"TEXCOORD", 0, 0, 3, 1, kXy}},
                          {{"SV_Target", 0, 0, 3, 0, kAll}, {"SV_Target", 1, 0, 3, 1, kAll}}));
}

void placeOf(uint32_t width, uint32_t height, float (&place)[8]) {
  const float w = static_cast<float>(width), h = static_cast<float>(height);
  const float values[8] = {2 / w, -2 / h, 1, 1, 1 / w - 1, 1 - 1 / h, 0, 0};
  std::memcpy(place, values, sizeof place);
}

bool VertexStage::create(ID3D11Device *device) {
  const Tokens code = vertexStageCode();
  const D3D11_INPUT_ELEMENT_DESC elements[] = {
      {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0},
      {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 16, D3D11_INPUT_PER_VERTEX_DATA, 0}};
  return ok(device->CreateVertexShader(code.data(), code.size() * 4, nullptr, shader_.put()), "CreateVertexShader") &&
         ok(device->CreateInputLayout(elements, 2, code.data(), code.size() * 4, layout_.put()), "CreateInputLayout") &&
         makeBuffer(device, 32, D3D11_USAGE_DEFAULT, D3D11_BIND_CONSTANT_BUFFER, nullptr, place_);
}

void VertexStage::bind(ID3D11DeviceContext *context, ID3D11Buffer *vertices, uint32_t width, uint32_t height) {
  float place[8];
  placeOf(width, height, place);
  const UINT stride = sizeof(Vertex11), offset = 0;
  const D3D11_VIEWPORT viewport = {0, 0, static_cast<float>(width), static_cast<float>(height), 0, 1};
  ID3D11Buffer *constants[] = {place_.get()};
  context->UpdateSubresource(place_.get(), 0, nullptr, place, 0, 0);
  context->IASetInputLayout(layout_.get());
  context->IASetVertexBuffers(0, 1, &vertices, &stride, &offset);
  context->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  context->VSSetShader(shader_.get(), nullptr, 0);
  context->VSSetConstantBuffers(0, 1, constants);
  context->RSSetViewports(1, &viewport);
}

bool PixelStage::createTextured(ID3D11Device *device) {
  return create(device, texturedStageCode());
}

bool PixelStage::createPlain(ID3D11Device *device) {
  return create(device, plainCode());
}

bool PixelStage::create(ID3D11Device *device, const std::vector<uint32_t> &code) {
  return ok(device->CreatePixelShader(code.data(), code.size() * 4, nullptr, shader_.put()), "CreatePixelShader") &&
         makeBuffer(device, 32, D3D11_USAGE_DYNAMIC, D3D11_BIND_CONSTANT_BUFFER, nullptr, constants_,
                    D3D11_CPU_ACCESS_WRITE);
}

void PixelStage::bind(ID3D11DeviceContext *context) {
  ID3D11Buffer *constants[] = {constants_.get()};
  context->PSSetShader(shader_.get(), nullptr, 0);
  context->PSSetConstantBuffers(0, 1, constants);
}

bool PixelStage::setConstants(ID3D11DeviceContext *context, const float (&values)[8]) {
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!ok(context->Map(constants_.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped), "Map of constants")) return false;
  std::memcpy(mapped.pData, values, sizeof values);
  context->Unmap(constants_.get(), 0);
  return true;
}

void appendRectangle(std::vector<Vertex11> &vertices, float left, float top, float right, float bottom, float depth) {
  const Vertex11 corners[4] = {{left, top, depth, 1, 0, 0},
                               {right, top, depth, 1, 1, 0},
                               {right, bottom, depth, 1, 1, 1},
                               {left, bottom, depth, 1, 0, 1}};
  for (const int corner : {0, 1, 2, 0, 2, 3}) vertices.push_back(corners[corner]);
}

bool makeBuffer(ID3D11Device *device, uint32_t bytes, D3D11_USAGE usage, UINT bind, const void *data,
                ComPtr<ID3D11Buffer> &buffer, UINT access) {
  const D3D11_BUFFER_DESC description = {bytes, usage, bind, access, 0, 0};
  const D3D11_SUBRESOURCE_DATA initial = {data, 0, 0};
  return ok(device->CreateBuffer(&description, data ? &initial : nullptr, buffer.put()), "CreateBuffer");
}

}  // namespace programs
