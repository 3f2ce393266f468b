// SPDX-License-Identifier: MIT
// aerogpu-d3d9asm: turns D3D9 shader assembly into token streams and back. A command line for assembler.h and
// disassembler.h.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "aerogpu/d3d9/assembler.h"
#include "aerogpu/d3d9/disassembler.h"

namespace {

constexpr char kUsage[] =
    "usage: aerogpu-d3d9asm [--array NAME] [-o OUT] SOURCE    assemble to tokens, or to a C array\n"
    "       aerogpu-d3d9asm -d [-o OUT] TOKENS                disassemble\n"
    "SOURCE, TOKENS and OUT may be '-' (the default of OUT).\n";

bool readAll(const char* path, std::string& out) {
  std::FILE* file = std::strcmp(path, "-") ? std::fopen(path, "rb") : stdin;
  if (!file) return false;
  char buffer[65536];
  size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) out.append(buffer, n);
  const bool ok = !std::ferror(file);
  if (file != stdin) std::fclose(file);
  return ok;
}

bool writeAll(const char* path, const std::string& bytes) {
  std::FILE* file = std::strcmp(path, "-") ? std::fopen(path, "wb") : stdout;
  if (!file) return false;
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file != stdout)
    ok = std::fclose(file) == 0 && ok;
  else
    ok = std::fflush(file) == 0 && ok;
  return ok;
}

std::string arrayText(const std::string& name, const std::vector<uint32_t>& tokens) {
  std::string out = "/* Written by aerogpu-d3d9asm. */\n#include <stdint.h>\n\nstatic const uint32_t " +
                    name + "[" + std::to_string(tokens.size()) + "] = {";
  for (size_t i = 0; i < tokens.size(); ++i) {
    char word[16];
    std::snprintf(word, sizeof word, "0x%08x,", tokens[i]);
    out += i % 8 ? " " : "\n    ";
    out += word;
  }
  return out + "\n};\n";
}

}  // namespace

int main(int argc, char** argv) {
  const char* in = nullptr;
  const char* out = "-";
  const char* array = nullptr;
  bool backwards = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "-d")) {
      backwards = true;
    } else if (!std::strcmp(argv[i], "-o") && i + 1 < argc) {
      out = argv[++i];
    } else if (!std::strcmp(argv[i], "--array") && i + 1 < argc) {
      array = argv[++i];
    } else if (!in && (argv[i][0] != '-' || !argv[i][1])) {
      in = argv[i];
    } else {
      std::fputs(kUsage, stderr);
      return 2;
    }
  }
  if (!in || (backwards && array)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::string input, output;
  if (!readAll(in, input)) {
    std::perror(in);
    return 1;
  }
  if (backwards) {
    std::vector<uint32_t> tokens(input.size() / 4);
    if (!tokens.empty()) std::memcpy(tokens.data(), input.data(), tokens.size() * 4);
    const auto result = aerogpu::d3d9::disassemble(tokens);
    output = result.text;
    if (!result.ok()) {
      std::fprintf(stderr, "%s: token %u: %s\n", in, result.errorOffset, result.error.c_str());
      return 1;
    }
  } else {
    const auto result = aerogpu::d3d9::assemble(input);
    if (!result.ok()) {
      std::fprintf(stderr, "%s:%s\n", in, result.errorText().c_str());
      return 1;
    }
    if (array)
      output = arrayText(array, result.tokens);
    else
      output.assign(reinterpret_cast<const char*>(result.tokens.data()), result.tokens.size() * 4);
  }
  if (!writeAll(out, output)) {
    std::perror(out);
    return 1;
  }
  return 0;
}
