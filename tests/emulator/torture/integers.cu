// Integers of 8 to 64 bits: arithmetic, shifts, bit fields, carries, and the instructions that C++ has no sign for.
#include "torture.cuh"

#define ASM2(type, letter, form, x, y)                                                                               \
    [](type p, type q) { type r; asm(form " %0, %1, %2;" : "=" letter(r) : letter(p), letter(q)); return r; }(x, y)
#define FIELD(type, letter, form, x, y, z)                                                                           \
    [](type p, Word at, Word size) {                                                                                 \
        type r;                                                                                                      \
        asm(form " %0, %1, %2, %3;" : "=" letter(r) : letter(p), "r"(at), "r"(size));                                \
        return r;                                                                                                    \
    }(x, y, z)
#define SHIFT(form, x, n)                                                                                             \
    [](Wide p, Word q) { Wide r; asm(form " %0, %1, %2;" : "=l"(r) : "l"(p), "r"(q)); return r; }(x, n)

KERNEL(words) {
    OPERANDS
    const int s = a, t = b;
    PUT(a + b); PUT(a - b); PUT(a * b); PUT(a * b + c); PUT(__umulhi(a, b)); PUT(__mulhi(s, t));
    PUT(a / (b | 1)); PUT(a % (b | 1)); PUT(s / (int(b & 0xffff) + 1)); PUT(s % (int(b & 0xffff) - 0x10001));
    PUT(a / 10u); PUT(a % 10u); PUT(s / 7); PUT(s % 7); PUT(s / -3); PUT(s % 1000);
    PUT(min(s, t)); PUT(max(s, t)); PUT(min(a, b)); PUT(max(a, b)); PUT(abs(s | 1)); PUT(0u - a);
    PUT(a & b); PUT(a | b); PUT(a ^ b); PUT(~a); PUT((a & b) | (~a & c)); PUT((a ^ b) & ~c); PUT((a | b) ^ c);
    PUT(a << (b & 31)); PUT(a >> (b & 31)); PUT(s >> (b & 31));
    PUT(ASM2(Word, "r", "shl.b32", a, b)); PUT(ASM2(Word, "r", "shr.u32", a, b)); PUT(ASM2(int, "r", "shr.s32", s, t));
    PUT(__popc(a)); PUT(__clz(s)); PUT(__ffs(s)); PUT(__brev(a)); PUT(__byte_perm(a, b, c));

    PUT(__funnelshift_l(a, b, c)); PUT(__funnelshift_r(a, b, c)); PUT(__funnelshift_lc(a, b, c)); PUT(__funnelshift_rc(a, b, c));
    PUT(__dp4a(s, t, int(c))); PUT(__dp4a(a, b, c)); PUT(__dp2a_lo(s, t, int(c))); PUT(__dp2a_hi(a, b, c));
    PUT(__sad(s, t, c)); PUT(__usad(a, b, c)); PUT(__mul24(s, t)); PUT(__umul24(a, b));
    PUT(__hadd(s, t)); PUT(__rhadd(s, t)); PUT(__uhadd(a, b)); PUT(__urhadd(a, b));
    PUT(ASM2(int, "r", "add.sat.s32", s, t)); PUT(ASM2(int, "r", "sub.sat.s32", s, t));
    PUT(FIELD(Word, "r", "bfe.u32", a, b, c)); PUT(FIELD(int, "r", "bfe.s32", s, b, c));
    PUT(FIELD(Word, "r", "bfe.u32", a, b & 31, c & 31)); PUT(FIELD(int, "r", "bfe.s32", s, b & 31, c & 31));
    PUT(a == b); PUT(s < t); PUT(a < b); PUT(s >= t); PUT(a <= b); PUT(s != t && (a < c || b == c));
    PUT(s < t ? a : c); PUT(a > b ? b : c); PUT((s < 0) == (t < 0)); PUT(__fns(a, b & 31, int(c & 7) - 3));
    PUT(Word((signed char)a)); PUT(Word((unsigned char)a)); PUT(Word((short)a)); PUT(Word((unsigned short)a));
    PUT((short)a * (short)b); PUT((short)a >> (b & 15)); PUT((unsigned short)(a + b)); PUT(Word((signed char)a * (signed char)b) + a);
    PUT((unsigned short)a / ((b & 0xff) + 1)); PUT((short)a % ((b & 0xff) + 1)); PUT(__vadd2(a, b)); PUT(__vadd4(a, b));
    PUT(__vmaxs2(a, b)); PUT(__vminu4(a, b)); PUT(__vcmpgts2(a, b)); PUT(__vavgu4(a, b));
}

KERNEL(longs) {
    OPERANDS
    const Wide u = Wide(b) << 32 | a, v = Wide(a ^ c) << 32 | c;
    const Long s = u, t = v;
    PUT(u + v); PUT(u - v); PUT(u * v); PUT(u * v + c); PUT(__umul64hi(u, v)); PUT(__mul64hi(s, t));
    PUT(Wide(a) * b); PUT(Long(int(a)) * int(b)); PUT(Wide(a) * b + v); PUT(Wide(Long(int(a)) * int(b)) + v);
    PUT(u / (v | 1)); PUT(u % (v | 1)); PUT(s / (Long(c) + 1)); PUT(s % (Long(c) - 0x100000001LL)); PUT(u / 1000003); PUT(s % -77);
    PUT(min(s, t)); PUT(max(s, t)); PUT(min(u, v)); PUT(max(u, v)); PUT(llabs(s | 1)); PUT(0 - u);
    PUT(u & v); PUT(u | v); PUT(u ^ v); PUT(~u); PUT(u << (c & 63)); PUT(u >> (c & 63)); PUT(s >> (c & 63));
    PUT(__popcll(u)); PUT(__clzll(s)); PUT(__ffsll(s)); PUT(__brevll(u)); PUT(u == v); PUT(s < t); PUT(u < v); PUT(u > v ? s : t);
    PUT(FIELD(Wide, "l", "bfe.u64", u, b & 255, c & 255)); PUT(FIELD(Long, "l", "bfe.s64", s, b & 63, c & 63));
    PUT(ASM2(Wide, "l", "and.b64", u, v)); PUT(SHIFT("shl.b64", u, c)); PUT(SHIFT("shr.u64", u, c)); PUT(SHIFT("shr.s64", u, c));
    PUT(Long(int(a))); PUT(Long((short)a)); PUT(Long((signed char)a)); PUT(Word(u >> 7)); PUT((int)(s >> 31)); PUT((short)s);
}

// Numbers of more than 64 bits: sums, differences and products with a carry.
KERNEL(carries) {
    OPERANDS
    Word low, middle, high;
    asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %3, %5;"
        : "=&r"(low), "=&r"(middle), "=&r"(high) : "r"(a), "r"(b), "r"(c));
    PUT(low); PUT(middle); PUT(high);
    asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, %3, %5;"
        : "=&r"(low), "=&r"(middle), "=&r"(high) : "r"(a), "r"(b), "r"(c));
    PUT(low); PUT(middle); PUT(high);
    asm("mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %5; madc.lo.u32 %2, %4, %5, %3;"
        : "=&r"(low), "=&r"(middle), "=&r"(high) : "r"(a), "r"(b), "r"(c));
    PUT(low); PUT(middle); PUT(high);
    asm("mad.hi.cc.u32 %0, %3, %4, %5; madc.lo.cc.u32 %1, %3, %5, %5; madc.hi.u32 %2, %4, %5, %3;"
        : "=&r"(low), "=&r"(middle), "=&r"(high) : "r"(a), "r"(b), "r"(c));
    PUT(low); PUT(middle); PUT(high);
    const Wide u = Wide(b) << 32 | a, v = Wide(c) << 32 | b;
    Wide sum, over;
    asm("add.cc.u64 %0, %2, %3; addc.u64 %1, %2, 0;" : "=&l"(sum), "=&l"(over) : "l"(u), "l"(v));
    PUT(sum); PUT(over);
    asm("sub.cc.u64 %0, %2, %3; subc.u64 %1, %2, 0;" : "=&l"(sum), "=&l"(over) : "l"(u), "l"(v));
    PUT(sum); PUT(over);
}
