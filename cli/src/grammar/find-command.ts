import type { Description, NounFacts } from '../description/description.ts'
import { UsageError } from '../usage-error.ts'
import { didYouMean } from './nearest-word.ts'
import type { Command } from './command.ts'

/** Commands that are not about one noun, and words of their own, each loaded when it runs. */
export interface OwnCommand {
  readonly words: readonly string[]
  readonly summary: string
  readonly load: (description: Description, own: readonly OwnCommand[]) => Promise<Command>
  /** Not in the help: another spelling. */
  readonly isHidden?: true
}

/** What a person typed before the flags: a noun and a verb, or a command. */
export interface Found {
  readonly noun?: NounFacts
  readonly verb?: string
  readonly own?: OwnCommand
  /** The arguments after the words. */
  readonly rest: readonly string[]
}

const nounOf = ({ nouns }: Description, word: string): NounFacts | undefined =>
  nouns.find((noun) => noun.word === word || noun.aliases.includes(word))

/** Verbs of Cloudpods' client that Muster names differently, by noun. */
const otherVerbs: Readonly<Record<string, string>> = {
  'server sync-status': 'syncstatus',
  'server sync': 'syncstatus',
  'server resize': 'change-config',
  'key create-aksk': 'create',
  'key get-aksk': 'list',
  'account attach': 'create',
  'account detach': 'delete',
  'event history': 'list',
}

/** `server-list` is `server list`, as Cloudpods' client spells it. */
function splitWord(description: Description, word: string): readonly string[] {
  const parts = word.split('-')
  for (let length = parts.length - 1; length > 0; length--) {
    const noun = nounOf(description, parts.slice(0, length).join('-'))
    if (noun) return [noun.word, parts.slice(length).join('-')]
  }
  return [word]
}

function resolveVerb(noun: NounFacts, verb: string): string | undefined {
  if (verb in noun.verbs) return verb
  const other = otherVerbs[`${noun.word} ${verb}`]
  return other !== undefined && other in noun.verbs ? other : undefined
}

/** Only words are repeated in errors: anything else may be a secret in the wrong place. */
const isWord = (text: string): boolean => /^[a-z][a-z_-]{0,30}$/.test(text)

/** Finds the command that the first arguments name. */
export function findCommand(
  description: Description,
  own: readonly OwnCommand[],
  args: readonly string[],
  /** Commands that another program of the same file has, for suggestions. */
  others: readonly string[] = [],
): Found {
  const [first = '', second] = args
  const command = [...own]
    .sort((one, other) => other.words.length - one.words.length)
    .find(({ words }) => words.every((word, index) => args[index] === word))
  if (command) return { own: command, rest: args.slice(command.words.length) }
  const isNoun = nounOf(description, first) !== undefined
  const split = isNoun ? [first] : splitWord(description, first)
  const noun = nounOf(description, split[0] ?? '')
  if (!noun) {
    if (!isWord(first)) throw new UsageError('The first argument is not a command.')
    const ownWords = own.map(({ words }) => words[0] ?? '')
    const known = [...description.nouns.map(({ word }) => word), ...ownWords, ...others]
    throw new UsageError(`There is no command "${first}".${didYouMean(first, known)}`)
  }
  const verb = split[1] ?? second
  const rest = args.slice(split[1] === undefined ? 2 : 1)
  if (verb === undefined || verb.startsWith('-')) return { noun, rest: args.slice(1) }
  // A word of its own can be spelled as Cloudpods' client spells verbs.
  const ownVerb = own.find(({ words }) => words.join(' ') === `${noun.word} ${verb}`)
  if (ownVerb) return { own: ownVerb, rest }
  const found = resolveVerb(noun, verb)
  if (found !== undefined) return { noun, verb: found, rest }
  const ownVerbs = own
    .filter(({ words }) => words[0] === noun.word)
    .map(({ words }) => words[1] ?? '')
  const verbs = [...new Set([...Object.keys(noun.verbs), ...ownVerbs])]
  if (!isWord(verb)) throw new UsageError(`Which verb? ${noun.word} has: ${verbs.join(', ')}.`)
  throw new UsageError(
    `"${noun.word}" has no verb "${verb}".${didYouMean(verb, verbs)} It has: ${verbs.join(', ')}.`,
  )
}

/** Flags before the words go after them: `muster --debug server list`. */
export function moveFlags(
  args: readonly string[],
  takesValue: (flag: string) => boolean,
): readonly string[] {
  let index = 0
  while (index < args.length && (args[index] ?? '').startsWith('-')) {
    const flag = args[index] ?? ''
    if (flag === '--') break
    index += takesValue(flag) ? 2 : 1
  }
  const words = args.slice(index)
  const dashes = words.indexOf('--')
  const moved = args.slice(0, index)
  return dashes === -1
    ? [...words, ...moved]
    : [...words.slice(0, dashes), ...moved, ...words.slice(dashes)]
}
