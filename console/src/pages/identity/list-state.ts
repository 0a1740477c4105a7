import { administeredResources, type PageResource } from '@muster/contract/resources'
import type { Kind } from '../../api/kind-operations.ts'
import type { ListQuery } from '../../api/entities.ts'
import type { Search } from '../../url/search.ts'
import type { Sort } from '../../url/sort.ts'

const sortKeys = ['name', 'created_at', 'enabled', 'last_login_at'] as const

/** The filters that a kind has. */
function filtersOf(kind: Kind) {
  const { fields }: PageResource = administeredResources[kind]
  const has = (name: string) => fields[name]?.uses.includes('filter') === true
  return { domain: has('domain_id'), enabled: has('enabled'), only: has('attention') }
}

export const selections = ['people', 'programs', 'attention'] as const
type Selection = (typeof selections)[number]

export interface ListState {
  readonly find: string
  readonly sort: Sort
  /** Undefined if the kind has no such filter; '' if the filter is off. */
  readonly domain: string | undefined
  readonly enabled: '' | 'true' | 'false' | undefined
  /** Which users. */
  readonly only: '' | Selection | undefined
}

/** Reads the list state from the address. Invalid values are ignored. */
export function readListState(kind: Kind, search: Search): ListState {
  const has = filtersOf(kind)
  const { fields }: PageResource = administeredResources[kind]
  const by = sortKeys.find((key) => key === search['sort'] && fields[key]?.uses.includes('sort'))
  const { enabled } = search
  return {
    find: search['find'] ?? '',
    sort: { by: by ?? 'name', order: search['order'] === 'desc' ? 'desc' : 'asc' },
    domain: has.domain ? (search['domain'] ?? '') : undefined,
    only: has.only ? (selections.find((each) => each === search['only']) ?? '') : undefined,
    enabled: has.enabled ? (enabled === 'true' || enabled === 'false' ? enabled : '') : undefined,
  }
}

const parametersOf: Readonly<Record<Selection, ListQuery>> = {
  people: { service_account: 'false' },
  programs: { service_account: 'true' },
  attention: { filter: "attention.in('ownerless','unused')" },
}

/** The API's parameters. The text search is not among them. */
export const toListQuery = ({ sort, domain, enabled, only }: ListState): ListQuery => ({
  sort_key: sort.by,
  sort_dir: sort.order,
  ...(domain && { domain_id: domain }),
  ...(enabled && { enabled }),
  ...(only && parametersOf[only]),
})

export const isNarrowed = ({ find, domain, enabled, only }: ListState): boolean =>
  [find.trim(), domain ?? '', enabled ?? '', only ?? ''].some((value) => value !== '')
