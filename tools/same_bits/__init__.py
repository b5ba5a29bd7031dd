"""Whether every library of kernels that this machine can run gives the same bits."""
