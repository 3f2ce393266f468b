// SPDX-License-Identifier: MIT
// Emitter: structured control flow and subroutines. Source: the flow control pages of the Direct3D 9 "asm
// shader reference"; SPIR-V specification 2.11, "Structured Control Flow".
#include <algorithm>

#include "renderer/shader/spirv/emitter.h"

namespace aerogpu::shader {

using d3d9::Opcode;

void Emitter::beginIf(Id condition) {
  Block block{Opcode::If};
  const Id then = m_b.newId();
  block.elseLabel = m_b.newId();
  block.mergeLabel = m_b.newId();
  m_b.code(Op::OpSelectionMerge, block.mergeLabel, spv::SelectionControlMask::MaskNone);
  m_b.code(Op::OpBranchConditional, condition, then, block.elseLabel);
  m_blocks.push_back(block);
  newBlock(then);
}

void Emitter::beginLoop(const Instruction& in) {
  const bool indexed = in.opcode == Opcode::Loop;
  const uint32_t number = in.sources[indexed ? 1 : 0].number;
  Block block{in.opcode};
  Id count, first = 0, step = 0;
  // D3D9 bounds the count by 255; a guest must not be able to hang the GPU with more.
  if (m_code.intDefined >> number & 1) {
    const auto& i = m_code.intDefinitions[number];
    count = m_b.constantInt(std::clamp(i[0], 0, 255));
    first = m_b.constantInt(i[1]);
    step = m_b.constantInt(i[2]);
  } else {
    const Id i = intConstant(number);
    count = m_b.glsl(GLSLstd450SClamp, m_t.int1, extract(i, 0, m_t.int1), m_b.constantInt(0),
                     m_b.constantInt(255));
    if (indexed) {
      first = extract(i, 1, m_t.int1);
      step = extract(i, 2, m_t.int1);
    }
  }
  const bool shared = indexed && !m_code.subroutines.empty();  // subroutines read aL from its variable
  if (shared) block.outerLoopIndex = loopIndex();
  const Id body = m_b.newId();
  block.headerLabel = m_b.newId();
  block.continueLabel = m_b.newId();
  block.mergeLabel = m_b.newId();
  block.nextCounter = m_b.newId();
  const Id before = m_currentLabel;
  m_b.code(Op::OpBranch, block.headerLabel);
  newBlock(block.headerLabel);
  block.counter =
      m_b.value(Op::OpPhi, m_t.int1, m_b.constantInt(0), before, block.nextCounter, block.continueLabel);
  if (indexed)
    block.loopIndex =
        m_b.value(Op::OpIAdd, m_t.int1, first, m_b.value(Op::OpIMul, m_t.int1, block.counter, step));
  Id more = m_b.value(Op::OpSLessThan, m_t.boolean, block.counter, count);
  // 255 iterations to the power of the nesting would keep a GPU busy for hours.
  if (std::any_of(m_blocks.begin(), m_blocks.end(), [](const Block& b) { return b.opcode != Opcode::If; }) ||
      m_inSubroutine) {
    const Id iterations = readSlot(kSlotIterations);
    const Id within =
        m_b.value(Op::OpSLessThan, m_t.boolean, iterations, m_b.constantInt(kMaxInnerIterations));
    more = m_b.value(Op::OpLogicalAnd, m_t.boolean, more, within);
    writeSlot(kSlotIterations, m_b.value(Op::OpIAdd, m_t.int1, iterations, m_b.constantInt(1)));
  }
  m_b.code(Op::OpLoopMerge, block.mergeLabel, block.continueLabel, spv::LoopControlMask::MaskNone);
  m_b.code(Op::OpBranchConditional, more, body, block.mergeLabel);
  m_blocks.push_back(block);
  newBlock(body);
  if (shared) writeSlot(kSlotLoopIndex, block.loopIndex);
}

void Emitter::endLoop() {
  const Block block = m_blocks.back();
  m_blocks.pop_back();
  if (!m_dead) m_b.code(Op::OpBranch, block.continueLabel);
  m_dead = false;
  newBlock(block.continueLabel);
  m_b.code(Op::OpIAdd, m_t.int1, block.nextCounter, block.counter, m_b.constantInt(1));
  m_b.code(Op::OpBranch, block.headerLabel);
  newBlock(block.mergeLabel);
  if (block.outerLoopIndex) writeSlot(kSlotLoopIndex, block.outerLoopIndex);
}

void Emitter::breakIf(Id condition) {
  const auto loop =
      std::find_if(m_blocks.rbegin(), m_blocks.rend(), [](const Block& b) { return b.opcode != Opcode::If; });
  const Id next = m_b.newId();
  m_b.code(Op::OpSelectionMerge, next, spv::SelectionControlMask::MaskNone);
  m_b.code(Op::OpBranchConditional, condition, loop->mergeLabel, next);
  newBlock(next);
}

void Emitter::call(const Operand& label) {
  for (size_t i = 0; i < m_code.subroutines.size(); ++i)
    if (m_code.subroutines[i].label == label.number) {
      m_b.value(Op::OpFunctionCall, m_t.voidType, m_subroutineIds[i]);
      break;
    }
  m_values.fill(0);
}

void Emitter::flow(const Instruction& in) {
  if (m_dead) {
    // Code after a break is not emitted; only the end of its own block counts.
    switch (in.opcode) {
      case Opcode::If:
      case Opcode::IfC:
      case Opcode::Loop:
      case Opcode::Rep:
        ++m_deadDepth;
        return;
      case Opcode::EndIf:
      case Opcode::EndLoop:
      case Opcode::EndRep:
        if (m_deadDepth) {
          --m_deadDepth;
          return;
        }
        break;
      case Opcode::Else:
        if (m_deadDepth) return;
        break;
      default:
        return;
    }
  }
  const auto compare = [&] {
    const Id a = scalar(in.sources[0]), b = scalar(in.sources[1]);
    return comparison(in.control, a, b, m_t.boolean);
  };
  switch (in.opcode) {
    case Opcode::If:
      beginIf(conditionValue(in.sources[0]));
      break;
    case Opcode::IfC:
      beginIf(compare());
      break;
    case Opcode::Else: {
      Block& block = m_blocks.back();
      if (!m_dead) m_b.code(Op::OpBranch, block.mergeLabel);
      m_dead = false;
      block.hasElse = true;
      newBlock(block.elseLabel);
      break;
    }
    case Opcode::EndIf: {
      const Block block = m_blocks.back();
      m_blocks.pop_back();
      if (!m_dead) m_b.code(Op::OpBranch, block.mergeLabel);
      m_dead = false;
      if (!block.hasElse) {
        m_b.label(block.elseLabel);
        m_b.code(Op::OpBranch, block.mergeLabel);
      }
      newBlock(block.mergeLabel);
      break;
    }
    case Opcode::Loop:
    case Opcode::Rep:
      beginLoop(in);
      break;
    case Opcode::EndLoop:
    case Opcode::EndRep:
      endLoop();
      break;
    case Opcode::Break: {
      const auto loop = std::find_if(m_blocks.rbegin(), m_blocks.rend(),
                                     [](const Block& b) { return b.opcode != Opcode::If; });
      m_b.code(Op::OpBranch, loop->mergeLabel);
      m_dead = true;
      break;
    }
    case Opcode::BreakC:
      breakIf(compare());
      break;
    case Opcode::BreakP:
      breakIf(conditionValue(in.sources[0]));
      break;
    case Opcode::Call:
      call(in.sources[0]);
      break;
    case Opcode::CallNz: {
      beginIf(conditionValue(in.sources[1]));
      call(in.sources[0]);
      Instruction end;
      end.opcode = Opcode::EndIf;
      flow(end);
      break;
    }
    default:
      break;  // label and ret lie outside of the emitted ranges
  }
}

}  // namespace aerogpu::shader
