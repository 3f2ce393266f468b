// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/pci.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aerogpu::guest {

namespace {

// PCI Local Bus Specification 3.0, section 6.2.2: the command register and its bits.
constexpr off_t kPciCommandOffset = 4;
constexpr uint16_t kCommandMemory = 1u << 1, kCommandMaster = 1u << 2;

bool readHexFile(const std::string& path, unsigned long& value) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (!file) return false;
  char text[32] = {};
  const bool ok = std::fgets(text, sizeof text, file) != nullptr;
  std::fclose(file);
  char* end = nullptr;
  value = std::strtoul(text, &end, 16);
  return ok && end != text;
}

bool writeText(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = write(fd, text.data(), text.size());
  const int error = errno;
  close(fd);
  errno = error;
  return n == static_cast<ssize_t>(text.size());
}

}  // namespace

Status PciFunction::find(uint16_t vendor, uint16_t device, const std::string& root) {
  DIR* dir = opendir(root.c_str());
  if (!dir) return Status::systemFailure("cannot list %s", root.c_str());
  std::string best;
  while (const dirent* entry = readdir(dir)) {
    if (entry->d_name[0] == '.') continue;
    const std::string path = root + "/" + entry->d_name;
    unsigned long v = 0, d = 0;
    if (readHexFile(path + "/vendor", v) && readHexFile(path + "/device", d) && v == vendor && d == device &&
        (best.empty() || entry->d_name < best))
      best = entry->d_name;
  }
  closedir(dir);
  if (best.empty())
    return Status::failure("no PCI function %04X:%04X (start QEMU with -device aerogpu)", vendor, device);
  m_address = best;
  m_path = root + "/" + best;
  return {};
}

Status PciFunction::bindDriver(const char* driver, uint16_t vendor, uint16_t device) {
  const std::string folder = std::string("/sys/bus/pci/drivers/") + driver;
  struct stat info {};
  if (stat(folder.c_str(), &info) < 0)
    return Status::systemFailure("driver %s is not loaded (%s)", driver, folder.c_str());
  if (stat((folder + "/" + m_address).c_str(), &info) == 0) return {};
  char id[32];
  std::snprintf(id, sizeof id, "%04x %04x", vendor, device);
  // new_id probes at once; EEXIST: the id is known from an earlier run and bind does the rest.
  if (!writeText(folder + "/new_id", id) && errno != EEXIST)
    return Status::systemFailure("cannot give %s to %s", id, driver);
  if (stat((folder + "/" + m_address).c_str(), &info) == 0) return {};
  if (!writeText(folder + "/bind", m_address))
    return Status::systemFailure("cannot bind %s to %s", m_address.c_str(), driver);
  return {};
}

Status PciFunction::enable() {
  const std::string path = m_path + "/config";
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return Status::systemFailure("cannot open %s", path.c_str());
  uint16_t command = 0;
  bool ok = pread(fd, &command, sizeof command, kPciCommandOffset) == sizeof command;
  command = static_cast<uint16_t>(command | kCommandMemory | kCommandMaster);
  ok = ok && pwrite(fd, &command, sizeof command, kPciCommandOffset) == sizeof command;
  close(fd);
  if (!ok) return Status::systemFailure("cannot enable bus mastering through %s", path.c_str());
  return {};
}

}  // namespace aerogpu::guest
