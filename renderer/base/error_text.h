// SPDX-License-Identifier: MIT
// Texts of errors for people.
#pragma once

#include <cstdio>
#include <string>

#include "renderer/base/result.h"

namespace aerogpu {

inline std::string textOf(const ErrorValue& value) {
  if (const auto* number = std::get_if<float>(&value.number)) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(*number));
    return std::string(value.name) + " " + text;
  }
  if (const auto* number = std::get_if<int64_t>(&value.number))
    return std::string(value.name) + " " + std::to_string(*number);
  return std::string(value.name) + " " + std::to_string(std::get<uint64_t>(value.number));
}

/// Returns, for example, "no such query slot: slot 256 of 256".
inline std::string textOf(const Error& error) {
  std::string text = error.what;
  if (!error.detail.empty()) text += ": " + error.detail;
  bool first = error.detail.empty();
  for (const ErrorValue& value : error.values.all()) {
    const bool of = std::string_view(value.name) == "of";
    text += (first ? ": " : of ? " " : ", ") + textOf(value);
    first = false;
  }
  return text;
}

}  // namespace aerogpu
