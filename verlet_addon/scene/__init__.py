"""All that takes part in a scene, read into arrays, and the model made of it."""
