"""Services that are made with their first use."""

from __future__ import annotations


def stop_made(owner: object, *names: str) -> None:
    """End those services of an object that were made.

    :param names: of its cached properties. What a service imports would hold up the first key, so it is made
        when it is asked for something, and one that never was is not made to be ended.
    """
    for name in names:
        service = vars(owner).get(name)
        if service is not None:
            service.stop()
