// A race: a red node writes its own state and that of the blue node that chose it, and other threads read both.
#define THREADS 256

__global__ void propose(long long *state, long long *chosen, const long long *row, const long long *to, long long n)
{
    const long long u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n || state[u] != -1) return;
    bool has_partner = false;
    for (long long e = row[u]; e < row[u + 1]; e++) {
        const long long v = to[e];
        if (state[v] < 0) has_partner = true;
        if (state[v] == -2) {
            chosen[u] = v;
            break;
        }
    }
    if (!has_partner) state[u] = u;  // no neighbor reads it: all neighbors are matched
}

__global__ void respond(long long *state, const long long *chosen, const long long *row, const long long *to,
                        long long n)
{
    const long long u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n || state[u] != -2) return;
    for (long long e = row[u]; e < row[u + 1]; e++) {
        const long long v = to[e];
        if (state[v] == -1 && chosen[v] == u) {
            state[u] = min(u, v);
            state[v] = min(u, v);
            break;
        }
    }
}

void match(long long *state, long long *chosen, const long long *row, const long long *to, long long n)
{
    propose<<<(n + THREADS - 1) / THREADS, THREADS>>>(state, chosen, row, to, n);
    respond<<<(n + THREADS - 1) / THREADS, THREADS>>>(state, chosen, row, to, n);
}
