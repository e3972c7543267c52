// broken: threads without an atom leave the loop, while others of their warp still execute its barriers
// fixed: clean
// launch: 2x64
// source: https://github.com/proteneer/timemachine/pull/1218
// Written anew after the thread: no code of it.
// A block adds up the energies of a target with all atoms: each thread takes every 64th atom, and each round has barriers. There are
// 100 atoms, so that the second round is for 36 threads; the others go on to the next target.
// The fix: all threads execute each round, those without an atom with an energy of zero.
// Left out: forces, precision.
constexpr int ATOMS = 100;
constexpr int TARGETS = 2;

__global__ void target_energies(const float *positions, const float *targets, float *energies) {
    __shared__ float of_block[64];
    int t = threadIdx.x;
    for (int target = blockIdx.x * TARGETS; target < (blockIdx.x + 1) * TARGETS; target++) {
        float sum = 0;
#ifdef FIXED
        for (int first = 0; first < ATOMS; first += 64) {
            int atom = first + t;
#else
        for (int atom = t; atom < ATOMS; atom += 64) {
#endif
            of_block[t] = atom < ATOMS ? positions[atom] - targets[target] : 0;
            __syncthreads();  // later
            for (int width = 32; width > 0; width /= 2) {
                if (t < width) of_block[t] += of_block[t + width];
                __syncthreads();
            }
            if (t == 0) sum += of_block[0];
        }
        if (t == 0) energies[target] = sum;
    }
}
