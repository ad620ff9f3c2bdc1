// The entries that the agent would summarize, for each entry that a user could pick in its /tree, and what the
// model gets of them: "" if `serialize` is not given.
export function leftBehind(SessionManager, { collect, prepare, fileLists, serialize = () => "" }) {
  return async (path) => {
    const manager = await SessionManager.open(path);
    return manager.getEntries().map(({ id }) => {
      const { entries, commonAncestorId } = collect(manager, manager.getLeafId(), id);
      const { fileOps, messages } = prepare(entries);
      const { readFiles, modifiedFiles } = fileLists(fileOps);
      const messageCount = messages.filter((message) => message.role !== "toolResult").length;
      const ids = entries.map((entry) => entry.id);
      return [id, commonAncestorId, ids, readFiles, modifiedFiles, messageCount, serialize(messages)];
    });
  };
}
