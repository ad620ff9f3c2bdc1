"""Public sessions that Claude Code and Codex wrote, for `tests/sessions/test_public_files.py`.

They are no part of this repository. `python -m tests.public_files FOLDER` puts them into FOLDER, from the
network, or with `python -m tests.public_files FOLDER CLONES` from clones of their repositories,
`CLONES/OWNER/NAME`.
"""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote
from urllib.request import urlopen


class Source(NamedTuple):
    """Where a file is; `digest` is its SHA-256."""

    agent: str
    repository: str
    commit: str
    path: str
    digest: str

    def content(self, clones: Path | None) -> bytes:
        """The file, from its clone below `clones`, or from the network.

        :raises OSError: it cannot be had.
        """
        if clones is None:
            url = f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{quote(self.path)}"
            with urlopen(url) as answer:
                found = answer.read()
            assert isinstance(found, bytes)
            return found
        clone = str(clones / self.repository)
        shown = subprocess.run(
            ["git", "-C", clone, "show", f"{self.commit}:{self.path}"], capture_output=True, check=False
        )
        if shown.returncode:
            raise OSError(shown.stderr.decode(errors="replace").strip())
        return shown.stdout


SOURCES = {
    "dab5506f": Source(
        "claude",
        "HillviewCap/Personal_AI_Infrastructure",
        "5805666c55e367790dd2b602f0f3e534ad4bdda5",
        ".claude/projects/-home-jenkins-Personal-AI-Infrastructure/dab5506f-e535-403f-9a60-49f21a42571a.jsonl",
        "ab74ffb40a7f144ed47d63418bce83c217a0f92fc6f301f01017c98a17d4f10f",
    ),
    "1b3e6441": Source(
        "claude",
        "entireio/cli",
        "394f81fab87f71aa8938d91ff7a067c524ff344b",
        "c9/883595c929/0/full.jsonl",
        "5229e1849b206732abc89925bae65356c64ad0cfbf1970904451b5fe9069da46",
    ),
    "25cbbb93": Source(
        "claude",
        "entireio/cli",
        "394f81fab87f71aa8938d91ff7a067c524ff344b",
        "bd/7375936c5c/0/full.jsonl",
        "25cbbb9367391983d301f320bb68e052d00afaf1083cac2a6ce91dbb8e89cbc4",
    ),
    "8b418ea5": Source(
        "claude",
        "entireio/cli",
        "394f81fab87f71aa8938d91ff7a067c524ff344b",
        "8e/0a64736bc7/0/full.jsonl",
        "3788d1f98a5a861e1b368f210f743839d732a4dbd710499c30e9a4dba5b7dbd3",
    ),
    "907ec809": Source(
        "claude",
        "entireio/cli",
        "394f81fab87f71aa8938d91ff7a067c524ff344b",
        "32/6f190bd6e7/0/full.jsonl",
        "907ec80959af4e2d34f68bf75720242e2ee7a080dd224a483af338a69c65cdb8",
    ),
    "1ecba475": Source(
        "claude",
        "entireio/cli",
        "394f81fab87f71aa8938d91ff7a067c524ff344b",
        "00/c9e2351016/3/full.jsonl",
        "94beca814c9af14b925fd0ef30fd52e1a9b6cc1c3b6e0b7c03ec71f7db1dfb1c",
    ),
    "ba388053": Source(
        "claude",
        "entireio/cli",
        "394f81fab87f71aa8938d91ff7a067c524ff344b",
        "91/b42542f24f/0/full.jsonl",
        "ba3880536f7460977b2793fb706050958fcd469bbcc51bbf20199e9dd12b2327",
    ),
    "8dbf99fc": Source(
        "claude",
        "FSM1/cipher-box",
        "e227f1183b594fa6bd5dbe58c75272434067e89b",
        "40/b3d14323af/0/full.jsonl",
        "650148a5a37ff43fb704dbf430ae25ac1a43992519a03f78d4170fa03d739409",
    ),
    "e895bc3d": Source(
        "claude",
        "FSM1/cipher-box",
        "18a087b5b9c683f248a5c685d75be14ef3686b64",
        ".entire/metadata/e895bc3d-9e0b-447a-b68d-6ba25013337c/full.jsonl",
        "71e73ab480d3dfc4332ec751fcc3a4b7075441810f457b5f39522a76441e8103",
    ),
    "24c1ea04": Source(
        "claude",
        "FSM1/cipher-box",
        "3521659afb5f9597b1c6eec77755f6d300f5f459",
        ".entire/metadata/24c1ea04-c260-46f6-bc55-26dd7ed202af/full.jsonl",
        "fdea5ae75cc0fa409451d831abc3f5c9d8e5c350fb069456c6824fea25c48e98",
    ),
    "85ec650c": Source(
        "claude",
        "PackmindHub/context-evaluator",
        "63679d4764ce74bb41f8e5794f6183d43ea9ee88",
        "d7/791c619932/0/full.jsonl",
        "f0bbc0c9d0a0849ad5da995c95ee8e472c5e0d0aa2faa5b638542c1110f1716b",
    ),
    "5875de05": Source(
        "claude",
        "FSM1/cipher-box",
        "49a14683bcba53dea34f8d54f71d463cc2e849d4",
        ".entire/metadata/5875de05-175c-4771-b670-1501b7412a8b/full.jsonl",
        "5ee81fcf7f0b8a38a6d69eac3f280dde387b75c01ddd6f1c279a537d64dc64e4",
    ),
    "d110ba2f": Source(
        "claude",
        "FSM1/cipher-box",
        "e227f1183b594fa6bd5dbe58c75272434067e89b",
        "04/6f4c1b3b1e/5/full.jsonl",
        "caee9a913afbfff7f93a7e5ee21ad04a452e9e3f8392a571ad6316f22d2c8036",
    ),
    "2dcadb17": Source(
        "claude",
        "computermode/test-repo",
        "afda803df0574a112cc9c856060a13464ee0a56f",
        "6d/206c888baf/0/full.jsonl",
        "2dcadb178d8ca4974505d67b76445e2a85a7978a84d3b40ed1dcd8c7ea72f247",
    ),
    "9d72a1f7": Source(
        "claude",
        "computermode/test-repo",
        "afda803df0574a112cc9c856060a13464ee0a56f",
        "c2/4f40aa5771/0/full.jsonl",
        "cf04019bcf0f1bc962765a91769d0def6af9c501998f404f65b3ced1737d5467",
    ),
    "9a6e9f2f": Source(
        "claude",
        "a331468564/claude-codex-chat-archives",
        "e3043126116b8d7996bc4c3bcdc325ccef110b4a",
        "claude-code/claude-home-projects/E--AI-TestProject-v2/9a6e9f2f-17d2-46d1-b68a-cea0a7a21158.jsonl",
        "5c601bc845cb1ab0a5e55a34a3677c646c24876926f7a78564a8b86790549b31",
    ),
    "e31c844c": Source(
        "claude",
        "computermode/test-repo",
        "afda803df0574a112cc9c856060a13464ee0a56f",
        "e5/7a110c723e/0/full.jsonl",
        "7d3b6c4df1b85993d849a4442b57173d1795ccd985abe660fb958edf043c2209",
    ),
    "019a6743": Source(
        "codex",
        "R1DDL30510/Init-",
        "049a0c3b41ae11024589556a947a2dfa5312c148",
        ".codex/sessions/2025/11/09/rollout-2025-11-09T07-17-59-019a6743-ac58-7931-8f3d-d553053a44df.jsonl",
        "50ac4466776abfb10ae0beb07622d9cb5a96a6d23a4e7d62cb55a1948eabd88d",
    ),
    "019985ca": Source(
        "codex",
        "Python-AI-Solutions/agentic-neurodata-conversion",
        "2a981d37fd1e35e786c14c80d10ee2cad0078f73",
        ".codex/sessions/2025/09/26/rollout-2025-09-26T17-01-04-019985ca-7ef7-7580-a921-c20ac619f40b.jsonl",
        "3ce9e810eedf667f8765713213b8572d067c69f0a4b1b5f95d8d9540c6093635",
    ),
    "01999467": Source(
        "codex",
        "Python-AI-Solutions/agentic-neurodata-conversion",
        "2a981d37fd1e35e786c14c80d10ee2cad0078f73",
        ".codex/sessions/2025/09/29/rollout-2025-09-29T13-07-08-01999467-65bf-7281-8ab6-73bb53989041.jsonl",
        "6d1b0d881942e71971916d46b1b21dced1cfcbde7a85b0e2affb5fe7e617af6e",
    ),
    "0199f75d": Source(
        "codex",
        "Society-for-AI-Collab-Studies-SACS/VaultNodes",
        "627f5ed96d6d3c46e6506f2841a573b4aefd8f80",
        ".codex/sessions/2025/10/18/rollout-2025-10-18T05-48-16-0199f75d-150b-7003-9de8-604a69423f54.jsonl",
        "66a4ad3de236295981c8d958552bf817d54922521262b32cd15e50c03343b7f2",
    ),
    "019a39d7": Source(
        "codex",
        "LeroySalih/planner-004",
        "abb859cc063a3aa35135f7882a5f4ceb9ea84070",
        ".codex/sessions/2025/10/31/rollout-2025-10-31T13-36-55-019a39d7-7e8f-7642-800f-e91334d31c45.jsonl",
        "903691a374340c0885398ed6a590476a48aac0e5bfc52a895ed5ddde9bc9cd86",
    ),
    "019a5eb7": Source(
        "codex",
        "brianlan/paper2md",
        "0a5d04b6fe9cb0daeffca6d35633f3c74adbb7b9",
        ".codex/sessions/2025/11/07/rollout-2025-11-07T22-27-23-019a5eb7-01fe-7ec2-983f-a7d864b9d4d9.jsonl",
        "ec449127fe6c81c44aa9f6b5d86457205b8b2495747d4b47ba63d038130f7844",
    ),
    "019ac3dd": Source(
        "codex",
        "7567491/Feishu_ClaudeCode",
        "869a42d7abaa93ca3ff0dcf4a63eb10fc696d736",
        ".codex/sessions/2025/11/27/rollout-2025-11-27T13-51-28-019ac3dd-dee1-70c2-a426-cd9099bc4366.jsonl",
        "3ea595a3eac9c8f5cec3e1feb2effd77ef26dae3d9a085a5f77729f42092a9a2",
    ),
    "019b5669": Source(
        "codex",
        "0h-n0/local-voice-assistant-codex",
        "c40b09dfb388af7bec45a520640b7bc3f782c161",
        ".codex/sessions/2025/12/26/rollout-2025-12-26T01-48-36-019b5669-8da8-7bc3-bed8-e1c1b805dad5.jsonl",
        "2ef68fa1ac071d9f22b5176c89b9d19323219c3f4590f0c19ff5fdcf8fde8a0e",
    ),
    "019ba49c": Source(
        "codex",
        "bricerising/specify-poker",
        "ef0765a08bd6e30058e6be0e0e1991a8ac67b887",
        ".codex/sessions/2026/01/09/rollout-2026-01-09T16-14-25-019ba49c-4c69-7f63-b813-9c4f0bf232cf.jsonl",
        "03fb093832b8b0b78399072fee77b445c9bc439c7c469f13df6fe99abb410148",
    ),
    "019c1b42": Source(
        "codex",
        "pratham124/Lab2",
        "39c221f47384798f5d9734a07a81767f5c20b660",
        ".codex/sessions/2026/02/01/rollout-2026-02-01T15-11-13-019c1b42-91a5-76e1-a099-d2d0e6c50fbe.jsonl",
        "18d7b05339db99e9e77f99aeab1bf5f163181673e0ec5382b0590d9c0b1ed055",
    ),
    "019cd9ee": Source(
        "codex",
        "493-Property-Estimator/Capstone-Test-Repo",
        "36e8361751e016c162d8d17c23878bd0df85acfc",
        ".codex/sessions/2026/03/10/rollout-2026-03-10T16-47-20-019cd9ee-ed46-7d43-8386-4242ad7cd2f0.jsonl",
        "1ab103750ca2e78ab25edec55664c4ef8986915641b5dfc0e6dd6447719b13d5",
    ),
    "019cd51b": Source(
        "codex",
        "493-Property-Estimator/Capstone-Test-Repo",
        "36e8361751e016c162d8d17c23878bd0df85acfc",
        ".codex/sessions/2026/03/09/rollout-2026-03-09T18-18-05-019cd51b-a649-7f42-b77b-5f5a8422fcfe.jsonl",
        "0f1a8789a31207fd289e87dab41c753f49f913eb0a1272ed3bfa6601d48e6734",
    ),
    "019cc54a": Source(
        "codex",
        "msrnic/ECE493Group19",
        "4064d2c9ec6d3bb21e0c822d93daadad4c7df7e2",
        ".codex/sessions/2026/03/06/rollout-2026-03-06T15-34-49-019cc54a-09b7-7891-ae94-9f8921119d67.jsonl",
        "aa0584c0b37f3c5d7028682b250ba73099f18d9f30cef4802940281095c809e8",
    ),
    "019eb5b5": Source(
        "codex",
        "Hiroya20040928/unitree-A1",
        "dc337ae0f434c71aaa387ec981ef3cb7b8c36ae1",
        ".codex/sessions/2026/06/11/rollout-2026-06-11T17-03-44-019eb5b5-66c6-7db2-85a9-9eb7652633cb.jsonl",
        "74c6300d81aad6152f95dd080246b4fd04ef0de95f8bfea08eb76a402354c3dd",
    ),
    "019f603d": Source(
        "codex",
        "doudouqie66/CommonTools",
        "1bbc8e028f24ed37db971fb71475cabbd2cb48b2",
        ".codex/sessions/2026/07/14/rollout-2026-07-14T18-48-20-019f603d-cf16-7602-8805-de003f75f982.jsonl",
        "bec74334a58f702fda57196e5fa5e69c540bea5ffb727af05bfed755325e4763",
    ),
    "019f4efb": Source(
        "codex",
        "doudouqie66/CommonTools",
        "1bbc8e028f24ed37db971fb71475cabbd2cb48b2",
        ".codex/sessions/2026/07/11/rollout-2026-07-11T10-22-29-019f4efb-ae76-7e30-b44e-3fa464c16193.jsonl",
        "e62e3aa8242e3ddffd16beac7c21931fab488ba3edaa7fb4687e50d149a96c91",
    ),
}
"""By the beginning of the session's id."""


def path_of(name: str, folder: Path) -> Path:
    """The place of a file in the folder of public files."""
    return folder / SOURCES[name].agent / f"{name}.jsonl"


def main(folder: Path, clones: Path | None) -> int:
    """Put the files into `folder` that it lacks; the number of those that were not found is the result."""
    missing = 0
    for name, source in SOURCES.items():
        path = path_of(name, folder)
        if path.is_file() and sha256(path.read_bytes()).hexdigest() == source.digest:
            continue
        try:
            content = source.content(clones)
        except OSError as error:
            print(f"{name}: {error}", file=sys.stderr)
            missing += 1
            continue
        if sha256(content).hexdigest() != source.digest:
            print(f"{name}: {source.repository} has another file there", file=sys.stderr)
            missing += 1
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return missing


if __name__ == "__main__":
    sys.exit(min(1, main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)))
