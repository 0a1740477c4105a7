import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matchesSubject, subjectsProblem } from './subject-patterns.ts'

const main = 'repo:acme/web:ref:refs/heads/main'

/** What a pattern lets in, and what it must not: other owners, longer and shorter subjects, requests of forks. */
const patterns: Readonly<Record<string, { lets: readonly string[]; refuses: readonly string[] }>> =
  {
    [main]: {
      lets: [main],
      refuses: [
        `${main}2`,
        `x${main}`,
        main.toUpperCase(),
        `${main} `,
        `${main}:x`,
        'repo:evil/web:ref:refs/heads/main',
        'repo:acme/web',
        '',
      ],
    },
    'repo:acme/*:ref:refs/heads/main': {
      lets: [main, 'repo:acme/api:ref:refs/heads/main'],
      refuses: [
        'repo:acme/:ref:refs/heads/main',
        'repo:acme/a/b:ref:refs/heads/main',
        'repo:acme/web:ref:refs/heads/other',
        'repo:acme:web:ref:refs/heads/main',
        'repo:evil/web:ref:refs/heads/main',
      ],
    },
    'repo:acme/web:ref:refs/heads/release-*': {
      lets: ['repo:acme/web:ref:refs/heads/release-1'],
      refuses: [
        'repo:acme/web:ref:refs/heads/release-',
        'repo:acme/web:ref:refs/heads/release-1/x',
      ],
    },
    'repo:acme/web:*': { lets: ['repo:acme/web:x'], refuses: ['repo:acme/web:pull_request', main] },
    'repo:acme/web:pull_*': {
      lets: ['repo:acme/web:pull_x'],
      refuses: ['repo:acme/web:pull_request'],
    },
    'repo:acme/web:pull_request': {
      lets: ['repo:acme/web:pull_request'],
      refuses: ['repo:acme/web:x'],
    },
    'system:serviceaccount:prod:*': {
      lets: ['system:serviceaccount:prod:deployer'],
      refuses: ['system:serviceaccount:dev:deployer', 'system:serviceaccount:prod:a:b'],
    },
    '  one:two   three:four ': {
      lets: ['one:two', 'three:four'],
      refuses: ['one:four', 'one:two three:four'],
    },
  }

describe('subjects of workloads', () => {
  for (const [pattern, { lets, refuses }] of Object.entries(patterns)) {
    test(`"${pattern}"`, () => {
      assert.equal(subjectsProblem(pattern), undefined)
      for (const subject of lets) assert.ok(matchesSubject(pattern, subject), subject)
      for (const subject of refuses) assert.ok(!matchesSubject(pattern, subject), subject)
    })
  }

  test('that would let in strangers are refused', () => {
    const open = [
      'system:serviceaccount:*:*',
      'repo:acme/web:environment:*',
      '*',
      'repo:*',
      '*:acme/web',
      'repo:*/web:ref:refs/heads/main',
      'a b c*',
    ]
    for (const pattern of [...open, 'repo:acme/web:*x*', 'a:b '.repeat(21)]) {
      assert.notEqual(subjectsProblem(pattern), undefined, pattern)
    }
  })
})
