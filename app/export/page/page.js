"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const root = document.documentElement;
  const articles = [...document.querySelectorAll("article")];
  const numberOf = (article) => Number(article.id.slice(1));
  const articleOf = new Map(articles.map((article) => [numberOf(article), article]));
  const rowOf = new Map();
  for (const row of document.querySelectorAll("nav ol li")) {
    rowOf.set(Number(row.querySelector("a").hash.slice(2)), row);
  }
  const parentOf = new Map(data.parents);
  const lastBelow = new Map();
  for (const [number, parent] of data.parents) {
    // Children stand behind their parents, so that the newest one is seen last.
    lastBelow.set(parent, Math.max(number, lastBelow.get(parent) || 0));
  }
  let all = false;
  let here = 0;
  let hits = [];
  let hit = -1;

  const pathThrough = (number) => {
    const path = new Set();
    for (let at = number; at && !path.has(at); at = parentOf.get(at) || 0) path.add(at);
    for (let at = lastBelow.get(number); at && !path.has(at); at = lastBelow.get(at)) path.add(at);
    return path;
  };
  const hasBranches = new Set(data.parents.map(([, parent]) => parent)).size < data.parents.length;

  const showPath = (number) => {
    const path = all || !hasBranches ? null : pathThrough(number);
    for (const article of articles) {
      article.hidden = path !== null && !path.has(numberOf(article));
    }
    for (const [each, row] of rowOf) row.classList.toggle("aside", path !== null && !path.has(each));
  };

  const goTo = (number, focus = true) => {
    // The result of a tool is a part of the article with its call.
    const target = byId(`e${number}`);
    const article = target?.closest("article");
    if (!article) return;
    number = numberOf(article);
    if (article.hidden) showPath(number);
    if (target !== article) target.open = true;
    rowOf.get(here)?.classList.remove("here");
    here = number;
    const row = rowOf.get(number);
    row?.classList.add("here");
    row?.scrollIntoView({ block: "nearest" });
    if (focus) article.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  };

  const step = (wanted, direction) => {
    const shown = articles.filter((article) => !article.hidden);
    let index = shown.findIndex((article) => numberOf(article) === here);
    if (index < 0 && direction < 0) index = shown.length;
    for (index += direction; shown[index]; index += direction) {
      if (wanted(shown[index])) return goTo(numberOf(shown[index]));
    }
  };

  const stepBranch = (direction) => {
    const starts = articles.filter((article) => article.querySelector(":scope > p.branch"));
    const at = articles.indexOf(articleOf.get(here));
    const after = starts.filter((each) => (articles.indexOf(each) - at) * direction > 0);
    const next = direction > 0 ? after[0] : after.at(-1);
    if (next) goTo(numberOf(next));
  };

  const search = () => {
    const wanted = byId("search").value.trim().toLowerCase();
    hits = [];
    hit = -1;
    for (const article of articles) {
      const matches = wanted !== "" && article.lastElementChild.textContent.toLowerCase().includes(wanted);
      article.classList.toggle("hit", matches);
      rowOf.get(numberOf(article))?.classList.toggle("hit", matches);
      if (matches) hits.push(numberOf(article));
    }
    byId("found").textContent = wanted === "" ? "" : `${hits.length} found`;
  };

  const goToHit = (direction, focus = true) => {
    if (!hits.length) return;
    hit = (hit + direction + hits.length) % hits.length;
    if (hit < 0) hit = 0;
    byId("found").textContent = `${hit + 1} of ${hits.length}`;
    const article = articleOf.get(hits[hit]);
    const wanted = byId("search").value.trim().toLowerCase();
    for (const details of article.querySelectorAll("details")) {
      if (details.textContent.toLowerCase().includes(wanted)) details.open = true;
    }
    goTo(hits[hit], focus);
  };

  const fold = (details) => {
    const open = [...details].some((each) => !each.open);
    for (const each of details) each.open = open;
    return open;
  };
  const foldAll = () => {
    byId("fold-button").textContent = fold(document.querySelectorAll("main details")) ? "Fold all" : "Unfold all";
  };
  const toggleTree = () => document.body.classList.toggle("no-tree");
  const toggleAll = () => {
    all = !all;
    byId("all-button").textContent = all ? "One branch" : "All branches";
    showPath(here || data.leaf);
  };
  const toggleTheme = () => {
    const dark = root.classList.contains("dark")
      || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
  };

  const always = () => true;
  const isPrompt = (article) => article.classList.contains("user");
  const keys = {
    j: () => step(always, 1), k: () => step(always, -1),
    "]": () => step(isPrompt, 1), "[": () => step(isPrompt, -1),
    b: () => stepBranch(1), B: () => stepBranch(-1),
    n: () => goToHit(1), N: () => goToHit(-1),
    o: () => fold(articleOf.get(here)?.querySelectorAll("details") || []), O: foldAll,
    t: toggleTree, a: toggleAll, d: toggleTheme,
    g: () => goTo(numberOf(articles.find((article) => !article.hidden) || articles[0])),
    G: () => goTo(numberOf(articles.filter((article) => !article.hidden).at(-1))),
    "/": () => byId("search").focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === byId("search")) {
      if (event.key === "Enter") goToHit(event.shiftKey ? -1 : 1, false);
      if (event.key === "Escape") { byId("search").value = ""; search(); byId("search").blur(); }
      return;
    }
    if (Object.hasOwn(keys, event.key) && articles.length) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  byId("search").addEventListener("input", search);
  byId("tree-button").addEventListener("click", toggleTree);
  byId("fold-button").addEventListener("click", foldAll);
  byId("theme-button").addEventListener("click", toggleTheme);
  byId("all-button").addEventListener("click", toggleAll);
  byId("all-button").hidden = !hasBranches;
  document.querySelector(".bar").hidden = false;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#e']");
    if (!link) return;
    event.preventDefault();
    history.replaceState(null, "", link.hash);
    goTo(Number(link.hash.slice(2)));
  });
  addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("main details")) each.open = true; });
  const follow = () => goTo(Number(location.hash.slice(2)) || 0, false);
  addEventListener("hashchange", follow);
  showPath(data.leaf);
  follow();
})();
