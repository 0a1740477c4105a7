import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  AndFilter,
  Client,
  EqualityFilter,
  FilterParser,
  OrFilter,
  ResultCodeError,
  type Entry,
} from 'ldapts'
import {
  LdapRefusal,
  type LdapEntry,
  type LdapSearch,
  type LdapSession,
} from '../domain/identity/ldap-session.ts'
import { NoResponseError } from '../domain/identity/provider-driver.ts'

/** Characters of a reason, at whose end ldapts has the result code. The server writes the rest. */
const longestReason = 200

/** Entries of a page. Servers may send fewer. */
const pageSize = 200

function filterOf({ filter, among }: LdapSearch) {
  const own = FilterParser.parseString(filter)
  if (!among) return own
  const { attribute } = among
  const filters = among.values.map((value) => new EqualityFilter({ attribute, value }))
  return new AndFilter({ filters: [own, new OrFilter({ filters })] })
}

/** ldapts has one value or several, as text where it is UTF-8. */
function toEntry({ dn, ...attributes }: Entry): LdapEntry {
  const read = (value: Entry[string]) =>
    [value].flat().map((each) => (typeof each === 'string' ? Buffer.from(each) : each))
  return {
    dn,
    attributes: new Map(
      Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), read(value)]),
    ),
  }
}

/** Speaks LDAP on an open connection. */
export function createLdapSession(messages: Duplex): LdapSession {
  const client = new Client({
    // Only the connection is used.
    url: 'ldap://connected',
    createConnection: () => messages as Socket,
  })

  async function run<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      return await operation()
    } catch (error) {
      const reason = (error as Error).message.slice(-longestReason)
      throw error instanceof ResultCodeError
        ? new LdapRefusal(error.code, reason)
        : new NoResponseError(reason)
    }
  }

  return {
    bind: (dn, password) => run(() => client.bind(dn, password)),

    async search(search) {
      const { base, scope, attributes, most } = search
      const filter = filterOf(search)
      const { searchEntries } = await run(() =>
        client.search(base, {
          scope,
          filter,
          attributes: [...attributes],
          // Otherwise bytes that happen to be UTF-8 would lose a byte order mark.
          explicitBufferAttributes: [...attributes],
          // A server ends a list at the limit with an error, which ldapts then ignores.
          ...(most === undefined ? { paged: { pageSize } } : { sizeLimit: most }),
        }),
      )
      return searchEntries.slice(0, most).map(toEntry)
    },
  }
}
