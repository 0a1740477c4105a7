import { repository } from '../composition/console-folder.ts'
import { readFlags } from '../config/flags.ts'
import { ConfigError } from '../config/parsers.ts'
import { inspectConfig } from '../config/read-config.ts'
import { settings } from '../config/settings.ts'
import type { Setting } from '../config/setting.ts'
import type { SettingKey } from '../config/spellings.ts'
import type { Environment } from '../config/variables.ts'
import type { Io } from './io.ts'

const help = `Print the settings in force, and where each comes from. Secrets are not printed.

Usage: muster config check [OPTIONS]

The options are those of "muster serve". The status is 2 if "muster serve" would refuse them.

Examples:
  muster config check
  muster config check --config /etc/muster/muster.toml
`

/** Runs `muster config ARGUMENTS` and returns the exit status. */
export function runConfig(args: readonly string[], environment: Environment, io: Io): number {
  if (args.includes('--help') || args.includes('-h')) {
    io.stdout.write(help)
    return 0
  }
  if (args[0] !== 'check') throw new ConfigError('"muster config" has one command: check')
  const inspected = inspectConfig(readFlags(args.slice(1)), environment)
  io.stdout.write(renderSettings(inspected))
  for (const problem of inspected.problems) io.stderr.write(`muster: ${problem}\n`)
  return inspected.problems.length === 0 ? 0 : 2
}

/** A line with the name, value and origin of each setting. */
function renderSettings({ config, values }: ReturnType<typeof inspectConfig>): string {
  // The console of the packaged build is always built.
  const shown = Object.entries<Setting<unknown>>(settings).filter(
    ([name]) => name !== 'consoleBuild' || repository !== undefined,
  )
  const rows = shown.map(([name, { variable, isSecret }]) => {
    const key = name as SettingKey
    const found = values.get(key)
    return {
      name: variable.replace(/^MUSTER_/, '').toLowerCase(),
      value: isSecret && found ? '(set)' : renderValue(found?.text, config[key]),
      origin: found?.origin ?? 'default',
    }
  })
  const width = (column: 'name' | 'value') => Math.max(...rows.map((row) => row[column].length))
  const [names, texts] = [width('name'), Math.min(40, width('value'))]
  return rows
    .map(({ name, value, origin }) => `${name.padEnd(names)}  ${value.padEnd(texts)}  ${origin}\n`)
    .join('')
}

/** An invalid text is not printed, because it may be a secret in the wrong place. */
function renderValue(text: string | undefined, value: unknown): string {
  if (text !== undefined && value === undefined) return '(invalid)'
  const shown = text ?? (typeof value === 'string' ? value : '')
  return shown === '' ? '(none)' : shown.replaceAll(/\p{Cc}/gu, '?')
}
