// Mixture of experts: one warp (= one block) per expert walks all tokens, appends its tokens to a shared
// list, and after a shuffle reduction writes the list out; nothing but that reduction separates write and read.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int TOKENS = 4096, EXPERTS = 64, USED = 8;
#define FULL 0xffffffffu

__global__ void compactTokens(const int *ids, int *outTok, int *bounds) {
    extern __shared__ unsigned store[];              // token | slot << 22
    int expert = blockIdx.x, lane = threadIdx.x;
    int lower = 0, count = 0;
    for (int t0 = 0; t0 < TOKENS; t0 += 32 / USED) { // four tokens per step, eight lanes each
        int tok = t0 + lane / USED, slot = lane % USED;
        int e = ids[tok * USED + slot];
        lower += e < expert;
        bool mine = e == expert;
        unsigned any = __ballot_sync(FULL, mine) >> (lane / USED * USED) & 0xffu;
        int self = any != 0, before = 0;
        for (int d = USED; d < 32; d += USED) {
            int up = __shfl_up_sync(FULL, self, d);
            if (lane >= d) before += up;
        }
        if (mine) store[count + before] = tok | slot << 22;
        count += __shfl_sync(FULL, before + self, 31);
    }
    for (int d = 16; d > 0; d >>= 1) lower += __shfl_xor_sync(FULL, lower, d);
    // barrier needed here?   B1
    for (int i = lane; i < count; i += 32) {
        unsigned s = store[i];
        outTok[lower + i] = (s & 0x3fffffu) * USED + (s >> 22);
    }
    if (lane == 0) bounds[expert] = lower;
}

int main() {
    std::vector<int> ids(TOKENS * USED), want, got(TOKENS * USED), wb(EXPERTS), gb(EXPERTS);
    for (int t = 0; t < TOKENS; t++)
        for (int k = 0; k < USED; k++) {
            bool dup;
            do {
                ids[t * USED + k] = rand() % EXPERTS; dup = false;
                for (int j = 0; j < k; j++) dup |= ids[t * USED + j] == ids[t * USED + k];
            } while (dup);
        }
    for (int e = 0; e < EXPERTS; e++) {
        wb[e] = (int)want.size();
        for (int i = 0; i < TOKENS * USED; i++) if (ids[i] == e) want.push_back(i);
    }
    int *di, *dt, *db;
    CK(cudaMalloc(&di, ids.size() * 4)); CK(cudaMalloc(&dt, ids.size() * 4)); CK(cudaMalloc(&db, EXPERTS * 4));
    CK(cudaMemcpy(di, ids.data(), ids.size() * 4, cudaMemcpyHostToDevice));
    compactTokens<<<EXPERTS, 32, TOKENS * sizeof(unsigned)>>>(di, dt, db);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got.data(), dt, got.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(gb.data(), db, EXPERTS * 4, cudaMemcpyDeviceToHost));
    printf("%s\n", got == want && gb == wb ? "ok" : "FAIL");
}
