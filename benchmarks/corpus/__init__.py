"""Functions nobody here wrote, and how far random inputs and each mode of exploration get in them."""
