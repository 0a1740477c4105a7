import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { get } from 'node:http'
import { after, before, test } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { StatementSync } from 'node:sqlite'
import { Deserializer } from 'node:v8'
import { Worker } from 'node:worker_threads'
import {
  inventoryKinds,
  maxPageSize,
  operations,
  type Operation,
  type OperationId,
} from '@muster/contract'
import { sql } from 'kysely'
import { timestamp } from '../../domain/timestamp.ts'
import type { Database } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'
import { serverWithResources } from '../../testing/inventory-world/minimal-server.ts'
import { onSqliteFirst } from '../../testing/lanes.ts'
import { requests } from '../../testing/platform-world/persona-requests.ts'
import type { Resources } from '../../testing/platform-world/persona-resources.ts'
import {
  startPlatformWorld,
  type Persona,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'

/** Copies of events, and of each other row: many more than one turn may read. */
const many = 40_000
const some = 2_000
const servers = maxPageSize + 200

/** What the serving thread may do in one turn of the event loop. */
const most = { rows: 600, jsonLength: 350_000 }

/** Lists that are short whatever the installation, or have no rows in this one. */
const short: ReadonlySet<string> = new Set<OperationId>([
  'getServerDiff',
  'listAuthProjects',
  'listAuthDomains',
  'listAuthPermissions',
  'listServices',
  'listEndpoints',
  'listRegions',
  'listCloudProviders',
  'listCloudAccounts',
  'getTagPairs',
])

/**
 * Counts what one turn of the event loop does with JSON and with rows of SQLite. Those of PostgreSQL come
 * from a socket, of which a turn reads a limited number of bytes.
 */
function observeTurns() {
  let turn = { rows: 0, jsonLength: 0 }
  let largest = turn
  let isWatching = false
  const note = () => {
    largest = {
      rows: Math.max(largest.rows, turn.rows),
      jsonLength: Math.max(largest.jsonLength, turn.jsonLength),
    }
  }
  const tick = () => {
    note()
    turn = { rows: 0, jsonLength: 0 }
    if (isWatching) setImmediate(tick)
  }
  const { stringify, parse } = JSON
  const { all } = StatementSync.prototype
  const { readValue } = Deserializer.prototype
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given) as string | undefined
    turn.jsonLength += text?.length ?? 0
    return text
  }) as typeof stringify
  JSON.parse = (...given) => {
    turn.jsonLength += given[0].length
    return parse(...given) as unknown
  }
  StatementSync.prototype.all = function allCounted(...given) {
    const rows = all.apply(this, given as Parameters<typeof all>)
    turn.rows += rows.length
    return rows
  }
  Deserializer.prototype.readValue = function readValueCounted() {
    const value: unknown = readValue.call(this)
    turn.rows += countRows([value])
    return value
  }
  Worker.prototype.emit = function emitCounted(this: Worker, event: string, ...given: unknown[]) {
    const { replies = [] } = (given[0] ?? {}) as { replies?: { response?: unknown }[] }
    if (event === 'message') for (const { response } of replies) turn.rows += countRows(response)
    return Reflect.apply(EventEmitter.prototype.emit, this, [event, ...given])
  } as Worker['emit']

  return {
    /** The most that one turn did while this ran. */
    async during(work: () => Promise<unknown>) {
      isWatching = true
      turn = largest = { rows: 0, jsonLength: 0 }
      setImmediate(tick)
      await work()
      isWatching = false
      note()
      return largest
    },
    stop(): void {
      Object.assign(JSON, { stringify, parse })
      StatementSync.prototype.all = all
      Deserializer.prototype.readValue = readValue
      Reflect.deleteProperty(Worker.prototype, 'emit')
    },
  }
}

/** The rows in the reply of a thread: for each query a list of rows, or of packed ones. */
const countRows = (results: unknown): number =>
  (Array.isArray(results) ? results.flat() : []).filter((row) => !(row instanceof Uint8Array))
    .length

/** Multiplies what the resources are, so that every list of them is long. */
async function multiply(database: Database, resources: Resources, reader: Persona): Promise<void> {
  const { db, engine } = database
  const tables = await db.introspection.getTables()
  const seriesTo = (last: number) =>
    engine === 'postgres'
      ? sql`(select generate_series(1, ${sql.lit(last)}) as i) as series`
      : sql`(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${sql.lit(last)}) select i from numbers) as series`
  const numbered = (text: string) => sql`${text} || '-' || i`
  const copy = (
    table: keyof Tables,
    where: Readonly<Record<string, string>>,
    values: Readonly<Record<string, unknown>>,
  ) => {
    const series = seriesTo(table === 'events' ? many : some)
    const columns = (tables.find(({ name }) => name === table)?.columns ?? [])
      .map(({ name }) => name)
      .filter((name) => !(table === 'events' && name === 'position'))
    const given = columns.map((name) =>
      Object.hasOwn(values, name) ? sql`${values[name]}` : sql.ref(`${table}.${name}`),
    )
    const conditions = Object.entries(where).map(
      ([name, value]) => sql`${sql.ref(name)} = ${value}`,
    )
    return sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(given)} from ${sql.table(table)}, ${series}
      where ${sql.join(conditions, sql` and `)}`.compile(db)
  }
  const named = (table: keyof Tables, id: string) =>
    copy(table, { id }, { id: numbered(id), name: numbered(id), name_key: numbered(id) })
  const { userId, groupId, projectId, roleId, policyId, serverId } = resources
  const held = (holder: 'user_id' | 'group_id', id: string, place: Record<string, string>) =>
    copy(
      'assignments',
      { [holder]: id, ...place },
      {
        id: sql`${`${id}${Object.keys(place).join('')}-`} || i`,
        role_id: numbered(roleId),
      },
    )
  const systemOf = (holder: 'user_id' | 'group_id', id: string) => held(holder, id, {})
  await database.commitIdentity([
    named('domains', resources.spareDomainId),
    named('projects', projectId),
    named('users', userId),
    named('groups', groupId),
    named('roles', roleId),
    named('policies', policyId),
    named('access_keys', resources.keyId),
    named('identity_providers', resources.providerId),
    copy(
      'views',
      { id: resources.viewId },
      {
        id: numbered(resources.viewId),
        name_key: numbered(resources.viewId),
        user_id: reader.userId,
        project_id: reader.place.projectId,
      },
    ),
    copy(
      'checks',
      { id: resources.checkId },
      { id: numbered(resources.checkId), name_key: numbered(resources.checkId) },
    ),
    db
      .insertInto('check_violations')
      .columns(['id', 'check_id', 'subject_kind', 'subject_id', 'name', 'since', 'opened_at'])
      .expression(
        sql`select ${numbered('violation')}, ${resources.checkId}, 'server', ${numbered('server')}, 'web', 1, 1
          from ${seriesTo(some)}` as never,
      )
      .compile(),
    db
      .insertInto('account_gaps')
      .columns(['account_id', 'region', 'from', 'until'])
      .expression(
        sql`select ${resources.accountId}, '', i * 10, i * 10 + 5 from ${seriesTo(some)}` as never,
      )
      .compile(),
    copy('group_members', { group_id: groupId, user_id: userId }, { user_id: numbered(userId) }),
    copy('group_members', { group_id: groupId, user_id: userId }, { group_id: numbered(groupId) }),
    copy('role_policies', { role_id: roleId }, { policy_id: numbered(policyId) }),
    copy(
      'assignments',
      { user_id: userId, project_id: projectId },
      {
        id: numbered(userId),
        project_id: numbered(projectId),
      },
    ),
    held('user_id', userId, { project_id: projectId }),
    held('group_id', groupId, { project_id: projectId }),
    held('user_id', resources.residentId, { domain_id: resources.domainId }),
    held('group_id', resources.residentGroupId, { domain_id: resources.domainId }),
    systemOf('user_id', resources.stewardId),
    systemOf('group_id', resources.stewardGroupId),
    copy(
      'events',
      { target_id: resources.targetId },
      {
        id: sql`events.id || '-' || i`,
        target_type: 'server',
        target_id: serverId,
        project_id: projectId,
      },
    ),
    copy(
      'tasks',
      { id: resources.taskId },
      {
        id: numbered(resources.taskId),
        server_id: serverId,
        status: 'succeeded',
      },
    ),
    copy(
      'batches',
      { id: resources.batchId },
      {
        id: numbered(resources.batchId),
        status: 'finished',
      },
    ),
    ...inventoryKinds.map((table) => copy(table, { id: serverId }, { id: numbered(serverId) })),
    db
      .insertInto('event_deliveries')
      .columns(['sink', 'attempt', 'event_id', 'time', 'duration_ms', 'status', 'result', 'error'])
      .expression(
        sql`select 'webhook', i, '1', 1, 1, 200, 'delivered', '' from ${seriesTo(1_000)}` as never,
      )
      .compile(),
  ])
}

/** Every response with rows: each GET operation with the most rows, and in each format. */
const calls = operations
  .filter(
    ({ method, access, id }) => method === 'GET' && access !== 'public' && id !== 'validateToken',
  )
  .flatMap((operation: Operation) => {
    const { limit, format } = (operation.query?.properties ?? {}) as Record<
      string,
      { anyOf?: { const?: string }[]; enum?: string[] } | undefined
    >
    const formats = format?.enum ?? format?.anyOf?.map((each) => each.const ?? '') ?? []
    // Without a limit, lists under /v3 are whole and others have few rows.
    const isWhole = operation.path.startsWith('/v3') && operation.id !== 'listIdentityEvents'
    const size = limit && !isWhole ? { limit: String(maxPageSize) } : {}
    return [size, ...formats.map((each) => ({ format: each }))].map((query) => ({
      id: operation.id as OperationId,
      operation,
      query: query as Record<string, string>,
    }))
  })

onSqliteFirst('the event loop turns during every response with many rows', (engine) => {
  let running: RunningPlatformWorld
  let resources: Resources
  let observed: ReturnType<typeof observeTurns>
  let startedAt: number
  before(async () => {
    // Inserting the rows takes long.
    running = await startPlatformWorld(engine, { flags: ['--database-timeout=120s'] })
    const { organisation, platform } = running
    resources = await organisation.addResources('home')
    await multiply(platform.database, resources, organisation.persona('admin'))
    const { projectId } = resources
    await platform.inventory.recordServers({
      present: Array.from({ length: servers }, () => serverWithResources(projectId)),
      gone: [],
    })
    startedAt = Date.now()
    observed = observeTurns()
  })
  after(async () => {
    observed.stop()
    await running.platform.close()
  })

  /** Reads as fast as the bytes come, and does nothing with them meanwhile. */
  function read(
    id: OperationId,
    path: string,
    query: Record<string, string>,
    signal?: AbortSignal,
  ) {
    const { token = '' } = running.organisation.persona('admin')
    const scope = { scope: 'max', ...query }
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Buffer }>()
    const url = `${running.platform.url}${path}?${new URLSearchParams(
      'scope' in (operationWith(id).query?.properties ?? {}) ? scope : query,
    ).toString()}`
    get(url, { headers: { 'x-auth-token': token }, ...(signal && { signal }) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
      )
      response.on('error', reject)
    }).on('error', reject)
    return promise
  }
  const operationWith = (id: OperationId) => operations.find((each) => each.id === id) as Operation
  const pathOf = (id: OperationId) => {
    const { path } = requests[id].parts({ resources, token: undefined, isDone: false })
    return operationWith(id).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(path?.[name] ?? ''),
    )
  }

  test('eight exports of events run at most two at a time, and none after their clients have gone', async () => {
    const { database } = running.platform
    const queue = () => database.counts().queues['queries'] ?? { running: 0, waiting: 0 }
    const seen: number[] = []
    const gone = new AbortController()
    const largest = await observed.during(async () => {
      const exports = Array.from({ length: 8 }, (_, at) =>
        read('listEvents', '/events', { format: at % 2 === 0 ? 'csv' : 'ndjson' }, gone.signal),
      )
      while (seen.length < 100) {
        await nextImmediate()
        if (queue().waiting > 0) seen.push(queue().running)
      }
      gone.abort()
      await Promise.allSettled(exports)
      while (queue().running + queue().waiting > 0) await nextImmediate()
    })
    // One user never has more than half of the slots for slow queries.
    assert.ok(Math.max(...seen) <= 2, String(Math.max(...seen)))
    assert.ok(
      largest.jsonLength <= 2 * most.jsonLength,
      `${largest.jsonLength} of JSON in one turn`,
    )
  })

  for (const { id, operation, query } of calls) {
    test(`${operation.path} ${new URLSearchParams(query).toString()}`, async () => {
      let answer: Awaited<ReturnType<typeof read>> | undefined
      const largest = await observed.during(async () => {
        const from = id === 'getServerDiff' && { from: timestamp(startedAt) }
        answer = await read(id, pathOf(id), { ...query, ...from })
      })
      const text = String(answer?.body)
      assert.equal(answer?.status, 200, text.slice(0, 300))
      if (
        operation.query &&
        'limit' in operation.query.properties &&
        !query['format'] &&
        !short.has(id) &&
        id !== 'getServerStatistics'
      ) {
        const list = Object.values(JSON.parse(text) as object).find(Array.isArray) as unknown[]
        assert.ok(list.length >= 1_000, `${list.length} rows: give it more in this test`)
      }
      // A page of servers is found as a list of numbers, and gaps are as small.
      const mostRows =
        id === 'listServers' || id === 'getCloudAccountGaps' ? maxPageSize + most.rows : most.rows
      assert.ok(largest.rows <= mostRows, `${largest.rows} rows in one turn`)
      assert.ok(largest.jsonLength <= most.jsonLength, `${largest.jsonLength} of JSON in one turn`)
    })
  }
})
