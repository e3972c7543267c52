// The result by cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "operation.cuh"
#include "shflbench.cuh"

namespace cg = cooperative_groups;

#if OPTION_OP_MIN
using Operation = cg::less<int>;
#elif OPTION_OP_MAX
using Operation = cg::greater<int>;
#elif OPTION_OP_AND
using Operation = cg::bit_and<int>;
#elif OPTION_OP_OR
using Operation = cg::bit_or<int>;
#elif OPTION_OP_XOR
using Operation = cg::bit_xor<int>;
#else
using Operation = cg::plus<int>;
#endif

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_cg(const T* values, T* result, int iterations) {
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, cg::reduce(warp, contribution(x), Operation()));
    result[thread()] = x;
}
