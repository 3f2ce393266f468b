// SPDX-License-Identifier: MIT
// What the API answers itself: private data, predicates, and Direct3D 11.1's states of contexts.
#include <cstring>

#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

constexpr GUID kGuid = {0x5f1d2c10, 0x7a5b, 0x4f6e, {0x91, 0x02, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}};
constexpr UINT kPointerSize = sizeof(void *);

ULONG referencesOf(IUnknown *object) {
  object->AddRef();
  return object->Release();
}

template <class T, class From> void query(From *object, Com<T> &out) {
  EXPECT(object->QueryInterface(__uuidof(T), reinterpret_cast<void **>(out.put())) == S_OK);
}

}  // namespace

TEST_CASE(privateData) {
  TestDevice device;
  EXPECT(device->SetPrivateData(kGuid, 0, nullptr) == S_FALSE);
  // A null interface is kept, and comes back as a pointer.
  EXPECT(device->SetPrivateDataInterface(kGuid, nullptr) == S_OK);
  IUnknown *object = device.context;
  UINT size = 2 * kPointerSize;
  EXPECT(device->GetPrivateData(kGuid, &size, &object) == S_OK && !object && size == kPointerSize);
  const ULONG before = referencesOf(device.context);
  EXPECT(device->SetPrivateDataInterface(kGuid, device.context) == S_OK);
  EXPECT(device->SetPrivateDataInterface(kGuid, device.context) == S_OK);
  EXPECT(referencesOf(device.context) == before + 1);
  size = kPointerSize - 1;
  EXPECT(device->GetPrivateData(kGuid, &size, &object) == DXGI_ERROR_MORE_DATA && !object);
  EXPECT(device->GetPrivateData(kGuid, &size, &object) == S_OK && object == device.context);
  if (object) object->Release();
  EXPECT(device->SetPrivateDataInterface(kGuid, nullptr) == S_OK);
  EXPECT(referencesOf(device.context) == before);
  EXPECT(device->SetPrivateData(kGuid, 5, nullptr) == S_OK);
  EXPECT(device->SetPrivateData(kGuid, 5, nullptr) == S_FALSE);
  EXPECT(device->GetPrivateData(kGuid, &size, &object) == DXGI_ERROR_NOT_FOUND && size == 0);
}

TEST_CASE(predicates) {
  TestDevice device;
  ID3D11DeviceContext &context = *device.context;
  D3D11_QUERY_DESC desc = {D3D11_QUERY_OCCLUSION_PREDICATE, D3D11_QUERY_MISC_PREDICATEHINT};
  Com<ID3D11Query> query11;
  Com<ID3D11Predicate> predicate, same;
  EXPECT(device->CreateQuery(&desc, query11.put()) == S_OK && query11->GetDataSize() == sizeof(BOOL));
  query(query11.get(), same);
  EXPECT(device->CreatePredicate(&desc, predicate.put()) == S_OK);
  desc.Query = D3D11_QUERY_OCCLUSION;
  Com<ID3D11Predicate> none;
  EXPECT(device->CreatePredicate(&desc, none.put()) == E_INVALIDARG && !none.get());
  EXPECT(device->CreatePredicate(nullptr, none.put()) == E_INVALIDARG);
  // Hints are for predicates.
  EXPECT(device->CreateQuery(&desc, query11.put()) == E_INVALIDARG);
  desc.MiscFlags = 0;
  EXPECT(device->CreateQuery(&desc, query11.put()) == S_OK);
  EXPECT(query11->QueryInterface(__uuidof(ID3D11Predicate), reinterpret_cast<void **>(none.put())) == E_NOINTERFACE);
  desc.Query = D3D11_QUERY_TIMESTAMP_DISJOINT;
  EXPECT(device->CreateQuery(&desc, query11.put()) == S_OK && query11->GetDataSize() == 16);
  calls();
  context.Begin(predicate.get());
  context.End(predicate.get());
  context.SetPredication(predicate.get(), TRUE);
  EXPECT_CALLS("QueryBegin object", "QueryEnd object", "SetPredication object 1");
  Com<ID3D11Predicate> bound;
  BOOL value = FALSE;
  context.GetPredication(bound.put(), &value);
  EXPECT(bound.get() == predicate.get() && value);
  bound.reset();
  context.ClearState();
  EXPECT_CALLS("SetPredication none 0");
  context.GetPredication(bound.put(), &value);
  EXPECT(!bound.get() && !value);
  // A size of 0 asks only whether there is a result.
  UINT64 untouched = 5;
  EXPECT(context.GetData(predicate.get(), &untouched, 0, 0) == S_FALSE);
  EXPECT(context.GetData(predicate.get(), &untouched, 0, 0) == S_OK && untouched == 5);
  EXPECT(context.GetData(predicate.get(), nullptr, 4, 0) == E_INVALIDARG);
  calls();
}

TEST_CASE(contextStates) {
  TestDevice device;
  Com<ID3D11Device1> device1;
  Com<ID3D11DeviceContext1> context1;
  query(device.device, device1);
  query(device.context, context1);
  const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_1, D3D_FEATURE_LEVEL_10_0};
  D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_9_1;
  Com<ID3DDeviceContextState> state, first, none;
  EXPECT(device1->CreateDeviceContextState(0, levels, 2, D3D11_SDK_VERSION, __uuidof(ID3D11Device1), &level,
                                           state.put()) == S_OK);
  EXPECT(level == D3D_FEATURE_LEVEL_10_0);
  EXPECT(device1->CreateDeviceContextState(0, levels, 1, D3D11_SDK_VERSION, __uuidof(ID3D11Device1), &level,
                                           none.put()) == E_INVALIDARG);
  EXPECT(device1->CreateDeviceContextState(0, levels, 0, D3D11_SDK_VERSION, __uuidof(ID3D11Device1), nullptr,
                                           none.put()) == E_INVALIDARG);
  Com<ID3D11Buffer> constants;
  const D3D11_BUFFER_DESC desc = {32, D3D11_USAGE_DEFAULT, D3D11_BIND_CONSTANT_BUFFER, 0, 0, 0};
  EXPECT(device->CreateBuffer(&desc, nullptr, constants.put()) == S_OK);
  ID3D11Buffer *raw = constants.get();
  context1->PSSetConstantBuffers(2, 1, &raw);
  context1->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_LINELIST);
  // In the new state there is nothing; the old one comes back with all that it had.
  context1->SwapDeviceContextState(state.get(), first.put());
  EXPECT(first.get() && first.get() != state.get());
  Com<ID3D11Buffer> bound;
  D3D11_PRIMITIVE_TOPOLOGY topology = D3D11_PRIMITIVE_TOPOLOGY_LINELIST;
  context1->PSGetConstantBuffers(2, 1, bound.put());
  context1->IAGetPrimitiveTopology(&topology);
  EXPECT(!bound.get() && topology == D3D11_PRIMITIVE_TOPOLOGY_UNDEFINED);
  context1->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_POINTLIST);
  context1->SwapDeviceContextState(first.get(), none.put());
  EXPECT(none.get() == state.get());
  context1->PSGetConstantBuffers(2, 1, bound.put());
  context1->IAGetPrimitiveTopology(&topology);
  EXPECT(bound.get() == constants.get() && topology == D3D11_PRIMITIVE_TOPOLOGY_LINELIST);
  context1->SwapDeviceContextState(state.get(), nullptr);
  context1->IAGetPrimitiveTopology(&topology);
  EXPECT(topology == D3D11_PRIMITIVE_TOPOLOGY_POINTLIST);
  calls();
}

TEST_CASE(states11_1) {
  TestDevice device;
  Com<ID3D11Device1> device1;
  query(device.device, device1);
  D3D11_RASTERIZER_DESC1 rasterizer{};
  rasterizer.FillMode = D3D11_FILL_SOLID;
  rasterizer.CullMode = D3D11_CULL_NONE;
  Com<ID3D11RasterizerState1> state;
  Com<ID3D11RasterizerState> older;
  EXPECT(device1->CreateRasterizerState1(&rasterizer, state.put()) == S_OK);
  D3D11_RASTERIZER_DESC plain;
  std::memcpy(static_cast<void *>(&plain), &rasterizer, sizeof plain);
  // Equal descriptions are one object, whichever function made it.
  EXPECT(device->CreateRasterizerState(&plain, older.put()) == S_OK && older.get() == state.get());
  D3D11_RASTERIZER_DESC1 found{};
  found.ForcedSampleCount = 7;
  state->GetDesc1(&found);
  EXPECT(found.CullMode == D3D11_CULL_NONE && found.ForcedSampleCount == 0);
  Com<ID3D11RasterizerState1> none;
  rasterizer.ForcedSampleCount = 1;
  EXPECT(device1->CreateRasterizerState1(&rasterizer, none.put()) == E_INVALIDARG && !none.get());
  D3D11_BLEND_DESC1 blend{};
  blend.RenderTarget[0].RenderTargetWriteMask = D3D11_COLOR_WRITE_ENABLE_RED;
  Com<ID3D11BlendState1> mixed, refused;
  EXPECT(device1->CreateBlendState1(&blend, mixed.put()) == S_OK);
  D3D11_BLEND_DESC1 back{};
  mixed->GetDesc1(&back);
  EXPECT(back.RenderTarget[3].RenderTargetWriteMask == D3D11_COLOR_WRITE_ENABLE_RED &&
         !back.RenderTarget[0].LogicOpEnable && back.RenderTarget[0].LogicOp == D3D11_LOGIC_OP_NOOP);
  blend.RenderTarget[0].LogicOpEnable = TRUE;
  EXPECT(device1->CreateBlendState1(&blend, refused.put()) == E_INVALIDARG && !refused.get());
  calls();
}

TEST_CASE(features11_1) {
  TestDevice device;
  D3D11_FEATURE_DATA_D3D11_OPTIONS options;
  std::memset(static_cast<void *>(&options), 1, sizeof options);
  EXPECT(device->CheckFeatureSupport(D3D11_FEATURE_D3D11_OPTIONS, &options, sizeof options) == S_OK);
  EXPECT(!options.OutputMergerLogicOp && !options.ConstantBufferOffsetting && !options.ExtendedResourceSharing);
  EXPECT(device->CheckFeatureSupport(D3D11_FEATURE_D3D11_OPTIONS, &options, sizeof options - 1) == E_INVALIDARG);
  D3D11_FEATURE_DATA_ARCHITECTURE_INFO architecture{TRUE};
  EXPECT(device->CheckFeatureSupport(D3D11_FEATURE_ARCHITECTURE_INFO, &architecture, sizeof architecture) == S_OK);
  EXPECT(!architecture.TileBasedDeferredRenderer);
  Com<ID3D10Multithread> lock;
  query(device.device, lock);
  EXPECT(!lock->SetMultithreadProtected(5) && lock->GetMultithreadProtected() == TRUE);
  lock->Enter();
  device.context->Draw(1, 0);  // the same thread goes on
  lock->Leave();
  EXPECT_CALLS("Draw 1 0");
}

}  // namespace aerogpu::test
