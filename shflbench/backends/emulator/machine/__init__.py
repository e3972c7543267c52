"""Run the threads of a launch: state, order of execution, memory, barriers."""
