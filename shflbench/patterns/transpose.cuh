// Transpose a tile of 32 x M words in the registers of a warp, M words per lane, by M shuffles.
//
// Striped: register i of lane l holds word 32 * i + l of the tile, as after a coalesced load.
// Blocked: register i of lane l holds word M * l + i, so that each lane has M consecutive words.
//
// In a shuffle each lane chooses the lane that it reads, but all lanes send the same register. So M shuffles
// are enough if the lanes first put their words into the order in which they are read. The distance that a
// word has to move differs from lane to lane, and a register cannot be chosen at run time (the words would
// go to local memory): a word moves in conditional steps of 1, 2, 4, ... registers.
// The method is that of trove: Catanzaro, Keller, Garland, "A decomposition for in-place matrix
// transposition", PPoPP 2014. Here the registers are rows of C columns, where C is the greatest common
// divisor of M and 32: xor moves words within a row, a rotation moves them between rows.
//
// Why all lanes read different lanes: in the shuffle of `row` and `column` lane l gets its word number
// C * row + (column ^ l / GROUP), which is held by lane (M * l + that) % 32. Its remainder modulo C gives
// l / GROUP, and the quotient gives l % GROUP, because M / C is odd.
#pragma once
#include "shflbench.cuh"

// The smallest x with value * x = 1, modulo `modulus`.
__device__ constexpr int inverse(int value, int modulus) {
    int x = 0;
    while (value * x % modulus != 1 % modulus) ++x;
    return x;
}

template <typename T, int M>
struct Transpose {
    static_assert(sizeof(T) == 4 && 1 <= M && M <= WARP, "at most 32 words of 32 bits per lane");
    static constexpr int C = M & -M;        // the greatest common divisor of M and 32
    static constexpr int ROWS = M / C;      // an odd number
    static constexpr int GROUP = WARP / C;  // lanes in a row that read, in one shuffle, lanes that are C apart

    static __device__ void striped_to_blocked(T (&x)[M]) {
        T y[M];
#pragma unroll
        for (int i = 0; i < M; ++i) y[i] = x[place(i)];
        rotate_rows(y, lane() / C % ROWS);
        xor_columns(y, lane() % C);
        const int first = lane() * M + lane() / GROUP;  // a shuffle takes lanes modulo 32
#pragma unroll
        for (int i = 0; i < M; ++i) x[i] = shfl(y[i], (first + i / C * C) ^ (i % C));
        xor_columns(x, lane() / GROUP);
    }

    static __device__ void blocked_to_striped(T (&x)[M]) {
        T y[M];
        constexpr int BACK = inverse(ROWS, GROUP);
        const int group = lane() % C * GROUP, last = lane() / C * BACK;
        xor_columns(x, lane() / GROUP);
#pragma unroll
        for (int i = 0; i < M; ++i) {
            const int in_group = (last + (WARP - i / C) * BACK) % GROUP;
            y[i] = shfl(x[i], (group + in_group) ^ (i % C * GROUP));
        }
        xor_columns(y, lane() % C);
        rotate_rows(y, (WARP * ROWS - lane() / C) % ROWS);
#pragma unroll
        for (int i = 0; i < M; ++i) x[place(i)] = y[i];
    }

  private:
    // The striped register that lane 0 sends i-th. Renaming registers equally in all lanes costs nothing.
    static __device__ constexpr int place(int i) { return i % C * ROWS + i / C * inverse(GROUP, ROWS) % ROWS; }

    static __device__ void rotate_rows(T (&x)[M], int by) {
#pragma unroll
        for (int step = 1; step < ROWS; step *= 2) {
            T old[M];
#pragma unroll
            for (int i = 0; i < M; ++i) old[i] = x[i];
#pragma unroll
            for (int i = 0; i < M; ++i) x[i] = by & step ? old[(i + M - step * C) % M] : old[i];
        }
    }

    static __device__ void xor_columns(T (&x)[M], int by) {
#pragma unroll
        for (int bit = 1; bit < C; bit *= 2) {
#pragma unroll
            for (int i = 0; i < M; ++i) {
                if (i & bit) continue;
                const T low = x[i], high = x[i | bit];
                x[i] = by & bit ? high : low;  // no `if`: it would become a branch on some architectures
                x[i | bit] = by & bit ? low : high;
            }
        }
    }
};
