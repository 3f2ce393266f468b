// SPDX-License-Identifier: MIT
// Token streams by other authors: those in Wine's tests of Direct3D 8 and 9, read from its sources when the
// test runs (scripts/prepare-wine-tests, AEROGPU_WINE_TESTS). All are accepted and give valid modules, except
// those that their test expects to be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "renderer/shader/test/validate.h"

namespace aerogpu::shader::test {
namespace {

struct Foreign {
  std::string where;  ///< "d3d9/visual.c, line 12, ps_code"
  std::string name;
  std::vector<uint32_t> tokens;
};

/// Returns C without comments; lines stay.
std::string withoutComments(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool block = text.compare(i, 2, "/*") == 0, line = text.compare(i, 2, "//") == 0;
    if (!block && !line) {
      out += text[i++];
      continue;
    }
    const size_t end = block ? text.find("*/", i + 2) : text.find('\n', i);
    const size_t stop = end == std::string::npos ? text.size() : end + (block ? 2 : 0);
    for (; i < stop; ++i) out += text[i] == '\n' ? '\n' : ' ';
  }
  return out;
}

/// Returns the numbers of a list between braces; nothing if it holds anything else.
std::optional<std::vector<uint32_t>> numbers(const std::string& list) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < list.size();) {
    if (list[i] == ',' || std::isspace(static_cast<unsigned char>(list[i]))) {
      ++i;
      continue;
    }
    if (!std::isdigit(static_cast<unsigned char>(list[i]))) return std::nullopt;
    char* end = nullptr;
    out.push_back(static_cast<uint32_t>(std::strtoul(&list[i], &end, 0)));
    i = static_cast<size_t>(end - list.data());
    while (i < list.size() && (std::tolower(list[i]) == 'u' || std::tolower(list[i]) == 'l')) ++i;
  }
  return out;
}

/// Returns the identifier before `[...] =`, which ends at `at`; empty before anything else.
std::string nameBefore(const std::string& text, size_t at) {
  const auto back = [&](auto skip) {
    while (at > 0 && skip(static_cast<unsigned char>(text[at - 1]))) --at;
  };
  const auto space = [](unsigned char c) { return std::isspace(c) != 0; };
  back(space);
  if (at == 0 || text[at - 1] != '=') return {};
  --at;
  back(space);
  if (at == 0 || text[at - 1] != ']') return {};
  back([](unsigned char c) { return c != '['; });
  --at;
  back(space);
  const size_t end = at;
  back([](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return text.substr(at, end - at);
}

std::vector<Foreign> streamsOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  const std::string text = withoutComments(all.str());
  std::vector<Foreign> out;
  for (size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const size_t close = text.find_first_of("{}", open + 1);
    if (close == std::string::npos || text[close] != '}') continue;
    const auto list = numbers(text.substr(open + 1, close - open - 1));
    // A version token first, the end token last.
    if (!list || list->size() < 2 || list->back() != 0x0000FFFF) continue;
    const uint32_t version = list->front();
    if (version >> 16 != 0xFFFE && version >> 16 != 0xFFFF) continue;
    if ((version >> 8 & 0xFF) == 0 || (version >> 8 & 0xFF) > 4) continue;
    Foreign f;
    f.name = nameBefore(text, open);
    f.where =
        file.parent_path().filename().string() + "/" + file.filename().string() + ", line " +
        std::to_string(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open), '\n') + 1) +
        ", " + f.name;
    f.tokens = *list;
    out.push_back(std::move(f));
  }
  return out;
}

/// Returns the tokens with declarations. Direct3D 8 has no dcl: its runtime declares the registers by their
/// number (D3DVSDE_*) before a driver sees the shader.
std::vector<uint32_t> declared(const std::vector<uint32_t>& tokens) {
  // Usage and index by register: position, blend weight, blend indices, normal, point size, two colors, eight
  // coordinates, and a second position and normal.
  std::vector<uint32_t> out = {tokens[0]};
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t usage = i < 5 ? i : i < 7 ? 10 : i < 15 ? 5 : 0;
    const uint32_t index = i < 5 ? 0 : i < 7 ? i - 5 : i < 15 ? i - 7 : 1;
    out.insert(out.end(), {0x0000001F, 0x80000000 | usage | index << 16, 0x900F0000 | i});
  }
  out.insert(out.end(), tokens.begin() + 1, tokens.end());
  return out;
}

TEST(Foreign, WinesShadersAreAcceptedAndValid) {
  const char* beside = std::getenv("AEROGPU_WINE_TESTS");
  ASSERT_NE(beside, nullptr);
  // A nested build folder uses the files of the outer one, as it does for QEMU.
  std::filesystem::path folder = beside;
  if (!std::filesystem::exists(folder)) folder = folder.parent_path().parent_path() / "wine-tests";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "wine's tests are not there; scripts/prepare-wine-tests fetches them";
  // Their tests expect D3DERR_INVALIDCALL from the runtime, mostly for registers that the device lacks; the
  // last one has 257 constants, which is for software vertex processing.
  const std::set<std::string> refused = {
      "vs_2_0", "vs_1_256", "vs_3_256", "vs_3_i16",       "vs_3_b16",
      "ps_1_8", "ps_2_32",  "ps_3_224", "ps_2_0_boolint", "pure_sw_shader_code"};
  uint32_t accepted = 0;
  std::set<std::string> seen;
  for (const char* dll : {"d3d8", "d3d9"})
    for (const auto& entry : std::filesystem::directory_iterator(folder / dll)) {
      if (entry.path().extension() != ".c") continue;
      for (const Foreign& f : streamsOf(entry.path())) {
        if (refused.contains(f.name)) {
          seen.insert(f.name);
          continue;
        }
        constexpr uint32_t kDcl = 0x1F, kOpcode = 0xFFFF;
        const bool bare =
            std::string(dll) == "d3d8" && f.tokens[0] >> 16 == 0xFFFE && (f.tokens[1] & kOpcode) != kDcl;
        const auto program = parse(bare ? declared(f.tokens) : f.tokens);
        EXPECT_TRUE(program.ok()) << f.where << ": " << (program.ok() ? "" : program.error().message);
        if (!program.ok()) continue;
        const std::vector<Varying> linked = {{d3d9::Usage::Color, 0, 0, 15},
                                             {d3d9::Usage::TexCoord, 0, 1, 15}};
        EmitOptions options;
        if (program->info().version.stage == d3d9::Stage::Pixel) options.linkedOutputs = linked;
        const auto module = emit(*program, options);
        ASSERT_TRUE(module.ok()) << f.where << ": " << module.error().message;
        EXPECT_EQ(validate(module->words), "") << f.where;
        ++accepted;
      }
    }
  EXPECT_GT(accepted, 200u) << "the sources are not what they were";
  std::cout << accepted << " shaders\n";
  EXPECT_EQ(seen, refused);
}

}  // namespace
}  // namespace aerogpu::shader::test
