"""What is read of a scene in its start frame, as records: arrays, settings, names, session ids.

Nothing here asks Blender. Who reads a scene fills them, a session keeps them, jobs build models of
them in any thread.
"""
