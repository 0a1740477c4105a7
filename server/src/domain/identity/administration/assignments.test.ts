import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holding, principalOf } from '../../../testing/identity-world/held-roles.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { createAssignmentUseCases } from './assignments.ts'
import type { Change } from './change-plan.ts'
import type { Registry } from './registry.ts'

test('joining and leaving projects looks up each name once, however many pairs there are', async () => {
  const lookups: string[] = []
  const registry = {
    find: async (_kind: string, id: string) =>
      id.startsWith('id of ') ? { id, name: id, domain_id: 'home' } : undefined,
    list: async (kind: string, _scope: unknown, { where }: { where: unknown }) => {
      lookups.push(`${kind} ${JSON.stringify(where)}`)
      return { items: [{ id: `id of ${lookups.length}` }], total: 1 }
    },
    policiesOfRole: async () => [],
    findGrant: async () => ({ providerId: null }),
  } as unknown as Registry
  const change = (async (caller: Caller, plan: (caller: Caller) => Promise<{ result: unknown }>) =>
    (await plan(caller)).result) as unknown as Change
  const { joinProjects, leaveProjects } = createAssignmentUseCases(registry, change, () => 0)
  const caller = {
    principal: principalOf('ours', [holding('system', 'allow * * *')]),
    authorizedScope: everywhere,
    origin: { ip: '192.0.2.1', requestId: 'req-1', isConfidential: true },
  } as unknown as Caller
  const names = Array.from({ length: 10 }, (_, index) => `name ${index}`)
  const pairs = names.flatMap((project) => names.map((role) => ({ project, role })))
  for (const run of [joinProjects, leaveProjects]) {
    lookups.length = 0
    await run(caller, { kind: 'user', id: 'id of ann' }, pairs)
    assert.equal(lookups.length, 20)
    assert.equal(new Set(lookups).size, 20)
  }
})
