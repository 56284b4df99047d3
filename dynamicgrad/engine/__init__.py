"""The tape: handles, nodes, recording, backward, views, writes in place, gradient modes."""
