// Triangle counting: a block marks the neighbors of v in a shared bitmap and
// looks up the neighbors' neighbors (only ordered triples v < u < w).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#define NTHREADS 96
#define MAXN 8192

static void ck(cudaError_t e) { if (e) { fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e)); exit(1); } }

__global__ void triangles(int n, const int* off, const int* adj, unsigned* perBlock)
{
    __shared__ unsigned bits[MAXN / 32];
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    unsigned cnt = 0;
    for (int v = blockIdx.x; v < n; v += gridDim.x) {
        for (int k = threadIdx.x; k < (n + 31) / 32; k += NTHREADS) bits[k] = 0;
        __syncthreads();
        for (int e = off[v] + threadIdx.x; e < off[v + 1]; e += NTHREADS)
            atomicOr(&bits[adj[e] >> 5], 1u << (adj[e] & 31));
        __syncthreads();
        for (int e = off[v] + threadIdx.x; e < off[v + 1]; e += NTHREADS) {
            int u = adj[e];
            if (u <= v) continue;
            for (int f = off[u]; f < off[u + 1]; ++f) {
                int w = adj[f];
                if (w > u) cnt += bits[w >> 5] >> (w & 31) & 1;
            }
        }
        __syncthreads();
    }
    if (cnt) atomicAdd(&total, cnt);
    __syncthreads();
    if (threadIdx.x == 0) perBlock[blockIdx.x] = total;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 1 || n > MAXN) { fprintf(stderr, "vertex count must be 1..%d\n", MAXN); return 2; }

    // ring; with a seed also chords to nearby and to random vertices
    std::vector<std::set<int>> g(n);
    auto link = [&](int a, int b) { if (a != b) { g[a].insert(b); g[b].insert(a); } };
    srand(seed);
    for (int v = 0; v < n; ++v) {
        link(v, (v + 1) % n);
        if (seed) for (int k = 0; k < 5; ++k) { link(v, (v + rand() % 9) % n); link(v, rand() % n); }
        if (seed && v % 3 == 0) link(v, 0);              // one hub
    }
    std::vector<int> off(1, 0), adj;
    for (auto& s : g) { adj.insert(adj.end(), s.begin(), s.end()); off.push_back((int)adj.size()); }

    int *doff, *dadj; unsigned* dcnt;
    int blocks = std::min(n, 64);
    ck(cudaMalloc(&doff, off.size() * 4));
    ck(cudaMalloc(&dadj, (adj.size() + 1) * 4));
    ck(cudaMalloc(&dcnt, blocks * 4));
    ck(cudaMemcpy(doff, off.data(), off.size() * 4, cudaMemcpyHostToDevice));
    if (!adj.empty()) ck(cudaMemcpy(dadj, adj.data(), adj.size() * 4, cudaMemcpyHostToDevice));
    triangles<<<blocks, NTHREADS>>>(n, doff, dadj, dcnt);
    ck(cudaGetLastError());
    std::vector<unsigned> c(blocks);
    ck(cudaMemcpy(c.data(), dcnt, blocks * 4, cudaMemcpyDeviceToHost));
    unsigned long long got = 0, ref = 0;
    for (unsigned k : c) got += k;
    for (int v = 0; v < n; ++v)
        for (int u : g[v]) if (u > v)
            for (int w : g[u]) if (w > u) ref += g[v].count(w);
    if (got != ref) { printf("FAIL\n"); return 1; }
    printf("PASS %llu\n", got);
    return 0;
}
