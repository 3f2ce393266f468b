// SPDX-License-Identifier: MIT
#include "renderer/core/selected_space.h"

#include "aerogpu/aerogpu_spaces.h"

namespace aerogpu::core {

Result<Space*> SelectedSpace::enter(const aerogpu_submission& submission) {
  m_enabled = submission.in_space != 0;
  const uint32_t number = m_enabled ? submission.space : 0;
  const uint32_t flags = m_enabled ? submission.space_flags : AEROGPU_EXT_SPACE_FLAG_KERNEL;
  m_kernel = (flags & AEROGPU_EXT_SPACE_FLAG_KERNEL) != 0;
  if ((flags & ~AEROGPU_EXT_SPACE_FLAG_KERNEL) != 0)
    return refused(ErrorCode::CmdDecode, "unknown space flags", {{"space_flags", flags}});
  if (m_kernel && number != 0)
    return refused(ErrorCode::CmdDecode, "the kernel driver's packets in a space that is not 0",
                   {{"space", number}});
  if (number == m_space->number || submission.cmd_size == 0) return m_space;
  return m_spaces.need(number);
}

void SelectedSpace::select(Space& space) {
  if (&space == m_space) return;
  m_otherHandles += m_handles.count();
  if (m_space->account) m_space->account->otherObjects += m_handles.count();
  m_space->handles.swap(m_handles);
  m_space = &space;
  m_space->handles.swap(m_handles);
  m_otherHandles -= m_handles.count();
  if (m_space->account) m_space->account->otherObjects -= m_handles.count();
}

void SelectedSpace::forget(const Space& space) {
  m_otherHandles -= space.handles.count();
  if (space.account) space.account->otherObjects -= space.handles.count();
}

Result<void> SelectedSpace::needSpaces() const {
  if (!m_enabled) return refused(ErrorCode::CmdDecode, "spaces are not enabled", {{"SPACE_ENABLE", 0u}});
  return needKernel();
}

Result<void> SelectedSpace::needOwn(const Resource& resource) const {
  if (m_kernel || !resource.ofKernel) return {};
  return refused(ErrorCode::CmdDecode, "the memory of a resource of the kernel driver's",
                 {{"space", m_space->number}});
}

Result<void> SelectedSpace::needFreeHandle(uint32_t handle) {
  if (m_handles.find(handle)) return refused(ErrorCode::CmdDecode, "handle is in use", {{"handle", handle}});
  const uint64_t ofProcess =
      m_handles.count() + (m_space->account ? m_space->account->otherObjects : uint64_t{0});
  return needRoom(*m_space, handleCount(), ofProcess);
}

Result<void> SelectedSpace::needRoom(const Space& space, uint64_t all, uint64_t ofProcess) {
  const uint32_t most = space.number != 0 ? Spaces::kMaxObjectsOfOne : Spaces::kMaxObjects;
  if (all < Spaces::kMaxObjects && ofProcess < most) return {};
  return refused(
      ErrorCode::Backend, "too many objects",
      {{"objects", all}, {"limit", Spaces::kMaxObjects}, {"of this process", ofProcess}, {"limit", most}});
}

Result<void> SelectedSpace::name(Space& space, uint32_t handle, Object object) {
  if (handle == 0 || space.handles.find(handle))
    return refused(ErrorCode::CmdDecode, "handle is 0 or in use", {{"handle", handle}});
  uint64_t* others = space.account ? &space.account->otherObjects : nullptr;
  if (auto room = needRoom(space, m_otherHandles, others ? *others : space.handles.count()); !room)
    return room;
  space.handles.insert(handle, std::move(object));
  ++m_otherHandles;
  if (others) ++*others;
  return {};
}

}  // namespace aerogpu::core
