import type { Description, NounFacts } from '../description/description.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectionFlags, helpFlag, listFlags, outputFlags, type Flag } from '../grammar/flag.ts'
import type { Command } from '../grammar/command.ts'
import type { OwnCommand } from '../grammar/find-command.ts'
import type { OtherCommand } from '../run-cli.ts'

const align = (rows: readonly (readonly [string, string])[], most = 34): string => {
  const width = Math.min(most, Math.max(0, ...rows.map(([left]) => left.length)))
  return rows
    .map(([left, right]) =>
      left.length > width
        ? `  ${left}\n  ${' '.repeat(width)}  ${right}`
        : `  ${left.padEnd(width)}  ${right}`,
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

const section = (title: string, body: string): string => (body === '' ? '' : `\n${title}:\n${body}`)

export function flagUsage({ name, short, kind, placeholder, choices }: Flag): string {
  const value = choices && choices.length <= 8 ? choices.join('|') : (placeholder ?? 'TEXT')
  const dashes = `${short === undefined ? '    ' : `-${short}, `}--${name}`
  return kind === 'boolean' ? dashes : `${dashes} ${value}`
}

const renderFlags = (flags: readonly Flag[]): string =>
  align(flags.map((flag) => [flagUsage(flag), flag.help]))

const wrap = (text: string, width = 96): string =>
  text
    .split('\n')
    .flatMap(
      (line) => line.match(new RegExp(String.raw`\S(?:.{0,${width - 2}}\S)?(?=\s|$)`, 'g')) ?? [''],
    )
    .join('\n')

/** The help of one command: examples first. */
export function renderCommand(command: Command): string {
  const { words, summary, usage, examples, flags, details = '', columns = [] } = command
  const name = ['muster', ...words].join(' ')
  const listNames = new Set(listFlags.map((flag) => flag.name))
  const isList = flags.some(({ name }) => name === 'all')
  const own = isList ? flags.filter((flag) => !listNames.has(flag.name)) : flags
  return [
    `${summary}\n`,
    section('Examples', examples.map((example) => `  muster ${example}\n`).join('')),
    `\nUsage: ${name} ${usage}${usage === '' ? '' : ' '}[FLAGS]\n`,
    ...(details === '' ? [] : [`\n${wrap(details)}\n`]),
    section(isList ? 'List' : '', isList ? renderFlags(listFlags) : ''),
    section(isList ? 'Filters' : 'Flags', renderFlags(own)),
    section('Output', renderFlags(outputFlags)),
    section('Connection', renderFlags([...connectionFlags, helpFlag])),
    section('Columns', columns.length === 0 ? '' : `${wrap(columns.join(', '))}\n`),
  ].join('')
}

const ownVerbs = (own: readonly OwnCommand[], word: string) =>
  own
    .filter(({ words, isHidden }) => words[0] === word && isHidden !== true)
    .map(({ words, summary }) => [words.join(' '), summary] as const)

/** The verbs of a noun. */
export function renderNoun(
  noun: NounFacts,
  { operations }: Description,
  own: readonly OwnCommand[],
): string {
  const replaced = ownVerbs(own, noun.word)
  const rows = Object.entries(noun.verbs).map(
    ([verb, id]) => [`${noun.word} ${verb}`, `${operations[id]?.summary ?? ''}.`] as const,
  )
  const all = new Map<string, string>([...rows, ...replaced])
  return `Usage: muster ${noun.word} VERB [ARGUMENTS] [FLAGS]
${section('Verbs', align([...all]))}
"muster ${noun.word} VERB --help" has examples and all flags.
`
}

/** The help of the program. */
export function renderUsage(
  { nouns }: Description,
  own: readonly OwnCommand[],
  others: readonly OtherCommand[],
): string {
  const isNoun = (word: string) => nouns.some((noun) => noun.word === word)
  const commands = own
    .filter(({ isHidden, words }) => isHidden !== true && !isNoun(words[0] ?? ''))
    .map(({ words, summary }) => [words.join(' '), summary] as const)
  const help = ['help [COMMAND]', 'Print the help of a command.'] as const
  const server = others.map(({ name, usage, summary }) => [`${name} ${usage}`, summary] as const)
  return `Muster: a self-hosted inventory of your virtual machines across clouds and hypervisors.

Examples:
  muster serve --demo                          a simulated fleet on http://127.0.0.1:8400
  muster auth login --url https://muster.test  log in and store a token
  muster server list 'status:running vcpu:8..' running servers with 8 vCPUs or more
  muster server show web-7 -f json             one server, by name or id
  muster server stop web-7 --wait              stop it, and wait until it has stopped

Usage: muster COMMAND [ARGUMENTS] [FLAGS]
${section('Server', align(server))}${section('Commands', align([...commands, help]))}
Nouns (muster NOUN VERB; "muster NOUN" lists the verbs):
${wrap(nouns.map(({ word }) => word).join(', '), 94)
  .split('\n')
  .map((line) => `  ${line}\n`)
  .join('')}
Options:
  -h, --help  Print this help, or the help of a command.
  --version   Print the version.

"muster help exit-codes" explains the exit codes, "muster help query" the query language.
`
}

const topics: Readonly<Record<string, () => string>> = {
  'exit-codes': () =>
    `Exit codes:\n${align(
      Object.values(exitCodes).map(([code, meaning]) => [String(code), meaning] as const),
    )}`,
  query: () => `A query has terms. All must match.

  status:running        the field has the value
  status:running,ready  one of the values
  -project:demo         not
  vcpu:8..16            from 8 to 16; "vcpu:8.." and "vcpu:..4" are open ranges
  vcpu>=8 mem>4G        comparisons of numbers and times
  created:2026-05-01..  times: from this day on
  tag:env=prod          a tag
  ip:10.4.0.0/16        an address in a network
  web "two words"       words are searched for

Write the query as one argument in quotes, or after "--":

  muster server list 'status:running -project:demo'
  muster server list --all -- status:running -project:demo
`,
}

/** A page of the help that is about no command. */
export const renderTopic = (name: string): string | undefined =>
  Object.hasOwn(topics, name) ? topics[name]?.() : undefined
