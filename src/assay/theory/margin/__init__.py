"""Linear machines and kernels: least squares, margins, duality, representation."""
