"""How threads exchange values through shared memory: what could be shuffles, and which barriers order nothing."""
