// bun omp_driver.ts PACKAGE: serve the SessionManager of the oh-my-pi in the folder PACKAGE.
import { join } from "node:path";
import { leftBehind } from "./left.mjs";
import { serve } from "./serve.mjs";

const sessions = join(process.argv[2], "src", "session");
const { SessionManager } = await import(join(sessions, "session-manager.ts"));
const { serializeTitleSlot } = await import(join(sessions, "session-title-slot.ts"));
const { loadPinnedSessionIds, toggleSessionPin } = await import(join(sessions, "session-pins.ts"));

// The lock with which oh-my-pi changes its pins. The driver holds it from takeLock to releaseLock.
const { acquireFileLock } = await import(join(process.argv[2], "..", "pi-utils", "src", "file-lock.ts"));
let held;

const summing = join(process.argv[2], "..", "pi-agent-core", "src", "compaction");
const { collectEntriesForBranchSummary, prepareBranchEntries } = await import(join(summing, "branch-summarization.ts"));
const { computeFileLists } = await import(join(summing, "utils.ts"));

await serve(SessionManager, {
  leftBehind: leftBehind(SessionManager, {
    collect: collectEntriesForBranchSummary,
    // No session of a test is too long for a model, so its tokens are not counted.
    prepare: (entries) => prepareBranchEntries(entries, { countMessage: () => 0 }),
    fileLists: computeFileLists,
  }),
  serializeTitleSlot,
  // Returns the content of an internal URL in a session, as the handlers of oh-my-pi give it to the model.
  async readUrl(sessionFile, url) {
    const urls = join(process.argv[2], "src", "internal-urls");
    const { parseInternalUrl } = await import(join(urls, "parse.ts"));
    const { ArtifactProtocolHandler } = await import(join(urls, "artifact-protocol.ts"));
    const { AgentProtocolHandler } = await import(join(urls, "agent-protocol.ts"));
    const { LocalProtocolHandler } = await import(join(urls, "local-protocol.ts"));
    const manager = await SessionManager.open(sessionFile);
    const localProtocolOptions = {
      getArtifactsDir: () => manager.getArtifactsDir(),
      getSessionId: () => manager.getSessionId(),
    };
    const context = { sessionFile, localProtocolOptions };
    for (const handler of [new ArtifactProtocolHandler(), new AgentProtocolHandler(), new LocalProtocolHandler()]) {
      if (url.startsWith(`${handler.scheme}:`)) return (await handler.resolve(parseInternalUrl(url), context)).content;
    }
  },
  toggleSessionPin,
  async loadPinnedSessionIds(folder) {
    return [...(await loadPinnedSessionIds(folder))];
  },
  // `omp gc --archive --apply` for every session.
  async archive(agentDir) {
    const { runGcCommand } = await import(join(process.argv[2], "src", "cli", "gc-cli.ts"));
    const write = process.stdout.write;
    // The command prints to standard output, which is reserved for answers.
    process.stdout.write = () => true;
    try {
      const flags = { agentDir, apply: true, archive: true };
      const all = { coldArchiveAfterDays: 0, retainNewestGlobal: 0, retainNewestPerCwd: 0 };
      return (await runGcCommand({ flags: { ...flags, ...all } })).archive;
    } finally {
      process.stdout.write = write;
    }
  },
  async takeLock(path, retries) {
    held = await acquireFileLock(path, { retries, retryDelayMs: 10 });
    return true;
  },
  releaseLock() {
    held.release();
    return true;
  },
});
