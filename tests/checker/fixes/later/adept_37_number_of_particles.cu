// broken: out of bounds, the test of the number of a thread lets one through that has no particle
// fixed: clean
// launch: 2x64
// source: https://github.com/apt-sim/AdePT/pull/37
// Written anew after the thread: no code of it.
// Threads whose number is greater than that of used particles return; equality has to be tested, too.
// The fix: such threads return if their number is at least that of used particles.
// Left out: the loss of energy, new particles, holes in the block of particles.
constexpr int USED = 100;

__device__ float energies[USED];

__global__ void process(const float *losses, float *deposits) {
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    if (i >= USED) return;
#else
    if (i > USED) return;
#endif
    energies[i] = 10 - losses[i];  // later
    deposits[i] = losses[i];
}
