import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { ErrorBody, EventDto, Level } from '@muster/contract'
import { sql } from 'kysely'
import type { TokenRecord } from '../../domain/identity/records.ts'
import type { Statement } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'
import { ask, type ClientResponse } from '../client.ts'
import {
  anyName,
  assignmentRow,
  domainRow,
  groupRow,
  policyRow,
  projectRow,
  providerRow,
  roleRow,
  userRow,
} from './identity-rows.ts'
import { insertToken } from './insert-token.ts'
import { parseRule } from './parse-rule.ts'
import type { TestPlatform } from '../start-platform.ts'
import { ownTables } from '../table-rows.ts'

/** Where a role is held: on the system, or on the domain or project of this id. */
export type Where = 'system' | { readonly domain: string } | { readonly project: string }
export type Who = { readonly user: string } | { readonly group: string }

/** Any resource of the API. */
interface Thing {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly blob: string
}
type IdentityApiResponse = ClientResponse<ErrorBody & Record<string, Thing>>

/** A role of the test's own, with its one policy. */
export interface OwnRole {
  readonly id: string
  readonly name: string
  readonly policyId: string
}

/** A user with their own project and a token for it. */
export interface Person {
  readonly id: string
  readonly domainId: string
  readonly projectId: string
  readonly token: string
}

interface Posts {
  readonly domainId?: string
  readonly passwordHash?: string
  /** The ids of roles: on the system, and on the person's own domain and project. */
  readonly system?: readonly string[]
  readonly domain?: readonly string[]
  readonly project?: readonly string[]
}

/** The path of an assignment. */
export function grantPath(role: string, who: Who, where: Where): string {
  const holder = 'user' in who ? `users/${who.user}` : `groups/${who.group}`
  const place =
    where === 'system'
      ? 'system'
      : 'domain' in where
        ? `domains/${where.domain}`
        : `projects/${where.project}`
  return `/v3/${place}/${holder}/roles/${role}`
}

/** Counters, caches and logs, which a refused call may change. */
const passing = new Set([
  'account_syncs',
  'account_sync_runs',
  'events',
  'identity_version',
  'login_attempts',
  'login_origins',
  'spent',
  'fleet_numbers',
  'words',
])

/**
 * The identity world with callers: adds domains, users and roles in few commits, and calls the API
 * as any of them.
 */
export async function openIdentityApi(platform: TestPlatform) {
  const { database, url } = platform
  const { db } = database
  const tables = (await ownTables(database)).filter(({ name }) => !passing.has(name))

  const insert = (table: keyof Tables, row: object): Statement =>
    db
      .insertInto(table as 'settings')
      .values(row as Tables['settings'])
      .compile()

  const idOf = async (table: 'users' | 'projects' | 'policies', name: string) => {
    const row = db.selectFrom(table).select('id').where('name', '=', name)
    return (await row.executeTakeFirstOrThrow()).id
  }

  const tokenFor = (
    userId: string,
    where?: Exclude<Where, 'system'>,
    changes: Partial<TokenRecord> = {},
  ) =>
    insertToken(database, {
      userId,
      ...(where && {
        scope:
          'domain' in where
            ? { kind: 'domain', id: where.domain }
            : { kind: 'project', id: where.project },
      }),
      ...changes,
    })

  /** Collects rows. Each method returns the id of what it adds. */
  function createPlan(statements: Statement[]) {
    const put = <Row extends object>(table: keyof Tables, row: Row): Row => {
      statements.push(insert(table, row))
      return row
    }
    const plan = {
      domain: () => put('domains', domainRow(anyName('domain'))).id,
      project: (domainId = 'default') =>
        put('projects', projectRow(anyName('project'), domainId)).id,
      user: (domainId = 'default', passwordHash: string | null = null) =>
        put('users', userRow({ name: anyName('user'), domainId, passwordHash })).id,
      group(domainId: string, ...memberIds: string[]): string {
        const { id } = put('groups', groupRow(anyName('group'), domainId))
        for (const user_id of memberIds) put('group_members', { group_id: id, user_id })
        return id
      },
      policy: (scope: Level, texts: readonly string[], enabled = true) =>
        put('policies', policyRow(anyName('policy'), scope, texts.map(parseRule), enabled)).id,
      bind: (role_id: string, policy_id: string) =>
        void put('role_policies', { role_id, policy_id }),
      /** With one policy of its own, where it has rules. */
      role(scope: Level, ...rules: string[]): OwnRole {
        const { id, name } = put('roles', roleRow(anyName('role')))
        if (rules.length === 0) return { id, name, policyId: '' }
        const policyId = plan.policy(scope, rules)
        plan.bind(id, policyId)
        return { id, name, policyId }
      },
      provider: (domainId: string, mapping: readonly object[] = []) =>
        put('identity_providers', providerRow(anyName('provider'), domainId, mapping)).id,
      subject: (provider_id: string, user_id: string) =>
        void put('subjects', { provider_id, subject: user_id, user_id }),
      grant: (roleId: string, who: Who, where: Where, providerId?: string) =>
        void put(
          'assignments',
          assignmentRow(roleId, {
            userId: 'user' in who ? who.user : undefined,
            groupId: 'group' in who ? who.group : undefined,
            projectId: where !== 'system' && 'project' in where ? where.project : undefined,
            domainId: where !== 'system' && 'domain' in where ? where.domain : undefined,
            providerId,
          }),
        ),
    }
    return plan
  }

  /** Adds any number of resources in one commit. */
  async function add<Result>(
    make: (plan: ReturnType<typeof createPlan>) => Result,
  ): Promise<Result> {
    const statements: Statement[] = []
    const result = make(createPlan(statements))
    await database.commitIdentity(statements)
    return result
  }

  // A role that allows nothing and only makes the user a member of a project.
  const bare = (await add((plan) => plan.role('project'))).id
  const ready = await db.selectFrom('roles').select(['id', 'name']).execute()
  const roleIds = new Map(ready.map(({ id, name }) => [name, id]))
  const adminId = await idOf('users', 'sysadmin')
  const systemProjectId = await idOf('projects', 'system')
  const admin = await tokenFor(adminId, { project: systemProjectId })

  const call = (token: string, method: string, path: string, body?: unknown) =>
    ask(url, path, {
      method,
      token,
      ...(body !== undefined && { body }),
    }) as Promise<IdentityApiResponse>

  /** All rows in one statement, because tests of refusals read them often. */
  const wholeTables = sql.join(
    tables.map(({ name, columns }) => {
      const table = sql.table(name)
      const row =
        database.engine === 'postgres'
          ? sql`row_to_json(${table})::text`
          : // Stored bytes become text, because JSON has no bytes.
            sql`json_array(${sql.join(columns.map(({ name: column }) => sql`cast(${sql.ref(column)} as text)`))})`
      return sql`select ${sql.lit(name)} as name, ${row} as content from ${table}`
    }),
    sql` union all `,
  )
  async function digest(): Promise<string[]> {
    const { rows } = await sql<{ name: string; content: string }>`${wholeTables}`.execute(db)
    return rows.map(({ name, content }) => `${name} ${content}`).sort()
  }

  return {
    url,
    admin,
    adminId,
    systemProjectId,
    bare,
    /** A ready-made role by its name; an id is itself. */
    role: (name: string) => roleIds.get(name) ?? name,
    add,
    idOf,
    tokenFor,
    call,
    digest,

    /** As the first administrator, for whom this must succeed. */
    async order(method: string, path: string, body?: unknown): Promise<IdentityApiResponse> {
      const answer = await call(admin, method, path, body)
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
      return answer
    },

    addDomain: () => add((plan) => plan.domain()),
    addRole: (scope: Level, ...rules: string[]) => add((plan) => plan.role(scope, ...rules)),

    async addCaller(posts: Posts = {}): Promise<Person> {
      const { domainId = 'default', passwordHash, system = [], domain = [], project = [] } = posts
      const { id, projectId } = await add((plan) => {
        const user = plan.user(domainId, passwordHash)
        const own = plan.project(domainId)
        for (const role of [bare, ...project]) plan.grant(role, { user }, { project: own })
        for (const role of domain) plan.grant(role, { user }, { domain: domainId })
        for (const role of system) plan.grant(role, { user }, 'system')
        return { id: user, projectId: own }
      })
      return { id, domainId, projectId, token: await tokenFor(id, { project: projectId }) }
    },

    /** Whether a user has a role, according to the API. */
    holds: async (role: string, who: Who, where: Where) =>
      (await call(admin, 'HEAD', grantPath(role, who, where))).status === 204,

    events: async (query: string, token = admin) => {
      const answer = await ask<{ events: EventDto[] }>(url, `/events?limit=2048&${query}`, {
        token,
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.events
    },

    /** Asserts that each of these is refused with this status, and that nothing has changed afterwards. */
    async assertRefused(
      status: number,
      ...attempts: readonly (() => Promise<IdentityApiResponse>)[]
    ): Promise<IdentityApiResponse[]> {
      const before = await digest()
      const answers: IdentityApiResponse[] = []
      for (const [index, attempt] of attempts.entries()) {
        const answer = await attempt()
        assert.equal(answer.status, status, `attempt ${index + 1}: ${answer.text}`)
        answers.push(answer)
      }
      assert.deepEqual(await digest(), before)
      return answers
    },
  }
}
export type IdentityApi = Awaited<ReturnType<typeof openIdentityApi>>

/** A provider at an address that is never contacted. */
export const providerFields = (domainId: string) => ({
  driver: 'cas',
  url: 'https://cas.example.org/cas',
  service_url: 'https://muster.example.org/console/',
  domain_id: domainId,
})

/** Polls for up to five seconds, in which another process learns of a change. */
export async function pollForValue<Value>(
  look: () => Promise<Value>,
  isAwaited: (value: Value) => boolean,
): Promise<Value> {
  const end = performance.now() + 5_000
  let value = await look()
  while (performance.now() < end && !isAwaited(value)) {
    await pause(50)
    value = await look()
  }
  return value
}
