// broken: RAW threads read the times of images that other threads have not loaded into shared memory yet
// fixed: clean
// launch: 2x64
// source: https://github.com/dirac-institute/kbmod/pull/108
// Written anew after the thread: no code of it.
// A thread loads the time of one image, and then follows its trajectory through all of them.
// The fix: a barrier behind the loads.
// Left out: images, likelihoods, the sort of results.
constexpr int IMAGES = 48;

__global__ void search(const float *image_times, const float *velocities, float *result) {
    __shared__ float times[IMAGES];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t < IMAGES) times[t] = image_times[t];  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    float sum = 0;
    for (int image = 0; image < IMAGES; image++) sum += floorf(velocities[i] * times[image]);  // later
    result[i] = sum;
}
