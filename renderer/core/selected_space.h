// SPDX-License-Identifier: MIT
// The handle space that packets run in: its handles at hand, and what its submission may do
// (docs/abi/spaces.md). Render thread only.
#pragma once

#include <cstdint>

#include "aerogpu/renderer.h"
#include "renderer/base/result.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/spaces.h"

namespace aerogpu::core {

class SelectedSpace {
public:
  /// Selects space 0. `spaces` outlives the object.
  explicit SelectedSpace(Spaces& spaces) : m_spaces(spaces), m_space(&spaces.kernel()) {}

  /// Returns the handles of the space; a look-up costs no more than without spaces.
  HandleTable& handles() { return m_handles; }
  Space& operator*() { return *m_space; }
  Space* operator->() { return m_space; }
  const Space* operator->() const { return m_space; }
  /// True if spaces are enabled, as of this submission.
  bool enabled() const { return m_enabled; }
  /// True if the submission is the kernel driver's.
  bool ofKernel() const { return m_kernel; }

  /// Checks the space and the flags of the submission's ring slot. Returns the space that it runs in, and
  /// makes that if need be; a submission without packets runs in the selected space.
  Result<Space*> enter(const aerogpu_submission& submission);
  /// Selects the space. If it was not selected, no context of the old space may be in use.
  void select(Space& space);
  /// Stops counting the handles of a space that ends and is not the selected one.
  void forget(const Space& space);

  /// Succeeds if the submission may hold the kernel driver's packets (SPACE-12).
  Result<void> needKernel() const {
    if (m_kernel) return {};
    return refused(ErrorCode::CmdDecode, "the packet is the kernel driver's", {{"space", m_space->number}});
  }
  /// Succeeds if spaces are enabled and needKernel() does.
  Result<void> needSpaces() const;
  /// Succeeds if the submission may change the resource's memory (SPACE-19).
  Result<void> needOwn(const Resource& resource) const;
  /// Succeeds if the handle is free and there is room for one more object.
  Result<void> needFreeHandle(uint32_t handle);
  /// Returns the number of handles in all spaces.
  uint64_t handleCount() const { return m_otherHandles + m_handles.count(); }

private:
  Spaces& m_spaces;
  HandleTable m_handles;        ///< of m_space
  Space* m_space;               ///< the selected space
  uint64_t m_otherHandles = 0;  ///< in the tables of the other spaces
  bool m_enabled = false;
  bool m_kernel = true;
};

}  // namespace aerogpu::core
