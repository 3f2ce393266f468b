// SPDX-License-Identifier: MIT
// Parser: blocks, subroutines and the graph of calls. Source: the flow control pages of the Direct3D 9 "asm
// shader reference".
#include <algorithm>

#include "renderer/shader/d3d9/parser.h"

namespace aerogpu::shader {

using d3d9::Opcode;

bool Parser::flow(const Instruction& in) {
  m_code->hasFlow = true;
  switch (in.opcode) {
    case Opcode::If:
    case Opcode::IfC:
      return open(Block::If, in);
    case Opcode::Else:
      if (m_blocks.empty() || m_blocks.back() != Block::If) return fail("without if");
      m_blocks.back() = Block::Else;
      break;
    case Opcode::EndIf:
      if (m_blocks.empty() || (m_blocks.back() != Block::If && m_blocks.back() != Block::Else))
        return fail("without if");
      m_blocks.pop_back();
      break;
    case Opcode::Loop:
      ++m_loopDepth;
      return open(Block::Loop, in);
    case Opcode::Rep:
      return open(Block::Rep, in);
    case Opcode::EndLoop:
      if (m_blocks.empty() || m_blocks.back() != Block::Loop) return fail("without loop");
      m_blocks.pop_back();
      --m_loopDepth;
      break;
    case Opcode::EndRep:
      if (m_blocks.empty() || m_blocks.back() != Block::Rep) return fail("without rep");
      m_blocks.pop_back();
      break;
    case Opcode::Break:
    case Opcode::BreakC:
    case Opcode::BreakP:
      if (std::none_of(m_blocks.begin(), m_blocks.end(),
                       [](Block b) { return b == Block::Loop || b == Block::Rep; }))
        return fail("outside of a loop");
      break;
    case Opcode::Ret:
      if (!m_blocks.empty()) return fail("inside of a block");
      if (m_inSubroutine)
        m_code->subroutines.back().end = static_cast<uint32_t>(m_code->code.size());
      else
        m_code->mainEnd = static_cast<uint32_t>(m_code->code.size());
      m_mainEnded = m_afterMain = true;
      m_inSubroutine = false;
      break;
    case Opcode::Label: {
      if (!m_afterMain) return fail("must follow ret");
      const uint16_t label = in.sources[0].number;
      for (const Subroutine& s : m_code->subroutines)
        if (s.label == label) return fail("label l" + std::to_string(label) + " is there twice");
      if (m_code->subroutines.size() >= 256) return fail("too many subroutines");
      const auto begin = static_cast<uint32_t>(m_code->code.size() + 1);
      m_code->subroutines.push_back({label, begin, begin});
      m_afterMain = false;
      m_inSubroutine = true;
      break;
    }
    default:
      break;  // call, callnz: the labels are looked up when all are known
  }
  m_code->code.push_back(in);
  return true;
}

bool Parser::open(Block block, const Instruction& in) {
  if (m_blocks.size() >= kMaxBlockDepth) return fail("blocks nest too deep");
  const auto loops = [](Block b) { return b == Block::Loop || b == Block::Rep; };
  if (loops(block)) m_code->info.loops = true;
  if (loops(block) && (m_inSubroutine || std::any_of(m_blocks.begin(), m_blocks.end(), loops)))
    m_code->info.nestedLoops = true;
  m_blocks.push_back(block);
  m_code->code.push_back(in);
  return true;
}

/// Checks that each call has its label, that no subroutine calls itself, and that the code with all calls
/// expanded is not too long. Kahn's algorithm: subroutines that cannot be ordered are recursive.
bool Parser::callGraph() {
  const auto& subs = m_code->subroutines;
  if (subs.empty()) {
    for (const Instruction& in : m_code->code)
      if (in.opcode == Opcode::Call || in.opcode == Opcode::CallNz) return noLabel(in);
    return true;
  }
  std::array<int16_t, kMaxLabels> byLabel;
  byLabel.fill(-1);
  for (size_t i = 0; i < subs.size(); ++i) byLabel[subs[i].label] = static_cast<int16_t>(i);
  std::vector<std::vector<uint16_t>> callees(subs.size());
  std::vector<uint32_t> callers(subs.size(), 0);
  size_t sub = 0;
  for (uint32_t at = 0; at < m_code->code.size(); ++at) {
    const Instruction& in = m_code->code[at];
    if (in.opcode != Opcode::Call && in.opcode != Opcode::CallNz) continue;
    const int16_t target = byLabel[in.sources[0].number];
    if (target < 0) return noLabel(in);
    while (sub < subs.size() && at >= subs[sub].end) ++sub;
    if (at < m_code->mainEnd || sub >= subs.size()) continue;
    callees[sub].push_back(static_cast<uint16_t>(target));
    ++callers[static_cast<size_t>(target)];
  }
  std::vector<uint16_t> ready;
  for (size_t i = 0; i < subs.size(); ++i)
    if (!callers[i]) ready.push_back(static_cast<uint16_t>(i));
  std::vector<uint16_t> ordered;  // callers before those they call
  while (!ready.empty()) {
    const uint16_t s = ready.back();
    ready.pop_back();
    ordered.push_back(s);
    for (const uint16_t callee : callees[s])
      if (--callers[callee] == 0) ready.push_back(callee);
  }
  m_name = "call";
  if (ordered.size() != subs.size()) return fail("recursion");
  std::vector<uint64_t> size(subs.size());
  for (auto s = ordered.rbegin(); s != ordered.rend(); ++s) {
    size[*s] = subs[*s].end - subs[*s].begin;
    for (const uint16_t callee : callees[*s]) size[*s] += size[callee];
    if (size[*s] > kMaxExpandedInstructions) return fail("the subroutines expand to too much code");
  }
  uint64_t mainSize = m_code->mainEnd;
  for (uint32_t at = 0; at < m_code->mainEnd; ++at) {
    const Instruction& in = m_code->code[at];
    if (in.opcode != Opcode::Call && in.opcode != Opcode::CallNz) continue;
    mainSize += size[static_cast<size_t>(byLabel[in.sources[0].number])];
    if (mainSize > kMaxExpandedInstructions) return fail("the subroutines expand to too much code");
  }
  m_name = {};
  return true;
}

bool Parser::noLabel(const Instruction& in) {
  m_name = "call";
  m_at = in.tokenOffset;
  return fail("no label l" + std::to_string(in.sources[0].number));
}

}  // namespace aerogpu::shader
