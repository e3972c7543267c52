//: smem smem-wide shfl-bits shfl-rounds dtype=i32 bits=3,1,2,4,5

//! *
// Exchanges the lowest {bits} bits of the lane with those of the register number: lane l gets in x[r] what lane r had in
// x[l], as far as these bits go; the other bits of l and r stay. All 32 lanes of the warp must call it.
//! smem smem-wide
// `rows` is shared memory that only this warp uses, 32 x 32 elements, aligned to 16 bytes. Blocks must be
// one-dimensional and consist of whole warps.
//! shfl-rounds
__device__ inline void xor_registers({T} (&x)[32]) {
#pragma unroll
    for (int bit = 1; bit < 1 << {bits}; bit *= 2) {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if (i & bit) continue;
            const {T} low = x[i], high = x[i | bit];
            x[i] = threadIdx.x & bit ? high : low;
            x[i | bit] = threadIdx.x & bit ? low : high;
        }
    }
}

__device__ inline void convert({T} (&x)[32]) {
    xor_registers(x);
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        const int distance = i & (1 << {bits}) - 1;
        if (distance) x[i] = __shfl_xor_sync(0xffffffffu, x[i], distance);
    }
    xor_registers(x);
}

//! shfl-bits
__device__ inline void convert({T} (&x)[32]) {
#pragma unroll
    for (int bit = 1; bit < 1 << {bits}; bit *= 2) {
        const bool upper = threadIdx.x & bit;
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if (i & bit) continue;
            const {T} low = x[i], high = x[i | bit];
            const {T} got = __shfl_xor_sync(0xffffffffu, upper ? low : high, bit);
            x[i] = upper ? got : low;
            x[i | bit] = upper ? high : got;
        }
    }
}

//! smem-wide
// Words that are stored together change places as a whole, so that 8 lanes with 16 bytes each use all banks.
__device__ inline int place_of_four(int lane, int four) { return four ^ (lane & 7) ^ lane / 8 << ({bits} > 2); }

//! smem smem-wide
__device__ inline void convert({T} (&x)[32], {T}* rows) {
    constexpr int MASK = (1 << {bits}) - 1;
    const int lane = threadIdx.x % 32;
//! smem
#pragma unroll
    for (int i = 0; i < 32; ++i) rows[lane * 32 + (i ^ lane)] = x[i];  // 32 lanes use all banks
//! smem-wide
#pragma unroll
    for (int i = 0; i < 32; i += 4) {
        const int4 four = make_int4(x[i], x[i + 1], x[i + 2], x[i + 3]);
        reinterpret_cast<int4*>(rows + lane * 32)[place_of_four(lane, i / 4)] = four;
    }
//! smem smem-wide
    __syncwarp();  // all lanes have written
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        const int other = (lane & ~MASK) | (i & MASK), from = (i & ~MASK) | (lane & MASK);
        x[i] = rows[other * 32 + (from ^ other)];                                       //! smem
        x[i] = rows[other * 32 + place_of_four(other, from / 4) * 4 + from % 4];        //! smem-wide
    }
    __syncwarp();  // all lanes have read: the rows may be written again
}
