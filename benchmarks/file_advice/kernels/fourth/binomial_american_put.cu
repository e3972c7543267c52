// Cox-Ross-Rubinstein tree for American puts: one block per option, one thread per node.
//   ./binomial_american_put [time steps] [seed]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

struct Option { float spot, strike, vol; };

#define TRY(x) do { if (cudaError_t e = (x)) { printf("%s -> %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void crrPut(const Option* opt, float* price, int steps)
{
    __shared__ float value[1024];
    const int node = threadIdx.x;
    const Option o = opt[blockIdx.x];
    const float dt = 0.5f / steps, up = expf(o.vol * sqrtf(dt)), dn = 1.0f / up;
    const float disc = expf(-0.02f * dt), p = (1.0f / disc - dn) / (up - dn);

    if (node <= steps) {
        float s = o.spot * powf(up, 2.0f * node - steps);
        value[node] = fmaxf(o.strike - s, 0.0f);
    }
    __syncthreads();                       // leaves are there

    for (int level = steps - 1; level >= 0; --level) {
        float hold = 0.0f;
        if (node <= level)
            hold = disc * (p * value[node + 1] + (1.0f - p) * value[node]);
        __syncthreads();                   // read before write
        if (node <= level) {
            float s = o.spot * powf(up, 2.0f * node - level);
            value[node] = fmaxf(hold, o.strike - s);
        }
        __syncthreads();                   // write before the next level reads
    }
    __syncthreads();
    if (node == 0) price[blockIdx.x] = value[0];
}

int main(int argc, char** argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 31;
    unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], 0, 10) : 3u;
    if (steps < 1 || steps > 1023) { printf("steps must lie in 1..1023\n"); return 2; }
    const int options = 20;
    std::vector<Option> h(options);
    std::vector<float> got(options);
    srand(seed);
    for (auto& o : h) {
        o.spot = 80.0f + rand() % 40;
        o.strike = 85.0f + rand() % 30;
        o.vol = 0.30f + 0.01f * (rand() % 20);
    }
    Option* dOpt; float* dPrice;
    TRY(cudaMalloc(&dOpt, options * sizeof(Option)));
    TRY(cudaMalloc(&dPrice, options * sizeof(float)));
    TRY(cudaMemcpy(dOpt, h.data(), options * sizeof(Option), cudaMemcpyHostToDevice));
    int threads = (steps + 1 + 31) / 32 * 32;
    crrPut<<<options, threads>>>(dOpt, dPrice, steps);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(got.data(), dPrice, options * sizeof(float), cudaMemcpyDeviceToHost));

    double check = 0;
    std::vector<double> v(steps + 1);
    for (int k = 0; k < options; ++k) {
        double dt = 0.5 / steps, up = exp(h[k].vol * sqrt(dt)), dn = 1 / up;
        double disc = exp(-0.02 * dt), p = (1 / disc - dn) / (up - dn);
        for (int i = 0; i <= steps; ++i) v[i] = fmax(h[k].strike - h[k].spot * pow(up, 2.0 * i - steps), 0.0);
        for (int l = steps - 1; l >= 0; --l)
            for (int i = 0; i <= l; ++i)
                v[i] = fmax(disc * (p * v[i + 1] + (1 - p) * v[i]), h[k].strike - h[k].spot * pow(up, 2.0 * i - l));
        if (!(fabs(v[0] - got[k]) < 0.1)) { printf("FAIL option %d: %f %f\n", k, v[0], got[k]); return 1; }
        check += v[0];
    }
    TRY(cudaFree(dOpt)); TRY(cudaFree(dPrice));
    printf("PASS %.4f\n", check);
    return 0;
}
