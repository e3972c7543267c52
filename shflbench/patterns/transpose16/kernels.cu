// A warp transposes four matrices of 8x8 elements of 16 bits, each of which lies in one register per lane.
#include "fragment.cuh"
#include "shflbench.cuh"

// The address of the row that a lane names to ldmatrix and stmatrix: lanes 8 * i to 8 * i + 7 name the rows of matrix i.
__device__ inline unsigned row_address(const unsigned* words) { return shared_address(words + lane() * 4); }

// Words are stored row by row, and loaded as columns.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_ldmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * MATRICES;
    Fragments<T> own(values);
    REPEAT(iterations) {
        EACH_MATRIX(i) words[i * WARP + lane()] = own.word[i];
        __syncwarp();
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(own.word[0]), "=r"(own.word[1]), "=r"(own.word[2]), "=r"(own.word[3])
                     : "r"(row_address(words)) : "memory");
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// Words are stored as columns, and loaded row by row.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_stmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * MATRICES;
    Fragments<T> own(values);
    REPEAT(iterations) {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                     :: "r"(row_address(words)), "r"(own.word[0]), "r"(own.word[1]), "r"(own.word[2]), "r"(own.word[3])
                     : "memory");
        __syncwarp();
        EACH_MATRIX(i) own.word[i] = words[i * WARP + lane()];
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// One instruction for each matrix, in registers.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_movmatrix(const T* values, T* result, int iterations) {
    Fragments<T> own(values);
    REPEAT(iterations) {
        EACH_MATRIX(i) {
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(own.word[i]) : "r"(own.word[i]));
        }
        own.advance();
    }
    own.store(result);
}

// A lane gets the two words that have its elements, from lanes of two adjacent rows, and takes one half of each.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_shfl_prmt(const T* values, T* result, int iterations) {
    const int row = lane() / 4, even = lane() % 4 * 8 + row / 2, halves = row % 2 ? 0x7632 : 0x5410;
    Fragments<T> own(values);
    REPEAT(iterations) {
        EACH_MATRIX(i) {
            const unsigned first = shfl(own.word[i], even), second = shfl(own.word[i], even + 4);
            own.word[i] = __byte_perm(first, second, halves);
        }
        own.advance();
    }
    own.store(result);
}
