//: butterflies halving smem dtype=f32,i32,f16,bf16 sums=32,1,2,4,8,16,64 result=own,all
//: cub dtype=f32,i32 sums=32,1,2,4,8,16,64 result=own,all
//: mma dtype=f16,bf16 sums=32,1,2,4,8,16,64 result=own,all
//: mma-split dtype=f32 sums=32,1,2,4,8,16,64 result=own,all
//: redux dtype=i32 sums=32,1,2,4,8,16,64 result=own,all

//! cub
#include <cub/warp/warp_reduce.cuh>

//! *
// Sums each of {sums} values per lane over the 32 lanes of the warp. All lanes must call it.
// Integers wrap around on overflow.  //! dtype=i32
// Every lane gets all sums.  //! result=all
// Lane j gets sum j; with 64 sums, also sum j + 32. With fewer than 32, the other lanes get no valid sum.  //! result=own
//! butterflies halving smem dtype=f16,bf16
// Convert the values to f32 before the call.
//! mma
// pairs[i] has value 2 * i in its lower half, and value 2 * i + 1 in its upper half. From sm_80 on.
//! mma-split
// Each value is split into three bf16, whose products with 1 are exact. From sm_80 on.
//! redux
// From sm_80 on.
//! *
constexpr int N = {sums};
//! butterflies redux cub result=own
constexpr int PER_LANE = N > 32 ? N / 32 : 1;  // sums that a lane gets
//! halving smem mma mma-split
constexpr int PER_LANE = N > 32 ? N / 32 : 1;  // sums that a lane gets first
//! *
constexpr int RESULTS = N;  //! result=all
constexpr int RESULTS = PER_LANE;  //! result=own
using Number = float;  //! dtype!=i32
using Number = unsigned;  //! dtype=i32

//! halving mma mma-split result=all
// Lane j % 32 has sum j in own[j / 32].
__device__ inline void to_all_lanes(const Number (&own)[PER_LANE], Number (&sums)[RESULTS]) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
        sums[j] = own[j / 32];                                    //! halving mma mma-split sums=1
        sums[j] = __shfl_sync(0xffffffffu, own[j / 32], j % 32);  //! halving mma mma-split sums!=1
    }
}

//! butterflies redux
__device__ inline void warp_sums(const Number (&x)[N], Number (&sums)[RESULTS]) {
    Number all[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
        all[j] = x[j];  //! butterflies
#pragma unroll          //! butterflies
        for (int distance = 1; distance < 32; distance *= 2) {                    //! butterflies
            all[j] += __shfl_xor_sync(0xffffffffu, all[j], distance);             //! butterflies
        }                                                                         //! butterflies
        all[j] = __reduce_add_sync(0xffffffffu, x[j]);  //! redux
        sums[j] = all[j];                               //! result=all
    }
//! butterflies redux result=own
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int part = 0; part < PER_LANE; ++part) {
#pragma unroll
        for (int bit = N / PER_LANE / 2; bit > 0; bit /= 2) {
#pragma unroll
            for (int j = 0; j < N / PER_LANE / 2; ++j) {
                if (j >= bit) break;
                const Number lower = all[part * 32 + j], upper = all[part * 32 + j + bit];
                all[part * 32 + j] = lane & bit ? upper : lower;
            }
        }
        sums[part] = all[part * 32];
    }
//! butterflies redux
}

//! halving
__device__ inline void warp_sums(const Number (&x)[N], Number (&sums)[RESULTS]) {
    Number sum[N];
#pragma unroll
    for (int j = 0; j < N; ++j) sum[j] = x[j];
    // Before the step of `distance`, sum[i] is that of number lane % distance + distance * i, over `distance` lanes.
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const bool upper = threadIdx.x & distance;
        if (N <= distance) sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], distance);
#pragma unroll
        for (int i = 0; i < N / 2; ++i) {
            if (i >= N / 2 / distance) break;
            const Number even = sum[2 * i], odd = sum[2 * i + 1];
            sum[i] = (upper ? odd : even) + __shfl_xor_sync(0xffffffffu, upper ? even : odd, distance);
        }
    }
    Number own[PER_LANE];
#pragma unroll
    for (int part = 0; part < PER_LANE; ++part) own[part] = sum[part];
    to_all_lanes(own, sums);                                        //! result=all
#pragma unroll                                                      //! result=own
    for (int part = 0; part < PER_LANE; ++part) sums[part] = own[part];  //! result=own
}

//! smem
// `tile` is shared memory that only this warp uses: at least ROWS * ROW elements, aligned to 16 bytes. Blocks must be
// one-dimensional and consist of whole warps.
constexpr int ROWS = N / PER_LANE, ROW = 32 + 1;

__device__ inline void warp_sums(const Number (&x)[N], Number (&sums)[RESULTS], Number* tile) {
    const int lane = threadIdx.x % 32;
    const Number* row = tile + lane % ROWS * ROW + lane / ROWS * ROWS;
    Number own[PER_LANE];
#pragma unroll
    for (int part = 0; part < PER_LANE; ++part) {
#pragma unroll
        for (int j = 0; j < ROWS; ++j) tile[j * ROW + lane] = x[part * ROWS + j];
        __syncwarp();  // all lanes have written
        own[part] = row[0];
#pragma unroll
        for (int i = 1; i < ROWS; ++i) own[part] += row[i];
        __syncwarp();  // all lanes have read: the tile may be written again
#pragma unroll
        for (int distance = ROWS; distance < 32; distance *= 2) {
            own[part] += __shfl_xor_sync(0xffffffffu, own[part], distance);
        }
        sums[part] = own[part];  //! result=own
        sums[part] = own[part];  //! result=all sums=1
    }
//! smem result=all sums!=1
#pragma unroll
    for (int part = 0; part < PER_LANE; ++part) tile[part * 32 + lane] = own[part];
    __syncwarp();  // all lanes have written
#pragma unroll
    for (int j = 0; j < N; ++j) sums[j] = tile[j];
    __syncwarp();  // all lanes have read
//! smem
}

//! mma mma-split
// D += A * B for matrices of 16x16 and 16x8 elements of 16 bits.
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "    //! dtype=f16
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "  //! dtype!=f16
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Number of values that are summed together; matrix products; groups of 4 lanes whose rows of A differ.
constexpr int COUNT = N / PER_LANE, PRODUCTS = COUNT > 2 ? 2 : 1, GROUPS = COUNT > 4 ? COUNT / 4 : 1;

// Each row of A selects one value of those in B; a row of D has its sum over the 4 lanes of each of 8 groups.
__device__ inline void add_lanes(float (&d)[PRODUCTS][4], const unsigned* pairs) {
    constexpr unsigned ONE = 0x3C00;  //! dtype=f16
    constexpr unsigned ONE = 0x3F80;  //! dtype!=f16
    const int group = threadIdx.x / 4 & (GROUPS - 1);
#pragma unroll
    for (int u = 0; u < (GROUPS + 1) / 2; ++u) {
        const unsigned lower = group == 2 * u ? ONE : 0, upper = group == 2 * u + 1 ? ONE : 0;
        const unsigned a[] = {lower, lower << 16, upper, upper << 16};
#pragma unroll
        for (int p = 0; p < PRODUCTS; ++p) {
            multiply(d[p], a, pairs[4 * u + p], 2 * u + 1 < GROUPS ? pairs[4 * u + 2 + p] : 0);
        }
    }
}

// The 8 groups of a row are in 4 lanes, two in each.
__device__ inline float add_groups(const float (&d)[PRODUCTS][4]) {
    const int lane = threadIdx.x % 32;  //! sums!=1
    float kept[PRODUCTS];
#pragma unroll
    for (int p = 0; p < PRODUCTS; ++p) {
        const float even = d[p][0] + d[p][1];
        const float odd = d[p][2] + d[p][3];  //! sums!=1
        kept[p] = even + __shfl_xor_sync(0xffffffffu, even, 1);                                      //! sums=1
        kept[p] = (lane & 1 ? odd : even) + __shfl_xor_sync(0xffffffffu, lane & 1 ? even : odd, 1);  //! sums!=1
    }
    return kept[0] + __shfl_xor_sync(0xffffffffu, kept[0], 2);  //! sums=1,2
    const float mine = lane & 2 ? kept[1] : kept[0], other = lane & 2 ? kept[0] : kept[1];  //! sums!=1,2
    return mine + __shfl_xor_sync(0xffffffffu, other, 2);                                   //! sums!=1,2
}

//! mma
__device__ inline void warp_sums(const unsigned (&pairs)[(N + 1) / 2], float (&sums)[RESULTS]) {
    float own[PER_LANE];
#pragma unroll
    for (int part = 0; part < PER_LANE; ++part) {
        float d[PRODUCTS][4] = {};
        add_lanes(d, pairs + part * 16);
        own[part] = add_groups(d);
        sums[part] = own[part];  //! result=own
    }
    to_all_lanes(own, sums);  //! result=all
}

//! mma-split
__device__ inline void warp_sums(const float (&x)[N], float (&sums)[RESULTS]) {
    float rest[N], own[PER_LANE];
#pragma unroll
    for (int j = 0; j < N; ++j) rest[j] = x[j];
#pragma unroll
    for (int part = 0; part < PER_LANE; ++part) {
        float d[PRODUCTS][4] = {};
#pragma unroll
        for (int digit = 0; digit < 3; ++digit) {
            unsigned pairs[(COUNT + 1) / 2];
#pragma unroll
            for (int i = 0; i < (COUNT + 1) / 2; ++i) {
                float &even = rest[part * COUNT + 2 * i], &odd = rest[part * COUNT + (2 * i + 1) % COUNT];
                asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pairs[i]) : "f"(odd), "f"(even));
                even -= __uint_as_float(pairs[i] << 16);
                odd -= __uint_as_float(pairs[i] & 0xffff0000u);  //! sums!=1
            }
            add_lanes(d, pairs);
        }
        own[part] = add_groups(d);
        sums[part] = own[part];  //! result=own
    }
    to_all_lanes(own, sums);  //! result=all
}

//! cub
// `storage` is shared memory that only this warp uses: one WarpReduce::TempStorage per warp of the block.
using WarpReduce = cub::WarpReduce<Number>;

__device__ inline void warp_sums(const Number (&x)[N], Number (&sums)[RESULTS], WarpReduce::TempStorage& storage) {
    const int lane = threadIdx.x % 32;  //! result=own
#pragma unroll
    for (int j = 0; j < N; ++j) {
        const Number sum = __shfl_sync(0xffffffffu, WarpReduce(storage).Sum(x[j]), 0);  // lane 0 has the sum
        __syncwarp();  // before `storage` is used again
        if (j % 32 == 0 || lane == j % 32) sums[j / 32] = sum;  //! result=own
        sums[j] = sum;                                          //! result=all
    }
}
