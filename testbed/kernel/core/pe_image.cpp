// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/pe_image.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "testbed/kernel/core/page.h"
#include "testbed/kernel/core/width.h"

namespace aerogpu::host {

namespace {

// IMAGE_FILE_MACHINE_AMD64 or _I386; PE32+ or PE32.
constexpr uint16_t kMachine = byWidth(0x8664, 0x14C), kMagic = byWidth(0x20B, 0x10B), kSubsystemNative = 1,
                   kSubsystemGui = 2, kNoSeh = 0x400;
constexpr uint32_t kSectionCode = 0x20, kSectionDiscardable = 0x02000000, kSectionExecute = 0x20000000,
                   kSectionRead = 0x40000000, kSectionWrite = 0x80000000;
constexpr uint32_t kMaximumImage = 64u << 20;

// Offsets in IMAGE_NT_HEADERS from the signature: PE/COFF, "COFF File Header", "Optional Header".
constexpr size_t kFileHeader = 4, kOptional = 24, kImageBase = kOptional + byWidth(24, 28),
                 kDirectories = kOptional + byWidth(112, 96), kSectionHeaderBytes = 40;
constexpr unsigned kExportIndex = 0, kImportIndex = 1, kExceptionIndex = 3, kRelocationIndex = 5;
// The base relocation of a pointer: IMAGE_REL_BASED_DIR64 or _HIGHLOW.
constexpr unsigned kPointerRelocation = byWidth(10, 3);

template <class T>
T field(std::span<const uint8_t> file, size_t offset) {
  T value{};
  if (offset <= file.size() && sizeof value <= file.size() - offset)
    std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

uint32_t pages(uint32_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

uint32_t peChecksum(std::span<const uint8_t> file, size_t checksumOffset) {
  uint64_t sum = 0;
  for (size_t i = 0; i < file.size(); i += 2) {
    uint32_t word = file[i] | (i + 1 < file.size() ? file[i + 1] << 8 : 0);
    if (i >= checksumOffset && i < checksumOffset + 4) word = 0;
    sum += word;
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return static_cast<uint32_t>((sum & 0xFFFF) + file.size());
}

PeImage::~PeImage() {
  if (m_base) munmap(m_base, pages(m_size));
}

template <class T>
const T* PeImage::at(uint32_t rva, uint64_t count) const {
  if (rva > m_size || count > (m_size - rva) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(m_base + rva);
}

const char* PeImage::stringAt(uint32_t rva) const {
  if (rva >= m_size || !std::memchr(m_base + rva, 0, m_size - rva)) return nullptr;
  return reinterpret_cast<const char*>(m_base + rva);
}

Status PeImage::readHeaders(std::span<const uint8_t> file, Use use) {
  if (field<uint16_t>(file, 0) != 0x5A4D) return Status::failure("%s: no MZ header", m_name.c_str());
  const size_t nt = field<uint32_t>(file, 0x3C);
  if (nt > file.size() || file.size() - nt < kDirectories || field<uint32_t>(file, nt) != 0x4550)
    return Status::failure("%s: no PE header", m_name.c_str());
  if (field<uint16_t>(file, nt + kFileHeader) != kMachine)
    return Status::failure("%s: machine 0x%x, not 0x%x", m_name.c_str(),
                           field<uint16_t>(file, nt + kFileHeader), kMachine);
  const auto sections = field<uint16_t>(file, nt + kFileHeader + 2);
  const auto optionalBytes = field<uint16_t>(file, nt + kFileHeader + 16);
  const auto characteristics = field<uint16_t>(file, nt + kFileHeader + 18);
  if (!(characteristics & 2)) return Status::failure("%s: not marked executable", m_name.c_str());
  if (characteristics & 1) return Status::failure("%s: relocations are stripped", m_name.c_str());
  if (field<uint16_t>(file, nt + kOptional) != kMagic)
    return Status::failure("%s: magic 0x%x, not 0x%x", m_name.c_str(), field<uint16_t>(file, nt + kOptional),
                           kMagic);
  const auto subsystem = field<uint16_t>(file, nt + kOptional + 68);
  if (subsystem != (use == Use::Driver ? kSubsystemNative : kSubsystemGui))
    return Status::failure("%s: subsystem %u, not %s", m_name.c_str(), subsystem,
                           use == Use::Driver ? "native" : "of windows");
  const auto sectionAlignment = field<uint32_t>(file, nt + kOptional + 32);
  if (sectionAlignment != kPage)
    return Status::failure("%s: section alignment 0x%x", m_name.c_str(), sectionAlignment);
  m_entryRva = field<uint32_t>(file, nt + kOptional + 16);
  m_preferredBase = field<uintptr_t>(file, nt + kImageBase);
  m_noSeh = field<uint16_t>(file, nt + kOptional + 70) & kNoSeh;
  m_size = field<uint32_t>(file, nt + kOptional + 56);
  m_headerBytes = field<uint32_t>(file, nt + kOptional + 60);
  if (m_size == 0 || m_size > kMaximumImage || m_headerBytes > m_size || m_headerBytes > file.size())
    return Status::failure("%s: image of %u bytes, headers of %u", m_name.c_str(), m_size, m_headerBytes);
  // Windows loads no driver with a wrong checksum.
  const auto stored = field<uint32_t>(file, nt + kOptional + 64),
             real = peChecksum(file, nt + kOptional + 64);
  if (use == Use::Driver && stored != real)
    return Status::failure("%s: checksum 0x%x, should be 0x%x", m_name.c_str(), stored, real);
  const auto directories = field<uint32_t>(file, nt + kDirectories - 4);
  const auto directory = [&](unsigned index) -> Directory {
    if (index >= directories || kDirectories + size_t{8} * (index + 1) > kOptional + optionalBytes) return {};
    return {field<uint32_t>(file, nt + kDirectories + size_t{8} * index),
            field<uint32_t>(file, nt + kDirectories + size_t{8} * index + 4)};
  };
  m_exportDirectory = directory(kExportIndex);
  m_importDirectory = directory(kImportIndex);
  m_exceptionDirectory = directory(kExceptionIndex);
  m_relocationDirectory = directory(kRelocationIndex);
  const size_t table = nt + kOptional + optionalBytes;
  if (sections == 0 || sections > 96 || table + sections * kSectionHeaderBytes > m_headerBytes)
    return Status::failure("%s: %u sections", m_name.c_str(), sections);
  uint32_t end = pages(m_headerBytes);
  for (unsigned i = 0; i < sections; ++i) {
    const size_t header = table + i * kSectionHeaderBytes;
    char name[9] = {};
    std::memcpy(name, file.data() + header, 8);
    Section section{name, field<uint32_t>(file, header + 12), field<uint32_t>(file, header + 8),
                    field<uint32_t>(file, header + 36)};
    if (section.size == 0) section.size = field<uint32_t>(file, header + 16);
    if (section.rva != end || section.size > m_size - section.rva)
      return Status::failure("%s: section %s at 0x%x, expected at 0x%x", m_name.c_str(), name, section.rva,
                             end);
    if ((section.characteristics & kSectionWrite) && (section.characteristics & kSectionExecute))
      return Status::failure("%s: section %s is writable and executable", m_name.c_str(), name);
    end = section.rva + pages(section.size);
    m_sections.push_back(std::move(section));
  }
  if (pages(m_size) != end)
    return Status::failure("%s: image size 0x%x, sections end at 0x%x", m_name.c_str(), m_size, end);
  return {};
}

Status PeImage::mapSections(std::span<const uint8_t> file) {
  void* memory = mmap(nullptr, pages(m_size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Status::systemFailure("%s: mapping %u bytes", m_name.c_str(), m_size);
  m_base = static_cast<uint8_t*>(memory);
  std::memcpy(m_base, file.data(), m_headerBytes);
  const size_t nt = field<uint32_t>(file, 0x3C);
  const size_t table = nt + kOptional + field<uint16_t>(file, nt + kFileHeader + 16);
  for (size_t i = 0; i < m_sections.size(); ++i) {
    const size_t header = table + i * kSectionHeaderBytes;
    const uint64_t bytes = std::min(field<uint32_t>(file, header + 16), m_sections[i].size);
    const uint64_t from = field<uint32_t>(file, header + 20);
    if (bytes == 0 || from == 0) continue;
    if (from + bytes > file.size())
      return Status::failure("%s: section %s runs past the file", m_name.c_str(), m_sections[i].name.c_str());
    std::memcpy(m_base + m_sections[i].rva, file.data() + from, bytes);
  }
  return {};
}

// PE/COFF, "The .reloc Section": blocks of a page each, entries of type << 12 | offset.
Status PeImage::relocate() {
  const uintptr_t delta = reinterpret_cast<uintptr_t>(m_base) - m_preferredBase;
  const Directory& d = m_relocationDirectory;
  if (d.size == 0) return {};  // it does not depend on its address; stripped images were refused
  if (!at<uint8_t>(d.rva, d.size)) return Status::failure("%s: relocations outside", m_name.c_str());
  for (uint32_t offset = 0; d.size - offset >= 8;) {
    const auto* block = at<uint32_t>(d.rva + offset, 2);
    const uint32_t page = block[0], bytes = block[1];
    if (bytes < 8 || bytes > d.size - offset || bytes % 2)
      return Status::failure("%s: relocation block of %u bytes", m_name.c_str(), bytes);
    const auto* entries = at<uint16_t>(d.rva + offset + 8, (bytes - 8) / 2);
    for (uint32_t i = 0; i < (bytes - 8) / 2; ++i) {
      const unsigned type = entries[i] >> 12;
      const uint32_t where = page + (entries[i] & 0xFFF);
      if (type == 0) continue;  // IMAGE_REL_BASED_ABSOLUTE: padding
      if (type != kPointerRelocation)
        return Status::failure("%s: relocation of type %u", m_name.c_str(), type);
      if (!at<uintptr_t>(where)) return Status::failure("%s: relocation at 0x%x", m_name.c_str(), where);
      uintptr_t value;
      std::memcpy(&value, m_base + where, sizeof value);
      value += delta;
      std::memcpy(m_base + where, &value, sizeof value);
    }
    offset += bytes;
  }
  return {};
}

// PE/COFF, "The .idata Section".
Status PeImage::bind(const Resolver& resolver) {
  const Directory& d = m_importDirectory;
  std::string missing;
  for (uint32_t row = d.rva; d.size != 0; row += 20) {
    const auto* descriptor = at<uint32_t>(row, 5);
    if (!descriptor) return Status::failure("%s: import table without an end", m_name.c_str());
    const uint32_t names = descriptor[0] ? descriptor[0] : descriptor[4], dllName = descriptor[3];
    if (dllName == 0) break;
    const char* dll = stringAt(dllName);
    if (!dll) return Status::failure("%s: import from nowhere", m_name.c_str());
    for (uint32_t i = 0;; ++i) {
      constexpr uint32_t kEntry = sizeof(uintptr_t);
      const auto* lookup = at<uintptr_t>(names + i * kEntry);
      if (!lookup || !at<uintptr_t>(descriptor[4] + i * kEntry))
        return Status::failure("%s: imports of %s without an end", m_name.c_str(), dll);
      const uintptr_t value = *lookup;
      if (value == 0) break;
      if (value >> (8 * kEntry - 1))
        return Status::failure("%s: import by ordinal from %s", m_name.c_str(), dll);
      const char* name = value < m_size ? stringAt(static_cast<uint32_t>(value) + 2) : nullptr;
      if (!name) return Status::failure("%s: import name outside", m_name.c_str());
      m_imports.push_back({dll, name});
      const auto address = reinterpret_cast<uintptr_t>(resolver(dll, name));
      if (!address) missing += std::string(missing.empty() ? "" : ", ") + dll + "!" + name;
      std::memcpy(m_base + descriptor[4] + size_t{i} * kEntry, &address, kEntry);
    }
  }
  if (!missing.empty())
    return Status::failure("%s: imports that the host does not have: %s", m_name.c_str(), missing.c_str());
  return {};
}

Status PeImage::readFunctions() {
  const Directory& d = m_exceptionDirectory;
  if (d.size == 0) return {};
  const auto* rows = at<RuntimeFunction>(d.rva, d.size / sizeof(RuntimeFunction));
  if (!rows) return Status::failure("%s: .pdata outside", m_name.c_str());
  m_functions = {rows, d.size / sizeof(RuntimeFunction)};
  while (!m_functions.empty() && m_functions.back().begin == 0)  // the section's padding
    m_functions = m_functions.first(m_functions.size() - 1);
  for (size_t i = 0; i < m_functions.size(); ++i) {
    const RuntimeFunction& f = m_functions[i];
    if (f.begin >= f.end || f.end > m_size || f.unwindInfo >= m_size - 4 || f.unwindInfo % 4 ||
        (i && f.begin < m_functions[i - 1].end))
      return Status::failure("%s: .pdata row %zu is wrong or out of order", m_name.c_str(), i);
  }
  return {};
}

Status PeImage::protect() {
  if (mprotect(m_base, pages(m_headerBytes), PROT_READ) < 0)
    return Status::systemFailure("%s: protecting the headers", m_name.c_str());
  for (const Section& section : m_sections) {
    int protection = 0;
    if (section.characteristics & kSectionRead) protection |= PROT_READ;
    if (section.characteristics & kSectionWrite) protection |= PROT_WRITE;
    if (section.characteristics & kSectionExecute) protection |= PROT_EXEC;
    if (mprotect(m_base + section.rva, pages(section.size), protection) < 0)
      return Status::systemFailure("%s: protecting %s", m_name.c_str(), section.name.c_str());
  }
  if (!containsCode(entry())) return Status::failure("%s: the entry point is not code", m_name.c_str());
  return {};
}

// PE/COFF, "COFF Symbol Table": 18-byte records; functions have type 0x20 and a section number.
void PeImage::readSymbols(std::span<const uint8_t> file) {
  const size_t nt = field<uint32_t>(file, 0x3C);
  const uint64_t table = field<uint32_t>(file, nt + kFileHeader + 8);
  const uint64_t count = field<uint32_t>(file, nt + kFileHeader + 12);
  if (table == 0 || table + count * 18 > file.size()) return;
  const uint64_t strings = table + count * 18;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t record = table + i * 18;
    const auto section = field<int16_t>(file, record + 12);
    const unsigned auxiliary = file[record + 17];
    if (field<uint16_t>(file, record + 14) == 0x20 && section > 0 &&
        static_cast<size_t>(section) <= m_sections.size()) {
      std::string name;
      if (field<uint32_t>(file, record) == 0) {
        for (uint64_t c = strings + field<uint32_t>(file, record + 4); c < file.size() && file[c]; ++c)
          name += static_cast<char>(file[c]);
      } else {
        name.assign(reinterpret_cast<const char*>(file.data() + record),
                    strnlen(reinterpret_cast<const char*>(file.data() + record), 8));
      }
      m_symbols.push_back(
          {m_sections[section - 1u].rva + field<uint32_t>(file, record + 8), std::move(name)});
    }
    i += auxiliary;
  }
  std::sort(m_symbols.begin(), m_symbols.end(),
            [](const Symbol& a, const Symbol& b) { return a.rva < b.rva; });
}

Status PeImage::load(std::span<const uint8_t> file, const std::string& name, const Resolver& resolver,
                     Use use) {
  m_name = name;
  Status status = readHeaders(file, use);
  if (status.ok()) status = mapSections(file);
  if (status.ok()) status = relocate();
  if (status.ok()) status = bind(resolver);
  if (status.ok()) status = readFunctions();
  if (status.ok()) status = protect();
  if (status.ok()) readSymbols(file);
  return status;
}

Status PeImage::loadFile(const std::string& path, const Resolver& resolver, Use use) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (!file) return Status::systemFailure("cannot open %s", path.c_str());
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  for (size_t n; (n = std::fread(chunk, 1, sizeof chunk, file)) != 0;)
    bytes.insert(bytes.end(), chunk, chunk + n);
  std::fclose(file);
  return load(bytes, path.substr(path.rfind('/') + 1), resolver, use);
}

void PeImage::discardInit() {
  for (const Section& section : m_sections)
    if ((section.characteristics & kSectionDiscardable) && section.rva != m_exceptionDirectory.rva)
      mprotect(m_base + section.rva, pages(section.size), PROT_NONE);
}

// PE/COFF, "The .edata Section": names, in the same order the ordinals, and indexed by these the addresses.
uint64_t PeImage::exported(const char* name) const {
  const auto* table = m_exportDirectory.size ? at<uint32_t>(m_exportDirectory.rva, 10) : nullptr;
  if (!table) return 0;
  const uint32_t functions = table[5], count = table[6];
  const auto* addresses = at<uint32_t>(table[7], functions);
  const auto* names = at<uint32_t>(table[8], count);
  const auto* ordinals = at<uint16_t>(table[9], count);
  if (!addresses || !names || !ordinals) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    const char* found = stringAt(names[i]);
    if (found && ordinals[i] < functions && std::strcmp(found, name) == 0)
      return reinterpret_cast<uintptr_t>(m_base) + addresses[ordinals[i]];
  }
  return 0;
}

bool PeImage::containsCode(uint64_t address) const {
  if (!contains(address)) return false;
  const auto rva = static_cast<uint32_t>(address - reinterpret_cast<uintptr_t>(m_base));
  return std::any_of(m_sections.begin(), m_sections.end(), [&](const Section& s) {
    return (s.characteristics & (kSectionCode | kSectionExecute)) && rva - s.rva < s.size;
  });
}

const RuntimeFunction* PeImage::function(uint64_t address) const {
  if (!contains(address)) return nullptr;
  const auto rva = static_cast<uint32_t>(address - reinterpret_cast<uintptr_t>(m_base));
  auto next = std::upper_bound(m_functions.begin(), m_functions.end(), rva,
                               [](uint32_t value, const RuntimeFunction& f) { return value < f.begin; });
  if (next == m_functions.begin()) return nullptr;
  --next;
  return rva < next->end ? &*next : nullptr;
}

std::string PeImage::describe(uint64_t address) const {
  char text[256];
  if (!contains(address)) {
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
  }
  const auto rva = static_cast<uint32_t>(address - reinterpret_cast<uintptr_t>(m_base));
  const char* section = "headers";
  for (const Section& s : m_sections)
    if (rva - s.rva < pages(s.size)) section = s.name.c_str();
  std::snprintf(text, sizeof text, "%s+0x%x (%s", m_name.c_str(), rva, section);
  std::string result = text;
  if (const Symbol* symbol = symbolAt(rva)) {
    std::snprintf(text, sizeof text, ", %s+0x%x", symbol->name.c_str(), rva - symbol->rva);
    result += text;
  }
  return result + ")";
}

std::string PeImage::functionName(uint64_t address) const {
  const Symbol* symbol = contains(address)
                             ? symbolAt(static_cast<uint32_t>(address - reinterpret_cast<uintptr_t>(m_base)))
                             : nullptr;
  return symbol ? symbol->name : std::string();
}

const PeImage::Symbol* PeImage::symbolAt(uint32_t rva) const {
  const auto next = std::upper_bound(m_symbols.begin(), m_symbols.end(), rva,
                                     [](uint32_t value, const Symbol& s) { return value < s.rva; });
  return next == m_symbols.begin() ? nullptr : &*(next - 1);
}

}  // namespace aerogpu::host
