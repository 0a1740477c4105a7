import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { SourceSettings } from '../../domain/sources/source.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '')

/** The credentials, their long parts, and both in the form of HTTP's basic authentication. */
function secretForms({ credentials }: SourceSettings): readonly string[] {
  const values = Object.values(credentials).filter((value) => value.length >= 4)
  const parts = values.flatMap((value) => value.split(/[=!:]/)).filter((part) => part.length >= 12)
  const pairs = values.flatMap((user) => values.map((password) => `${user}:${password}`))
  const plain = [...values, ...parts]
  return [...plain, ...[...plain, ...pairs].map(base64)]
}

/** Fails if a text or an error, also in its causes, contains a credential. */
export function requireNoSecret(shown: unknown, settings: SourceSettings): void {
  const options = { depth: 8, maxStringLength: Infinity, maxArrayLength: Infinity }
  const texts = [typeof shown === 'string' ? shown : inspect(shown, options)]
  // Not only as inspect prints them: it escapes line breaks.
  for (let one = shown; one !== undefined; one = one instanceof Error ? one.cause : undefined) {
    texts.push(one instanceof Error ? `${one.message}\n${one.stack}` : inspect(one))
  }
  for (const form of secretForms(settings)) {
    assert.ok(!texts.some((text) => text.includes(form)), 'a credential is shown')
  }
}
