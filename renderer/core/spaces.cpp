// SPDX-License-Identifier: MIT
#include "renderer/core/spaces.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::core {

Space* Spaces::find(uint32_t number) {
  if (number == 0) return &m_kernel;
  Lock lock(m_mutex);
  const auto known = m_others.find(number);
  return known == m_others.end() ? nullptr : known->second.get();
}

void Spaces::setInReserve(bool inReserve) {
  m_inReserve = inReserve;
  if (inReserve) return;
  for (Space* space : all()) {
    if (space->number == 0 || space->charge.isOf(m_hostMemory)) continue;
    HostMemoryCharge charge = HostMemoryCharge::take(m_hostMemory, kBytesPerSpace);
    if (charge.ok()) space->charge = std::move(charge);
  }
}

std::vector<Space*> Spaces::all() {
  std::vector<Space*> spaces{&m_kernel};
  Lock lock(m_mutex);
  for (const auto& [number, space] : m_others) spaces.push_back(space.get());
  return spaces;
}

Result<Space*> Spaces::need(uint32_t number) {
  if (Space* known = find(number)) return known;
  if (count() == kMaxSpaces)
    return refused(ErrorCode::Backend, "too many spaces", {{"space", number}, {"limit", kMaxSpaces}});
  auto space = std::make_unique<Space>(number);
  if (!m_inReserve) space->charge = HostMemoryCharge::take(m_hostMemory, kBytesPerSpace);
  if (!space->charge.ok()) space->charge = HostMemoryCharge::take(m_reserve, kBytesPerSpace);
  space->share = std::make_shared<HostMemory>(m_shareBytes);
  Lock lock(m_mutex);
  return m_others.emplace(number, std::move(space)).first->second.get();
}

std::shared_ptr<ProcessAccount> Spaces::accountOf(uint64_t process) {
  std::weak_ptr<ProcessAccount>& known = m_accounts[process];
  if (auto account = known.lock()) return account;
  auto account = std::make_shared<ProcessAccount>(m_shareBytes);
  known = account;
  if (m_accounts.size() >= m_sweepAt) {
    std::erase_if(m_accounts, [](const auto& one) { return one.second.expired(); });
    m_sweepAt = std::max<size_t>(64, m_accounts.size() * 2);
  }
  return account;
}

Result<void> Spaces::setProcess(Space& space, uint64_t process) {
  if (space.process == process) return {};
  if (space.process || space.share->heldBytes() != 0 || space.handles.count() != 0)
    return refused(ErrorCode::CmdDecode, "the space has an owner already, or objects",
                   {{"space", space.number}, {"process", process}});
  std::shared_ptr<HostMemory> owner;
  if (process != 0) {
    space.account = accountOf(process);
    ++space.account->spaces;
    owner = {space.account, &space.account->memory};
  }
  auto share = std::make_shared<HostMemory>(~uint64_t{0}, std::move(owner));
  Lock lock(m_mutex);
  space.process = process;
  space.share = std::move(share);
  return {};
}

Owner Spaces::ownerOf(uint32_t number) const {
  if (number == 0) return {};
  Lock lock(m_mutex);
  const auto known = m_others.find(number);
  return known == m_others.end() ? Owner{Owner::Kind::Space, number} : known->second->owner();
}

size_t Spaces::count() const {
  Lock lock(m_mutex);
  return m_others.size();
}

void Spaces::setName(Space& space, uint32_t processId, std::span<const uint8_t> name) {
  // The text goes to a monitor: drops bytes that could upset a terminal or are not ASCII.
  std::string text;
  for (const uint8_t byte : name) {
    if (byte == 0) break;
    text += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '?';
  }
  Lock lock(m_mutex);
  space.processId = processId;
  space.imageName = std::move(text);
}

std::string Spaces::describe(const Space& space) const {
  Lock lock(m_mutex);
  std::string text = "space " + std::to_string(space.number);
  if (space.processId != 0 || !space.imageName.empty())
    text += ", process " + std::to_string(space.processId) + ", " + space.imageName;
  return text;
}

std::unique_ptr<Space> Spaces::take(Space& space) {
  Lock lock(m_mutex);
  return std::move(m_others.extract(space.number).mapped());
}

std::unique_ptr<Space> Spaces::takeFirst() {
  Lock lock(m_mutex);
  return m_others.empty() ? nullptr : std::move(m_others.extract(m_others.begin()).mapped());
}

bool Spaces::next(uint32_t from, aerogpu_renderer_space& out) const {
  Lock lock(m_mutex);
  const Space* space = &m_kernel;
  if (from != 0) {
    const auto found = m_others.lower_bound(from);
    if (found == m_others.end()) return false;
    space = found->second.get();
  }
  out.space = space->number;
  out.process_id = space->processId;
  std::memset(out.image_name, 0, sizeof out.image_name);
  std::memcpy(out.image_name, space->imageName.data(),
              std::min(space->imageName.size(), sizeof out.image_name - 1));
  out.objects = space->counters.objects.value();
  out.contexts = space->counters.contexts.value();
  if (space->share) {
    out.host_memory_bytes = space->share->heldBytes();
  } else {  // the rest of the total; charges change meanwhile
    out.host_memory_bytes = m_hostMemory.heldBytes();
    for (const auto& [number, other] : m_others)
      out.host_memory_bytes -= std::min(out.host_memory_bytes, other->share->heldBytes());
  }
  out.submissions = space->counters.submissions.value();
  out.packets = space->counters.packets.value();
  out.draws = space->counters.draws.value();
  out.errors = space->counters.errors.value();
  out.process_host_memory_bytes = space->share ? space->share->owner().heldBytes() : out.host_memory_bytes;
  return true;
}

}  // namespace aerogpu::core
