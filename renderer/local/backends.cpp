// SPDX-License-Identifier: MIT
#include "renderer/local/backends.h"

#include <iterator>

namespace aerogpu {

namespace {

std::unique_ptr<core::Backend> createNull(const core::BackendConfig& config, std::string&) {
  return null::createBackend(config);
}

constexpr BackendEntry kEntries[] = {
    {"vulkan", vk::createBackend},
    {"null", createNull},
};

// The last entry, the null back end, is always built.
std::string listChoices() {
  std::string list = "auto";
  const BackendEntry& last = kEntries[std::size(kEntries) - 1];
  for (const BackendEntry& entry : kEntries)
    if (entry.create && &entry != &last) list += std::string(", ") + entry.name;
  return list + " or " + last.name;
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
