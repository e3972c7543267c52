// The type of the table follows from a member function of an alias of a class template. No hazard.
template <class K>
class Table {
  K *keys;
 public:
  class View {
    K *keys;
   public:
    __host__ __device__ View(K *k) : keys(k) {}
    __device__ K &at(int i) { return keys[i]; }
  };
  Table(K *k) : keys(k) {}
  __host__ __device__ View view() { return View(keys); }
  int size();
};
using Table32 = Table<int>;

template <typename V, typename T>
__global__ void fill(V view, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { view.at(i) = i; out[i] = 2 * i; }
}

void run(Table32 &table, float *out) {
  fill<<<2, 64>>>(table.view(), out, 128);
}

int main() {
  int *keys; float *out;
  cudaMalloc(&keys, 128 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(float));
  Table32 table(keys);
  run(table, out);
}
