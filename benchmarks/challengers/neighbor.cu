// Challengers of `neighbor`, mode idx: each lane takes the value of the next lane.
#include "shflbench.cuh"

#if !OPTION_MODE_IDX
#error only mode=idx
#endif

// Two buffers: one barrier per iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS my_neighbor_x_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x, source = first_of_warp() + (lane() + 1) % WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        now[mine] = x;
        __syncwarp();
        x = now[source];
        swap(now, next);
    }
    result[thread()] = x;
}

// The store moves the value, not the load.
template <typename T>
__global__ void LAUNCH_BOUNDS my_neighbor_x_smem_push(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x, target = first_of_warp() + (lane() + WARP - 1) % WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        now[target] = x;
        __syncwarp();
        x = now[mine];
        swap(now, next);
    }
    result[thread()] = x;
}

// The store of a warp as a matrix: row r, of 16 bytes, holds the words of lanes 4 r to 4 r + 3. Lane r has its address.
template <typename T>
__global__ void LAUNCH_BOUNDS my_neighbor_x_stmatrix(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    const int row = lane() % 8 * 4, source = (lane() + 1) % WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        unsigned bits;
        memcpy(&bits, &x, sizeof bits);
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"
                     :: "r"(shared_address(now + row)), "r"(bits) : "memory");
        __syncwarp();
        x = now[source];
        swap(now, next);
    }
    result[thread()] = x;
}

// The load as a matrix.
template <typename T>
__global__ void LAUNCH_BOUNDS my_neighbor_x_ldmatrix(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    const int row = lane() % 8 * 4, target = (lane() + WARP - 1) % WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        now[target] = x;
        __syncwarp();
        unsigned bits;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(bits) : "r"(shared_address(now + row)) : "memory");
        memcpy(&x, &bits, sizeof x);
        swap(now, next);
    }
    result[thread()] = x;
}

// One of four through shared memory, if that is another unit than the one for shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_neighbor_x_shfl_or_smem(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    const int source = (lane() + 1) % WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        if (iteration % 4 == 3) {
            now[lane()] = x;
            __syncwarp();
            x = now[source];
            swap(now, next);
        } else {
            x = shfl(x, source);
        }
    }
    result[thread()] = x;
}
