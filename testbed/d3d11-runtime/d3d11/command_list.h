// SPDX-License-Identifier: MIT
// What a deferred context has recorded: the runtime does that itself, as no driver here builds command lists.
#pragma once

#include "testbed/d3d11-runtime/d3d11/child.h"

namespace aerogpu::runtime11 {

class CommandList : public Child<ID3D11CommandList> {
public:
  using Child::Child;
  UINT STDMETHODCALLTYPE GetContextFlags() override { return 0; }
  /// Makes the recorded calls. They begin and end with nothing bound.
  virtual void play(ID3D11DeviceContext &context) = 0;
};

}  // namespace aerogpu::runtime11
