// SPDX-License-Identifier: MIT
// Rewrites loops (see spirv_loops.h). An iteration begins where a loop header enters the loop's body, so the
// check sits on these edges: header -> check -> body. No block gets a new predecessor, so dominance and the
// phis of all others stay valid (SPIR-V 1.6, 2.11.1 "Rules for Structured Control-flow Constructs").
#include "renderer/shader/spirv/spirv_loops.h"

#include <algorithm>
#include <unordered_map>

#include "renderer/shader/spirv/spirv_version.h"
#include "renderer/shader/spirv/spirv_words.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;

constexpr uint32_t kTerminateInvocation = 4416;

Error refusal(const char* why) {
  return Error{ErrorCode::CmdDecode, "the flow of the shader is not understood", why};
}

struct Block {
  Id label = 0;
  size_t begin = 0;       ///< first instruction after the label, an index into the function's
  size_t terminator = 0;  ///< likewise
  Id merge = 0;           ///< of a loop header, else 0
  Id newContinue = 0;     ///< its own block if the header was its own continue target
};

class Rewriter {
public:
  Rewriter(std::span<const uint32_t> words, const LoopGuard& guard) : m_in(words), m_guard(guard) {}
  Result<GuardedModule> run();

private:
  Result<void> split();
  Result<void> scanGlobals();
  Result<void> function(size_t begin, size_t end);
  Result<void> findBlocks(size_t begin, size_t end);
  Result<void> findEdges();
  void writeBlock(size_t number, Id returnType);
  void writeCheck(Id check, Id then, Id returnType);
  void writeGlobals();
  Words finish();

  Id newId() { return m_bound++; }
  /// Calls `use` with the index of each word of a terminator that names a block.
  template <class Use>
  static void eachTarget(InstructionWords in, Use use);
  static uint64_t edge(Id to, Id from) { return uint64_t{to} << 32 | from; }

  std::span<const uint32_t> m_in;
  const LoopGuard m_guard;
  std::vector<InstructionWords> m_instructions;
  size_t m_types = 0, m_functions = 0;  ///< starts of the sections (SPIR-V 1.6, 2.4)
  uint32_t m_version = 0, m_bound = 0, m_loops = 0;
  Id m_void = 0, m_bool = 0, m_uint = 0;
  Id m_zero = 0, m_one = 0, m_mask = 0;
  Id m_counter = 0, m_word = 0, m_wordPointer = 0;
  Words m_annotations, m_globals, m_code;

  // The function being rewritten.
  std::vector<Block> m_blocks;
  std::unordered_map<Id, size_t> m_byLabel;
  std::unordered_map<uint64_t, Id> m_newPredecessor;  ///< by edge: the block that its phis must name instead
  std::unordered_map<uint64_t, Id> m_newTarget;       ///< by edge: the new target of the branch
};

Result<void> Rewriter::split() {
  const char* wrong = forEachInstruction(m_in, [&](InstructionWords in) -> const char* {
    m_instructions.push_back(in);
    return nullptr;
  });
  if (wrong) return refusal(wrong);
  m_version = m_in[1];
  m_bound = m_in[kBoundWord];
  return {};
}

/// Scans the sections before the functions.
Result<void> Rewriter::scanGlobals() {
  const size_t all = m_instructions.size();
  m_types = m_functions = all;
  for (size_t i = 0; i < all; ++i) {
    const InstructionWords in = m_instructions[i];
    const Op op = opcode(in);
    const bool global = (op >= Op::OpTypeVoid && op <= Op::OpTypeForwardPointer) ||
                        (op >= Op::OpConstantTrue && op <= Op::OpSpecConstantOp) || op == Op::OpVariable ||
                        op == Op::OpUndef || op == Op::OpLine || op == Op::OpNoLine;
    if (global) m_types = std::min(m_types, i);
    if (op == Op::OpFunction) {
      m_types = std::min(m_types, i);
      m_functions = i;
      break;
    }
    if (op == Op::OpTypeVoid && in.size() == 2) m_void = in[1];
    if (op == Op::OpTypeBool && in.size() == 2) m_bool = in[1];
    if (op == Op::OpTypeInt) {
      if (in.size() != 4) return refusal("an integer type");
      // A switch over wider integers has literals of more words.
      if (in[2] > 32) return refusal("integers of more than 32 bits");
      if (in[2] == 32 && in[3] == 0) m_uint = in[1];
    }
    if (op == Op::OpMemoryModel &&
        (in.size() != 3 || in[2] == static_cast<uint32_t>(spv::MemoryModel::Vulkan)))
      return refusal("memory model");
  }
  return {};
}

template <class Use>
void Rewriter::eachTarget(InstructionWords in, Use use) {
  switch (opcode(in)) {
    case Op::OpBranch:
      if (in.size() == 2) use(size_t{1});
      break;
    case Op::OpBranchConditional:
      if (in.size() == 4 || in.size() == 6) {
        use(size_t{2});
        use(size_t{3});
      }
      break;
    case Op::OpSwitch:
      for (size_t i = 2; i < in.size(); i += 2) use(i);
      break;
    default:
      break;
  }
}

Result<void> Rewriter::findBlocks(size_t begin, size_t end) {
  m_blocks.clear();
  m_byLabel.clear();
  bool open = false;
  for (size_t i = begin; i < end; ++i) {
    const InstructionWords in = m_instructions[i];
    const Op op = opcode(in);
    if (op == Op::OpLabel) {
      if (open || in.size() != 2) return refusal("a block without an end");
      if (!m_byLabel.emplace(in[1], m_blocks.size()).second) return refusal("a label that is there twice");
      m_blocks.push_back({in[1], i + 1, 0, 0, 0});
      open = true;
      continue;
    }
    if (!open) {
      // Only line information may stand between blocks.
      if (op != Op::OpLine && op != Op::OpNoLine) return refusal("an instruction outside of a block");
      continue;
    }
    switch (op) {
      case Op::OpBranch:
      case Op::OpBranchConditional:
      case Op::OpSwitch: {
        size_t targets = 0;
        eachTarget(in, [&](size_t) { ++targets; });
        if (targets == 0) return refusal("a branch");
        m_blocks.back().terminator = i;
        open = false;
        break;
      }
      case Op::OpReturn:
      case Op::OpReturnValue:
      case Op::OpKill:
      case Op::OpUnreachable:
        m_blocks.back().terminator = i;
        open = false;
        break;
      case Op::OpLoopMerge:
        if (in.size() < 4 || i + 1 == end ||
            (opcode(m_instructions[i + 1]) != Op::OpBranch &&
             opcode(m_instructions[i + 1]) != Op::OpBranchConditional))
          return refusal("a loop header");
        m_blocks.back().merge = in[1];
        if (in[2] == m_blocks.back().label) m_blocks.back().newContinue = newId();
        break;
      default:
        if (static_cast<uint32_t>(op) == kTerminateInvocation) {
          m_blocks.back().terminator = i;
          open = false;
        }
        break;
    }
  }
  if (open || m_blocks.empty()) return refusal("a function without an end");
  return {};
}

/// Checks that every branch back goes to a loop header, and finds new targets for the branches that the
/// rewriting moves.
Result<void> Rewriter::findEdges() {
  m_newPredecessor.clear();
  m_newTarget.clear();
  for (size_t from = 0; from < m_blocks.size(); ++from) {
    const Block& block = m_blocks[from];
    const InstructionWords in = m_instructions[block.terminator];
    const char* wrong = nullptr;
    eachTarget(in, [&](size_t word) {
      const auto found = m_byLabel.find(in[word]);
      if (found == m_byLabel.end()) {
        wrong = "a branch out of the function";
        return;
      }
      // A block comes after its dominator, so only a branch back to a loop header can close a cycle (2.11,
      // "back edge").
      if (found->second > from) return;
      const Block& header = m_blocks[found->second];
      if (!header.merge) {
        wrong = "a loop without a header";
      } else if (header.newContinue) {
        m_newTarget[edge(header.label, block.label)] = header.newContinue;
        m_newPredecessor[edge(header.label, block.label)] = header.newContinue;
      } else if (found->second == from) {
        wrong = "a header that branches to itself";
      }
    });
    if (wrong) return refusal(wrong);
  }
  return {};
}

/// Writes the block `check`, which reads the word once in `interval` iterations, and leaves the function or
/// continues at `then`.
void Rewriter::writeCheck(Id check, Id then, Id returnType) {
  const auto branch = [&](Id condition, Id yes, Id no, Id merge) {
    put(m_code, Op::OpSelectionMerge, merge, spv::SelectionControlMask::MaskNone);
    put(m_code, Op::OpBranchConditional, condition, yes, no);
  };
  const Id look = m_guard.interval > 1 ? newId() : check;
  put(m_code, Op::OpLabel, check);
  Id after = then;
  if (look != check) {
    const Id count = newId(), next = newId(), low = newId(), due = newId();
    put(m_code, Op::OpLoad, m_uint, count, m_counter);
    put(m_code, Op::OpIAdd, m_uint, next, count, m_one);
    put(m_code, Op::OpStore, m_counter, next);
    put(m_code, Op::OpBitwiseAnd, m_uint, low, count, m_mask);
    put(m_code, Op::OpIEqual, m_bool, due, low, m_zero);
    branch(due, look, then, then);
    put(m_code, Op::OpLabel, look);
    after = newId();
  }
  const Id pointer = newId(), word = newId(), stop = newId(), leave = newId();
  put(m_code, Op::OpAccessChain, m_wordPointer, pointer, m_word, m_zero);
  put(m_code, Op::OpLoad, m_uint, word, pointer, spv::MemoryAccessMask::Volatile);
  put(m_code, Op::OpIEqual, m_bool, stop, word, m_zero);
  branch(stop, leave, after, after);
  put(m_code, Op::OpLabel, leave);
  if (returnType == m_void) {
    put(m_code, Op::OpReturn);
  } else {
    const Id undefined = newId();
    put(m_code, Op::OpUndef, returnType, undefined);
    put(m_code, Op::OpReturnValue, undefined);
  }
  if (after != then) {
    put(m_code, Op::OpLabel, after);
    put(m_code, Op::OpBranch, then);
  }
  put(m_code, Op::OpLabel, then);
}

void Rewriter::writeBlock(size_t number, Id returnType) {
  const Block& block = m_blocks[number];
  put(m_code, Op::OpLabel, block.label);
  for (size_t i = block.begin; i < block.terminator; ++i) {
    const InstructionWords in = m_instructions[i];
    const size_t at = m_code.size();
    m_code.insert(m_code.end(), in.begin(), in.end());
    if (opcode(in) == Op::OpPhi) {
      for (size_t word = 4; word < in.size(); word += 2)
        if (const auto it = m_newPredecessor.find(edge(block.label, in[word])); it != m_newPredecessor.end())
          m_code[at + word] = it->second;
    } else if (opcode(in) == Op::OpLoopMerge && block.newContinue) {
      m_code[at + 2] = block.newContinue;
    }
  }
  const InstructionWords in = m_instructions[block.terminator];
  Words terminator(in.begin(), in.end());
  struct Way {
    Id check, join, target;
  };
  std::vector<Way> ways;  // two at most
  eachTarget(in, [&](size_t word) {
    Id target = in[word];
    if (const auto it = m_newTarget.find(edge(target, block.label)); it != m_newTarget.end())
      target = it->second;
    terminator[word] = target;
    if (!block.merge || in[word] == block.merge) return;
    const auto known =
        std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return w.target == target; });
    if (known != ways.end()) {
      terminator[word] = known->check;
      return;
    }
    ways.push_back({newId(), newId(), target});
    terminator[word] = ways.back().check;
    if (target == in[word]) m_newPredecessor[edge(target, block.label)] = ways.back().join;
  });
  m_code.insert(m_code.end(), terminator.begin(), terminator.end());
  for (const Way& way : ways) {
    writeCheck(way.check, way.join, returnType);
    put(m_code, Op::OpBranch, way.target);
  }
  m_loops += block.merge != 0;
  eachTarget(in, [&](size_t word) {
    const auto it = m_newTarget.find(edge(in[word], block.label));
    if (it == m_newTarget.end() || it->second == 0) return;
    put(m_code, Op::OpLabel, it->second);
    put(m_code, Op::OpBranch, in[word]);
    it->second = 0;  // both ways of a conditional branch may be the same
  });
}

Result<void> Rewriter::function(size_t begin, size_t end) {
  const InstructionWords head = m_instructions[begin];
  if (head.size() != 5) return refusal("a function");
  const auto copy = [&](const InstructionWords& in) { m_code.insert(m_code.end(), in.begin(), in.end()); };
  size_t body = begin + 1;
  while (body < end &&
         (opcode(m_instructions[body]) == Op::OpFunctionParameter ||
          opcode(m_instructions[body]) == Op::OpLine || opcode(m_instructions[body]) == Op::OpNoLine))
    ++body;
  if (auto found = findBlocks(body, end); !found) return found;
  if (auto found = findEdges(); !found) return found;
  for (size_t i = begin; i < body; ++i) copy(m_instructions[i]);
  for (size_t n = 0; n < m_blocks.size(); ++n) writeBlock(n, head[1]);
  copy(m_instructions[end]);
  return {};
}

/// Writes types and variables of the module that the checks need.
void Rewriter::writeGlobals() {
  if (!m_bool) put(m_globals, Op::OpTypeBool, m_bool = newId());
  if (!m_uint) put(m_globals, Op::OpTypeInt, m_uint = newId(), 32, 0);
  // Storage buffers have their own class since 1.3; the older substitute is gone in 1.4.
  const bool storage = m_version >= kSpirv13;
  const auto storageClass = storage ? spv::StorageClass::StorageBuffer : spv::StorageClass::Uniform;
  const Id block = newId(), blockPointer = newId(), counterPointer = newId();
  put(m_globals, Op::OpConstant, m_uint, m_zero, 0);
  put(m_globals, Op::OpConstant, m_uint, m_one, 1);
  put(m_globals, Op::OpConstant, m_uint, m_mask, m_guard.interval - 1);
  put(m_globals, Op::OpTypeStruct, block, m_uint);
  put(m_globals, Op::OpTypePointer, blockPointer, storageClass, block);
  put(m_globals, Op::OpTypePointer, m_wordPointer, storageClass, m_uint);
  put(m_globals, Op::OpVariable, blockPointer, m_word, storageClass);
  put(m_globals, Op::OpTypePointer, counterPointer, spv::StorageClass::Private, m_uint);
  put(m_globals, Op::OpVariable, counterPointer, m_counter, spv::StorageClass::Private, m_zero);

  put(m_annotations, Op::OpDecorate, block, storage ? spv::Decoration::Block : spv::Decoration::BufferBlock);
  put(m_annotations, Op::OpMemberDecorate, block, 0, spv::Decoration::Offset, 0);
  for (const auto d : {spv::Decoration::NonWritable, spv::Decoration::Coherent, spv::Decoration::Volatile})
    put(m_annotations, Op::OpMemberDecorate, block, 0, d);
  put(m_annotations, Op::OpDecorate, m_word, spv::Decoration::DescriptorSet, m_guard.set);
  put(m_annotations, Op::OpDecorate, m_word, spv::Decoration::Binding, m_guard.binding);
}

Words Rewriter::finish() {
  Words out(m_in.begin(), m_in.begin() + kHeaderWords);
  out[kBoundWord] = m_bound;
  out.reserve(m_in.size() + m_annotations.size() + m_globals.size() + m_code.size());
  for (size_t i = 0; i < m_functions; ++i) {
    if (i == m_types) out.insert(out.end(), m_annotations.begin(), m_annotations.end());
    const InstructionWords in = m_instructions[i];
    const size_t at = out.size();
    out.insert(out.end(), in.begin(), in.end());
    if (opcode(in) == Op::OpEntryPoint && m_version >= kSpirv14) {
      // Since 1.4 the interface names every global variable.
      out.insert(out.end(), {m_counter, m_word});
      out[at] += 2u << 16;
    }
  }
  if (m_types == m_functions) out.insert(out.end(), m_annotations.begin(), m_annotations.end());
  out.insert(out.end(), m_globals.begin(), m_globals.end());
  out.insert(out.end(), m_code.begin(), m_code.end());
  return out;
}

Result<GuardedModule> Rewriter::run() {
  if (auto done = split(); !done) return done.error();
  if (auto done = scanGlobals(); !done) return done.error();
  for (Id* id : {&m_zero, &m_one, &m_mask, &m_counter, &m_word, &m_wordPointer}) *id = newId();
  writeGlobals();
  for (size_t i = m_functions; i < m_instructions.size();) {
    size_t end = i;
    while (end < m_instructions.size() && opcode(m_instructions[end]) != Op::OpFunctionEnd) ++end;
    if (end == m_instructions.size() || opcode(m_instructions[i]) != Op::OpFunction)
      return refusal("a function without an end");
    if (auto done = function(i, end); !done) return done.error();
    i = end + 1;
  }
  if (m_loops == 0) return GuardedModule{Words(m_in.begin(), m_in.end()), 0};
  if (m_bound > kMaxBound) return refusal("too many ids");
  return GuardedModule{finish(), m_loops};
}

}  // namespace

Result<GuardedModule> guardLoops(std::span<const uint32_t> words, const LoopGuard& guard) {
  return Rewriter(words, guard).run();
}

}  // namespace aerogpu::shader
