import { renderWelcome } from '../cli/welcome.ts'
import { readConfig } from '../config/read-config.ts'
import { createLogger } from '../log.ts'
import { createPlatform } from '../platform.ts'
import { shortTaskLimits } from './short-task-limits.ts'

/**
 * Muster as its own process, as `muster serve` starts it, but with short limits of leases and requests:
 * after a crash, tasks wait for both.
 */
const request = readConfig(process.argv.slice(2), process.env)
if (request.kind !== 'run') throw new Error('the flags do not ask for a running platform')
const platform = await createPlatform(request.config, {
  logger: createLogger(request.config.logLevel, process.stderr),
  taskLimits: shortTaskLimits,
})
await platform.listen()
process.stdout.write(renderWelcome(request.config, platform))
