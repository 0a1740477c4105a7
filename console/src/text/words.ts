import type { en } from './en/index.ts'

/** What a catalogue holds, in whatever language. */
export type Words = typeof en
