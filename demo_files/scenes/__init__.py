"""The demo scenes, one a file: each has a function ``build`` that sets up an empty Blender."""
