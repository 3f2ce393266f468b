// SPDX-License-Identifier: MIT
// Images with their memory, and facts about images of one shape. The image of a destroyed texture is kept for
// a while once the GPU is done with it, for the next texture of that shape: programs constantly make and
// destroy textures of few shapes. The contents of such an image are as undefined as those of new memory.
// Render thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "renderer/base/salted_hash.h"
#include "renderer/core/resource_desc.h"
#include "renderer/vulkan/device/memory.h"
#include "renderer/vulkan/device/recorder.h"
#include "renderer/vulkan/objects/format.h"

namespace aerogpu::vk {

class ImageStore;
class StoredImage;

/// Textures that differ only in their usage flags have one shape.
struct ImageShape {
  ImageShape(ImageStore& owner, const core::TextureDesc& description) : store(owner), desc(description) {}
  ImageStore& store;
  const core::TextureDesc desc;
  VkFormatInfo format;
  VkImageUsageFlags usage = 0;
  VkFormatFeatureFlags features = 0;
  MemoryPool* pool = nullptr;  ///< null until there was an image
  uint64_t bytes = 0, alignment = 0;
  StoredImage* kept = nullptr;  ///< a list, the last one kept first
  uint32_t images = 0;          ///< all images of this shape, kept ones included
};

/// An image that gives itself back to its store.
class StoredImage final : public Returning {
public:
  StoredImage(ImageShape& shape, VkImage image) : m_shape(shape), m_image(image) {}
  VkImage image() const { return m_image; }
  const ImageShape& shape() const { return m_shape; }
  void finished() override;

private:
  friend class ImageStore;
  ImageShape& m_shape;
  const VkImage m_image;
  MemoryRange m_memory;
  StoredImage* m_next = nullptr;
  uint64_t m_batch = 0;  ///< in which it was put aside
};

/// True if the GPU draws to slices of volumes of the format.
bool drawsToSlices(const Device& device, VkFormat format);
/// True if it has 1D images of the format that are sampled and drawn to.
bool hasRows(const Device& device, VkFormat format);

class ImageStore {
public:
  /// `recorder` may be destroyed first; it then gives back the images that it holds.
  ImageStore(Device& device, const Recorder& recorder, HostMemory& hostMemory)
      : m_device(device), m_recorder(recorder), m_hostMemory(hostMemory) {}
  ~ImageStore() { dropAll(); }
  ImageStore(const ImageStore&) = delete;
  ImageStore& operator=(const ImageStore&) = delete;

  /// Takes an image for a texture; its layout is UNDEFINED. `charge` grows by the memory needed before the
  /// memory is taken; null: nobody is charged.
  Result<StoredImage*> take(const core::TextureDesc& desc, HostMemoryCharge* charge, uint64_t extraBytes);
  /// Gives back an image that the GPU never saw, or is done with.
  void giveBack(StoredImage* image);
  /// Drops images that were kept for too long.
  void age(uint64_t batch);
  uint64_t keptBytes() const { return m_keptBytes; }

private:
  // Charged to no guest, like a spare block of a MemoryPool.
  static constexpr uint64_t kMostBytes = uint64_t{32} << 20;
  static constexpr uint32_t kMostImages = 2048;
  static constexpr uint64_t kLongest = 64;  ///< batches
  struct Hash {
    size_t operator()(const core::TextureDesc& d) const;
  };

  Result<ImageShape*> shape(const core::TextureDesc& desc);
  Result<void> describe(ImageShape& shape) const;
  Result<StoredImage*> make(ImageShape& shape, HostMemoryCharge* charge, uint64_t extraBytes);
  /// Charges for an image; fails if that passes a cap.
  Result<void> take(HostMemoryCharge* charge, const ImageShape& shape, uint64_t extraBytes);
  Result<MemoryRange> memory(const ImageShape& shape);
  void destroy(StoredImage* image);
  /// Drops images of `shape` that were kept before `batch`.
  void dropKept(ImageShape& shape, uint64_t batch);
  void dropAll();

  /// Returns a pool for images that may lie in these memory types: on the device first.
  MemoryPool& pool(uint32_t typeBits);

  Device& m_device;
  const Recorder& m_recorder;
  HostMemory& m_hostMemory;
  std::vector<std::pair<uint32_t, std::unique_ptr<MemoryPool>>> m_pools;  ///< by memory type bits
  std::unordered_map<core::TextureDesc, ImageShape, Hash> m_shapes;
  uint64_t m_keptBytes = 0, m_nextAge = 0;
  uint32_t m_kept = 0;
};

}  // namespace aerogpu::vk
