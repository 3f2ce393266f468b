// SPDX-License-Identifier: MIT
// kernel.h: gives a program access to the AeroGPU adapter: the D3DKMT functions of gdi32.dll, and escapes to
// aerogpu.sys (docs/abi/driver-data.md, "Escapes"). Each failure prints one line, with what to do about it.
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_escape.h"
#include "guest-drivers/dbgctl/windows_headers.h"

namespace dbgctl {

/// Prints "dbgctl: WHAT" on standard error, one line. Returns false.
bool complain(const char* format, ...) __attribute__((format(gnu_printf, 1, 2)));

class Kernel {
public:
  /// `library` provides the D3DKMT functions, and EnumDisplayDevicesW if it has one; null means gdi32.dll.
  /// Prints the reason if it fails.
  bool open(const char* library);
  ~Kernel();

  /// Sends an escape. `blob` begins with the escape's header, which this fills in. `word` is the user's
  /// command, for the error message. `device`: creates a D3DKMT device for the call, and sends the escape on
  /// that.
  template <class Blob>
  bool ask(const char* word, uint32_t operation, Blob& blob, bool device = false) {
    return ask(word, operation, &blob, sizeof blob, device);
  }
  bool ask(const char* word, uint32_t operation, void* blob, uint32_t bytes, bool device = false);
  /// Sends an escape and prints nothing if it fails.
  template <class Blob>
  NTSTATUS tryToAsk(uint32_t operation, Blob& blob) {
    return escape(operation, &blob, sizeof blob, 0);
  }

  /// "\\.\DISPLAY1", and what Windows calls the adapter.
  const char* displayName() const { return m_display; }
  const char* adapterName() const { return m_adapterName; }

private:
  bool load(const char* library);
  /// Opens the adapter of this display. Returns true if it is an AeroGPU with aerogpu.sys.
  bool tryDisplay(const DISPLAY_DEVICEW& display);
  bool isOurs(bool hardware);
  NTSTATUS escape(uint32_t operation, void* blob, uint32_t bytes, D3DKMT_HANDLE device);
  void close();

  struct {
    PFND3DKMT_OPENADAPTERFROMGDIDISPLAYNAME openAdapter;
    PFND3DKMT_CLOSEADAPTER closeAdapter;
    PFND3DKMT_QUERYADAPTERINFO queryAdapterInfo;
    PFND3DKMT_ESCAPE escape;
    PFND3DKMT_CREATEDEVICE createDevice;
    PFND3DKMT_DESTROYDEVICE destroyDevice;
    decltype(&EnumDisplayDevicesW) enumDisplayDevices;
  } m_call = {};
  D3DKMT_HANDLE m_adapter = 0;
  char m_display[64] = "", m_adapterName[256] = "";
};

}  // namespace dbgctl
