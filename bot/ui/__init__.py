"""Everything that draws for Discord and answers it."""
