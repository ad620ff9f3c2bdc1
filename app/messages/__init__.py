"""What the background tells the screen. Facts, in the past tense; every one that answers a request carries
the request's generation, so that a late answer is dropped.

They are imported from their rooms: who shows a list does not wait for what only a transcript needs.
"""
