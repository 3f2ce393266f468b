// SPDX-License-Identifier: MIT
// The pipeline cache on disk: one file per device and driver, replaced atomically, bounded, and read only if
// its own header and Vulkan's (Vulkan 1.3, VkPipelineCacheHeaderVersionOne) match this device.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "renderer/vulkan/draw/pipeline_cache.h"

namespace aerogpu::vk {
namespace {

constexpr uint32_t kMagic = 0x43504741;  // "AGPC"
constexpr uint32_t kVersion = 1;

struct FileHeader {
  uint32_t magic, version;
  uint64_t size, checksum;
};

uint64_t checksum(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint8_t b : bytes) hash = (hash ^ b) * 0x100000001B3u;
  return hash;
}

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

std::string PipelineCache::path() const {
  const VkPhysicalDeviceProperties& p = m_gpu.device->properties();
  char name[64];
  std::snprintf(name, sizeof name, "/pipelines-%08x-%08x-", p.vendorID, p.deviceID);
  std::string out = m_folder + name;
  for (const uint8_t b : p.pipelineCacheUUID) {
    std::snprintf(name, sizeof name, "%02x", b);
    out += name;
  }
  return out;
}

std::vector<uint8_t> PipelineCache::load() const {
  if (m_folder.empty()) return {};
  const File file(std::fopen(path().c_str(), "rb"));
  FileHeader header;
  if (!file || std::fread(&header, sizeof header, 1, file.get()) != 1 || header.magic != kMagic ||
      header.version != kVersion || header.size > kMaxFileBytes)
    return {};
  std::vector<uint8_t> bytes(header.size);
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      checksum(bytes) != header.checksum)
    return {};
  VkPipelineCacheHeaderVersionOne vulkan;
  if (bytes.size() < sizeof vulkan) return {};
  std::memcpy(&vulkan, bytes.data(), sizeof vulkan);
  const VkPhysicalDeviceProperties& p = m_gpu.device->properties();
  if (vulkan.headerVersion != VK_PIPELINE_CACHE_HEADER_VERSION_ONE || vulkan.vendorID != p.vendorID ||
      vulkan.deviceID != p.deviceID ||
      std::memcmp(vulkan.pipelineCacheUUID, p.pipelineCacheUUID, VK_UUID_SIZE) != 0)
    return {};
  return bytes;
}

void PipelineCache::save() {
  if (m_folder.empty() || !m_cache || m_made == 0 || m_gpu.device->lost()) return;
  m_made = 0;
  const DeviceTable& vk = m_gpu.device->vk();
  size_t size = 0;
  if (vk.GetPipelineCacheData(m_gpu.device->handle(), m_cache, &size, nullptr) != VK_SUCCESS || size == 0)
    return;
  if (size > kMaxFileBytes) return open({});  // starts empty, so that later pipelines are kept
  std::vector<uint8_t> bytes(size);
  if (vk.GetPipelineCacheData(m_gpu.device->handle(), m_cache, &size, bytes.data()) != VK_SUCCESS) return;
  bytes.resize(size);
  std::error_code ignored;
  std::filesystem::create_directories(m_folder, ignored);
  const std::string target = path(), temporary = target + "." + std::to_string(getpid());
  const FileHeader header{kMagic, kVersion, bytes.size(), checksum(bytes)};
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) return;
  const bool written = std::fwrite(&header, sizeof header, 1, file.get()) == 1 &&
                       std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                       std::fflush(file.get()) == 0;
  file.reset();
  // A reader sees the old file or the new one, never half of one.
  if (!written || std::rename(temporary.c_str(), target.c_str()) != 0) std::remove(temporary.c_str());
}

}  // namespace aerogpu::vk
