// SPDX-License-Identifier: MIT
#include "renderer/snapshot/save.h"

#include <algorithm>

#include "renderer/core/presents.h"
#include "renderer/core/queries.h"
#include "renderer/snapshot/contents.h"
#include "renderer/snapshot/describe.h"
#include "renderer/snapshot/inventory.h"
#include "renderer/snapshot/steps.h"
#include "renderer/snapshot/wait.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

trace::SnapshotRecord beginning(const Submission& parts, uint64_t features, const Inventory& all) {
  const aerogpu_scanout_config& scanout = parts.presents.scanout();
  trace::SnapshotRecord record{};
  record.format = AEROGPU_TRACE_SNAPSHOT_FORMAT;
  record.fixed_size = sizeof record;
  record.features = features;
  record.content_bytes = contentBytes(all);
  record.scanout_enable = scanout.enable;
  record.scanout_by_alloc = scanout.by_allocation;
  record.scanout_alloc_id = scanout.alloc_id;
  record.scanout_format = scanout.format;
  record.scanout_width = scanout.width;
  record.scanout_height = scanout.height;
  record.scanout_pitch = scanout.pitch_bytes;
  record.scanout_gpa = scanout.fb_gpa;
  return record;
}

/// Describes the open queries of a context that is not selected.
Result<void> describeQueries(Backend& backend, ContextQueries& queries, Steps& steps) {
  for (uint32_t slot = 0; slot < ContextQueries::kSlots; ++slot) {
    if (!queries.open(slot)) continue;
    const auto counted = queries.readOpen(slot, [&] { return finishWork(backend); });
    if (!counted) return counted.error();
    if (queries.kindOf(slot) == QueryKind::Occlusion) {
      steps.packets.packet(aerogpu_cmd_load_query{{}, slot, 0, counted->front()});
      continue;
    }
    aerogpu_cmd_load_counts c{};
    c.slot = slot;
    c.type = AEROGPU_EXT_QUERY_STREAM_STATISTICS;
    std::ranges::copy(*counted, c.counts);
    steps.packets.packet(c);
  }
  return {};
}

/// Describes how far stream output has filled the buffers.
Result<void> describeFilled(const Inventory& all, Steps& steps) {
  for (const Buffer* buffer : all.buffers) {
    const auto filled = buffer->gpu->filled();
    if (!filled) return filled.error();
    if (*filled == 0) continue;
    steps.packets.packet(aerogpu_cmd_load_filled{{}, all.numberOf(buffer), *filled});
    steps.cut();
  }
  steps.write();
  return {};
}

Result<uint32_t> describeContexts(Submission& parts, const Inventory& all, Steps& steps,
                                  uint32_t& nextNumber) {
  uint32_t contexts = 0;
  for (const Space* space : all.spaces) {
    for (const auto& [id, context] : contextsOf(*space)) {
      steps.packets.packet(aerogpu_cmd_load_context{{}, space->number, id, context->changed, 0});
      describeContext(all, context->state, nextNumber, steps.packets);
      if (context->queries)
        if (auto described = describeQueries(parts.backend, *context->queries, steps); !described)
          return described.error();
      steps.cut();
      ++contexts;
    }
  }
  steps.write();
  return contexts;
}

}  // namespace

Result<void> save(Submission& parts, uint64_t features, trace::Writer& file, const Ahead* ahead) {
  const Inventory all(parts);
  Steps steps(file);
  file.snapshot(beginning(parts, features, all));
  describeSpaces(all, steps);
  describeClock(parts, steps);
  describeObjects(all, steps);
  describeBackings(parts, all, steps);
  if (auto written = writeContents(parts.backend, all, ahead, steps); !written) return written;
  if (auto described = describeFilled(all, steps); !described) return described;
  describeTokens(parts, all, steps);
  describeNames(all, steps);
  uint32_t nextNumber = all.count() + 1;
  const auto contexts = describeContexts(parts, all, steps, nextNumber);
  if (!contexts) return contexts.error();
  file.snapshotEnd(
      {sizeof(trace::SnapshotEndRecord), nextNumber - 1, static_cast<uint32_t>(all.names.size()), *contexts});
  if (file.failed()) return Error{ErrorCode::Internal, "the snapshot cannot be written"};
  return {};
}

}  // namespace aerogpu::snapshot
