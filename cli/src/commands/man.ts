import { exitCodes } from '../exit-codes.ts'
import { connectionFlags, helpFlag, listFlags, outputFlags, type Flag } from '../grammar/flag.ts'
import type { Command } from '../grammar/command.ts'
import type { OwnCommand } from '../grammar/find-command.ts'
import type { Description } from '../description/description.ts'
import { flagUsage } from '../help/help.ts'

/** Text of roff: backslashes, dashes, and dots at the start of a line have a meaning. */
const escape = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^(?=[.'])/gm, String.raw`\&`)

const term = (name: string, text: string): string => `.TP\n.B ${escape(name)}\n${escape(text)}\n`
const renderFlags = (flags: readonly Flag[]): string =>
  flags.map((flag) => term(flagUsage(flag).trim(), flag.help)).join('')

/** The man page, from the same descriptions as the help. */
function renderMan({ nouns, operations }: Description, own: readonly OwnCommand[]): string {
  const commands = own
    .filter(({ isHidden }) => isHidden !== true)
    .map(({ words, summary }) => term(`muster ${words.join(' ')}`, summary))
  const verbs = nouns.map(({ word, verbs }) => {
    const rows = Object.entries(verbs).map(([verb, id]) =>
      term(`muster ${word} ${verb}`, `${operations[id]?.summary ?? ''}.`),
    )
    return `.SS ${escape(word)}\n${rows.join('')}`
  })
  const codes = Object.values(exitCodes).map(([code, meaning]) => term(String(code), meaning))
  return `.TH MUSTER 1
.SH NAME
muster \\- inventory of virtual machines: the command line
.SH SYNOPSIS
.B muster
.I NOUN VERB
[ARGUMENTS] [FLAGS]
.SH COMMANDS
${commands.join('')}${verbs.join('')}.SH OUTPUT
${renderFlags(outputFlags)}.SH LISTS
${renderFlags(listFlags)}.SH CONNECTION
${renderFlags([...connectionFlags, helpFlag])}.SH EXIT STATUS
${codes.join('')}`
}

export const man = (description: Description, own: readonly OwnCommand[]): Command => ({
  words: ['man'],
  summary: 'Print the man page.',
  usage: '',
  examples: ['man > muster.1', 'man | man -l -'],
  flags: [],
  async run(run) {
    run.output.write(renderMan(description, own))
    return 0
  },
})
