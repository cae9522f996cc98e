"""One of each kind of things that narlab takes from outside; each file is one thing."""
