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
  /// Space 0 is selected. `spaces` outlives the object.
  explicit SelectedSpace(Spaces& spaces) : m_spaces(spaces), m_space(&spaces.kernel()) {}

  /// The space's own table, so that a look-up costs what it would without spaces.
  HandleTable& handles() { return m_handles; }
  Space& operator*() { return *m_space; }
  Space* operator->() { return m_space; }
  const Space* operator->() const { return m_space; }
  /// Spaces are enabled, as of this submission.
  bool enabled() const { return m_enabled; }
  /// The submission is the kernel driver's own.
  bool ofKernel() const { return m_kernel; }

  /// Checks the ring slot's space and its flags. Returns the space that the submission runs in: the selected
  /// one where it has no packets.
  Result<Space*> enter(const aerogpu_submission& submission);
  /// Another space than the selected one, if it is; no context of the old one is in use.
  void select(Space& space);
  /// A space that is not the selected one has ended: its handles count no more.
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
  /// Handles of all spaces.
  uint64_t handleCount() const { return m_otherHandles + m_handles.count(); }

private:
  Spaces& m_spaces;
  HandleTable m_handles;        ///< of m_space
  Space* m_space;               ///< that is selected
  uint64_t m_otherHandles = 0;  ///< in the tables of the other spaces
  bool m_enabled = false;
  bool m_kernel = true;
};

}  // namespace aerogpu::core
