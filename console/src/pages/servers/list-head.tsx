import { type ListState, scopes, type Scope } from '../../servers/list-state.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button } from '../../ui/button.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { ExportMenu } from './export-menu.tsx'
import styles from './servers-page.module.css'
import type { ChangeList } from './use-list-state.ts'
import type { ServerPages } from './use-server-pages.ts'
import { ViewsMenu } from './views-menu.tsx'
import { useScopePermission } from '../../session/use-scope-permission.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'

interface Props {
  readonly state: ListState
  readonly pages: ServerPages
  readonly fleetSize: number | undefined
  /** The API rejects the filter. */
  readonly isRejected: boolean
  readonly onChange: ChangeList
  readonly onColumns: () => void
}

export function ListHead({ state, pages, fleetSize, isRejected, onChange, onColumns }: Props) {
  const t = useMessages()
  const { number, clock } = useFormat()
  const { total, difference, isReordered, isOutdated, updatedAt } = pages
  const all = fleetSize ?? total
  return (
    <div className={styles.head}>
      <PageTitle>{t.servers.title}</PageTitle>
      <span className={styles.count} role="status" aria-live="polite">
        {isOutdated && !isRejected && t.connection.searching}
        {!isOutdated &&
          total !== undefined &&
          all !== undefined &&
          t.servers.countOf(number(total), number(all))}
      </span>
      <ScopeLabel operation="listServers" scope={state.scope} />
      {(difference !== 0 || isReordered) && (
        <Button small onClick={pages.showChanges}>
          {difference > 0 ? t.servers.newOnes(number(difference)) : t.servers.changedOrder}
        </Button>
      )}
      <div className={styles.aside}>
        {updatedAt > 0 && (
          <span className={styles.updated}>{t.common.updatedAt(clock(updatedAt))}</span>
        )}
        <Button look="quiet" icon="refresh" label={t.common.refresh} onClick={pages.refetch} />
        <ScopeMenu scope={state.scope} onChange={onChange} />
        <ViewsMenu state={state} onChange={onChange} />
        <Button icon="columns" onClick={onColumns} aria-haspopup="dialog">
          {t.servers.columnsButton}
        </Button>
        <ExportMenu state={state} total={isOutdated ? undefined : total} />
      </div>
    </div>
  )
}

interface ScopeMenuProps {
  readonly scope: Scope
  readonly onChange: ChangeList
}

/** The scope of the list: everything the user can access, or less. */
function ScopeMenu({ scope, onChange }: ScopeMenuProps) {
  const t = useMessages()
  const isAllowed = useScopePermission('listServers')
  return (
    <Menu
      label={t.servers.scope}
      trigger={(properties) => <Button {...properties}>{t.servers.scopes[scope]}</Button>}
    >
      {scopes.map((name) => (
        <MenuItem
          key={name}
          checked={name === scope}
          disabledReason={isAllowed(name) ? undefined : t.servers.scopeTooWide}
          onSelect={() => onChange({ scope: name })}
        >
          {t.servers.scopes[name]}
        </MenuItem>
      ))}
    </Menu>
  )
}
