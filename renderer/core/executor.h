// SPDX-License-Identifier: MIT
// Runs the commands of submissions: looks handles up, checks ranges, keeps the state of each guest context,
// and calls the back end. A command that fails has no effect (CMD-7). Render thread only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aerogpu/aerogpu_cmd_table.h"
#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/cmd/check.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/backend.h"
#include "renderer/core/frame_damage.h"
#include "renderer/core/guest_memory.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/page_lists.h"
#include "renderer/core/page_walk.h"
#include "renderer/core/pending_writes.h"
#include "renderer/core/shared_surfaces.h"
#include "renderer/core/sharing.h"
#include "renderer/core/spaces.h"
#include "renderer/core/state.h"
#include "renderer/core/stats.h"
#include "renderer/core/texture_backings.h"
#include "renderer/core/work_budget.h"

namespace aerogpu::core {

/// Told of every guest range that a submission's commands read, at the moment they do; for captures.
class GuestReadObserver {
public:
  virtual ~GuestReadObserver() = default;
  /// `rows` lie in `runs` (GuestSource); no runs: they cannot be found. Returns a source of the rows, so that
  /// the command works on what was observed; null when they cannot be read. Valid until the next call.
  virtual ByteSource* onGuestRead(const AllocTable::Entry& entry, const ByteRows& rows,
                                  std::span<const GuestRun> runs) = 0;
};

/// How executing a submission went.
struct ExecutionReport {
  uint32_t errorCount = 0;
  ErrorCode lastError = ErrorCode::None;
  uint32_t presents = 0;
  bool vsync = false;
  bool frameUnchanged =
      false;                   ///< the last present showed what the last frame of an earlier submission holds
  bool dropped = false;        ///< interrupted: the packets from executedBytes on did not run
  bool stopped = false;        ///< the same, for it must not fail and has
  bool needsGpu = true;        ///< false: guest memory was copied and filled, and nothing else was asked for
  uint64_t executedBytes = 0;  ///< of the stream, its header included; 0 when no packet was looked at
};

class Executor {
public:
  struct Environment {
    Backend& backend;
    HostMemory& hostMemory;
    Stats& stats;
    Log& log;
    const GuestMemory& guest;
    const std::atomic<bool>& interrupted;
    bool presentColorTarget;   ///< presents show colour target 0, not the scanout (trace files)
    uint64_t spaceMemory = 0;  ///< bytes that a handle space may make us hold, beside space 0
    Sharing sharing{};
  };
  explicit Executor(const Environment& env);
  ~Executor();

  ExecutionReport execute(const aerogpu_submission& submission);
  /// What FEATURES_LO (low half) and FEATURES_HI announce of the packets and of the memory they work on.
  uint64_t features() const;
  /// What could not be made again from nothing: objects with a handle, share tokens, contexts in which
  /// anything ran but presents since they were last reset, and spaces.
  uint64_t heldObjects() const {
    return m_otherHandles + m_handles.count() + m_shared.count() + m_changedContexts + m_spaces.count();
  }
  const Spaces& spaces() const { return m_spaces; }
  void setScanout(const aerogpu_scanout_config& config);
  /// The allocation whose texture is shown; 0 = none, or one is found by its address.
  uint32_t scanoutAllocation() const {
    return m_scanout.enable && m_scanout.by_allocation ? m_scanout.alloc_id : 0;
  }
  /// Whether a live texture's backing starts at the scanout address.
  bool scanoutIsTexture();
  /// Captures the scanout's texture, if there is one.
  Result<void> snapshotScanout();
  /// The oldest submission that was executed is finished: its write-backs are in guest memory. Any thread.
  void submissionFinished() { m_pendingWrites.finishOne(); }
  /// Nothing that comes runs before goOn() or reset(): a submission that must not fail has failed (MEM-12).
  /// Any thread.
  void hold() { m_held.store(true, std::memory_order_relaxed); }
  /// An interruption is over, in which what was under way was dropped.
  void goOn() { m_held.store(false, std::memory_order_relaxed); }
  /// Whether it must not fail (AEROGPU_SUBMIT_FLAG_EXT_HOLD of the kernel driver's, MEM-10).
  static bool mustNotFail(const aerogpu_submission& submission);
  /// The embedder may have thrown the last frame away: the next present brings a new one.
  void forgetFrame() { m_framed = {}; }
  /// Drops every object, token and binding. Every submission is finished.
  void reset();
  /// Null = none. Not owned.
  void setObserver(GuestReadObserver* observer) { m_observer = observer; }

  using Bytes = std::span<const uint8_t>;
  using Registers = std::span<const aerogpu_constant_register>;

  // One per row of the command table; called by cmd::decode with checked packets.
  Result<void> run(const aerogpu_cmd_hdr&) {
    ++m_hostPackets;
    return {};
  }
  Result<void> run(const aerogpu_cmd_hdr&, Bytes) {
    ++m_hostPackets;
    return {};
  }
  // executor_resources.cpp
  Result<void> run(const aerogpu_cmd_create_buffer& c);
  Result<void> run(const aerogpu_cmd_create_texture2d& c);
  Result<void> run(const aerogpu_cmd_ext_create_texture& c);
  Result<void> run(const aerogpu_cmd_create_texture_view& c);
  Result<void> run(const aerogpu_cmd_destroy_resource& c);
  Result<void> run(const aerogpu_cmd_destroy_texture_view& c);
  Result<void> run(const aerogpu_cmd_export_shared_surface& c);
  Result<void> run(const aerogpu_cmd_import_shared_surface& c);
  Result<void> run(const aerogpu_cmd_release_shared_surface& c);
  // executor_spaces.cpp
  Result<void> run(const aerogpu_cmd_ext_grant& c);
  Result<void> run(const aerogpu_cmd_ext_destroy_space& c);
  Result<void> run(const aerogpu_cmd_ext_name_space& c);
  Result<void> run(const aerogpu_cmd_ext_charge_space& c);
  Result<void> run(const aerogpu_cmd_ext_space_process& c);
  // executor_memory.cpp
  Result<void> run(const aerogpu_cmd_ext_copy_memory& c);
  Result<void> run(const aerogpu_cmd_ext_fill_memory& c);
  // executor_transfers.cpp
  Result<void> run(const aerogpu_cmd_resource_dirty_range& c);
  Result<void> run(const aerogpu_cmd_upload_resource& c, Bytes bytes);
  Result<void> run(const aerogpu_cmd_copy_buffer& c);
  Result<void> run(const aerogpu_cmd_copy_texture2d& c);
  // executor_blit.cpp
  Result<void> run(const aerogpu_cmd_ext_blit& c, std::span<const aerogpu_ext_blit_rect> rects);
  Result<void> run(const aerogpu_cmd_ext_fill& c, std::span<const aerogpu_ext_rect> rects);
  Result<void> run(const aerogpu_cmd_ext_generate_mips& c);
  // executor_updates.cpp
  Result<void> run(const aerogpu_cmd_ext_update_buffer& c);
  Result<void> run(const aerogpu_cmd_ext_update_texture& c);
  Result<void> run(const aerogpu_cmd_ext_read_texture& c);
  // executor_shaders.cpp
  Result<void> run(const aerogpu_cmd_create_shader_dxbc& c, Bytes bytes);
  Result<void> run(const aerogpu_cmd_destroy_shader& c);
  Result<void> run(const aerogpu_cmd_bind_shaders& c, Bytes rest);
  Result<void> run(const aerogpu_cmd_set_shader_constants_f& c, Registers registers);
  Result<void> run(const aerogpu_cmd_set_shader_constants_i& c, Registers registers);
  Result<void> run(const aerogpu_cmd_set_shader_constants_b& c, Registers registers);
  Result<void> run(const aerogpu_cmd_create_input_layout& c, Bytes blob);
  Result<void> run(const aerogpu_cmd_destroy_input_layout& c);
  Result<void> run(const aerogpu_cmd_set_input_layout& c);
  // executor_state.cpp
  Result<void> run(const aerogpu_cmd_set_blend_state& c);
  Result<void> run(const aerogpu_cmd_set_depth_stencil_state& c);
  Result<void> run(const aerogpu_cmd_set_rasterizer_state& c);
  Result<void> run(const aerogpu_cmd_set_render_state& c);
  Result<void> run(const aerogpu_cmd_set_render_targets& c);
  Result<void> run(const aerogpu_cmd_set_viewport& c);
  Result<void> run(const aerogpu_cmd_set_scissor& c);
  // executor_bindings.cpp
  Result<void> run(const aerogpu_cmd_set_vertex_buffers& c,
                   std::span<const aerogpu_vertex_buffer_binding> bindings);
  Result<void> run(const aerogpu_cmd_set_index_buffer& c);
  Result<void> run(const aerogpu_cmd_set_primitive_topology& c);
  Result<void> run(const aerogpu_cmd_set_texture& c);
  Result<void> run(const aerogpu_cmd_set_sampler_state& c);
  Result<void> run(const aerogpu_cmd_create_sampler& c);
  Result<void> run(const aerogpu_cmd_destroy_sampler& c);
  Result<void> run(const aerogpu_cmd_set_samplers& c, std::span<const uint32_t> handles);
  Result<void> run(const aerogpu_cmd_set_constant_buffers& c,
                   std::span<const aerogpu_constant_buffer_binding> bindings);
  Result<void> run(const aerogpu_cmd_set_shader_resource_buffers& c,
                   std::span<const aerogpu_shader_resource_buffer_binding> bindings);
  Result<void> run(const aerogpu_cmd_set_unordered_access_buffers& c,
                   std::span<const aerogpu_unordered_access_buffer_binding> bindings);
  // executor_draw.cpp
  Result<void> run(const aerogpu_cmd_clear& c);
  Result<void> run(const aerogpu_cmd_draw& c);
  Result<void> run(const aerogpu_cmd_draw_indexed& c);
  Result<void> run(const aerogpu_cmd_dispatch& c);
  Result<void> run(const aerogpu_cmd_ext_draw_inline& c, Bytes bytes);
  Result<void> run(const aerogpu_cmd_flush& c);
  Result<void> run(const aerogpu_cmd_ext_reset_context& c);
  // executor_present.cpp
  Result<void> run(const aerogpu_cmd_present& c);
  Result<void> run(const aerogpu_cmd_present_ex& c);
  Result<void> run(const aerogpu_cmd_ext_present_rects& c, std::span<const aerogpu_ext_rect> rects);
  // executor_ext_backing.cpp
  Result<void> run(const aerogpu_cmd_ext_attach_backing& c);
  // executor_ext_queries.cpp
  Result<void> run(const aerogpu_cmd_ext_query_begin& c);
  Result<void> run(const aerogpu_cmd_ext_query_end& c);
  // executor_ext_states.cpp
  Result<void> run(const aerogpu_cmd_ext_set_clip_planes& c, std::span<const aerogpu_ext_clip_plane> planes);
  Result<void> run(const aerogpu_cmd_ext_set_texture_stage& c);
  Result<void> run(const aerogpu_cmd_ext_set_state& c);
  Result<void> run(const aerogpu_cmd_ext_set_stream_frequency& c, std::span<const uint32_t> steps);
  // executor_ext_values.cpp
  Result<void> run(const aerogpu_cmd_ext_write_value& c);

private:
  /// Vertices (times instances) of one draw, groups of one dispatch: bounds what a single packet can cost.
  static constexpr uint64_t kMaxVerticesPerDraw = uint64_t{1} << 28;
  static constexpr uint64_t kMaxGroupsPerDispatch = uint64_t{1} << 24;
  static constexpr uint32_t kPipelinesOfSlice = 4;
  static constexpr uint32_t kMaxValues = 1024;   ///< that one submission may have written (VALUE-4)
  static constexpr uint32_t kMaxQueries = 8192;  ///< begins and ends of one submission (QUERY-10)
  static constexpr uint64_t kMemoryPiece = WriteGate::kPieceBytes;  ///< between two looks at an interruption
  static constexpr uint64_t kObjectBytes = 512;  ///< what an object costs beside its memory on the GPU

  void noteError(const Error& error, uint32_t offset, uint32_t opcode, uint64_t fence);
  /// Packet by packet, in the space and context that are selected.
  void executePackets(const aerogpu_submission& submission);
  /// What was executed, in the counters of the selected space. `drawsBefore`: Stats::draws before it.
  void noteSpace(uint64_t drawsBefore);
  /// What the slot says of the space: checked, selected.
  Result<void> enterSpace(const aerogpu_submission& submission);
  void selectSpace(Space& space);
  Result<void> selectContext(uint32_t contextId);
  /// The packet is for the kernel driver's own submissions (SPACE-12).
  Result<void> needKernel() const {
    if (m_kernel) return {};
    return refused(ErrorCode::CmdDecode, "the packet is the kernel driver's", {{"space", m_space->number}});
  }
  /// The same of a packet that makes no sense without spaces.
  Result<void> needSpaces() const;
  /// Everything in it ends.
  void destroySpace(std::unique_ptr<Space> space);
  /// Whose memory it is may be changed by this submission (SPACE-19).
  Result<void> needOwn(const Resource& resource) const;
  /// The selected context's queries do not count until it is selected again.
  void pauseQueries() {
    if (m_context && m_context->queries) m_context->queries->pause();
  }
  void noteContextChange(bool changed);
  /// The back end has seen nothing of the selected context's state.
  void markAllDirty();
  Result<void> needFreeHandle(uint32_t handle) const;
  Result<HostMemoryCharge> chargeObject(uint64_t extraBytes = 0);
  template <class T>
  Result<T*> need(uint32_t handle, const char* what);
  Result<Stage> stage(uint32_t stage, uint32_t stageEx) const;
  /// One handle less names the resource.
  void dropReference(Resource& resource);
  /// The texture that is shown; null when it is memory or nothing.
  Texture* scanoutTexture() const;
  /// `rects`: what differs from the last present; none: anything may.
  Result<void> present(uint32_t flags, std::span<const aerogpu_ext_rect> rects);
  Result<void> captureFrame(Texture& texture, const FrameDamage& damage);
  /// The colour targets are about to be written.
  void noteTargetWrites() {
    for (uint32_t i = 0; i < m_state->colorTargetCount; ++i)
      if (Texture* texture = m_state->colorTargets[i].texture.get()) ++texture->writes;
  }
  /// The allocation of a backing in this submission, if it holds [offset, offset + size) of the resource.
  Result<const AllocTable::Entry*> backingEntry(const Backing& backing, uint64_t offset, uint64_t size,
                                                bool write) const;
  /// The allocation of this submission that a packet has a result written to, of `size` bytes at `offset`.
  Result<const AllocTable::Entry*> writableEntry(uint32_t allocId, uint64_t offset, uint64_t size) const;
  /// Where rows inside an allocation lie; valid until the next call.
  Result<std::span<const GuestRun>> locate(const AllocTable::Entry& entry, const ByteRows& rows);
  /// The same for what is written when work is done, which outlives the submission.
  Result<std::shared_ptr<GuestRuns>> runsToWrite(const AllocTable::Entry& entry, const ByteRows& rows);
  Result<std::unique_ptr<ByteSink>> sinkAt(const AllocTable::Entry& entry, const ByteRows& rows);
  /// The same for the backing of a box, which lies inside.
  Result<std::unique_ptr<ByteSink>> sinkOf(const Texture& texture, Subresource sub, const Box& box);
  /// What all packets that make textures have in common.
  /// `described` is all of it but the format, a number of the guest's that need not be one of aerogpu_format.
  Result<void> createTexture(uint32_t handle, uint32_t formatNumber, const TextureDesc& described,
                             const Backing& backing);
  Result<void> needSize(const TextureDesc& desc) const;
  /// Rows of blocks in guest memory that an update or a read names, checked against the allocation.
  struct BoxMemory {
    const AllocTable::Entry* entry;
    uint64_t offset, rowPitch, slicePitch;
    uint64_t rowBytes;
    uint32_t rows, slices;  ///< rows of one slice

    /// Rows of all slices are equally far apart.
    bool even() const { return slices == 1 || slicePitch == rows * rowPitch; }
    ByteRows slice(uint32_t z) const { return {offset + z * slicePitch, rowBytes, rowPitch, rows}; }
    ByteRows all() const { return {offset, rowBytes, rowPitch, uint64_t{rows} * slices}; }
    uint64_t bytes() const { return rowBytes * rows * slices; }
  };
  /// That the texture has the subresource, and that the box, whole blocks of the format's, lies in it.
  /// `slice`: what the packet calls the box's z.
  static Result<void> checkBox(const Texture& texture, Subresource sub, const Box& box,
                               const char* slice = "z");
  /// Of EXT_UPDATE_TEXTURE and EXT_READ_TEXTURE.
  template <class Packet>
  static Result<void> checkTransfer(const Packet& c, const Texture& texture);
  Result<BoxMemory> boxMemory(const Texture& texture, const Box& box, const AllocTable::Entry& entry,
                              uint64_t offset, uint64_t rowPitch, uint64_t slicePitch) const;
  /// checkBlit() of m_blitBoxes; an error says which of them it is about.
  Result<BlitKind> checkBlitOf(const Texture& dst, const Slice& to, const Texture& src, const Slice& from,
                               const BlitArgs& args) const;
  /// One more begin or end of a query in this submission.
  Result<void> takeQuery();
  /// Those of the selected context.
  Result<ContextQueries*> needQueries();
  Result<void> settleWrites();
  /// Waits for what was handed over; Interrupted is the only error.
  Result<void> awaitIdle();
  /// That nothing before this packet reads or writes guest memory any more, as far as that is not written
  /// down in m_pendingWrites. Interrupted is the only error.
  Result<void> settleMemory();
  Result<void> settleIfWritten(GuestRun run);
  /// The range of a packet that copies or fills memory, checked against the allocation.
  Result<const AllocTable::Entry*> sourceEntry(uint32_t allocId, uint64_t offset, uint64_t size) const;
  /// What every packet begins with that works on memory alone.
  Result<void> beginMemory(uint64_t bytes);
  /// Where the walk goes on, at most kMemoryPiece bytes; whatever is about to write there has done so.
  Result<GuestRun> nextPiece(PageWalk& walk);
  Result<void> copyMemory(PageWalk& to, PageWalk& from, bool fromEnd);
  /// Whether the stream has nothing but packets that work on memory alone, and so needs no context.
  static bool needsNoContext(const aerogpu_submission& submission);
  /// Calls `use` with a source of the guest's bytes.
  template <class Use>
  Result<void> readGuest(const AllocTable::Entry& entry, const ByteRows& rows, Use use);
  Result<void> uploadTexture(Texture& texture, uint64_t offset, Bytes bytes);
  Result<Ref<Shader>> shaderFor(uint32_t handle, Stage stage);
  Result<TargetBinding> target(uint32_t handle, bool depth);
  Result<void> checkDraw(uint32_t vertices, uint32_t instances) const;
  Error tooMuch(Work work, uint64_t amount) const;
  /// Counts work right before the back end is asked for it; over the submission's limit: Backend.
  Result<void> take(Work work, uint64_t amount, uint32_t weight = 1) {
    if (m_work.take(work, amount, weight)) return {};
    return tooMuch(work, amount);
  }
  /// What invocations of the bound vertex and pixel shaders count for: after a change of them.
  void weigh();
  /// A sampler of the pixel shader has changed.
  void noteFilter(const SamplerState& changed);
  /// Whether the submission has had its time, and others wait for theirs. Asked behind what may have
  /// compiled.
  bool outOfTime() const;
  /// Behind what may have made a pipeline: whether it has is looked at behind the packet.
  void noteCompiled() {
    if (m_env.stats.pipelinesCreated.load(std::memory_order_relaxed) != m_pipelines) [[unlikely]]
      m_work.ask();
  }
  /// A pipeline was made, which GPUs' drivers compile now or when it is first used.
  void notePipeline();
  /// A slice is full: waits for the GPU. False when the rest of the submission is not to run.
  bool endSlice();
  Result<void> takeDraw(uint64_t vertices, uint64_t instances);
  Result<void> noteDrawn(Result<void> drawn);
  void measureTargets();
  DrawState& state() { return *m_state; }
  StageBindings& bindings(Stage stage) { return m_state->stages[static_cast<size_t>(stage)]; }
  void dirtyStage(Stage stage, uint32_t bit) {
    m_state->dirty |= bit;
    m_state->dirtyResourceStages |= 1u << static_cast<uint32_t>(stage);
  }

  const Environment m_env;
  SharedSurfaces m_shared;
  Spaces m_spaces;
  HandleTable m_handles;        ///< of m_space
  Space* m_space;               ///< that is selected
  uint64_t m_otherHandles = 0;  ///< in the tables of the other spaces
  size_t m_contextCount = 0;    ///< of all spaces
  bool m_inSpace = false;       ///< spaces are enabled, as of this submission
  bool m_kernel = true;         ///< the submission is the kernel driver's own
  bool m_mustNotFail = false;   ///< it stops everything when it does
  std::atomic<bool> m_held{false};
  AllocTable m_allocs;
  PageLists m_pageLists;
  PendingWrites m_pendingWrites;
  GuestRun m_linearRun{};            ///< what locate() returned last, or
  std::vector<GuestRun> m_listRuns;  ///< this
  std::vector<Box> m_boxes;          ///< of the packet that runs; kept for its room
  std::vector<BlitBox> m_blitBoxes;  ///< the same
  uint32_t m_contextId = 0;
  DrawState* m_state = nullptr;
  Context* m_context = nullptr;    ///< that m_state belongs to
  uint64_t m_changedContexts = 0;  ///< how many have `changed`
  uint64_t m_packets = 0;          ///< of this submission that were decoded
  uint64_t m_neutralPackets = 0;   ///< of these, how many left the context as it was at first
  uint64_t m_hostPackets = 0;      ///< of these, how many asked for nothing, or for memory alone
  uint64_t m_memoryPackets = 0;    ///< the latter
  TextureBackings m_backings;
  aerogpu_scanout_config m_scanout{};
  GuestReadObserver* m_observer = nullptr;
  /// The texture of the newest frame that went out, and how often it had been written.
  struct Framed {
    uint64_t serial = 0, writes = 0;  ///< Texture::backingSerial; 0 = none
    bool operator==(const Framed&) const = default;
  };
  Framed m_framed;
  uint64_t m_framedSequence = 0;  ///< of that frame
  FrameDamage m_damage;           ///< of the frame that was taken in this submission
  bool m_frameTaken = false;      ///< in this submission: it comes out with it
  uint32_t m_values = 0;          ///< that this submission has written
  uint32_t m_queries = 0;         ///< that it has begun and ended
  ExecutionReport m_report;
  WorkBudget m_work;
  std::chrono::steady_clock::time_point m_began;  ///< this submission
  /// A shader was translated, which takes time too; no count of pipelines.
  static constexpr uint64_t kShaderMade = UINT64_MAX;
  uint64_t m_pipelines = 0;  ///< Stats::pipelinesCreated as it was looked at, or kShaderMade
  uint32_t m_newPipelines = 0;
  uint32_t m_slices = 0;  ///< of this submission that are full, since a pipeline was made
  uint32_t m_minor = 0;   ///< of the stream being executed
};

template <class T>
Result<T*> Executor::need(uint32_t handle, const char* what) {
  T* object = m_handles.get<T>(handle);
  if (!object) return refused(ErrorCode::CmdDecode, what, {{"handle", handle}});
  return object;
}

template <class Use>
Result<void> Executor::readGuest(const AllocTable::Entry& entry, const ByteRows& rows, Use use) {
  m_env.stats.uploadBytes.add(rows.rowBytes * rows.rows);
  const auto runs = locate(entry, rows);
  if (!runs) {
    if (m_observer) m_observer->onGuestRead(entry, rows, {});
    return runs.error();
  }
  // Packets run in order: what an earlier one writes back is there before this one reads.
  if (m_pendingWrites.touches(*runs))
    if (auto settled = settleWrites(); !settled) return settled;
  if (m_observer)
    if (ByteSource* seen = m_observer->onGuestRead(entry, rows, *runs)) return use(*seen);
  GuestSource source(m_env.guest, *runs, rows.span());
  Result<void> used = use(source);
  if (!used && used.error().code == ErrorCode::OutOfBounds)
    used.error().values = {{"alloc_id", entry.id}, {"offset", rows.offset}, {"bytes", rows.span()}};
  return used;
}

}  // namespace aerogpu::core
