import { hash, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')

/** The token that Prometheus sends, from a file that is read again when it changes. */
export function createScrapeToken(file: string) {
  let version = ''
  let digest: Buffer | undefined

  /** While the file is missing, unreadable or empty, no token is valid. */
  function load(): Buffer | undefined {
    try {
      const { ino, size, mtimeMs, ctimeMs } = statSync(file)
      const current = [ino, size, mtimeMs, ctimeMs].join()
      if (current === version) return digest
      const token = readFileSync(file, 'utf8').trim()
      version = current
      digest = token === '' ? undefined : digestOf(token)
      return digest
    } catch {
      version = ''
      return undefined
    }
  }

  return {
    /** Whether an `Authorization` header has the token. Takes the same time for every wrong one. */
    isIn(authorization: string | undefined): boolean {
      const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
      const expected = load()
      if (given === undefined || !expected) return false
      return timingSafeEqual(digestOf(given), expected)
    },
  }
}
export type ScrapeToken = ReturnType<typeof createScrapeToken>
