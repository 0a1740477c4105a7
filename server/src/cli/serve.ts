import { setTimeout as pause } from 'node:timers/promises'
import { findLeftoverDemo } from '../composition/find-leftover-demo.ts'
import type { Config } from '../config/read-config.ts'
import { openLogs } from './open-logs.ts'
import { createReload, type ReadConfig } from './reload.ts'
import { createPlatform, type Platform } from '../platform.ts'
import { canLogIn, renderWelcome } from './welcome.ts'

/** Milliseconds in which load balancers see that `/readyz` fails, before connections are refused. */
const drainTime = 2_000
const longestStop = 12_000

/** Starts the server. It runs until a signal stops it. */
export async function serve(config: Config, readAgain: ReadConfig): Promise<void> {
  // Runs while the storage opens: both are slow at the first start.
  const consoleBuilt = buildMissingConsole(config)
  const { logger, accessLog, reopen } = await openLogs(config)
  const start = new AbortController()
  const running: { platform?: Platform } = {}
  let isStopping = false
  const stop = async (signal: NodeJS.Signals) => {
    // With `npm start`, Ctrl-C arrives twice: from the terminal and from npm.
    if (isStopping) return
    isStopping = true
    logger.info({ signal }, 'stopping')
    // Acknowledged writes are stored, so the exit does not wait for a database that does not respond.
    setTimeout(() => process.exit(), longestStop).unref()
    const { platform } = running
    if (!platform) return start.abort()
    platform.drain()
    if (signal === 'SIGTERM') await pause(drainTime)
    await platform.close()
    logger.flush()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  // The package starts the server as a child if the Node of the machine is too old.
  process.on('disconnect', () => void stop('SIGTERM'))
  process.channel?.unref()
  const reload = createReload(config, readAgain, { logger, accessLog })
  process.on('SIGHUP', () => {
    reopen()
    if (running.platform) reload(running.platform)
  })
  // The state of the process is unknown now: running requests finish, and a supervisor starts it again.
  // Only the first failure is logged, because logging may be what fails.
  process.once('uncaughtException', (error) => {
    process.on('uncaughtException', () => {})
    process.exitCode = 1
    logger.fatal({ err: error }, 'unexpected failure, stopping')
    void stop('SIGTERM')
  })

  const platform = await createPlatform(config, {
    logger,
    accessLog,
    progress: process.stderr,
    consoleBuilt,
    signal: start.signal,
  }).catch((error: unknown) => {
    if (!start.signal.aborted) throw error
    process.exit()
  })
  if (start.signal.aborted) {
    const { newAdminPassword } = platform
    if (newAdminPassword !== undefined) {
      process.stdout.write(
        `First administrator: sysadmin, password ${newAdminPassword} (store it now)\n`,
      )
    }
    await platform.close()
    process.exit()
  }
  running.platform = platform
  await platform.listen()

  const notice = await findLeftoverDemo(config)
  // Printed last, because a supervisor may send a signal as soon as it reads this.
  process.stdout.write(renderWelcome(config, platform))
  const { demo, authUrl, baseUrl } = platform
  if (demo) process.stdout.write(demo.welcomeText(canLogIn(config) ? authUrl : undefined, baseUrl))
  process.stdout.write(notice)
}

/** Loads the build code only if it may be needed. */
async function buildMissingConsole({ roles, consoleBuild }: Config): Promise<void> {
  if (!consoleBuild || !roles.includes('gateway')) return
  const { consoleFolder, repository } = await import('../composition/console-folder.ts')
  if (repository === undefined) return
  const { buildConsole } = await import('../composition/build-console.ts')
  await buildConsole({ repository, folder: consoleFolder }, process.stderr).catch(
    (error: unknown) => {
      process.stderr.write(`Could not build the console: ${String(error)}\n`)
    },
  )
}
