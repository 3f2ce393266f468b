// SPDX-License-Identifier: MIT
// old_states.h: states of Direct3D 3 to 7 that Direct3D 9 has under other numbers. The runtimes of these versions pass
// them on as they are: Microsoft's own driver of this interface translates them too (D3D9On12,
// src/9on12PipelineState.cpp), and so does what sits between such programs and real drivers (DDrawCompat,
// D3dDdi/DeviceState.cpp). d3dumddi.h does not list them; numbers: d3dtypes.h.
#pragma once

#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

/** Sets the state of the first stage's sampler that a render state of Direct3D 3 to 6 stands for. Returns false if
 * `state` is no such state. */
bool setOldRenderState(SamplerStates &samplers, uint32_t state, uint32_t value);

/** Sets the states of a sampler that a texture stage state of Direct3D 6 and 7 stands for. Returns false if `state` is
 * no such state. */
bool setOldStageState(SamplerStates &samplers, uint32_t sampler, uint32_t state, uint32_t value);

}  // namespace aero
