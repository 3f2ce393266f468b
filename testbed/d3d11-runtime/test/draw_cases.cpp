// SPDX-License-Identifier: MIT
// A triangle, states, maps, copies, queries.
#include <cstring>

#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

constexpr D3D11_INPUT_ELEMENT_DESC kElements[] = {
    {"color", 0, DXGI_FORMAT_R8G8B8A8_UNORM, 0, 12, D3D11_INPUT_PER_VERTEX_DATA, 0},
    {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0}};

D3D11_TEXTURE2D_DESC textureOf(UINT bind, D3D11_USAGE usage = D3D11_USAGE_DEFAULT, UINT access = 0,
                               DXGI_FORMAT format = DXGI_FORMAT_R8G8B8A8_UNORM) {
  return {64, 64, 1, 1, format, {1, 0}, usage, bind, access, 0};
}

SIZE_T bytesOf(const std::vector<uint32_t> &code) {
  return code.size() * 4;
}

}  // namespace

TEST_CASE(triangle) {
  TestDevice device;
  Com<ID3D11VertexShader> vs;
  Com<ID3D11PixelShader> ps;
  Com<ID3D11InputLayout> layout;
  EXPECT(device->CreateVertexShader(vertexShader().data(), bytesOf(vertexShader()), nullptr, vs.put()) == S_OK);
  EXPECT(device->CreatePixelShader(pixelShader().data(), bytesOf(pixelShader()), nullptr, ps.put()) == S_OK);
  EXPECT(device->CreateInputLayout(kElements, 2, vertexShader().data(), bytesOf(vertexShader()), layout.put()) == S_OK);
  // Version tokens, and registers in place of names: position's system value is 1.
  EXPECT_CALLS(
      "CreateVertexShader 0x10040 object in 0:0:f 0:1:f out 1:0:f 0:1:f",
      "CreatePixelShader 0x40 object in 1:0:f 0:1:f out 0:0:f",
      "CreateElementLayout [slot 0 offset 12 format 28 register 1] [slot 0 offset 0 format 6 register 0] object");
  Com<ID3D11VertexShader> none;
  std::vector<uint32_t> broken = vertexShader();
  broken.back() ^= 1;
  EXPECT(device->CreateVertexShader(broken.data(), bytesOf(broken), nullptr, none.put()) == E_INVALIDARG);
  EXPECT(device->CreateVertexShader(pixelShader().data(), bytesOf(pixelShader()), nullptr, none.put()) == E_INVALIDARG);
  Com<ID3D11InputLayout> noLayout;
  EXPECT(device->CreateInputLayout(kElements, 1, vertexShader().data(), bytesOf(vertexShader()), noLayout.put()) ==
         E_INVALIDARG);
  const UINT16 indices[8] = {0, 1, 2};
  const BYTE vertices[48] = {};
  const D3D11_SUBRESOURCE_DATA data = {vertices, 0, 0}, indexData = {indices, 0, 0};
  const D3D11_BUFFER_DESC vertexDesc = {48, D3D11_USAGE_IMMUTABLE, D3D11_BIND_VERTEX_BUFFER, 0, 0, 0};
  const D3D11_BUFFER_DESC indexDesc = {16, D3D11_USAGE_DEFAULT, D3D11_BIND_INDEX_BUFFER, 0, 0, 0};
  const D3D11_BUFFER_DESC constantDesc = {32, D3D11_USAGE_DEFAULT, D3D11_BIND_CONSTANT_BUFFER, 0, 0, 0};
  Com<ID3D11Buffer> vertexBuffer, indexBuffer, constants;
  EXPECT(device->CreateBuffer(&vertexDesc, nullptr, vertexBuffer.put()) == E_INVALIDARG);  // immutable without data
  EXPECT(device->CreateBuffer(&vertexDesc, &data, vertexBuffer.put()) == S_OK);
  EXPECT(device->CreateBuffer(&indexDesc, &indexData, indexBuffer.put()) == S_OK);
  EXPECT(device->CreateBuffer(&constantDesc, nullptr, constants.put()) == S_OK);
  EXPECT_CALLS("CreateResource kind 1 48x1 format 0 usage 1 bind 0x1 map 0x0 levels 1 data 1",
               "CreateResource kind 1 16x1 format 0 usage 0 bind 0x2",
               "CreateResource kind 1 32x1 format 0 usage 0 bind 0x4 map 0x0 levels 1 data 0");
  Com<ID3D11Texture2D> target;
  Com<ID3D11RenderTargetView> view;
  const D3D11_TEXTURE2D_DESC desc = textureOf(D3D11_BIND_RENDER_TARGET);
  device->CreateTexture2D(&desc, nullptr, target.put());
  device->CreateRenderTargetView(target.get(), nullptr, view.put());
  calls();
  ID3D11DeviceContext &context = *device.context;
  const UINT stride = 16, offset = 0;
  ID3D11Buffer *buffers[] = {vertexBuffer.get()}, *constantBuffers[] = {constants.get()};
  ID3D11RenderTargetView *views[] = {view.get()};
  const D3D11_VIEWPORT viewport = {0, 0, 64, 64, 0, 1};
  const FLOAT values[8] = {};
  context.UpdateSubresource(constants.get(), 0, nullptr, values, 0, 0);
  context.IASetInputLayout(layout.get());
  context.IASetVertexBuffers(0, 1, buffers, &stride, &offset);
  context.IASetIndexBuffer(indexBuffer.get(), DXGI_FORMAT_R16_UINT, 2);
  context.IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  context.VSSetShader(vs.get(), nullptr, 0);
  context.VSSetConstantBuffers(1, 1, constantBuffers);
  context.PSSetShader(ps.get(), nullptr, 0);
  context.RSSetViewports(1, &viewport);
  context.OMSetRenderTargets(1, views, nullptr);
  context.Draw(3, 0);
  context.DrawIndexed(3, 1, -2);
  EXPECT_CALLS("DefaultConstantBufferUpdateSubresourceUP object 0 0 0", "IaSetInputLayout object",
               "IaSetVertexBuffers 0 1 0x10 0x0", "IaSetIndexBuffer object 57 2", "IaSetTopology 4",
               "VsSetShader object", "VsSetConstantBuffers 1 1", "PsSetShader object", "SetViewports 1 0 64x64",
               "SetRenderTargets 1 0 none 1 0 1 0", "Draw 3 0", "DrawIndexed 3 1 -2");
  // What is bound lives on.
  vs.reset();
  layout.reset();
  EXPECT_CALLS();
  Com<ID3D11VertexShader> bound;
  context.VSGetShader(bound.put(), nullptr, nullptr);
  EXPECT(bound.get() != nullptr);
  bound.reset();
  context.ClearState();
  EXPECT_CALLS("VsSetShader none", "DestroyShader", "VsSetConstantBuffers 0 2", "PsSetShader none",
               "IaSetInputLayout none", "DestroyElementLayout", "IaSetVertexBuffers 0 1", "IaSetIndexBuffer none 0 0",
               "IaSetTopology 0", "SetRenderTargets 0 1 none", "SetViewports 0 1");
}

TEST_CASE(hazards) {
  TestDevice device;
  const D3D11_TEXTURE2D_DESC desc = textureOf(D3D11_BIND_RENDER_TARGET | D3D11_BIND_SHADER_RESOURCE);
  Com<ID3D11Texture2D> texture;
  Com<ID3D11RenderTargetView> target;
  Com<ID3D11ShaderResourceView> input;
  device->CreateTexture2D(&desc, nullptr, texture.put());
  EXPECT(device->CreateRenderTargetView(texture.get(), nullptr, target.put()) == S_OK);
  EXPECT(device->CreateShaderResourceView(texture.get(), nullptr, input.put()) == S_OK);
  ID3D11ShaderResourceView *inputs[] = {input.get()};
  ID3D11RenderTargetView *targets[] = {target.get()};
  device.context->PSSetShaderResources(3, 1, inputs);
  calls();
  device.context->OMSetRenderTargets(1, targets, nullptr);
  EXPECT_CALLS("PsSetShaderResources 3 1", "SetRenderTargets 1 0");
  Com<ID3D11ShaderResourceView> got;
  device.context->PSGetShaderResources(3, 1, got.put());
  EXPECT(!got.get());
  device.context->PSSetShaderResources(0, 1, inputs);
  device.context->PSGetShaderResources(0, 1, got.put());
  EXPECT(!got.get());
}

TEST_CASE(statesOfLevel10) {
  TestDevice device(D3D_FEATURE_LEVEL_10_0, "a0001");
  D3D11_BLEND_DESC blend{};
  blend.RenderTarget[0] = {TRUE,
                           D3D11_BLEND_SRC_ALPHA,
                           D3D11_BLEND_INV_SRC_ALPHA,
                           D3D11_BLEND_OP_ADD,
                           D3D11_BLEND_ONE,
                           D3D11_BLEND_ZERO,
                           D3D11_BLEND_OP_ADD,
                           D3D11_COLOR_WRITE_ENABLE_ALL};
  Com<ID3D11BlendState> a, b;
  EXPECT(device->CreateBlendState(&blend, a.put()) == S_OK);
  blend.RenderTarget[5].SrcBlend = D3D11_BLEND_DEST_COLOR;  // not used
  EXPECT(device->CreateBlendState(&blend, b.put()) == S_OK);
  EXPECT(a.get() == b.get());
  EXPECT_CALLS("CreateBlendState of 10 enable 1 1 source 5 object");
  D3D11_DEPTH_STENCIL_DESC depth{};
  depth.DepthEnable = TRUE;
  depth.DepthWriteMask = D3D11_DEPTH_WRITE_MASK_ALL;
  depth.DepthFunc = D3D11_COMPARISON_GREATER;  // not the default state, which there is
  Com<ID3D11DepthStencilState> depthState;
  EXPECT(device->CreateDepthStencilState(&depth, depthState.put()) == S_OK);
  depth.StencilEnable = TRUE;
  EXPECT(device->CreateDepthStencilState(&depth, depthState.put()) == E_INVALIDARG);  // no operations
  EXPECT_CALLS("CreateDepthStencilState depth 1 stencil 0 front 0 back 0", "DestroyDepthStencilState");
}

TEST_CASE(defaultStates) {
  TestDevice device;
  // Bound since the beginning, and again for null: the fake driver says of each draw which it lacks.
  device.context->Draw(3, 0);
  EXPECT_CALLS("Draw 3 0");
  device.context->OMSetBlendState(nullptr, nullptr, 1);
  device.context->OMSetDepthStencilState(nullptr, 5);
  device.context->RSSetState(nullptr);
  device.context->Draw(3, 0);
  EXPECT_CALLS("SetBlendState object (1 1 1 1) 1", "SetDepthStencilState object 5", "SetRasterizerState object",
               "Draw 3 0");
  // The program sees none, and gets the same object if it describes one.
  Com<ID3D11DepthStencilState> bound, made;
  UINT reference = 0;
  device.context->OMGetDepthStencilState(bound.put(), &reference);
  EXPECT(!bound.get() && reference == 5);
  D3D11_DEPTH_STENCIL_DESC depth{};
  depth.DepthEnable = TRUE;
  depth.DepthWriteMask = D3D11_DEPTH_WRITE_MASK_ALL;
  depth.DepthFunc = D3D11_COMPARISON_LESS;
  EXPECT(device->CreateDepthStencilState(&depth, made.put()) == S_OK);
  EXPECT_CALLS();
}

TEST_CASE(statesOfLevel10_1) {
  TestDevice device(D3D_FEATURE_LEVEL_10_1, "a0007");
  D3D11_BLEND_DESC blend{};
  blend.IndependentBlendEnable = TRUE;
  blend.RenderTarget[0] = {TRUE,
                           D3D11_BLEND_SRC_ALPHA,
                           D3D11_BLEND_INV_SRC_ALPHA,
                           D3D11_BLEND_OP_ADD,
                           D3D11_BLEND_ONE,
                           D3D11_BLEND_ZERO,
                           D3D11_BLEND_OP_ADD,
                           D3D11_COLOR_WRITE_ENABLE_ALL};
  Com<ID3D11BlendState> state;
  EXPECT(device->CreateBlendState(&blend, state.put()) == S_OK);
  EXPECT_CALLS("CreateBlendState of 10.1 enable 1 0 source 5");
}

TEST_CASE(maps) {
  TestDevice device;
  const D3D11_BUFFER_DESC vertexDesc = {64, D3D11_USAGE_DYNAMIC, D3D11_BIND_VERTEX_BUFFER, D3D11_CPU_ACCESS_WRITE, 0,
                                        0};
  D3D11_BUFFER_DESC constantDesc = vertexDesc;
  constantDesc.BindFlags = D3D11_BIND_CONSTANT_BUFFER;
  const D3D11_TEXTURE2D_DESC dynamicDesc =
      textureOf(D3D11_BIND_SHADER_RESOURCE, D3D11_USAGE_DYNAMIC, D3D11_CPU_ACCESS_WRITE);
  const D3D11_TEXTURE2D_DESC stagingDesc = textureOf(0, D3D11_USAGE_STAGING, D3D11_CPU_ACCESS_READ);
  Com<ID3D11Buffer> vertices, constants;
  Com<ID3D11Texture2D> dynamic, staging;
  EXPECT(device->CreateBuffer(&vertexDesc, nullptr, vertices.put()) == S_OK);
  EXPECT(device->CreateBuffer(&constantDesc, nullptr, constants.put()) == S_OK);
  EXPECT(device->CreateTexture2D(&dynamicDesc, nullptr, dynamic.put()) == S_OK);
  EXPECT(device->CreateTexture2D(&stagingDesc, nullptr, staging.put()) == S_OK);
  EXPECT_CALLS("CreateResource kind 1 64x1 format 0 usage 2 bind 0x1 map 0x1", "CreateResource kind 1 64x1",
               "CreateResource kind 3 64x64 format 28 usage 2 bind 0x8 map 0x1",
               "CreateResource kind 3 64x64 format 28 usage 3 bind 0x0 map 0x2");
  D3D11_MAPPED_SUBRESOURCE mapped{};
  ID3D11DeviceContext &context = *device.context;
  EXPECT(context.Map(vertices.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == S_OK && mapped.RowPitch == 256);
  EXPECT(context.Map(vertices.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == E_INVALIDARG);  // mapped
  context.Unmap(vertices.get(), 0);
  context.Unmap(vertices.get(), 0);
  EXPECT(context.Map(vertices.get(), 0, D3D11_MAP_WRITE_NO_OVERWRITE, 0, &mapped) == S_OK);
  context.Unmap(vertices.get(), 0);
  EXPECT(context.Map(constants.get(), 0, D3D11_MAP_WRITE_NO_OVERWRITE, 0, &mapped) == E_INVALIDARG);
  EXPECT(context.Map(constants.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == S_OK);
  context.Unmap(constants.get(), 0);
  EXPECT(context.Map(dynamic.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == S_OK);
  context.Unmap(dynamic.get(), 0);
  EXPECT(context.Map(staging.get(), 0, D3D11_MAP_WRITE, 0, &mapped) == E_INVALIDARG);
  EXPECT(context.Map(staging.get(), 0, D3D11_MAP_READ, 0, &mapped) == S_OK);
  context.Unmap(staging.get(), 0);
  EXPECT_CALLS("DynamicIABufferMapDiscard", "map 0 type 4 flags 0x0", "DynamicIABufferUnmap object 0",
               "DynamicIABufferMapNoOverwrite", "map 0 type 5", "DynamicIABufferUnmap",
               "DynamicConstantBufferMapDiscard", "map 0 type 4", "DynamicConstantBufferUnmap",
               "DynamicResourceMapDiscard", "map 0 type 4", "DynamicResourceUnmap", "StagingResourceMap",
               "map 0 type 1", "StagingResourceUnmap");
  fake().misbehave("busy");
  EXPECT(context.Map(staging.get(), 0, D3D11_MAP_READ, D3D11_MAP_FLAG_DO_NOT_WAIT, &mapped) ==
         DXGI_ERROR_WAS_STILL_DRAWING);
  EXPECT(device->GetDeviceRemovedReason() == S_OK);
}

TEST_CASE(copies) {
  TestDevice device;
  const D3D11_TEXTURE2D_DESC desc = textureOf(D3D11_BIND_SHADER_RESOURCE);
  const D3D11_TEXTURE2D_DESC other =
      textureOf(D3D11_BIND_SHADER_RESOURCE, D3D11_USAGE_DEFAULT, 0, DXGI_FORMAT_R32_FLOAT);
  Com<ID3D11Texture2D> a, b, c;
  device->CreateTexture2D(&desc, nullptr, a.put());
  device->CreateTexture2D(&desc, nullptr, b.put());
  device->CreateTexture2D(&other, nullptr, c.put());
  calls();
  ID3D11DeviceContext &context = *device.context;
  const D3D11_BOX box = {8, 8, 0, 16, 24, 1}, beyond = {60, 0, 0, 65, 1, 1}, empty = {8, 8, 0, 8, 24, 1};
  std::vector<BYTE> bytes(64 * 64 * 4);
  context.CopyResource(a.get(), b.get());
  context.CopyResource(a.get(), a.get());
  context.CopyResource(a.get(), c.get());
  context.CopySubresourceRegion(a.get(), 0, 1, 2, 0, b.get(), 0, &box);
  context.CopySubresourceRegion(a.get(), 0, 60, 0, 0, b.get(), 0, &box);
  context.CopySubresourceRegion(a.get(), 0, 0, 0, 0, b.get(), 0, &empty);
  context.CopySubresourceRegion(a.get(), 0, 0, 0, 0, b.get(), 0, nullptr);
  context.UpdateSubresource(a.get(), 0, &box, bytes.data(), 256, 0);
  context.UpdateSubresource(a.get(), 0, &beyond, bytes.data(), 256, 0);
  context.UpdateSubresource(a.get(), 0, nullptr, bytes.data(), 256, 0);
  EXPECT_CALLS("ResourceCopy object object", "ResourceCopyRegion object 0 1 2 0 object 0 box 8,8,0-16,24,1",
               "ResourceCopyRegion object 0 0 0 0 object 0",
               "ResourceUpdateSubresourceUP object 0 box 8,8,0-16,24,1 256 0",
               "ResourceUpdateSubresourceUP object 0 256 0");
}

TEST_CASE(queries) {
  TestDevice device;
  const D3D11_QUERY_DESC event = {D3D11_QUERY_EVENT, 0}, occlusion = {D3D11_QUERY_OCCLUSION, 0};
  Com<ID3D11Query> a, b;
  EXPECT(device->CreateQuery(&event, a.put()) == S_OK && a->GetDataSize() == 4);
  EXPECT(device->CreateQuery(&occlusion, b.put()) == S_OK && b->GetDataSize() == 8);
  calls();
  BOOL done = FALSE;
  UINT64 samples = 0;
  ID3D11DeviceContext &context = *device.context;
  EXPECT(context.GetData(a.get(), &done, sizeof done, 0) == DXGI_ERROR_INVALID_CALL);
  context.End(a.get());
  context.Begin(b.get());
  context.End(b.get());
  EXPECT(context.GetData(a.get(), &done, sizeof done, D3D11_ASYNC_GETDATA_DONOTFLUSH) == S_FALSE && !done);
  EXPECT(context.GetData(a.get(), &done, sizeof done, 0) == S_OK && done);
  EXPECT(context.GetData(b.get(), &samples, 4, 0) == E_INVALIDARG);
  EXPECT(context.GetData(b.get(), &samples, sizeof samples, 0) == S_FALSE);
  EXPECT(context.GetData(b.get(), &samples, sizeof samples, 0) == S_OK && samples == 42);
  EXPECT_CALLS("QueryEnd object", "QueryBegin object", "QueryEnd object", "QueryGetData size 4 flags 1",
               "QueryGetData size 4 flags 0", "QueryGetData size 8", "QueryGetData size 8");
}

void drawFrame() {
  ID3D11Device *device = nullptr;
  ID3D11DeviceContext *context = nullptr;
  const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
  char name[16];
  const bool ten = GetEnvironmentVariableA("AEROGPU_D3D11_INTERFACE", name, sizeof name) != 0;
  if (FAILED(createDevice(ten ? levels + 2 : levels, ten ? 1 : 3, 0, &device, &context))) ExitProcess(1);
  const D3D11_TEXTURE2D_DESC staging = textureOf(0, D3D11_USAGE_STAGING, D3D11_CPU_ACCESS_READ);
  {
    Com<ID3D11Texture2D> texture;
    D3D11_MAPPED_SUBRESOURCE mapped{};
    if (SUCCEEDED(device->CreateTexture2D(&staging, nullptr, texture.put())) &&
        SUCCEEDED(context->Map(texture.get(), 0, D3D11_MAP_READ, 0, &mapped)))
      context->Unmap(texture.get(), 0);
    const D3D11_QUERY_DESC event = {D3D11_QUERY_EVENT, 0};
    Com<ID3D11Query> query;
    BOOL done = FALSE;
    if (SUCCEEDED(device->CreateQuery(&event, query.put()))) {
      context->End(query.get());
      for (int i = 0; i < 3; ++i) context->GetData(query.get(), &done, sizeof done, 0);
    }
  }
  for (int i = 0; i < 80; ++i) context->Draw(3, 0);
  context->Flush();
  const HWND window = makeWindow(64, 64);
  IDXGIFactory1 *factory = nullptr;
  IDXGISwapChain *chain = nullptr;
  DXGI_SWAP_CHAIN_DESC description = swapChainOf(window);
  if (SUCCEEDED(createFactory(&factory)) && SUCCEEDED(factory->CreateSwapChain(device, &description, &chain)))
    chain->Present(0, 0);
  if (chain) chain->Release();
  if (factory) factory->Release();
  context->Release();
  device->Release();
  DestroyWindow(window);
  shareTextures();
  fillScreen();
}

}  // namespace aerogpu::test
