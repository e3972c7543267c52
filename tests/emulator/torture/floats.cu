// Floats of 32 and 64 bits on every kind of number: rounded in each direction, compared, and converted.
#include "torture.cuh"

#define CVT(to, out, form, x) [](float p) { to r; asm(form " %0, %1;" : out(r) : "f"(p)); return r; }(x)
#define CVTD(to, out, form, x) [](double p) { to r; asm(form " %0, %1;" : out(r) : "d"(p)); return r; }(x)
#define MIX(form, x, y) [](float p, float q) { float r; asm(form " %0, %1, %2;" : "=f"(r) : "f"(p), "f"(q)); return r; }(x, y)

KERNEL(singles) {
    OPERANDS
    const float x = __uint_as_float(a), y = __uint_as_float(b), z = __uint_as_float(c);
    PUT(x + y); PUT(x - y); PUT(x * y); PUT(fmaf(x, y, z)); PUT(x / y); PUT(1.0f / x); PUT(sqrtf(x));
    PUT(__fadd_rz(x, y)); PUT(__fadd_ru(x, y)); PUT(__fadd_rd(x, y)); PUT(__fmul_rz(x, y)); PUT(__fmul_ru(x, y)); PUT(__fmul_rd(x, y));
    PUT(__fmaf_rz(x, y, z)); PUT(__fmaf_ru(x, y, z)); PUT(__fmaf_rd(x, y, z)); PUT(__frcp_rn(y)); PUT(__fsqrt_rn(y)); PUT(__fdiv_rn(y, z));
    PUT(fmaf(x, x, -y)); PUT(fmaf(-x, z, x * z));
    PUT(fminf(x, y)); PUT(fmaxf(x, y)); PUT(-x); PUT(fabsf(x)); PUT(copysignf(x, y)); PUT(__saturatef(x));
    PUT(MIX("add.sat.f32", x, y)); PUT(MIX("mul.sat.f32", x, y)); PUT(MIX("add.ftz.f32", x, y)); PUT(MIX("mul.ftz.f32", x, y));
    PUT(MIX("min.ftz.f32", x, y)); PUT(MIX("max.ftz.f32", x, y));
#if __CUDA_ARCH__ >= 800
    PUT(MIX("min.NaN.f32", x, y)); PUT(MIX("max.NaN.f32", x, y));
#endif
    PUT(floorf(x)); PUT(ceilf(x)); PUT(truncf(x)); PUT(rintf(x)); PUT(roundf(x));
    PUT(x < y); PUT(x <= y); PUT(x > y); PUT(x >= y); PUT(x == y); PUT(x != y); PUT(!(x < y)); PUT(!(x >= y)); PUT(x < y ? a : c);
    PUT(isnan(x)); PUT(isinf(x)); PUT(isfinite(x)); PUT(signbit(x) != 0); PUT(x == x && y == y);
    // What the only NaN of single precision looks like.
    PUT(__float_as_uint(x + y)); PUT(__float_as_uint(x * y)); PUT(__float_as_uint(fmaf(x, y, z))); PUT(__float_as_uint(fminf(x, y)));
}

KERNEL(doubles) {
    OPERANDS
    const double x = __hiloint2double(a, c), y = __hiloint2double(b, a), z = __hiloint2double(c, b);
    PUT(x + y); PUT(x - y); PUT(x * y); PUT(fma(x, y, z)); PUT(x / y); PUT(1.0 / x); PUT(sqrt(x));
    PUT(__dadd_rz(x, y)); PUT(__dadd_ru(x, y)); PUT(__dadd_rd(x, y)); PUT(__dmul_rz(x, y)); PUT(__dmul_ru(x, y)); PUT(__dmul_rd(x, y));
    PUT(__fma_rz(x, y, z)); PUT(__fma_ru(x, y, z)); PUT(__fma_rd(x, y, z)); PUT(__drcp_rn(y)); PUT(__dsqrt_rn(y)); PUT(__ddiv_rn(y, z));
    PUT(fmin(x, y)); PUT(fmax(x, y)); PUT(-x); PUT(fabs(x)); PUT(copysign(x, y));
    PUT(floor(x)); PUT(ceil(x)); PUT(trunc(x)); PUT(rint(x)); PUT(round(x));
    PUT(x < y); PUT(x <= y); PUT(x > y); PUT(x >= y); PUT(x == y); PUT(x != y); PUT(!(x < y)); PUT(!(x >= y)); PUT(x < y ? a : c);
    PUT(isnan(x)); PUT(isinf(x)); PUT(isfinite(x)); PUT(signbit(x) != 0);
    // Numbers of like size, whose sums cancel and whose products round.
    const double p = int(a) * 0x1p-20, q = int(b) * 0x1p-11, r = int(c) * 0x1p-31;
    PUT(p + q); PUT(p * q); PUT(fma(p, q, -p * q)); PUT(fma(p, q, r)); PUT(p / q); PUT(sqrt(fabs(p))); PUT(fma(p, r, -q));
}

KERNEL(conversions) {
    OPERANDS
    const float x = __uint_as_float(a), y = int(b) * 0x1p-15f, z = __uint_as_float(c);
    const double v = __hiloint2double(a, b), w = Long(Wide(c) << 32 | a) * 0x1p-30;
    const Wide u = Wide(b) << 32 | a;
    const Long s = u;
    PUT(__float2int_rn(x)); PUT(__float2int_rz(x)); PUT(__float2int_ru(x)); PUT(__float2int_rd(x));
    PUT(__float2uint_rn(x)); PUT(__float2uint_rz(x)); PUT(__float2uint_ru(x)); PUT(__float2uint_rd(x));
    PUT(__float2ll_rn(x)); PUT(__float2ll_rz(x)); PUT(__float2ull_ru(x)); PUT(__float2ull_rd(x));
    PUT(__float2int_rn(y)); PUT(__float2int_rz(y)); PUT(__float2uint_ru(y)); PUT(__float2ll_rd(y)); PUT(__float2ull_rn(y));
    PUT(CVT(short, "=h", "cvt.rni.s16.f32", x)); PUT(CVT(unsigned short, "=h", "cvt.rzi.u16.f32", x));
    PUT(CVT(int, "=r", "cvt.rpi.s8.f32", x)); PUT(CVT(int, "=r", "cvt.rmi.u8.f32", y));
    PUT(__double2int_rn(v)); PUT(__double2int_rz(v)); PUT(__double2uint_ru(v)); PUT(__double2uint_rd(v));
    PUT(__double2ll_rn(v)); PUT(__double2ll_rz(v)); PUT(__double2ull_ru(v)); PUT(__double2ull_rd(v));
    PUT(__double2int_rn(w)); PUT(__double2uint_rz(w)); PUT(__double2ll_rd(w)); PUT(__double2ull_ru(w));
    PUT(CVTD(short, "=h", "cvt.rzi.s16.f64", v)); PUT(CVTD(unsigned short, "=h", "cvt.rni.u16.f64", w));
    PUT(double(x)); PUT(float(v)); PUT(__double2float_rz(v)); PUT(__double2float_ru(v)); PUT(__double2float_rd(v)); PUT(float(w));
    PUT(float(int(a))); PUT(float(a)); PUT(float(s)); PUT(float(u)); PUT(double(int(a))); PUT(double(a)); PUT(double(s)); PUT(double(u));
    PUT(__int2float_rz(int(a))); PUT(__int2float_ru(int(a))); PUT(__uint2float_rd(a)); PUT(__ll2float_rz(s)); PUT(__ull2float_ru(u));
    PUT(__ll2double_rz(s)); PUT(__ll2double_ru(s)); PUT(__ull2double_rd(u)); PUT(float((short)a)); PUT(float((signed char)a));
    PUT(float((unsigned short)a)); PUT(double((unsigned char)a)); PUT(int(z)); PUT((unsigned char)int(y)); PUT(CVT(float, "=f", "cvt.sat.f32.f32", z));
    PUT(CVT(float, "=f", "cvt.rni.ftz.f32.f32", z));
    PUT([](int p) { int r; asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(p)); return r; }(a));
    PUT([](int p) { int r; asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(p)); return r; }(a));
    PUT([](int p) { short r; asm("cvt.sat.s16.s32 %0, %1;" : "=h"(r) : "r"(p)); return r; }(a));
    PUT([](Long p) { int r; asm("cvt.sat.s32.s64 %0, %1;" : "=r"(r) : "l"(p)); return r; }(s));
    PUT([](Long p) { Word r; asm("cvt.sat.u32.s64 %0, %1;" : "=r"(r) : "l"(p)); return r; }(s));
}
