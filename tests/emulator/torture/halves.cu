// Halves and brain floats, single and in pairs, on every kind of number.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "torture.cuh"

__device__ inline Wide bits(__half x) { return __hisnan(x) ? 0x7fffu : __half_as_ushort(x); }
__device__ inline Wide bits(__half2 x) { return bits(__high2half(x)) << 16 | bits(__low2half(x)); }

KERNEL(halves) {
    OPERANDS
    const __half x = __ushort_as_half(a), y = __ushort_as_half(b), z = __ushort_as_half(c);
    const __half2 p = __halves2half2(x, __ushort_as_half(a >> 16)), q = __halves2half2(y, __ushort_as_half(b >> 16));
    const __half2 r = __halves2half2(z, __ushort_as_half(c >> 16));
    const float f = __uint_as_float(a), g = int(b) * 0x1p-20f;
    PUT(x + y); PUT(x - y); PUT(x * y); PUT(__hfma(x, y, z)); PUT(__hneg(x)); PUT(__habs(x)); PUT(__hadd_sat(x, y)); PUT(__hfma_sat(x, y, z));
    PUT(__hadd2(p, q)); PUT(__hsub2(p, q)); PUT(__hmul2(p, q)); PUT(__hfma2(p, q, r)); PUT(__hneg2(p)); PUT(__habs2(p)); PUT(__hmul2_sat(p, q));
    PUT(x < y); PUT(x <= y); PUT(x == y); PUT(__hgtu(x, y)); PUT(__hneu(x, y)); PUT(__hbge2(p, q)); PUT(__hlt2(p, q)); PUT(__hisnan(x));
#if __CUDA_ARCH__ >= 800
    PUT(__hmin(x, y)); PUT(__hmax(x, y)); PUT(__hmin_nan(x, y)); PUT(__hmin2(p, q)); PUT(__hmax2_nan(p, q)); PUT(__hfma_relu(x, y, z));
#endif
    PUT(__half2float(x)); PUT(double(__half2float(y))); PUT(__float2half_rn(f)); PUT(__float2half_rz(f)); PUT(__float2half_ru(g)); PUT(__float2half_rd(g));
    PUT(__float2half_rn(g)); PUT(__floats2half2_rn(f, g)); PUT(__double2half(double(int(a)) * 0x1p-18)); PUT(__int2half_rn(int(a) >> 12));
    PUT(__ushort2half_rn(a)); PUT(__short2half_rz(short(b))); PUT(__uint2half_ru(a >> 14)); PUT(__ll2half_rn(Long(int(c)) >> 3));
    PUT(__half2int_rn(x)); PUT(__half2int_rz(x)); PUT(__half2uint_ru(x)); PUT(__half2ll_rd(x)); PUT(__half2ull_rn(x)); PUT(__half2short_rn(x));
    PUT(__half2ushort_rz(x)); PUT(hfloor(x)); PUT(hceil(x)); PUT(htrunc(x)); PUT(hrint(x));
    PUT(__shfl_xor_sync(ALL, x, 3)); PUT(__shfl_down_sync(ALL, p, 5));
}

__device__ inline Wide bits(__nv_bfloat16 x) { return __hisnan(x) ? 0x7fffu : __bfloat16_as_ushort(x); }
__device__ inline Wide bits(__nv_bfloat162 x) { return bits(__high2bfloat16(x)) << 16 | bits(__low2bfloat16(x)); }

KERNEL(brains) {
    OPERANDS
#if __CUDA_ARCH__ >= 800
    const __nv_bfloat16 x = __ushort_as_bfloat16(a), y = __ushort_as_bfloat16(b), z = __ushort_as_bfloat16(c);
    const __nv_bfloat162 p = __halves2bfloat162(x, __ushort_as_bfloat16(a >> 16)), q = __halves2bfloat162(y, __ushort_as_bfloat16(b >> 16));
    const __nv_bfloat162 r = __halves2bfloat162(z, __ushort_as_bfloat16(c >> 16));
    const float f = __uint_as_float(a), g = int(b) * 0x1p-20f;
    PUT(__hadd(x, y)); PUT(__hsub(x, y)); PUT(__hmul(x, y)); PUT(__hfma(x, y, z)); PUT(__hneg(x)); PUT(__habs(x));
    PUT(__hadd2(p, q)); PUT(__hsub2(p, q)); PUT(__hmul2(p, q)); PUT(__hfma2(p, q, r)); PUT(__hneg2(p)); PUT(__habs2(p));
    PUT(__hmin(x, y)); PUT(__hmax(x, y)); PUT(__hmax_nan(x, y)); PUT(__hmin2(p, q)); PUT(__hmax2(p, q)); PUT(__hfma_relu(x, y, z));
    PUT(__hlt(x, y)); PUT(__hge(x, y)); PUT(__heq(x, y)); PUT(__hneu(x, y)); PUT(__hbgt2(p, q));
    PUT(__bfloat162float(x)); PUT(__float2bfloat16_rn(f)); PUT(__float2bfloat16_rz(f)); PUT(__floats2bfloat162_rn(f, g)); PUT(__float2bfloat16_rn(g));
    PUT(__int2bfloat16_rn(int(a))); PUT(__uint2bfloat16_rn(b)); PUT(__ushort2bfloat16_rn(c)); PUT(__double2bfloat16(int(a) * 0x1p-18));
    PUT(__bfloat162int_rn(x)); PUT(__bfloat162uint_rz(x)); PUT(__bfloat162ll_rd(x)); PUT(hfloor(x)); PUT(hrint(x));
    PUT(__shfl_xor_sync(ALL, x, 3)); PUT(__shfl_up_sync(ALL, p, 7));
#endif
}
