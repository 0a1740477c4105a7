import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const keyLength = 32

/** A line of the key file. The first one is the current key; the others only decrypt. */
export interface KeyLine {
  /** In base64. */
  readonly text: string
  /** Becomes the current key when every process has it. */
  readonly isNext: boolean
}

export const newKeyLine = (isNext = false): KeyLine => ({
  text: randomBytes(keyLength).toString('base64'),
  isNext,
})

const render = (lines: readonly KeyLine[]) =>
  lines.map(({ text, isNext }) => `${text}${isNext ? ' next' : ''}\n`).join('')

/** A file beside the key file, so that it can be renamed to it. */
function writeDraft(file: string, lines: readonly KeyLine[]): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, render(lines), { mode: 0o600, flush: true })
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return draft
}

function explain(verb: 'create' | 'read' | 'write', file: string, cause: unknown): Error {
  const { code = 'error' } = cause as { code?: string }
  const permission =
    verb === 'read'
      ? 'the user of Muster must be allowed to read it'
      : 'its directory must be writable'
  const reason = code === 'ENOSPC' ? 'the disk is full' : permission
  const advice = verb === 'create' ? '. You can also create the key yourself, before the start' : ''
  return new Error(`--secret-key-file: cannot ${verb} ${file} (${code}): ${reason}${advice}`, {
    cause,
  })
}

/** Creates a missing file atomically, so that processes that start together use the same key. */
export function ensureKeyFile(file: string): void {
  if (existsSync(file)) return
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = writeDraft(file, [newKeyLine()])
    try {
      linkSync(draft, file)
    } finally {
      unlinkSync(draft)
    }
  } catch (error) {
    if (!existsSync(file)) throw explain('create', file, error)
  }
}

export const secretKeyExists = (file: string): boolean => existsSync(file)

/**
 * Whether other users can read it. The group may read a file of root, which is how Kubernetes gives a
 * secret to a process of another user.
 */
export const isExposed = (
  { mode, uid }: { mode: number; uid: number },
  ownUid = process.getuid?.(),
): boolean => (mode & (uid === 0 && ownUid !== 0 ? 0o037 : 0o077)) !== 0

export function readKeyFile(file: string): readonly [KeyLine, ...KeyLine[]] {
  if (isExposed(statSync(file))) {
    throw new Error(`the secret key ${file} is readable by other users: run chmod 600 on it`)
  }
  const [first = '', ...others] = readText(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const parse = (line: string): KeyLine => {
    const [text = '', mark] = line.split(/\s+/)
    const isKey = Buffer.from(text, 'base64').length === keyLength
    if (!isKey || (mark !== undefined && mark !== 'next')) {
      throw new Error(
        `the secret key ${file} must contain ${keyLength} bytes in base64 on each line`,
      )
    }
    return { text, isNext: mark === 'next' }
  }
  return [parse(first), ...others.map(parse)]
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw explain('read', file, error)
  }
}

/** Replaces the file atomically, with the same owner. */
export function writeKeyFile(file: string, lines: readonly KeyLine[]): void {
  try {
    const { uid, gid } = statSync(file)
    const draft = writeDraft(file, lines)
    try {
      if (process.getuid?.() === 0) chownSync(draft, uid, gid)
      renameSync(draft, file)
    } finally {
      rmSync(draft, { force: true })
    }
    const directory = openSync(dirname(file), 'r')
    fsyncSync(directory)
    closeSync(directory)
  } catch (cause) {
    throw explain('write', file, cause)
  }
}
