import { sql, type RawBuilder } from 'kysely'
import { codeOf } from './sql-parts.ts'

/** Servers that a project or a domain has: in use or in the recycle bin, but not those that are gone. */
export const ownedBy = (owner: 'domain' | 'project', id: string): RawBuilder<boolean> =>
  sql`${sql.ref(`servers.${owner}_id`)} = ${codeOf(id)} and servers.state < 2`
