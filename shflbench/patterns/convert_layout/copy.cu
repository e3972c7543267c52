//: smem smem-wide shfl-bits shfl-rounds dtype=i32 bits=3,1,2,4,5
//: smem shfl-bits dtype=i16,i8 bits=3,1,2,4,5

//! * dtype=i16,i8
// Exchanges the lowest {bits} bits of the lane with those of the element number: lane l gets in element e what lane e
// had in element l, as far as these bits go; the other bits of l and e stay. All 32 lanes of the warp must call it.
// A lane has 32 elements of 16 bits, of which element 2 * i + j are bits 16 * j to 16 * j + 15 of x[i].  //! dtype=i16
// A lane has 32 elements of 8 bits, of which element 4 * i + j are bits 8 * j to 8 * j + 7 of x[i].  //! dtype=i8
//! smem dtype=i16,i8
// `rows` is shared memory that only this warp uses, 32 x 32 elements, aligned to 4 bytes. Blocks must be
// one-dimensional and consist of whole warps.
__device__ inline void convert(unsigned (&x)[8 * sizeof({T})], unsigned* rows) {
    constexpr int PER_WORD = 4 / sizeof({T}), WORDS = 8 * sizeof({T}), MASK = (1 << {bits}) - 1;
    const int lane = threadIdx.x % 32;
    const auto place = [](int row, int word) { return row * WORDS + (word ^ row / PER_WORD); };
#pragma unroll
    for (int i = 0; i < WORDS; ++i) rows[place(lane, i)] = x[i];  // 32 lanes use all banks
    __syncwarp();  // all lanes have written
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        x[i] = 0;
#pragma unroll
        for (int j = 0; j < PER_WORD; ++j) {
            const int element = i * PER_WORD + j;
            const int other = (lane & ~MASK) | (element & MASK), from = (element & ~MASK) | (lane & MASK);
            const auto* word = reinterpret_cast<const unsigned short*>(rows + place(other, from / PER_WORD));  //! dtype=i16
            const auto* word = reinterpret_cast<const unsigned char*>(rows + place(other, from / PER_WORD));  //! dtype=i8
            x[i] |= unsigned(word[from % PER_WORD]) << j * 8 * sizeof({T});
        }
    }
    __syncwarp();  // all lanes have read: the rows may be written again
}

//! shfl-bits dtype=i16,i8
// Exchanges every second part of two registers, of `part` bytes, as one register.
__device__ inline void exchange_parts(unsigned& first, unsigned& second, int bit, int part) {
    const bool upper = threadIdx.x & bit;
    const unsigned sent = part == 2 ? (upper ? 0x5410 : 0x7632) : (upper ? 0x6420 : 0x7531);
    const unsigned into_first = part == 2 ? (upper ? 0x3254 : 0x5410) : (upper ? 0x3514 : 0x5240);
    const unsigned into_second = part == 2 ? (upper ? 0x3276 : 0x7610) : (upper ? 0x3716 : 0x7260);
    const unsigned got = __shfl_xor_sync(0xffffffffu, __byte_perm(first, second, sent), bit);
    first = __byte_perm(first, got, into_first);
    second = __byte_perm(second, got, into_second);
}

// Exchanges one of two registers.
__device__ inline void exchange_words(unsigned& first, unsigned& second, int bit) {
    const bool upper = threadIdx.x & bit;
    const unsigned got = __shfl_xor_sync(0xffffffffu, upper ? first : second, bit);
    first = upper ? got : first;
    second = upper ? second : got;
}

__device__ inline void convert(unsigned (&x)[8 * sizeof({T})]) {
    constexpr int PER_WORD = 4 / sizeof({T}), WORDS = 8 * sizeof({T});
#pragma unroll
    for (int bit = 1; bit < 1 << {bits}; bit *= 2) {
        const int distance = bit / PER_WORD;  // of the registers of two elements whose numbers differ in this bit
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            if (distance == 0 && i % 2 == 0) exchange_parts(x[i], x[i + 1], bit, bit * sizeof({T}));
            if (distance > 0 && !(i & distance)) exchange_words(x[i], x[i | distance], bit);
        }
    }
}
//! * dtype=i32
// Exchanges the lowest {bits} bits of the lane with those of the register number: lane l gets in x[r] what lane r had in
// x[l], as far as these bits go; the other bits of l and r stay. All 32 lanes of the warp must call it.
//! smem smem-wide dtype=i32
// `rows` is shared memory that only this warp uses, 32 x 32 elements, aligned to 16 bytes. Blocks must be
// one-dimensional and consist of whole warps.
//! shfl-rounds dtype=i32
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

//! shfl-bits dtype=i32
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

//! smem-wide dtype=i32
// Words that are stored together change places as a whole, so that 8 lanes with 16 bytes each use all banks.
__device__ inline int place_of_four(int lane, int four) { return four ^ (lane & 7) ^ lane / 8 << ({bits} > 2); }

//! smem smem-wide dtype=i32
__device__ inline void convert({T} (&x)[32], {T}* rows) {
    constexpr int MASK = (1 << {bits}) - 1;
    const int lane = threadIdx.x % 32;
//! smem dtype=i32
#pragma unroll
    for (int i = 0; i < 32; ++i) rows[lane * 32 + (i ^ lane)] = x[i];  // 32 lanes use all banks
//! smem-wide dtype=i32
#pragma unroll
    for (int i = 0; i < 32; i += 4) {
        const int4 four = make_int4(x[i], x[i + 1], x[i + 2], x[i + 3]);
        reinterpret_cast<int4*>(rows + lane * 32)[place_of_four(lane, i / 4)] = four;
    }
//! smem smem-wide dtype=i32
    __syncwarp();  // all lanes have written
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        const int other = (lane & ~MASK) | (i & MASK), from = (i & ~MASK) | (lane & MASK);
        x[i] = rows[other * 32 + (from ^ other)];                                       //! smem
        x[i] = rows[other * 32 + place_of_four(other, from / 4) * 4 + from % 4];        //! smem-wide
    }
    __syncwarp();  // all lanes have read: the rows may be written again
}
