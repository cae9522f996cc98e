"""Compiled pieces that several textbook algorithms share."""
