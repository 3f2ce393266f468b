// SPDX-License-Identifier: MIT
// Test helper: assembles, translates and validates the result with spirv-val's library.
#pragma once

#include <gtest/gtest.h>

#include <spirv-tools/libspirv.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/shader/translate.h"

namespace aerogpu::shader::test {

/// The newest version that Vulkan 1.1 takes (its specification, "Versions and Formats").
inline constexpr uint32_t kSpirv13 = 0x10300;

/// Returns an empty string if the module is valid for Vulkan 1.1, or 1.3 if its version is newer than that
/// one's, else the validator's message and the disassembly.
inline std::string validate(const std::vector<uint32_t>& words) {
  spvtools::SpirvTools tools(words.at(1) > kSpirv13 ? SPV_ENV_VULKAN_1_3 : SPV_ENV_VULKAN_1_1);
  std::string message;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&, const char* text) {
    message += text;
    message += '\n';
  });
  if (tools.Validate(words)) return {};
  std::string text;
  tools.Disassemble(words, &text,
                    SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT);
  return message + text;
}

/// Assembles a module whose ids are numbers, which it keeps.
inline std::vector<uint32_t> assemble(const std::string& text, spv_target_env env = SPV_ENV_UNIVERSAL_1_3) {
  spvtools::SpirvTools tools(env);
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* what) {
    ADD_FAILURE() << at.line << ": " << what << "\n" << text;
  });
  std::vector<uint32_t> words;
  EXPECT_TRUE(tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS));
  return words;
}

inline std::vector<uint32_t> tokens(std::string_view source) {
  const d3d9::Assembly a = d3d9::assemble(source);
  EXPECT_TRUE(a.ok()) << a.errorText() << "\n" << source;
  return a.tokens;
}

inline Program program(std::string_view source) {
  auto p = parse(tokens(source));
  EXPECT_TRUE(p.ok()) << (p.ok() ? "" : p.error().message) << "\n" << source;
  if (!p.ok()) std::abort();
  return *p;
}

/// Returns a module that has passed the validator.
inline Module module(const Program& p, const EmitOptions& options = {}) {
  auto m = emit(p, options);
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : m.error().message);
  if (!m.ok()) std::abort();
  EXPECT_EQ(validate(m->words), "");
  EXPECT_LE(m->words.at(1), kSpirv13);
  return *m;
}

}  // namespace aerogpu::shader::test
