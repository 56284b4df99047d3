"""Printing, drawing and explaining tensors and the tape."""
