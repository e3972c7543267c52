// A warp transposes two matrices of 16x16 elements of 8 bits, each of which lies in two registers per lane.
#include "fragment.cuh"
#include "shflbench.cuh"

// Two elements of a column become 16 bits. Two matrices of 8x8 such pairs, of columns 0 and 2, and of columns 1 and 3 of each
// four: if these are transposed, each word has four elements of one column.
template <typename T>
__device__ void pair_rows(Fragments<T>& own) {
    EACH_MATRIX(i) {
        const unsigned first = own.word[2 * i], second = own.word[2 * i + 1];
        own.word[2 * i] = __byte_perm(first, second, 0x6240);
        own.word[2 * i + 1] = __byte_perm(first, second, 0x7351);
    }
}

// The address of the row that a lane names to ldmatrix and stmatrix: lanes 8 * i to 8 * i + 7 name the rows of word i.
__device__ inline unsigned row_address(const unsigned* words) { return shared_address(words + lane() * 4); }

// Words are stored row by row, and loaded as columns.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_ldmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * WORDS;
    Fragments<T> own(values);
    REPEAT(iterations) {
        pair_rows(own);
        EACH_WORD(i) words[i * WARP + lane()] = own.word[i];
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
__global__ void LAUNCH_BOUNDS transpose8_stmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * WORDS;
    Fragments<T> own(values);
    REPEAT(iterations) {
        pair_rows(own);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                     :: "r"(row_address(words)), "r"(own.word[0]), "r"(own.word[1]), "r"(own.word[2]), "r"(own.word[3])
                     : "memory");
        __syncwarp();
        EACH_WORD(i) own.word[i] = words[i * WARP + lane()];
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// One instruction for each word, in registers.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_movmatrix(const T* values, T* result, int iterations) {
    Fragments<T> own(values);
    REPEAT(iterations) {
        pair_rows(own);
        EACH_WORD(i) {
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(own.word[i]) : "r"(own.word[i]));
        }
        own.advance();
    }
    own.store(result);
}

// A lane has two words of 2x2 elements for two other lanes, and gets two such words from lanes of two adjacent rows. Lanes of
// odd rows send their words in reverse order, so that each lane gets one word per shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_shfl_prmt(const T* values, T* result, int iterations) {
    const int row = lane() / 4, column = lane() % 4 * 8 + row / 2;
    const bool odd = row % 2;
    const int from = column + 4 * odd, then_from = column + 4 * !odd;
    const int left = odd ? 0x7362 : 0x5140, right = odd ? 0x5140 : 0x7362;   // of the elements that are sent
    const int upper = odd ? 0x1054 : 0x5410, lower = odd ? 0x3276 : 0x7632;  // of those that have arrived
    Fragments<T> own(values);
    REPEAT(iterations) {
        EACH_MATRIX(i) {
            const unsigned first = own.word[2 * i], second = own.word[2 * i + 1];
            const unsigned got = shfl(__byte_perm(first, second, left), from);
            const unsigned then_got = shfl(__byte_perm(first, second, right), then_from);
            own.word[2 * i] = __byte_perm(got, then_got, upper);
            own.word[2 * i + 1] = __byte_perm(got, then_got, lower);
        }
        own.advance();
    }
    own.store(result);
}
