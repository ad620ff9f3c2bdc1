"""The stores of a machine. The home folder, the environment and the working folder are fictitious."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from leafmark import Store

from app.stores import AGENTS, agent_named, discover, named
from tests.waiting import ends

ROOT = Path(__file__).resolve().parents[2]

Found = dict[tuple[str, str], Store]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def stores_by_root(
    home: Path, env: dict[str, str] | None = None, cwd: str | None = None, **more: object
) -> Found:
    """Return the stores by (first agent, root relative to home)."""
    stores = discover(env or {}, str(home), cwd or str(home / "work"), **more)  # type: ignore[arg-type]
    return {(store.agent.name, store.root.replace(f"{home}/", "")): store for store in stores}


def test_the_default_stores_are_listed_even_if_they_are_missing(home: Path) -> None:
    stores = stores_by_root(home)
    assert list(stores) == [
        ("pi", ".pi/agent/sessions"),
        ("omp", ".omp/agent/sessions"),
        ("indusagi", ".indusagi/agent/sessions"),
        ("indusagi", ".pindusagi/sessions"),
        ("agent", ".config/agent/sessions"),
        ("claude", ".claude/projects"),
        ("codex", ".codex/sessions"),
    ]
    assert {store.problem() for store in stores.values()} == {"not there"}
    assert {store.source for store in stores.values()} == {"default"}


def test_problem_of_a_store(home: Path) -> None:
    store = stores_by_root(home)["pi", ".pi/agent/sessions"]
    root = Path(store.root)
    root.parent.mkdir(parents=True)
    root.write_text("")
    assert store.problem() == "not a folder"
    root.unlink()
    root.mkdir()
    assert store.problem() is None
    store.root = "/nul\0byte"
    assert store.problem() == "not readable"


def test_a_store_is_bare_only_if_it_is_missing_or_empty(home: Path) -> None:
    store = stores_by_root(home)["pi", ".pi/agent/sessions"]
    root = Path(store.root)
    assert store.is_bare()
    root.parent.mkdir(parents=True)
    root.write_text("")
    assert store.is_bare()
    root.unlink()
    root.mkdir()
    assert store.is_bare()
    (root / "--work--").mkdir()
    assert not store.is_bare()
    store.root = "/nul\0byte"
    assert not store.is_bare()


def test_pi_variables_add_stores_and_are_remembered(home: Path) -> None:
    env = {"PI_CODING_AGENT_DIR": "~/moved", "PI_CODING_AGENT_SESSION_DIR": "/flat/../flat2"}
    stores = stores_by_root(home, env)
    assert ("pi", ".pi/agent/sessions") in stores
    assert stores["pi", ".pi/agent/sessions"].environment == {}
    moved = stores["pi", "moved/sessions"]
    assert moved.source == "PI_CODING_AGENT_DIR"
    assert moved.environment == {"PI_CODING_AGENT_DIR": str(home / "moved")}
    flat = stores["pi", "/flat2"]
    assert flat.environment == {
        "PI_CODING_AGENT_DIR": str(home / "moved"),
        "PI_CODING_AGENT_SESSION_DIR": "/flat2",
    }
    # omp reads the same variables: one folder, one store, two agents.
    assert moved.agents == flat.agents == ("pi", "omp")
    assert [twin.agent for twin in moved.twins] == [agent_named("omp")]
    assert moved.of("omp").environment == {"PI_CODING_AGENT_DIR": str(home / "moved")}
    with pytest.raises(KeyError):
        moved.of("agent")


def test_relative_variables_are_made_absolute(home: Path) -> None:
    """The agent starts in the session's folder, where a relative path would mean something else."""
    env = {"PI_CODING_AGENT_DIR": "rel", "PI_CODING_AGENT_SESSION_DIR": "flat"}
    stores = stores_by_root(home, env, extra=[("pi", "copy"), ("omp", "copy2")])
    absolute = str(home / "work" / "rel")
    for root in ("work/rel/sessions", "work/flat", "work/copy"):
        assert stores["pi", root].environment["PI_CODING_AGENT_DIR"] == absolute
    assert stores["pi", "work/flat"].of("omp").environment["PI_CODING_AGENT_DIR"] == absolute
    assert stores["omp", "work/copy2"].environment == {"PI_CODING_AGENT_DIR": absolute}


def test_pi_settings_of_home_and_project(home: Path) -> None:
    work = home / "work"
    for folder, where, encoding in (
        (home / ".pi" / "agent", "~/chosen", "utf-8"),
        (work / ".pi", "local", "utf-8-sig"),
    ):
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text(json.dumps({"sessionDir": where}), encoding=encoding)
    stores = stores_by_root(home)
    chosen = stores["pi", "chosen"]
    assert chosen.source == f"settings {home}/.pi/agent/settings.json"
    assert chosen.arguments == ("--session-dir", str(home / "chosen"))
    local = stores["pi", "work/local"]
    assert local.source == f"settings {work}/.pi/settings.json"


@pytest.mark.parametrize("content", ["{", "[]", '{"sessionDir": 3}', "\ud800", "[" * 20_000])
def test_odd_settings_are_noted_not_fatal(home: Path, content: str) -> None:
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    stores = stores_by_root(home)
    notes = stores["pi", ".pi/agent/sessions"].notes
    assert [note for note in notes if "settings.json" in note] or content == "[]"
    assert len([key for key in stores if key[0] == "pi"]) == 1


@pytest.mark.parametrize("in_project", [True, False])
@pytest.mark.parametrize(("odd", "why"), [("pipe", "not a regular file"), ("long", "longer than ")])
def test_settings_in_a_pipe_or_a_huge_file_are_noted_and_not_read(
    home: Path, in_project: bool, odd: str, why: str
) -> None:
    """A cloned repository may contain such settings."""
    folder = home / "work" / ".pi" if in_project else home / ".pi" / "agent"
    folder.mkdir(parents=True)
    path = folder / "settings.json"
    if odd == "pipe":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 3 << 30)
    (note,) = ends(lambda: stores_by_root(home)["pi", ".pi/agent/sessions"].notes)
    assert note.startswith(f"{path}: {why}")
    assert note.endswith(", so a sessionDir in it is not known")


def test_omp_profiles_config_dir_and_agent_dir(home: Path) -> None:
    for name in ("work", "home"):
        (home / ".omp" / "profiles" / name / "agent" / "sessions").mkdir(parents=True)
    (home / ".omp" / "profiles" / "a-file").write_text("")
    env = {"PI_CONFIG_DIR": ".omp2", "OMP_PROFILE": "new", "PI_PROFILE": "ignored"}
    stores = stores_by_root(home, env)
    work = stores["omp", ".omp/profiles/work/agent/sessions"]
    assert (work.source, work.environment) == ("profile work", {"OMP_PROFILE": "work"})
    assert work.problem() is None
    assert stores["omp", ".omp/profiles/new/agent/sessions"].problem() == "not there"
    assert stores["omp", ".omp2/profiles/new/agent/sessions"].environment == {
        "PI_CONFIG_DIR": ".omp2",
        "OMP_PROFILE": "new",
    }
    assert stores["omp", ".omp2/agent/sessions"].environment == {"PI_CONFIG_DIR": ".omp2"}
    assert not [root for _, root in stores if "a-file" in root or "ignored" in root]
    # An empty OMP_PROFILE chooses the default, whatever PI_PROFILE says.
    plain = stores_by_root(home, {"OMP_PROFILE": "", "PI_PROFILE": "old"})
    assert not [root for _, root in plain if "old" in root]


def test_omp_uses_xdg_folders_only_if_they_exist(home: Path) -> None:
    env = {"XDG_DATA_HOME": str(home / "data"), "XDG_STATE_HOME": str(home / "state")}
    assert not [store for store in stores_by_root(home, env).values() if store.source == "XDG_DATA_HOME"]
    (home / "data" / "omp" / "profiles" / "work").mkdir(parents=True)
    stores = stores_by_root(home, env)
    assert stores["omp", "data/omp/sessions"].source == "XDG_DATA_HOME"
    assert stores["omp", "data/omp/sessions"].state == str(home / ".omp" / "agent")
    assert stores["omp", "data/omp/profiles/work/sessions"].source == "profile work"
    data = {"XDG_DATA_HOME": env["XDG_DATA_HOME"]}
    assert stores["omp", "data/omp/sessions"].environment == data
    profile = stores["omp", "data/omp/profiles/work/sessions"]
    assert profile.environment == {"OMP_PROFILE": "work", **data}
    assert stores["omp", ".omp/agent/sessions"].environment == {}
    (home / "state" / "omp").mkdir(parents=True)
    moved = stores_by_root(home, env)["omp", "data/omp/sessions"]
    assert (moved.state, moved.environment) == (str(home / "state" / "omp"), env)
    # The other files of omp stay in the XDG folders if only the sessions are moved.
    flat = {**env, "PI_CODING_AGENT_SESSION_DIR": "/flat"}
    assert stores_by_root(home, flat)["pi", "/flat"].of("omp").environment == flat
    copy = stores_by_root(home, env, extra=[("omp", "/copy")])["omp", "/copy"]
    assert copy.environment == env
    # With another agent folder, omp ignores the XDG folders.
    elsewhere = {**flat, "PI_CODING_AGENT_DIR": "/agent"}
    assert not set(env) & set(stores_by_root(home, elsewhere)["pi", "/flat"].of("omp").environment)


def test_the_prompt_history_of_omp_is_in_its_agent_folder(home: Path) -> None:
    (home / "data" / "omp").mkdir(parents=True)
    env = {"XDG_DATA_HOME": str(home / "data"), "OMP_PROFILE": "work"}
    flat = {"PI_CODING_AGENT_SESSION_DIR": "/flat"}
    histories = {root: store.history for (_, root), store in stores_by_root(home, env).items()}
    assert histories[".omp/agent/sessions"] == str(home / ".omp/agent/history.db")
    assert histories[".omp/profiles/work/agent/sessions"] == str(home / ".omp/profiles/work/agent/history.db")
    assert histories["data/omp/sessions"] == str(home / "data/omp/history.db")
    assert histories[".pi/agent/sessions"] == histories[".indusagi/agent/sessions"] == ""
    # Sessions elsewhere have the history of the agent folder that omp would use.
    moved = stores_by_root(home, {**flat, "OMP_PROFILE": "work"})["pi", "/flat"].of("omp")
    assert moved.history == str(home / ".omp/profiles/work/agent/history.db")
    copy = home / "copy" / "sessions"
    extra = [("omp", str(copy))]
    assert stores_by_root(home, env=flat, extra=extra)["omp", "copy/sessions"].history == str(
        home / ".omp/agent/history.db"
    )
    copy.parent.mkdir()
    (copy.parent / "history.db").touch()
    assert stores_by_root(home, extra=extra)["omp", "copy/sessions"].history == str(home / "copy/history.db")


def test_a_store_has_every_variable_that_leads_to_it(home: Path) -> None:
    """The environment of a store alone leads to the store again."""
    for folder in ("data/omp", ".omp/profiles/old", "cfg/agent"):
        (home / folder).mkdir(parents=True)
    env = {
        "PI_CODING_AGENT_DIR": str(home / "moved"),
        "PI_CODING_AGENT_SESSION_DIR": str(home / "flat"),
        "PI_CONFIG_DIR": ".omp2",
        "OMP_PROFILE": "work",
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "cfg"),
        "INDUSAGI_AGENT_DIR": str(home / "i1"),
        "INDUSAGI_CODING_AGENT_DIR": str(home / "i2"),
        "INDUSAGI_DIR": str(home / "i3"),
        "INDUSAGI_HOME": str(home / "i4"),
    }
    every = [twin for store in stores_by_root(home, env).values() for twin in (store, *store.twins)]
    assert len(every) > 15
    for store in every:
        again = store.agent.stores(store.environment, str(home), str(home / "work"))
        assert store.root in [twin.root for twin in again], store


def test_indusagi_roots_and_variables(home: Path) -> None:
    env = {"INDUSAGI_AGENT_DIR": "/a", "INDUSAGI_DIR": "/d", "INDUSAGI_HOME": "/h"}
    stores = stores_by_root(home, env)
    assert stores["indusagi", "/a/sessions"].environment == {"INDUSAGI_AGENT_DIR": "/a"}
    assert stores["indusagi", "/d/agent/sessions"].source == "INDUSAGI_DIR"
    assert stores["indusagi", "/h/sessions"].suffixes == (".jsonl", ".ndjson")


def test_agent_config_home_and_store_option(home: Path) -> None:
    extra = [("agent", "/copy/agent/sessions"), ("agent", "/elsewhere"), ("pi", "rel")]
    stores = stores_by_root(home, {"XDG_CONFIG_HOME": "/cfg"}, extra=extra)
    assert stores["agent", "/cfg/agent/sessions"].environment == {"XDG_CONFIG_HOME": "/cfg"}
    assert stores["agent", "/copy/agent/sessions"].environment == {"XDG_CONFIG_HOME": "/copy"}
    assert stores["agent", "/elsewhere"].environment == {}
    assert stores["pi", "work/rel"].source == "--store"
    with pytest.raises(KeyError):
        discover({}, str(home), "/", [("nobody", "/x")])


def test_each_real_folder_is_one_store(home: Path) -> None:
    root = home / ".pi" / "agent" / "sessions"
    root.mkdir(parents=True)
    (home / "link").symlink_to(root)
    stores = stores_by_root(
        home, {"PI_CODING_AGENT_DIR": str(home / ".pi" / "agent")}, extra=[("pi", "~/link")]
    )
    mine = [store for store in stores.values() if "pi" in store.agents]
    assert [(store.source, store.agents) for store in mine] == [("default", ("pi", "omp"))]
    only = named([("pi", "~/link"), ("omp", "~/link")], {}, str(home), "/")
    assert [store.agents for store in only] == [("pi", "omp")]


def test_an_agent_gives_a_reason_for_each_missing_ability() -> None:
    for agent in AGENTS:
        for ability in ("name", "label", "branch", "fork"):
            assert bool(agent.why_not(ability)) == (ability not in agent.can)
    assert "transcript" in agent_named("indusagi").why_not("label", "/x/y.ndjson")
    with pytest.raises(KeyError):
        agent_named("PI")
