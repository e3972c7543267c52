//: smem smem-syncwarp shfl vote dtype=i32 op=all,any,ballot
//: ballot-min dtype=i32 op=any
//: ballot-shift dtype=i32 op=all

//! smem smem-syncwarp
// Two uint4 of shared memory hold a byte per lane: lane i writes its predicate to bit i % 8 of byte i / 8 of word
// i % 8, so that the bitwise or of the eight words is the mask of the lanes whose predicate is true.
__device__ inline void write_flag(uint4* flags, bool predicate) {
    const int lane = threadIdx.x % 32;
    reinterpret_cast<unsigned char*>(flags)[lane % 8 * 4 + lane / 8] = predicate ? 1u << lane % 8 : 0;
}

__device__ inline unsigned read_mask(const uint4* flags) {
    const uint4 a = flags[0], b = flags[1];
    return a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
}

//! *
// Returns to all lanes whether the predicate is true in all lanes of the warp.  //! op=all
// Returns to all lanes whether the predicate is true in any lane of the warp.  //! op=any
// Returns the mask of the lanes whose predicate is true, bit i for lane i, to all lanes.  //! op=ballot
//! ballot-min ballot-shift
// As a number, 1 or 0, for arithmetic with numbers that the compiler does not know: with a constant, it would make a
// predicate of the result, which takes longer with few warps.
//! vote
// All 32 lanes of the warp must call it.
__device__ inline bool warp_{op}(bool predicate) { return __{op}_sync(0xffffffffu, predicate); }  //! op!=ballot
__device__ inline unsigned warp_ballot(bool predicate) { return __ballot_sync(0xffffffffu, predicate); }  //! op=ballot

//! ballot-min
// All 32 lanes of the warp must call it.
__device__ inline unsigned warp_any(bool predicate) {
    unsigned any;  // in PTX, because the compiler would make a predicate of the minimum
    asm("min.u32 %0, %1, 1;" : "=r"(any) : "r"(__ballot_sync(0xffffffffu, predicate)));
    return any;
}

//! ballot-shift
// All 32 lanes of the warp must call it.
__device__ inline unsigned warp_all(bool predicate) {
    return __funnelshift_rc(1, 0, __ballot_sync(0xffffffffu, !predicate));  // an empty mask leaves the 1 in place
}

//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline bool warp_{op}(bool predicate) {  //! op!=ballot
__device__ inline unsigned warp_ballot(bool predicate) {  //! op=ballot
    assert(blockDim.y * blockDim.z == 1);
    unsigned mask = predicate ? 1u << threadIdx.x % 32 : 0;
    for (int distance = 16; distance > 0; distance /= 2) mask |= __shfl_xor_sync(0xffffffffu, mask, distance);
//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `flags` is shared memory, two elements per warp of the block.
__device__ inline bool warp_{op}(bool predicate, uint4* flags) {  //! op!=ballot
__device__ inline unsigned warp_ballot(bool predicate, uint4* flags) {  //! op=ballot
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    uint4* const of_warp = flags + threadIdx.x / 32 * 2;
    write_flag(of_warp, predicate);
    __syncwarp();  // all lanes have written
    const unsigned mask = read_mask(of_warp);
    __syncwarp();  // all lanes have read: the flags may be written again
//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `flags` is shared memory, two elements per warp of the block.
__device__ inline bool warp_{op}(bool predicate, uint4* flags) {  //! op!=ballot
__device__ inline unsigned warp_ballot(bool predicate, uint4* flags) {  //! op=ballot
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    uint4* const of_warp = flags + threadIdx.x / 32 * 2;
    write_flag(of_warp, predicate);
    __syncthreads();  // all threads have written
    const unsigned mask = read_mask(of_warp);
    __syncthreads();  // all threads have read: the flags may be written again
//! smem smem-syncwarp shfl
    return mask == 0xffffffffu;  //! op=all
    return mask != 0;  //! op=any
    return mask;  //! op=ballot
}
