"""Armatures as ragdolls and as stick figures: from bones to the model, and back to poses."""
