"""Run the threads of a launch: state, scheduling, memory, barriers."""
