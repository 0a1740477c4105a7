import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultValues, fieldsUsedFor, servers } from '@muster/contract'
import fc from 'fast-check'
import { fold } from '../query/fold.ts'
import { searchPattern, searchText } from './search-text.ts'

const letters = ['a', 'b', 'A', 'Z', '0', '9', '-', ' ', '.', 'ä', 'Σ', 'ς', 'İ', '你', '😀', '𝒜']
const someText = fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((all) => all.join(''))

const blank = defaultValues(servers)

const found = (server: Parameters<typeof searchText>[0], sought: string) => {
  const { column, pattern } = searchPattern(sought)
  return searchText(server)[column].includes(pattern)
}

const inWords = letters.filter((letter) => /[\p{L}\p{N}]/u.test(letter))
const starts = inWords.flatMap((first) => [first, ...inWords.map((second) => first + second)])

test('one or two characters match at the start of a word, and nowhere else', () => {
  fc.assert(
    fc.property(someText, someText, (name, description) => {
      const server = { ...blank, name, description }
      const words = [name, description].flatMap((text) => fold(text).split(/[^\p{L}\p{N}]+/u))
      for (const start of starts) {
        const isThere = words.some((word) => word.startsWith(fold(start)))
        assert.equal(found(server, start), isThere, JSON.stringify({ name, description, start }))
      }
    }),
  )
})

test('one or two characters match at the start of an id, and nowhere else in it', () => {
  const server = { ...blank, id: 'AB-cd', external_id: 'i-0ef', name: 'web' }
  for (const start of ['a', 'ab', 'i']) assert.ok(found(server, start), start)
  for (const other of ['b', 'cd', 'c', '0e', 'ef']) assert.ok(!found(server, other), other)
})

test('every field with the use "search" is searched', () => {
  for (const field of fieldsUsedFor(servers, 'search')) {
    assert.ok(found({ ...blank, [field]: 'Some-Value' }, 'value'), field)
  }
})

test('names, texts, addresses and tags come first, then ids', () => {
  const nic = { ip_addr: '', ip6_addr: '', mac: 'M', network_id: '', team_with: '', vpc_id: '' }
  const server = {
    ...blank,
    id: 'I',
    name: 'N',
    description: 'D',
    external_id: 'E',
    ips: '1,2',
    host: 'H',
    nics: [{ ...nic, is_exit: false }],
    metadata: { key: 'T' },
  }
  assert.equal(
    searchText(server).text,
    ['n', 'h', 'd', '1', '2', 't'].join('\u0001') + '\u0003' + ['i', 'e', 'm'].join('\u0001'),
  )
})
