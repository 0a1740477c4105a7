import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Reads a JSON file. A file that is missing or not JSON is empty. */
export function readJson<Content extends object>(file: string): Partial<Content> {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof content === 'object' && content !== null ? content : {}
  } catch {
    return {}
  }
}

/** Writes a file that only its owner can read. Other processes see the old content or the new one. */
export function writePrivateJson(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
