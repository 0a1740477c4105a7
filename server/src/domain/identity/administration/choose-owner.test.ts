import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthorizedScope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import type { Registry } from './registry.ts'
import { chooseOwner } from './require-resource.ts'

/** Everything exists within the project "ours" of the domain "home", and nothing elsewhere. */
const registry = {
  find: (kind: string, id: string, { scope }: AuthorizedScope) => {
    const isOwn = id === (kind === 'projects' ? 'ours' : 'home')
    return Promise.resolve(scope.kind !== 'none' && isOwn ? { id } : undefined)
  },
} as unknown as Registry

const caller = (level: 'project' | 'domain') => {
  const domain = { id: 'home' }
  const scope =
    level === 'project'
      ? { kind: 'project', project: { id: 'ours', domain } }
      : { kind: 'domain', domain }
  const authorizedScope = { scope: { kind: 'domain', domainId: 'home' }, self: undefined }
  return { principal: { scope }, authorizedScope } as unknown as Caller
}

const inProject = chooseOwner(registry, 'credentials')
const inDomain = chooseOwner(registry, 'groups')

test('a new resource belongs to the requested project or domain, or to that of the token', async () => {
  assert.deepEqual(await inProject(caller('project'), {}), { project_id: 'ours' })
  assert.deepEqual(await inProject(caller('domain'), { project_id: 'ours' }), {
    project_id: 'ours',
  })
  for (const level of ['project', 'domain'] as const) {
    assert.deepEqual(await inDomain(caller(level), {}), { domain_id: 'home' })
  }
  assert.deepEqual(await chooseOwner(registry, 'roles')(caller('project'), {}), {})
})

test('a project or domain that the caller cannot use is an error of its field', async () => {
  const rejects = (owner: Promise<object>, path: string) =>
    assert.rejects(owner, (error: { fields?: readonly { path: string }[] }) => {
      assert.deepEqual(
        error.fields?.map((field) => field.path),
        [path],
      )
      return true
    })
  await rejects(inProject(caller('project'), { project_id: 'theirs' }), 'credential.project_id')
  // A token for a domain has no project to take.
  await rejects(inProject(caller('domain'), {}), 'credential.project_id')
  await rejects(inDomain(caller('domain'), { domain_id: 'elsewhere' }), 'group.domain_id')
})
