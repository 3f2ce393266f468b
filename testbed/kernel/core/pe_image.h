// SPDX-License-Identifier: MIT
// Loads a Windows kernel image or library, x64 or x86 like the host itself, as the Windows loader does:
// Microsoft PE/COFF specification. It changes nothing in the file; it refuses what Windows would refuse, with
// a sentence that says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::host {

using guest::Status;

/// One row of .pdata (PE/COFF, "The .pdata Section", x64 form). Offsets from the image base.
struct RuntimeFunction {
  uint32_t begin, end, unwindInfo;
};

class PeImage {
public:
  /// Returns the address of `name` in `dll` (as the import table spells both), or null. Called once for each
  /// import.
  using Resolver = std::function<void*(const char* dll, const char* name)>;

  /// The purpose of an image; Windows loads no driver with a wrong checksum, and no library into the kernel.
  enum class Use { Driver, Library };

  PeImage() = default;
  PeImage(const PeImage&) = delete;
  PeImage& operator=(const PeImage&) = delete;
  ~PeImage();

  /// Checks, maps, relocates, binds and protects. A missing import does not end the search: the error names
  /// all.
  Status load(std::span<const uint8_t> file, const std::string& name, const Resolver& resolver,
              Use use = Use::Driver);
  /// Reads `path` and loads it under its last component's name.
  Status loadFile(const std::string& path, const Resolver& resolver, Use use = Use::Driver);
  /// Unmaps the discardable sections, as Windows does after DriverEntry.
  void discardInit();

  uint8_t* base() const { return m_base; }
  uint32_t size() const { return m_size; }
  uint64_t entry() const { return reinterpret_cast<uintptr_t>(m_base) + m_entryRva; }
  bool contains(uint64_t address) const {
    return m_base && address - reinterpret_cast<uintptr_t>(m_base) < m_size;
  }
  /// Returns the address of the export with that name; 0 without one.
  uint64_t exported(const char* name) const;
  /// True inside a code section.
  bool containsCode(uint64_t address) const;
  /// True if the image has IMAGE_DLLCHARACTERISTICS_NO_SEH: then x86 calls no exception handler in it.
  bool noSeh() const { return m_noSeh; }
  /// Returns the row whose range holds `address`; null for a leaf function (or an address outside).
  const RuntimeFunction* function(uint64_t address) const;
  /// Returns "name+0x1234 (.text, function+0x12)"; with the function's name if the file has a COFF symbol
  /// table.
  std::string describe(uint64_t address) const;
  /// Returns the name of the function at `address`; empty without a symbol table.
  std::string functionName(uint64_t address) const;
  struct Import {
    std::string dll, name;
  };
  const std::vector<Import>& imports() const { return m_imports; }

private:
  struct Section {
    std::string name;
    uint32_t rva, size, characteristics;
  };
  struct Symbol {
    uint32_t rva;
    std::string name;
  };
  Status readHeaders(std::span<const uint8_t> file, Use use);
  Status mapSections(std::span<const uint8_t> file);
  Status relocate();
  Status bind(const Resolver& resolver);
  Status readFunctions();
  Status protect();
  void readSymbols(std::span<const uint8_t> file);
  /// Returns the last symbol at or before `rva`, or null.
  const Symbol* symbolAt(uint32_t rva) const;
  template <class T>
  const T* at(uint32_t rva, uint64_t count = 1) const;
  const char* stringAt(uint32_t rva) const;

  std::string m_name;
  uint8_t* m_base = nullptr;
  uint32_t m_size = 0, m_entryRva = 0, m_headerBytes = 0;
  uintptr_t m_preferredBase = 0;
  bool m_noSeh = false;
  struct Directory {
    uint32_t rva = 0, size = 0;
  };
  Directory m_exportDirectory, m_importDirectory, m_exceptionDirectory, m_relocationDirectory;
  std::vector<Section> m_sections;
  std::vector<Symbol> m_symbols;  // sorted by address
  std::vector<Import> m_imports;
  std::span<const RuntimeFunction> m_functions;
};

/// Returns the checksum that the header of a PE file must hold (PE/COFF, "CheckSum"; the algorithm of
/// ImageHlp's CheckSumMappedFile). `checksumOffset` is where the field lies in the file.
uint32_t peChecksum(std::span<const uint8_t> file, size_t checksumOffset);

}  // namespace aerogpu::host
