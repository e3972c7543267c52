// A race in every step of the reduction: thread t reads best[t + i] while thread t + i replaces it.
#define THREADS 256

__global__ void farthest(const float *distance, const long long *begin, const long long *sampled, long long *out)
{
    __shared__ float best[THREADS];
    __shared__ long long index[THREADS];
    const int t = threadIdx.x;
    const long long first = begin[blockIdx.x], last = begin[blockIdx.x + 1];
    for (long long m = sampled[blockIdx.x] + 1; m < sampled[blockIdx.x + 1]; m++) {
        __syncthreads();
        float most = -1.f;
        long long at = 0;
        for (long long n = first + t; n < last; n += THREADS) {
            if (distance[n] * distance[n] > most) {
                most = distance[n] * distance[n];
                at = n;
            }
        }
        best[t] = most;
        index[t] = at;
        for (int i = 1; i < THREADS; i *= 2) {
            __syncthreads();
            if (t + i < THREADS && best[t] < best[t + i]) {
                best[t] = best[t + i];
                index[t] = index[t + i];
            }
        }
        __syncthreads();
        if (t == 0) out[m] = index[0];
    }
}

void farthest_of_all(int ranges, const float *distance, const long long *begin, const long long *sampled,
                     long long *out)
{
    farthest<<<ranges, THREADS>>>(distance, begin, sampled, out);
}
