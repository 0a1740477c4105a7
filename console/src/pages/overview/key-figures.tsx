import type { ServerStatistics } from '@muster/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Highlight } from '../../ui/highlight.tsx'
import { ServersLink } from '../../charts/servers-link.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { renderTerm } from '../../filter/terms.ts'
import { groupOfStatus, statusesIn, type StatusGroup } from '../../servers/status.ts'
import styles from './key-figures.module.css'
import { StatusShape } from '../../ui/status-mark.tsx'

/** The four key figures. */
export function KeyFigures({ query }: { readonly query: UseQueryResult<ServerStatistics> }) {
  const t = useMessages().overview
  const { number, size, percent } = useFormat()
  const { data: fleet, isError: hasFailed } = query
  const total = fleet?.total
  const countIn = (group: StatusGroup) =>
    fleet?.groups['status']
      ?.filter(({ value }) => groupOfStatus(String(value)) === group)
      .reduce((sum, { count }) => sum + count, 0)
  const [running, stopped, unknown] = [countIn('running'), countIn('stopped'), countIn('unknown')]
  const termOf = (group: StatusGroup) => renderTerm('status', statusesIn[group])
  return (
    <ul className={styles.figures} aria-label={t.figures.label}>
      <Figure name={t.figures.servers} count={total?.count} q="" hasFailed={hasFailed}>
        {total && t.figures.size(number(total.vcpu_count), size(total.vmem_size))}
      </Figure>
      <Figure name={t.figures.running} count={running} q={termOf('running')} hasFailed={hasFailed}>
        {total && running !== undefined && t.figures.ofAll(percent(running, total.count))}
      </Figure>
      <Figure name={t.figures.stopped} count={stopped} q={termOf('stopped')} hasFailed={hasFailed}>
        {total && stopped !== undefined && t.figures.ofAll(percent(stopped, total.count))}
      </Figure>
      <Figure
        name={t.figures.unknown}
        count={unknown}
        q={termOf('unknown')}
        isBad={(unknown ?? 0) > 0}
        hasFailed={hasFailed}
      >
        {t.figures.unknownHint}
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
  const absent = hasFailed ? t.overview.figures.notAvailable : '–'
  return (
    <li>
      <ServersLink
        q={q}
        className={styles.figure}
        title={shown && t.overview.figures.show(name, shown)}
      >
        <span className={styles.name}>
          {name}
          {isBad && <StatusShape tone="warn" />}
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
