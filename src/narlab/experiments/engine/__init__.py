"""What experiments are made of: outcomes, budgets, the paper's numbers, results of runs, sweeps and their engines."""
