// Number of ways (mod 2^32) to pay every amount 0..n with a set of coins; one block per purse.
// For one coin c the amounts fall into c residue classes that do not touch each other: a thread each.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define N_MAX 8191
#define PURSES 12
#define COINS 4
#define NTHREADS 256

static void guard(cudaError_t e, int line) { if (e) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define G(x) guard(x, __LINE__)

__global__ void countWays(const int* coins, unsigned* ways, int n)
{
    __shared__ unsigned dp[N_MAX + 1];

    for (int a = threadIdx.x; a <= n; a += NTHREADS)
        dp[a] = a == 0;
    __syncthreads();

    for (int k = 0; k < COINS; ++k) {
        const int c = coins[blockIdx.x * COINS + k];
        for (int r = threadIdx.x; r < c; r += NTHREADS)
            for (int a = r + c; a <= n; a += c)
                dp[a] += dp[a - c];
        __syncthreads();
    }

    __syncthreads();   // all coins done
    for (int a = threadIdx.x; a <= n; a += NTHREADS)
        ways[blockIdx.x * (n + 1) + a] = dp[a];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (n <= 0 || n > N_MAX) { fprintf(stderr, "largest amount: 1..%d\n", N_MAX); return 2; }

    // seed 0: everyday small change; other seeds: odd currencies with coins up to 400
    int coins[PURSES * COINS];
    const int everyday[COINS] = { 1, 2, 5, 10 };
    srand(seed);
    for (int i = 0; i < PURSES * COINS; ++i)
        coins[i] = seed == 0 ? everyday[i % COINS] + i / COINS : 1 + rand() % 400;

    size_t total = (size_t)PURSES * (n + 1);
    int* dCoins; unsigned* dWays;
    G(cudaMalloc(&dCoins, sizeof coins));
    G(cudaMalloc(&dWays, total * sizeof(unsigned)));
    G(cudaMemcpy(dCoins, coins, sizeof coins, cudaMemcpyHostToDevice));
    countWays<<<PURSES, NTHREADS>>>(dCoins, dWays, n);
    G(cudaGetLastError());
    std::vector<unsigned> got(total), dp(n + 1);
    G(cudaMemcpy(got.data(), dWays, total * sizeof(unsigned), cudaMemcpyDeviceToHost));

    unsigned long long sum = 0;
    for (int p = 0; p < PURSES; ++p) {
        memset(dp.data(), 0, dp.size() * sizeof(unsigned));
        dp[0] = 1;
        for (int k = 0; k < COINS; ++k)
            for (int c = coins[p * COINS + k], a = c; a <= n; ++a) dp[a] += dp[a - c];
        for (int a = 0; a <= n; ++a) {
            if (dp[a] != got[(size_t)p * (n + 1) + a]) { printf("FAIL purse %d amount %d\n", p, a); return 1; }
            sum += dp[a];
        }
    }
    printf("PASS %llu\n", sum);
    G(cudaFree(dCoins)); G(cudaFree(dWays));
    return 0;
}
