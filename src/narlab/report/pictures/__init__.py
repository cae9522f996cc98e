"""Pictures: instances with their answers, curves and points, graphs beside each other; one look for all of them."""
