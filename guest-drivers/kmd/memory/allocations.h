// SPDX-License-Identifier: MIT
// allocations.h: tracks allocations, the devices that have them open, their share tokens, and the owner of each
// resource handle. AllocationTable's mutex protects everything here; PASSIVE_LEVEL.
#pragma once

#include "aerogpu/aerogpu_ring.h"
#include "guest-drivers/common/allocation_private.h"
#include "guest-drivers/kmd/logic/allocation_rules.h"
#include "guest-drivers/kmd/logic/command_check.h"
#include "guest-drivers/kmd/logic/epochs.h"
#include "guest-drivers/kmd/logic/handle_ranges.h"
#include "guest-drivers/kmd/logic/share_tokens.h"
#include "guest-drivers/kmd/logic/space_numbers.h"
#include "guest-drivers/kmd/logic/surface.h"
#include "guest-drivers/kmd/os/nt.h"
#include "guest-drivers/kmd/process/processes.h"

namespace aero {

class AeroDevice;

/** The purpose of an allocation; reserved1 of its private data, which is 0 in a user-mode driver's. */
enum class AllocationUse : uint8_t {
  UserMode,  // a user-mode driver's
  Primary,   // the shared primary: scanned out
  Shadow,    // GDI draws into it with the CPU
  Staging,   // read-back for GDI
  GdiTexture,
  GdiStagingCpuVisible,
  GdiStaging,
  GdiLookup,
  GdiExisting,  // like GdiStagingCpuVisible, over memory that GDI has already
};

class AeroOpenAllocation;

/** DxgkDdiCreateAllocation's handle. */
class AeroAllocation {
public:
  static constexpr uint32_t kMagic = 0x4C6C4141;  // "AAlL"
  static AeroAllocation *from(HANDLE handle) {
    auto *self = static_cast<AeroAllocation *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  uint32_t id = 0;  // alloc_id
  uint64_t bytes = 0;
  uint32_t flags = 0;  // enum aerogpu_wddm_alloc_private_flags
  AllocationUse use = AllocationUse::UserMode;
  Surface surface;             // the surface as the device draws it
  DescribedSurface described;  // the surface as its private data describes it
  bool gpuOnly = false;        // its pixels are in kernelTexture alone; `bytes` is one unused page
  bool imported = false;       // programs import kernelTexture and draw to it
  bool isBuffer = false;       // kernelTexture is a buffer
  bool bytePixels = false;     // D3DDDIFMT_A8; the surface is described as a quarter as wide, 32 bits a pixel
  uint32_t references = 1;     // the OS' handle, and one for each open
  uint32_t userTexture = 0;    // the user-mode driver's texture over it, 0 = none
  uint32_t kernelTexture = 0;  // the driver's own, 0 = none
  uint32_t kernelEpoch = 0;    // Epochs::now() when kernelTexture was made
  ShareToken token;
  uint64_t tableStamp = 0;  // stamp of the last table that it was entered in,
  uint32_t tableEntry = 0;  // and the number of its entry in that table, for tables that enterEach() made
  AeroAllocation *nextById = nullptr;
  AeroOpenAllocation *opens = nullptr;  // the devices that have it open
  AeroProcess *payer = nullptr;         // the process charged for kernelTexture; null: the guest
  uint64_t charged = 0;                 // bytes, in payer->charged

  bool isScannedOut() const {
    return use == AllocationUse::Primary || flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;
  }
  bool isOpenOn(const AeroDevice *device) const;
  /** True if kernelTexture is made and exported when the allocation is first opened, and holds more than its memory. */
  bool lasts() const { return gpuOnly || imported; }
  /** Returns the least memory of the host that kernelTexture takes if it lasts(): the size of its content. */
  uint64_t textureBytes() const { return isBuffer ? bytes & ~uint64_t{3} : pixelBytes(described); }
  bool isShared() const { return flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED; }
};

/** DxgkDdiCreateAllocation's hResource: allocations that belong together. Notes whether more may be added (EX-45). */
class AeroResource {
public:
  static constexpr uint32_t kMagic = 0x73655241;  // "ARes"
  static AeroResource *from(HANDLE handle) {
    auto *self = static_cast<AeroResource *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  bool shared = false;  // has a shared allocation, and may have no other
};

/** DxgkDdiOpenAllocation's handle: one device's view of an allocation. */
class AeroOpenAllocation {
public:
  static constexpr uint32_t kMagic = 0x6E704F41;  // "AOpn"
  static AeroOpenAllocation *from(HANDLE handle) {
    auto *self = static_cast<AeroOpenAllocation *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  AeroAllocation *allocation = nullptr;
  AeroDevice *device = nullptr;
  AeroOpenAllocation *next = nullptr;  // the next open of the same allocation
  // Under the table's mutex: the entry for allocation tables, as of the place and use when this was last listed.
  aerogpu_alloc_entry entry = {};
  uint64_t where = kUnlisted;  // in the format of patchId()
  uint32_t readonly = 0;       // 1: the entry is read-only
  static constexpr uint64_t kUnlisted = ~uint64_t{0};
};

inline bool AeroAllocation::isOpenOn(const AeroDevice *device) const {
  const AeroOpenAllocation *open = opens;
  while (open && open->device != device) open = open->next;
  return open != nullptr;
}

/** Records which WDDM device made a handle, so that no other one can destroy it, and none leaves objects behind. */
struct HandleOwner {
  uint32_t handle;
  StreamObject object;
  AeroDevice *device;
  AeroAllocation *texture;  // the allocation that this texture covers, or null
  HandleOwner *next;        // next in the bucket
};

class AllocationTable {
public:
  /** Returns false if memory is short. */
  bool start(uint64_t tokenSeed);
  /** All allocations are gone by now: WDDM destroys them before it stops a device. */
  void stop();

  void lock() { ExAcquireFastMutex(&m_mutex); }
  void unlock() { ExReleaseFastMutex(&m_mutex); }

  /** Enters the allocation under `wantedId`, or for 0 under a new id from the kernel range; returns false if the id
   * is taken. */
  bool enter(AeroAllocation &allocation, uint32_t wantedId);
  AeroAllocation *find(uint32_t id) const;
  /** Returns the next allocation that lasts() whose texture was made and is gone; null if there is none. `cursor`
   * starts at 0.
   */
  AeroAllocation *nextLost(uint32_t &cursor, const Epochs &epochs) const;
  /** Drops a reference. The last one removes the allocation and returns the objects that the device must then
   * destroy. */
  struct Farewell {
    bool last = false;
    uint64_t token = 0;
    uint32_t kernelTexture = 0;
    uint32_t kernelEpoch = 0;  // when kernelTexture was made
  };
  Farewell release(AeroAllocation &allocation);
  /** Enters a device's open of an allocation, with a reference. close() does not drop the reference; release() does. */
  void open(AeroOpenAllocation &open);
  void close(AeroOpenAllocation &open);

  /**
   * Charges the allocation's texture to `payer` (null: to no process) from now on. Returns false, and charges nothing,
   * if the total of `payer` would reach `limit`: the device would not make the texture then, because each object costs
   * the host more than its pixels.
   */
  bool charge(AeroAllocation &allocation, AeroProcess *payer, uint64_t limit);
  /** Removes the charge. */
  void discharge(AeroAllocation &allocation);

  ShareTokens tokens;
  HandleRanges ranges;  // lost handles stay lost if the driver stops and starts again
  SpaceNumbers spaces;  // keeps its numbers over a restart too
  Processes processes;

  /** True if `device` may make this handle, or name it while no device has made it. */
  bool mayName(const AeroDevice *device, uint32_t handle) const {
    const HandleOwner *owner = findHandle(handle);
    if (owner) return owner->device == device;
    return !HandleRanges::covers(handle) || ranges.ownerOf(handle) == device;
  }

  /** Returns a stamp that no other allocation table has. */
  uint64_t newTableStamp() { return ++m_tableStamp; }

  HandleOwner *findHandle(uint32_t handle) const;
  /** Enters a handle, or changes its entry. `texture`: the allocation that it covers, of which it becomes the only user
   * texture; null if none. Returns false if memory is short or there are too many handles. */
  bool addHandle(uint32_t handle, StreamObject object, AeroDevice *device, AeroAllocation *texture);
  void removeHandle(uint32_t handle);
  /** After a reset of the device: forgets all handles, and the driver's own textures except those that
   * KernelTextures::restore() makes again. */
  void deviceForgot();
  /** Removes one handle of `device`; returns false if it has none. `cursor` starts at 0. */
  bool takeHandleOf(AeroDevice *device, uint32_t &cursor, HandleOwner &out);

  /** Returns `count` consecutive handles from the kernel range, for objects that stay. */
  uint32_t newKernelHandles(uint32_t count) {
    return nextHandle(kLastingFirst, 0u - kLastingFirst, count, m_nextLasting);
  }
  /** Returns handles for objects that the submission which makes them also destroys: these wrap after some million
   * operations, and must not collide with live handles. */
  uint32_t newShortHandles(uint32_t count) {
    return nextHandle(kKernelHandleFirst, kLastingFirst - kKernelHandleFirst, count, m_nextShort);
  }

  uint32_t liveAllocations() const { return m_allocations; }
  uint32_t liveHandles() const { return m_handleCount; }

private:
  static constexpr uint32_t kIdBuckets = 1024;
  static constexpr uint32_t kHandleBuckets = 4096;
  static constexpr uint32_t kMaxHandles = 1u << 20;
  static constexpr uint32_t kMaxProcessHandles = 1u << 18;  // limit of one process, so that none takes them all
  static constexpr uint32_t kLastingFirst = 0xF8000000u;

  static uint32_t nextHandle(uint32_t first, uint32_t range, uint32_t count, uint32_t &next) {
    if (next > range - count) next = 0;
    next += count;
    return first + next - count;
  }
  /** Fibonacci hashing spreads any handles that a process chooses. */
  static constexpr uint32_t bucketOf(uint32_t handle) { return handle * 0x9E3779B1u >> 20; }
  static_assert(kHandleBuckets == 1u << 12);
  /** Makes `owner` the only owner of `texture` (null: of none). */
  void pair(HandleOwner &owner, AeroAllocation *texture);

  FAST_MUTEX m_mutex = {};
  AeroAllocation *m_byId[kIdBuckets] = {};
  HandleOwner **m_handles = nullptr;
  uint32_t m_handleCount = 0;
  uint32_t m_nextId = AEROGPU_WDDM_ALLOC_ID_KMD_MIN;
  uint64_t m_tableStamp = 0;
  uint32_t m_nextShort = 0;
  uint32_t m_nextLasting = 0;
  uint32_t m_allocations = 0;
};

/** Holds the table's mutex for a scope. */
class TableLock {
public:
  explicit TableLock(AllocationTable &table) : m_table(table) { m_table.lock(); }
  ~TableLock() { m_table.unlock(); }
  TableLock(const TableLock &) = delete;
  TableLock &operator=(const TableLock &) = delete;

private:
  AllocationTable &m_table;
};

}  // namespace aero
