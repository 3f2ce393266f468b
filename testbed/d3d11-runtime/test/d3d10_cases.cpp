// SPDX-License-Identifier: MIT
// Direct3D 10's interfaces: facets of the Direct3D 11 objects, and the descriptions that differ. What both versions
// share is tested with Direct3D 11.
#include <d3d10_1.h>

#include <cstring>

#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

struct TestDevice10 {
  explicit TestDevice10(D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_10_1, UINT flags = 0) : alive(fake().alive()) {
    ID3D10Device *made = nullptr;
    if (FAILED(createDevice10(level, flags, reinterpret_cast<void **>(&made)))) ExitProcess(1);
    made->QueryInterface(__uuidof(ID3D10Device1), reinterpret_cast<void **>(&device));
    EXPECT(device == made);
    made->Release();
    fake().clear();
  }
  ~TestDevice10() {
    EXPECT(device->Release() == 0);
    EXPECT(fake().alive() == alive);
    fake().clear();
  }
  TestDevice10(const TestDevice10 &) = delete;
  TestDevice10 &operator=(const TestDevice10 &) = delete;
  ID3D10Device1 *operator->() const { return device; }

  unsigned alive;
  ID3D10Device1 *device = nullptr;
};

template <class To, class From> HRESULT query(From *object, Com<To> &out) {
  return object->QueryInterface(__uuidof(To), reinterpret_cast<void **>(out.put()));
}
template <class T> ULONG references(T *object) {
  object->AddRef();
  return object->Release();
}

D3D10_TEXTURE2D_DESC textureOf10(UINT bind, DXGI_FORMAT format = DXGI_FORMAT_R8G8B8A8_UNORM) {
  return {64, 64, 1, 1, format, {1, 0}, D3D10_USAGE_DEFAULT, bind, 0, 0};
}
constexpr D3D10_BUFFER_DESC kConstants = {32, D3D10_USAGE_DYNAMIC, D3D10_BIND_CONSTANT_BUFFER, D3D10_CPU_ACCESS_WRITE,
                                          0};

/// An adapter of the program's own around the runtime's; `hands`: hands private data on.
class WrappedAdapter final : public IDXGIAdapter {
public:
  WrappedAdapter(IDXGIAdapter *inner, bool hands) : m_inner(inner), m_hands(hands) {}
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID, void **out) override {
    *out = nullptr;
    return E_NOINTERFACE;
  }
  ULONG STDMETHODCALLTYPE AddRef() override { return 2; }
  ULONG STDMETHODCALLTYPE Release() override { return 1; }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID, UINT, const void *) override { return E_NOTIMPL; }
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID, const IUnknown *) override { return E_NOTIMPL; }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
    return m_hands ? m_inner->GetPrivateData(guid, size, data) : DXGI_ERROR_NOT_FOUND;
  }
  HRESULT STDMETHODCALLTYPE GetParent(REFIID id, void **out) override { return m_inner->GetParent(id, out); }
  HRESULT STDMETHODCALLTYPE EnumOutputs(UINT i, IDXGIOutput **out) override { return m_inner->EnumOutputs(i, out); }
  HRESULT STDMETHODCALLTYPE GetDesc(DXGI_ADAPTER_DESC *out) override { return m_inner->GetDesc(out); }
  HRESULT STDMETHODCALLTYPE CheckInterfaceSupport(REFGUID id, LARGE_INTEGER *out) override {
    return m_inner->CheckInterfaceSupport(id, out);
  }

private:
  IDXGIAdapter *const m_inner;
  const bool m_hands;
};

}  // namespace

TEST_CASE(wrappedAdapter) {
  Com<IDXGIFactory1> factory;
  Com<IDXGIAdapter1> adapter;
  Com<ID3D10Device> device;
  EXPECT(createFactory(factory.put()) == S_OK && factory->EnumAdapters1(0, adapter.put()) == S_OK);
  WrappedAdapter wrapped(adapter.get(), true), foreign(adapter.get(), false);
  EXPECT(createDevice10(D3D_FEATURE_LEVEL_10_0, 0, reinterpret_cast<void **>(device.put()), &wrapped) == S_OK);
  device.reset();
  EXPECT(createDevice10(D3D_FEATURE_LEVEL_10_0, 0, reinterpret_cast<void **>(device.put()), &foreign) == E_INVALIDARG);
  fake().clear();
}

TEST_CASE(device10) {
  void *none = &none;
  EXPECT(createDevice10(D3D_FEATURE_LEVEL_11_0, 0, &none) == E_INVALIDARG && !none);
  EXPECT(createDevice10(D3D_FEATURE_LEVEL_9_3, 0, &none) == DXGI_ERROR_UNSUPPORTED && !none);
  EXPECT(createDevice10(D3D_FEATURE_LEVEL_10_0, 0, nullptr) == E_INVALIDARG);
  TestDevice10 device(D3D_FEATURE_LEVEL_10_0, D3D10_CREATE_DEVICE_SINGLETHREADED);
  EXPECT(device->GetFeatureLevel() == D3D10_FEATURE_LEVEL_10_0);
  EXPECT(device->GetCreationFlags() == D3D10_CREATE_DEVICE_SINGLETHREADED);
  // One object with one count, whichever version asks.
  Com<ID3D11Device> eleven;
  Com<IUnknown> a, b;
  Com<IDXGIDevice> dxgi;
  EXPECT(query(device.device, eleven) == S_OK && query(device.device, a) == S_OK);
  EXPECT(query(eleven.get(), b) == S_OK && a.get() == b.get());
  EXPECT(references(device.device) == 4 && references(eleven.get()) == 4);
  EXPECT(query(device.device, dxgi) == S_OK);
  Com<ID3D10Device> back;
  EXPECT(query(dxgi.get(), back) == S_OK && back.get() == device.device);
}

/// A device of Direct3D 11 has no such interface; its objects have them, with Windows 7's Platform Update.
TEST_CASE(facetsOfObjectsOf11) {
  TestDevice device;
  Com<ID3D10Device> ten;
  EXPECT(query(device.device, ten) == E_NOINTERFACE && !ten.get());
  const D3D11_BUFFER_DESC desc = {32, D3D11_USAGE_DEFAULT, D3D11_BIND_VERTEX_BUFFER, 0, 0, 0};
  Com<ID3D11Buffer> buffer;
  Com<ID3D10Buffer> facet;
  EXPECT(device->CreateBuffer(&desc, nullptr, buffer.put()) == S_OK);
  EXPECT(query(buffer.get(), facet) == S_OK && references(buffer.get()) == 2);
  D3D10_BUFFER_DESC found{};
  facet->GetDesc(&found);
  EXPECT(found.ByteWidth == 32 && found.BindFlags == D3D10_BIND_VERTEX_BUFFER);
  auto *parent = reinterpret_cast<ID3D10Device *>(&found);
  facet->GetDevice(&parent);
  EXPECT(!parent);
}

TEST_CASE(multithread10) {
  TestDevice10 device;
  Com<ID3D10Multithread> threads;
  EXPECT(query(device.device, threads) == S_OK);
  EXPECT(threads->GetMultithreadProtected());
  threads->Enter();
  threads->Enter();
  device->Draw(3, 0);
  threads->Leave();
  threads->Leave();
  threads->Leave();  // once too often
  EXPECT(threads->SetMultithreadProtected(FALSE) && !threads->GetMultithreadProtected());
  EXPECT(!threads->SetMultithreadProtected(TRUE));
  EXPECT_CALLS("Draw 3 0");
}

TEST_CASE(resources10) {
  TestDevice10 device;
  D3D10_TEXTURE2D_DESC desc = textureOf10(D3D10_BIND_RENDER_TARGET | D3D10_BIND_SHADER_RESOURCE);
  desc.ArraySize = 6;
  desc.MiscFlags = D3D10_RESOURCE_MISC_TEXTURECUBE | D3D10_RESOURCE_MISC_GENERATE_MIPS;
  Com<ID3D10Texture2D> texture, none;
  EXPECT(device->CreateTexture2D(&desc, nullptr, texture.put()) == S_OK);
  D3D10_TEXTURE2D_DESC got{};
  texture->GetDesc(&got);
  EXPECT(std::memcmp(&got, &desc, sizeof got) == 0);
  Com<ID3D11Texture2D> eleven;
  EXPECT(query(texture.get(), eleven) == S_OK);
  D3D11_TEXTURE2D_DESC got11{};
  eleven->GetDesc(&got11);
  EXPECT(got11.MiscFlags == (D3D11_RESOURCE_MISC_TEXTURECUBE | D3D11_RESOURCE_MISC_GENERATE_MIPS));
  D3D10_RESOURCE_DIMENSION dimension{};
  texture->GetType(&dimension);
  EXPECT(dimension == D3D10_RESOURCE_DIMENSION_TEXTURE2D);
  EXPECT(references(texture.get()) == 2);
  // Private data is the object's.
  const UINT value = 7;
  UINT read = 0, size = sizeof read;
  EXPECT(texture->SetPrivateData(__uuidof(ID3D10Device), sizeof value, &value) == S_OK);
  EXPECT(eleven->GetPrivateData(__uuidof(ID3D10Device), &size, &read) == S_OK && read == value);
  Com<ID3D10Device> owner;
  texture->GetDevice(owner.put());
  EXPECT(owner.get() == device.device);
  calls();
  eleven.reset();
  EXPECT_CALLS();
  texture.reset();
  EXPECT_CALLS("DestroyResource object");
  // A flag that only Direct3D 11 has, and a bind.
  desc.MiscFlags = D3D11_RESOURCE_MISC_RESOURCE_CLAMP;
  EXPECT(device->CreateTexture2D(&desc, nullptr, none.put()) == E_INVALIDARG);
  desc = textureOf10(D3D11_BIND_UNORDERED_ACCESS);
  EXPECT(device->CreateTexture2D(&desc, nullptr, none.put()) == E_INVALIDARG);
  EXPECT(device->CreateTexture2D(nullptr, nullptr, none.put()) == E_INVALIDARG && !none.get());
  D3D10_BUFFER_DESC buffer = kConstants;
  buffer.MiscFlags = D3D11_RESOURCE_MISC_BUFFER_STRUCTURED;
  Com<ID3D10Buffer> noBuffer;
  EXPECT(device->CreateBuffer(&buffer, nullptr, noBuffer.put()) == E_INVALIDARG);
  EXPECT(device->CreateBuffer(&kConstants, nullptr, nullptr) == S_FALSE);
  EXPECT_CALLS();
}

/// What the interfaces of Direct3D 11 made has Direct3D 10's too.
TEST_CASE(objectsOfBothVersions) {
  TestDevice10 device;
  Com<ID3D11Device> eleven;
  query(device.device, eleven);
  const D3D11_BUFFER_DESC desc = {
      48, D3D11_USAGE_DEFAULT, D3D11_BIND_VERTEX_BUFFER, 0, D3D11_RESOURCE_MISC_DRAWINDIRECT_ARGS, 0};
  Com<ID3D11Buffer> buffer;
  Com<ID3D10Buffer> ten;
  EXPECT(eleven->CreateBuffer(&desc, nullptr, buffer.put()) == S_OK && query(buffer.get(), ten) == S_OK);
  D3D10_BUFFER_DESC got{};
  ten->GetDesc(&got);
  EXPECT(got.ByteWidth == 48 && got.BindFlags == D3D10_BIND_VERTEX_BUFFER && !got.MiscFlags);
  buffer.reset();
  const UINT stride = 16, offset = 0;
  ID3D10Buffer *buffers[] = {ten.get()};
  device->IASetVertexBuffers(2, 1, buffers, &stride, &offset);
  Com<ID3D11DeviceContext> context;
  eleven->GetImmediateContext(context.put());
  UINT strideGot = 0;
  context->IAGetVertexBuffers(2, 1, buffer.put(), &strideGot, nullptr);
  Com<ID3D10Buffer> same;
  EXPECT(strideGot == 16 && query(buffer.get(), same) == S_OK && same.get() == ten.get());
}

TEST_CASE(views10) {
  TestDevice10 device;
  D3D10_TEXTURE2D_DESC desc = textureOf10(D3D10_BIND_DEPTH_STENCIL, DXGI_FORMAT_D24_UNORM_S8_UINT);
  desc.ArraySize = 4;
  desc.MipLevels = 3;
  Com<ID3D10Texture2D> depth, colour;
  EXPECT(device->CreateTexture2D(&desc, nullptr, depth.put()) == S_OK);
  desc = textureOf10(D3D10_BIND_SHADER_RESOURCE | D3D10_BIND_RENDER_TARGET);
  desc.ArraySize = 12;
  desc.MiscFlags = D3D10_RESOURCE_MISC_TEXTURECUBE;
  EXPECT(device->CreateTexture2D(&desc, nullptr, colour.put()) == S_OK);
  calls();
  // Direct3D 11's description has flags before the place.
  D3D10_DEPTH_STENCIL_VIEW_DESC place{};
  place.Format = DXGI_FORMAT_D24_UNORM_S8_UINT;
  place.ViewDimension = D3D10_DSV_DIMENSION_TEXTURE2DARRAY;
  place.Texture2DArray = {1, 2, 2};
  Com<ID3D10DepthStencilView> view;
  EXPECT(device->CreateDepthStencilView(depth.get(), &place, view.put()) == S_OK);
  D3D10_DEPTH_STENCIL_VIEW_DESC got{};
  view->GetDesc(&got);
  EXPECT(got.Format == place.Format && got.ViewDimension == place.ViewDimension && got.Texture2DArray.MipSlice == 1 &&
         got.Texture2DArray.FirstArraySlice == 2 && got.Texture2DArray.ArraySize == 2);
  Com<ID3D10Resource> resource;
  view->GetResource(resource.put());
  EXPECT(resource.get() == depth.get());
  Com<ID3D10RenderTargetView> target;
  EXPECT(device->CreateRenderTargetView(colour.get(), nullptr, target.put()) == S_OK);
  D3D10_RENDER_TARGET_VIEW_DESC targetDesc{};
  target->GetDesc(&targetDesc);
  EXPECT(targetDesc.ViewDimension == D3D10_RTV_DIMENSION_TEXTURE2DARRAY && targetDesc.Texture2DArray.ArraySize == 12);
  // Arrays of cubes are Direct3D 10.1's, and raw buffers Direct3D 11's.
  D3D10_SHADER_RESOURCE_VIEW_DESC1 cubes{};
  cubes.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  cubes.ViewDimension = D3D10_1_SRV_DIMENSION_TEXTURECUBEARRAY;
  cubes.TextureCubeArray = {0, 1, 0, 2};
  Com<ID3D10ShaderResourceView1> array;
  EXPECT(device->CreateShaderResourceView1(colour.get(), &cubes, array.put()) == S_OK);
  D3D10_SHADER_RESOURCE_VIEW_DESC old{};
  std::memcpy(&old, &cubes, sizeof old);
  Com<ID3D10ShaderResourceView> none;
  EXPECT(device->CreateShaderResourceView(colour.get(), &old, none.put()) == E_INVALIDARG);
  cubes.ViewDimension = static_cast<D3D10_SRV_DIMENSION1>(D3D11_SRV_DIMENSION_BUFFEREX);
  Com<ID3D10ShaderResourceView1> raw;
  EXPECT(device->CreateShaderResourceView1(colour.get(), &cubes, raw.put()) == E_INVALIDARG && !raw.get());
  EXPECT_CALLS("CreateDepthStencilView object", "CreateRenderTargetView kind 5 format 28 mip 0 slices 0+12",
               "CreateShaderResourceView kind 5 format 28");
}

TEST_CASE(blendStates10) {
  TestDevice10 device;
  D3D10_BLEND_DESC desc{};
  desc.SrcBlend = D3D10_BLEND_SRC_ALPHA;
  desc.DestBlend = D3D10_BLEND_INV_SRC_ALPHA;
  desc.BlendOp = D3D10_BLEND_OP_MAX;
  desc.SrcBlendAlpha = D3D10_BLEND_ONE;
  desc.DestBlendAlpha = D3D10_BLEND_ZERO;
  desc.BlendOpAlpha = D3D10_BLEND_OP_ADD;
  desc.BlendEnable[3] = TRUE;
  for (UINT8 i = 0; i < 8; ++i) desc.RenderTargetWriteMask[i] = i;
  Com<ID3D10BlendState> state;
  Com<ID3D10BlendState1> state1, same;
  EXPECT(device->CreateBlendState(&desc, state.put()) == S_OK && query(state.get(), state1) == S_OK);
  EXPECT_CALLS("CreateBlendState of 10.1 enable 0 0 source 2 object");
  // The function is that of the target that blends.
  D3D10_BLEND_DESC got{};
  state->GetDesc(&got);
  EXPECT(std::memcmp(&got, &desc, sizeof got) == 0);
  D3D10_BLEND_DESC1 got1{};
  state1->GetDesc1(&got1);
  EXPECT(got1.IndependentBlendEnable && got1.RenderTarget[3].BlendEnable && !got1.RenderTarget[4].BlendEnable &&
         got1.RenderTarget[3].BlendOp == D3D10_BLEND_OP_MAX && got1.RenderTarget[6].RenderTargetWriteMask == 6);
  EXPECT(device->CreateBlendState1(&got1, same.put()) == S_OK && same.get() == state1.get());
  EXPECT_CALLS();
  // Targets that are all alike are not independent.
  for (int i = 0; i < 8; ++i) {
    desc.BlendEnable[i] = FALSE;
    desc.RenderTargetWriteMask[i] = D3D10_COLOR_WRITE_ENABLE_ALL;
  }
  EXPECT(device->CreateBlendState(&desc, state.put()) == S_OK && query(state.get(), state1) == S_OK);
  state1->GetDesc1(&got1);
  EXPECT(!got1.IndependentBlendEnable);
}

TEST_CASE(otherStates10) {
  TestDevice10 device;
  D3D10_SAMPLER_DESC sampler{};
  sampler.Filter = D3D10_FILTER_MIN_MAG_MIP_LINEAR;
  sampler.AddressU = sampler.AddressV = sampler.AddressW = D3D10_TEXTURE_ADDRESS_WRAP;
  sampler.MaxLOD = 4;
  Com<ID3D10SamplerState> samplerState, again;
  EXPECT(device->CreateSamplerState(&sampler, samplerState.put()) == S_OK);
  EXPECT(device->CreateSamplerState(&sampler, again.put()) == S_OK && again.get() == samplerState.get());
  D3D10_SAMPLER_DESC got{};
  samplerState->GetDesc(&got);
  EXPECT(got.Filter == sampler.Filter && got.AddressW == sampler.AddressW && got.MaxLOD == 4);
  sampler.Filter = D3D10_FILTER_TEXT_1BIT;
  EXPECT(device->CreateSamplerState(&sampler, again.put()) == E_INVALIDARG && !again.get());
  D3D10_RASTERIZER_DESC rasterizer{};
  rasterizer.FillMode = D3D10_FILL_SOLID;
  rasterizer.CullMode = D3D10_CULL_FRONT;
  rasterizer.DepthBias = -3;
  Com<ID3D10RasterizerState> rasterizerState;
  EXPECT(device->CreateRasterizerState(&rasterizer, rasterizerState.put()) == S_OK);
  D3D10_RASTERIZER_DESC rasterizerGot{};
  rasterizerState->GetDesc(&rasterizerGot);
  EXPECT(rasterizerGot.FillMode == D3D10_FILL_SOLID && rasterizerGot.CullMode == D3D10_CULL_FRONT &&
         rasterizerGot.DepthBias == -3 && !rasterizerGot.DepthClipEnable);
  EXPECT(device->CreateDepthStencilState(nullptr, nullptr) == E_INVALIDARG);
  UINT support = 0;
  EXPECT(device->CheckFormatSupport(DXGI_FORMAT_R8G8B8A8_UNORM, &support) == S_OK);
  EXPECT((support & D3D10_FORMAT_SUPPORT_RENDER_TARGET) && support < 2 * UINT{D3D10_FORMAT_SUPPORT_BACK_BUFFER_CAST});
  UINT width = 1, height = 1;
  device->GetTextFilterSize(&width, &height);
  EXPECT(!width && !height);
  device->SetTextFilterSize(3, 5);
  device->GetTextFilterSize(&width, &height);
  EXPECT(width == 3 && height == 5);
}

TEST_CASE(bindings10) {
  TestDevice10 device;
  Com<ID3D10VertexShader> vs;
  Com<ID3D10PixelShader> ps;
  EXPECT(device->CreateVertexShader(vertexShader().data(), vertexShader().size() * 4, vs.put()) == S_OK);
  EXPECT(device->CreatePixelShader(pixelShader().data(), pixelShader().size() * 4, ps.put()) == S_OK);
  EXPECT(device->CreatePixelShader(vertexShader().data(), vertexShader().size() * 4, nullptr) == E_INVALIDARG);
  Com<ID3D10Buffer> constants, got;
  device->CreateBuffer(&kConstants, nullptr, constants.put());
  const D3D10_TEXTURE2D_DESC desc = textureOf10(D3D10_BIND_RENDER_TARGET | D3D10_BIND_SHADER_RESOURCE);
  Com<ID3D10Texture2D> texture;
  Com<ID3D10RenderTargetView> target, targetGot;
  Com<ID3D10ShaderResourceView> input, inputGot;
  device->CreateTexture2D(&desc, nullptr, texture.put());
  device->CreateRenderTargetView(texture.get(), nullptr, target.put());
  EXPECT(device->CreateShaderResourceView(texture.get(), nullptr, input.put()) == S_OK);
  calls();
  ID3D10Buffer *buffers[] = {constants.get(), nullptr, constants.get()};
  ID3D10ShaderResourceView *inputs[] = {input.get()};
  ID3D10RenderTargetView *targets[] = {target.get()};
  device->VSSetShader(vs.get());
  device->PSSetShader(ps.get());
  device->GSSetConstantBuffers(11, 3, buffers);
  device->PSSetShaderResources(127, 1, inputs);
  device->OMSetRenderTargets(1, targets, nullptr);  // unbinds the input
  EXPECT_CALLS("VsSetShader object", "PsSetShader object", "GsSetConstantBuffers 11 3", "PsSetShaderResources 127 1",
               "PsSetShaderResources 127 1", "SetRenderTargets 1 0");
  device->GSGetConstantBuffers(13, 1, got.put());
  EXPECT(got.get() == constants.get());
  device->GSGetConstantBuffers(12, 1, got.put());
  EXPECT(!got.get());
  device->PSGetShaderResources(127, 1, inputGot.put());
  EXPECT(!inputGot.get());
  device->OMGetRenderTargets(1, targetGot.put(), nullptr);
  EXPECT(targetGot.get() == target.get());
  Com<ID3D10PixelShader> shader;
  device->PSGetShader(shader.put());
  EXPECT(shader.get() == ps.get());
  // Lists for more slots than there are, and none.
  const std::vector<ID3D10ShaderResourceView *> many(300, input.get());
  device->PSSetShaderResources(0, 300, many.data());
  device->PSSetShaderResources(128, 1, inputs);
  device->OMSetRenderTargets(9, targets, nullptr);
  EXPECT_CALLS();
  D3D10_VIEWPORT viewports[2] = {{3, -4, 60, 50, 0.25f, 0.75f}, {0, 0, 8192, 1, 0, 1}};
  device->RSSetViewports(2, viewports);
  device->RSSetViewports(17, viewports);
  device->RSSetViewports(1, nullptr);
  EXPECT_CALLS("SetViewports 2 0 60x50");
  D3D10_VIEWPORT back[3];
  UINT count = 0;
  device->RSGetViewports(&count, nullptr);
  EXPECT(count == 2);
  count = 3;
  device->RSGetViewports(&count, back);
  for (int i = 0; i < 2; ++i)
    EXPECT(back[i].TopLeftX == viewports[i].TopLeftX && back[i].TopLeftY == viewports[i].TopLeftY &&
           back[i].Width == viewports[i].Width && back[i].Height == viewports[i].Height &&
           back[i].MinDepth == viewports[i].MinDepth && back[i].MaxDepth == viewports[i].MaxDepth);
  EXPECT(!back[2].Width);
  device->ClearState();
  EXPECT_CALLS("VsSetShader none", "GsSetConstantBuffers 0 14", "PsSetShader none", "SetRenderTargets 0 1 none",
               "SetViewports 0 2");
}

TEST_CASE(transfers10) {
  TestDevice10 device;
  Com<ID3D10Buffer> constants;
  device->CreateBuffer(&kConstants, nullptr, constants.put());
  D3D10_TEXTURE2D_DESC desc = textureOf10(D3D10_BIND_SHADER_RESOURCE);
  Com<ID3D10Texture2D> texture, staging;
  device->CreateTexture2D(&desc, nullptr, texture.put());
  desc.Usage = D3D10_USAGE_STAGING;
  desc.BindFlags = 0;
  desc.CPUAccessFlags = D3D10_CPU_ACCESS_READ;
  device->CreateTexture2D(&desc, nullptr, staging.put());
  calls();
  void *data = nullptr;
  EXPECT(constants->Map(D3D10_MAP_WRITE_DISCARD, 0, &data) == S_OK && data);
  EXPECT(constants->Map(D3D10_MAP_WRITE_DISCARD, 0, &data) == E_INVALIDARG);
  EXPECT(constants->Map(D3D10_MAP_WRITE_DISCARD, 0, nullptr) == E_INVALIDARG);
  constants->Unmap();
  const D3D10_BOX box = {8, 8, 0, 16, 24, 1};
  const std::vector<BYTE> bytes(64 * 64 * 4);
  device->UpdateSubresource(texture.get(), 0, &box, bytes.data(), 256, 0);
  device->CopySubresourceRegion(staging.get(), 0, 1, 2, 0, texture.get(), 0, &box);
  device->CopyResource(staging.get(), texture.get());
  device->CopyResource(staging.get(), nullptr);
  D3D10_MAPPED_TEXTURE2D mapped{};
  EXPECT(staging->Map(0, D3D10_MAP_READ, D3D10_MAP_FLAG_DO_NOT_WAIT, &mapped) == S_OK && mapped.RowPitch == 256);
  staging->Unmap(0);
  EXPECT(staging->Map(1, D3D10_MAP_READ, 0, &mapped) == E_INVALIDARG && !mapped.pData);
  EXPECT_CALLS("DynamicConstantBufferMapDiscard", "map 0 type 4 flags 0x0", "DynamicConstantBufferUnmap object 0",
               "ResourceUpdateSubresourceUP object 0 box 8,8,0-16,24,1 256 0",
               "ResourceCopyRegion object 0 1 2 0 object 0 box 8,8,0-16,24,1", "ResourceCopy object object",
               "StagingResourceMap", "map 0 type 1", "StagingResourceUnmap");
}

TEST_CASE(queries10) {
  TestDevice10 device;
  D3D10_QUERY_DESC desc = {D3D10_QUERY_OCCLUSION, 0}, got{};
  Com<ID3D10Query> query10, none;
  EXPECT(device->CreateQuery(&desc, query10.put()) == S_OK);
  query10->GetDesc(&got);
  EXPECT(got.Query == D3D10_QUERY_OCCLUSION && query10->GetDataSize() == 8);
  calls();
  UINT64 samples = 0;
  query10->Begin();
  query10->End();
  EXPECT(query10->GetData(&samples, sizeof samples, 0) == S_FALSE);
  EXPECT(query10->GetData(&samples, sizeof samples, 0) == S_OK && samples == 42);
  EXPECT_CALLS("QueryBegin object", "QueryEnd object", "QueryGetData size 8", "QueryGetData size 8");
  Com<ID3D11Query> eleven;
  EXPECT(query(query10.get(), eleven) == S_OK);
  // A predicate is a query too.
  desc.Query = D3D10_QUERY_OCCLUSION_PREDICATE;
  Com<ID3D10Predicate> predicate, predicateGot;
  EXPECT(query(query10.get(), predicate) == E_NOINTERFACE && !predicate.get());
  EXPECT(device->CreatePredicate(&desc, predicate.put()) == S_OK && query(predicate.get(), none) == S_OK);
  none.reset();
  device->SetPredication(predicate.get(), TRUE);
  WINBOOL value = FALSE;
  device->GetPredication(predicateGot.put(), &value);
  EXPECT(predicateGot.get() == predicate.get() && value);
  // A query of one stream is Direct3D 11's.
  desc.Query = static_cast<D3D10_QUERY>(D3D11_QUERY_SO_STATISTICS_STREAM0);
  EXPECT(device->CreateQuery(&desc, none.put()) == E_INVALIDARG);
}

TEST_CASE(swapChain10) {
  TestDevice10 device;
  const HWND window = makeWindow(80, 60);
  Com<IDXGIFactory1> factory;
  Com<IDXGISwapChain> chain;
  EXPECT(createFactory(factory.put()) == S_OK);
  DXGI_SWAP_CHAIN_DESC description = swapChainOf(window);
  EXPECT(factory->CreateSwapChain(device.device, &description, chain.put()) == S_OK);
  {
    Com<ID3D10Texture2D> buffer;
    Com<ID3D10RenderTargetView> view;
    Com<ID3D10Device> owner;
    Com<IDXGISurface> surface;
    EXPECT(chain->GetBuffer(0, __uuidof(ID3D10Texture2D), reinterpret_cast<void **>(buffer.put())) == S_OK);
    EXPECT(chain->GetDevice(__uuidof(ID3D10Device), reinterpret_cast<void **>(owner.put())) == S_OK &&
           owner.get() == device.device);
    EXPECT(query(buffer.get(), surface) == S_OK);
    EXPECT(device->CreateRenderTargetView(buffer.get(), nullptr, view.put()) == S_OK);
    EXPECT(chain->ResizeBuffers(0, 0, 0, DXGI_FORMAT_UNKNOWN, 0) == DXGI_ERROR_INVALID_CALL);
    calls();
    EXPECT(chain->Present(0, 0) == S_OK);
    EXPECT_CALLS("Present blt 1 flip 0 interval 0 surface 1 target 0");
  }
  EXPECT(chain->ResizeBuffers(0, 0, 0, DXGI_FORMAT_UNKNOWN, 0) == S_OK);
  chain.reset();
  factory.reset();
  DestroyWindow(window);
}

TEST_CASE(lostDevice10) {
  fake().misbehave("removed");
  TestDevice10 device;
  device->Draw(3, 0);
  EXPECT(device->GetDeviceRemovedReason() == DXGI_ERROR_DRIVER_INTERNAL_ERROR);
  calls();
  Com<ID3D10Buffer> none;
  EXPECT(device->CreateBuffer(&kConstants, nullptr, none.put()) == DXGI_ERROR_DEVICE_REMOVED && !none.get());
  EXPECT_CALLS();
}

TEST_CASE(failedCreations10) {
  fake().misbehave("no memory");
  TestDevice10 device;
  Com<ID3D10Buffer> none;
  EXPECT(device->CreateBuffer(&kConstants, nullptr, none.put()) == E_OUTOFMEMORY && !none.get());
  EXPECT_CALLS("CreateResource");
}

}  // namespace aerogpu::test
