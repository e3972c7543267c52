// Right: each ray has samples of its own, a range that another kernel reserves by atomicAdd.
__global__ void reserve(const int *steps, int *rays, int *counter, int rays_count)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= rays_count) return;
    int first = atomicAdd(&counter[0], steps[n]);
    int place = atomicAdd(&counter[1], 1);
    rays[3 * place] = n;
    rays[3 * place + 1] = first;
    rays[3 * place + 2] = steps[n];
}

__global__ void composite(const int *rays, const float *sigma, const float *color, float *gradient, float *image,
                          int samples, int rays_count)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= rays_count) return;
    int index = rays[3 * n], first = rays[3 * n + 1], steps = rays[3 * n + 2];
    if (steps == 0 || first + steps > samples) return;
    float seen = 1.f, sum = 0.f;
    for (int step = 0; step < steps; step++) {
        float alpha = 1.f - __expf(-sigma[first + step]);
        sum += seen * alpha * color[first + step];
        gradient[first + step] = seen * alpha;
        seen *= 1.f - alpha;
    }
    image[index] = sum;
}

__global__ void composite_packed(const int *first, const int *steps, const float *sigma, float *gradient, int rays_count)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= rays_count) return;
    for (int step = 0; step < steps[n]; step++) gradient[first[n] + step] = n + sigma[first[n] + step];
}

// Wrong for all rays: each also writes the first sample of the next one.
__global__ void composite_beyond(const int *rays, const float *sigma, float *gradient, int rays_count)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= rays_count) return;
    int first = rays[3 * n + 1], steps = rays[3 * n + 2];
    for (int step = 0; step <= steps; step++) gradient[first + step] = n + sigma[first + step];
}
