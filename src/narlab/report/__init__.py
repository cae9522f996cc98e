"""What people look at: instances as text and as pictures."""
