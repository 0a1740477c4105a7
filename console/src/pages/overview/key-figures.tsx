import type { ServerStatistics } from '@muster/contract'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Highlight } from '../../ui/highlight.tsx'
import { ServersLink } from '../../charts/servers-link.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { useNow } from '../../ui/use-now.ts'
import { changedSince, dayOf } from './days.ts'
import { changedQuery } from './fleet-query.ts'
import styles from './key-figures.module.css'

/** The four key figures. */
export function KeyFigures({ query }: { readonly query: UseQueryResult<ServerStatistics> }) {
  const t = useMessages().overview
  const { number, size, percent } = useFormat()
  const today = dayOf(useNow())
  const changed = useQuery(changedQuery(today))
  const { data: fleet, isError: hasFailed } = query
  const total = fleet?.total
  const inStatus = (status: string) =>
    fleet && (fleet.groups['status']?.find(({ value }) => value === status)?.count ?? 0)
  const running = inStatus('running')
  const unknown = inStatus('unknown')
  return (
    <ul className={styles.figures} aria-label={t.figures.label}>
      <Figure name={t.figures.servers} count={total?.count} q="" hasFailed={hasFailed}>
        {total && t.figures.size(number(total.vcpu_count), size(total.vmem_size))}
      </Figure>
      <Figure name={t.figures.running} count={running} q="status:running" hasFailed={hasFailed}>
        {total && running !== undefined && t.figures.ofAll(percent(running, total.count))}
      </Figure>
      <Figure
        name={t.figures.unknown}
        count={unknown}
        q="status:unknown"
        isBad={(unknown ?? 0) > 0}
        hasFailed={hasFailed}
      >
        {t.figures.unknownHint}
      </Figure>
      <Figure
        name={t.figures.changed}
        count={changed.data?.total.count}
        q={changedSince(today)}
        hasFailed={changed.isError}
      >
        {t.figures.changedHint}
      </Figure>
    </ul>
  )
}

interface Props {
  readonly name: string
  readonly count: number | undefined
  readonly q: string
  readonly isBad?: boolean
  readonly hasFailed?: boolean
  readonly children?: ReactNode
}

function Figure({ name, count, q, isBad, hasFailed, children }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const shown = count === undefined ? undefined : number(count)
  const absent = hasFailed ? t.overview.figures.failed : '–'
  return (
    <li>
      <ServersLink
        q={q}
        className={styles.figure}
        title={shown && t.overview.figures.show(name, shown)}
      >
        <span className={styles.name}>
          {name}
          <ScopeLabel operation="getServerStatistics" />
          {isBad && (
            <span className={styles.bad} aria-hidden="true">
              ◌
            </span>
          )}
        </span>
        <span className={styles.count}>
          {shown === undefined ? (
            <span className={styles.absent}>{absent}</span>
          ) : (
            <Highlight value={shown} />
          )}
        </span>
        <span className={styles.hint}>{children}</span>
      </ServersLink>
    </li>
  )
}
