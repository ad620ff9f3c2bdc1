"""How hypothesis tries the properties: with the same examples in each run, whatever the machine is doing.

`pytest --hypothesis-profile explore` looks for others.
"""

from hypothesis import HealthCheck, settings

# A test is never judged by its time.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _UNTIMED, derandomize=True)
settings.register_profile("explore", _UNTIMED, max_examples=1_000)
settings.load_profile("same")
