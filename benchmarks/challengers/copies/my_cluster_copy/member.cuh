// The exchange of a member of the family: one choice of what moves the words, how wide, and how a block says that it
// has written or read them.
#pragma once
#include "cluster.cuh"
#include "words.cuh"

// Stores to the other block, loads from it, stores that count their bytes at a barrier, or bulk copies that do.
enum class Move { PUSH, PULL, ASYNC, BULK };
// A barrier of the cluster, also with a fence before a relaxed arrival; or each thread, a lane per warp, or one
// thread of the block arrives at a barrier in the memory of the other block.
enum class Sync { BARRIER, FENCED, THREADS, WARPS, ONCE };

// Moves a word to or from the shared memory of another block.
__device__ inline void push(unsigned to, unsigned word) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(to), "r"(word) : "memory");
}
__device__ inline void push(unsigned to, uint2 word) {
    asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" :: "r"(to), "r"(word.x), "r"(word.y) : "memory");
}
__device__ inline void push(unsigned to, uint4 word) {
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};"
                 :: "r"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w) : "memory");
}
__device__ inline void pull(unsigned& word, unsigned from) {
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
}
__device__ inline void pull(uint2& word, unsigned from) {
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "r"(from) : "memory");
}
__device__ inline void pull(uint4& word, unsigned from) {
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w) : "r"(from) : "memory");
}
__device__ inline void push_async(unsigned to, unsigned word, unsigned barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(to), "r"(word), "r"(barrier) : "memory");
}
__device__ inline void push_async(unsigned to, uint2 word, unsigned barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];"
                 :: "r"(to), "r"(word.x), "r"(word.y), "r"(barrier) : "memory");
}
__device__ inline void push_async(unsigned to, uint4 word, unsigned barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];"
                 :: "r"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w), "r"(barrier) : "memory");
}
__device__ inline void push_bulk(unsigned to, const void* from, int bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(to), "r"(shared_address(from)), "r"(bytes), "r"(barrier) : "memory");
}

// What threads did with the shared memory of their block before comes before bulk copies that start later.
__device__ inline void fence_before_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Arrivals at a barrier in the memory of the other block, and a wait for one here. IN_CLUSTER: with the scope of the
// cluster, as the memory model demands; otherwise with that of the block.
template <bool IN_CLUSTER>
__device__ void arrive_there(unsigned barrier) {
    if constexpr (IN_CLUSTER) {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(barrier) : "memory");
    } else {
        asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" :: "r"(barrier) : "memory");
    }
}
__device__ inline void arrive_there_expecting(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;"
                 :: "r"(barrier), "r"(bytes) : "memory");
}
template <bool IN_CLUSTER>
__device__ void wait_here(unsigned long long* barrier, unsigned parity) {
    if constexpr (IN_CLUSTER) return wait(barrier, parity);
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}

// A member. DOUBLE: two buffers in turn. MERGED: the arrival that says that a buffer has been read announces the
// bytes of the next store, too, at the barrier that counts them. PARTS: each warp copies the words that it has.
// Blocks of `cluster-copy` are whole warps of which the first WARPS have words.
template <Move MOVE_, int BITS, Sync SYNC_, bool DOUBLE_, bool MERGED_, bool PARTS_, bool IN_CLUSTER_ = true>
struct Choice {
    using Word = typename WordType<BITS>::type;
    using Own = Part<Word>;
    static constexpr Move MOVE = MOVE_;
    static constexpr Sync SYNC = SYNC_;
    static constexpr bool DOUBLE = DOUBLE_, MERGED = MERGED_, PARTS = PARTS_, IN_CLUSTER = IN_CLUSTER_;
    static constexpr bool MEETS = SYNC == Sync::BARRIER || SYNC == Sync::FENCED;  // at a barrier of the cluster
    static constexpr bool COUNTS = MOVE == Move::ASYNC || MOVE == Move::BULK;  // its bytes
    static constexpr int WARPS = (Own::THREADS + WARP - 1) / WARP, LANES = Own::THREADS < WARP ? Own::THREADS : WARP;
    static constexpr int ARRIVALS = SYNC == Sync::THREADS ? Own::THREADS : SYNC == Sync::WARPS ? WARPS : 1;
    static constexpr int BUFFERS = DOUBLE ? 2 : 1;
};

template <typename C>
struct Exchange {
    using Word = typename C::Word;
    using Own = typename C::Own;
    static constexpr int ALL = Own::ALL, COUNT = Own::COUNT, SIZE = int(sizeof(Word));

    Word *slots, *sources;  // what comes from the other block, or is loaded by it; and what is copied in bulk
    unsigned long long *full, *empty;  // a barrier per buffer: it has been written, it has been read
    unsigned slots_there, full_there, empty_there;

    __device__ Exchange(unsigned long long* full_, unsigned long long* empty_) : full(full_), empty(empty_) {
        slots = shared<Word>();
        sources = slots + C::BUFFERS * ALL;
        if (threadIdx.x < 2) {
            init(&full[threadIdx.x], C::COUNTS && !C::MERGED ? 1 : C::ARRIVALS);
            init(&empty[threadIdx.x], C::ARRIVALS);
            publish_init();
        }
        __syncwarp();
        const unsigned other = BLOCKS - 1 - rank_in_cluster();
        slots_there = address_in(other, slots);
        full_there = address_in(other, full);
        empty_there = address_in(other, empty);
        cluster_sync();
        if (C::MEETS && C::COUNTS) arrive();
    }
    // No block ends while another one uses its memory.
    __device__ void end() {
        if (C::MEETS && C::COUNTS) return meet();
        __syncwarp();
        cluster_sync();
    }

    __device__ void step(Own& own, int iteration) {
        const unsigned slot = C::DOUBLE ? iteration % 2 : 0, turn = C::DOUBLE ? iteration / 2 : iteration;
        if constexpr (C::COUNTS) before_counted(slot, turn);
        else if constexpr (!C::MEETS && !C::DOUBLE) wait_until_read(slot, turn);
        write(own, slot);
        if constexpr (!C::COUNTS) say_written(slot);
        if (!(C::MEETS && !C::COUNTS) && waits()) wait_here<C::IN_CLUSTER>(&full[slot], turn % 2);
        Word got[COUNT];
        read(got, slot);
        // An arrival that says that the buffer was read orders reads before copies only behind a fence. A merged one
        // comes with the next copy, behind its fence. A fence of the other block is not for the memory of this one.
        if constexpr (C::MOVE == Move::BULK && !C::MERGED) fence_before_copies();
        say_read(slot);
        own.mix_with(got);
    }

private:
    __device__ static bool in_use() { return threadIdx.x < C::WARPS * WARP; }  // the warp has words
    // Threads that wait in each iteration. An arrival stands for all of them: none is two phases of a barrier late.
    __device__ static bool waits() { return C::SYNC == Sync::THREADS ? Own::has_words() : in_use(); }
    __device__ static unsigned there(unsigned barriers, unsigned slot) {
        return barriers + slot * unsigned(sizeof(unsigned long long));
    }

    // Barriers of the cluster.
    __device__ static void arrive() {
        __syncwarp();
        if constexpr (C::SYNC == Sync::FENCED) {
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
            asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        } else {
            asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        }
    }
    __device__ static void meet() {
        __syncwarp();
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    }

    // An arrival at a barrier of the other block, which says what all threads have done that it stands for; or which
    // announces the bytes that they send, too.
    template <bool ANNOUNCES>
    __device__ static void say(unsigned barrier) {
        if constexpr (C::SYNC == Sync::WARPS) __syncwarp();
        constexpr bool HAVE_MET = ANNOUNCES && C::MOVE == Move::BULK && !C::PARTS;  // before the copy
        if constexpr (C::SYNC == Sync::ONCE && !HAVE_MET) __syncthreads();
        const bool arrives = C::SYNC == Sync::THREADS ? Own::has_words()
                             : C::SYNC == Sync::WARPS ? in_use() && lane() == 0
                                                      : threadIdx.x == 0;
        constexpr int BY_THREAD = COUNT * SIZE;
        constexpr int SENT = C::SYNC == Sync::THREADS ? BY_THREAD
                             : C::SYNC == Sync::WARPS ? C::LANES * BY_THREAD
                                                      : BYTES;
        if (!arrives) return;
        if constexpr (ANNOUNCES) arrive_there_expecting(barrier, SENT);
        else arrive_there<C::IN_CLUSTER>(barrier);
    }
    __device__ void say_written(unsigned slot) {
        if constexpr (C::MEETS) {
            arrive();
            meet();
        } else {
            say<false>(there(full_there, slot));
        }
    }
    __device__ void say_read(unsigned slot) {
        if constexpr (C::MEETS && C::COUNTS) {
            if (C::DOUBLE) meet();
            arrive();
        } else if constexpr (C::MEETS && !C::DOUBLE) {
            arrive();
            meet();
        } else if constexpr (!C::MEETS && !C::MERGED && (C::COUNTS || !C::DOUBLE)) {
            say<false>(there(empty_there, slot));
        }
    }
    __device__ void wait_until_read(unsigned slot, unsigned turn) {
        // Threads without words send nothing: they might come so late that they would miss a phase.
        if (Own::has_words() && turn > 0) wait_here<C::IN_CLUSTER>(&empty[slot], (turn - 1) % 2);
    }

    // Before stores and copies that count their bytes: the barrier expects these, and the other block has read the
    // buffer.
    __device__ void before_counted(unsigned slot, unsigned turn) {
        if (!C::MERGED && threadIdx.x == 0) arrive_expecting(&full[slot], BYTES);
        if constexpr (C::MEETS && !C::DOUBLE) meet();
        if constexpr (!C::MEETS && !C::MERGED) wait_until_read(slot, turn);
    }

    __device__ void write(const Own& own, unsigned slot) {
        const unsigned first = slot * ALL + threadIdx.x, barrier = there(full_there, slot);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const unsigned at = first + i * Own::THREADS;
            if (!Own::has_words()) continue;
            if constexpr (C::MOVE == Move::PUSH) push(slots_there + at * SIZE, own.words[i]);
            if constexpr (C::MOVE == Move::PULL) slots[at] = own.words[i];
            if constexpr (C::MOVE == Move::ASYNC) push_async(slots_there + at * SIZE, own.words[i], barrier);
            if constexpr (C::MOVE == Move::BULK) sources[at] = own.words[i];
        }
        if constexpr (C::MOVE == Move::BULK) {
            fence_before_copies();
            if (C::PARTS) __syncwarp();
            else __syncthreads();
            copy(slot);
        }
        if constexpr (C::MERGED) say<true>(barrier);  // behind the copy, which its fence would hold up
    }
    __device__ void copy(unsigned slot) const {
        const unsigned first = slot * ALL, barrier = there(full_there, slot);
        if (!C::PARTS) {
            if (threadIdx.x == 0) push_bulk(slots_there + first * SIZE, &sources[first], BYTES, barrier);
            return;
        }
        if (!in_use() || lane() > 0) return;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const unsigned at = first + i * Own::THREADS + threadIdx.x;
            push_bulk(slots_there + at * SIZE, &sources[at], C::LANES * SIZE, barrier);
        }
    }

    __device__ void read(Word (&got)[COUNT], unsigned slot) const {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const unsigned at = slot * ALL + i * Own::THREADS + threadIdx.x;
            if (!Own::has_words()) continue;
            if constexpr (C::MOVE == Move::PULL) pull(got[i], slots_there + at * SIZE);
            else got[i] = slots[at];
        }
    }
};

template <typename C, typename T>
__device__ void exchange_words(const T* values, T* result, int iterations) {
    __shared__ unsigned long long full[2], empty[2];
    typename C::Own own;
    own.load(values);
    Exchange<C> exchange(full, empty);
    REPEAT(iterations) exchange.step(own, iteration);
    exchange.end();
    own.store(result);
}
