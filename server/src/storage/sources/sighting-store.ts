import { sql } from 'kysely'
import type {
  ActiveElsewhere,
  SeeingAccount,
  ServerKeys,
  ServerLocation,
  SightingStore,
} from '../../domain/sources/ports.ts'
import { SightingTable } from '../../domain/sources/sighting-table.ts'
import type { DatabaseReader } from '../database.ts'
import { chunk } from '../../domain/chunk.ts'
import { sightingColumns } from '../servers/sightings.ts'
import { codeOf } from '../sql-parts.ts'
import { readTagKey } from '../servers/tags.ts'

const maxActiveElsewhere = 1_000

/** The last report of each account about each of its servers. */
export function createSightingStore({ db }: DatabaseReader, rowsPerRead = 10_000): SightingStore {
  /** With the ids of the servers, by which the rest of Muster knows them. */
  const sightings = () =>
    db.selectFrom('sightings').innerJoin('servers', 'servers.seq', 'sightings.server')

  const select = (accountId: string) =>
    sightings()
      .select(['server', 'servers.id as server_id'])
      .select(sightingColumns.map((name) => `sightings.${name}` as const))
      .where('sightings.account_id', '=', accountId)

  /** In parts, because the rows of a large account take hundreds of megabytes. */
  async function* readAll(accountId: string) {
    for (let after = 0; ;) {
      const rows = await select(accountId)
        .where('server', '>', after)
        // PostgreSQL does not derive it from the join and would read all rows before.
        .where('seq', '>', after)
        .orderBy('server')
        .limit(rowsPerRead)
        .execute()
      yield rows
      const last = rows.at(-1)
      if (!last || rows.length < rowsPerRead) return
      after = last.server
    }
  }

  async function* readByIds(accountId: string, ids: readonly string[]) {
    for (const part of chunk(ids)) {
      yield await select(accountId).where('servers.id', 'in', part).execute()
    }
  }

  return {
    async of(accountId, ids) {
      const found = new SightingTable()
      for await (const rows of ids ? readByIds(accountId, ids) : readAll(accountId)) {
        for (const row of rows) {
          found.set({
            serverId: row.server_id,
            digest: row.digest,
            projectId: row.project_id,
            missed: row.missed,
            missingSince: row.missing_since,
            activeName: row.active_name,
            activeHost: row.active_host,
          })
        }
      }
      return found
    },

    async accountsSeeing(ids) {
      const seeing = new Map<string, SeeingAccount[]>()
      for (const batch of chunk(ids)) {
        const rows = await sightings()
          .select([
            'servers.id as serverId',
            'sightings.account_id as accountId',
            'sightings.project_id as projectId',
            'missed',
          ])
          .where('servers.id', 'in', batch)
          .execute()
        for (const { serverId, ...sighting } of rows) {
          seeing.set(serverId, [...(seeing.get(serverId) ?? []), sighting])
        }
      }
      return seeing
    },

    async heldUnseen(accountId) {
      const rows = await db
        .selectFrom('servers')
        .select('id')
        .where(sql<boolean>`servers.account_id = ${codeOf(accountId)} and servers.state < 2`)
        .where(sql<boolean>`not exists (select 1 from sightings
          where sightings.account_id = ${accountId} and sightings.server = servers.seq)`)
        .execute()
      return rows.map(({ id }) => id)
    },

    async sharedBy(accountId) {
      const { rows } = await sql<{
        id: string
      }>`select servers.id from sightings own inner join servers on servers.seq = own.server where own.account_id = ${accountId} and exists (select 1 from sightings other where other.server = own.server and other.account_id <> own.account_id) order by servers.id`.execute(
        db,
      )
      return rows.map(({ id }) => id)
    },

    async countShared(accountId) {
      const { rows } = await sql<{
        id: string
        n: unknown
      }>`select other.account_id as id, count(*) as n from sightings own inner join sightings other on other.server = own.server and other.account_id <> own.account_id where own.account_id = ${accountId} group by other.account_id`.execute(
        db,
      )
      return new Map(rows.map(({ id, n }) => [id, Number(n)]))
    },

    async locationsOf(ids) {
      const locations = new Map<string, ServerLocation>()
      const { bare, origins } = readTagKey('sys:tenant')
      for (const batch of chunk(ids)) {
        const { rows } = await sql<{
          id: string
          region: string
          tenant: string
        }>`select servers.id, regions.word as region, coalesce(tenants.word, '') as tenant from servers inner join words regions on regions.code = servers.region_ext_id left join server_tags notes on notes.server = servers.seq and notes.origin in (${sql.join(origins)}) and notes.key = ${codeOf(bare)} left join words tenants on tenants.code = notes.value where servers.id in (${sql.join(batch)})`.execute(
          db,
        )
        for (const { id, ...location } of rows) locations.set(id, location)
      }
      return locations
    },

    async activeElsewhere(accountId) {
      const { rows } =
        await sql<ActiveElsewhere>`select servers.id as "serverId", own.active_name as name, other.account_id as "otherAccountId", other.active_name as "otherName" from sightings own inner join servers on servers.seq = own.server inner join sightings other on other.server = own.server and other.account_id <> own.account_id and other.active_host <> own.active_host where own.account_id = ${accountId} and own.active_name <> '' and other.active_name <> '' order by servers.id, other.account_id limit ${maxActiveElsewhere}`.execute(
          db,
        )
      return rows
    },
  }
}

/** The ids of servers that another domain has taken over. */
export const createServerKeys = ({ db }: DatabaseReader): ServerKeys => ({
  async find(formerIds) {
    const found = new Map<string, string>()
    for (const ids of chunk(formerIds)) {
      const rows = await db
        .selectFrom('server_keys')
        .selectAll()
        .where('source_id', 'in', ids)
        .execute()
      for (const { source_id, server_id } of rows) found.set(source_id, server_id)
    }
    return found
  },

  async findFormer(currentIds) {
    const found = new Map<string, string>()
    for (const ids of chunk(currentIds)) {
      const rows = await db
        .selectFrom('server_keys')
        .selectAll()
        .where('server_id', 'in', ids)
        .execute()
      for (const { source_id, server_id } of rows) found.set(source_id, server_id)
    }
    return found
  },
})
