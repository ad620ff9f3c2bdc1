// What both drivers do: requests come in as JSON lines on standard input, one answer goes out for each of them.
// Standard output is for answers alone; whatever a program wants to print goes to standard error.
import { createInterface } from "node:readline";

for (const name of ["log", "info", "debug"]) console[name] = console.error;

// JSON has no `undefined`, and the programs tell it from null.
const given = (value) => (value !== null && typeof value === "object" && value.$undefined ? undefined : value);

// In one list, because a tree as deep as its session is long is too deep for JSON.
function flat(roots) {
  const found = [];
  const stack = roots.map((node) => [node, -1]).reverse();
  while (stack.length > 0) {
    const [node, parent] = stack.pop();
    const place = found.push([node.entry.id, parent, node.label ?? null]) - 1;
    for (const child of [...node.children].reverse()) stack.push([child, place]);
  }
  return found;
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
