import { nameKey } from '../../domain/name-key.ts'
import type { Directory, DomainReference, MemberReference } from '../../domain/identity/ports.ts'
import type { Credentials } from '../../domain/identity/records.ts'
import type { Database } from '../database.ts'

/** A name without a domain means this one. */
const defaultDomain: DomainReference = { id: 'default' }
/** No domain has this id: the search that follows is the same, and finds nobody. */
const nowhere = ''

/** Where to look. Beside an id the domain need not be named; where it is, it must agree. */
function homeOf({ id, domain }: MemberReference): DomainReference | undefined {
  if (domain?.id !== undefined || domain?.name !== undefined) return domain
  return id === undefined ? defaultDomain : undefined
}

export function createFindCredentials({ db }: Database): Directory['findCredentials'] {
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
      .select(['id', 'name', 'domain_id', 'password_hash', 'password_expires_at'])
    if (named.id !== undefined) query = query.where('id', '=', named.id)
    if (named.nameKey !== undefined) query = query.where('name_key', '=', named.nameKey)
    if (named.domainId !== undefined) query = query.where('domain_id', '=', named.domainId)
    const row = await query.executeTakeFirst()
    return (
      row && {
        user: { id: row.id, name: row.name, domainId: row.domain_id },
        passwordHash: row.password_hash,
        passwordExpiresAt: row.password_expires_at,
      }
    )
  }

  return async function findCredentials(reference) {
    const { id, name } = reference
    const key = name && nameKey(name)
    const home = homeOf(reference)
    const domainId = home && ((await findDomainId(home)) ?? nowhere)
    const credentials = await findUser({ id, nameKey: key, domainId })
    const place = domainId || (home?.id ?? nameKey(home?.name ?? ''))
    return { lookupKey: id ?? JSON.stringify([key, place]), credentials }
  }
}
