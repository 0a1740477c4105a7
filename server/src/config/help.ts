import { settings, type Setting } from './settings.ts'

const spellFlag = (flag: string, value: string | undefined) =>
  value === undefined ? `--${flag}` : `--${flag} <${value}>`

/** The text of `--help`. */
export function renderHelp(): string {
  const rows = Object.values<Setting<unknown>>(settings).map(
    ({ flag, variable, value, help, fallback }) => ({
      left: flag === undefined ? `(${variable} only)` : spellFlag(flag, value),
      middle: flag === undefined ? '' : variable,
      right: fallback ? `${help} [${fallback}]` : help,
    }),
  )
  const width = Math.max(...rows.map(({ left }) => left.length))
  const middleWidth = Math.max(...rows.map(({ middle }) => middle.length))
  const lines = rows.map(
    ({ left, middle, right }) => `  ${left.padEnd(width)}  ${middle.padEnd(middleWidth)}  ${right}`,
  )
  return `Muster: the roll of every server you run, through one identity and one API.

Examples:
  npm start                                       SQLite in ./data, on http://127.0.0.1:8400
  npm start -- --port 9000 --data-dir /var/lib/muster
  MUSTER_ADMIN_PASSWORD='a long sentence' npm start
  npm start -- --demo                             a simulated fleet to try it on, and people to try it as
  npm start -- --demo --demo-servers 100000
  npm start -- --database-url postgres://muster@db/muster --secret-key-file /etc/muster/secret.key

Settings, each a flag or a variable (the flag wins):
${lines.join('\n')}

  ${'-h, --help'.padEnd(width)}  ${''.padEnd(middleWidth)}  this text
  ${'--version'.padEnd(width)}  ${''.padEnd(middleWidth)}  the version
`
}
