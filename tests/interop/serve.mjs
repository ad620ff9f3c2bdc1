// The loop of both drivers: it reads requests as JSON lines from standard input and writes one answer for each.
// Standard output has the answers only; all other output of the agent goes to standard error.
import { createInterface } from "node:readline";

for (const name of ["log", "info", "debug"]) console[name] = console.error;

// JSON has no `undefined`, which the agents distinguish from null.
const given = (value) => (value !== null && typeof value === "object" && value.$undefined ? undefined : value);

// Returns the tree as a list, because a tree as deep as a long session is too deep for JSON.
function flat(roots) {
  const rows = [];
  const stack = roots.map((node) => [node, -1]).reverse();
  while (stack.length > 0) {
    const [node, parent] = stack.pop();
    const position = rows.push([node.entry.id, parent, node.label ?? null]) - 1;
    for (const child of [...node.children].reverse()) stack.push([child, position]);
  }
  return rows;
}

function stateOf(manager) {
  const entries = manager.getEntries();
  const labels = {};
  const children = {};
  for (const { id } of entries) {
    labels[id] = manager.getLabel(id) ?? null;
    children[id] = manager.getChildren(id).map((child) => child.id);
  }
  return {
    entries,
    labels,
    children,
    tree: flat(manager.getTree()),
    header: manager.getHeader(),
    leaf: manager.getLeafId(),
    branch: manager.getBranch().map((entry) => entry.id),
    name: manager.getSessionName() ?? null,
    context: manager.buildSessionContext(),
    id: manager.getSessionId(),
    file: manager.getSessionFile() ?? null,
    dir: manager.getSessionDir(),
    cwd: manager.getCwd(),
  };
}

export async function serve(SessionManager, helpers = {}) {
  const managers = new Map();
  let next = 1;
  const operations = {
    async make({ how, args }) {
      const manager = await SessionManager[how](...args.map(given));
      managers.set(next, manager);
      return next++;
    },
    async call({ on, name, args }) {
      const value = await managers.get(on)[name](...args.map(given));
      return value === undefined ? null : value;
    },
    async state({ on }) {
      return stateOf(managers.get(on));
    },
    async forget({ on }) {
      managers.delete(on);
      return null;
    },
    async list({ how, args }) {
      return SessionManager[how](...args.map(given));
    },
    async help({ name, args }) {
      return helpers[name](...args.map(given));
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { op, ...rest } = JSON.parse(line);
    let answer;
    try {
      answer = { value: await operations[op](rest) };
    } catch (error) {
      answer = { error: String(error?.message ?? error) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
