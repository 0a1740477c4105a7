import type { ScopeParameter } from '@muster/contract'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScopeOrNone } from '../scope.ts'
import { chooseScope, narrowScope } from './choose-scope.ts'
import type { Principal } from './principal.ts'

const project = { kind: 'project', projectId: 'p', domainId: 'd' } as const
const domain = { kind: 'domain', domainId: 'd' } as const
const system = { kind: 'system' } as const
const none = { kind: 'none' } as const

/** Tokens, with the largest scopes that a permission can have in them. */
const tokens = {
  project: {
    scope: { kind: 'project', project: { id: 'p', domain: { id: 'd' } } },
    own: project,
    maxScopes: [project, system],
  },
  domain: {
    scope: { kind: 'domain', domain: { id: 'd' } },
    own: domain,
    maxScopes: [domain, system],
  },
  none: { scope: { kind: 'none' }, own: undefined, maxScopes: [system] },
} as const
const wantedScopes = [undefined, 'project', 'domain', 'system', 'max'] as const

/** The chosen scope, or the class of the error. */
function expectedOf(
  own: ScopeOrNone,
  maxScope: ScopeOrNone,
  wanted: ScopeParameter | undefined,
): ScopeOrNone | string {
  if (wanted === undefined) return own
  if (wanted === 'max') return maxScope
  if (wanted === 'system') return maxScope.kind === 'system' ? system : 'ForbiddenError'
  if (wanted === 'project') return own.kind === 'project' ? own : 'InputParameterError'
  if (own.kind === 'domain') return own
  return own.kind === 'project' && maxScope.kind === 'system' ? domain : 'ForbiddenError'
}

for (const [name, { scope, own, maxScopes }] of Object.entries(tokens)) {
  describe(`a token with the scope ${name}`, () => {
    const principal = { scope } as unknown as Principal
    for (const maxScope of maxScopes) {
      for (const wanted of wantedScopes) {
        test(`and a permission in the ${maxScope.kind}: scope=${wanted}`, () => {
          const expected = expectedOf(own ?? maxScope, maxScope, wanted)
          const choose = () => chooseScope(principal, maxScope, wanted)
          const authorizedScope = { scope: maxScope, self: 'me' }
          const narrow = () => narrowScope({ principal, authorizedScope }, wanted)
          if (typeof expected === 'string') {
            assert.throws(choose, { class: expected })
            assert.throws(narrow, { class: expected })
            return
          }
          assert.deepEqual(choose(), expected)
          // Without a request it is everything, also what is the caller's own.
          const isAll = wanted === undefined || wanted === 'max'
          assert.deepEqual(narrow(), isAll ? authorizedScope : { scope: expected, self: undefined })
        })
      }
    }

    for (const wanted of wantedScopes) {
      test(`and access to what is the caller's own only: scope=${wanted}`, () => {
        const authorizedScope = { scope: none, self: 'me' }
        const narrow = () => narrowScope({ principal, authorizedScope }, wanted)
        if (wanted === undefined || wanted === 'max') assert.equal(narrow(), authorizedScope)
        else assert.throws(narrow, { class: 'ForbiddenError' })
      })
    }
  })
}
