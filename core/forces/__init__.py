"""One force a file: each adds newtons to the array that the integrator reads."""
