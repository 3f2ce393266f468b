// SPDX-License-Identifier: MIT
// Draws, clears, queries, and the command list.
#include "testbed/d3d11-runtime/deferred/deferred_context.h"

#include <new>

namespace aerogpu::runtime11 {

using Api = ID3D11DeviceContext;

namespace {

class RecordedList final : public CommandList {
public:
  RecordedList(Core &core, Commands commands) : CommandList(core), m_commands(std::move(commands)) {}
  void play(ID3D11DeviceContext &context) override {
    for (const auto &command : m_commands) command(context);
  }

private:
  const Commands m_commands;
};

}  // namespace

HRESULT makeDeferredContext(Core &core, ID3D11DeviceContext1 **out) {
  const Lock lock(core.lock);
  const Ref<DeferredContext> context(new (std::nothrow) DeferredContext(core));
  if (!context) return E_OUTOFMEMORY;
  *out = context.get();
  (*out)->AddRef();
  return S_OK;
}

void DeferredContext::Draw(UINT count, UINT start) {
  const Lock lock(core().lock);
  record<&Api::Draw>(count, start);
}

void DeferredContext::DrawIndexed(UINT count, UINT start, INT base) {
  const Lock lock(core().lock);
  record<&Api::DrawIndexed>(count, start, base);
}

void DeferredContext::DrawAuto() {
  const Lock lock(core().lock);
  record<&Api::DrawAuto>();
}

void DeferredContext::DrawInstanced(UINT vertices, UINT instances, UINT start, UINT firstInstance) {
  const Lock lock(core().lock);
  record<&Api::DrawInstanced>(vertices, instances, start, firstInstance);
}

void DeferredContext::DrawIndexedInstanced(UINT indices, UINT instances, UINT start, INT base, UINT firstInstance) {
  const Lock lock(core().lock);
  record<&Api::DrawIndexedInstanced>(indices, instances, start, base, firstInstance);
}

void DeferredContext::ClearRenderTargetView(ID3D11RenderTargetView *view, const FLOAT color[4]) {
  const Lock lock(core().lock);
  if (view && color) record<&Api::ClearRenderTargetView>(Held(view), copyOf(color, 4));
}

void DeferredContext::ClearDepthStencilView(ID3D11DepthStencilView *view, UINT flags, FLOAT depth, UINT8 stencil) {
  const Lock lock(core().lock);
  record<&Api::ClearDepthStencilView>(Held(view), flags, depth, stencil);
}

void DeferredContext::GenerateMips(ID3D11ShaderResourceView *view) {
  const Lock lock(core().lock);
  record<&Api::GenerateMips>(Held(view));
}

void DeferredContext::Begin(ID3D11Asynchronous *query) {
  const Lock lock(core().lock);
  if (!query) return;
  const Held held(query);
  std::erase(m_begun, held);
  m_begun.push_back(held);
  record<&Api::Begin>(held);
}

void DeferredContext::End(ID3D11Asynchronous *query) {
  const Lock lock(core().lock);
  if (!query) return;
  const Held held(query);
  std::erase(m_begun, held);
  record<&Api::End>(held);
}

/// A deferred context has no results (6.3.2 "Fire and Forget Model, No Feedback").
HRESULT DeferredContext::GetData(ID3D11Asynchronous *, void *, UINT, UINT) {
  return DXGI_ERROR_INVALID_CALL;
}

void DeferredContext::Flush() {}

void DeferredContext::ExecuteCommandList(ID3D11CommandList *list, WINBOOL restore) {
  const Lock lock(core().lock);
  if (!list) return;
  record<&Api::ExecuteCommandList>(Held(list), restore);
  if (restore) return;
  m_isClearing = true;
  Context::ClearState();
  m_isClearing = false;
}

HRESULT DeferredContext::FinishCommandList(WINBOOL restore, ID3D11CommandList **out) {
  const Lock lock(core().lock);
  if (out) *out = nullptr;
  if (core().driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  for (const auto &mapping : m_mappings)
    if (mapping->isMapped) runtime::logLine("FinishCommandList: a resource is mapped, and its bytes are lost");
  m_mappings.clear();
  // Queries that have begun end here (6.3.6 "Query Interactions").
  for (const auto &query : std::exchange(m_begun, {})) record<&Api::End>(query);
  const BoundState before = *this;
  ClearState();
  const Ref<RecordedList> list(new (std::nothrow) RecordedList(core(), std::exchange(m_commands, {})));
  if (restore) bind(before);
  if (!list) return E_OUTOFMEMORY;
  if (!out) return S_OK;
  *out = list.get();
  (*out)->AddRef();
  return S_OK;
}

}  // namespace aerogpu::runtime11
