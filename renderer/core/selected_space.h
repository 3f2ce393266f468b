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
  /// Selects a space of a loader's own, in no list and numbered 0, for the kernel driver's packets with
  /// spaces enabled.
  void enterLoader(Space& space) {
    select(space);
    m_enabled = m_kernel = true;
  }
  /// Sets whether the next resources count as made in space 0, beside those that are.
  void setMadeInKernel(bool made) { m_madeInKernel = made; }
  /// True if a resource that is made now is the kernel driver's.
  bool madeInKernel() const { return m_space->number == 0 && m_madeInKernel; }
  /// Gives an object a handle in `space`, which is not the selected one.
  Result<void> name(Space& space, uint32_t handle, Object object);
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
  /// Succeeds if there is room for one more object beside `all`, of which the space's process has
  /// `ofProcess`.
  static Result<void> needRoom(const Space& space, uint64_t all, uint64_t ofProcess);

  Spaces& m_spaces;
  HandleTable m_handles;        ///< of m_space
  Space* m_space;               ///< the selected space
  uint64_t m_otherHandles = 0;  ///< in the tables of the other spaces
  bool m_enabled = false;
  bool m_kernel = true;
  bool m_madeInKernel = true;
};

}  // namespace aerogpu::core
