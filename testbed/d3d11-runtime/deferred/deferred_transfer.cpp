// SPDX-License-Identifier: MIT
// Maps, updates and copies. Bytes are copied when they are recorded; whether the API allows a copy is found out when it
// is played.
#include <algorithm>
#include <cstring>

#include "testbed/d3d11-runtime/deferred/deferred_context.h"
#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {

using Api = ID3D11DeviceContext;

namespace {

/// Writes rows of `bytes` into a dynamic subresource, from byte `offset` of the first row on.
void writeRows(ID3D11DeviceContext &context, ID3D11Resource *resource, UINT subresource, D3D11_MAP type, UINT offset,
               UINT rowBytes, const std::vector<BYTE> &bytes) {
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (FAILED(context.Map(resource, subresource, type, 0, &mapped))) return;
  auto *to = static_cast<BYTE *>(mapped.pData) + offset;
  for (size_t at = 0; at < bytes.size(); at += rowBytes, to += mapped.RowPitch)
    std::memcpy(to, bytes.data() + at, std::min<size_t>(rowBytes, bytes.size() - at));
  context.Unmap(resource, subresource);
}

}  // namespace

DeferredContext::Mapping *DeferredContext::find(ID3D11Resource *resource, UINT subresource) const {
  const Held held(resource);
  for (const auto &mapping : m_mappings)
    if (mapping->resource == held && mapping->subresource == subresource) return mapping.get();
  return nullptr;
}

/// Only what writes: first a discard in each list (6.3.8 "Allow Map Write on Resources with Restriction"; API page
/// ID3D11DeviceContext::Map).
HRESULT DeferredContext::Map(ID3D11Resource *api, UINT subresource, D3D11_MAP type, UINT flags,
                             D3D11_MAPPED_SUBRESOURCE *out) {
  const Lock lock(core().lock);
  if (out) out->pData = nullptr;  // and the pitches stay
  Resource *resource = resourceOf(api);
  if (!resource || !out || flags || subresource >= resource->driver().subresources() ||
      (type != D3D11_MAP_WRITE_DISCARD && type != D3D11_MAP_WRITE_NO_OVERWRITE))
    return E_INVALIDARG;
  const ResourceDescription &d = resource->description();
  if (!isMappable(d, type)) return E_INVALIDARG;
  Mapping *mapping = find(api, subresource);
  if (mapping && mapping->isMapped) return E_INVALIDARG;
  if (!mapping) {
    if (type == D3D11_MAP_WRITE_NO_OVERWRITE) return D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD;
    UINT rowBytes = d.width, rows = 1;
    if (d.dimension != D3D11_RESOURCE_DIMENSION_BUFFER) {
      const FormatInfo format = formatInfo(d.format);
      const UINT level = subresource % d.levels;
      rowBytes = blocksOf(format, levelSize(d.width, level)) * format.blockBytes;
      rows = blocksOf(format, levelSize(d.height, level));
    }
    m_mappings.push_back(std::make_unique<Mapping>(Mapping{Held(api), subresource, rowBytes, rows}));
    mapping = m_mappings.back().get();
  }
  // What a discard leaves is anything.
  if (type == D3D11_MAP_WRITE_DISCARD) mapping->bytes.assign(size_t{mapping->rowBytes} * mapping->rows, kPoison);
  mapping->type = type;
  mapping->isMapped = true;
  *out = {mapping->bytes.data(), mapping->rowBytes, mapping->rowBytes * mapping->rows};
  return S_OK;
}

void DeferredContext::Unmap(ID3D11Resource *api, UINT subresource) {
  const Lock lock(core().lock);
  Mapping *mapping = api ? find(api, subresource) : nullptr;
  if (!mapping || !mapping->isMapped) return;
  mapping->isMapped = false;
  const std::vector<BYTE> &now = mapping->bytes;
  size_t begin = 0, end = now.size();
  if (mapping->type == D3D11_MAP_WRITE_NO_OVERWRITE) {
    // The bytes that changed; others may be in use then.
    const std::vector<BYTE> &before = mapping->sent;
    while (begin < end && now[begin] == before[begin]) ++begin;
    while (end > begin && now[end - 1] == before[end - 1]) --end;
    if (begin == end) return;
  }
  std::vector<BYTE> part(now.begin() + static_cast<ptrdiff_t>(begin), now.begin() + static_cast<ptrdiff_t>(end));
  m_commands.emplace_back([held = mapping->resource, subresource, type = mapping->type,
                           offset = static_cast<UINT>(begin), rowBytes = mapping->rowBytes,
                           bytes = std::move(part)](ID3D11DeviceContext &context) {
    writeRows(context, held.get(), subresource, type, offset, rowBytes, bytes);
  });
  mapping->sent = now;
}

void DeferredContext::UpdateSubresource(ID3D11Resource *api, UINT subresource, const D3D11_BOX *box, const void *data,
                                        UINT rowPitch, UINT depthPitch) {
  const Lock lock(core().lock);
  Resource *resource = resourceOf(api);
  if (!resource || !data || subresource >= resource->driver().subresources()) return;
  if (box && (box->left >= box->right || box->top >= box->bottom || box->front >= box->back)) return;
  const ResourceDescription &d = resource->description();
  const UINT level = subresource % d.levels;
  if (box && (box->right > levelSize(d.width, level) || box->bottom > levelSize(d.height, level) || box->back > 1)) {
    runtime::logLine("UpdateSubresource: refused");
    return;
  }
  const auto *first = static_cast<const BYTE *>(data);
  if (box) {
    // Where the runtime records the list itself it reads from the box' place in the data (API page
    // ID3D11DeviceContext::UpdateSubresource, "Calling UpdateSubresource on a Deferred Context"). Programs know.
    const bool buffer = d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER;
    const FormatInfo format = buffer ? FormatInfo{1, 1, 0, 0} : formatInfo(d.format);
    first += size_t{box->front} * depthPitch + size_t{box->top / format.blockSize} * rowPitch +
             size_t{box->left / format.blockSize} * format.blockBytes;
  }
  const auto size = static_cast<UINT>(resource->driver().updateBytes(subresource, box, rowPitch, depthPitch));
  record<&Api::UpdateSubresource>(Held(api), subresource, copyOf(box, 1), copyOf(first, size), rowPitch, depthPitch);
}

void DeferredContext::CopyResource(ID3D11Resource *to, ID3D11Resource *from) {
  const Lock lock(core().lock);
  record<&Api::CopyResource>(Held(to), Held(from));
}

void DeferredContext::CopySubresourceRegion(ID3D11Resource *to, UINT toSubresource, UINT x, UINT y, UINT z,
                                            ID3D11Resource *from, UINT fromSubresource, const D3D11_BOX *box) {
  const Lock lock(core().lock);
  record<&Api::CopySubresourceRegion>(Held(to), toSubresource, x, y, z, Held(from), fromSubresource, copyOf(box, 1));
}

void DeferredContext::ResolveSubresource(ID3D11Resource *to, UINT toSubresource, ID3D11Resource *from,
                                         UINT fromSubresource, DXGI_FORMAT format) {
  const Lock lock(core().lock);
  record<&Api::ResolveSubresource>(Held(to), toSubresource, Held(from), fromSubresource, format);
}

}  // namespace aerogpu::runtime11
