// SPDX-License-Identifier: MIT
// The registry, in memory: the Zw and Rtl exports by which a driver reads its settings. Source: the wdm page
// of each export's name. Keys are named by their whole path, case-insensitively.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kRegSz = 1, kRegExpandSz = 2, kRegDword = 4;
constexpr uint32_t kObjKernelHandle = 0x200, kObjCaseInsensitive = 0x40;

struct Value {
  uint32_t type;
  std::vector<uint8_t> data;
};
using Key = std::map<std::string, Value>;
struct OpenKey {
  std::string path;
};

std::mutex s_registryMutex;
std::map<std::string, Key> s_keys;
std::set<OpenKey*> s_open;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  while (!text.empty() && text.back() == '\\') text.pop_back();
  return text;
}

std::string pathOf(const NtObjectAttributes& attributes) {
  std::string path = attributes.ObjectName ? narrow(*attributes.ObjectName) : std::string();
  if (attributes.RootDirectory) {
    const auto* root = static_cast<OpenKey*>(attributes.RootDirectory);
    if (s_open.count(const_cast<OpenKey*>(root))) path = root->path + (path.empty() ? "" : "\\") + path;
  }
  return lower(path);
}

NTSTATUS openKey(HANDLE* handle, const NtObjectAttributes* attributes, bool create, uint32_t* disposition) {
  if (attributes->Length != sizeof *attributes)
    brokenRule("OBJECT_ATTRIBUTES of %u bytes: %s", attributes->Length, currentCall().c_str());
  if (!(attributes->Attributes & kObjKernelHandle))
    brokenRule("a key is opened without OBJ_KERNEL_HANDLE: %s", currentCall().c_str());
  if (!(attributes->Attributes & kObjCaseInsensitive))
    brokenRule("a key is opened without OBJ_CASE_INSENSITIVE: %s", currentCall().c_str());
  std::lock_guard lock(s_registryMutex);
  const std::string path = pathOf(*attributes);
  const bool exists = s_keys.count(path) != 0;
  if (!exists && !create) return kObjectNameNotFound;
  s_keys[path];
  auto* key = new OpenKey{path};
  s_open.insert(key);
  *handle = key;
  if (disposition) *disposition = exists ? 2 : 1;
  return kSuccess;
}

HOST_API NTSTATUS zwOpenKey(HANDLE* handle, uint32_t, const NtObjectAttributes* attributes) {
  return openKey(handle, attributes, false, nullptr);
}
HOST_API NTSTATUS zwCreateKey(HANDLE* handle, uint32_t, const NtObjectAttributes* attributes, uint32_t, void*,
                              uint32_t, uint32_t* disposition) {
  return openKey(handle, attributes, true, disposition);
}
HOST_API NTSTATUS zwClose(HANDLE handle) {
  if (systemThreadObject(handle)) return kSuccess;
  std::lock_guard lock(s_registryMutex);
  if (s_open.erase(static_cast<OpenKey*>(handle)) == 0) {
    brokenRule("ZwClose of something that is not open: %s", currentCall().c_str());
    return kInvalidHandle;
  }
  delete static_cast<OpenKey*>(handle);
  return kSuccess;
}

// KEY_VALUE_PARTIAL_INFORMATION (2): index, type, length, data; KEY_VALUE_FULL_INFORMATION (1) also has the
// name.
HOST_API NTSTATUS zwQueryValueKey(HANDLE handle, const UNICODE_STRING* name, uint32_t kind, uint8_t* out,
                                  uint32_t bytes, uint32_t* needed) {
  std::lock_guard lock(s_registryMutex);
  auto* key = static_cast<OpenKey*>(handle);
  if (!s_open.count(key)) {
    brokenRule("ZwQueryValueKey on a closed key: %s", currentCall().c_str());
    return kInvalidHandle;
  }
  const Key& values = s_keys[key->path];
  const auto found = values.find(lower(narrow(*name)));
  if (found == values.end()) return kObjectNameNotFound;
  const Value& value = found->second;
  const uint32_t nameBytes = name->Length;
  const uint32_t header = kind == 2 ? 12 : kind == 1 ? (20 + nameBytes + 7) & ~7u : 0;
  if (!header) {
    brokenRule("ZwQueryValueKey with information class %u: %s", kind, currentCall().c_str());
    return kInvalidParameter;
  }
  const uint32_t size = static_cast<uint32_t>(value.data.size()), total = header + size;
  *needed = total;
  if (bytes < (kind == 2 ? 12u : 20u)) return kBufferTooSmall;
  const uint32_t fields[5] = {0, value.type, kind == 2 ? size : header, size, nameBytes};
  std::memcpy(out, fields, kind == 2 ? 12 : 20);
  if (kind == 1 && bytes >= 20 + nameBytes) std::memcpy(out + 20, name->Buffer, nameBytes);
  if (bytes > header) std::memcpy(out + header, value.data.data(), std::min(size, bytes - header));
  return bytes < total ? kBufferOverflow : kSuccess;
}
HOST_API NTSTATUS zwSetValueKey(HANDLE handle, const UNICODE_STRING* name, uint32_t, uint32_t type,
                                const uint8_t* data, uint32_t bytes) {
  std::lock_guard lock(s_registryMutex);
  auto* key = static_cast<OpenKey*>(handle);
  if (!s_open.count(key)) {
    brokenRule("ZwSetValueKey on a closed key: %s", currentCall().c_str());
    return kInvalidHandle;
  }
  s_keys[key->path][lower(narrow(*name))] = {type, {data, data + bytes}};
  return kSuccess;
}

std::string relativePath(uint32_t relativeTo, const char16_t* path) {
  std::string text;
  for (; path && *path; ++path) text += *path < 128 ? static_cast<char>(*path) : '?';
  relativeTo &= 0x3FFFFFFF;  // RTL_REGISTRY_OPTIONAL
  if (relativeTo == 1) text = "\\registry\\machine\\system\\currentcontrolset\\services\\" + text;
  return lower(text);
}

/// RTL_QUERY_REGISTRY_TABLE.
struct QueryRow {
  void* routine;
  uint32_t flags;
  const char16_t* name;
  void* context;
  uint32_t defaultType;
  const void* defaultData;
  uint32_t defaultLength;
};
static_assert(sizeof(QueryRow) == byWidth(56, 28));
constexpr uint32_t kQueryRequired = 4, kQueryDirect = 0x20;

HOST_API NTSTATUS rtlQueryRegistryValues(uint32_t relativeTo, const char16_t* path, QueryRow* rows, void*,
                                         void*) {
  std::lock_guard lock(s_registryMutex);
  const auto key = s_keys.find(relativePath(relativeTo, path));
  if (key == s_keys.end()) return kObjectNameNotFound;
  for (QueryRow* row = rows; row->routine || row->name; ++row) {
    if (!(row->flags & kQueryDirect)) {
      brokenRule("RtlQueryRegistryValues with a query routine is not in the host: %s", currentCall().c_str());
      return kNotSupported;
    }
    std::string name;
    for (const char16_t* c = row->name; *c; ++c) name += static_cast<char>(*c);
    const auto value = key->second.find(lower(name));
    if (value == key->second.end()) {
      if (row->flags & kQueryRequired) return kObjectNameNotFound;
      if (row->defaultType == kRegDword && row->defaultData) std::memcpy(row->context, row->defaultData, 4);
      continue;
    }
    if (value->second.type == kRegDword) {
      std::memcpy(row->context, value->second.data.data(), 4);
    } else if (value->second.type == kRegSz || value->second.type == kRegExpandSz) {
      auto* out = static_cast<UNICODE_STRING*>(row->context);
      const size_t bytes = value->second.data.size();
      if (!out->Buffer || out->MaximumLength < bytes) return kBufferTooSmall;
      std::memcpy(out->Buffer, value->second.data.data(), bytes);
      out->Length = static_cast<USHORT>(bytes - 2);
    }
  }
  return kSuccess;
}
HOST_API NTSTATUS rtlWriteRegistryValue(uint32_t relativeTo, const char16_t* path, const char16_t* name,
                                        uint32_t type, const uint8_t* data, uint32_t bytes) {
  std::lock_guard lock(s_registryMutex);
  const auto key = s_keys.find(relativePath(relativeTo, path));
  if (key == s_keys.end()) return kObjectNameNotFound;
  std::string text;
  for (; *name; ++name) text += static_cast<char>(*name);
  key->second[lower(text)] = {type, {data, data + bytes}};
  return kSuccess;
}

const Export kRegistryExports[] = {
    exportRow("ZwOpenKey", zwOpenKey, kPassiveLevel, kExportAnyTime),
    exportRow("ZwCreateKey", zwCreateKey, kPassiveLevel, kExportAnyTime),
    exportRow("ZwClose", zwClose, kPassiveLevel, kExportAnyTime),
    exportRow("ZwQueryValueKey", zwQueryValueKey, kPassiveLevel, kExportAnyTime),
    exportRow("ZwSetValueKey", zwSetValueKey, kPassiveLevel, kExportAnyTime),
    exportRow("RtlQueryRegistryValues", rtlQueryRegistryValues, kPassiveLevel, kExportAnyTime),
    exportRow("RtlWriteRegistryValue", rtlWriteRegistryValue, kPassiveLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> registryExports() {
  return kRegistryExports;
}

void setRegistryDword(const std::string& key, const std::string& name, uint32_t value) {
  std::lock_guard lock(s_registryMutex);
  std::vector<uint8_t> data(4);
  std::memcpy(data.data(), &value, 4);
  s_keys[lower(key)][lower(name)] = {kRegDword, std::move(data)};
}

void setRegistryString(const std::string& key, const std::string& name, const std::string& value) {
  std::lock_guard lock(s_registryMutex);
  std::vector<uint8_t> data;
  for (const char c : value) data.insert(data.end(), {static_cast<uint8_t>(c), 0});
  data.insert(data.end(), {0, 0});
  s_keys[lower(key)][lower(name)] = {kRegSz, std::move(data)};
}

bool getRegistryDword(const std::string& key, const std::string& name, uint32_t& value) {
  std::lock_guard lock(s_registryMutex);
  const auto k = s_keys.find(lower(key));
  if (k == s_keys.end()) return false;
  const auto v = k->second.find(lower(name));
  if (v == k->second.end() || v->second.type != kRegDword || v->second.data.size() != 4) return false;
  std::memcpy(&value, v->second.data.data(), 4);
  return true;
}

bool getRegistryString(const std::string& key, const std::string& name, std::string& value) {
  std::lock_guard lock(s_registryMutex);
  const auto k = s_keys.find(lower(key));
  if (k == s_keys.end()) return false;
  const auto v = k->second.find(lower(name));
  if (v == k->second.end() || v->second.type != kRegSz) return false;
  const std::vector<uint8_t>& data = v->second.data;
  if (data.size() < 2 || data.size() % 2 || data[data.size() - 1] || data[data.size() - 2]) return false;
  value.clear();
  for (size_t i = 0; i + 2 < data.size(); i += 2) value += data[i + 1] ? '?' : static_cast<char>(data[i]);
  return true;
}

unsigned reportOpenKeys() {
  std::lock_guard lock(s_registryMutex);
  for (const OpenKey* key : s_open) brokenRule("leak: an open registry key, %s", key->path.c_str());
  const auto count = static_cast<unsigned>(s_open.size());
  s_open.clear();
  return count;
}

}  // namespace aerogpu::host
