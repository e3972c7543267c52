"""From a module to a program: calls inlined, registers numbered, memory laid out, code cut into blocks."""
