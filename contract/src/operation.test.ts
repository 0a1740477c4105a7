import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from './index.ts'
import { processRoles, type Operation } from './operation.ts'

const all: readonly Operation[] = operations
const idsWhere = (matches: (operation: Operation) => boolean) =>
  all.filter(matches).map(({ id }) => id)

describe('every operation declares', () => {
  for (const { id, access, path, servedBy, throughGateway, cache, rateLimit } of all) {
    test(`its role, cache policy and rate limit: ${id}`, () => {
      assert.ok(servedBy.length > 0 && servedBy.every((role) => processRoles.includes(role)))
      assert.ok(['default', 'private', 'revalidate', 'no-store'].includes(cache))
      assert.equal(rateLimit === 'token', access !== 'public')
      if (throughGateway) assert.equal(access, 'token', 'a session stands for a token')
      if (path.startsWith('/v3')) assert.deepEqual(servedBy, ['identity'])
    })
  }
})

test('only these responses contain a secret, and are never compressed', () => {
  assert.deepEqual(
    idsWhere(({ hasSecretResponse }) => hasSecretResponse === true),
    [
      'issueToken',
      'validateToken',
      'checkToken',
      'createPasswordLink',
      'createFactor',
      'confirmFactor',
      'replaceRecoveryCodes',
      'createCredential',
    ],
  )
})

test('only these are answered for any host', () => {
  assert.deepEqual(
    idsWhere(({ acceptsAnyHost }) => acceptsAnyHost === true),
    ['showHealth', 'showReadiness'],
  )
})

test('browsers reach everything that takes a token, but not the tokens themselves', () => {
  assert.deepEqual(
    idsWhere(({ access, throughGateway }) => access === 'token' && !throughGateway),
    ['validateToken', 'checkToken', 'revokeToken'],
  )
})

test('logins, tokens and second factors are never stored, and all else that takes a token is private', () => {
  assert.deepEqual(
    idsWhere(({ cache }) => cache === 'no-store'),
    [
      'issueToken',
      'setFirstPassword',
      'validateToken',
      'checkToken',
      'createFactor',
      'confirmFactor',
      'replaceRecoveryCodes',
    ],
  )
  assert.deepEqual(
    idsWhere(({ cache }) => cache === 'private'),
    idsWhere(({ access, cache }) => access === 'token' && cache !== 'no-store'),
  )
})

test('only feeds take an access key instead of a token, and feeds change nothing', () => {
  const feeds = idsWhere(({ tag, method }) => tag === 'Feeds' && method === 'GET')
  assert.equal(feeds.length, 4)
  assert.deepEqual(
    idsWhere(({ acceptsAccessKey }) => acceptsAccessKey === true),
    feeds,
  )
})
