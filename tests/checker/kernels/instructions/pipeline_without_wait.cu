// broken: RAW
// launch: 1x64

#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void k(const int *in, int *out) {
    __shared__ int values[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    int t = threadIdx.x;
    for (int i = 0; i < 5; i++) {
        if (i < 4) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&values[i % 2][t], in + 64 * i + t, sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        if (i == 0) continue;
        out[64 * (i - 1) + t] = values[(i - 1) % 2][63 - t];
        pipeline.consumer_release();
    }
}
