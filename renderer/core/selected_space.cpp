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
  if (handleCount() >= Spaces::kMaxObjects || (m_space->number != 0 && ofProcess >= Spaces::kMaxObjectsOfOne))
    return refused(ErrorCode::Backend, "too many objects",
                   {{"objects", handleCount()},
                    {"limit", Spaces::kMaxObjects},
                    {"of this process", ofProcess},
                    {"limit", m_space->number != 0 ? Spaces::kMaxObjectsOfOne : Spaces::kMaxObjects}});
  return {};
}

}  // namespace aerogpu::core
