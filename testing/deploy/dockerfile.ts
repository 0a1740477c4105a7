import { matchesGlob } from 'node:path'

interface Instruction {
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly base: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

/** Splits a Dockerfile into its stages. Supports what the file in `deploy` uses. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { base: string; name: string; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === 'FROM') {
      const [base = '', , stage = ''] = rest.split(' ')
      stages.push({ base, name: stage, instructions: [] })
    } else stages.at(-1)?.instructions.push({ name, text: rest })
  }
  return stages
}

/** The text of the last instruction of this name. */
export function lastOf({ instructions }: Stage, name: string): string {
  const found = instructions.findLast((instruction) => instruction.name === name)
  if (!found) throw new Error(`the Dockerfile has no ${name}`)
  return found.text
}

/** The variables that the stage sets. */
export const variablesOf = ({ instructions }: Stage): Record<string, string> =>
  Object.fromEntries(
    instructions
      .filter(({ name }) => name === 'ENV')
      .flatMap(({ text }) => text.split(' ').map((pair) => pair.split('=') as [string, string])),
  )

/** Whether a path of the build context is left out by the ignore file. */
export function createIgnore(text: string): (path: string) => boolean {
  const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return (path) => patterns.some((pattern) => matchesGlob(path, pattern))
}
