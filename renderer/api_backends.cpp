// SPDX-License-Identifier: MIT
#include "renderer/api_backends.h"

namespace aerogpu {

namespace {

std::unique_ptr<core::Backend> createNull(const core::BackendConfig& config, std::string&) {
  return null::createBackend(config);
}

constexpr BackendEntry kEntries[] = {
    {"vulkan", vk::createBackend},
    {"null", createNull},
};

std::string listChoices() {
  std::string list = "auto";
  const BackendEntry* last = nullptr;
  for (const BackendEntry& entry : kEntries) {
    if (!entry.create) continue;
    if (last) list += std::string(", ") + last->name;
    last = &entry;
  }
  return list + " or " + last->name;
}

}  // namespace

std::span<const BackendEntry> backendEntries() {
  return kEntries;
}

const std::string& backendChoices() {
  static const std::string choices = listChoices();
  return choices;
}

}  // namespace aerogpu
