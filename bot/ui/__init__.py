"""What people see, as texts, components and pictures. Pure: no client and no await."""
