"""What people look at: instances as text and pictures, tables and figures of experiments, and pages of them."""
