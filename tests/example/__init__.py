"""A plain sixth game as an example: what docs/adding-a-game.md explains, and what the shared tests are tried on."""
