import { CommandError } from '../command-error.ts'
import { codeOf } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { safeText } from '../output/safe-text.ts'

const interrupt = '\u0003'
const endOfInput = '\u0004'
const erase = new Set(['\u007F', '\b'])

/** Reads a line from a terminal. A hidden line is not shown while it is typed. */
async function readLine({ stdin, stderr }: Io, isHidden: boolean): Promise<string> {
  stdin.setEncoding('utf8')
  if (isHidden) stdin.setRawMode?.(true)
  stdin.resume()
  let line = ''
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n') return line
        if (isHidden && character === interrupt) process.exit(codeOf('interrupted'))
        if (isHidden && character === endOfInput) return line
        if (isHidden && erase.has(character)) line = line.slice(0, -1)
        else line += character
      }
    }
    return line
  } finally {
    if (isHidden) {
      stdin.setRawMode?.(false)
      stderr.write('\n')
    }
    stdin.pause()
  }
}

export const canAsk = ({ stdin, stderr }: Io): boolean =>
  stdin.isTTY === true && stderr.isTTY === true

/** Asks on the terminal. Without one, there is nobody to ask. */
export async function ask(io: Io, question: string): Promise<string> {
  if (!canAsk(io)) {
    throw new CommandError('usage', `There is no terminal to ask "${question.trim()}".`)
  }
  io.stderr.write(safeText(question))
  return await readLine(io, false)
}

/** Asks for a secret, which the terminal does not show. */
export async function askSecret(io: Io, question: string): Promise<string> {
  if (!canAsk(io)) {
    throw new CommandError(
      'unauthenticated',
      'There is no terminal to ask for the password: set OS_PASSWORD, or use --password-stdin.',
    )
  }
  io.stderr.write(safeText(question))
  return await readLine(io, true)
}

/** Everything that arrives on stdin, for `--password-stdin` and `@-`. */
export async function readAll({ stdin }: Io): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return Buffer.concat(chunks).toString('utf8')
}

/** The first line of stdin. A secret on more lines is a mistake. */
export async function readSecretLine(io: Io): Promise<string> {
  const text = (await readAll(io)).replace(/\r?\n$/, '')
  if (text === '' || text.includes('\n')) {
    throw new CommandError('usage', 'stdin must have the secret in one line.')
  }
  return text
}
