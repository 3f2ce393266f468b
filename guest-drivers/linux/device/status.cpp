// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace aerogpu::guest {

Status Status::fromArguments(const char* format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  Status status;
  status.m_text = text[0] ? text : "failed";
  return status;
}

Status Status::failure(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Status status = fromArguments(format, arguments);
  va_end(arguments);
  return status;
}

Status Status::systemFailure(const char* format, ...) {
  const int error = errno;
  va_list arguments;
  va_start(arguments, format);
  Status status = fromArguments(format, arguments);
  va_end(arguments);
  status.m_text += ": ";
  status.m_text += std::strerror(error);
  return status;
}

}  // namespace aerogpu::guest
