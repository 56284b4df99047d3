"""Times, memory and errors of workloads."""
