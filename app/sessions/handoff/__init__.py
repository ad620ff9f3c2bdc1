"""A session in the spelling of another agent, with its whole tree (formats/README.md, "Sessions handed
over").
"""
