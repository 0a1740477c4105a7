import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { destination } from 'pino'
import { findLeftoverDemo } from './composition/find-leftover-demo.ts'
import { renderHelp } from './config/help.ts'
import { ConfigError } from './config/parsers.ts'
import { readConfig, type Config } from './config/read-config.ts'
import { createLogger } from './log.ts'
import { createPlatform, type Platform } from './platform.ts'

/** Milliseconds in which load balancers see that `/readyz` fails, before connections are refused. */
const drainTime = 2_000
const longestStop = 12_000

/** Reads the settings, then starts the platform. */
async function main(): Promise<void> {
  const request = readConfig(process.argv.slice(2), process.env)
  switch (request.kind) {
    case 'help':
      process.stdout.write(renderHelp())
      return
    case 'version':
      process.stdout.write(`${version()}\n`)
      return
    case 'run':
      await run(request.config)
  }
}

function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

async function run(config: Config): Promise<void> {
  // Runs while the storage opens: both are slow at the first start.
  const consoleBuilt = buildMissingConsole(config)
  const logger = createLogger(config.logLevel, destination({ dest: 2, sync: false }))
  const start = new AbortController()
  const running: { platform?: Platform } = {}
  let isStopping = false
  const stop = async (signal: NodeJS.Signals) => {
    // With `npm start`, Ctrl-C arrives twice: from the terminal and from npm.
    if (isStopping) return
    isStopping = true
    logger.info({ signal }, 'stopping')
    // Acknowledged writes are stored, so the exit does not wait for a database that does not respond.
    setTimeout(() => process.exit(0), longestStop).unref()
    const { platform } = running
    if (!platform) return start.abort()
    platform.drain()
    if (signal === 'SIGTERM') await pause(drainTime)
    await platform.close()
    logger.flush()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)

  const platform = await createPlatform(config, {
    logger,
    progress: process.stderr,
    consoleBuilt,
    signal: start.signal,
  }).catch((error: unknown) => {
    if (!start.signal.aborted) throw error
    process.exit(0)
  })
  if (start.signal.aborted) {
    const { newAdminPassword } = platform
    if (newAdminPassword !== undefined) {
      process.stdout.write(
        `First administrator: sysadmin, password ${newAdminPassword} (store it now)\n`,
      )
    }
    await platform.close()
    process.exit(0)
  }
  running.platform = platform
  await platform.listen()

  const notice = await findLeftoverDemo(config)
  // Printed last, because a supervisor may send a signal as soon as it reads this.
  process.stdout.write(renderWelcome(config, platform))
  const { demo, authUrl, baseUrl } = platform
  if (demo) process.stdout.write(demo.welcomeText(authUrl, baseUrl))
  process.stdout.write(notice)
}

/** Loads the build code only if it may be needed. */
async function buildMissingConsole({ roles, consoleBuild }: Config): Promise<void> {
  if (!consoleBuild || !roles.includes('gateway')) return
  const [{ buildConsole }, { consoleFolder }] = await Promise.all([
    import('./composition/build-console.ts'),
    import('./composition/console-folder.ts'),
  ])
  const repository = fileURLToPath(new URL('../../', import.meta.url))
  await buildConsole({ repository, folder: consoleFolder }, process.stderr).catch(
    (error: unknown) => {
      process.stderr.write(`Could not build the console: ${String(error)}\n`)
    },
  )
}

function renderWelcome({ roles }: Config, platform: Platform): string {
  const { publicUrl, authUrl, baseUrl, newAdminPassword } = platform
  const password = newAdminPassword ?? '$PASSWORD'
  const login = {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: 'sysadmin', domain: { name: 'Default' }, password } },
      },
      scope: { project: { name: 'system', domain: { name: 'Default' } } },
    },
  }
  // The variable is outside the single quotes, so that the shell inserts the password.
  const body = JSON.stringify(login).replace('$PASSWORD', `'"$&"'`)
  const curl = `curl -si ${authUrl}/v3/auth/tokens -H 'Content-Type: application/json' -d '${body}'`
  return [
    '',
    'Muster is up.',
    '',
    ...(roles.includes('gateway') ? [`  console   ${publicUrl}/console/`] : []),
    `  auth_url  ${authUrl}`,
    `  base_url  ${baseUrl}`,
    `  docs      ${baseUrl}/docs`,
    ...(newAdminPassword === undefined
      ? []
      : [
          '',
          `  user      sysadmin`,
          `  password  ${newAdminPassword}   (shown only once: store it now)`,
        ]),
    '',
    'Log in (the token is in the header X-Subject-Token):',
    '',
    `  ${newAdminPassword === undefined ? "printf 'Password: '; read -rs PASSWORD; " : ''}${curl}`,
    '',
    '',
  ].join('\n')
}

/** Messages for operating system errors that an invalid setting causes. */
const settingErrors: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: '--host is not an address of this machine',
  ENOTFOUND: '--host is not an address of this machine',
  EACCES: 'no permission for --data-dir or --port: use another one, or another user',
  EEXIST: '--data-dir is not a directory',
  ENOTDIR: '--data-dir is not a directory',
}

/** One line without a stack, and the exit status: 2 for an invalid setting, otherwise 1. */
function explain(error: unknown): { line: string; status: number } {
  const { message, code = '', cause } = error as Error & { code?: string }
  if (error instanceof ConfigError) return { line: message, status: 2 }
  if (code === 'EADDRINUSE')
    return { line: 'the port is already in use: choose another with --port', status: 1 }
  const settingError = settingErrors[code]
  if (settingError !== undefined) return { line: settingError, status: 2 }
  const reason = (cause as { code?: unknown } | undefined)?.code
  return { line: typeof reason === 'string' ? `${message} (${reason})` : message, status: 1 }
}

main().catch((error: unknown) => {
  const { line, status } = explain(error)
  process.stderr.write(`muster: ${line}\n`)
  process.exit(status)
})
