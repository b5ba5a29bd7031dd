"""What a mesh is as a solid: its mass properties, convex hulls and convex parts. NumPy alone."""
