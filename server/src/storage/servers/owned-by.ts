import { sql, type RawBuilder } from 'kysely'
import { codeOf } from '../sql-parts.ts'

/** Servers of a project or a domain that are live or in the recycle bin, but not deleted. */
export const ownedBy = (owner: 'domain' | 'project', id: string): RawBuilder<boolean> =>
  sql`${sql.ref(`servers.${owner}_id`)} = ${codeOf(id)} and servers.state < 2`
