// sound
// launch: 1x32

__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int rows[8][4];
    rows[threadIdx.x / 4][threadIdx.x % 4] = in[threadIdx.x];
    __syncwarp();
    unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(rows[threadIdx.x % 8])), word;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row) : "memory");
    out[threadIdx.x] = word;
}
