import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '@muster/contract'
import { operationCommand } from '../commands/operation-command.ts'
import { describeContract } from '../description/describe-contract.ts'
import { packDescription, unpackDescription } from '../description/pack-description.ts'
import { renderCommand, renderNoun, renderUsage } from '../help/help.ts'
import { ownCommands } from '../own-commands.ts'
import { findCommand, moveFlags } from './find-command.ts'
import { globalFlags } from './flag.ts'
import { parseFlags } from './parse-flags.ts'

const described = describeContract()
const description = unpackDescription(packDescription(described))
const { nouns } = description

const find = (...words: string[]) => findCommand(description, ownCommands, words, ['serve'])

describe('the grammar', () => {
  test('has the nouns of all resources, each word once', () => {
    const expected =
      'server account project domain user group role key event change check task batch host network zone region image flavor disk view provider'
    const words = new Set(nouns.map(({ word }) => word))
    assert.deepEqual(
      expected.split(' ').filter((word) => !words.has(word)),
      [],
    )
    const all = nouns.flatMap(({ word, aliases }) => [word, ...aliases])
    assert.equal(new Set(all).size, all.length)
  })

  test('has a verb for every list, get, create, update and delete of the contract', () => {
    const verbs = new Set(nouns.flatMap((noun) => Object.values(noun.verbs)))
    const others = new Set<string>([
      '/actions',
      '/v3/events',
      '/v3/auth/projects',
      '/v3/auth/domains',
    ])
    const plain = operations.filter(
      ({ id, path }) =>
        /^(?:list|get|create|update|delete)/.test(id) &&
        path.split('{').length <= 2 &&
        /^\/(?:v3\/)?\w+(?:\/\{id\})?$/.test(path) &&
        !others.has(path),
    )
    assert.ok(plain.length > 50)
    const single = new Set<string>([
      '/v3/project_summaries',
      '/v3/identity_provider_drivers',
      '/operating-systems',
    ])
    const missing = plain.filter(({ id, path }) => !verbs.has(id) && !single.has(path))
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    )
  })

  test('is the same packed and unpacked', () => {
    for (const id of Object.keys(described.operations)) {
      assert.deepEqual(description.operations[id], described.operations[id])
    }
  })

  for (const noun of nouns) {
    test(`finds the verbs of ${noun.word} in both spellings, with flags and help`, () => {
      for (const [verb, id] of Object.entries(noun.verbs)) {
        for (const word of [noun.word, ...noun.aliases]) {
          if (ownCommands.some(({ words }) => words.join(' ') === `${noun.word} ${verb}`)) continue
          assert.equal(find(word, verb).noun, noun, `${word} ${verb}`)
          const other = find(`${word}-${verb}`, '--all')
          assert.deepEqual([other.noun?.word, other.verb, other.rest], [noun.word, verb, ['--all']])
        }
        const operation = description.operations[id]
        assert.ok(operation, id)
        const command = operationCommand(noun, verb, operation)
        const names = [...globalFlags, ...command.flags].flatMap(({ name, aliases = [] }) => [
          name,
          ...aliases,
        ])
        assert.equal(new Set(names).size, names.length, `${noun.word} ${verb}: ${names.join(' ')}`)
        const shorts = [...globalFlags, ...command.flags].flatMap(({ short }) => short ?? [])
        assert.equal(new Set(shorts).size, shorts.length, `${noun.word} ${verb}`)
        const help = renderCommand(command)
        assert.ok(help.indexOf('Examples:') < help.indexOf('Usage:'), `${noun.word} ${verb}`)
      }
      assert.match(renderNoun(noun, description, ownCommands), /^Usage: muster /)
    })
  }

  test('names every noun and every command in its help', () => {
    const text = renderUsage(description, ownCommands, [])
    for (const { word } of nouns) assert.match(text, new RegExp(String.raw`\b${word}\b`))
  })

  test('takes the spellings of Cloudpods’ client', () => {
    const spellings: Record<string, [string, string]> = {
      'server-list': ['server', 'list'],
      'server-change-config': ['server', 'change-config'],
      'server-cancel-delete': ['server', 'cancel-delete'],
      'server-syncstatus': ['server', 'syncstatus'],
      'cloud-account-list': ['account', 'list'],
      'cloud-provider-list': ['manager', 'list'],
      'cloud-region-list': ['region', 'list'],
      'credential-list': ['key', 'list'],
      'credential-create-aksk': ['key', 'create'],
      'credential-get-aksk': ['key', 'list'],
      'user-enable': ['user', 'enable'],
      'group-add-users': ['group', 'add-users'],
      'disk-list': ['disk', 'list'],
    }
    for (const [word, [noun, verb]] of Object.entries(spellings)) {
      const found = find(word)
      assert.deepEqual([found.noun?.word, found.verb], [noun, verb], word)
    }
  })

  test('suggests the nearest word, and repeats words only', () => {
    assert.throws(() => find('sever', 'list'), /Did you mean "server"\?/)
    assert.throws(() => find('server', 'lsit'), /Did you mean "list"\?/)
    assert.throws(() => find('srve'), /Did you mean "serve"\?/)
    for (const args of [['hunter2!'], ['server', 'hunter2!']]) {
      assert.throws(
        () => find(...args),
        (error: Error) => !error.message.includes('hunter2'),
      )
    }
  })

  test('takes flags before the words, and nothing after --', () => {
    const takesValue = (flag: string) => flag === '--profile'
    assert.deepEqual(
      moveFlags(['--debug', '--profile', 'x', 'server', 'list', '--', '-a'], takesValue),
      ['server', 'list', '--debug', '--profile', 'x', '--', '-a'],
    )
  })
})

describe('flags', () => {
  const flags = [
    { name: 'enabled', kind: 'boolean', help: '' },
    { name: 'project-id', kind: 'values', help: '' },
    { name: 'as-of', kind: 'value', help: '' },
    { name: 'order', kind: 'value', choices: ['asc', 'desc'], help: '' },
  ] as const
  const parse = (...args: string[]) => parseFlags(flags, args)

  test('have several spellings', () => {
    assert.deepEqual(parse('--project_id', 'a', '--project-id=b').texts('project-id'), ['a', 'b'])
    for (const args of [['--no-enabled'], ['--enabled=false'], ['--enabled', 'false']]) {
      assert.equal(parse(...args).boolean('enabled'), false, args.join(' '))
    }
    for (const args of [['--enabled'], ['--enabled=true'], ['--enabled', 'true']]) {
      assert.equal(parse(...args).boolean('enabled'), true, args.join(' '))
    }
    assert.equal(parse().boolean('enabled'), undefined)
    assert.equal(parse('--as-of', '-2h').text('as-of'), '-2h')
    assert.deepEqual(parse('--enabled', 'web', '--', '-x').positionals, ['web', '-x'])
  })

  test('that are wrong are refused, without their values', () => {
    assert.throws(() => parse('--project-idd=hunter2'), /Did you mean "--project-id"\?/)
    assert.throws(() => parse('--order', 'acs'), /one of asc, desc.*"asc"/)
    assert.throws(() => parse('--enabled=hunter2'), /true or false/)
    assert.throws(() => parse('--as-of'), /needs a value/)
    for (const args of [['--nothing=hunter2'], ['--enabled=hunter2']]) {
      assert.throws(
        () => parse(...args),
        (error: Error) => !error.message.includes('hunter2'),
      )
    }
  })
})
