// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/emulate.h"

#include <cstring>

#include "testbed/kernel/core/sign_extend.h"

namespace aerogpu::host {

namespace {

struct Instruction {
  const uint8_t* at;
  uint8_t rex = 0;
  bool operand16 = false, addressSegment = false, repeat = false;
  uint8_t opcode = 0;
  bool twoBytes = false;
};

Instruction decodePrefixes(uint64_t rip) {
  Instruction i{pointerTo<const uint8_t>(rip)};
  for (unsigned n = 0; n < 14; ++n, ++i.at) {
    const uint8_t b = *i.at;
    if (b == 0x66)
      i.operand16 = true;
    else if (b == 0x64 || b == 0x65)
      i.addressSegment = true;
    else if (b == 0xF2 || b == 0xF3)
      i.repeat = true;
    else if (b != 0x2E && b != 0x36 && b != 0x3E && b != 0x26 && b != 0xF0)
      break;
  }
  if (kIs64 && (*i.at & 0xF0) == 0x40) i.rex = *i.at++;
  if (*i.at == 0x0F) {
    i.twoBytes = true;
    ++i.at;
  }
  i.opcode = *i.at++;
  return i;
}

/// Returns the bytes of ModRM, SIB and displacement from `p` on.
unsigned modRmBytes(const uint8_t* p) {
  const unsigned mod = p[0] >> 6, rm = p[0] & 7;
  if (mod == 3) return 1;
  unsigned bytes = 1;
  if (rm == 4) {
    ++bytes;
    if (mod == 0 && (p[1] & 7) == 5) bytes += 4;
  } else if (mod == 0 && rm == 5) {
    bytes += 4;
  }
  return bytes + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

void setRegister(SehContext& context, unsigned number, unsigned bytes, bool legacyHigh, uint64_t value) {
  uint64_t& reg = context.gpr[legacyHigh ? number - 4 : number];
  switch (bytes) {
    case 1:
      reg = legacyHigh ? (reg & ~uint64_t{0xFF00}) | (value & 0xFF) << 8
                       : (reg & ~uint64_t{0xFF}) | (value & 0xFF);
      break;
    case 2:
      reg = (reg & ~uint64_t{0xFFFF}) | (value & 0xFFFF);
      break;
    case 4:
      reg = value & 0xFFFFFFFF;
      break;
    default:
      reg = value;
  }
}

}  // namespace

Emulated emulateInstruction(SehContext& context, uint64_t faultAddress, const EmulationHooks& hooks) {
  const Instruction i = decodePrefixes(context.rip);
  if (i.twoBytes && (i.opcode == 0x20 || i.opcode == 0x22)) {
    const unsigned control = ((*i.at >> 3) & 7) | (i.rex & 4) << 1, general = (*i.at & 7) | (i.rex & 1) << 3;
    if (control != 8) return Emulated::Privileged;
    if (i.opcode == 0x20)
      context.gpr[general] = hooks.readIrql();
    else
      hooks.writeIrql(context.gpr[general]);
    context.rip = reinterpret_cast<uintptr_t>(i.at) + 1;
    return Emulated::Done;
  }
  if (!i.twoBytes && i.opcode == 0xCD && *i.at == 0x29) return Emulated::FastFail;
  const bool pageFault = faultAddress != 0;
  if (!pageFault) {
    if (!i.twoBytes &&
        (i.opcode == 0xFA || i.opcode == 0xFB || i.opcode == 0xF4 || (i.opcode >= 0xE4 && i.opcode <= 0xE7) ||
         (i.opcode >= 0xEC && i.opcode <= 0xEF) || (i.opcode >= 0x6C && i.opcode <= 0x6F)))
      return Emulated::Privileged;
    if (i.twoBytes &&
        (i.opcode == 0x30 || i.opcode == 0x32 || i.opcode == 0x33 || i.opcode == 0x09 || i.opcode == 0x08 ||
         i.opcode == 0x06 || i.opcode == 0x21 || i.opcode == 0x23 || i.opcode == 0x01 || i.opcode == 0x00))
      return Emulated::Privileged;
    return Emulated::NotOurs;
  }
  if (faultAddress - kSharedUserData >= kSharedUserDataBytes || i.addressSegment) return Emulated::NotOurs;

  const unsigned full = i.rex & 8 ? 8 : i.operand16 ? 2 : 4;
  unsigned load = full;
  bool sign = false;
  unsigned destinationBytes = full;
  const uint8_t* end;
  unsigned destination;
  if (!i.twoBytes && (i.opcode == 0xA0 || i.opcode == 0xA1)) {  // mov accumulator, moffs
    load = destinationBytes = i.opcode == 0xA0 ? 1 : full;
    destination = 0;
    end = i.at + sizeof(void*);
  } else {
    if (!i.twoBytes && i.opcode == 0x8B) {
    } else if (!i.twoBytes && i.opcode == 0x8A) {
      load = destinationBytes = 1;
    } else if (kIs64 && !i.twoBytes && i.opcode == 0x63) {
      load = 4, sign = true;
    } else if (i.twoBytes && (i.opcode == 0xB6 || i.opcode == 0xB7 || i.opcode == 0xBE || i.opcode == 0xBF)) {
      load = i.opcode & 1 ? 2 : 1;
      sign = i.opcode >= 0xBE;
    } else {
      return Emulated::NotOurs;
    }
    destination = ((*i.at >> 3) & 7) | (i.rex & 4) << 1;
    end = i.at + modRmBytes(i.at);
  }
  const auto offset = static_cast<uint32_t>(faultAddress - kSharedUserData);
  if (offset > kSharedUserDataBytes - load) return Emulated::NotOurs;
  uint64_t value = hooks.readSharedUserData(offset, load);
  if (sign) value = signExtend(value, load);
  setRegister(context, destination, destinationBytes,
              destinationBytes == 1 && !i.rex && destination >= 4 && destination <= 7, value);
  context.rip = reinterpret_cast<uintptr_t>(end);
  return Emulated::Done;
}

}  // namespace aerogpu::host
