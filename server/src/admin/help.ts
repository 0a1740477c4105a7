import type { AdminCommand } from './command.ts'

const settingsHelp = `Settings are given as to "muster serve", as options, in the environment or in the configuration file.
Use those of the server: --config, or --data-dir, or --database-url and --secret-key-file.`

const renderExamples = (examples: readonly string[]) =>
  examples.map((example) => `  muster admin ${example}\n`).join('')

/** The text of `muster admin COMMAND --help`. */
export const renderCommandHelp = ({ name, usage, summary, examples }: AdminCommand): string =>
  `${summary}

Usage: muster admin ${[name, usage, '[SETTINGS]'].filter(Boolean).join(' ')}

Examples:
${renderExamples(examples)}
${settingsHelp}
`

/** The text of `muster admin --help`. */
export function renderAdminHelp(commands: readonly AdminCommand[]): string {
  const width = Math.max(0, ...commands.map(({ name }) => name.length))
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`)
  return `Administer the data of a server that runs or is stopped.

Usage: muster admin COMMAND [ARGUMENTS] [SETTINGS]

Commands:
${list.join('')}
Examples:
${renderExamples(commands.flatMap(({ examples }) => examples.slice(0, 1)))}
${settingsHelp}
"muster admin COMMAND --help" describes a command.
`
}
