"""Model against model, over the instances that both answered."""
