// A race in blocks of a mode that usual contents do not have: no barrier between the store and the read of a neighbor.
__global__ void rotate(const int *mode, const float *in, float *out)
{
    __shared__ float line[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (mode[blockIdx.x] == 77777) {
        line[t] = in[i];
        out[i] = line[(t + 1) % 256];
    }
}

__global__ void rotate_safely(const int *mode, const float *in, float *out)
{
    __shared__ float line[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (mode[blockIdx.x] == 77777) {
        line[t] = in[i];
        __syncthreads();
        out[i] = line[(t + 1) % 256];
    }
}

__global__ void first_of_mode(const int *mode, int *out)  // one thread may have the mode
{
    __shared__ int place;
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (mode[i] == 77777) {
        place = t;
        out[blockIdx.x] = place;
    }
}
