// What a program would sum up for each entry that could be picked in its /tree.
export function leftBehind(SessionManager, { collect, prepare, fileLists }) {
  return async (path) => {
    const manager = await SessionManager.open(path);
    return manager.getEntries().map(({ id }) => {
      const { entries, commonAncestorId } = collect(manager, manager.getLeafId(), id);
      const { fileOps, messages } = prepare(entries);
      const { readFiles, modifiedFiles } = fileLists(fileOps);
      const told = messages.filter((message) => message.role !== "toolResult").length;
      return [id, commonAncestorId, entries.map((entry) => entry.id), readFiles, modifiedFiles, told];
    });
  };
}
