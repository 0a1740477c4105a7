import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { Engine } from '../../server/src/testing/engines.ts'

/** What a test needs to use the database of an earlier version as its users did. */
export interface State {
  /** When the answers were recorded. The test sets its clock to this time, so that tokens are still valid. */
  readonly takenAt: number
  readonly secretKey: string
  readonly tokens: Readonly<Record<Person, string>>
  readonly accessKey: { readonly id: string; readonly secret: string }
  /** Absent before there was a gateway. */
  readonly cookie?: string
  /** By the names of the cloud accounts that have credentials. */
  readonly credentials: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By person and path. */
  readonly answers: Readonly<Record<string, unknown>>
}

export const people = ['admin', 'vera', 'guest'] as const
export type Person = (typeof people)[number]

export const veraPassword = 'a comet every seventy-six years'
/** The CAS server's name for the user who logged in through it. */
export const guestSubject = 'guest.astronomer'
export const guestAttributes = { group: ['visitors'] }

export const stateFolder = join(import.meta.dirname, 'states')
const fileOf = (name: string, engine: Engine, kind: 'data' | 'json') =>
  join(stateFolder, name, `${engine}.${kind}.br`)

export function writeState(name: string, engine: Engine, data: Buffer, state: State): void {
  writeFileSync(fileOf(name, engine, 'data'), brotliCompressSync(data))
  writeFileSync(fileOf(name, engine, 'json'), brotliCompressSync(JSON.stringify(state)))
}

/** The database (a SQLite file, or SQL statements), and what belongs to it. */
export function readState(name: string, engine: Engine): { data: Buffer; state: State } {
  const read = (kind: 'data' | 'json') =>
    brotliDecompressSync(readFileSync(fileOf(name, engine, kind)))
  return { data: read('data'), state: JSON.parse(read('json').toString()) as State }
}
