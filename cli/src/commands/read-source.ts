import { readFileSync } from 'node:fs'
import { readAll } from '../connection/prompt.ts'
import type { ReadSource } from '../grammar/parameter-flags.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'

/** Reads what `@FILE` names; `@-` is stdin. */
export const readSource =
  (io: Io): ReadSource =>
  async (path) => {
    if (path === '-') return await readAll(io)
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      throw new UsageError(`Cannot read a file: ${(error as Error).message}`)
    }
  }
