import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { connect } from '../connection/connect.ts'
import { cacheFolder } from '../connection/folders.ts'
import { readJson, writePrivateJson } from '../connection/private-file.ts'
import { listProfiles } from '../connection/profiles.ts'
import type { NounFacts } from '../description/description.ts'
import type { Command, Run } from '../grammar/command.ts'
import { findCommand, type OwnCommand } from '../grammar/find-command.ts'
import { globalFlags, type Flag } from '../grammar/flag.ts'
import { loadCommand } from '../grammar/load-command.ts'
import { parseFlags } from '../grammar/parse-flags.ts'

/** Milliseconds in which names are not read again. */
const lifetime = 30_000
const mostNames = 50

/** Names that a shell needs no quotes for. Others would have to be quoted differently by each shell. */
const isPlain = (name: string): boolean => /^[\p{L}\p{N}._@+][\p{L}\p{N}._@:+/-]*$/u.test(name)

type NameCache = Readonly<
  Record<string, { readonly at: number; readonly names: readonly string[] }>
>

async function readNames(run: Run, noun: NounFacts, prefix: string): Promise<readonly string[]> {
  const list = run.description.operations[noun.verbs['list'] ?? '']
  if (list?.query.some(({ name }) => name === 'name') !== true) return []
  // Nobody is asked for a password in the middle of a line.
  const io = { ...run.io, stdin: Readable.from([]) }
  const args = parseFlags(globalFlags, ['--timeout', '3'])
  const { client, settings } = await connect({ args, io, environment: run.environment })
  const key = createHash('sha256')
    .update(JSON.stringify([settings.url, settings.credential, settings.scope, noun.word, prefix]))
    .digest('hex')
  const file = join(cacheFolder(run.environment), 'names.json')
  const cache = readJson<NameCache>(file) as NameCache
  const stored = cache[key]
  const isFresh = (at: number) => Math.abs(Date.now() - at) < lifetime
  if (stored && isFresh(stored.at)) return stored.names
  const query = {
    ...(prefix !== '' && { filter: [`name.startswith('${prefix}')`] }),
    ...(list.path.startsWith('/servers') && { scope: 'max' }),
    field: ['name'],
    limit: mostNames,
  }
  const { body } = await client.request(list.id, { query })
  const items = (body as Record<string, readonly { readonly name: string }[]>)[
    list.answer?.key ?? ''
  ]
  const names = [...new Set((items ?? []).map(({ name }) => name))].filter(isPlain)
  const fresh = Object.entries(cache).filter(([, { at }]) => isFresh(at))
  writePrivateJson(file, { ...Object.fromEntries(fresh), [key]: { at: Date.now(), names } })
  return names
}

const namesOf = ({ name, short }: Flag): readonly string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
]

function completeValue(run: Run, flag: Flag, command: Command): readonly string[] {
  if (flag.choices) return flag.choices
  if (flag.completes === 'column') return command.columns ?? []
  if (flag.completes === 'profile') return listProfiles(run.environment)
  return []
}

async function complete(run: Run, own: readonly OwnCommand[]): Promise<readonly string[]> {
  const { description } = run
  const words = run.args.positionals
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const shown = own.filter(({ isHidden }) => isHidden !== true).map((each) => each.words)
  if (before.length === 0) {
    const first = [
      ...description.nouns.map(({ word }) => word),
      ...shown.map(([word = '']) => word),
    ]
    return [...new Set([...first, 'help', 'serve', 'admin', 'config'])]
  }
  const inGroup = shown.filter(([word]) => word === before[0]).flatMap(([, verb]) => verb ?? [])
  const noun = description.nouns.find(({ word }) => word === before[0])
  if (before.length === 1 && (noun || inGroup.length > 0)) {
    return [...new Set([...Object.keys(noun?.verbs ?? {}), ...inGroup])]
  }
  const command = await loadCommand(description, own, findCommand(description, own, before))
  if (!command) return []
  const flags = [...command.flags, ...globalFlags]
  const previous = flags.find(
    (flag) => flag.kind !== 'boolean' && namesOf(flag).includes(before.at(-1) ?? ''),
  )
  if (previous) return completeValue(run, previous, command)
  if (last.startsWith('-')) return flags.map(({ name }) => `--${name}`)
  const named = description.nouns.find(({ word }) => word === command.completes)
  return named && (last === '' || isPlain(last)) ? await readNames(run, named, last) : []
}

/** Prints what can stand at the end of a command line. The scripts of the shells call it. */
export const completeCommand = (own: readonly OwnCommand[]): Command => ({
  words: ['__complete'],
  summary: 'Print what can stand at the end of a command line.',
  usage: '-- WORD…',
  examples: ['__complete -- server show we'],
  flags: [],
  async run(run) {
    const last = run.args.positionals.at(-1) ?? ''
    // A shell shows errors in the middle of the line that is typed.
    const found = await complete(run, own).catch(() => [])
    const fitting = found.filter((word) => word.startsWith(last))
    run.output.write(fitting.map((word) => `${word}\n`).join(''))
    return 0
  },
})
