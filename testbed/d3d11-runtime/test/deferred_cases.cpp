// SPDX-License-Identifier: MIT
// Deferred contexts: nothing reaches the driver before a list is played, and then all of it does, in order.
#include <cstring>

#include "testbed/d3d11-runtime/test/harness.h"

namespace aerogpu::test {
namespace {

/// A device with a deferred context.
struct Deferred : TestDevice {
  Deferred() { EXPECT(device->CreateDeferredContext(0, deferred.put()) == S_OK); }
  /// Ends the list; the record is empty afterwards.
  void finish(Com<ID3D11CommandList> &list, bool restore = false) const {
    EXPECT(deferred->FinishCommandList(restore, list.put()) == S_OK);
    EXPECT_CALLS();
  }
  Com<ID3D11DeviceContext> deferred;
};

void makeBuffer(const TestDevice &device, Com<ID3D11Buffer> &out, UINT bind, D3D11_USAGE usage = D3D11_USAGE_DYNAMIC) {
  const D3D11_BUFFER_DESC description = {
      64, usage, bind, usage == D3D11_USAGE_DYNAMIC ? UINT{D3D11_CPU_ACCESS_WRITE} : 0, 0, 0};
  EXPECT(device->CreateBuffer(&description, nullptr, out.put()) == S_OK);
  calls();
}

}  // namespace

TEST_CASE(recordedLists) {
  Deferred device;
  EXPECT(device.deferred->GetType() == D3D11_DEVICE_CONTEXT_DEFERRED);
  EXPECT(device.context->GetType() == D3D11_DEVICE_CONTEXT_IMMEDIATE);
  Com<ID3D11PixelShader> shader;
  EXPECT(device->CreatePixelShader(pixelShader().data(), pixelShader().size() * 4, nullptr, shader.put()) == S_OK);
  calls();
  ID3D11DeviceContext &deferred = *device.deferred.get();
  const D3D11_VIEWPORT viewport = {0, 0, 8, 4, 0, 1};
  deferred.IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  deferred.PSSetShader(shader.get(), nullptr, 0);
  deferred.RSSetViewports(1, &viewport);
  deferred.Draw(3, 1);
  Com<ID3D11PixelShader> bound;
  deferred.PSGetShader(bound.put(), nullptr, nullptr);
  EXPECT(bound.get() == shader.get());
  bound.reset();
  Com<ID3D11CommandList> list;
  device.finish(list);
  // The context has nothing bound again, and the list keeps what it needs.
  deferred.PSGetShader(bound.put(), nullptr, nullptr);
  EXPECT(!bound.get());
  shader.reset();
  EXPECT_CALLS();
  for (int i = 0; i < 2; ++i) {
    device.context->ExecuteCommandList(list.get(), FALSE);
    EXPECT_CALLS("IaSetTopology 4", "PsSetShader object", "SetViewports 1 0 8x4", "Draw 3 1", "PsSetShader none",
                 "IaSetTopology 0", "SetViewports 0 1");
  }
  list.reset();
  EXPECT_CALLS("DestroyShader object");
}

TEST_CASE(restoredState) {
  Deferred device;
  const D3D11_VIEWPORT viewport = {0, 0, 8, 4, 0, 1};
  device.deferred->RSSetViewports(1, &viewport);
  Com<ID3D11CommandList> first, second;
  device.finish(first, true);
  device.deferred->Draw(1, 0);
  device.finish(second);
  Com<ID3D11Buffer> indices;
  makeBuffer(device, indices, D3D11_BIND_INDEX_BUFFER);
  device.context->IASetIndexBuffer(indices.get(), DXGI_FORMAT_R16_UINT, 4);
  calls();
  device.context->ExecuteCommandList(second.get(), TRUE);
  // The second list began with what the first context had; afterwards the immediate context has its own.
  const std::vector<std::string> lines = calls();
  const auto at = [&lines](const char *start) {
    for (size_t i = 0; i < lines.size(); ++i)
      if (lines[i].rfind(start, 0) == 0) return i;
    return lines.size();
  };
  EXPECT(at("IaSetIndexBuffer none") < at("SetViewports 1 0 8x4"));
  EXPECT(at("SetViewports 1 0 8x4") < at("Draw 1 0"));
  EXPECT(at("Draw 1 0") < at("SetViewports 0 1"));
  EXPECT(at("SetViewports 0 1") < at("IaSetIndexBuffer object 57 4"));
  EXPECT(at("IaSetIndexBuffer object 57 4") < lines.size());
  Com<ID3D11Buffer> bound;
  UINT offset = 0;
  DXGI_FORMAT format{};
  device.context->IAGetIndexBuffer(bound.put(), &format, &offset);
  EXPECT(bound.get() == indices.get() && format == DXGI_FORMAT_R16_UINT && offset == 4);
}

TEST_CASE(nestedLists) {
  Deferred device;
  Com<ID3D11CommandList> inner, outer;
  device.deferred->Draw(1, 0);
  device.finish(inner);
  device.deferred->IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_POINTLIST);
  device.deferred->ExecuteCommandList(inner.get(), FALSE);
  D3D11_PRIMITIVE_TOPOLOGY topology{};
  device.deferred->IAGetPrimitiveTopology(&topology);
  EXPECT(topology == D3D11_PRIMITIVE_TOPOLOGY_UNDEFINED);
  device.deferred->Draw(2, 0);
  device.finish(outer);
  inner.reset();
  device.context->ExecuteCommandList(outer.get(), FALSE);
  EXPECT_CALLS("IaSetTopology 1", "IaSetTopology 0", "Draw 1 0", "Draw 2 0");
}

TEST_CASE(deferredMaps) {
  Deferred device;
  Com<ID3D11Buffer> vertices, constants;
  makeBuffer(device, vertices, D3D11_BIND_VERTEX_BUFFER);
  makeBuffer(device, constants, D3D11_BIND_CONSTANT_BUFFER);
  ID3D11DeviceContext &deferred = *device.deferred.get();
  D3D11_MAPPED_SUBRESOURCE mapped{};
  EXPECT(deferred.Map(vertices.get(), 0, D3D11_MAP_WRITE_NO_OVERWRITE, 0, &mapped) ==
         D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD);
  EXPECT(deferred.Map(vertices.get(), 0, D3D11_MAP_READ, 0, &mapped) == E_INVALIDARG);
  EXPECT(deferred.Map(vertices.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == S_OK && mapped.pData);
  EXPECT(deferred.Map(vertices.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == E_INVALIDARG);  // mapped
  deferred.Unmap(vertices.get(), 0);
  deferred.Draw(1, 0);
  EXPECT(deferred.Map(vertices.get(), 0, D3D11_MAP_WRITE_NO_OVERWRITE, 0, &mapped) == S_OK);
  std::memset(static_cast<BYTE *>(mapped.pData) + 16, 1, 16);
  deferred.Unmap(vertices.get(), 0);
  deferred.Draw(2, 0);
  EXPECT(deferred.Map(constants.get(), 0, D3D11_MAP_WRITE_NO_OVERWRITE, 0, &mapped) == E_INVALIDARG);
  EXPECT(deferred.Map(constants.get(), 0, D3D11_MAP_WRITE_DISCARD, 0, &mapped) == S_OK);
  deferred.Unmap(constants.get(), 0);
  Com<ID3D11CommandList> list;
  device.finish(list);
  device.context->ExecuteCommandList(list.get(), FALSE);
  EXPECT_CALLS("DynamicIABufferMapDiscard", "map 0 type 4", "DynamicIABufferUnmap", "Draw 1 0",
               "DynamicIABufferMapNoOverwrite", "map 0 type 5", "DynamicIABufferUnmap", "Draw 2 0",
               "DynamicConstantBufferMapDiscard", "map 0 type 4", "DynamicConstantBufferUnmap");
  // The next list begins with a discard again.
  EXPECT(deferred.Map(vertices.get(), 0, D3D11_MAP_WRITE_NO_OVERWRITE, 0, &mapped) ==
         D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD);
}

TEST_CASE(deferredUpdates) {
  Deferred device;
  Com<ID3D11Buffer> buffer;
  makeBuffer(device, buffer, D3D11_BIND_VERTEX_BUFFER, D3D11_USAGE_DEFAULT);
  std::vector<BYTE> bytes(64);
  const D3D11_BOX box = {8, 0, 0, 24, 1, 1}, beyond = {60, 0, 0, 70, 1, 1};
  device.deferred->UpdateSubresource(buffer.get(), 0, nullptr, bytes.data(), 0, 0);
  device.deferred->UpdateSubresource(buffer.get(), 0, &box, bytes.data(), 0, 0);
  device.deferred->UpdateSubresource(buffer.get(), 0, &beyond, bytes.data(), 0, 0);
  Com<ID3D11CommandList> list;
  device.finish(list);
  device.context->ExecuteCommandList(list.get(), FALSE);
  EXPECT_CALLS("ResourceUpdateSubresourceUP object 0 0 0", "ResourceUpdateSubresourceUP object 0 box 8,0,0-24,1,1 0 0");
}

TEST_CASE(deferredQueries) {
  Deferred device;
  const D3D11_QUERY_DESC occlusion = {D3D11_QUERY_OCCLUSION, 0};
  Com<ID3D11Query> query;
  EXPECT(device->CreateQuery(&occlusion, query.put()) == S_OK);
  calls();
  UINT64 samples = 0;
  device.deferred->Begin(query.get());
  device.deferred->Draw(3, 0);
  EXPECT(device.deferred->GetData(query.get(), &samples, sizeof samples, 0) == DXGI_ERROR_INVALID_CALL);
  Com<ID3D11CommandList> list;
  device.finish(list);  // ends the query too
  device.context->ExecuteCommandList(list.get(), FALSE);
  EXPECT_CALLS("QueryBegin object", "Draw 3 0", "QueryEnd object");
}

TEST_CASE(deferredPredication) {
  Deferred device;
  const D3D11_QUERY_DESC description = {D3D11_QUERY_OCCLUSION_PREDICATE, 0};
  Com<ID3D11Predicate> predicate;
  EXPECT(device->CreatePredicate(&description, predicate.put()) == S_OK);
  calls();
  device.deferred->SetPredication(predicate.get(), TRUE);
  device.deferred->Draw(3, 0);
  EXPECT_CALLS();
  Com<ID3D11CommandList> list;
  device.finish(list);
  device.context->ExecuteCommandList(list.get(), FALSE);
  EXPECT_CALLS("SetPredication object 1", "Draw 3 0", "SetPredication none 0");
}

TEST_CASE(deferredRefusals) {
  Deferred device;
  Com<ID3D11CommandList> list;
  EXPECT(device.context->FinishCommandList(FALSE, list.put()) == DXGI_ERROR_INVALID_CALL && !list.get());
  device.context->ExecuteCommandList(nullptr, FALSE);
  Com<ID3D11DeviceContext> other;
  EXPECT(device->CreateDeferredContext(1, other.put()) == E_INVALIDARG && !other.get());
  EXPECT_CALLS();
}

TEST_CASE(noDeferredContextForOneThread) {
  const D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_11_0;
  ID3D11Device *device = nullptr;
  EXPECT(createDevice(&level, 1, D3D11_CREATE_DEVICE_SINGLETHREADED, &device, nullptr) == S_OK);
  if (!device) return;
  Com<ID3D11DeviceContext> context;
  EXPECT(device->CreateDeferredContext(0, context.put()) == DXGI_ERROR_INVALID_CALL);
  device->Release();
}

}  // namespace aerogpu::test
