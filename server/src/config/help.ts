import { settingGroups } from './setting-groups.ts'
import { settings } from './settings.ts'
import type { Setting } from './setting.ts'
import { spellings } from './spellings.ts'

const lineLength = 92
const indent = ' '.repeat(6)

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && indent.length + line.length + 1 + word.length > lineLength) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => indent + line).join('\n')
}

const spellFlag = ({ flag, value }: Setting<unknown>) => {
  if (flag === undefined) return '(no flag)'
  return value === undefined ? `--${flag}` : `--${flag} <${value}>`
}

const fileNames = ({ variable }: Setting<unknown>) => {
  const file = spellings.find((spelling) => spelling.variable === `${variable}_FILE`)
  return `From a file: ${file?.flag}, ${file?.variable}.`
}

/** The text of `muster serve --help`. */
export function renderHelp(): string {
  const all = Object.values<Setting<unknown>>(settings)
  const flagWidth = Math.max(...all.map((setting) => spellFlag(setting).length))
  const variableWidth = Math.max(...all.map(({ variable }) => variable.length))

  const renderSetting = (setting: Setting<unknown>) => {
    const { variable, help, fallback, isSecret } = setting
    const start = `  ${spellFlag(setting).padEnd(flagWidth)}  `
    const names = fallback ? `${variable.padEnd(variableWidth)}  [${fallback}]` : variable
    return `${start}${names}\n${wrap(isSecret ? `${help} ${fileNames(setting)}` : help)}`
  }
  const groups = Object.entries(settingGroups).map(
    ([title, keys]) => `${title}:\n${keys.map((key) => renderSetting(settings[key])).join('\n')}`,
  )
  return `Start the server.

Usage: muster serve [OPTIONS], or in the repository: npm start -- [OPTIONS]

Examples:
  muster serve                          SQLite in ./data, on http://127.0.0.1:8400
  muster serve --demo                   a simulated fleet and demo users
  muster serve --demo --demo-servers 100000
  muster serve --port 9000 --data-dir /var/lib/muster
  MUSTER_ADMIN_PASSWORD='a long sentence' muster serve
  muster serve --config /etc/muster/muster.toml
  muster serve --database-url postgres://muster@db/muster --secret-key-file /etc/muster/secret.key

Settings: flag, environment variable, [default]. A flag overrides its variable, and a variable the
configuration file. "muster config check" prints the settings in force, and where each comes from.
Times are seconds, or a number with s, m, h or d. Lists are comma-separated.

${groups.join('\n\n')}

Other:
  -h, --help
${wrap('Print this help.')}
  --version
${wrap('Print the version.')}
`
}
