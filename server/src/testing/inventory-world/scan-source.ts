import assert from 'node:assert/strict'
import { Server } from '@muster/contract'
import { Value } from 'typebox/value'
import { buildServer } from '../../domain/inventory/build-server.ts'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { completeFacts, serverIdOf } from '../../domain/sources/to-server-facts.ts'
import { securityRuleForm } from '../../domain/sources/security-rules.ts'
import type {
  ReportedServer,
  ServerReference,
  Source,
  SourceContext,
  SourceKind,
  SourceSettings,
} from '../../domain/sources/source.ts'
import { createAddressRule } from '../../egress/allowed-addresses.ts'
import { createEgress } from '../../egress/egress.ts'

/** What Muster passes to a source in tests. Loopback addresses are allowed. */
export const conformanceContext: SourceContext = {
  egress: createEgress(createAddressRule(['127.0.0.0/8', '::1', 'localhost'])),
  throttle: async () => {},
  // Generous, because the machine that runs the tests may be busy.
  timeLimit: 30_000,
  clock: Date.now,
}

/** Ends a test that hangs. */
export const testTimeout = () => AbortSignal.timeout(60_000)

export const idOf = ({ key }: Pick<ReportedServer, 'key'>) => derivedId('server', ...key)

/** All servers of a source by id. Fails if one is reported twice, or if a server or a region cannot be read. */
export async function scanAll(source: Source): Promise<Map<string, ReportedServer>> {
  const servers = new Map<string, ReportedServer>()
  for await (const { present, gone, unreadable = [], failed = [] } of source.scan(testTimeout())) {
    const unread = failed.find(({ hasServers }) => hasServers !== true)
    if (unread) throw unread.error
    assert.deepEqual(unreadable, [], 'a server cannot be read')
    for (const server of present) {
      assert.ok(!servers.has(idOf(server)), `${server.facts.name} is reported twice`)
      servers.set(idOf(server), server)
    }
    for (const key of gone) assert.ok(!servers.has(derivedId('server', ...key)))
  }
  return servers
}

/** Gets one server, as a scan reports it. It must be readable, or not exist. */
export async function getReadable(
  source: Source,
  reference: ServerReference,
): Promise<ReportedServer | undefined> {
  const server = await source.get(reference, testTimeout())
  if (server && 'facts' in server) {
    const { isBusy: _, ...reported } = server
    return reported
  }
  if (!server) return undefined
  throw new Error(`${server.name} could not be read: ${server.reason}`)
}

/** Opens a source, uses it and closes it. */
export async function withSource<Result>(
  kind: SourceKind,
  settings: SourceSettings,
  use: (source: Source) => Promise<Result>,
  context: SourceContext = conformanceContext,
): Promise<Result> {
  const source = await kind.open(settings, context, testTimeout())
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

/** The server as the API would show it, checked against the contract. */
export function requireServer({ key, facts }: ReportedServer, provider: string): Server {
  const server = buildServer(
    {
      provider,
      ...completeFacts(facts, serverIdOf({ key })),
      id: serverIdOf({ key }),
      project_id: 'project',
      account_id: 'account',
    },
    {
      domainId: 'domain',
      managerDomainId: '',
      ownTags: {},
      createdAt: '2026-01-01T00:00:00.000000Z',
      updateVersion: 0,
      updatedAt: '2026-01-01T00:00:00.000000Z',
    },
  )
  const errors = Value.Errors(Server, server)
  assert.deepEqual(errors, [], `${server.name} does not match the contract`)
  for (const rules of [server.security_rules, server.admin_security_rules]) {
    for (const rule of rules === '' ? [] : rules.split(';')) assert.match(rule, securityRuleForm)
  }
  return server
}
