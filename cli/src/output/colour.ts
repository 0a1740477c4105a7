import type { Environment } from '../io.ts'

const codes = { green: 32, red: 31, yellow: 33, bold: 1 } as const

const colourOfStatus: Readonly<Record<string, keyof typeof codes>> = {
  running: 'green',
  connected: 'green',
  succeeded: 'green',
  success: 'green',
  unknown: 'yellow',
  queued: 'yellow',
  degraded: 'yellow',
  failed: 'red',
  failure: 'red',
  denied: 'red',
  lost: 'red',
  disconnected: 'red',
  critical: 'red',
}

const coloured: ReadonlySet<string> = new Set(['status', 'result', 'severity'])

const isOff = (environment: Environment): boolean =>
  (environment['NO_COLOR'] ?? '') !== '' ||
  environment['TERM'] === 'dumb' ||
  environment['CLICOLOR'] === '0'

interface Choice {
  readonly isTerminal: boolean
  readonly environment: Environment
  readonly isRefused: boolean
}

function usesColours({ isTerminal, environment, isRefused }: Choice): boolean {
  if (isRefused) return false
  const force = environment['FORCE_COLOR']
  if (force !== undefined && force !== '') return force !== '0'
  return isTerminal && !isOff(environment)
}

/** Paints the header of a table, and words that tell a status. The word itself is always there. */
export function createPainter(choice: Choice) {
  if (!usesColours(choice)) return (text: string) => text
  return (text: string, column: string, value: string): string => {
    const colour = column === '' ? 'bold' : coloured.has(column) ? colourOfStatus[value] : undefined
    return colour === undefined ? text : `\u001B[${codes[colour]}m${text}\u001B[0m`
  }
}
