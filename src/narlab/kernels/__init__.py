"""Fast compiled code that knows nothing of the rest of narlab."""
