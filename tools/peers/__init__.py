"""The hanging sheet in other engines, on the same input and by the same measure."""
