// SPDX-License-Identifier: MIT
#include "renderer/remote/config.h"

namespace aerogpu::remote {

void packConfig(Packer& to, const aerogpu_renderer_config& config) {
  to.value(config.flags).value(config.max_batch_ms);
  to.value(config.max_hostmem).value(config.max_space_hostmem).value(config.recent_bytes);
  for (const char* text : {config.backend, config.vulkan_device, config.cache_dir, config.vm_name,
                           config.vm_uuid, config.recent_trace, config.caps})
    to.maybe(text);
}

aerogpu_renderer_config unpackConfig(Unpacker& from, ConfigTexts& texts) {
  aerogpu_renderer_config config{};
  config.struct_size = sizeof config;
  config.flags = from.value<uint32_t>();
  config.max_batch_ms = from.value<uint32_t>();
  config.max_hostmem = from.value<uint64_t>();
  config.max_space_hostmem = from.value<uint64_t>();
  config.recent_bytes = from.value<uint64_t>();
  const auto take = [&from](std::optional<std::string>& text) {
    text = from.maybe();
    return text ? text->c_str() : nullptr;
  };
  config.backend = take(texts.backend);
  config.vulkan_device = take(texts.vulkanDevice);
  config.cache_dir = take(texts.cacheDir);
  config.vm_name = take(texts.vmName);
  config.vm_uuid = take(texts.vmUuid);
  config.recent_trace = take(texts.recentTrace);
  config.caps = take(texts.caps);
  return config;
}

}  // namespace aerogpu::remote
