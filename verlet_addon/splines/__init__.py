"""The mathematics of splines: points along Bezier, NURBS and poly ones, and what fits points."""
