import { join, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { parseArgs } from 'node:util'
import { ConfigError } from './parsers.ts'
import { settings, type Setting } from './settings.ts'

type Settings = typeof settings
type Parsed = { readonly [Key in keyof Settings]: ReturnType<Settings[Key]['parse']> }

/** The default data directory. */
export const defaultDataDir = resolve('data')

/** All settings, parsed and validated. */
export interface Config extends Parsed {
  readonly dataDir: string
  readonly secretKeyFile: string
}

type Environment = Readonly<Record<string, string | undefined>>
type Request =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly config: Config }

/** Reads flags and environment variables. A flag overrides its variable. */
export function readConfig(args: readonly string[], environment: Environment): Request {
  const flags = readFlags(args.map(expandBoolean))
  if (flags['help'] === true) return { kind: 'help' }
  if (flags['version'] === true) return { kind: 'version' }
  rejectUnknownVariables(environment)

  const parsed = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([key, definition]) => [
      key,
      readSetting(definition, flags, environment),
    ]),
  ) as Parsed
  return { kind: 'run', config: completeConfig(parsed) }
}

function readFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  }
  for (const { flag } of Object.values<Setting<unknown>>(settings)) {
    if (flag !== undefined) options[flag] = { type: 'string' }
  }
  const repeated = args.find(
    (arg, at) => flagOf(arg) && args.slice(0, at).map(flagOf).includes(flagOf(arg)),
  )
  if (repeated !== undefined) throw new ConfigError(`${flagOf(repeated)} is given more than once`)
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    throw new ConfigError(explainArguments(args, (error as { code?: string }).code))
  }
}

/** Replaces the messages of Node's parser, which repeat the arguments and could reveal a secret. */
function explainArguments(args: readonly string[], code = ''): string {
  const names = args.map((arg) => arg.split('=', 1)[0] ?? '')
  switch (code) {
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return `a flag was expected, not ${strayArgument(args)} (see --help)`
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION':
      return `unknown flag ${printable(names.find((name) => isUnknownFlag(name)) ?? '')} (see --help)`
    default:
      return `${names.find((name, at) => lacksValue(args, name, at)) ?? 'a flag'} needs a value (see --help)`
  }
}

const booleanFlags: ReadonlySet<string> = new Set(
  Object.values<Setting<unknown>>(settings).flatMap(({ flag, value }) =>
    flag !== undefined && value === undefined ? [`--${flag}`] : [],
  ),
)
/** A boolean flag without a value means true. All other flags need a value. */
const expandBoolean = (arg: string) => (booleanFlags.has(arg) ? `${arg}=true` : arg)

const flags: ReadonlySet<string> = new Set([
  ...Object.values<Setting<unknown>>(settings).flatMap(({ flag }) => (flag ? [`--${flag}`] : [])),
  '--help',
  '-h',
  '--version',
])
/** The first argument that belongs to no flag. Hidden unless it is a short word, because it may be a secret. */
function strayArgument(args: readonly string[]): string {
  const stray = args.find((arg, at) => !arg.startsWith('-') && !flags.has(args[at - 1] ?? ''))
  return stray !== undefined && /^[a-z]{1,20}$/.test(stray) ? stray : 'a word'
}

const flagOf = (arg: string): string | undefined => {
  const name = arg.split('=', 1)[0] ?? ''
  return flags.has(name) ? name : undefined
}
const isUnknownFlag = (name: string) => name.startsWith('-') && !flags.has(name)
const lacksValue = (args: readonly string[], name: string, at: number) =>
  flags.has(name) && args[at] === name && (args[at + 1] ?? '-').startsWith('-')

const printable = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 80)

function rejectUnknownVariables(environment: Environment): void {
  const known = new Set(Object.values<Setting<unknown>>(settings).map(({ variable }) => variable))
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('MUSTER_') && !known.has(name),
  )
  if (unknown !== undefined) {
    throw new ConfigError(`unknown variable ${printable(unknown)} (see --help)`)
  }
}

function readSetting(
  definition: Setting<unknown>,
  flags: Readonly<Record<string, string | boolean | undefined>>,
  environment: Environment,
): unknown {
  const { flag, variable, parse, fallback } = definition
  const fromFlag = flag === undefined ? undefined : flags[flag]
  const text = fromFlag === undefined ? (environment[variable] ?? fallback) : String(fromFlag)
  if (text === undefined) return undefined
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const name = fromFlag === undefined ? variable : `--${flag}`
    throw new ConfigError(`${name} ${error.message}`)
  }
}

function requireUsableCertificate({ tlsCert, tlsKey }: Parsed): void {
  if (tlsCert === undefined) return
  try {
    createSecureContext({ cert: tlsCert, key: tlsKey })
  } catch {
    throw new ConfigError('--tls-cert and --tls-key must be a PEM certificate and its private key')
  }
}

/** A gateway forwards requests to the API. It needs the address of each role that this process does not have. */
function requireUpstream({ roles, authUrl, baseUrl, demo }: Parsed): void {
  if (!roles.includes('gateway')) return
  const isMissing = {
    '--auth-url': !roles.includes('identity') && authUrl === undefined,
    '--base-url': !roles.includes('platform') && baseUrl === undefined,
  }
  const missing = Object.entries(isMissing).flatMap(([flag, is]) => (is ? [flag] : []))
  if (missing.length > 0) {
    throw new ConfigError(
      `--roles ${roles.join(',')} needs ${missing.join(' and ')}: the gateway forwards requests to this address`,
    )
  }
  if (demo && roles.length === 1) {
    throw new ConfigError('--demo needs the role identity or platform: a gateway stores no servers')
  }
}

function completeConfig(parsed: Parsed): Config {
  if ((parsed.tlsCert === undefined) !== (parsed.tlsKey === undefined)) {
    throw new ConfigError('--tls-cert and --tls-key must be given together')
  }
  requireUsableCertificate(parsed)
  if (parsed.demoServers !== undefined && !parsed.demo) {
    throw new ConfigError('--demo-servers needs --demo')
  }
  requireUpstream(parsed)
  if (parsed.databaseUrl !== undefined && parsed.secretKeyFile === undefined) {
    throw new ConfigError(
      'MUSTER_SECRET_KEY_FILE is required with PostgreSQL: all processes must use the same key (the file is created if it does not exist)',
    )
  }
  const dataDir = parsed.dataDir ?? (parsed.demo ? resolve('data-demo') : defaultDataDir)
  return {
    ...parsed,
    dataDir,
    secretKeyFile: parsed.secretKeyFile ?? join(dataDir, 'secret.key'),
  }
}
