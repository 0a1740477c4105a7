import assert from 'node:assert/strict'
import { operations, Server, type OperationId } from '@muster/contract'
import { Ajv, type ValidateFunction } from 'ajv'

const ajv = new Ajv({ strict: false, validateFormats: false })
const checks = new Map<OperationId, ValidateFunction>()

function checkOf(id: OperationId): ValidateFunction {
  const operation = operations.find((candidate) => candidate.id === id)
  const answer = operation?.responses as Record<number, { body: object }> | undefined
  const check = checks.get(id) ?? ajv.compile(answer?.[200]?.body ?? false)
  checks.set(id, check)
  return check
}

function operationAt(path: string): OperationId {
  if (path === '/servers') return 'listServers'
  if (path === '/servers/statistics') return 'getServerStatistics'
  if (path === '/servers/tag-value-pairs') return 'getTagPairs'
  if (path === '/servers/changes') return 'getServerChanges'
  if (path === '/servers/changes/statistics') return 'getServerChangeStatistics'
  if (path === '/servers/diff') return 'getServerDiff'
  if (path === '/servers/timeline') return 'getServerTimeline'
  if (path.endsWith('/history')) return 'getServerHistory'
  return /\/(set-)?(user-)?metadata$/.test(path) ? 'getServerMetadata' : 'getServer'
}

const everyKey = Object.keys(Server.properties).filter((key) => key !== 'metadata')

/** With details, and without selected fields, no key is ever missing. */
function assertWhole(query: string, body: unknown): void {
  const asked = new URLSearchParams(query)
  const isChosen = [...asked.keys()].some((name) => /^(?:field|export_keys)\b/.test(name))
  if (!['true', '1'].includes(asked.get('details') ?? '') || isChosen) return
  for (const server of (body as { servers: object[] }).servers) {
    for (const key of everyKey) assert.ok(Object.hasOwn(server, key), `${key} in ${query}`)
  }
}

/** Checks any successful response about servers against the contract. */
export function assertServerContract(address: string, body: unknown): void {
  const [path = '', query = ''] = address.split('?', 2)
  if (!/^\/servers(?:\/|$)/.test(path) || /\/(?:batch|actions|tasks|redact-history)$/.test(path))
    return
  const id = operationAt(path.replace(/\/$/, ''))
  const check = checkOf(id)
  assert.ok(check(body), `${id} ${query}: ${JSON.stringify(check.errors)}`)
  if (id === 'listServers') assertWhole(query, body)
}
