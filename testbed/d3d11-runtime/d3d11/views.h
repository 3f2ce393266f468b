// SPDX-License-Identifier: MIT
// Views of resources. A view holds its resource with a reference of the runtime's.
#pragma once

#include "testbed/d3d11-runtime/d3d11/resources.h"
#include "testbed/d3d11-runtime/driver/object.h"

namespace aerogpu::runtime11 {

/// The subresources that a view shows, to find views that conflict.
struct ViewRange {
  UINT firstLevel = 0, levels = 1, firstSlice = 0, slices = 1;
  bool overlaps(const ViewRange &other) const {
    return firstLevel < other.firstLevel + other.levels && other.firstLevel < firstLevel + levels &&
           firstSlice < other.firstSlice + other.slices && other.firstSlice < firstSlice + slices;
  }
};

template <class Interface, class Description, class DriverView> class View : public Child<Interface, ID3D11View> {
public:
  View(Core &core, Resource &resource, const Description &description)
      : Child<Interface, ID3D11View>(core), m_resource(&resource), m_description(description), m_driver(core.driver) {}
  void STDMETHODCALLTYPE GetResource(ID3D11Resource **out) override {
    if (!out) return;
    *out = m_resource->api();
    (*out)->AddRef();
  }
  void STDMETHODCALLTYPE GetDesc(Description *out) override {
    if (out) *out = m_description;
  }
  Resource &resource() const { return *m_resource.get(); }
  const Description &description() const { return m_description; }
  DriverView &driver() { return m_driver; }
  ViewRange range;
  bool conflictsWith(const Resource &other, const ViewRange &otherRange) const {
    return m_resource.get() == &other && range.overlaps(otherRange);
  }

private:
  Ref<Resource> m_resource;
  const Description m_description;
  DriverView m_driver;  // ends before the resource
};

using RenderTargetView = View<ID3D11RenderTargetView, D3D11_RENDER_TARGET_VIEW_DESC, DriverRenderTargetView>;
using DepthStencilView = View<ID3D11DepthStencilView, D3D11_DEPTH_STENCIL_VIEW_DESC, DriverDepthStencilView>;
using ShaderResourceView = View<ID3D11ShaderResourceView, D3D11_SHADER_RESOURCE_VIEW_DESC, DriverShaderResourceView>;

HRESULT createView(Core &core, ID3D11Resource *resource, const D3D11_RENDER_TARGET_VIEW_DESC *description,
                   ID3D11RenderTargetView **out);
HRESULT createView(Core &core, ID3D11Resource *resource, const D3D11_DEPTH_STENCIL_VIEW_DESC *description,
                   ID3D11DepthStencilView **out);
HRESULT createView(Core &core, ID3D11Resource *resource, const D3D11_SHADER_RESOURCE_VIEW_DESC *description,
                   ID3D11ShaderResourceView **out);

}  // namespace aerogpu::runtime11
