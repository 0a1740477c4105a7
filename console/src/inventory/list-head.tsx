import type { OperationId, ScopeParameter } from '@muster/contract'
import { useState, type ReactNode } from 'react'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ScopeLabel } from '../session/scope-label.tsx'
import { Button } from '../ui/button.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import styles from './list-page.module.css'
import { ScopeMenu } from './scope-menu.tsx'
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
  const [isOpen, setOpen] = useState(false)
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
      {/* Shown on a phone only. */}
      <span className={styles.options}>
        <Button
          look="quiet"
          icon="more"
          label={t.servers.listOptions}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </span>
      <div className={styles.aside} data-open={isOpen}>
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
