// Code that makes the compiler emit as many forms of instructions as a small file can.
// Launch convention: (const int* values, int* result, int iterations), one element per thread.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
constexpr unsigned ALL = 0xffffffffu;
__device__ inline int lane() { return threadIdx.x % 32; }
__device__ inline int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__device__ __noinline__ int called(int x, int y) {
    if (x > y) return x - y;
    return x * 3 + y;
}
struct Three { int a, b; long long c; };
__device__ __noinline__ Three makes(int x) { return {x, x * x, (long long)x << 33}; }

extern "C" __global__ void calls(const int* values, int* result, int iterations) {
    const int x = values[thread()];
    const Three t = makes(x);
    int sum = called(x, lane()) + t.a + t.b + int(t.c >> 31);
    if (lane() % 3 == 0) sum = called(sum, iterations);
    result[thread()] = sum;
}

extern "C" __global__ void branches(const int* values, int* result, int iterations) {
    int x = values[thread()];
    for (int iteration = 0; iteration < iterations + lane() % 4; ++iteration) {
        switch ((x >> 2) & 7) {
            case 0: x += 3; break;
            case 1: x ^= 0x55; break;
            case 2: x = x * 5 + 1; break;
            case 3: x -= iteration; break;
            case 4: x = ~x; break;
            case 5: x += table[iteration & 7]; break;
            case 6: x = __brev(x); break;
            default: x = x / 3 - x % 7;
        }
    }
    result[thread()] = x;
}

extern "C" __global__ void local_memory(const int* values, int* result, int iterations) {
    int own[24];
    for (int i = 0; i < 24; ++i) own[i] = values[thread()] + i * i;
    for (int i = 0; i < iterations; ++i) own[(i * 7 + lane()) % 24] += own[(i + 5) % 24];
    int sum = 0;
    for (int i = 0; i < 24; ++i) sum = sum * 31 + own[i];
    result[thread()] = sum;
}

extern "C" __global__ void integers(const int* values, int* result, int iterations) {
    const int x = values[thread()];
    const unsigned u = x;
    const long long w = (long long)x * 0x123456789LL + thread();
    const unsigned long long v = w;
    unsigned h = 0;
    auto mix = [&](unsigned long long y) { h = h * 31 + unsigned(y) + 7 * unsigned(y >> 32); };
    mix(__popc(u)); mix(__popcll(v)); mix(__clz(x)); mix(__clzll(w)); mix(__ffs(x)); mix(__ffsll(w));
    mix(__brev(u)); mix(__brevll(v)); mix(__byte_perm(u, h, 0x5214)); mix(__funnelshift_l(u, h, x)); mix(__funnelshift_rc(u, h, x & 63));
    mix(__mulhi(x, 12345)); mix(__umulhi(u, 0xdeadbeefu)); mix(__mul64hi(w, 0x123456789abcdefLL)); mix(__umul64hi(v, 0xfedcba9876543210ULL));
    mix(__mul24(x, 77)); mix(__sad(x, 5, 9)); mix(__usad(u, 5, 9)); mix(__hadd(x, 3)); mix(__rhadd(x, 4));
    mix(x / 7); mix(x % 7); mix(u / 10u); mix(u % 10u); mix(w / 1000003); mix(w % 1000003); mix(v / 77); mix(v % (u | 1));
    mix(x / (lane() + 1)); mix(w / (lane() - 40)); mix(min(x, 100)); mix(max(w, 5LL)); mix(abs(x)); mix(llabs(w));
    mix(x >> (lane() + 3)); mix(v << lane()); mix(w >> lane()); mix(u >> 5); mix((short)x * (short)(x >> 16)); mix((unsigned char)x); mix((signed char)x);
    mix(__dp4a(x, 0x01020304, 5)); mix(__dp4a(u, 0x01020304u, 5u)); mix(x > iterations ? u : h); mix((x & 0x7f) | (h & ~u)); mix((x ^ h) & u);
    mix(__vadd2(u, h)); mix((unsigned short)x + (unsigned short)h); mix((short)x >> 3); mix((unsigned short)x << 3);
    result[thread()] = h;
}

extern "C" __global__ void floats(const int* values, int* result, int iterations) {
    const int i = values[thread()];
    const float x = __int_as_float((i & 0x00ffffff) | 0x3f000000), y = float(i) * 1e-3f;
    unsigned h = 0;
    auto mix = [&](float z) { h = h * 31 + __float_as_uint(z); };
    auto mixd = [&](double z) { h = h * 31 + unsigned(__double_as_longlong(z)) + 7 * unsigned(__double_as_longlong(z) >> 32); };
    mix(x + y); mix(x - y); mix(x * y); mix(fmaf(x, y, x)); mix(x / y); mix(sqrtf(fabsf(y))); mix(1.0f / x); mix(fminf(x, y)); mix(fmaxf(x, y)); mix(-y); mix(fabsf(y));
    mix(__fadd_rz(x, y)); mix(__fmul_ru(x, y)); mix(__fmaf_rd(x, y, x)); mix(__fsqrt_rn(x)); mix(__frcp_rn(x)); mix(__fdiv_rn(x, y)); mix(__fadd_rd(x, -x));
    mix(floorf(y)); mix(ceilf(y)); mix(truncf(y)); mix(rintf(y)); mix(__saturatef(y)); mix(copysignf(x, y)); mix(roundf(y)); mix(fmodf(y, 3.0f)); mix(ldexpf(x, i & 7));
    h = h * 31 + int(y) + unsigned(fabsf(y)) + __float2int_rn(y) + __float2int_ru(y) + __float2int_rd(y);
    h = h * 31 + unsigned((long long)y) + unsigned(__float2ull_rz(fabsf(y))) + (x < y) + 2 * (x >= y) + 4 * !(x <= y) + 8 * isnan(y) + 16 * isinf(y) + 32 * signbit(y);
    mix(float((unsigned)i)); mix(float((long long)i << 20)); mix(__int2float_rz(i)); mix(__uint2float_ru(i)); mix(float(double(y) * 3));
    const double a = double(i) * 1e-5, b = 1.0 + a * a;
    mixd(a + b); mixd(a - b); mixd(a * b); mixd(fma(a, b, a)); mixd(a / b); mixd(sqrt(b)); mixd(1.0 / b); mixd(fmin(a, b)); mixd(fmax(a, b)); mixd(-a); mixd(fabs(a));
    mixd(floor(a)); mixd(rint(a)); mixd(trunc(a)); mixd(double(i)); mixd(double((long long)i << 33)); mixd(double((unsigned long long)i << 31)); mixd(__dadd_rz(a, b)); mixd(__fma_ru(a, b, a));
    h = h * 31 + int(a) + unsigned((long long)(a * 1e6)) + unsigned(fabs(a)) + (a < b) + 2 * (a != b);
    result[thread()] = h + iterations;
}

extern "C" __global__ void halves(const int* values, int* result, int) {
    const int i = values[thread()];
    unsigned h = 0;
    const __half x = __int2half_rn(i % 1000), y = __float2half(float(i % 77) * 0.25f);
    auto mix = [&](__half z) { h = h * 31 + __half_as_ushort(z); };
    mix(x + y); mix(x - y); mix(x * y); mix(__hfma(x, y, x)); mix(__hmin(x, y)); mix(__hmax(x, y)); mix(-x); mix(__habs(x)); mix(x / y);
    const __half2 p = __halves2half2(x, y), q = __floats2half2_rn(1.5f, float(i % 9));
    const __half2 r = __hfma2(p, q, p), s = __hadd2(p, q), t = __hmul2(p, q);
    mix(__low2half(r)); mix(__high2half(r)); mix(__low2half(s)); mix(__high2half(t));
    h = h * 31 + __half2int_rn(x) + __hlt(x, y) + 2 * __hge(x, y) + unsigned(__half2float(y)) + __hbeq2(p, q);
#if __CUDA_ARCH__ >= 800
    const __nv_bfloat16 u = __float2bfloat16(float(i % 313) * 0.5f), v = __int2bfloat16_rn(i % 41);
    auto mixb = [&](__nv_bfloat16 z) { h = h * 31 + __bfloat16_as_ushort(z); };
    mixb(__hadd(u, v)); mixb(__hsub(u, v)); mixb(__hmul(u, v)); mixb(__hfma(u, v, u)); mixb(__hmin(u, v)); mixb(__hmax(u, v)); mixb(__hneg(u));
    const __nv_bfloat162 m = __halves2bfloat162(u, v), n = __hadd2(m, m), o = __hfma2(m, n, m);
    mixb(__low2bfloat16(n)); mixb(__high2bfloat16(o));
    h = h * 31 + unsigned(__bfloat162float(v)) + __hlt(u, v);
    mixb(__shfl_down_sync(ALL, u, 3));
#endif
    mix(__shfl_xor_sync(ALL, x, 5));
    result[thread()] = h;
}

extern "C" __global__ void warps(const int* values, int* result, int iterations) {
    const int x = values[thread()];
    unsigned h = 0;
    auto mix = [&](unsigned long long y) { h = h * 31 + unsigned(y) + 7 * unsigned(y >> 32); };
    mix(__shfl_sync(ALL, x, lane() + 5)); mix(__shfl_up_sync(ALL, x, 3)); mix(__shfl_down_sync(ALL, x, 9)); mix(__shfl_xor_sync(ALL, x, 21));
    mix(__shfl_sync(ALL, x, lane() * 3, 8)); mix(__shfl_up_sync(ALL, x, 3, 4)); mix(__shfl_down_sync(ALL, x, 2, 16)); mix(__shfl_xor_sync(ALL, x, 3, 2));
    mix(__shfl_sync(ALL, (long long)x << 20, 7)); mix(__float_as_uint(__shfl_up_sync(ALL, float(x), 1)));
    mix(__ballot_sync(ALL, x & 1)); mix(__any_sync(ALL, x == 0)); mix(__all_sync(ALL, x > 0));
    mix(__match_any_sync(ALL, x & 7)); int all; mix(__match_all_sync(ALL, x >> 31, &all)); mix(all); mix(__match_any_sync(ALL, (long long)(x & 3)));
    if (lane() < 11) { mix(__ballot_sync(0x7ffu, x & 2)); mix(__shfl_sync(0x7ffu, x, 4)); mix(__match_any_sync(0x7ffu, x & 1)); }
#if __CUDA_ARCH__ >= 800
    mix(__reduce_add_sync(ALL, x)); mix(__reduce_min_sync(ALL, x)); mix(__reduce_max_sync(ALL, unsigned(x))); mix(__reduce_xor_sync(ALL, x)); mix(__reduce_and_sync(ALL, x)); mix(__reduce_or_sync(ALL, x));
    if (lane() & 1) mix(__reduce_add_sync(0xaaaaaaaau, x));
#endif
    mix(__fns(unsigned(x), 0, 3)); unsigned below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below)); mix(below);
    mix(__syncthreads_count(x & 1)); mix(__syncthreads_and(x)); mix(__syncthreads_or(x == 3)); mix(iterations);
    result[thread()] = h;
}

extern "C" __global__ void memories(const int* values, int* result, int iterations) {
    __shared__ int counts[16];
    __shared__ unsigned char bytes[128];
    __shared__ __align__(16) int4 quads[32];
    __shared__ float sums[4];
    __shared__ double wide[2];
    __shared__ unsigned long long longs[4];
    const int t = threadIdx.x, x = values[thread()];
    if (t < 16) counts[t] = 0;
    if (t < 4) { sums[t] = 0; longs[t] = t; }
    if (t < 2) wide[t] = 0;
    bytes[t] = x;
    if (t < 32) quads[t] = make_int4(x, x + 1, x + 2, x + 3);
    __syncthreads();
    atomicAdd(&counts[x & 7], 1); atomicMax(&counts[8], x); atomicMin(&counts[9], x); atomicOr(&counts[10], 1 << (t & 31)); atomicXor(&counts[11], x);
    atomicInc((unsigned*)&counts[12], 5); atomicDec((unsigned*)&counts[13], 9); atomicAdd(&longs[t & 1], (unsigned long long)x); atomicAdd(&sums[t & 3], 0.5f); atomicAdd(&wide[0], 1.0);
    atomicAnd(&counts[14], x); atomicCAS(&longs[2], 2ull, 77ull); atomicExch(&counts[15], 5);
    __syncthreads();
    const int4 q = quads[(t + iterations) & 31];
    const short* shorts = reinterpret_cast<const short*>(bytes);
    unsigned h = counts[t & 15] + bytes[(t + 1) & 127] + (signed char)bytes[t ^ 1] + shorts[t & 63] + q.x + q.y * 3 + q.z * 5 + q.w * 7;
    h += unsigned(longs[t & 3]) + __float_as_uint(sums[t & 3]) + unsigned(wide[0]);
    const int* generic = t & 1 ? counts : values;
    h += generic[t & 15];
    h += __ldg(values + thread());
    result[thread()] = h;
}
