// More bytes in flight: of f32, for whole blocks of 128 threads or more.
#include "bulk.cuh"
#include "five_point.cuh"

constexpr int AHEAD = 8192;  // blocks: later than they start while a load takes its time
constexpr int AT_ONCE = 8;  // blocks for which one of them asks

__device__ inline bool has_a_mean(int i, int count) { return i > 1 && i < count - 2; }

// Every eighth block asks for the elements of eight later ones, so that their loads find them in L2.
template <typename T>
__device__ void ask_for_later(const T* x, int count) {
    if (threadIdx.x != 0 || blockIdx.x % AT_ONCE != 0) return;
    const int later = blockIdx.x + AHEAD;
    if (later + AT_ONCE > count / int(blockDim.x)) return;
    prefetch_bytes(x + later * blockDim.x, AT_ONCE * blockDim.x * sizeof(T));
}

template <typename T>
__device__ void one_mean(const T* x, T* y, int count) {
    const int i = thread();
    if (i < count) y[i] = has_a_mean(i, count) ? mean(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]) : T(0);
}

// `global`, and the elements are in L2 already.
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_prefetch(const T* x, T* y, int count) {
    ask_for_later(x, count);
    one_mean(x, y, count);
}

// The same by a prefetch of each sector of 32 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_prefetch_sectors(const T* x, T* y, int count) {
    const int later = thread() + AHEAD * blockDim.x;
    if (threadIdx.x % 8 == 0 && later < count) prefetch_line(x + later);
    one_mean(x, y, count);
}

// Four elements and two on either side: three loads, of 16 and of 8 bytes, whose overlapping parts come from L1.
struct Four {
    float v[8];
    int first;

    __device__ void load(const float* x, int at, int count) {
        first = at;
        if (first >= 2 && first + 6 <= count) {
            const float2 before = *reinterpret_cast<const float2*>(x + first - 2);
            const float4 own = *reinterpret_cast<const float4*>(x + first);
            const float2 after = *reinterpret_cast<const float2*>(x + first + 4);
            v[0] = before.x, v[1] = before.y, v[2] = own.x, v[3] = own.y;
            v[4] = own.z, v[5] = own.w, v[6] = after.x, v[7] = after.y;
        } else {
#pragma unroll
            for (int j = 0; j < 8; ++j) v[j] = first - 2 + j >= 0 && first - 2 + j < count ? x[first - 2 + j] : 0.0f;
        }
    }
    __device__ float of(int j, int count) const {
        return has_a_mean(first + j, count) ? mean(v[j], v[j + 1], v[j + 2], v[j + 3], v[j + 4]) : 0.0f;
    }
    __device__ void store(float* y, int count) const {
        if (first + 4 <= count) {
            *reinterpret_cast<float4*>(y + first) = make_float4(of(0, count), of(1, count), of(2, count), of(3, count));
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) if (first + j < count) y[first + j] = of(j, count);
        }
    }
};

// A quarter of the threads of a block have four elements each; the other warps end at once.
__device__ inline void quarter(const float* x, float* y, int count) {
    Four mine;
    mine.load(x, blockIdx.x * blockDim.x + 4 * threadIdx.x, count);
    mine.store(y, count);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_quarter(const T* x, T* y, int count) {
    if (threadIdx.x < blockDim.x / 4) quarter(x, y, count);
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_quarter_prefetch(const T* x, T* y, int count) {
    if (threadIdx.x >= blockDim.x / 4) return;
    ask_for_later(x, count);
    quarter(x, y, count);
}

// As x-quarter, but the halo comes from shuffles, and from two loads at the edges of a warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_quarter_shfl(const T* x, T* y, int count) {
    if (threadIdx.x / WARP >= blockDim.x / 4 / WARP) return;
    const int first = blockIdx.x * blockDim.x + 4 * threadIdx.x;
    Four mine;
    mine.first = first;
    float4 own = make_float4(0, 0, 0, 0);
    if (first + 4 <= count) own = *reinterpret_cast<const float4*>(x + first);
    else if (first < count) {
        own.x = x[first];
        if (first + 1 < count) own.y = x[first + 1];
        if (first + 2 < count) own.z = x[first + 2];
    }
    float2 edge = make_float2(0, 0);
    if (lane() == 0 && first >= 2) edge = *reinterpret_cast<const float2*>(x + first - 2);
    if (lane() == WARP - 1) {
        if (first + 4 < count) edge.x = x[first + 4];
        if (first + 5 < count) edge.y = x[first + 5];
    }
    const float2 before = shfl_up(make_float2(own.z, own.w), 1), after = shfl_down(make_float2(own.x, own.y), 1);
    mine.v[0] = lane() == 0 ? edge.x : before.x, mine.v[1] = lane() == 0 ? edge.y : before.y;
    mine.v[2] = own.x, mine.v[3] = own.y, mine.v[4] = own.z, mine.v[5] = own.w;
    mine.v[6] = lane() == WARP - 1 ? edge.x : after.x, mine.v[7] = lane() == WARP - 1 ? edge.y : after.y;
    mine.store(y, count);
}

// Every fourth block does the work of four, with four elements per thread; the others end at once.
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_every_4th(const T* x, T* y, int count) {
    if (blockIdx.x % 4 == 0) quarter(x, y, count);
}

// Every eighth block does the work of eight.
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_every_8th(const T* x, T* y, int count) {
    if (blockIdx.x % 8 != 0) return;
    Four a, b;
    const int first = blockIdx.x * blockDim.x + 4 * threadIdx.x;
    a.load(x, first, count);
    b.load(x, first + 4 * blockDim.x, count);
    a.store(y, count);
    b.store(y, count);
}

// Every fourth block does the work of four; another one of the four asks for the elements of later ones.
template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_x_every_4th_prefetch(const T* x, T* y, int count) {
    constexpr int FOUR = 4;
    const int role = blockIdx.x % FOUR;
    if (role == 0) quarter(x, y, count);
    const int later = blockIdx.x - role + AHEAD;
    if (role == 2 && threadIdx.x == 0 && later + FOUR <= count / int(blockDim.x)) {
        prefetch_bytes(x + later * blockDim.x, FOUR * blockDim.x * sizeof(T));
    }
}
