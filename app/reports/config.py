"""``leafmark config``: where the settings file is, making it, checking it, and opening it in an editor."""

from __future__ import annotations

import os
import subprocess

from app.formats.text import one_line
from app.keys import key_problems
from app.options import DONE, FAILED, Options, only_one
from app.reports.output import complain, write_text
from app.services.external_editor import NoProgram, command_of
from app.settings import read_settings, settings_file
from app.settings_writer import CannotWrite, make_file
from app.setup import Setup
from app.view.formatting import tilde


def run(options: Options, setup: Setup) -> int:
    """Do what the option says; without one, print the path of the file.

    :return: the exit code: 3 if a setting is wrong, the file is there already for
        `--init`, or it cannot be written or edited.
    :raises WrongUse: several options are given.
    """
    chosen = only_one(options, "path", "init", "check", "edit")
    try:
        if chosen == "init":
            return _init(setup)
        if chosen == "check":
            return _check(setup)
        if chosen == "edit":
            return _edit(setup)
    except (CannotWrite, NoProgram) as error:
        complain(str(error))
        return FAILED
    write_text(one_line(settings_file(setup.env), 4_000) + "\n")
    return DONE


def _init(setup: Setup) -> int:
    path = settings_file(setup.env)
    if os.path.lexists(path):
        complain(f"{path}: is there already, and is kept")
        return FAILED
    made = make_file(setup.env)
    write_text(f"{one_line(made, 4_000)}: every setting is there as a comment\n")
    return DONE


def _check(setup: Setup) -> int:
    """Report each problem of the file in a line: a wrong setting, an unknown key, a clash of keys."""
    path = settings_file(setup.env)
    if not os.path.lexists(path):
        write_text(f"{tilde(path, setup.home)}: not there; the defaults are used\n")
        return DONE
    settings = read_settings(setup.env)
    problems = [*settings.problems, *(f"{path}: keys: {text}" for text in key_problems(settings.keys))]
    for problem in problems:
        complain(problem)
    if problems:
        return FAILED
    write_text(f"{tilde(path, setup.home)}: no problems\n")
    return DONE


def _edit(setup: Setup) -> int:
    """Open the file in the user's editor, which is made first if it is not there, and check it afterwards."""
    command = command_of("editor", setup.env)
    path = make_file(setup.env)
    try:
        status = subprocess.run([*command, path], check=False).returncode
    except OSError as error:
        complain(f"{command[0]}: {error.strerror or error}")
        return FAILED
    if status:
        complain(f"{command[0]} ended with {status}")
        return FAILED
    return _check(setup)
