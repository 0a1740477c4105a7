import type { OperationId, ScopeParameter } from '@muster/contract'
import type { ReactNode } from 'react'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { scopeValues } from './list-state.ts'
import { ScopeLabel } from '../session/scope-label.tsx'
import { useScopePermission } from '../session/use-scope-permission.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import styles from './list-page.module.css'
import type { ListItem } from './stable-pages.ts'
import type { ListPages } from './use-pages.ts'

interface Props {
  readonly title: string
  /** The operation that lists the items. */
  readonly operation: OperationId
  readonly scope: ScopeParameter
  readonly pages: ListPages<ListItem>
  readonly countText: (count: number, size: number) => string
  /** The API rejects the filter. */
  readonly isRejected: boolean
  readonly onScope: (scope: ScopeParameter) => void
  /** Menus after that of the scope. */
  readonly children: ReactNode
}

/** The title of a list, the number of its items, and its menus. */
export function ListHead(props: Props) {
  const { title, operation, scope, pages, countText, isRejected, onScope, children } = props
  const t = useMessages()
  const { number, clock } = useFormat()
  const { count, size, difference, isReordered, isOutdated, isUpdating, updatedAt } = pages
  return (
    <div className={styles.head}>
      <PageTitle>{title}</PageTitle>
      <span className={styles.count} role="status" aria-live="polite" aria-busy={isUpdating}>
        {isOutdated && !isRejected && t.connection.searching}
        {!isOutdated && count !== undefined && countText(count, size ?? count)}
      </span>
      <ScopeLabel operation={operation} scope={scope} />
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
        <ScopeMenu operation={operation} scope={scope} onScope={onScope} />
        {children}
      </div>
    </div>
  )
}

/** The scope of the list: everything the user can access, or less. */
function ScopeMenu({ operation, scope, onScope }: Pick<Props, 'operation' | 'scope' | 'onScope'>) {
  const t = useMessages()
  const isAllowed = useScopePermission(operation)
  return (
    <Menu
      label={t.servers.scope}
      trigger={(properties) => <Button {...properties}>{t.servers.scopes[scope]}</Button>}
    >
      {scopeValues.map((name) => (
        <MenuItem
          key={name}
          checked={name === scope}
          disabledReason={isAllowed(name) ? undefined : t.servers.scopeTooWide}
          onSelect={() => onScope(name)}
        >
          {t.servers.scopes[name]}
        </MenuItem>
      ))}
    </Menu>
  )
}
