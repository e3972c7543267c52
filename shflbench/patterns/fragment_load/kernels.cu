// A warp loads 16 matrices of 8x8 elements of 16 bits from a tile in shared memory, one register per lane and matrix.
#include "shflbench.cuh"
#include "tiles.cuh"

// A lane's words of four matrices at once.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_128(const T* values, int* result, int iterations) {
    using Rows = Layout<16>;
    const char* tiles = tiles_by_rows<16>(values);
    const int first = Rows::row(first_row() + lane() / 4) + lane() % 4 * 16;
    Fragments own;
    REPEAT(iterations) {
        const int from = own.tile * Rows::TILE + first;
        EACH_MATRIX(i) {
            if (column_of(i) % 4) continue;
            const uint4 words = *reinterpret_cast<const uint4*>(tiles + Rows::matrix(from, i));
            own.word[i] = words.x;
            own.word[i + 2] = words.y;
            own.word[i + 4] = words.z;
            own.word[i + 6] = words.w;
        }
        own.use();
    }
    own.store(result);
}

// A lane's words of two matrices at once.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_64(const T* values, int* result, int iterations) {
    using Rows = Layout<8>;
    const char* tiles = tiles_by_rows<8>(values);
    const int first = Rows::row(first_row() + lane() / 4) + lane() % 4 * 8;
    Fragments own;
    REPEAT(iterations) {
        const int from = own.tile * Rows::TILE + first;
        EACH_MATRIX(i) {
            if (column_of(i) % 2) continue;
            const uint2 words = *reinterpret_cast<const uint2*>(tiles + Rows::matrix(from, i));
            own.word[i] = words.x;
            own.word[i + 2] = words.y;
        }
        own.use();
    }
    own.store(result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_32(const T* values, int* result, int iterations) {
    using Rows = Layout<4>;
    const char* tiles = tiles_by_rows<4>(values);
    const int first = Rows::row(first_row() + lane() / 4) + lane() % 4 * 4;
    Fragments own;
    REPEAT(iterations) {
        const int from = own.tile * Rows::TILE + first;
        EACH_MATRIX(i) own.word[i] = *reinterpret_cast<const unsigned*>(tiles + Rows::matrix(from, i));
        own.use();
    }
    own.store(result);
}

// Lanes 0 to 7 name the rows of the matrix.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_ldmatrix_x1(const T* values, int* result, int iterations) {
    using Rows = Layout<4>;
    const unsigned tiles = shared_address(tiles_by_rows<4>(values));
    const int first = Rows::row(first_row() + lane() % 8);
    Fragments own;
    REPEAT(iterations) {
        const int from = own.tile * Rows::TILE + first;
        EACH_MATRIX(i) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                         : "=r"(own.word[i]) : "r"(tiles + Rows::matrix(from, i)) : "memory");
        }
        own.use();
    }
    own.store(result);
}

// Lanes 8 * i to 8 * i + 7 name the rows of matrix i of four.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_ldmatrix_x4(const T* values, int* result, int iterations) {
    using Rows = Layout<4>;
    const unsigned tiles = shared_address(tiles_by_rows<4>(values));
    const int first = Rows::matrix(Rows::row(first_row() + lane() % 8), lane() / 8);
    Fragments own;
    REPEAT(iterations) {
        const int from = own.tile * Rows::TILE + first;
#pragma unroll
        for (int i = 0; i < MATRICES; i += 4) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(own.word[i]), "=r"(own.word[i + 1]), "=r"(own.word[i + 2]), "=r"(own.word[i + 3])
                         : "r"(tiles + Rows::matrix(from, i)) : "memory");
        }
        own.use();
    }
    own.store(result);
}

// From transposed tiles: lanes 8 * i to 8 * i + 7 name the columns of matrix i of four, which lie in rows.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_ldmatrix_x4_trans(const T* values, int* result, int iterations) {
    using Columns = Layout<4>;
    const unsigned tiles = shared_address(tiles_by_columns(values));
    const int matrix = lane() / 8, column = column_of(matrix) * 8 + lane() % 8;
    const int first = Columns::unit(Columns::row(column), first_row() / 8 + half_of(matrix));
    Fragments own;
    REPEAT(iterations) {
        const int from = own.tile * Columns::TILE + first;
#pragma unroll
        for (int i = 0; i < MATRICES; i += 4) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(own.word[i]), "=r"(own.word[i + 1]), "=r"(own.word[i + 2]), "=r"(own.word[i + 3])
                         : "r"(tiles + from + column_of(i) * Columns::EIGHT_ROWS) : "memory");
        }
        own.use();
    }
    own.store(result);
}
