// SPDX-License-Identifier: MIT
// Chooses the version of the driver's interface and the level for Direct3D 11.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/base/headers.h"

namespace aerogpu::runtime11 {

/// Which of the three tables and families of structures a version has.
enum class Shape { Ten, TenOne, Eleven };

struct Choice {
  UINT interfaceVersion = 0;  ///< as Interface of the DDI
  UINT version = 0;           ///< as Version: build, and the revision of the runtime
  Shape shape = Shape::Ten;
  D3D11DDI_3DPIPELINELEVEL level = D3D11DDI_3DPIPELINELEVEL_10_0;
  bool extendedFormats = false;  ///< BGRA and its kin exist
};

/// Returns the choice for a level that a program accepts; false if the driver does not offer it. `supported`: the
/// driver's list of versions; `levels`: its bits of D3DPIPELINESUPPORT, for the interface of 11. `only`: if not 0, the
/// one interface to use (the setting INTERFACE).
bool choose(const std::vector<UINT64> &supported, UINT levels, D3D_FEATURE_LEVEL wanted, UINT only, Choice &choice);

}  // namespace aerogpu::runtime11
