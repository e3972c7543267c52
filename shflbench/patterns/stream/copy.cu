//: global vector async dtype=f32,bf16 work=copy,read per_thread=32,8,128

//! *
// Copies an array to another, which must not overlap it.  //! work=copy
// Reads an array, and returns the xor of all bits that the thread has read.  //! work=read
// All threads of the launch must call it. Blocks must be one-dimensional and consist of BLOCK threads. The array has
// {per_thread} elements per thread.
//! vector async
// Both arrays must be aligned to 16 bytes.  //! work=copy
// The array must be aligned to 16 bytes.  //! work=read
//! async
// `slots` is shared memory: 64 bytes per thread, aligned to 16 bytes. From sm_80 on.

//! global
template <int BLOCK>
__device__ inline void stream(const {T}* from, {T}* to) {  //! work=copy
__device__ inline unsigned stream(const {T}* from) {  //! work=read
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    constexpr int WORDS = {per_thread}, BATCH = 8;  // loads in flight
    using Word = {T};
//! vector
template <int BLOCK>
__device__ inline void stream(const {T}* from, {T}* to) {  //! work=copy
__device__ inline unsigned stream(const {T}* from) {  //! work=read
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(from) % 16 == 0);
    assert(reinterpret_cast<size_t>(to) % 16 == 0);  //! work=copy
    constexpr int WORDS = {per_thread} * sizeof({T}) / 16, BATCH = WORDS < 4 ? WORDS : 4;  // loads in flight
    using Word = uint4;
//! global vector
    static_assert(WORDS % BATCH == 0);
    const size_t first = size_t(blockIdx.x) * (BLOCK * {per_thread});
    const Word* source = reinterpret_cast<const Word*>(from + first) + threadIdx.x;
    Word* target = reinterpret_cast<Word*>(to + first) + threadIdx.x;  //! work=copy
    unsigned bits = 0;  //! work=read
    for (int start = 0; start < WORDS; start += BATCH) {
        Word words[BATCH];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) words[i] = source[(start + i) * BLOCK];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) target[(start + i) * BLOCK] = words[i];  //! work=copy
//! global work=read
        for (int i = 0; i < BATCH; ++i) bits ^= __float_as_uint(words[i]);  //! dtype=f32
        for (int i = 0; i < BATCH; ++i) bits ^= __bfloat16_as_ushort(words[i]);  //! dtype=bf16
//! vector work=read
        for (int i = 0; i < BATCH; ++i) bits ^= words[i].x ^ words[i].y ^ words[i].z ^ words[i].w;
//! global vector
    }
    return bits;  //! work=read
}

//! async
template <int BLOCK>
__device__ inline void stream(const {T}* from, {T}* to, uint4* slots) {  //! work=copy
__device__ inline unsigned stream(const {T}* from, uint4* slots) {  //! work=read
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(from) % 16 == 0);
    assert(reinterpret_cast<size_t>(to) % 16 == 0);  //! work=copy
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    constexpr int WORDS = {per_thread} * sizeof({T}) / 16, STAGES = 4;
    const size_t first = size_t(blockIdx.x) * (BLOCK * {per_thread});
    const uint4* source = reinterpret_cast<const uint4*>(from + first) + threadIdx.x;
    uint4* target = reinterpret_cast<uint4*>(to + first) + threadIdx.x;  //! work=copy
    uint4* mine = slots + threadIdx.x;
    unsigned bits = 0;  //! work=read
    const auto start_copy = [&](int i) {  // of 16 bytes to shared memory
        const unsigned slot = __cvta_generic_to_shared(&mine[i % STAGES * BLOCK]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(slot), "l"(&source[i * BLOCK]) : "memory");
    };
    #pragma unroll
    for (int i = 0; i < STAGES - 1; ++i) {
        if (i < WORDS) start_copy(i);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    #pragma unroll 4
    for (int i = 0; i < WORDS; ++i) {
        if (i + STAGES - 1 < WORDS) start_copy(i + STAGES - 1);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");  // the thread's copy `i` is complete
        const uint4 word = mine[i % STAGES * BLOCK];
        target[i * BLOCK] = word;  //! work=copy
        bits ^= word.x ^ word.y ^ word.z ^ word.w;  //! work=read
    }
    return bits;  //! work=read
}
