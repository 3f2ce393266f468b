// SPDX-License-Identifier: MIT
// Paths are those of the Vulkan loader (Vulkan-Loader, "LoaderDriverInterface" and
// "LoaderLayerInterface"), Mesa ("Environment Variables"), libdrm and NVIDIA's driver (its README, "Listing
// of Installed Components", "Specifying OpenGL Environment Variable Settings"); what lavapipe opens was
// watched.
#include "renderer/remote/driver_files.h"

#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace aerogpu::remote {
namespace {

/// Packages' libraries and data, which every user of the host may read; programs' folders are not among them.
constexpr const char* kPackages[] = {
    "/lib",        "/lib32",          "/lib64",     "/libx32",        "/usr/lib",          "/usr/lib32",
    "/usr/lib64",  "/usr/libx32",     "/usr/share", "/usr/local/lib", "/usr/local/lib64",  "/usr/local/share",
    "/opt/amdgpu", "/opt/amdgpu-pro", "/nix/store", "/gnu/store",     "/run/opengl-driver"};
constexpr const char* kSettings[] = {"/etc/ld.so.cache",  "/etc/ld.so.conf",       "/etc/ld.so.conf.d",
                                     "/etc/vulkan",       "/usr/local/etc/vulkan", "/etc/drirc",
                                     "/etc/glvnd",        "/etc/nvidia",           "/etc/localtime",
                                     "/etc/locale.alias", "/etc/os-release"};
/// What processors and memory there are, and NVIDIA's kernel module.
constexpr const char* kKernel[] = {"/proc/self",
                                   "/proc/cpuinfo",
                                   "/proc/meminfo",
                                   "/proc/stat",
                                   "/proc/devices",
                                   "/proc/modules",
                                   "/proc/version",
                                   "/proc/driver/nvidia",
                                   "/proc/driver/nvidia-uvm",
                                   "/proc/sys/vm/overcommit_memory",
                                   "/proc/sys/vm/mmap_min_addr",
                                   "/proc/sys/kernel/osrelease",
                                   "/proc/sys/dev/i915",
                                   "/proc/sys/dev/xe",
                                   "/sys/devices/system/cpu",
                                   "/sys/devices/system/node",
                                   "/sys/class/drm",
                                   "/sys/bus/pci/devices",
                                   "/sys/dev/char",
                                   "/sys/kernel/mm/transparent_hugepage",
                                   "/sys/module/nvidia",
                                   "/sys/module/amdgpu",
                                   "/sys/module/i915",
                                   "/sys/module/xe",
                                   "/dev/urandom",
                                   "/dev/random",
                                   "/dev/zero"};
constexpr const char* kDevices[] = {"/dev/null",     "/dev/dri", "/dev/udmabuf",
                                    "/dev/dma_heap", "/dev/kfd", "/dev/dxg"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Parts of a list, as of PATH.
std::vector<std::string> partsOf(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(':', at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string realOf(const std::string& path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) ? real : "";
}

std::vector<std::string> namesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
    names.push_back(at->path().filename());
  return names;
}

/// The folders where each user, and the administrator, keeps settings and data (XDG Base Directory
/// Specification).
std::vector<std::string> baseFolders() {
  const std::string home = variable("HOME");
  const auto orElse = [](const std::string& value, const std::string& otherwise) {
    return value.empty() ? otherwise : value;
  };
  std::vector<std::string> folders;
  for (const std::string& list : {orElse(variable("XDG_CONFIG_HOME"), home + "/.config"),
                                  orElse(variable("XDG_DATA_HOME"), home + "/.local/share"),
                                  orElse(variable("XDG_CONFIG_DIRS"), "/etc/xdg"),
                                  orElse(variable("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")})
    for (std::string& part : partsOf(list)) folders.push_back(std::move(part));
  return folders;
}

/// Adds the folder of the library that a manifest names, if it names a file ("library_path" with a slash).
void addLibraryOf(const std::string& manifest, std::vector<std::string>& reads) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  std::ifstream file(manifest, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.size() > kMostBytes) return;
  constexpr std::string_view kKey = "\"library_path\"";
  for (size_t at = 0; (at = text.find(kKey, at)) != std::string::npos;) {
    at += kKey.size();
    const size_t begin = text.find('"', at);
    const size_t end = begin == std::string::npos ? begin : text.find('"', begin + 1);
    if (end == std::string::npos) return;
    const std::filesystem::path library = text.substr(begin + 1, end - begin - 1);
    at = end + 1;
    if (!library.has_parent_path()) continue;
    const std::string real = realOf(std::filesystem::path(manifest).parent_path() / library);
    if (!real.empty()) reads.push_back(std::filesystem::path(real).parent_path());
  }
}

/// A manifest, or a folder of them, with the libraries that these name.
void addManifests(const std::string& place, std::vector<std::string>& reads) {
  reads.push_back(place);
  std::error_code ignored;
  if (!std::filesystem::is_directory(place, ignored)) return addLibraryOf(place, reads);
  for (const std::string& name : namesIn(place))
    if (name.ends_with(".json")) addLibraryOf(place + "/" + name, reads);
}

/// The loader's manifests, in its own folders and where the environment has more.
void addLoader(std::vector<std::string>& reads) {
  for (const std::string& base : baseFolders()) {
    reads.push_back(base + "/vulkan");
    for (const char* below : {"/icd.d", "/explicit_layer.d", "/implicit_layer.d"})
      addManifests(base + "/vulkan" + below, reads);
  }
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
                           "VK_ADD_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH"})
    for (const std::string& part : partsOf(variable(name))) addManifests(part, reads);
}

/// Devices of NVIDIA's driver, which may come later but in number.
void addNvidia(FileRules& rules) {
  for (const std::string& name : namesIn("/dev"))
    if (name.starts_with("nvidia")) rules.devices.push_back("/dev/" + name);
}

/// What the kernel tells of the GPUs: their own folders, behind symbolic links.
void addGpus(std::vector<std::string>& reads) {
  for (const std::string& name : namesIn("/sys/class/drm"))
    if (const std::string device = realOf("/sys/class/drm/" + name + "/device"); !device.empty())
      reads.push_back(device);
  for (const std::string& name : namesIn("/sys/bus/pci/devices")) {
    const std::string device = realOf("/sys/bus/pci/devices/" + name);
    std::string kind;
    std::ifstream(device + "/class") >> kind;
    if (kind.starts_with("0x03"))
      reads.push_back(device);  // display controllers (PCI Code and ID Assignment)
  }
}

}  // namespace

void leadCaches(const std::string& cacheDir) {
  std::error_code ignored;
  if (!cacheDir.empty()) std::filesystem::create_directories(cacheDir, ignored);
  const auto set = [&](const char* folder, const char* whether, const char* off) {
    if (std::getenv(folder)) return;
    if (cacheDir.empty())
      setenv(whether, off, 1);
    else
      setenv(folder, cacheDir.c_str(), 1);
  };
  set("MESA_SHADER_CACHE_DIR", "MESA_SHADER_CACHE_DISABLE", "true");
  set("__GL_SHADER_DISK_CACHE_PATH", "__GL_SHADER_DISK_CACHE", "0");
}

FileRules driverFiles(const std::string& cacheDir) {
  FileRules rules;
  rules.reads.assign(std::begin(kPackages), std::end(kPackages));
  rules.reads.insert(rules.reads.end(), std::begin(kSettings), std::end(kSettings));
  rules.reads.insert(rules.reads.end(), std::begin(kKernel), std::end(kKernel));
  rules.devices.assign(std::begin(kDevices), std::end(kDevices));
  addLoader(rules.reads);
  addNvidia(rules);
  addGpus(rules.reads);
  for (const char* name : {"LD_LIBRARY_PATH", "DRIRC_CONFIGDIR", "LOCPATH", "AEROGPU_RENDERER_READS"})
    for (std::string& part : partsOf(variable(name))) rules.reads.push_back(std::move(part));
  if (const std::string home = variable("HOME"); !home.empty()) rules.reads.push_back(home + "/.drirc");
  if (!cacheDir.empty()) rules.writes.push_back(cacheDir);
  for (const char* name : {"MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"})
    if (std::string folder = variable(name); !folder.empty()) rules.writes.push_back(std::move(folder));
  return rules;
}

}  // namespace aerogpu::remote
