// Connected components of a batch of small graphs, one block per graph, by
// minimum label propagation until nothing changes.  One thread per vertex.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(x) do { cudaError_t e = (x); if (e) { fprintf(stderr, #x ": %s\n", cudaGetErrorString(e)); return 1; } } while (0)

constexpr int DEG = 3;        // out-links per vertex, both directions are stored
constexpr int SLOT = 2 * DEG;
constexpr int MAXV = 1024;

__global__ void components(const int* nbr, int* label, int V)
{
    __shared__ int lab[MAXV];
    __shared__ int changed;
    const int v = threadIdx.x;
    const int* my = nbr + ((size_t)blockIdx.x * V + v) * SLOT;

    lab[v] = v;
    if (v == 0) changed = 0;
    __syncthreads();
    while (true) {
        int m = lab[v];
        if (v < V)
            for (int k = 0; k < SLOT; ++k)
                if (my[k] >= 0) m = min(m, lab[my[k]]);
        __syncthreads();
        if (m < lab[v]) {
            lab[v] = m;
            atomicExch(&changed, 1);
        }
        __syncthreads();
        int again = changed;
        __syncthreads();
        if (v == 0) changed = 0;
        __syncthreads();
        if (!again) break;
    }
    if (v < V) label[(size_t)blockIdx.x * V + v] = lab[v];
}

int main(int argc, char** argv)
{
    const int V = argc > 1 ? atoi(argv[1]) : 32;        // vertices per graph
    const int seed = argc > 2 ? atoi(argv[2]) : 1;
    if (V < 1 || V > MAXV) { fprintf(stderr, "vertices per graph: 1..%d\n", MAXV); return 2; }
    const int graphs = 16;
    std::vector<int> nbr((size_t)graphs * V * SLOT, -1), label((size_t)graphs * V);
    srand(seed);
    auto put = [&](int g, int a, int b) {
        for (int k = 0; k < SLOT; ++k) { int& s = nbr[((size_t)g * V + a) * SLOT + k]; if (s < 0) { s = b; return true; } }
        return false;
    };
    for (int g = 0; g < graphs; ++g)
        for (int e = 0; e < V * (g % 4) / 3; ++e) {     // density differs by graph
            int a = rand() % V, b = rand() % V;
            if (put(g, a, b)) if (!put(g, b, a)) {      // keep links symmetric
                for (int k = SLOT - 1; k >= 0; --k) { int& s = nbr[((size_t)g * V + a) * SLOT + k]; if (s >= 0) { s = -1; break; } }
            }
        }
    int *dn, *dl;
    CUDA(cudaMalloc(&dn, nbr.size() * sizeof(int)));
    CUDA(cudaMalloc(&dl, label.size() * sizeof(int)));
    CUDA(cudaMemcpy(dn, nbr.data(), nbr.size() * sizeof(int), cudaMemcpyHostToDevice));
    components<<<graphs, (V + 31) / 32 * 32>>>(dn, dl, V);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(label.data(), dl, label.size() * sizeof(int), cudaMemcpyDeviceToHost));

    long long chk = 0;
    for (int g = 0; g < graphs; ++g) {
        std::vector<int> p(V);
        std::iota(p.begin(), p.end(), 0);
        auto root = [&](int v) { while (p[v] != v) v = p[v] = p[p[v]]; return v; };
        for (int v = 0; v < V; ++v)
            for (int k = 0; k < SLOT; ++k) {
                int u = nbr[((size_t)g * V + v) * SLOT + k];
                if (u < 0) continue;
                int a = root(u), b = root(v);
                if (a < b) p[b] = a; else p[a] = b;     // minimum is the root
            }
        for (int v = 0; v < V; ++v) {
            int l = label[(size_t)g * V + v];
            if (l != root(v)) { printf("FAIL\n"); return 1; }
            chk += (long long)l * (g + 1);
        }
    }
    printf("PASS %lld\n", chk);
    return 0;
}
