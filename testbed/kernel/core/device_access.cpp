// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/device_access.h"

#include <algorithm>
#include <cstring>

#include "testbed/kernel/core/sign_extend.h"

namespace aerogpu::host {

namespace {

// EFLAGS.
constexpr uint32_t kCarry = 1, kParity = 4, kAdjust = 0x10, kZero = 0x40, kSign = 0x80, kDirection = 0x400,
                   kOverflow = 0x800, kArithmetic = kCarry | kParity | kAdjust | kZero | kSign | kOverflow;

enum Prefix : uint8_t { kNoPrefix, kPrefixF2, kPrefixF3 };

/// One instruction as far as it has been read.
struct Reader {
  const uint8_t* at;
  bool x64;
  uint8_t rex = 0, opcode = 0;
  Prefix repeat = kNoPrefix;
  bool operand16 = false, address32 = false, segment = false, twoBytes = false;
  // ModRM.
  unsigned mod = 0, reg = 0, rm = 0;
  uint64_t address = 0;

  /// Wraps an address as the processor does.
  uint64_t wrap(uint64_t sum) const { return x64 ? sum : static_cast<uint32_t>(sum); }
  bool wide() const { return rex & 8; }
  /// Returns the bytes of an operand whose width REX.W and 66 determine.
  unsigned full() const { return wide() ? 8 : operand16 ? 2 : 4; }

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  /// Reads an immediate operand of `bytes`, at most four, sign-extended.
  uint64_t immediate(unsigned bytes) {
    if (bytes == 1) return static_cast<uint64_t>(int64_t{take<int8_t>()});
    if (bytes == 2) return static_cast<uint64_t>(int64_t{take<int16_t>()});
    return static_cast<uint64_t>(int64_t{take<int32_t>()});
  }
};

/// Returns false if prefixes fill the 15 bytes of an instruction.
bool readOpcode(Reader& r) {
  for (unsigned n = 0;; ++n, ++r.at) {
    if (n == 14) return false;
    const uint8_t b = *r.at;
    if (b == 0x66)
      r.operand16 = true;
    else if (b == 0x67)
      r.address32 = true;
    else if (b == 0x64 || b == 0x65)
      r.segment = true;
    else if (b == 0xF2)
      r.repeat = kPrefixF2;
    else if (b == 0xF3)
      r.repeat = kPrefixF3;
    else if (b != 0x2E && b != 0x36 && b != 0x3E && b != 0x26 && b != 0xF0)
      break;
  }
  if (r.x64 && (*r.at & 0xF0) == 0x40) r.rex = *r.at++;
  if (*r.at == 0x0F) {
    r.twoBytes = true;
    ++r.at;
  }
  r.opcode = *r.at++;
  return true;
}

/// Reads ModRM, SIB and displacement. `immediateBytes` follow them, which an address relative to the next
/// instruction needs. Returns false for a register operand, or a segment or address size that compilers do
/// not use.
bool readMemoryOperand(Reader& r, const SehContext& context, unsigned immediateBytes) {
  const uint8_t modRm = *r.at++;
  r.mod = modRm >> 6;
  r.reg = ((modRm >> 3) & 7) | (r.rex & 4) << 1;
  r.rm = modRm & 7;
  if (r.mod == 3 || r.segment || r.address32) return false;
  uint64_t address = 0;
  bool relative = false;
  if (r.rm == 4) {
    const uint8_t sib = *r.at++;
    const unsigned index = ((sib >> 3) & 7) | (r.rex & 2) << 2, base = (sib & 7) | (r.rex & 1) << 3;
    if (index != 4) address += context.gpr[index] << (sib >> 6);
    if ((base & 7) == 5 && r.mod == 0)
      address += r.immediate(4);
    else
      address += context.gpr[base];
  } else if (r.rm == 5 && r.mod == 0) {
    address += r.immediate(4);
    relative = r.x64;
  } else {
    address += context.gpr[r.rm | (r.rex & 1) << 3];
  }
  if (r.mod == 1) address += r.immediate(1);
  if (r.mod == 2) address += r.immediate(4);
  if (relative) address += reinterpret_cast<uintptr_t>(r.at) + immediateBytes;
  r.address = r.wrap(address);
  return true;
}

uint64_t truncate(uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1);
}

/// True for AH, CH, DH and BH, which byte registers 4 to 7 are without REX.
bool isHighByte(const Reader& r, unsigned number, unsigned bytes) {
  return bytes == 1 && !r.rex && number >= 4 && number <= 7;
}

uint64_t getRegister(const SehContext& context, const Reader& r, unsigned number, unsigned bytes) {
  if (isHighByte(r, number, bytes)) return (context.gpr[number - 4] >> 8) & 0xFF;
  return truncate(context.gpr[number], bytes);
}

void setRegister(SehContext& context, const Reader& r, unsigned number, unsigned bytes, uint64_t value) {
  const bool high = isHighByte(r, number, bytes);
  uint64_t& reg = context.gpr[high ? number - 4 : number];
  if (high)
    reg = (reg & ~uint64_t{0xFF00}) | (value & 0xFF) << 8;
  else if (bytes < 4)
    reg = (reg & ~((uint64_t{1} << 8 * bytes) - 1)) | truncate(value, bytes);
  else
    reg = truncate(value, bytes);
}

void setFlags(SehContext& context, uint32_t flags) {
  context.eFlags = (context.eFlags & ~kArithmetic) | flags;
}

uint32_t resultFlags(uint64_t result, unsigned bytes) {
  uint32_t flags = 0;
  if (truncate(result, bytes) == 0) flags |= kZero;
  if (result >> (8 * bytes - 1) & 1) flags |= kSign;
  if (!__builtin_parity(static_cast<unsigned>(result & 0xFF))) flags |= kParity;
  return flags;
}

enum Operation : unsigned { kAdd, kOr, kAdc, kSbb, kAnd, kSub, kXor, kCmp };

/// Computes the eight operations of opcodes 00 to 3F and 80 to 83, with their flags.
uint64_t arithmetic(SehContext& context, Operation operation, uint64_t a, uint64_t b, unsigned bytes) {
  const uint64_t carry = (operation == kAdc || operation == kSbb) && (context.eFlags & kCarry) ? 1 : 0;
  const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
  a = truncate(a, bytes);
  b = truncate(b, bytes);
  uint64_t result;
  uint32_t flags = 0;
  switch (operation) {
    case kAdd:
    case kAdc:
      result = truncate(a + b + carry, bytes);
      if (result < a || (carry && result == a)) flags |= kCarry;
      if (~(a ^ b) & (a ^ result) & sign) flags |= kOverflow;
      if ((a ^ b ^ result) & 0x10) flags |= kAdjust;
      break;
    case kSub:
    case kCmp:
    case kSbb:
      result = truncate(a - b - carry, bytes);
      if (a < b || (carry && a == b)) flags |= kCarry;
      if ((a ^ b) & (a ^ result) & sign) flags |= kOverflow;
      if ((a ^ b ^ result) & 0x10) flags |= kAdjust;
      break;
    case kOr:
      result = a | b;
      break;
    case kAnd:
      result = a & b;
      break;
    default:
      result = a ^ b;
  }
  setFlags(context, flags | resultFlags(result, bytes));
  return result;
}

/// The common part of all forms of access.
struct Access {
  SehContext& context;
  DeviceBus& bus;
  Reader r;

  bool done() {
    context.rip = reinterpret_cast<uintptr_t>(r.at);
    return true;
  }
  bool operand(unsigned bytes, unsigned immediateBytes = 0) {
    return readMemoryOperand(r, context, immediateBytes) && bus.holds(r.address, bytes);
  }
  uint64_t load(unsigned bytes) { return bus.read(r.address, bytes); }
  void store(uint64_t value, unsigned bytes) { bus.write(r.address, truncate(value, bytes), bytes); }

  bool oneByte();
  bool twoBytes();
  bool sse();
  bool string();
  bool operate(Operation operation, unsigned bytes, uint64_t other);
};

bool Access::operate(Operation operation, unsigned bytes, uint64_t other) {
  const uint64_t result = arithmetic(context, operation, load(bytes), other, bytes);
  if (operation != kCmp) store(result, bytes);
  return done();
}

bool Access::oneByte() {
  const uint8_t op = r.opcode;
  const unsigned bytes = op & 1 ? r.full() : 1;
  const unsigned immediateBytes = std::min(bytes, 4u);
  if (op < 0x40 && (op & 7) < 4) {  // add, or, adc, sbb, and, sub, xor, cmp
    if (!operand(bytes)) return false;
    const auto operation = static_cast<Operation>(op >> 3);
    if (!(op & 2)) return operate(operation, bytes, getRegister(context, r, r.reg, bytes));
    const uint64_t result =
        arithmetic(context, operation, getRegister(context, r, r.reg, bytes), load(bytes), bytes);
    if (operation != kCmp) setRegister(context, r, r.reg, bytes, result);
    return done();
  }
  switch (op) {
    case 0x63:  // movsxd
      if (!r.x64 || !operand(4)) return false;
      setRegister(context, r, r.reg, r.full(), signExtend(load(4), 4));
      return done();
    case 0x80:
    case 0x81:
    case 0x83: {  // the same operations with an immediate
      const unsigned size = op == 0x83 ? 1 : immediateBytes;
      if (!operand(bytes, size)) return false;
      const uint64_t other = r.immediate(size);
      return operate(static_cast<Operation>(r.reg & 7), bytes, other);
    }
    case 0x84:
    case 0x85:  // test
      if (!operand(bytes)) return false;
      arithmetic(context, kAnd, load(bytes), getRegister(context, r, r.reg, bytes), bytes);
      return done();
    case 0x86:
    case 0x87: {  // xchg
      if (!operand(bytes)) return false;
      const uint64_t old = load(bytes);
      store(getRegister(context, r, r.reg, bytes), bytes);
      setRegister(context, r, r.reg, bytes, old);
      return done();
    }
    case 0x88:
    case 0x89:
      if (!operand(bytes)) return false;
      store(getRegister(context, r, r.reg, bytes), bytes);
      return done();
    case 0x8A:
    case 0x8B:
      if (!operand(bytes)) return false;
      setRegister(context, r, r.reg, bytes, load(bytes));
      return done();
    case 0xA0:
    case 0xA1:
    case 0xA2:
    case 0xA3:  // the accumulator and an address of full width
      r.address = r.x64 ? r.take<uint64_t>() : r.take<uint32_t>();
      if (r.segment || r.address32 || !bus.holds(r.address, bytes)) return false;
      if (op < 0xA2)
        setRegister(context, r, 0, bytes, load(bytes));
      else
        store(getRegister(context, r, 0, bytes), bytes);
      return done();
    case 0xC6:
    case 0xC7: {
      if (!operand(bytes, immediateBytes) || (r.reg & 7) != 0) return false;
      const uint64_t value = r.immediate(immediateBytes);
      store(value, bytes);
      return done();
    }
    case 0xF6:
    case 0xF7: {
      const unsigned which = (*r.at >> 3) & 7;
      if (which > 3) return false;  // multiplications and divisions
      if (!operand(bytes, which < 2 ? immediateBytes : 0)) return false;
      if (which < 2) {
        const uint64_t mask = r.immediate(immediateBytes);
        arithmetic(context, kAnd, load(bytes), mask, bytes);  // test
      } else if (which == 2) {
        store(~load(bytes), bytes);  // not
      } else {
        store(arithmetic(context, kSub, 0, load(bytes), bytes), bytes);  // neg
      }
      return done();
    }
    case 0xFE:
    case 0xFF: {  // inc, dec: the carry flag stays
      if (((*r.at >> 3) & 7) > 1 || !operand(bytes)) return false;
      const uint32_t carry = context.eFlags & kCarry;
      store(arithmetic(context, (r.reg & 7) ? kSub : kAdd, load(bytes), 1, bytes), bytes);
      context.eFlags = (context.eFlags & ~kCarry) | carry;
      return done();
    }
    case 0xA4:
    case 0xA5:
    case 0xAA:
    case 0xAB:
    case 0xAC:
    case 0xAD:
      return string();
    default:
      return false;
  }
}

/// Executes movs, stos, lods, alone or repeated. A repeated one is done as a whole. Memory other than the
/// device's is accessed directly, in pieces; before each piece the registers count what has been done.
bool Access::string() {
  if (r.segment || r.address32) return false;
  const unsigned bytes = r.opcode & 1 ? r.full() : 1;
  const bool movs = r.opcode <= 0xA5, stos = r.opcode == 0xAA || r.opcode == 0xAB;
  const bool reads = !stos, writes = movs || stos;
  uint64_t &count = context.gpr[1], &from = context.gpr[6], &to = context.gpr[7];
  const bool backwards = context.eFlags & kDirection;
  const uint64_t times = r.repeat == kNoPrefix ? 1 : count;
  uint64_t done = 0;
  const auto advance = [&](uint64_t n) {
    const uint64_t moved = n * bytes;
    if (reads) from = r.wrap(backwards ? from - moved : from + moved);
    if (writes) to = r.wrap(backwards ? to - moved : to + moved);
    if (r.repeat != kNoPrefix) count -= n;
    done += n;
  };
  if (times && !(reads && bus.holds(from, bytes)) && !(writes && bus.holds(to, bytes))) return false;
  uint8_t piece[4096];
  while (done < times) {
    const uint64_t n = backwards || !writes ? 1 : std::min<uint64_t>(times - done, sizeof piece / bytes);
    const uint64_t length = n * bytes;
    const bool fromDevice = reads && bus.holds(from, length), toDevice = writes && bus.holds(to, length);
    if (stos) {
      for (uint64_t i = 0; i < n; ++i) std::memcpy(piece + i * bytes, &context.gpr[0], bytes);
    } else if (!fromDevice) {
      std::memcpy(piece, pointerTo(from), length);
    } else if (n == 1) {
      const uint64_t value = bus.read(from, bytes);
      std::memcpy(piece, &value, bytes);
    } else {
      bus.readBlock(from, piece, length);
    }
    if (!writes) {
      uint64_t value = 0;
      std::memcpy(&value, piece, bytes);
      setRegister(context, r, 0, bytes, value);
    } else if (!toDevice) {
      std::memcpy(pointerTo(to), piece, length);
    } else if (n == 1) {
      uint64_t value = 0;
      std::memcpy(&value, piece, bytes);
      bus.write(to, value, bytes);
    } else {
      bus.writeBlock(to, piece, length);
    }
    advance(n);
  }
  return this->done();
}

/// Moves between memory and an XMM register.
bool Access::sse() {
  const bool load = r.opcode == 0x10 || r.opcode == 0x28 || r.opcode == 0x6E || r.opcode == 0x6F ||
                    r.opcode == 0x12 || r.opcode == 0x16 || r.opcode == 0x7E;
  unsigned bytes = 16, at = 0;
  bool store = !load, clears = true;
  switch (r.opcode) {
    case 0x10:
    case 0x11:  // movups, movupd, movss, movsd
      bytes = r.repeat == kPrefixF3 ? 4 : r.repeat == kPrefixF2 ? 8 : 16;
      break;
    case 0x12:
    case 0x13:  // movlps, movlpd
    case 0x16:
    case 0x17:  // movhps, movhpd
      if (r.repeat != kNoPrefix) return false;
      bytes = 8, clears = false, at = r.opcode >= 0x16 ? 8 : 0;
      break;
    case 0x28:
    case 0x29:  // movaps, movapd
    case 0x2B:  // movntps
      break;
    case 0x6E:
    case 0x7E:
      if (r.opcode == 0x7E && r.repeat == kPrefixF3) {  // movq xmm, m64
        bytes = 8;
        break;
      }
      if (!r.operand16) return false;  // MMX
      bytes = r.wide() ? 8 : 4;        // movd, movq
      store = r.opcode == 0x7E;
      break;
    case 0x6F:
    case 0x7F:  // movdqa, movdqu
      if (!r.operand16 && r.repeat != kPrefixF3) return false;
      break;
    case 0xD6:  // movq m64, xmm
    case 0xE7:  // movntdq
      if (!r.operand16) return false;
      bytes = r.opcode == 0xD6 ? 8 : 16;
      break;
    default:
      return false;
  }
  if (!operand(bytes)) return false;
  uint8_t* xmm = context.xmm[r.reg];
  for (unsigned i = 0; i < bytes; i += 8) {
    const unsigned part = std::min(8u, bytes - i);
    uint64_t value = 0;
    if (store) {
      std::memcpy(&value, xmm + at + i, part);
      bus.write(r.address + i, value, part);
    } else {
      value = bus.read(r.address + i, part);
      std::memcpy(xmm + at + i, &value, part);
    }
  }
  if (!store && clears && bytes < 16) std::memset(xmm + bytes, 0, 16 - bytes);
  return done();
}

bool Access::twoBytes() {
  switch (r.opcode) {
    case 0xB6:
    case 0xB7:
    case 0xBE:
    case 0xBF: {  // movzx, movsx
      const unsigned bytes = r.opcode & 1 ? 2 : 1, to = r.full();
      if (!operand(bytes)) return false;
      const uint64_t value = load(bytes);
      // The destination is never a byte register, so no REX does not mean AH.
      setRegister(context, r, r.reg, to, r.opcode >= 0xBE ? signExtend(value, bytes) : value);
      return done();
    }
    case 0xC3:  // movnti
      if (!operand(r.full())) return false;
      store(getRegister(context, r, r.reg, r.full()), r.full());
      return done();
    default:
      return sse();
  }
}

}  // namespace

bool emulateDeviceAccess(SehContext& context, DeviceBus& bus, CodeKind kind) {
  Access access{context, bus, Reader{pointerTo<const uint8_t>(context.rip), kind == CodeKind::X64}};
  if (!readOpcode(access.r)) return false;
  return access.r.twoBytes ? access.twoBytes() : access.oneByte();
}

}  // namespace aerogpu::host
