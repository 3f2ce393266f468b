// SPDX-License-Identifier: MIT
// Each field of each object and context is in a snapshot. What is compared is the renderer's own state, not
// what the describer says of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "renderer/local/local.h"
#include "renderer/snapshot/inventory.h"
#include "renderer/snapshot/test/everything.h"

namespace aerogpu::test {
namespace {

using core::DrawState;
using snapshot::Inventory;

class SnapshotState : public testing::Test {
protected:
  SnapshotState() {
    makeEverything(made);
    const Snapshot snapshot = takeSnapshot(made.renderer());
    EXPECT_EQ(snapshot.error, "");
    EXPECT_EQ(loadSnapshot(again.renderer(), snapshot.bytes), "");
    a = std::make_unique<Inventory>(made.local().executor->parts());
    b = std::make_unique<Inventory>(again.local().executor->parts());
  }
  template <class T>
  void expectSame(const core::Ref<T>& x, const core::Ref<T>& y) {
    EXPECT_EQ(a->numberOf(x.get()), b->numberOf(y.get()));
  }
  void expectSame(const core::TargetBinding& x, const core::TargetBinding& y) {
    expectSame(x.texture, y.texture);
    expectSame(x.view, y.view);
  }
  void expectSame(const core::BufferBinding& x, const core::BufferBinding& y) {
    expectSame(x.buffer, y.buffer);
    EXPECT_EQ(x.offset, y.offset);
    EXPECT_EQ(x.size, y.size);
    EXPECT_EQ(x.initialCount, y.initialCount);
  }
  void expectSame(const core::StageBindings& x, const core::StageBindings& y) {
    for (size_t i = 0; i < x.resources.size(); ++i) {
      expectSame(x.resources[i].texture, y.resources[i].texture);
      expectSame(x.resources[i].view, y.resources[i].view);
      expectSame(x.resources[i].buffer, y.resources[i].buffer);
      EXPECT_EQ(x.resources[i].offset, y.resources[i].offset);
      EXPECT_EQ(x.resources[i].size, y.resources[i].size);
      EXPECT_EQ(x.resources[i].format, y.resources[i].format);
    }
    EXPECT_EQ(x.samplers, y.samplers);
    for (size_t i = 0; i < x.constantBuffers.size(); ++i)
      expectSame(x.constantBuffers[i], y.constantBuffers[i]);
    for (size_t i = 0; i < x.unorderedAccess.size(); ++i)
      expectSame(x.unorderedAccess[i], y.unorderedAccess[i]);
  }
  template <class File>
  static void expectSameConstants(const File& x, const File& y) {
    EXPECT_EQ(x.f, y.f);
    EXPECT_EQ(x.i, y.i);
    EXPECT_EQ(x.b, y.b);
  }
  void expectSame(const DrawState& x, const DrawState& y) {
    for (size_t i = 0; i < core::kStageCount; ++i) {
      expectSame(x.shaders[i], y.shaders[i]);
      expectSame(x.stages[i], y.stages[i]);
    }
    expectSame(x.inputLayout, y.inputLayout);
    for (size_t i = 0; i < core::kMaxColorTargets; ++i) expectSame(x.colorTargets[i], y.colorTargets[i]);
    EXPECT_EQ(x.colorTargetCount, y.colorTargetCount);
    expectSame(x.depthTarget, y.depthTarget);
    EXPECT_EQ(x.drawPixels, y.drawPixels);
    EXPECT_EQ(x.anisotropy, y.anisotropy);
    EXPECT_EQ(x.vertexWeight, y.vertexWeight);
    EXPECT_EQ(x.pixelWeight, y.pixelWeight);
    using Words = std::array<uint32_t, 6>;
    EXPECT_EQ(std::bit_cast<Words>(x.viewport), std::bit_cast<Words>(y.viewport));
    EXPECT_EQ(x.viewportSet, y.viewportSet);
    EXPECT_EQ(std::memcmp(&x.scissor, &y.scissor, sizeof x.scissor), 0);
    EXPECT_TRUE(x.more == y.more);
    EXPECT_EQ(x.targetLayers, y.targetLayers);
    EXPECT_EQ(x.blend, y.blend);
    EXPECT_EQ(x.depthStencil, y.depthStencil);
    EXPECT_EQ(x.rasterizer, y.rasterizer);
    EXPECT_EQ(x.pixelPipe, y.pixelPipe);
    for (size_t i = 0; i < core::kMaxVertexStreams; ++i) {
      expectSame(x.vertexStreams[i].buffer, y.vertexStreams[i].buffer);
      EXPECT_EQ(x.vertexStreams[i].stride, y.vertexStreams[i].stride);
      EXPECT_EQ(x.vertexStreams[i].offset, y.vertexStreams[i].offset);
      EXPECT_EQ(x.vertexStreams[i].step, y.vertexStreams[i].step);
    }
    expectSame(x.indexBuffer.buffer, y.indexBuffer.buffer);
    EXPECT_EQ(x.indexBuffer.is32Bit, y.indexBuffer.is32Bit);
    EXPECT_EQ(x.indexBuffer.offset, y.indexBuffer.offset);
    EXPECT_EQ(x.topology, y.topology);
    expectSameConstants(x.vsConstants, y.vsConstants);
    expectSameConstants(x.psConstants, y.psConstants);
    EXPECT_EQ(x.clipPlanes, y.clipPlanes);
    EXPECT_EQ(x.textureStages, y.textureStages);
    EXPECT_EQ(x.streamOutput, y.streamOutput);
    for (size_t i = 0; i < core::kMaxStreamTargets; ++i) expectSame(x.streamTargets[i], y.streamTargets[i]);
  }
  static void expectSame(const core::Resource& x, const core::Resource& y) {
    EXPECT_EQ(x.ofKernel, y.ofKernel);
    EXPECT_EQ(x.backing.allocId, y.backing.allocId);
    EXPECT_EQ(x.backing.offset, y.backing.offset);
    EXPECT_EQ(x.backing.rowPitch, y.backing.rowPitch);
    EXPECT_EQ(x.handleCount, y.handleCount);
  }
  /// Calls `compare` with the objects of the same number.
  template <class T, class Compare>
  static void each(const std::vector<T*>& x, const std::vector<T*>& y, Compare compare) {
    ASSERT_EQ(x.size(), y.size());
    ASSERT_FALSE(x.empty());
    for (size_t i = 0; i < x.size(); ++i) compare(*x[i], *y[i]);
  }

  Harness made, again;
  std::unique_ptr<Inventory> a, b;
};

TEST_F(SnapshotState, EqualsInEachContext) {
  ASSERT_EQ(a->spaces.size(), b->spaces.size());
  size_t contexts = 0;
  for (size_t i = 0; i < a->spaces.size(); ++i) {
    const auto x = snapshot::contextsOf(*a->spaces[i]), y = snapshot::contextsOf(*b->spaces[i]);
    ASSERT_EQ(x.size(), y.size());
    for (size_t k = 0; k < x.size(); ++k, ++contexts) {
      SCOPED_TRACE(testing::Message() << "space " << a->spaces[i]->number << ", context " << x[k].first);
      EXPECT_EQ(x[k].first, y[k].first);
      expectSame(x[k].second->state, y[k].second->state);
    }
  }
  EXPECT_EQ(contexts, 8u);
}

TEST_F(SnapshotState, EqualsInEachObject) {
  each(a->buffers, b->buffers, [](const core::Buffer& x, const core::Buffer& y) {
    expectSame(x, y);
    EXPECT_EQ(x.desc.sizeBytes, y.desc.sizeBytes);
    EXPECT_EQ(x.desc.usage, y.desc.usage);
    EXPECT_EQ(*x.gpu->filled(), *y.gpu->filled());
  });
  EXPECT_EQ(*b->buffers[0]->gpu->filled(), 40u) << "SO-6";
  each(a->textures, b->textures, [](const core::Texture& x, const core::Texture& y) {
    expectSame(x, y);
    EXPECT_EQ(x.desc, y.desc);
    EXPECT_EQ(x.layout.totalBytes(), y.layout.totalBytes());
    EXPECT_EQ(x.backingPlaced, y.backingPlaced);
    if (x.backingPlaced) {
      EXPECT_EQ(x.backingGpa, y.backingGpa);
    }
    EXPECT_EQ(x.backingSerial != 0, y.backingSerial != 0);
  });
  each(a->views, b->views, [this](const core::View& x, const core::View& y) {
    expectSame(x.texture, y.texture);
    EXPECT_EQ(std::memcmp(&x.desc, &y.desc, sizeof x.desc), 0);
  });
  each(a->shaders, b->shaders, [](const core::Shader& x, const core::Shader& y) {
    EXPECT_EQ(x.family, y.family);
    EXPECT_EQ(x.stage, y.stage);
    EXPECT_EQ(x.weight, y.weight);
    EXPECT_TRUE(std::ranges::equal(x.gpu->code(), y.gpu->code()));
  });
  each(a->layouts, b->layouts, [](const core::InputLayout& x, const core::InputLayout& y) {
    EXPECT_EQ(x.pretransformed, y.pretransformed);
    ASSERT_EQ(x.elements.size(), y.elements.size());
    for (size_t i = 0; i < x.elements.size(); ++i) {
      const core::InputElement &e = x.elements[i], &f = y.elements[i];
      EXPECT_EQ(e.semanticHash, f.semanticHash);
      EXPECT_EQ(e.semanticIndex, f.semanticIndex);
      EXPECT_EQ(e.isD3d9Type, f.isD3d9Type);
      EXPECT_EQ(e.format, f.format);
      EXPECT_EQ(e.stream, f.stream);
      EXPECT_EQ(e.offset, f.offset);
      EXPECT_EQ(e.perInstance, f.perInstance);
      EXPECT_EQ(e.stepRate, f.stepRate);
    }
  });
  each(a->samplers, b->samplers,
       [](const core::Sampler& x, const core::Sampler& y) { EXPECT_EQ(x.state, y.state); });
}

TEST_F(SnapshotState, EqualsInEachSpace) {
  ASSERT_EQ(a->spaces.size(), 5u);
  ASSERT_EQ(b->spaces.size(), 5u);
  for (size_t i = 0; i < a->spaces.size(); ++i) {
    const core::Space &x = *a->spaces[i], &y = *b->spaces[i];
    EXPECT_EQ(x.number, y.number);
    EXPECT_EQ(x.process, y.process);
    EXPECT_EQ(x.processId, y.processId);
    EXPECT_EQ(x.imageName, y.imageName);
    EXPECT_EQ(a->handlesOf(x).count(), b->handlesOf(y).count());
    const auto held = [](const core::Space& one) { return one.share ? one.share->owner().heldBytes() : 0; };
    EXPECT_EQ(held(x), held(y));
  }
  EXPECT_GT(a->spaces[1]->account->memory.heldBytes(), 0u);
  EXPECT_EQ(made.stats().host_memory_bytes, again.stats().host_memory_bytes);
  EXPECT_EQ(made.stats().resources, again.stats().resources);
  EXPECT_EQ(made.stats().held_objects, again.stats().held_objects);
}

}  // namespace
}  // namespace aerogpu::test
