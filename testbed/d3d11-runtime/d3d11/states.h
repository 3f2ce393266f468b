// SPDX-License-Identifier: MIT
// State objects: one object for equal descriptions, as the API promises. They never change.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/d3d11/child.h"
#include "testbed/d3d11-runtime/driver/object.h"

namespace aerogpu::runtime11 {

/// `Self`: the class; `ApiInterface`: the interface of Direct3D 11.0; `Bases`: it, where `Interface` derives from it.
template <class Self, class Interface, class ApiInterface, class Description, class DriverState, class... Bases>
class State : public Child<Interface, Bases...> {
public:
  using Api = ApiInterface;
  using Desc = Description;
  State(Core &core, std::vector<Self *> &all, const Description &description)
      : Child<Interface, Bases...>(core), m_all(all), m_description(description), m_driver(core.driver) {
    m_all.push_back(static_cast<Self *>(this));
  }
  ~State() override { std::erase(m_all, static_cast<Self *>(this)); }
  void STDMETHODCALLTYPE GetDesc(Description *out) override {
    if (out) *out = m_description;
  }
  const Description &description() const { return m_description; }
  DriverState &driver() { return m_driver; }

private:
  std::vector<Self *> &m_all;
  const Description m_description;
  DriverState m_driver;
};

class BlendState final : public State<BlendState, ID3D11BlendState1, ID3D11BlendState, D3D11_BLEND_DESC,
                                      DriverBlendState, ID3D11BlendState> {
public:
  using State::State;
  void STDMETHODCALLTYPE GetDesc1(D3D11_BLEND_DESC1 *out) override;
};

class RasterizerState final : public State<RasterizerState, ID3D11RasterizerState1, ID3D11RasterizerState,
                                           D3D11_RASTERIZER_DESC, DriverRasterizerState, ID3D11RasterizerState> {
public:
  using State::State;
  void STDMETHODCALLTYPE GetDesc1(D3D11_RASTERIZER_DESC1 *out) override;
};

class DepthStencilState final : public State<DepthStencilState, ID3D11DepthStencilState, ID3D11DepthStencilState,
                                             D3D11_DEPTH_STENCIL_DESC, DriverDepthStencilState> {
public:
  using State::State;
};

class SamplerState final
    : public State<SamplerState, ID3D11SamplerState, ID3D11SamplerState, D3D11_SAMPLER_DESC, DriverSampler> {
public:
  using State::State;
};

/// What is bound while the program binds none: the API's defaults, as objects of the driver's.
struct DefaultStates {
  Ref<BlendState> blend;
  Ref<DepthStencilState> depthStencil;
  Ref<RasterizerState> rasterizer;
};

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
/// Those of Direct3D 11.1: refused if they say more than Direct3D 11.0's, which takes a driver of WDDM 1.2.
HRESULT createState(Core &core, StateSets &sets, const D3D11_BLEND_DESC1 *description, ID3D11BlendState1 **out);
HRESULT createState(Core &core, StateSets &sets, const D3D11_RASTERIZER_DESC1 *description,
                    ID3D11RasterizerState1 **out);

HRESULT createDefaultStates(Core &core, StateSets &sets, DefaultStates &out);

}  // namespace aerogpu::runtime11
