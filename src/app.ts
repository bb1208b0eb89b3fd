import { type Overrides, openCore } from './app/core.ts'
import { buildInternal } from './app/internal.ts'
import { createLifecycle } from './app/lifecycle.ts'
import { buildPublic } from './app/public.ts'
import { buildUpkeep } from './app/upkeep.ts'
import type { Config } from './config/config.ts'
import type { Logger } from './ops/log.ts'
import { createOpsServer } from './ops/server.ts'

export type { Overrides } from './app/core.ts'

/** Creates and connects all parts. Nothing listens before `start`. */
export async function createApp(config: Config, log: Logger, overrides: Overrides = {}) {
  const core = await openCore(config, log, overrides)
  return createLifecycle(core, {
    public: buildPublic(core),
    internal: buildInternal(core),
    ops: createOpsServer(core),
    upkeep: buildUpkeep(core),
  })
}
