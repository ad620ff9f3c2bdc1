// bun omp_driver.ts PACKAGE: the SessionManager of the oh-my-pi whose package lies in PACKAGE.
import { join } from "node:path";
import { serve } from "./serve.mjs";

const sessions = join(process.argv[2], "src", "session");
const { SessionManager } = await import(join(sessions, "session-manager.ts"));
const { serializeTitleSlot } = await import(join(sessions, "session-title-slot.ts"));

await serve(SessionManager, { serializeTitleSlot });
