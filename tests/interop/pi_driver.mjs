// node pi_driver.mjs PACKAGE: the SessionManager of the pi whose package lies in PACKAGE.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "./serve.mjs";

const core = pathToFileURL(join(process.argv[2], "dist", "core", "session-manager.js")).href;
const { SessionManager, buildSessionContext } = await import(core);

await serve(SessionManager, { buildSessionContext });
