"""What an experiment's file is made of: designs, outcomes, budgets, the paper's numbers and the results of runs."""
