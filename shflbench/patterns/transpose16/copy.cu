//: ldmatrix stmatrix movmatrix shfl dtype=i16

//! *
// Transposes four matrices of 8x8 elements of 16 bits: lane 4 * row + k has elements 2 * k and 2 * k + 1 of that row in
// x[i], as in fragments of mma.sync. All 32 lanes of the warp must call it.
//! stmatrix
// From sm_90 on.
//! ldmatrix stmatrix
// `words` is shared memory that only this warp uses, 128 elements, aligned to 16 bytes. Blocks must be
// one-dimensional and consist of whole warps.
__device__ inline void transpose(unsigned (&x)[4], unsigned* words) {
    const int lane = threadIdx.x % 32;
    const unsigned row = __cvta_generic_to_shared(words + lane * 4);  // lanes from 8 * i on: of matrix i
//! ldmatrix
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i * 32 + lane] = x[i];
    __syncwarp();  // all lanes have written
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(row) : "memory");
//! stmatrix
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"(row), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");
    __syncwarp();  // all lanes have written
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = words[i * 32 + lane];
//! ldmatrix stmatrix
    __syncwarp();  // all lanes have read: the words may be written again
}

//! movmatrix
__device__ inline void transpose(unsigned (&x)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(x[i]) : "r"(x[i]));
}

//! shfl
__device__ inline void transpose(unsigned (&x)[4]) {
    const int row = threadIdx.x % 32 / 4, even = threadIdx.x % 4 * 8 + row / 2, halves = row % 2 ? 0x7632 : 0x5410;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const unsigned first = __shfl_sync(0xffffffffu, x[i], even), second = __shfl_sync(0xffffffffu, x[i], even + 4);
        x[i] = __byte_perm(first, second, halves);
    }
}
