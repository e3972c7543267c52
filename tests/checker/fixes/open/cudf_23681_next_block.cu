// broken: WAR lane 0 advances a position in shared memory that other lanes of the warp have not read yet
// fixed: clean
// launch: 2x32
// source: https://github.com/NVIDIA/cudf/pull/23681
// Written anew after the thread: no code of it.
// A warp decodes one part per pass. All lanes read where it begins, and lane 0 sets up the next one.
// The fix: __syncwarp() before lane 0 does so.
// Left out: Parquet; a part has 32 values.
constexpr int PASSES = 3;

__global__ void decode(const int *in, int *out) {
    __shared__ int position;
    int lane = threadIdx.x, page = blockIdx.x * PASSES * 32;
    if (lane == 0) position = 0;
    __syncwarp();
    for (int pass = 0; pass < PASSES; pass++) {
        int i = page + position + lane;  // earlier
        out[i] = in[i] / 2;
#ifdef FIXED
        __syncwarp();
#endif
        if (lane == 0) position = 32 * (pass + 1);  // later
        __syncwarp();
    }
}
