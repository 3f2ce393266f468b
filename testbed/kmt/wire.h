// SPDX-License-Identifier: MIT
// wire.h: D3DKMT calls as messages between a program and the driver host, which plays dxgkrnl
// (docs/d3d9/testbed.md, "Calls and shared memory"). Both ends compile this file; a body has the same layout
// for 32- and 64-bit programs: no pointers, handles of 32 bits, offsets into shared files of 64.
//
// A request is a RequestHeader, the call's request body, and a tail whose parts the body counts; the answer
// is a ReplyHeader, the reply body (also when the status is a failure) and a tail. Numbers are little-endian.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aerogpu::kmt {

inline constexpr uint32_t kHelloMagic = 0x544D4B41;  // "AKMT"
inline constexpr uint32_t kWireVersion = 1;
inline constexpr uint32_t kKeyBytes = 64;

struct RequestHeader {
  uint32_t length;  // size of the whole message in bytes
  uint32_t call;
  uint32_t process;   // number from the greeting; 0 in a Hello
  uint32_t sequence;  // number of the request on its connection, from 1
};
struct ReplyHeader {
  uint32_t length;
  uint32_t call, sequence;  // the request's
  int32_t status;           // NTSTATUS
};
inline constexpr uint32_t kHeaderBytes = 16;
static_assert(sizeof(RequestHeader) == kHeaderBytes && sizeof(ReplyHeader) == kHeaderBytes);

struct Nothing {
  uint32_t reserved;
};
struct OneHandle {
  uint32_t handle;
};
struct WireRect {
  int32_t left, top, right, bottom;
};

/// The first message of each connection. A first connection names process 0 and gets a number and a cookie;
/// each further one of the process sends both. The process lives as long as one of its connections.
struct HelloRequest {
  uint32_t magic, version;
  uint32_t process;
  uint32_t pointerBits;
  uint64_t cookie;
  char key[kKeyBytes];  // AEROGPU_KMT_KEY, padded with zeroes
};
struct HelloReply {
  uint32_t process;
  uint32_t files;  // SharedFile entries in the tail, by file number
  uint64_t cookie;
};
struct SharedFile {
  uint64_t bytes;
  char path[248];  // a Unix path, ends with a zero
};

enum class OpenBy : uint32_t { DeviceContext, GdiDisplayName, DeviceName };
struct OpenAdapterRequest {  // tail: the name, UTF-16, without its end
  uint32_t by, nameChars;
};
struct OpenAdapterReply {
  uint32_t adapter, vidPnSource;
  uint32_t luidLow;
  int32_t luidHigh;
};

struct QueryAdapterInfoRequest {  // tail: the data; the answer's likewise
  uint32_t adapter, type, bytes;
};
struct Counted {
  uint32_t count;  // bytes or elements in the tail
};

struct CreateDeviceRequest {
  uint32_t adapter, flags;
};

/// Where a context's buffers lie, in the file that its process shares.
struct CommandBuffers {
  uint64_t commands, allocations, patches;  // offsets
  uint32_t file;
  uint32_t commandBytes, allocationEntries, patchEntries;
};
struct CreateContextRequest {  // tail: private data
  uint32_t device, node, engines, flags, clientHint, privateBytes;
};
struct CreateContextReply {
  uint32_t context, reserved;
  CommandBuffers buffers;
};

struct CreateAllocationRequest {  // tail: NewAllocation[count], runtime data, resource data, each one's
                                  // private data
  uint32_t device, resource, flags, count, runtimeBytes, resourceBytes;
};
struct NewAllocation {
  uint32_t privateBytes, vidPnSource, flags;
  uint32_t systemMemory;  // 1: the caller's own memory
};
struct CreateAllocationReply {  // tail: handles[count], each one's private data
  uint32_t resource, globalShare;
};
struct AllocationsRequest {  // tail: handles[count]; with a resource: none
  uint32_t device, resource, count;
};

struct QueryResourceInfoRequest {
  uint32_t device, globalShare;
  uint32_t runtimeBytes;  // room of the caller
};
struct QueryResourceInfoReply {  // tail: runtime data, as much as the caller has room for
  uint32_t runtimeBytes, totalPrivateBytes, resourceBytes, count;
};
struct OpenResourceRequest {  // the caller's room
  uint32_t device, globalShare, count, runtimeBytes, resourceBytes, totalPrivateBytes;
};
struct OpenResourceReply {  // tail: OpenedAllocation[count], runtime data, resource data, all private data
  uint32_t resource, count, runtimeBytes, resourceBytes, totalPrivateBytes;
};
struct OpenedAllocation {
  uint32_t handle, privateBytes;
};

struct LockRequest {
  uint32_t device, allocation, flags, privateData;
};
struct LockReply {
  uint32_t allocation, file;
  uint64_t offset, bytes;
};

struct RenderRequest {  // tail: private data
  uint32_t context, commandOffset, commandBytes, allocationCount, patchCount, flags;
  uint32_t newCommandBytes, newAllocationEntries, newPatchEntries, privateBytes;
};
struct RenderReply {
  uint32_t queuedBuffers, reserved;
  CommandBuffers buffers;
};

struct PresentRequest {  // tail: WireRect[subRects]
  uint32_t context, vidPnSource, source, destination, color;
  WireRect to, from;
  uint32_t subRects, presentCount, flipInterval, flags;
  WireRect window;  // the client area on the screen
  uint32_t hasWindow;
};

struct SetDisplayModeRequest {
  uint32_t device, primary, scanLineOrdering, orientation, privateFormat, flags;
};
struct SetVidPnSourceOwnerRequest {  // tail: SourceOwner[count]
  uint32_t device, count;
};
struct SourceOwner {
  uint32_t type, vidPnSource;
};
struct WaitForVerticalBlankEventRequest {
  uint32_t adapter, device, vidPnSource;
};
struct AdapterSource {
  uint32_t adapter, vidPnSource;
};
struct GetScanLineReply {
  uint32_t inVerticalBlank, scanLine;
};
struct GetDeviceStateRequest {
  uint32_t device, type, vidPnSource;
};
struct GetDeviceStateReply {
  uint32_t value;  // value of the execution and reset states
  uint32_t vidPnSource, presentCount, presentRefreshCount, syncRefreshCount, reserved;
  int64_t syncNs;  // CLOCK_MONOTONIC of the last vertical sync
};
struct EscapeRequest {  // tail: the data; the answer's likewise
  uint32_t adapter, device, context, type, flags, bytes;
};
struct GetDisplayModeListRequest {
  uint32_t adapter, vidPnSource, capacity;
};
struct GetDisplayModeListReply {  // tail: D3DKMT_DISPLAYMODE[count]
  uint32_t total, count;
};
struct GetMultisampleMethodListRequest {
  uint32_t adapter, vidPnSource, width, height, format, capacity;
};
struct SetGammaRampRequest {  // tail: the ramp, unless `type` is D3DDDI_GAMMARAMP_DEFAULT
  uint32_t device, vidPnSource, type, bytes;
};
struct SetQueuedLimitRequest {
  uint32_t device, type, limit, pendingFlips;
};
struct SetQueuedLimitReply {
  uint32_t limit, pendingFlips;
};
struct CreateKeyedMutexRequest {
  uint64_t initialKey;
};
struct CreateKeyedMutexReply {
  uint32_t globalShare, mutex;
};
struct AcquireKeyedMutexRequest {
  uint64_t key;
  uint32_t mutex;
  uint32_t waitMs;  // at most kMaxKeyedMutexWaitMs; who wants to wait longer asks again
};
struct AcquireKeyedMutexReply {
  uint64_t fence;
};
struct ReleaseKeyedMutexRequest {
  uint64_t key, fence;
  uint32_t mutex, reserved;
};

inline constexpr uint32_t kMaxPrivateBytes = 64 << 10;   // total of a call
inline constexpr uint32_t kMaxAllocationsOfCall = 1024;  // created, opened, destroyed, unlocked
inline constexpr uint32_t kMaxSubRects = 4096;
inline constexpr uint32_t kMaxModes = 1024;
inline constexpr uint32_t kMaxFiles = 8;
/// The longest wait of one call for a keyed mutex: so long may a process that was killed have one, and a
/// machine that is to sleep wait for the call's end.
inline constexpr uint32_t kMaxKeyedMutexWaitMs = 200;
inline constexpr uint32_t kGammaRampBytes = 3 * 256 * 2;  // D3DDDI_GAMMA_RAMP_RGB256x3x16

// CALL(number, name, request body, its bytes, reply body, its bytes, most bytes of the request's tail, of the
// reply's).
#define AEROGPU_KMT_CALLS(CALL)                                                                              \
  CALL(1, Hello, HelloRequest, 88, HelloReply, 16, 0, kMaxFiles * 256)                                       \
  CALL(2, OpenAdapter, OpenAdapterRequest, 8, OpenAdapterReply, 16, 1024, 0)                                 \
  CALL(3, CloseAdapter, OneHandle, 4, Nothing, 4, 0, 0)                                                      \
  CALL(4, QueryAdapterInfo, QueryAdapterInfoRequest, 12, Counted, 4, kMaxPrivateBytes, kMaxPrivateBytes)     \
  CALL(5, CreateDevice, CreateDeviceRequest, 8, OneHandle, 4, 0, 0)                                          \
  CALL(6, DestroyDevice, OneHandle, 4, Nothing, 4, 0, 0)                                                     \
  CALL(7, CreateContext, CreateContextRequest, 24, CreateContextReply, 48, kMaxPrivateBytes, 0)              \
  CALL(8, DestroyContext, OneHandle, 4, Nothing, 4, 0, 0)                                                    \
  CALL(9, CreateAllocation, CreateAllocationRequest, 24, CreateAllocationReply, 8,                           \
       kMaxAllocationsOfCall * 16 + kMaxPrivateBytes, kMaxAllocationsOfCall * 4 + kMaxPrivateBytes)          \
  CALL(10, DestroyAllocation, AllocationsRequest, 12, Nothing, 4, kMaxAllocationsOfCall * 4, 0)              \
  CALL(11, QueryResourceInfo, QueryResourceInfoRequest, 12, QueryResourceInfoReply, 16, 0, kMaxPrivateBytes) \
  CALL(12, OpenResource, OpenResourceRequest, 24, OpenResourceReply, 20, 0,                                  \
       kMaxAllocationsOfCall * 8 + kMaxPrivateBytes)                                                         \
  CALL(13, Lock, LockRequest, 16, LockReply, 24, 0, 0)                                                       \
  CALL(14, Unlock, AllocationsRequest, 12, Nothing, 4, kMaxAllocationsOfCall * 4, 0)                         \
  CALL(15, Render, RenderRequest, 40, RenderReply, 48, kMaxPrivateBytes, 0)                                  \
  CALL(16, Present, PresentRequest, 88, Nothing, 4, kMaxSubRects * 16, 0)                                    \
  CALL(17, SetDisplayMode, SetDisplayModeRequest, 24, Nothing, 4, 0, 0)                                      \
  CALL(18, SetVidPnSourceOwner, SetVidPnSourceOwnerRequest, 8, Nothing, 4, 16 * 8, 0)                        \
  CALL(19, WaitForVerticalBlankEvent, WaitForVerticalBlankEventRequest, 12, Nothing, 4, 0, 0)                \
  CALL(20, GetScanLine, AdapterSource, 8, GetScanLineReply, 8, 0, 0)                                         \
  CALL(21, GetDeviceState, GetDeviceStateRequest, 12, GetDeviceStateReply, 32, 0, 0)                         \
  CALL(22, Escape, EscapeRequest, 24, Counted, 4, kMaxPrivateBytes, kMaxPrivateBytes)                        \
  CALL(23, GetDisplayModeList, GetDisplayModeListRequest, 12, GetDisplayModeListReply, 8, 0, kMaxModes * 44) \
  CALL(24, SetAllocationPriority, AllocationsRequest, 12, Nothing, 4, kMaxAllocationsOfCall * 8, 0)          \
  CALL(25, QueryAllocationResidency, AllocationsRequest, 12, Counted, 4, kMaxAllocationsOfCall * 4,          \
       kMaxAllocationsOfCall * 4)                                                                            \
  CALL(26, SetQueuedLimit, SetQueuedLimitRequest, 16, SetQueuedLimitReply, 8, 0, 0)                          \
  CALL(27, GetSharedPrimaryHandle, AdapterSource, 8, OneHandle, 4, 0, 0)                                     \
  CALL(28, GetMultisampleMethodList, GetMultisampleMethodListRequest, 24, Counted, 4, 0, 16 * 12)            \
  CALL(29, CheckMonitorPowerState, AdapterSource, 8, Nothing, 4, 0, 0)                                       \
  CALL(30, CheckVidPnExclusiveOwnership, AdapterSource, 8, Nothing, 4, 0, 0)                                 \
  CALL(31, ReleaseProcessVidPnSourceOwners, Nothing, 4, Nothing, 4, 0, 0)                                    \
  CALL(32, WaitForIdle, OneHandle, 4, Nothing, 4, 0, 0)                                                      \
  CALL(33, SetGammaRamp, SetGammaRampRequest, 16, Nothing, 4, kGammaRampBytes, 0)                            \
  CALL(34, CreateKeyedMutex, CreateKeyedMutexRequest, 8, CreateKeyedMutexReply, 8, 0, 0)                     \
  CALL(35, OpenKeyedMutex, OneHandle, 4, OneHandle, 4, 0, 0)                                                 \
  CALL(36, AcquireKeyedMutex, AcquireKeyedMutexRequest, 16, AcquireKeyedMutexReply, 8, 0, 0)                 \
  CALL(37, ReleaseKeyedMutex, ReleaseKeyedMutexRequest, 24, Nothing, 4, 0, 0)                                \
  CALL(38, DestroyKeyedMutex, OneHandle, 4, Nothing, 4, 0, 0)

enum class Call : uint32_t {
#define AEROGPU_KMT_CALL(NUMBER, NAME, ...) NAME = NUMBER,
  AEROGPU_KMT_CALLS(AEROGPU_KMT_CALL)
#undef AEROGPU_KMT_CALL
};

/// Bodies of a call: CallOf<Call::Lock>::Request and ::Reply.
template <Call call>
struct CallOf;
#define AEROGPU_KMT_CALL(NUMBER, NAME, REQUEST, REQUEST_BYTES, REPLY, REPLY_BYTES, REQUEST_TAIL, REPLY_TAIL) \
  static_assert(sizeof(REQUEST) == (REQUEST_BYTES) && sizeof(REPLY) == (REPLY_BYTES), "bodies of " #NAME);   \
  template <>                                                                                                \
  struct CallOf<Call::NAME> {                                                                                \
    using Request = REQUEST;                                                                                 \
    using Reply = REPLY;                                                                                     \
  };
AEROGPU_KMT_CALLS(AEROGPU_KMT_CALL)
#undef AEROGPU_KMT_CALL
static_assert(sizeof(SharedFile) == 256 && sizeof(NewAllocation) == 16 && sizeof(OpenedAllocation) == 8 &&
              sizeof(SourceOwner) == 8 && sizeof(WireRect) == 16 && sizeof(CommandBuffers) == 40);

/// A row of the table.
struct CallInfo {
  uint32_t number;
  const char* name;
  uint32_t requestBytes, replyBytes, requestTail, replyTail;  // without headers; tails: at most
};
inline constexpr CallInfo kCalls[] = {
#define AEROGPU_KMT_CALL(NUMBER, NAME, REQUEST, REQUEST_BYTES, REPLY, REPLY_BYTES, REQUEST_TAIL, REPLY_TAIL) \
  {NUMBER, #NAME, REQUEST_BYTES, REPLY_BYTES, REQUEST_TAIL, REPLY_TAIL},
    AEROGPU_KMT_CALLS(AEROGPU_KMT_CALL)
#undef AEROGPU_KMT_CALL
};

/// Returns the call's row; null if there is none with this number. Numbers count from 1 without gaps.
constexpr const CallInfo* findCall(uint32_t number) {
  return number && number <= sizeof kCalls / sizeof kCalls[0] ? &kCalls[number - 1] : nullptr;
}
constexpr const CallInfo& infoOf(Call call) {
  return kCalls[static_cast<uint32_t>(call) - 1];
}
constexpr bool callsAreInOrder() {
  for (uint32_t i = 0; i < sizeof kCalls / sizeof kCalls[0]; ++i)
    if (kCalls[i].number != i + 1) return false;
  return true;
}
static_assert(callsAreInOrder());

/// Returns the length of the longest message in either direction.
constexpr uint32_t longestMessage() {
  uint32_t most = 0;
  for (const CallInfo& call : kCalls) {
    const uint32_t request = call.requestBytes + call.requestTail, reply = call.replyBytes + call.replyTail;
    most = request > most ? request : most;
    most = reply > most ? reply : most;
  }
  return kHeaderBytes + most;
}
inline constexpr uint32_t kMaxMessageBytes = longestMessage();

/// Returns the fault in a request's header, or null.
constexpr const char* requestFault(const RequestHeader& header) {
  const CallInfo* call = findCall(header.call);
  if (!call) return "no call has this number";
  if (header.length < kHeaderBytes + call->requestBytes) return "shorter than its body";
  if (header.length - kHeaderBytes - call->requestBytes > call->requestTail)
    return "longer than the call allows";
  return nullptr;
}
/// Returns the fault in the header of the answer to `request`, or null.
constexpr const char* replyFault(const ReplyHeader& header, const RequestHeader& request) {
  const CallInfo* call = findCall(request.call);
  if (!call || header.call != request.call || header.sequence != request.sequence)
    return "answers another request";
  if (header.length < kHeaderBytes + call->replyBytes) return "shorter than its body";
  if (header.length - kHeaderBytes - call->replyBytes > call->replyTail) return "longer than the call allows";
  return nullptr;
}

}  // namespace aerogpu::kmt
