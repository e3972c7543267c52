// Sound: the functor and its arguments are packed into one kernel, as in fused optimizers.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
template <int n> struct TensorListMetadata {
    void *addresses[n][30];
    int sizes[30];
    unsigned char block_to_tensor[320];
    int block_to_chunk[320];
    int start_tensor_this_launch;
};
template <typename T, typename U, typename... ArgTypes>
__global__ void multi_tensor_apply_kernel(int64_t chunk_size, volatile int *noop_flag, T tl, U callable, ArgTypes... args) {
    callable(chunk_size, noop_flag, tl, args...);
}
template <int depth, typename T, typename... ArgTypes>
void multi_tensor_apply(int64_t block_size, int64_t chunk_size, const at::Tensor &noop_flag,
                        const std::vector<std::vector<at::Tensor>> &tensor_lists, T callable, ArgTypes... args) {
    TensorListMetadata<depth> tl;
    auto stream = at::cuda::getCurrentCUDAStream();
    int loc_block_info = 1;
    multi_tensor_apply_kernel<<<loc_block_info, block_size, 0, stream>>>(chunk_size, noop_flag.data_ptr<int>(), tl, callable, args...);
}
#define BLOCK_SIZE 512
template <typename in_t, typename out_t>
struct ScaleFunctor {
    __device__ __forceinline__ void operator()(int chunk_size, volatile int *noop_gmem, TensorListMetadata<2> &tl, float scale) {
        int tensor_loc = tl.block_to_tensor[blockIdx.x];
        int chunk_idx = tl.block_to_chunk[blockIdx.x];
        int n = tl.sizes[tensor_loc];
        in_t *in = (in_t *)tl.addresses[0][tensor_loc];
        in += chunk_idx * chunk_size;
        out_t *out = (out_t *)tl.addresses[1][tensor_loc];
        out += chunk_idx * chunk_size;
        n -= chunk_idx * chunk_size;
        for (int i = threadIdx.x; i < n && i < chunk_size; i += blockDim.x) out[i] = (out_t)(in[i] * scale);
    }
};
void multi_tensor_scale_cuda(int chunk_size, at::Tensor noop_flag, std::vector<std::vector<at::Tensor>> tensor_lists, float scale) {
    multi_tensor_apply<2>(BLOCK_SIZE, chunk_size, noop_flag, tensor_lists, ScaleFunctor<float, float>(), scale);
}
