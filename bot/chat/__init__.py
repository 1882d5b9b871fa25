"""What listens to Discord and sends to it."""
