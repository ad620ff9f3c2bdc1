"""Shell and editor settings; one session file here is damaged."""

from __future__ import annotations

from app.demo.builder import Session, days, hours


def sessions() -> list[Session]:
    """Two sessions, of pi and indusagi."""
    return [_slow_shell(), _editor()]


def _slow_shell() -> Session:
    talk = Session("pi", "dotfiles", "slow-shell", age=days(12), model="ollama/qwen3-coder")
    talk.user("zsh takes two seconds to start. why?")
    talk.tool("bash", "1.62s nvm.sh\n0.21s compinit\n0.04s prompt", command="zsh -ic 'zprof' | head")
    talk.reply("nvm alone takes 1.6 of them. It can be loaded when `node` is first called.")
    # What a machine leaves behind that is switched off while it writes.
    talk.damaged('{"type":"message","id":"5e0c11aa","parentId":"0b9d2f7')
    talk.user("do that. and compinit?")
    talk.tool("edit", "Edited zshrc (+8 -2)", path="zshrc", oldText="compinit", newText="compinit -C")
    talk.reply("Start is at 0.12 s. The completion cache is rebuilt once a day.")
    return talk


def _editor() -> Session:
    talk = Session("indusagi", "dotfiles", "editor", age=days(20) + hours(5))
    talk.user("move my vim config to lua, but keep every key")
    talk.tool("read", '" 214 lines of vimscript', path="vimrc")
    talk.reply("214 lines, 61 mappings. I'll keep a list of them and check it at the end.")
    talk.user("ok")
    talk.tool("write", "Wrote 188 lines", path="init.lua", content="vim.g.mapleader = ' '\n")
    talk.tool("bash", "61 of 61 mappings present", command="nvim --headless -l check_maps.lua")
    talk.reply("All 61 mappings are there.")
    talk.name("vimrc to init.lua")
    return talk
