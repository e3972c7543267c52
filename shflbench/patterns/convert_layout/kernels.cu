// Lane l with register r gets what lane r had in register l, as far as their lowest BITS bits go.
#include "layout.cuh"
#include "shflbench.cuh"

// A row of 32 words per lane. Word r of row l lies at r ^ l: 32 lanes use all banks, both when they write and when they read.
template <typename T>
__global__ void convert_layout_smem(const T* values, T* result, int iterations) {
    T* rows = shared<T>() + threadIdx.x / WARP * WARP * REGISTERS;
    Registers<T> own(values);
    REPEAT(iterations) {
        EACH_REGISTER(i) rows[lane() * REGISTERS + (i ^ lane())] = own.x[i];
        __syncwarp();
        EACH_REGISTER(i) own.x[i] = rows[lane_of(i) * REGISTERS + (register_of(i) ^ lane_of(i))];
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// The same with stores of four words, which stay together: they change places as a whole. Lanes that store together, 8 with
// 16 bytes each, use all banks; so do those that load, but for BITS = 1, where two lanes share each bank.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
    T word[4];
};
__device__ inline int place_of_four(int lane, int four) { return four ^ (lane & 7) ^ lane / 8 << (BITS > 2); }
template <typename T>
__global__ void convert_layout_smem_wide(const T* values, T* result, int iterations) {
    T* rows = shared<T>() + threadIdx.x / WARP * WARP * REGISTERS;
    Registers<T> own(values);
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < REGISTERS; i += 4) {
            const Four<T> four = {own.x[i], own.x[i + 1], own.x[i + 2], own.x[i + 3]};
            reinterpret_cast<Four<T>*>(rows + lane() * REGISTERS)[place_of_four(lane(), i / 4)] = four;
        }
        __syncwarp();
        EACH_REGISTER(i) {
            const int from = register_of(i);
            own.x[i] = rows[lane_of(i) * REGISTERS + place_of_four(lane_of(i), from / 4) * 4 + from % 4];
        }
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// Bit by bit: a lane keeps half of its registers, and exchanges the others with the lane that differs in this bit.
template <typename T>
__global__ void convert_layout_shfl_bits(const T* values, T* result, int iterations) {
    Registers<T> own(values);
    REPEAT(iterations) {
#pragma unroll
        for (int bit = 1; bit < SIDE; bit *= 2) {
            const bool upper = lane() & bit;
            EACH_REGISTER(i) {
                if (i & bit) continue;
                const T low = own.x[i], high = own.x[i | bit], got = shfl_xor(upper ? low : high, bit);
                own.x[i] = upper ? got : low;
                own.x[i | bit] = upper ? high : got;
            }
        }
        own.advance();
    }
    own.store(result);
}

// Register i of each lane changes places with register i ^ l of the same SIDE registers, where l are the bits of the lane.
template <typename T>
__device__ void xor_registers(T (&x)[REGISTERS]) {
#pragma unroll
    for (int bit = 1; bit < SIDE; bit *= 2) {
        EACH_REGISTER(i) {
            if (i & bit) continue;
            const T low = x[i], high = x[i | bit];
            x[i] = lane() & bit ? high : low;
            x[i | bit] = lane() & bit ? low : high;
        }
    }
}

// Partner by partner: in round k, lanes l and l ^ k exchange one register each, which both have put in the same place.
template <typename T>
__global__ void convert_layout_shfl_rounds(const T* values, T* result, int iterations) {
    Registers<T> own(values);
    REPEAT(iterations) {
        xor_registers(own.x);
        EACH_REGISTER(i) {
            if (i % SIDE) own.x[i] = shfl_xor(own.x[i], i % SIDE);
        }
        xor_registers(own.x);
        own.advance();
    }
    own.store(result);
}
