// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/memory/allocations.h"

#include "guest-drivers/kmd/os/kernel_memory.h"
#include "guest-drivers/kmd/process/context.h"

namespace aero {

bool AllocationTable::start(uint64_t tokenSeed) {
  ExInitializeFastMutex(&m_mutex);
  tokens.reseed(tokenSeed);
  // Buckets are pointers. NOLINTNEXTLINE(bugprone-sizeof-expression)
  m_handles = static_cast<HandleOwner **>(poolAllocate(kHandleBuckets * sizeof(HandleOwner *)));
  return m_handles != nullptr;
}

void AllocationTable::stop() {
  if (!m_handles) return;
  for (uint32_t i = 0; i < kHandleBuckets; i++)
    while (HandleOwner *owner = m_handles[i]) {
      m_handles[i] = owner->next;
      poolFree(owner);
    }
  m_handleCount = 0;
  poolFree(m_handles);
  m_handles = nullptr;
}

bool AllocationTable::enter(AeroAllocation &allocation, uint32_t wantedId) {
  uint32_t id = wantedId;
  if (!id) {
    // There are 2^31 ids and at most some ten thousand allocations, so the search is short.
    do {
      if (m_nextId < AEROGPU_WDDM_ALLOC_ID_KMD_MIN) m_nextId = AEROGPU_WDDM_ALLOC_ID_KMD_MIN;
      id = m_nextId++;
    } while (find(id));
  } else if (find(id)) {
    return false;
  }
  allocation.id = id;
  allocation.nextById = m_byId[id % kIdBuckets];
  m_byId[id % kIdBuckets] = &allocation;
  m_allocations++;
  return true;
}

AeroAllocation *AllocationTable::find(uint32_t id) const {
  AeroAllocation *allocation = m_byId[id % kIdBuckets];
  while (allocation && allocation->id != id) allocation = allocation->nextById;
  return allocation;
}

AeroAllocation *AllocationTable::nextLost(uint32_t &cursor, const Epochs &epochs) const {
  for (; cursor < kIdBuckets; cursor++)
    for (AeroAllocation *allocation = m_byId[cursor]; allocation; allocation = allocation->nextById)
      if (allocation->kernelTexture && allocation->lasts() && !epochs.stillThere(allocation->kernelEpoch, true))
        return allocation;
  return nullptr;
}

bool AllocationTable::charge(AeroAllocation &allocation, AeroProcess *payer, uint64_t limit) {
  const uint64_t bytes = allocation.textureBytes();
  const uint64_t others = payer ? payer->charged - (allocation.payer == payer ? allocation.charged : 0) : 0;
  if (payer && (bytes >= limit || others >= limit - bytes)) return false;
  discharge(allocation);
  if (!payer) return true;
  allocation.payer = payer;
  allocation.charged = bytes;
  processes.charge(*payer, bytes);
  return true;
}

void AllocationTable::discharge(AeroAllocation &allocation) {
  if (allocation.payer) processes.discharge(*allocation.payer, allocation.charged);
  allocation.payer = nullptr;
}

AllocationTable::Farewell AllocationTable::release(AeroAllocation &allocation) {
  if (--allocation.references) return {};
  discharge(allocation);
  AeroAllocation **link = &m_byId[allocation.id % kIdBuckets];
  while (*link != &allocation) link = &(*link)->nextById;
  *link = allocation.nextById;
  m_allocations--;
  if (allocation.userTexture)
    if (HandleOwner *owner = findHandle(allocation.userTexture)) owner->texture = nullptr;
  const Farewell farewell = {true, allocation.token.value, allocation.kernelTexture, allocation.kernelEpoch};
  tokens.remove(allocation.token);
  return farewell;
}

void AllocationTable::open(AeroOpenAllocation &open) {
  open.allocation->references++;
  open.next = open.allocation->opens;
  open.allocation->opens = &open;
}

void AllocationTable::close(AeroOpenAllocation &open) {
  AeroOpenAllocation **link = &open.allocation->opens;
  while (*link != &open) link = &(*link)->next;
  *link = open.next;
}

HandleOwner *AllocationTable::findHandle(uint32_t handle) const {
  HandleOwner *owner = m_handles ? m_handles[bucketOf(handle)] : nullptr;
  while (owner && owner->handle != handle) owner = owner->next;
  return owner;
}

bool AllocationTable::addHandle(uint32_t handle, StreamObject object, AeroDevice *device, AeroAllocation *texture) {
  if (!m_handles) return false;
  HandleOwner *owner = findHandle(handle);
  if (!owner) {
    if (m_handleCount >= kMaxHandles || device->account->handles >= kMaxProcessHandles) return false;
    owner = static_cast<HandleOwner *>(poolAllocate(sizeof *owner));
    if (!owner) return false;
    owner->handle = handle;
    owner->next = m_handles[bucketOf(handle)];
    m_handles[bucketOf(handle)] = owner;
    m_handleCount++;
    device->account->handles++;
  }
  owner->object = object;
  owner->device = device;
  pair(*owner, texture);
  return true;
}

// owner.texture == allocation exactly if allocation.userTexture == owner.handle: whichever of the two ends first finds
// the other and clears the link. A stream may make two textures over one allocation, or use a handle again.
void AllocationTable::pair(HandleOwner &owner, AeroAllocation *texture) {
  if (owner.texture) owner.texture->userTexture = 0;
  owner.texture = texture;
  if (!texture) return;
  if (HandleOwner *before = texture->userTexture ? findHandle(texture->userTexture) : nullptr)
    before->texture = nullptr;
  texture->userTexture = owner.handle;
}

void AllocationTable::removeHandle(uint32_t handle) {
  if (!m_handles) return;
  HandleOwner **link = &m_handles[bucketOf(handle)];
  while (*link && (*link)->handle != handle) link = &(*link)->next;
  HandleOwner *owner = *link;
  if (!owner) return;
  pair(*owner, nullptr);
  *link = owner->next;
  owner->device->account->handles--;
  m_handleCount--;
  poolFree(owner);
}

void AllocationTable::deviceForgot() {
  for (uint32_t i = 0; m_handles && i < kHandleBuckets; i++)
    while (m_handles[i]) removeHandle(m_handles[i]->handle);
  for (AeroAllocation *first : m_byId)
    for (AeroAllocation *allocation = first; allocation; allocation = allocation->nextById)
      if (!allocation->lasts()) allocation->kernelTexture = 0;
}

bool AllocationTable::takeHandleOf(AeroDevice *device, uint32_t &cursor, HandleOwner &out) {
  for (; m_handles && cursor < kHandleBuckets; cursor++)
    for (HandleOwner *owner = m_handles[cursor]; owner; owner = owner->next)
      if (owner->device == device) {
        out = *owner;
        removeHandle(owner->handle);
        return true;
      }
  return false;
}

}  // namespace aero
