import { sql } from 'kysely'
import { nameKey } from '../../domain/name-key.ts'
import type { Directory, DomainReference, MemberReference } from '../../domain/identity/ports.ts'
import type { Credentials, UserRecord } from '../../domain/identity/records.ts'
import { readBoolean } from '../boolean.ts'
import type { DatabaseReader } from '../database.ts'
import { domainColumns, toDomain } from './domain-columns.ts'
import { createLoadAssignments } from './load-assignments.ts'
import { readScopeColumns } from './token-scope-columns.ts'

/** The domain of a user name that is given without a domain. */
const defaultDomain: DomainReference = { id: 'default' }
/** No domain has this id, so that the following query takes the same time and finds nobody. */
const nowhere = ''

/** The domain to search. It is optional beside an id, but must match if it is named. */
function domainToSearch({ id, domain }: MemberReference): DomainReference | undefined {
  if (domain?.id !== undefined || domain?.name !== undefined) return domain
  return id === undefined ? defaultDomain : undefined
}

function createFindCredentials({ db }: DatabaseReader): Directory['findCredentials'] {
  async function findDomainId({ id, name }: DomainReference): Promise<string | undefined> {
    let query = db.selectFrom('domains').select('id')
    if (id !== undefined) query = query.where('id', '=', id)
    if (name !== undefined) query = query.where('name_key', '=', nameKey(name))
    const row = await query.executeTakeFirst()
    return row?.id
  }

  async function findUser(named: {
    id: string | undefined
    nameKey: string | undefined
    domainId: string | undefined
  }): Promise<Credentials | undefined> {
    let query = db
      .selectFrom('users')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .select([
        'users.id',
        'users.name',
        'domain_id',
        'password_hash',
        'password_expires_at',
        'break_glass',
        'local_passwords',
      ])
    if (named.id !== undefined) query = query.where('users.id', '=', named.id)
    if (named.nameKey !== undefined) query = query.where('users.name_key', '=', named.nameKey)
    if (named.domainId !== undefined) query = query.where('domain_id', '=', named.domainId)
    const row = await query.executeTakeFirst()
    if (!row) return undefined
    const isRestricted = row.local_passwords === 'break_glass'
    const isBreakGlass = isRestricted && readBoolean(row.break_glass)
    const isRefused = isRestricted && !isBreakGlass
    return {
      user: { id: row.id, name: row.name, domainId: row.domain_id },
      passwordHash: isRefused ? null : row.password_hash,
      passwordExpiresAt: row.password_expires_at,
      isBreakGlass,
      isPasswordRefused: isRefused && row.password_hash !== null,
    }
  }

  return async function findCredentials(reference) {
    const { id, name } = reference
    const key = name && nameKey(name)
    const home = domainToSearch(reference)
    const domainId = home && ((await findDomainId(home)) ?? nowhere)
    const credentials = await findUser({ id, nameKey: key, domainId })
    const place = domainId || (home?.id ?? nameKey(home?.name ?? ''))
    return {
      lookupKey: id ?? JSON.stringify([key, place]),
      domainId: credentials?.user.domainId ?? domainId ?? nowhere,
      credentials,
    }
  }
}

function createLoadUserStatus(database: DatabaseReader): Directory['loadUserStatus'] {
  const { db } = database
  const { loadAssignments } = createLoadAssignments(database)

  async function loadUser(
    id: string,
  ): Promise<{ readonly user: UserRecord; readonly hasFactor: boolean } | undefined> {
    const row = await db
      .selectFrom('users')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .where('users.id', '=', id)
      .select([
        'users.id',
        'users.name',
        'users.displayname',
        'users.email',
        'users.mobile',
        'users.enabled',
        'users.password_expires_at',
        'users.expires_at',
        'users.break_glass',
        'users.default_project_id',
        ...domainColumns('domains'),
        (eb) =>
          eb
            .selectFrom('factors')
            .select(sql<number>`count(*)`.as('count'))
            .whereRef('factors.user_id', '=', 'users.id')
            .where('confirmed_at', 'is not', null)
            .as('factors'),
      ])
      .executeTakeFirst()
    return (
      row && {
        user: {
          id: row.id,
          name: row.name,
          displayname: row.displayname,
          email: row.email,
          mobile: row.mobile,
          enabled: readBoolean(row.enabled),
          domain: toDomain(row),
          defaultProjectId: row.default_project_id,
          passwordExpiresAt: row.password_expires_at,
          expiresAt: row.expires_at,
          isBreakGlass: readBoolean(row.break_glass),
        },
        hasFactor: Number(row.factors) > 0,
      }
    )
  }

  return async function loadUserStatus(userId) {
    const loaded = await loadUser(userId)
    return loaded && { ...loaded, assignments: await loadAssignments({ kind: 'user', id: userId }) }
  }
}

function createFindPasswordLink({ db }: DatabaseReader): Directory['findPasswordLink'] {
  return async function findPasswordLink(hash) {
    const row = await db
      .selectFrom('password_links')
      .innerJoin('users', 'users.id', 'password_links.user_id')
      .leftJoin('access_keys', 'access_keys.id', 'password_links.access_key_id')
      .select([
        'users.id',
        'users.name',
        'users.domain_id',
        'password_hash',
        'password_links.expires_at',
        'created_by',
        'access_key_id',
        'password_links.project_id as creator_project',
        'password_links.domain_id as creator_domain',
      ])
      .where('hash', '=', hash)
      // A link from an access key works while the key does.
      .where((eb) => eb.or([eb('access_key_id', 'is', null), eb('access_keys.enabled', '=', 1)]))
      .executeTakeFirst()
    return (
      row && {
        user: { id: row.id, name: row.name, domainId: row.domain_id },
        hasPassword: row.password_hash !== null,
        expiresAt: row.expires_at,
        creator: {
          userId: row.created_by,
          scope: readScopeColumns({
            project_id: row.creator_project,
            domain_id: row.creator_domain,
          }),
          accessKeyId: row.access_key_id,
        },
      }
    )
  }
}

/** The users, as logins and permission checks read them. */
export const createDirectory = (database: DatabaseReader): Directory => ({
  findCredentials: createFindCredentials(database),
  loadUserStatus: createLoadUserStatus(database),
  findPasswordLink: createFindPasswordLink(database),
})
