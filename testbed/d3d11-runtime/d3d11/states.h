// SPDX-License-Identifier: MIT
// State objects: one object for equal descriptions, as the API promises. They never change.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/d3d11/child.h"
#include "testbed/d3d11-runtime/driver/object.h"

namespace aerogpu::runtime11 {

template <class Interface, class Description, class DriverState> class State final : public Child<Interface> {
public:
  using Api = Interface;
  using Desc = Description;
  State(Core &core, std::vector<State *> &all, const Description &description)
      : Child<Interface>(core), m_all(all), m_description(description), m_driver(core.driver) {
    m_all.push_back(this);
  }
  ~State() override { std::erase(m_all, this); }
  void STDMETHODCALLTYPE GetDesc(Description *out) override {
    if (out) *out = m_description;
  }
  const Description &description() const { return m_description; }
  DriverState &driver() { return m_driver; }

private:
  std::vector<State *> &m_all;
  const Description m_description;
  DriverState m_driver;
};

using BlendState = State<ID3D11BlendState, D3D11_BLEND_DESC, DriverBlendState>;
using DepthStencilState = State<ID3D11DepthStencilState, D3D11_DEPTH_STENCIL_DESC, DriverDepthStencilState>;
using RasterizerState = State<ID3D11RasterizerState, D3D11_RASTERIZER_DESC, DriverRasterizerState>;
using SamplerState = State<ID3D11SamplerState, D3D11_SAMPLER_DESC, DriverSampler>;

/// A device's live state objects.
struct StateSets {
  std::vector<BlendState *> blend;
  std::vector<DepthStencilState *> depthStencil;
  std::vector<RasterizerState *> rasterizer;
  std::vector<SamplerState *> samplers;
};

HRESULT createState(Core &core, StateSets &sets, const D3D11_BLEND_DESC *description, ID3D11BlendState **out);
HRESULT createState(Core &core, StateSets &sets, const D3D11_DEPTH_STENCIL_DESC *description,
                    ID3D11DepthStencilState **out);
HRESULT createState(Core &core, StateSets &sets, const D3D11_RASTERIZER_DESC *description, ID3D11RasterizerState **out);
HRESULT createState(Core &core, StateSets &sets, const D3D11_SAMPLER_DESC *description, ID3D11SamplerState **out);

}  // namespace aerogpu::runtime11
