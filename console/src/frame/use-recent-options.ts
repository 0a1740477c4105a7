import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { namedServersQuery } from '../api/queries/found-servers.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useValueNames } from '../servers/value-names.ts'
import { useSession } from '../session/use-session.ts'
import { filterOption, serverOption, type PageOption } from './palette-options.ts'
import { recentAddresses } from './recent-addresses.ts'
import { useEntityOptions } from './use-entity-options.ts'
import { useCurrentAddress } from './use-remember-visits.ts'

const beginnings = {
  projects: '/identity/projects/',
  accounts: '/accounts/',
  people: '/identity/users/',
  views: '/servers?',
} as const

const serverPath = '/servers/'
const filterPath = '/servers?q='

interface Recent {
  readonly options: readonly PageOption[]
  /** How many there will be at most, while they are asked for. */
  readonly pending: number
}

/** What the user opened last, except what is shown now. What the API does not name any more is left out. */
export function useRecentOptions(pages: readonly PageOption[]): Recent {
  const { frame: t } = useMessages()
  const names = useValueNames()
  const { user } = useSession()
  const current = useCurrentAddress(pages)
  const [stored] = useState(() => recentAddresses(user.id))
  const addresses = stored.filter((address) => address !== current)
  const servers = useQuery(
    namedServersQuery(
      addresses
        .filter((address) => address.startsWith(serverPath))
        .map((address) => decodeURIComponent(address.slice(serverPath.length))),
    ),
  )
  const entities = useEntityOptions((group) =>
    addresses.some((address) => address.startsWith(beginnings[group])),
  )
  const known = [
    ...pages,
    ...entities.groups.flat(),
    ...(servers.data ?? []).map((server) =>
      serverOption({ ...server, status: names.fullName('status', server.status ?? '') }),
    ),
    ...addresses
      .filter((address) => address.startsWith(filterPath))
      .map((address) => new URL(address, location.origin).searchParams.get('q') ?? '')
      .map((q) => filterOption(t.paletteFilter(q), q)),
  ]
  const byAddress = new Map(known.map((option) => [option.href, option]))
  const isLoading = servers.isLoading || entities.isLoading
  return {
    options: (isLoading ? [] : addresses).flatMap((address) => {
      const option = byAddress.get(address)
      return option ? [{ ...option, id: `recent ${address}`, group: 'recent' as const }] : []
    }),
    pending: isLoading ? addresses.length : 0,
  }
}
