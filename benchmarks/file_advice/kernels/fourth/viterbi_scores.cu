// Forward pass of a Viterbi decoder, one block per received frame, one thread per trellis state.
//   viterbi_scores [constraint length K, 3..10] [seed]      2^(K-1) states
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define FRAMES 9
#define SYMBOLS 70
#define FAR 100000

#define E(x) { cudaError_t c = (x); if (c) { fprintf(stderr, "error %d: %s\n", __LINE__, cudaGetErrorString(c)); exit(1); } }

__host__ __device__ inline int branch(int from, int bit, int symbol)
{
    unsigned reg = (unsigned)from * 2 + bit;
    unsigned a = reg & 0x2d3, b = reg & 0x395;        // two generators
    a ^= a >> 8; a ^= a >> 4; a ^= a >> 2; a ^= a >> 1;
    b ^= b >> 8; b ^= b >> 4; b ^= b >> 2; b ^= b >> 1;
    int expect = (a & 1) * 2 + (b & 1);
    int diff = expect ^ symbol;
    return (diff & 1) + (diff >> 1);
}

__global__ void forwardPass(const int* symbols, int* best)
{
    extern __shared__ int score[];
    const int st = threadIdx.x, states = blockDim.x, half = states >> 1;
    const int* frame = symbols + blockIdx.x * SYMBOLS;

    score[st] = st == 0 ? 0 : FAR;
    __syncthreads();

    for (int k = 0; k < SYMBOLS; ++k) {
        const int* from = score + (k & 1) * states;
        int* to = score + ((k + 1) & 1) * states;
        const int p = st >> 1, q = p + half, bit = st & 1;
        const int viaP = from[p] + branch(p, bit, frame[k]);
        const int viaQ = from[q] + branch(q, bit, frame[k]);
        __syncthreads();
        to[st] = min(viaP, viaQ);
        __syncthreads();
    }
    // SYMBOLS is even: the final scores are back in the first half of the array
    if (st == 0) {
        int m = score[0];
        for (int i = 1; i < states; ++i) m = min(m, score[i]);
        best[blockIdx.x] = m;
    }
}

int main(int argc, char** argv)
{
    int K = argc > 1 ? atoi(argv[1]) : 5;
    unsigned seed = argc > 2 ? strtoul(argv[2], 0, 10) : 31;
    if (K < 3 || K > 10) { fprintf(stderr, "constraint length must be 3..10\n"); return 2; }
    const int states = 1 << (K - 1);
    std::vector<int> sym(FRAMES * SYMBOLS);
    srand(seed);
    for (auto& s : sym) s = rand() / 7 % 4;

    int *dSym, *dBest, got[FRAMES];
    E(cudaMalloc(&dSym, sym.size() * sizeof(int)));
    E(cudaMalloc(&dBest, sizeof got));
    E(cudaMemcpy(dSym, sym.data(), sym.size() * sizeof(int), cudaMemcpyHostToDevice));
    forwardPass<<<FRAMES, states, 2 * states * sizeof(int)>>>(dSym, dBest);
    E(cudaGetLastError());
    E(cudaMemcpy(got, dBest, sizeof got, cudaMemcpyDeviceToHost));

    int sum = 0;
    for (int f = 0; f < FRAMES; ++f) {
        std::vector<int> a(states, FAR), b(states);
        a[0] = 0;
        for (int k = 0; k < SYMBOLS; ++k) {
            for (int s = 0; s < states; ++s) {
                int p = s / 2, q = p + states / 2;
                b[s] = std::min(a[p] + branch(p, s & 1, sym[f * SYMBOLS + k]),
                                a[q] + branch(q, s & 1, sym[f * SYMBOLS + k]));
            }
            a.swap(b);
        }
        int want = *std::min_element(a.begin(), a.end());
        if (want != got[f]) { printf("FAIL frame %d: %d, expected %d\n", f, got[f], want); return 1; }
        sum = sum * 11 + want;
    }
    printf("PASS %d\n", sum);
    E(cudaFree(dSym)); E(cudaFree(dBest));
    return 0;
}
