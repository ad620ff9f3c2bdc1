// The entries that the agent would summarize, for each entry that a user could pick in its /tree.
export function leftBehind(SessionManager, { collect, prepare, fileLists }) {
  return async (path) => {
    const manager = await SessionManager.open(path);
    return manager.getEntries().map(({ id }) => {
      const { entries, commonAncestorId } = collect(manager, manager.getLeafId(), id);
      const { fileOps, messages } = prepare(entries);
      const { readFiles, modifiedFiles } = fileLists(fileOps);
      const messageCount = messages.filter((message) => message.role !== "toolResult").length;
      return [id, commonAncestorId, entries.map((entry) => entry.id), readFiles, modifiedFiles, messageCount];
    });
  };
}
