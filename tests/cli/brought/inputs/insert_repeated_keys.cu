// Threads with equal keys write different values to one place in no order; the second comparison expects such keys.
typedef unsigned long long u64;
__global__ void insert(u64 *table_keys, int *table_vals, const u64 *keys, int n, int capacity)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;
    u64 key = keys[idx];
    int slot = key % capacity;
    while (true) {
        u64 prev = atomicCAS(&table_keys[slot], 0ull, key);
        if (prev == 0 || prev == key) {
            table_vals[slot] = idx + 1;
            return;
        }
        slot = (slot + 1) % capacity;
    }
}

__global__ void insert_once(u64 *table_keys, int *table_vals, const u64 *keys, int n, int capacity)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;
    u64 key = keys[idx];
    int slot = key % capacity;
    while (true) {
        u64 prev = atomicCAS(&table_keys[slot], 0ull, key);
        if (prev == 0) table_vals[slot] = idx + 1;
        if (prev == 0 || prev == key) return;
        slot = (slot + 1) % capacity;
    }
}

__global__ void scatter(int *out, const int *to, int n)  // by distinct indices, as is usual
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) out[to[idx]] = idx;
}
