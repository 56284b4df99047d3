"""What a program builds graphs with."""
