import type { AnyEntity, Kind } from '../../api/kind-operations.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { EnabledMark } from './enabled-mark.tsx'
import { EntityLink } from './entity-link.tsx'
import styles from './entity-list.module.css'
import { useNames } from './use-choices.ts'

type ColumnName =
  | 'name'
  | 'displayname'
  | 'email'
  | 'domain'
  | 'scope'
  | 'rules'
  | 'enabled'
  | 'description'
  | 'created'

/** The columns of each kind. */
const columnsOf: Readonly<Record<Kind, readonly ColumnName[]>> = {
  projects: ['name', 'domain', 'enabled', 'description', 'created'],
  users: ['name', 'displayname', 'email', 'domain', 'enabled', 'created'],
  groups: ['name', 'domain', 'description', 'created'],
  roles: ['name', 'description', 'created'],
  policies: ['name', 'scope', 'rules', 'enabled', 'created'],
  domains: ['name', 'enabled', 'description', 'created'],
}

/** The fields that an entity of any kind may have. */
type AnyResourceField = AnyEntity & {
  readonly displayname?: string
  readonly email?: string
  readonly domain_id?: string | null
  readonly enabled?: boolean
  readonly description?: string
  readonly scope?: 'system' | 'domain' | 'project'
  readonly rules?: readonly unknown[]
}

const clamped = (text: string | undefined) => (
  <span className={`${styles.clamp} ${styles.soft}`} title={text}>
    {text}
  </span>
)

export function useColumns(kind: Kind): readonly Column<AnyEntity>[] {
  const t = useMessages()
  const domains = useNames('domains')
  const all: Readonly<Record<ColumnName, Omit<Column<AnyResourceField>, 'key'>>> = {
    name: {
      title: t.common.name,
      sortBy: 'name',
      cell: ({ id, name }) => (
        <EntityLink kind={kind} id={id}>
          {name}
        </EntityLink>
      ),
    },
    displayname: { title: t.identity.fields.displayname, cell: ({ displayname }) => displayname },
    email: { title: t.identity.fields.email, cell: ({ email }) => email },
    domain: {
      title: t.identity.fields.domain_id,
      cell: ({ domain_id }) =>
        domain_id && (
          <EntityLink kind="domains" id={domain_id}>
            {domains.get(domain_id) ?? domain_id}
          </EntityLink>
        ),
    },
    scope: {
      title: t.identity.fields.scope,
      cell: ({ scope }) => scope && t.identity.levels[scope],
    },
    rules: { title: t.identity.ruleCount, number: true, cell: ({ rules }) => rules?.length },
    enabled: {
      title: t.identity.state,
      sortBy: 'enabled',
      cell: ({ enabled = true }) => <EnabledMark enabled={enabled} />,
    },
    description: {
      title: t.common.description,
      cell: ({ description }) => clamped(description),
    },
    created: {
      title: t.common.created,
      sortBy: 'created_at',
      cell: ({ created_at }) => <TimeAgo time={created_at} />,
    },
  }
  return columnsOf[kind].map((key) => ({ key, ...all[key] }))
}
