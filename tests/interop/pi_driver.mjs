// node pi_driver.mjs PACKAGE: serve the SessionManager of the pi in the folder PACKAGE.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { leftBehind } from "./left.mjs";
import { serve } from "./serve.mjs";

const load = (...path) => import(pathToFileURL(join(process.argv[2], "dist", "core", ...path)).href);
const { SessionManager, buildSessionContext } = await load("session-manager.js");
const { collectEntriesForBranchSummary, prepareBranchEntries } = await load("compaction", "branch-summarization.js");
const { computeFileLists } = await load("compaction", "utils.js");

await serve(SessionManager, {
  buildSessionContext,
  leftBehind: leftBehind(SessionManager, {
    collect: collectEntriesForBranchSummary,
    prepare: prepareBranchEntries,
    fileLists: computeFileLists,
  }),
});
