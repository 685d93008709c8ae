"""Terms as Z3 has them: one encoding for each way to see numbers and texts, and solvers kept between queries."""
