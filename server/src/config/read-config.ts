import { join, resolve } from 'node:path'
import { findConflicts } from './find-conflicts.ts'
import { findValues, type FoundValue } from './find-values.ts'
import { readFlags } from './flags.ts'
import { ConfigError } from './parsers.ts'
import { settings } from './settings.ts'
import type { Setting } from './setting.ts'
import type { SettingKey } from './spellings.ts'
import { checkVariables, withoutServiceLinks, type Environment } from './variables.ts'

type Settings = typeof settings
export type Parsed = { readonly [Key in keyof Settings]: ReturnType<Settings[Key]['parse']> }

/** The default data directory. */
export const defaultDataDir = resolve('data')

/** All settings, parsed and validated. */
export interface Config extends Parsed {
  readonly dataDir: string
  readonly secretKeyFile: string
}

type Request =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly config: Config }

/** Reads flags, environment variables and the configuration file. */
export function readConfig(args: readonly string[], environment: Environment): Request {
  const flags = readFlags(args)
  if (flags['help'] === true) return { kind: 'help' }
  if (flags['version'] === true) return { kind: 'version' }
  const { config, problems } = inspectConfig(flags, environment)
  const [first, ...others] = problems
  if (first === undefined) return { kind: 'run', config }
  const more = others.length === 0 ? '' : `; ${others.length} more: run "muster config check"`
  throw new ConfigError(`${first}${more}`)
}

/** Reads all settings, with the texts they were read from and everything that is wrong with them. */
export function inspectConfig(flags: ReturnType<typeof readFlags>, environment: Environment) {
  const { values, problems } = findValues(flags, withoutServiceLinks(environment))
  problems.unshift(...checkVariables(environment))
  const parsed = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([key, { parse }]) => [
      key,
      parseValue(parse, values.get(key as SettingKey), problems),
    ]),
  ) as Parsed
  if (problems.length === 0) problems.push(...findConflicts(parsed))
  return { config: completeConfig(parsed), values, problems }
}

function parseValue(
  parse: (text: string) => unknown,
  found: FoundValue | undefined,
  problems: string[],
): unknown {
  if (!found) return undefined
  try {
    return parse(found.text)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(`${found.origin} ${error.message}`)
    return undefined
  }
}

function completeConfig(parsed: Parsed): Config {
  const dataDir = parsed.dataDir ?? (parsed.demo ? resolve('data-demo') : defaultDataDir)
  return {
    ...parsed,
    dataDir,
    secretKeyFile: parsed.secretKeyFile ?? join(dataDir, 'secret.key'),
  }
}
