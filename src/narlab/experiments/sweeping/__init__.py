"""How a set of runs is executed: jobs, the engines of this machine and of a Ray cluster, and what it will take."""
