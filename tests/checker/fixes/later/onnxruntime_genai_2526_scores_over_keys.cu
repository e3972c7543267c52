// broken: WAR a lane stores its score over sorted keys in the same union that other lanes still read
// fixed: clean
// launch: 2x64
// source: https://github.com/microsoft/onnxruntime-genai/pull/2526
// Written anew after the thread: no code of it.
// A warp sorts keys of 64 bits, and takes them apart into scores and indices. The memory of the sort and both arrays are one union.
// The fix: __syncwarp() before the scores are stored.
// Left out: CUB, whose merge sort ends with such a read; here the order of keys is reversed.
union Shared {
    unsigned long long keys[32];
    struct {
        unsigned scores[32];
        unsigned indices[32];
    } sorted;
};

__global__ void top_k(const unsigned *scores, unsigned *result) {
    __shared__ Shared of_warps[2];
    int lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
    Shared *memory = &of_warps[threadIdx.x / 32];
    memory->keys[lane] = (unsigned long long)scores[i] << 32 | lane;
    __syncwarp();
    unsigned long long key = memory->keys[31 - lane];  // earlier
#ifdef FIXED
    __syncwarp();
#endif
    memory->sorted.scores[lane] = (unsigned)(key >> 32);  // later
    memory->sorted.indices[lane] = (unsigned)key;
    __syncwarp();
    result[i] = memory->sorted.scores[31 - lane] + memory->sorted.indices[31 - lane];
}
