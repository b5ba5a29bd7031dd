"""What `ModelBuilder` is made of, each layer upon the one before: particles, bodies, joints."""
