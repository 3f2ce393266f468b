// SPDX-License-Identifier: MIT
// Test helper: runs the one entry point of a valid SPIR-V module of 32-bit integers, one invocation, for a
// bounded number of steps. Knows the instructions that the flow tests use.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aerogpu::shader::test {

struct SpirvRun {
  bool ended = false;
  uint32_t result = 0;                            ///< the variable's value at the end
  uint64_t iterations = 0;                        ///< entries into a loop's body from its header
  uint64_t iterationsAfter = 0;                   ///< those since the buffer's word was cleared
  uint64_t looks = 0;                             ///< reads of the buffer
  std::unordered_map<uint32_t, uint32_t> memory;  ///< all variables at the end
};

class SpirvMachine {
public:
  SpirvMachine(std::span<const uint32_t> words, bool stop, uint64_t stopAt) : m_stop(stop), m_stopAt(stopAt) {
    for (size_t at = 5; at < words.size(); at += words[at] >> 16)
      m_code.push_back(words.subspan(at, words[at] >> 16));
    for (size_t i = 0; i < m_code.size(); ++i) load(i);
  }

  SpirvRun run(uint32_t resultVariable) {
    m_run.ended = true;
    call(m_entry, {});
    m_run.result = m_memory[resultVariable];
    m_run.memory = m_memory;
    return m_run;
  }

private:
  using Op = spv::Op;
  static constexpr uint64_t kMaxSteps = 200'000;
  static Op op(std::span<const uint32_t> in) { return static_cast<Op>(in[0] & 0xFFFF); }

  void load(size_t i) {
    const auto in = m_code[i];
    switch (op(in)) {
      case Op::OpEntryPoint:
        m_entry = in[2];
        break;
      case Op::OpConstant:
        m_values[in[2]] = in[3];
        break;
      case Op::OpConstantTrue:
        m_values[in[2]] = 1;
        break;
      case Op::OpVariable:
        if (static_cast<spv::StorageClass>(in[3]) == spv::StorageClass::Private)
          m_memory[in[2]] = in.size() > 4 ? m_values[in[4]] : 0;
        else
          m_buffer = in[2];
        break;
      case Op::OpFunction:
        m_starts[in[2]] = i + 1;
        break;
      case Op::OpLabel:
        m_starts[in[1]] = i;
        break;
      default:
        break;
    }
  }

  uint32_t read(uint32_t pointer) {
    if (pointer != m_bufferWordPointer) return m_memory[pointer];
    ++m_run.looks;
    return m_stop && m_steps >= m_stopAt ? 0 : 1;
  }

  uint32_t call(uint32_t function, const std::vector<uint32_t>& arguments) {
    size_t at = m_starts[function];
    for (const uint32_t a : arguments) m_values[m_code[at++][2]] = a;
    uint32_t block = 0, previous = 0;
    bool header = false;
    uint32_t merge = 0;
    const auto go = [&](uint32_t to) {
      if (std::exchange(header, false) && to != merge) {
        ++m_run.iterations;
        m_run.iterationsAfter += m_steps >= m_stopAt;
      }
      previous = block;
      block = to;
      at = m_starts[to];
    };
    for (;;) {
      if (++m_steps > kMaxSteps) {
        m_run.ended = false;
        return 0;
      }
      const auto in = m_code[at++];
      const auto set = [&](uint32_t value) { m_values[in[2]] = value; };
      const auto v = [&](size_t word) { return m_values[in[word]]; };
      switch (op(in)) {
        case Op::OpLabel:
          block = in[1];
          break;
        case Op::OpPhi: {
          // All phis of a block read before any writes; here none reads another phi of its block.
          bool found = false;
          for (size_t i = 3; i + 1 < in.size(); i += 2)
            if (in[i + 1] == previous) {
              set(v(i));
              found = true;
            }
          EXPECT_TRUE(found) << "a phi does not know the block %" << previous;
          break;
        }
        case Op::OpUndef:
          set(0xDEAD);
          break;
        case Op::OpLoad:
          set(read(in[3]));
          break;
        case Op::OpStore:
          m_memory[in[1]] = v(2);
          break;
        case Op::OpAccessChain:
          EXPECT_EQ(in[3], m_buffer);
          m_bufferWordPointer = in[2];
          break;
        case Op::OpIAdd:
          set(v(3) + v(4));
          break;
        case Op::OpBitwiseAnd:
          set(v(3) & v(4));
          break;
        case Op::OpIEqual:
          set(v(3) == v(4));
          break;
        case Op::OpINotEqual:
          set(v(3) != v(4));
          break;
        case Op::OpULessThan:
          set(v(3) < v(4));
          break;
        case Op::OpUGreaterThan:
          set(v(3) > v(4));
          break;
        case Op::OpUGreaterThanEqual:
          set(v(3) >= v(4));
          break;
        case Op::OpLoopMerge:
          header = true;
          merge = in[1];
          break;
        case Op::OpSelectionMerge:
          break;
        case Op::OpFunctionCall: {
          std::vector<uint32_t> given;
          for (size_t i = 4; i < in.size(); ++i) given.push_back(v(i));
          set(call(in[3], given));
          if (!m_run.ended) return 0;
          break;
        }
        case Op::OpBranch:
          go(in[1]);
          break;
        case Op::OpBranchConditional:
          go(v(1) ? in[2] : in[3]);
          break;
        case Op::OpSwitch: {
          uint32_t to = in[2];
          for (size_t i = 3; i + 1 < in.size(); i += 2)
            if (in[i] == v(1)) to = in[i + 1];
          go(to);
          break;
        }
        case Op::OpReturn:
          return 0;
        case Op::OpReturnValue:
          return v(1);
        default:
          ADD_FAILURE() << "instruction " << (in[0] & 0xFFFF);
          m_run.ended = false;
          return 0;
      }
    }
  }

  std::vector<std::span<const uint32_t>> m_code;
  std::unordered_map<uint32_t, size_t> m_starts;
  std::unordered_map<uint32_t, uint32_t> m_values, m_memory;
  uint32_t m_entry = 0, m_buffer = 0, m_bufferWordPointer = 0;
  const bool m_stop;
  const uint64_t m_stopAt;
  uint64_t m_steps = 0;
  SpirvRun m_run;
};

/// Runs the module; the storage buffer holds 1, and with `stop` 0 from step `stopAt` on.
inline SpirvRun runSpirv(std::span<const uint32_t> words, uint32_t resultVariable, bool stop,
                         uint64_t stopAt = 0) {
  return SpirvMachine(words, stop, stopAt).run(resultVariable);
}

}  // namespace aerogpu::shader::test
