// How often a GPU shows what a missing order between dependent launches allows:
//   nvcc -arch=sm_90 dependent_launches.cu -o dependent_launches && ./dependent_launches 50000
#include <cstdio>
#include <cstdlib>

enum { TRIGGER = 1, WAIT = 2, TRIGGER_LATER = 4, EARLY_READ = 8, FENCE = 16, READ_ONLY = 32 };
const int DELAY = 40000;  // clocks

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

__device__ int load(const int *from, int how) {
    int value;
    if (how & READ_ONLY) asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(from));
    else asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}

__global__ void launch(int how, int delay, int *to, int value, const int *from, int *result) {
    int seen = 0;
    if (how & TRIGGER) cudaTriggerProgrammaticLaunchCompletion();
    if (to && (how & FENCE)) { *(volatile int *)to = value; __threadfence(); }
    if (from && (how & EARLY_READ)) seen = load(from, how);
    if (how & WAIT) cudaGridDependencySynchronize();
    if (how & TRIGGER_LATER) cudaTriggerProgrammaticLaunchCompletion();
    for (long long start = clock64(); clock64() - start < delay;) {}
    if (from && !(how & EARLY_READ)) seen = load(from, how);
    if (from && (how & EARLY_READ) && (how & READ_ONLY)) seen = load(from, how);  // again, behind the wait
    if (to && !(how & FENCE)) *to = value;
    if (result) *result = seen;
}

cudaStream_t stream;

void run(bool overlaps, int how, int delay, int *to, int value, const int *from, int *result) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlaps;
    check(cudaLaunchKernelEx(&config, launch, how, delay, to, value, from, result));
}

// The launch before: how it triggers. The launch between, if there is one. The last launch: how it reads or writes.
struct Case { const char *name; int first, between, last; bool overlaps, writes; };
const Case CASES[] = {
    {"read before the wait", TRIGGER, -1, EARLY_READ | WAIT, true, false},
    {"read without a wait, no trigger", 0, -1, EARLY_READ, true, false},
    {"read behind the wait", TRIGGER, -1, WAIT, true, false},
    {"fence before the trigger, no wait", FENCE | TRIGGER_LATER, -1, EARLY_READ, true, false},
    {"write before the wait, read behind the trigger", TRIGGER, -1, WAIT | FENCE, true, true},
    {"write before the wait, no trigger", 0, -1, WAIT | FENCE, true, true},
    {"between without a wait, last one waits", TRIGGER, TRIGGER, WAIT, true, false},
    {"between without a wait, last one does not overlap", TRIGGER, TRIGGER, 0, false, false},
    {"between triggers, then waits, last one reads early", TRIGGER, TRIGGER | WAIT, EARLY_READ | WAIT, true, false},
    {"between waits, then triggers, last one reads early", TRIGGER, WAIT | TRIGGER_LATER, EARLY_READ | WAIT, true, false},
    {"read-only loads before and behind the wait", TRIGGER, -1, EARLY_READ | WAIT | READ_ONLY, true, false},
    {"read-only load behind the wait", TRIGGER, -1, WAIT | READ_ONLY, true, false},
};

int main(int count, char **words) {
    int tries = count > 1 ? atoi(words[1]) : 1000, seen = 0, *data, *result;
    check(cudaMalloc(&data, sizeof(int)));
    check(cudaMalloc(&result, sizeof(int)));
    check(cudaStreamCreate(&stream));
    for (const Case &item : CASES) {
        int wrong = 0;
        check(cudaMemset(data, 0, sizeof(int)));
        for (int i = 1; i <= tries; i++) {
            if (item.writes) run(false, item.first, DELAY, nullptr, 0, data, result);
            else run(false, item.first, DELAY, data, i, nullptr, nullptr);
            if (item.between >= 0) run(true, item.between, 0, nullptr, 0, nullptr, nullptr);
            if (item.writes) run(true, item.last, 0, data, i, nullptr, nullptr);
            else run(item.overlaps, item.last, 0, nullptr, 0, data, result);
            check(cudaStreamSynchronize(stream));
            check(cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost));
            wrong += seen != (item.writes ? i - 1 : i);
        }
        printf("| %s | %d of %d |\n", item.name, wrong, tries);
    }
}
