// SPDX-License-Identifier: MIT
// Runs the commands of submissions: looks handles up, checks ranges, keeps the state of each guest context,
// and calls the back end. A command that fails has no effect (CMD-7). Render thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_cmd_table.h"
#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/cmd/check.h"
#include "renderer/core/backend.h"
#include "renderer/core/context_table.h"
#include "renderer/core/execution_report.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/page_walk.h"
#include "renderer/core/presents.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/sharing.h"
#include "renderer/core/spaces.h"
#include "renderer/core/state.h"
#include "renderer/core/stats.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

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
    return m_space.handleCount() + m_resources.shared.count() + m_contexts.changedCount() + m_spaces.count();
  }
  const Spaces& spaces() const { return m_spaces; }
  void setScanout(const aerogpu_scanout_config& config) { m_presents.setScanout(config); }
  /// The allocation whose texture is shown; 0 = none, or one is found by its address.
  uint32_t scanoutAllocation() const { return m_presents.scanoutAllocation(); }
  /// Whether a live texture's backing starts at the scanout address.
  bool scanoutIsTexture() const { return m_presents.scanoutTexture() != nullptr; }
  /// Captures the scanout's texture, if there is one.
  Result<void> snapshotScanout() { return m_presents.snapshot(); }
  /// The oldest submission that was executed is finished: its write-backs are in guest memory. Any thread.
  void submissionFinished() { m_guest.submissionFinished(); }
  /// Nothing that comes runs before goOn() or reset(): a submission that must not fail has failed (MEM-12).
  /// Any thread.
  void hold() { m_held.store(true, std::memory_order_relaxed); }
  /// An interruption is over, in which what was under way was dropped.
  void goOn() { m_held.store(false, std::memory_order_relaxed); }
  /// Whether it must not fail (AEROGPU_SUBMIT_FLAG_EXT_HOLD of the kernel driver's, MEM-10).
  static bool mustNotFail(const aerogpu_submission& submission);
  /// The embedder may have thrown the last frame away: the next present brings a new one.
  void forgetFrame() { m_presents.forgetFrame(); }
  /// Drops every object, token and binding. Every submission is finished.
  void reset();
  /// Null = none. Not owned.
  void setObserver(GuestReadObserver* observer) { m_guest.setObserver(observer); }

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
  static constexpr uint32_t kMaxValues = 1024;   ///< that one submission may have written (VALUE-4)
  static constexpr uint32_t kMaxQueries = 8192;  ///< begins and ends of one submission (QUERY-10)
  static constexpr uint64_t kMemoryPiece = WriteGate::kPieceBytes;  ///< between two looks at an interruption

  void noteError(const Error& error, uint32_t offset, uint32_t opcode, uint64_t fence);
  /// Packet by packet, in the space and context that are selected.
  void executePackets(const aerogpu_submission& submission);
  /// What was executed, in the counters of the selected space. `drawsBefore`: Stats::draws before it.
  void noteSpace(uint64_t drawsBefore);
  void selectSpace(Space& space);
  Result<Stage> stage(uint32_t stage, uint32_t stageEx) const;
  /// The colour targets are about to be written.
  void noteTargetWrites() {
    const DrawState& state = m_contexts.state();
    for (uint32_t i = 0; i < state.colorTargetCount; ++i)
      if (Texture* texture = state.colorTargets[i].texture.get()) ++texture->writes;
  }
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
  /// What every packet begins with that works on memory alone.
  Result<void> beginMemory(uint64_t bytes);
  /// Where the walk goes on, at most kMemoryPiece bytes; whatever is about to write there has done so.
  Result<GuestRun> nextPiece(PageWalk& walk);
  Result<void> copyMemory(PageWalk& to, PageWalk& from, bool fromEnd);
  /// Whether the stream has nothing but packets that work on memory alone, and so needs no context.
  static bool needsNoContext(const aerogpu_submission& submission);
  Result<void> uploadTexture(Texture& texture, uint64_t offset, Bytes bytes);
  Result<Ref<Shader>> shaderFor(uint32_t handle, Stage stage);
  Result<TargetBinding> target(uint32_t handle, bool depth);
  Result<void> checkDraw(uint32_t vertices, uint32_t instances);
  /// What invocations of the bound vertex and pixel shaders count for: after a change of them.
  void weigh();
  /// A sampler of the pixel shader has changed.
  void noteFilter(const SamplerState& changed);
  Result<void> takeDraw(uint64_t vertices, uint64_t instances);
  Result<void> noteDrawn(Result<void> drawn);
  void measureTargets();

  const Environment m_env;
  Spaces m_spaces;
  SelectedSpace m_space;
  ContextTable m_contexts;
  ResourceIndex m_resources;
  GuestAccess m_guest;
  WorkMeter m_work;
  Presents m_presents;
  bool m_mustNotFail = false;  ///< this submission stops everything when it fails
  std::atomic<bool> m_held{false};
  std::vector<Box> m_boxes;          ///< of the packet that runs; kept for its room
  std::vector<BlitBox> m_blitBoxes;  ///< the same
  uint64_t m_packets = 0;            ///< of this submission that were decoded
  uint64_t m_neutralPackets = 0;     ///< of these, how many left the context as it was at first
  uint64_t m_hostPackets = 0;        ///< of these, how many asked for nothing, or for memory alone
  uint64_t m_memoryPackets = 0;      ///< the latter
  uint32_t m_values = 0;             ///< that this submission has written
  uint32_t m_queries = 0;            ///< that it has begun and ended
  ExecutionReport m_report;
  uint32_t m_minor = 0;  ///< of the stream being executed
};

}  // namespace aerogpu::core
