// node pi_driver.mjs PACKAGE: serve the SessionManager of the pi in the folder PACKAGE.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { leftBehind } from "./left.mjs";
import { serve } from "./serve.mjs";

const load = (...path) => import(pathToFileURL(join(process.argv[2], "dist", "core", ...path)).href);
const { SessionManager, buildSessionContext } = await load("session-manager.js");
const { collectEntriesForBranchSummary, prepareBranchEntries } = await load("compaction", "branch-summarization.js");
const { computeFileLists, serializeConversation } = await load("compaction", "utils.js");
const { convertToLlm } = await load("messages.js");

// What /session shows of a file: the sums, and the costs by model. The modules take long to load, and one test
// needs them.
async function sessionStats(path) {
  const { AgentSession } = await load("agent-session.js");
  const { getUsageCostBreakdown } = await load("usage-totals.js");
  const sessionManager = await SessionManager.open(path);
  const of = { sessionManager, getContextUsage: () => undefined };
  const { tokens, cost } = AgentSession.prototype.getSessionStats.call(of);
  return { tokens, cost, breakdown: getUsageCostBreakdown(sessionManager.getEntries()) };
}

await serve(SessionManager, {
  sessionStats,
  buildSessionContext,
  leftBehind: leftBehind(SessionManager, {
    collect: collectEntriesForBranchSummary,
    prepare: prepareBranchEntries,
    fileLists: computeFileLists,
    serialize: (messages) => serializeConversation(convertToLlm(messages)),
  }),
});
